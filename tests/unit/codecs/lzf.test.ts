import { describe, expect, it } from 'vitest';
import { decodeLzf } from '../../../packages/readers/src/codecs/lzf.js';

const decode = (bytes: number[], limit = 1000) =>
  Array.from(decodeLzf(Uint8Array.from(bytes), { expected: limit, limit }));

describe('LZF', () => {
  it('copies literals and matches', () => {
    expect(decode([2, 1, 2, 3])).toEqual([1, 2, 3]);
    // Length 1 + 2, distance 2 + 1.
    expect(decode([2, 1, 2, 3, 0x20, 2])).toEqual([1, 2, 3, 1, 2, 3]);
    // A match that overlaps itself: one byte, repeated 6 times.
    expect(decode([0, 9, 0x80, 0])).toEqual([9, 9, 9, 9, 9, 9, 9]);
    // Length 7 + 2 + 100.
    expect(decode([0, 5, 0xe0, 100, 0])).toEqual(new Array(110).fill(5));
    // Distance 256 + 1.
    const start = Array.from({ length: 32 }, (_, i) => i);
    const nine = Array.from({ length: 9 }, () => [31, ...start]).flat();
    expect(decode([...nine, 0x21, 0]).slice(-3)).toEqual([31, 0, 1]);
  });

  it.each([
    ['a match before the start', [0, 9, 0x20, 5]],
    ['literals that are cut off', [5, 1, 2]],
    ['a match that is cut off', [0, 9, 0x20]],
    ['a long match that is cut off', [0, 9, 0xe0, 5]],
  ])('refuses %s', (_, bytes) => {
    expect(() => decode(bytes)).toThrow(/LZF data are corrupted/);
  });

  it('never gives more than the limit', () => {
    expect(() => decode([0, 5, 0xe0, 100, 0], 50)).toThrow(/decompress to more than expected/);
  });
});
