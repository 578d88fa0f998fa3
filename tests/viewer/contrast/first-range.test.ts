import { describe, expect, it } from 'vitest';
import { firstRange } from '../../../packages/viewer/src/app/first-range.ts';

/** 0 to 9999, each once, in another order. */
const shuffled = Float32Array.from({ length: 10_000 }, (_, i) => (i * 7919) % 10_000);

describe('the first contrast', () => {
  it('spans the 1st to the 99.5th percentile', () => {
    expect(firstRange(shuffled)).toEqual({ min: 99, max: 9950 });
  });

  it('is not widened by a few outliers', () => {
    const data = shuffled.slice();
    for (let i = 0; i < 40; i++) data[i * 250] = i % 2 === 0 ? -1e9 : 1e9;
    const { min, max } = firstRange(data);
    expect(min).toBeGreaterThanOrEqual(0);
    expect(min).toBeLessThanOrEqual(110);
    expect(max).toBeGreaterThanOrEqual(9940);
    expect(max).toBeLessThanOrEqual(9999);
  });

  it('is close to that of the whole plane although it uses only some samples', () => {
    // A regular step through 20,000 lines of 32 samples would see one column of them.
    const across = Float32Array.from({ length: 32 * 20_000 }, (_, i) => i % 32);
    expect(firstRange(across)).toEqual({ min: 0, max: 31 });
    const down = across.map((_, i) => Math.floor(i / 32));
    const { min, max } = firstRange(down);
    expect(Math.abs(min - 200)).toBeLessThanOrEqual(5);
    expect(Math.abs(max - 19_900)).toBeLessThanOrEqual(5);
  });

  it('ignores samples that are not finite, and is a valid range for a constant or empty plane', () => {
    expect(firstRange(Float32Array.of(Number.NaN, 3, Number.POSITIVE_INFINITY, 5))).toEqual({ min: 3, max: 5 });
    expect(firstRange(Float32Array.of(4, 4, 4))).toEqual({ min: 4, max: 5 });
    expect(firstRange(Float32Array.of(Number.NaN))).toEqual({ min: 0, max: 1 });
  });
});
