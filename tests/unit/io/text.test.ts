import { expect, it } from 'vitest';
import { decodeText, isUtf16Xml, startsWithTag } from '../../../packages/readers/src/io/text.js';
import { unitMeaning } from '../../../packages/readers/src/model/metadata/units.js';

it('decodes the micro sign and kana of Japanese vendors', () => {
  const micrometers = decodeText(Uint8Array.of(0x22, 0x83, 0xca, 0x6d, 0x22));
  expect(micrometers).toBe('"μm"');
  expect(unitMeaning(micrometers.slice(1, -1))).toEqual(unitMeaning('um'));
  expect(decodeText(Uint8Array.of(0x83, 0x65, 0x83, 0x58, 0x83, 0x67, 0x2e))).toBe('テスト.');
});

it.each([
  ['a lone micro sign', [0xb5, 0x6d], 'µm'],
  ['accents', [0x4d, 0xfc, 0x6c, 0x6c, 0x65, 0x72], 'Müller'],
  ['bytes that are not Shift-JIS', [0x83, 0xca, 0xff, 0x6d], '\u0083Êÿm'],
])('decodes %s as Windows-1252', (_, bytes, text) => {
  expect(decodeText(Uint8Array.from(bytes))).toBe(text);
});

const utf16 = (text: string) => [...Buffer.from(text, 'utf16le')];
const swapped = (bytes: number[]) => bytes.map((_, i) => bytes[i ^ 1]!);

it.each([
  ['little-endian UTF-16 with a mark', [0xff, 0xfe, ...utf16('µm')], 'µm'],
  ['big-endian UTF-16 with a mark', [0xfe, 0xff, ...swapped(utf16('µm'))], 'µm'],
  ['little-endian UTF-16 without a mark', utf16('ab'), 'ab'],
  ['big-endian UTF-16 without a mark', swapped(utf16('ab')), 'ab'],
  ['UTF-8 with a mark', [0xef, 0xbb, 0xbf, 0xc2, 0xb5], 'µ'],
  ['UTF-8', [0x61, 0xc2, 0xb5], 'aµ'],
  ['half a mark', [0x61, 0xfe], 'aþ'],
  ['nothing', [], ''],
])('decodes %s', (_, bytes, text) => {
  expect(decodeText(Uint8Array.from(bytes))).toBe(text);
});

it.each([
  [[0x61, 0, 0x62]],
  [[0x61, 0, 0, 0]],
  [[0x61, 0, 0x62, 0x63]],
  [[0x61, 0x62, 0x63, 0]],
  [[0, 0, 0x61, 0]],
  [[0, 0, 0, 0x61]],
  [[0, 0x61, 0x62, 0x63]],
  [[0, 0x61, 0, 0]],
  [[0, 0x61, 0x62]],
  [[0x61, 0x62, 0, 0x63]],
])('decodes %j as bytes, because not every second one is zero', (bytes) => {
  expect(decodeText(Uint8Array.from(bytes))).toBe(String.fromCharCode(...bytes));
});

it.each([
  [true, [0xff, 0xfe, 0x3c, 0]],
  [true, [0xfe, 0xff, 0, 0x3c]],
  [true, [0x3c, 0, 0x3f, 0]],
  [true, [0, 0x3c, 0, 0x3f]],
  [false, [0xff, 0xfe, 0, 0x3c]],
  [false, [0xff, 0xfe, 0x3c, 1]],
  [false, [0xfe, 0xff, 1, 0x3c]],
  [false, [0x3c, 0x3f, 0x78, 0x6d]],
  [false, [0x3c, 0, 0x3f, 1]],
  [false, [0, 0x3c, 1, 0x3f]],
  [false, []],
])('is XML in UTF-16: %s for a text that begins with %j', (isXml, bytes) => {
  expect(isUtf16Xml(Uint8Array.from(bytes))).toBe(isXml);
});

it('knows what starts with a tag, after marks and white space of any encoding', () => {
  const starts = (text: string | number[]) =>
    startsWithTag(Uint8Array.from(typeof text === 'string' ? [...Buffer.from(text)] : text));
  expect(['<a/>', ' \t\r\n<a/>', '\ufeff<a/>'].map(starts)).toEqual([true, true, true]);
  expect([starts([0xff, 0xfe, 0x3c, 0]), starts([0xfe, 0xff, 0, 0x3c])]).toEqual([true, true]);
  expect(['a<b', '', '{"a": "<"}'].map(starts)).toEqual([false, false, false]);
});
