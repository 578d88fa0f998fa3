import { describe, expect, it } from 'vitest';
import {
  concat,
  hasBytesAt,
  indexOfBytes,
  lastIndexOfBytes,
  latin1,
  toHex,
  toLatin1,
  toUtf8,
  toUtf16,
} from '../../packages/readers/src/base/bytes.js';
import { Base64Decoder } from '../../packages/readers/src/io/base64.js';

/** Node's own answers, which the readers must not depend on. */
const native = (bytes: Uint8Array) => Buffer.from(bytes);
const everyByte = Uint8Array.from({ length: 256 }, (_, i) => i);
const ascii = (length: number) => Uint8Array.from({ length }, (_, i) => 32 + ((i * 7) % 95));

describe('text of bytes', () => {
  it.each([0, 1, 16, 17, 255, 8_192, 8_193, 100_000])('decodes %i bytes of Latin-1 as Node does', (length) => {
    expect(latin1(ascii(length))).toBe(native(ascii(length)).toString('latin1'));
    const mixed = Uint8Array.from({ length }, (_, i) => (i * 31) & 255);
    expect(latin1(mixed)).toBe(native(mixed).toString('latin1'));
  });

  it('decodes 0x80 to 0x9F as controls, which Windows-1252 does not, and a micro sign as itself', () => {
    expect(latin1(everyByte)).toBe(native(everyByte).toString('latin1'));
    expect(latin1(Uint8Array.of(...ascii(20), 0x92))).toBe(`${latin1(ascii(20))}\x92`);
    expect(latin1(Uint8Array.of(...ascii(20), 0xb5))).toBe(`${latin1(ascii(20))}µ`);
  });

  it('encodes as Node does, also lone surrogates', () => {
    const text = 'A\0é\x92µ€\u{1F52C}\ud800 end';
    expect(toUtf8(text)).toEqual(new Uint8Array(Buffer.from(text)));
    expect(toUtf16(text)).toEqual(new Uint8Array(Buffer.from(text, 'utf16le')));
    expect(toLatin1(text)).toEqual(new Uint8Array(Buffer.from(text, 'latin1')));
  });

  it('writes hexadecimal digits', () => expect(toHex(everyByte)).toBe(native(everyByte).toString('hex')));
});

describe('search for bytes', () => {
  const bytes = toLatin1('aab aaab aabb aa');

  it.each(['a', 'aab', 'aabb', 'b ', 'aa', 'x', 'aa aaaa'])('finds %j like Node, from every offset', (text) => {
    const pattern = toLatin1(text);
    for (let from = 0; from <= bytes.length; from++) {
      expect(indexOfBytes(bytes, pattern, from)).toBe(native(bytes).indexOf(text, from, 'latin1'));
    }
    expect(lastIndexOfBytes(bytes, pattern)).toBe(native(bytes).lastIndexOf(text, undefined, 'latin1'));
  });

  it('does not find a pattern that goes beyond the end', () => {
    expect(hasBytesAt(bytes, toLatin1('aab'), 14)).toBe(false);
    expect(hasBytesAt(bytes, toLatin1('aa'), 14)).toBe(true);
    expect(indexOfBytes(new Uint8Array(), pattern(1))).toBe(-1);
    expect(lastIndexOfBytes(new Uint8Array(), pattern(1))).toBe(-1);
  });

  it('joins parts in memory of its own', () => {
    const part = Uint8Array.of(1, 2);
    const joined = concat([part, new Uint8Array(), Uint8Array.of(3)]);
    part[0] = 9;
    expect([...joined]).toEqual([1, 2, 3]);
  });

  function pattern(length: number): Uint8Array {
    return new Uint8Array(length).fill(0x61);
  }
});

describe('base64', () => {
  const content = Uint8Array.from({ length: 101 }, (_, i) => (i * 151) & 255);

  it.each([0, 1, 2, 3, 4, 100, 101])('decodes %i bytes that come in parts of any length', (length) => {
    const text = native(content.subarray(0, length))
      .toString('base64')
      .replace(/(.{7})/g, '$1\n ');
    for (let size = 1; size < 20; size++) {
      const decoder = new Base64Decoder();
      const parts: Uint8Array[] = [];
      for (let at = 0; at < text.length; at += size) {
        parts.push(decoder.decode(toLatin1(text.slice(at, at + size)), at + size >= text.length));
      }
      expect(concat(parts)).toEqual(content.slice(0, length));
    }
  });

  it('drops a last character that is not a byte', () => {
    expect(new Base64Decoder().decode(toLatin1('AQIDB'), true)).toEqual(Uint8Array.of(1, 2, 3));
  });
});
