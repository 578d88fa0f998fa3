import { describe, expect, it } from 'vitest';
import { lineMeasure } from '../../../packages/viewer/src/analysis/line.ts';
import { profileAt, profileOver } from '../../../packages/viewer/src/analysis/profile.ts';
import { type PlaneRegion, regionBetween } from '../../../packages/viewer/src/analysis/region.ts';
import { regionStats } from '../../../packages/viewer/src/analysis/region-stats.ts';
import { BLOCK_LENGTH } from '../../../packages/viewer/src/analysis/slices.ts';
import fc from '../../support/fast-check.js';
import { finiteOf, naiveFacts, steppedClock } from './naive.ts';

const nan = Number.NaN;
const SHAPE = [3, 4] as const;
const DATA = Float32Array.from([1, 2, 3, 4, 10, nan, 30, 40, 100, 200, Infinity, 400]);

function samplesOf(data: Float32Array, width: number, { rows, columns }: PlaneRegion): number[] {
  const values: number[] = [];
  for (let row = rows[0]; row < rows[1]; row++) {
    for (let column = columns[0]; column < columns[1]; column++) values.push(data[row * width + column] as number);
  }
  return values;
}

const planes = fc
  .record({ rows: fc.integer({ min: 1, max: 12 }), columns: fc.integer({ min: 1, max: 12 }) })
  .chain(({ rows, columns }) =>
    fc.record({
      shape: fc.constant([rows, columns] as const),
      data: fc
        .array(fc.oneof(fc.float(), fc.integer({ min: -9, max: 9 })), {
          minLength: rows * columns,
          maxLength: rows * columns,
        })
        .map((values) => Float32Array.from(values)),
      region: fc.tuple(fc.nat(rows - 1), fc.nat(rows - 1), fc.nat(columns - 1), fc.nat(columns - 1)).map(
        ([a, b, c, d]): PlaneRegion => ({
          rows: [Math.min(a, b), Math.max(a, b) + 1],
          columns: [Math.min(c, d), Math.max(c, d) + 1],
        }),
      ),
    }),
  );

describe('a profile along one line', () => {
  it('contains the samples of a row or a column', () => {
    expect([...profileAt(DATA, SHAPE, 'row', 1)]).toEqual([10, nan, 30, 40]);
    expect([...profileAt(DATA, SHAPE, 'column', 1)]).toEqual([2, nan, 200]);
  });

  it('is empty outside of the plane', () => {
    expect(profileAt(DATA, SHAPE, 'row', 3)).toHaveLength(0);
    expect(profileAt(DATA, SHAPE, 'column', -1)).toHaveLength(0);
  });
});

describe('a profile over a region', () => {
  it('has one value per column along a row, from the finite samples', async () => {
    const profile = await profileOver(DATA, SHAPE, { rows: [0, 2], columns: [1, 4] }, 'row');
    expect(profile).toMatchObject({ along: 'row', first: 1 });
    expect([...profile.mean]).toEqual([2, 16.5, 22]);
    expect([...profile.min]).toEqual([2, 3, 4]);
    expect([...profile.max]).toEqual([2, 30, 40]);
  });

  it('has one value per row along a column', async () => {
    const profile = await profileOver(DATA, SHAPE, { rows: [1, 3], columns: [1, 3] }, 'column');
    expect(profile.first).toBe(1);
    expect([...profile.mean]).toEqual([30, 200]);
  });

  it('is NaN where no sample is finite', async () => {
    const profile = await profileOver(DATA, SHAPE, { rows: [1, 2], columns: [1, 2] }, 'row');
    expect([profile.mean[0], profile.min[0], profile.max[0]]).toEqual([nan, nan, nan]);
  });

  it('agrees with plain loops over any plane', async () => {
    await fc.assert(
      fc.asyncProperty(planes, fc.constantFrom('row', 'column'), async ({ shape, data, region }, along) => {
        const profile = await profileOver(data, shape, region, along);
        const [from, to] = along === 'row' ? region.columns : region.rows;
        expect(profile.mean).toHaveLength(to - from);
        for (let place = from; place < to; place++) {
          const line: PlaneRegion =
            along === 'row' ? { ...region, columns: [place, place + 1] } : { ...region, rows: [place, place + 1] };
          const values = finiteOf(samplesOf(data, shape[1], line));
          const { mean, min, max } = naiveFacts(values);
          const at = place - from;
          if (values.length === 0) expect(profile.mean[at]).toBeNaN();
          else {
            const scale = Math.max(...values.map(Math.abs)) || 1;
            expect(Math.abs((profile.mean[at] as number) - mean) / scale).toBeLessThan(1e-12);
            expect([(profile.min[at] as number) + 0, (profile.max[at] as number) + 0]).toEqual([min + 0, max + 0]);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('pauses during long work, and stops when aborted', async () => {
    const shape = [BLOCK_LENGTH, 16] as const;
    const data = new Float32Array(BLOCK_LENGTH * 16).fill(1);
    const region: PlaneRegion = { rows: [0, shape[0]], columns: [0, 16] };
    const { clock, pauses } = steppedClock(1);
    await profileOver(data, shape, region, 'column', { clock, budgetMs: 4 });
    expect(pauses).toEqual({ count: 4, longest: 4 });
    const abort = new AbortController();
    const aborting = steppedClock(1, () => abort.abort(new Error('moved on')));
    const run = profileOver(data, shape, region, 'column', { clock: aborting.clock, signal: abort.signal });
    await expect(run).rejects.toThrow('moved on');
  });
});

describe('statistics of a region', () => {
  it('match values computed by hand', async () => {
    const stats = await regionStats(DATA, SHAPE, { rows: [0, 2], columns: [0, 2] });
    expect(stats).toMatchObject({ n: 3, nonFinite: 1, min: 1, max: 10, sum: 13, median: 2 });
    expect(stats.mean).toBeCloseTo(13 / 3, 12);
    expect(stats.sd).toBeCloseTo(Math.sqrt(((1 - 13 / 3) ** 2 + (2 - 13 / 3) ** 2 + (10 - 13 / 3) ** 2) / 2), 12);
  });

  it('have the mean of the two middle samples as median of an even number', async () => {
    expect((await regionStats(DATA, SHAPE, { rows: [0, 1], columns: [0, 4] })).median).toBe(2.5);
  });

  it('are clipped to the plane and empty outside of it', async () => {
    expect((await regionStats(DATA, SHAPE, { rows: [-5, 1], columns: [2, 99] })).sum).toBe(7);
    expect(await regionStats(DATA, SHAPE, { rows: [5, 9], columns: [0, 4] })).toMatchObject({ n: 0, median: nan });
  });

  it('agree with plain formulas for any plane, and the median is exact', async () => {
    await fc.assert(
      fc.asyncProperty(planes, async ({ shape, data, region }) => {
        const stats = await regionStats(data, shape, region);
        const facts = naiveFacts(samplesOf(data, shape[1], region));
        expect([stats.n, stats.nonFinite]).toEqual([facts.count, facts.nonFinite]);
        if (facts.count === 0) return;
        expect([stats.min + 0, stats.max + 0, stats.median]).toEqual([facts.min + 0, facts.max + 0, facts.median + 0]);
        const scale = Math.max(Math.abs(facts.min), Math.abs(facts.max)) || 1;
        expect(Math.abs(stats.mean - facts.mean) / scale).toBeLessThan(1e-12);
        expect(Math.abs(stats.sd - facts.sd) / scale).toBeLessThan(1e-7);
      }),
      { numRuns: 100 },
    );
  });
});

describe('the region between two points', () => {
  it('contains every sample that the rectangle touches', () => {
    expect(regionBetween({ row: 2.2, column: 0.5 }, { row: 0.9, column: 3 }, SHAPE)).toEqual({
      rows: [0, 3],
      columns: [0, 3],
    });
  });

  it('contains at least one sample of the plane', () => {
    const corner = { row: 9, column: 9 };
    expect(regionBetween(corner, corner, SHAPE)).toEqual({ rows: [2, 3], columns: [3, 4] });
  });
});

describe('a drawn line', () => {
  const time = { arrayDimension: 0, name: 'Y', size: 100, step: 0.002, unit: 'seconds' } as const;
  const space = { arrayDimension: 1, name: 'X', size: 50, step: 0.25, unit: 'micrometer' } as const;
  const plain = { arrayDimension: 0, name: 'Y', size: 50, step: 1, unit: 'Pixels' } as const;

  it('has a velocity on a line scan, regardless of which end was drawn first', () => {
    const a = { row: 10, column: 5 };
    const b = { row: 60, column: 25 };
    const measure = lineMeasure(a, b, [time, space]);
    expect(measure).toMatchObject({ lines: 50, pixels: 20, micrometers: 5, lengthUnit: 'Pixels' });
    expect(measure.seconds).toBeCloseTo(0.1, 12);
    expect(measure.velocity).toBeCloseTo(50, 9);
    expect(lineMeasure(b, a, [time, space]).velocity).toBeCloseTo(50, 9);
    expect(lineMeasure({ row: 60, column: 5 }, { row: 10, column: 25 }, [time, space]).velocity).toBeCloseTo(-50, 9);
    expect(measure.length).toBeCloseTo(Math.hypot(50, 20), 12);
  });

  it('has no velocity when no time passes, and 0 when nothing moves', () => {
    expect(lineMeasure({ row: 3, column: 0 }, { row: 3, column: 9 }, [time, space]).velocity).toBeNull();
    expect(lineMeasure({ row: 9, column: 4 }, { row: 3, column: 4 }, [time, space]).velocity).toBe(0);
  });

  it('has a length in µm on a frame', () => {
    const row = { ...space, arrayDimension: 0, step: 0.5 } as const;
    const measure = lineMeasure({ row: 0, column: 0 }, { row: 6, column: 16 }, [row, space]);
    expect(measure).toMatchObject({
      seconds: null,
      micrometers: 5,
      velocity: null,
      length: 5,
      lengthUnit: 'micrometer',
    });
  });

  it('is measured in samples without calibration', () => {
    const measure = lineMeasure({ row: 0, column: 0 }, { row: 3, column: 4 }, [plain, { ...plain, name: 'X' }]);
    expect(measure).toMatchObject({ seconds: null, micrometers: null, velocity: null, length: 5 });
    expect(lineMeasure({ row: 0, column: 0 }, { row: 3, column: 4 }, [time, plain]).velocity).toBeNull();
  });
});
