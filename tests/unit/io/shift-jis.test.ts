import { expect, it } from 'vitest';
import { decodeText } from '../../../packages/readers/src/io/text.js';
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
