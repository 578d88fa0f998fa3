import { expect, it } from 'vitest';
import { Base64Decoder } from '../../../packages/readers/src/io/base64.js';

const ascii = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));
const BYTES = Uint8Array.from({ length: 256 }, (_, i) => 255 - i);

/** Decodes a text that comes in parts of `length` characters. */
function decode(text: string, length: number): number[] {
  const decoder = new Base64Decoder();
  const decoded: number[] = [];
  for (let at = 0; at < text.length; at += length) {
    decoded.push(...decoder.decode(ascii(text.slice(at, at + length)), at + length >= text.length));
  }
  return decoded;
}

it.each([1, 2, 3, 4, 5, 7, 1000])('base64 in parts of %i characters has the bytes of each length', (length) => {
  for (const count of [0, 1, 2, 3, 4, 5, 254, 255, 256]) {
    const bytes = BYTES.subarray(0, count);
    const text = Buffer.from(bytes).toString('base64');
    expect(decode(text, length)).toEqual([...bytes]);
    expect(decode(text.replace(/=+$/, ''), length)).toEqual([...bytes]);
  }
});

it('base64 may contain line ends and white space anywhere', () => {
  const text = Buffer.from(BYTES).toString('base64').replace(/.{5}/g, '$& \r\n\t');
  expect(decode(text, 4)).toEqual([...BYTES]);
});

it('base64 has + and /, and one character alone makes no byte', () => {
  expect(decode('+/+/', 4)).toEqual([0xfb, 0xff, 0xbf]);
  expect(decode('AAAAB', 9)).toEqual([0, 0, 0]);
});

it('base64 takes no more memory than its bytes need', () => {
  const text = Buffer.alloc(3_000, 7).toString('base64');
  expect(new Base64Decoder().decode(ascii(text), true).buffer.byteLength).toBe(3_000);
});
