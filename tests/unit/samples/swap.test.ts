import { describe, expect, it } from 'vitest';
import { swapBytes, swapInLoops } from '../../../packages/readers/src/model/samples/swap.js';

describe('byte order', () => {
  const swaps = { 2: 'swap16', 4: 'swap32', 8: 'swap64' } as const;

  it.each([
    [2, 0],
    [2, 2],
    [2, 6],
    [4, 4],
    [8, 8],
    [8, 16],
  ] as const)('swaps words of %i bytes at offset %i in memory, and nothing beside them', (size, offset) => {
    for (let words = 0; words < 12; words++) {
      const start = Uint8Array.from({ length: 128 }, (_, i) => (i * 89) & 255);
      const expected = Buffer.from(start);
      expected.subarray(offset, offset + words * size)[swaps[size]]();
      for (const swap of [swapBytes, swapInLoops]) {
        const actual = Uint8Array.from(start);
        swap(actual.subarray(offset, offset + words * size), size);
        expect(actual).toEqual(new Uint8Array(expected));
      }
    }
  });

  it('leaves single bytes as they are', () => {
    const bytes = Uint8Array.of(1, 2, 3);
    swapBytes(bytes, 1);
    expect([...bytes]).toEqual([1, 2, 3]);
  });
});
