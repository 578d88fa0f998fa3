import { describe, expect, it } from 'vitest';
import { splitIntoBands } from '../../../packages/server/src/sessions/bands.js';
import { countUsefulHelpers } from '../../../packages/server/src/sessions/decode-planes.js';

const MIB = 2 ** 20;
const scan = { isCompressed: false, planes: 2, planeBytes: 58 * MIB, keptBytes: 116 * MIB, openMs: 3, isAlone: true };

describe('workers that share the planes of a file', () => {
  it('are all that are idle for compressed planes, unless these are small', () => {
    expect(countUsefulHelpers({ ...scan, isCompressed: true, openMs: 99 })).toBe(Number.POSITIVE_INFINITY);
    expect(countUsefulHelpers({ ...scan, isCompressed: true, planeBytes: 4 * MIB - 1 })).toBe(0);
  });

  it('are two for uncompressed planes, if opening the file again is quick beside reading them', () => {
    expect(countUsefulHelpers(scan)).toBe(1);
    expect(countUsefulHelpers({ ...scan, planes: 1 })).toBe(1);
    expect(countUsefulHelpers({ ...scan, openMs: 8 })).toBe(0);
    expect(countUsefulHelpers({ ...scan, planeBytes: 5 * MIB })).toBe(0);
  });

  it('leave uncompressed planes to one when others open files', () => {
    expect(countUsefulHelpers({ ...scan, isAlone: false })).toBe(0);
    expect(countUsefulHelpers({ ...scan, isCompressed: true, isAlone: false })).toBe(Number.POSITIVE_INFINITY);
  });

  it('are two for a file that opens slowly, if its planes take memory that is new', () => {
    expect([0, 58, 116].map((kept) => countUsefulHelpers({ ...scan, keptBytes: kept * MIB, openMs: 15 }))).toEqual([
      1, 1, 0,
    ]);
    expect(countUsefulHelpers({ ...scan, keptBytes: 0, openMs: 30 })).toBe(0);
    expect(countUsefulHelpers({ ...scan, keptBytes: 999 * MIB, openMs: 8 })).toBe(0);
  });
});

describe('the bands of a plane', () => {
  it.each([
    [30_000, 2, 1024, [15_360, 14_640]],
    [1000, 3, 1, [334, 334, 332]],
    [1000, 2, 1024, [1000]],
    [3, 8, 1, [1, 1, 1]],
  ])('of %i rows for %i workers are of whole blocks of %i rows', (rows, count, step, heights) => {
    const bands = splitIntoBands(rows, count, step);
    expect(bands.map((band) => band.count)).toEqual(heights);
    expect(bands.map(({ first }) => first)).toEqual(
      heights.map((_, i) => heights.slice(0, i).reduce((a, b) => a + b, 0)),
    );
  });
});
