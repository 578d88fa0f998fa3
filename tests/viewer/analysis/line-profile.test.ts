import { describe, expect, it } from 'vitest';
import { Polyline } from '../../../packages/readers/src/derive/analysis/polyline.js';
import { type Profile, profile } from '../../../packages/readers/src/derive/analysis/profile.js';
import type { PlaneData } from '../../../packages/readers/src/model/samples/plane-data.js';
import { lineProfile, lineThrough } from '../../../packages/viewer/src/analysis/line-profile.ts';
import { pathMean } from '../../../packages/viewer/src/analysis/path-samples.ts';
import fc from '../../support/fast-check.js';

const shape = [30, 40] as const;
const samples = Float32Array.from({ length: 1200 }, (_, i) => ((i * 7919) % 1009) - 100.25);
samples[333] = Number.NaN;
const plane: PlaneData = {
  ...{ sampleType: 'float32', rows: 30, columns: 40 },
  segments: [{ firstRow: 0, rowCount: 30, samples }],
};

/** The profile of the server, which is compared with scikit-image. */
function serverProfile(points: readonly (readonly [number, number])[], width: number): Profile {
  const computation = profile(plane, points, width);
  for (;;) {
    const { done, value } = computation.next();
    if (done) return value;
  }
}

describe('a profile along a line', () => {
  const number = (max: number) => fc.integer({ min: -3 * 64, max: 64 * max }).map((n) => n / 64);
  const point = fc.tuple(number(33), number(43));

  it('has numbers to its end at the last pixel, on the server as well', async () => {
    const without: number[] = [];
    for (let i = 0; i < 2000; i++) {
      const from = Number((i * 0.019301).toFixed(6));
      const places = lineThrough([
        { row: 5.5, column: from + 0.5 },
        { row: 5.5, column: 39.5 },
      ])!;
      const values = await lineProfile(samples, shape, places, 1);
      const served = serverProfile(
        [
          [5, from],
          [5, 39],
        ] as const,
        1,
      ).values;
      if (Number.isNaN(values.at(-1)) || Number.isNaN(served.at(-1))) without.push(from);
    }
    expect(without).toEqual([]);
  });

  it('has the samples of the server, of any polyline and width', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(point, { minLength: 2, maxLength: 6 }),
        fc.integer({ min: 1, max: 7 }),
        async (points, width) => {
          if (new Polyline(points).length === 0) return;
          // Whole numbers are centers of pixels there, and corners here.
          const places = lineThrough(points.map(([row, column]) => ({ row: row + 0.5, column: column + 0.5 })))!;
          const values = await lineProfile(samples, shape, places, width);
          const expected = serverProfile(points, width);
          expect(values).toHaveLength(expected.values.length);
          values.forEach((value, i) => {
            const { row, column } = places.at(i);
            expect(row).toBeCloseTo(expected.rows[i]!, 9);
            expect(column).toBeCloseTo(expected.columns[i]!, 9);
            if (Number.isFinite(value) && Number.isFinite(expected.values[i]!))
              expect(value).toBeCloseTo(expected.values[i]!, 4);
          });
          const distances = places.distances(1, 1);
          expect(distances.at(-1)).toBeCloseTo(expected.length, 9);
          expect(distances[1]).toBeCloseTo(expected.spacing, 9);
        },
      ),
    );
  });

  it('has distances in the units of both axes, also around a corner', () => {
    const places = lineThrough([
      { row: 0.5, column: 0.5 },
      { row: 4.5, column: 0.5 },
      { row: 4.5, column: 3.5 },
    ])!;
    expect([...places.distances(2, 0.5)]).toEqual([0, 2, 4, 6, 8, 8.5, 9, 9.5]);
    expect(
      lineThrough([
        { row: 1, column: 1 },
        { row: 1, column: 1 },
      ]),
    ).toBeNull();
  });

  it('is averaged across a wide line', () => {
    const ramp = Float32Array.from({ length: 100 }, (_, i) => 10 * Math.floor(i / 10) + (i % 10) ** 2);
    const line = [
      { row: 2.5, column: 4.5 },
      { row: 6.5, column: 4.5 },
    ];
    // Rows 2 to 6, of which the mean is 40; columns 3, 4 and 5 have 9, 16 and 25.
    expect(pathMean(ramp, [10, 10], line)).toBeCloseTo(56, 12);
    expect(pathMean(ramp, [10, 10], line, 3)).toBeCloseTo(40 + 50 / 3, 12);
  });
});
