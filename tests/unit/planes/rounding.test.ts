import { describe, expect, it } from 'vitest';
import { Float32Target, roundBigToFloat32 } from '../../../packages/readers/src/model/samples/plane-target.js';

/** Nearest float32 of an integer by exact distances; of two equally near ones that with an even last bit. */
function nearest(value: bigint): number {
  const around = Math.fround(Number(value));
  const bits = new Uint32Array(1);
  const float = new Float32Array(bits.buffer);
  float[0] = around;
  const middle = bits[0] as number;
  const candidates = [middle - 1, middle, middle + 1].map((pattern) => {
    bits[0] = pattern;
    const candidate = float[0] as number;
    const distance = BigInt(candidate) - value;
    return { candidate, odd: pattern & 1, distance: distance < 0n ? -distance : distance };
  });
  candidates.sort((a, b) => (a.distance === b.distance ? a.odd - b.odd : a.distance < b.distance ? -1 : 1));
  return candidates[0]?.candidate as number;
}

describe('a 64-bit integer as float32', () => {
  it.each([
    ['a tie goes to the even neighbor', 2n ** 60n + 2n ** 36n, 2 ** 60],
    [
      'one above a tie goes up, though a double cannot tell it from the tie',
      2n ** 60n + 2n ** 36n + 1n,
      2 ** 60 + 2 ** 37,
    ],
    ['one below a tie goes down', 2n ** 60n + 3n * 2n ** 36n - 1n, 2 ** 60 + 2 ** 37],
    ['the largest', 2n ** 64n - 1n, 2 ** 64],
    ['what a double holds exactly', 2n ** 53n - 1n, 2 ** 53],
  ])('is rounded once: %s', (_what, value, expected) => {
    expect(roundBigToFloat32(value)).toBe(expected);
    expect(roundBigToFloat32(-value)).toBe(-expected);
  });

  it('is the nearest one near every tie', () => {
    for (let bit = 53n; bit < 64n; bit++) {
      const tie = (1n << bit) + (1n << (bit - 24n));
      const ulp = 1n << (bit - 23n);
      for (const steps of [0n, 1n, 2n, 8_388_606n]) {
        for (const off of [-(1n << 20n), -1n, 0n, 1n, 1n << 11n]) {
          const value = tie + steps * ulp + off;
          expect(roundBigToFloat32(value), String(value)).toBe(nearest(value));
        }
      }
    }
  });

  it('comes into a plane so', () => {
    const plane = new Float32Target(1, 2);
    const samples = BigInt64Array.of(2n ** 60n + 2n ** 36n + 1n, -(2n ** 60n) - 2n ** 36n - 1n);
    plane.put({ samples, offset: 0, rowStride: 2, columnStride: 1 }, 0, 0, 1, 2);
    expect([...plane.data]).toEqual([2 ** 60 + 2 ** 37, -(2 ** 60) - 2 ** 37]);
  });
});
