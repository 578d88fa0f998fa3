import { describe, expect, it } from 'vitest';
import { ellipseBetween, polygonThrough } from '../../../packages/viewer/src/analysis/area.ts';
import { profileOver } from '../../../packages/viewer/src/analysis/profile.ts';
import { moveRegion, type PlaneRegion, sampleCount } from '../../../packages/viewer/src/analysis/region.ts';
import { regionMean, regionStats } from '../../../packages/viewer/src/analysis/region-stats.ts';
import fc from '../../support/fast-check.js';
import { naiveFacts } from './naive.ts';

/** Returns the samples of a region as a picture, `#` inside. */
function picture({ runs = new Int32Array() }: PlaneRegion, [rows, columns]: readonly [number, number]): string[] {
  const lines = Array.from({ length: rows }, () => Array<string>(columns).fill('.'));
  for (let i = 0; i < runs.length; i += 3) lines[runs[i]!]!.fill('#', runs[i + 1], runs[i + 2]);
  return lines.map((line) => line.join(''));
}

const through = (...points: [row: number, column: number][]) => points.map(([row, column]) => ({ row, column }));

/** Masks of ImageJ 1.53t: `new OvalRoi(…)` and `new PolygonRoi(…)`, printed by `getMask()`. */
describe('the samples of a shape, as ImageJ has them', () => {
  it.each([
    [5, 7, ['.#####.', '#######', '#######', '#######', '.#####.']],
    [4, 10, ['..######..', '##########', '##########', '..######..']],
    [1, 3, ['###']],
  ])('an ellipse of %d rows and %d columns', (rows, columns, expected) => {
    const shape = [rows, columns] as const;
    expect(picture(ellipseBetween({ row: 0, column: 0 }, { row: rows, column: columns }, shape), shape)).toEqual(
      expected,
    );
  });

  it('a triangle between pixels', () => {
    const triangle = polygonThrough(through([0.5, 0.6], [0.5, 6.5], [5.5, 3.5]), [6, 7]);
    expect(picture(triangle, [6, 7])).toEqual(['.......', '.#####.', '..###..', '..###..', '...#...', '.......']);
  });

  it('a polygon with a notch, and one whose edges run through centers', () => {
    const notched = polygonThrough(through([0, 0], [0, 8], [8, 8], [8, 0], [4, 4]), [8, 8]);
    expect(picture(notched, [8, 8])).toEqual([
      ...['.#######', '..######', '...#####', '....####'],
      ...['....####', '...#####', '..######', '.#######'],
    ]);
    const square = polygonThrough(through([1.5, 1.5], [1.5, 5.5], [5.5, 5.5], [5.5, 1.5]), [6, 6]);
    expect(picture(square, [6, 6])).toEqual(['......', '......', '..####', '..####', '..####', '..####']);
  });
});

describe('shapes at the limits', () => {
  it('a shape around no center is the sample in its middle, and one outside is cut at the plane', () => {
    expect(picture(polygonThrough(through([1.1, 1.1], [1.2, 1.3], [1.3, 1.1]), [3, 3]), [3, 3])).toEqual([
      ...['...', '.#.', '...'],
    ]);
    expect(picture(polygonThrough(through([-5, -5], [-5, 2], [2, 2], [2, -5]), [3, 3]), [3, 3])).toEqual([
      ...['##.', '##.', '...'],
    ]);
    expect(picture(ellipseBetween({ row: -2, column: -2 }, { row: 2, column: 2 }, [3, 3]), [3, 3])).toEqual([
      ...['##.', '#..', '...'],
    ]);
  });

  it('a polygon with millions of crossings has no samples', () => {
    const zigzag = Array.from({ length: 512 }, (_, i) => ({ row: i % 2 === 0 ? 0 : 200_000, column: i }));
    expect(sampleCount(polygonThrough(zigzag, [200_000, 600]))).toBe(0);
  });

  it('a polygon contains what the rule of odd crossings says', () => {
    // No center lies on an edge.
    const number = fc.integer({ min: -20, max: 120 });
    const point = fc.record({ row: number.map((n) => n / 10 + 0.013), column: number.map((n) => n * 0.0997 + 0.0071) });
    fc.assert(
      fc.property(fc.array(point, { minLength: 3, maxLength: 9 }), (points) => {
        const region = polygonThrough(points, [10, 10]);
        const lines = picture(region, [10, 10]);
        let count = 0;
        for (let row = 0; row < 10; row++) {
          for (let column = 0; column < 10; column++) {
            const inside = isInside(points, row + 0.5, column + 0.5);
            count += Number(inside);
            if (sampleCount(region) > 1) expect(lines[row]![column]).toBe(inside ? '#' : '.');
          }
        }
        expect(sampleCount(region)).toBe(Math.max(1, count));
      }),
    );
  });
});

function isInside(points: readonly { row: number; column: number }[], row: number, column: number): boolean {
  const right = points.filter((a, i) => {
    const b = points[(i + 1) % points.length]!;
    if (a.row > row === b.row > row) return false;
    return a.column + ((row - a.row) / (b.row - a.row)) * (b.column - a.column) > column;
  });
  return right.length % 2 === 1;
}

describe('statistics of a shape', () => {
  const shape = [40, 30] as const;
  const data = Float32Array.from({ length: 1200 }, (_, i) => ((i * 7919) % 251) - 20.5);
  data[20 * 30 + 15] = Number.NaN;
  const region = ellipseBetween({ row: 3, column: 2 }, { row: 38, column: 29 }, shape);
  const values: number[] = [];
  for (let row = 0; row < 40; row++) {
    for (let column = 0; column < 30; column++) {
      const inside = ((row + 0.5 - 20.5) / 17.5) ** 2 + ((column + 0.5 - 15.5) / 13.5) ** 2 <= 1;
      if (inside) values.push(data[row * 30 + column]!);
    }
  }

  it('are those of its samples', async () => {
    const finite = values.filter(Number.isFinite);
    const sum = finite.reduce((all, value) => all + value, 0);
    const stats = await regionStats(data, shape, region);
    expect(stats).toMatchObject({ n: finite.length, nonFinite: 1, min: Math.min(...finite), max: Math.max(...finite) });
    expect(stats.mean).toBeCloseTo(sum / finite.length, 10);
    expect(stats.median).toBe(naiveFacts(finite).median);
    expect(await regionMean(data, shape, region)).toBeCloseTo(sum / finite.length, 10);
    expect(sampleCount(region)).toBe(values.length);
  });

  it('profiles pass only its samples, also where it is cut out', async () => {
    const profile = await profileOver(data, shape, region, 'column');
    expect(profile.first).toBe(3);
    const row = 10;
    const inside = Array.from({ length: 30 }, (_, column) => column).filter(
      (column) => ((row + 0.5 - 20.5) / 17.5) ** 2 + ((column + 0.5 - 15.5) / 13.5) ** 2 <= 1,
    );
    const mean = inside.reduce((sum, column) => sum + data[row * 30 + column]!, 0) / inside.length;
    expect(profile.mean[row - 3]).toBeCloseTo(mean, 10);
    const [top, left] = [region.rows[0], region.columns[0]];
    const [height, width] = [region.rows[1] - top, region.columns[1] - left];
    const part = Float32Array.from({ length: height * width }, (_, i) => {
      return data[(top + Math.floor(i / width)) * 30 + left + (i % width)]!;
    });
    expect(await profileOver(part, [height, width], moveRegion(region, -top, -left), 'column')).toEqual({
      ...profile,
      first: 0,
    });
  });
});
