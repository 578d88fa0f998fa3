/** Each computation beside a naive one: any shape, any window, NaN, ±∞, −0, planes in several segments. */

import { describe, expect, it } from 'vitest';
import { histogram } from '../../../packages/readers/src/derive/analysis/histogram.js';
import { moments } from '../../../packages/readers/src/derive/analysis/moments.js';
import { overview } from '../../../packages/readers/src/derive/analysis/overview.js';
import { percentiles } from '../../../packages/readers/src/derive/analysis/percentiles.js';
import { Polyline, type Vertex } from '../../../packages/readers/src/derive/analysis/polyline.js';
import { profile as profileInSlices } from '../../../packages/readers/src/derive/analysis/profile.js';
import { lineTraces, PlaneTraces } from '../../../packages/readers/src/derive/analysis/traces.js';
import { type Window, WindowReader, wholePlane } from '../../../packages/readers/src/derive/analysis/window.js';
import type { PlaneData } from '../../../packages/readers/src/model/samples/plane-data.js';
import fc from '../../support/fast-check.js';

interface Case {
  data: PlaneData;
  window: Window;
  /** Samples of the window by row and column. */
  at: number[][];
}

/** Runs a computation to its end. */
function run<T>(computation: Generator<void, T>): T {
  for (;;) {
    const { done, value } = computation.next();
    if (done) return value;
  }
}

const sample = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: -20, max: 70_000 }) },
  { weight: 2, arbitrary: fc.float({ noDefaultInfinity: true, noNaN: true, min: -1e6, max: 1e6 }) },
  { weight: 1, arbitrary: fc.constantFrom(Number.NaN, Infinity, -Infinity, -0, 0) },
);

/** A plane in one to three segments, of resizable memory, and a window of it. */
const cases = fc
  .tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 9 }))
  .chain(([rows, columns]) =>
    fc.record({
      rows: fc.constant(rows),
      columns: fc.constant(columns),
      samples: fc.array(sample, { minLength: rows * columns, maxLength: rows * columns }),
      cuts: fc.uniqueArray(fc.integer({ min: 1, max: rows }), { maxLength: 2 }),
      firstRow: fc.integer({ min: 0, max: rows - 1 }),
      firstColumn: fc.integer({ min: 0, max: columns - 1 }),
      moreRows: fc.nat(),
      moreColumns: fc.nat(),
    }),
  )
  .map(({ rows, columns, samples, cuts, firstRow, firstColumn, moreRows, moreColumns }): Case => {
    const values = Float32Array.from(samples);
    const bounds = [0, ...cuts.filter((cut) => cut < rows).sort((a, b) => a - b), rows];
    const segments = bounds.slice(0, -1).map((first, i) => {
      const part = values.subarray(first * columns, bounds[i + 1]! * columns);
      const buffer = new ArrayBuffer(part.byteLength, { maxByteLength: part.byteLength + 64 });
      const copy = new Float32Array(buffer);
      copy.set(part);
      return { firstRow: first, rowCount: bounds[i + 1]! - first, samples: copy };
    });
    const endRow = firstRow + 1 + (moreRows % (rows - firstRow));
    const endColumn = firstColumn + 1 + (moreColumns % (columns - firstColumn));
    const at: number[][] = [];
    for (let row = firstRow; row < endRow; row++) {
      at.push([...values.subarray(row * columns + firstColumn, row * columns + endColumn)]);
    }
    return {
      data: { sampleType: 'float32' as const, rows, columns, segments },
      window: { firstRow, endRow, firstColumn, endColumn },
      at,
    };
  });

const finiteOf = (samples: number[][]) => samples.flat().filter(Number.isFinite);
const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
/** A mean in float32 of values whose sum may have been rounded otherwise. */
const expectMean = (value: number, values: number[]) => {
  const scale = Math.max(1, ...values.map(Math.abs));
  expect(Math.abs(value - mean(values)) / scale).toBeLessThan(1e-6);
};
const sorted = (values: number[]) => Float64Array.from(values).sort();

describe('analysis of planes', () => {
  it('windows are read piece by piece, also when a piece ends inside a segment', () => {
    fc.assert(
      fc.property(cases, fc.integer({ min: 1, max: 5 }), ({ data, window, at }, pieceRows) => {
        const reader = new WindowReader(data, window, { maxRows: pieceRows });
        const read: number[] = [];
        run(
          reader.pieces((rows, columns) => {
            read.push(...reader.samples.subarray(0, rows * columns));
          }),
        );
        expect(read).toEqual(at.flat());
      }),
    );
  });

  it('are the same of a window that is wider than a piece', () => {
    const [rows, columns] = [3, 200_001];
    const samples = Float32Array.from({ length: rows * columns }, (_, i) => (i * 7919) % 65_521);
    const data: PlaneData = {
      sampleType: 'float32',
      rows,
      columns,
      segments: [{ firstRow: 0, rowCount: rows, samples }],
    };
    const window = { firstRow: 1, endRow: 3, firstColumn: 5, endColumn: columns };
    const at = [1, 2].flatMap((row) => [...samples.subarray(row * columns + 5, (row + 1) * columns)]);
    const { finite, sum, min, max } = run(moments(data, window));
    expect([finite, sum, min, max]).toEqual([at.length, at.reduce((a, b) => a + b), sorted(at)[0], 65_520]);
    expect(run(percentiles(data, window, [0, 50]))).toEqual([
      sorted(at)[0],
      (sorted(at)[at.length / 2 - 1]! + sorted(at)[at.length / 2]!) / 2,
    ]);
    expect(run(histogram(data, window, 3, [0, 65_520])).counts.reduce((a, b) => a + b)).toBe(at.length);
    const regions = [
      { first: 0, end: 10 },
      { first: 60_000, end: 140_000 },
      { first: 200_000, end: columns },
    ];
    const maxima = run(lineTraces(data, regions, { every: 2, statistic: 'max' }));
    const expected = regions.flatMap(({ first, end }) =>
      [[0, 1], [2]].map((few) =>
        few.reduce(
          (most, row) =>
            samples.subarray(row * columns + first, row * columns + end).reduce((a, b) => Math.max(a, b), most),
          -Infinity,
        ),
      ),
    );
    expect([...maxima]).toEqual(expected);
  });

  it('moments count what is not finite, and compute the rest in float64', () => {
    fc.assert(
      fc.property(cases, ({ data, window, at }) => {
        const result = run(moments(data, window));
        const finite = finiteOf(at);
        expect([result.finite, result.nan, result.posInf, result.negInf]).toEqual([
          finite.length,
          at.flat().filter(Number.isNaN).length,
          at.flat().filter((value) => value === Infinity).length,
          at.flat().filter((value) => value === -Infinity).length,
        ]);
        if (finite.length === 0) {
          expect([result.mean, result.std, result.sum]).toEqual([Number.NaN, Number.NaN, 0]);
          return;
        }
        expect(result.min + 0).toBe(Math.min(...finite) + 0);
        expect(result.max + 0).toBe(Math.max(...finite) + 0);
        const scale = Math.max(1, ...finite.map(Math.abs));
        expect(Math.abs(result.mean - mean(finite)) / scale).toBeLessThan(1e-12);
        expect(Math.abs(result.sum - mean(finite) * finite.length) / scale / finite.length).toBeLessThan(1e-12);
        const variance = mean(finite.map((value) => (value - mean(finite)) ** 2));
        expect(Math.abs(result.std - Math.sqrt(variance)) / scale).toBeLessThan(1e-9);
      }),
    );
  });

  it('the standard deviation of a small ripple on a large offset does not cancel out', () => {
    const samples = Float32Array.from({ length: 1000 }, (_, i) => 16_000_000 + (i % 2));
    const data = {
      sampleType: 'float32' as const,
      rows: 1000,
      columns: 1,
      segments: [{ firstRow: 0, rowCount: 1000, samples }],
    };
    expect(run(moments(data, { firstRow: 0, endRow: 1000, firstColumn: 0, endColumn: 1 })).std).toBe(0.5);
  });

  const percents = fc.array(fc.oneof(fc.constantFrom(0, 50, 100), fc.double({ min: 0, max: 100, noNaN: true })), {
    maxLength: 5,
  });
  const expectPercentiles = (data: PlaneData, window: Window, wanted: number[], samples: number[]) => {
    const values = sorted(samples.filter(Number.isFinite));
    const expected = wanted.map((percent) => {
      if (values.length === 0) return Number.NaN;
      const position = (values.length - 1) * (percent / 100);
      const low = values[Math.floor(position)]!;
      const high = values[Math.min(values.length - 1, Math.floor(position) + 1)]!;
      const fraction = position - Math.floor(position);
      return fraction < 0.5 ? low + (high - low) * fraction : high - (high - low) * (1 - fraction);
    });
    const result = run(percentiles(data, window, wanted));
    expect(result.map((value) => value + 0)).toEqual(expected.map((value) => value + 0));
  };

  it('percentiles are those of a sorted list, interpolated', () => {
    fc.assert(
      fc.property(cases, percents, ({ data, window, at }, wanted) => {
        expectPercentiles(data, window, wanted, at.flat());
      }),
    );
  });

  it('percentiles of many samples are those of a sorted list, too', () => {
    const [rows, columns] = [17, 1009];
    const extremes = [-3.4028234663852886e38, 3.4028234663852886e38, -1e-45, 1e-45, Infinity, -Infinity];
    const few = fc.array(fc.oneof(sample, fc.constantFrom(...extremes)), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(few, percents, (values, wanted) => {
        const samples = Float32Array.from({ length: rows * columns }, (_, i) => values[i % values.length]!);
        // NaN that has the sign bit.
        new Uint32Array(samples.buffer).set([0xffc0_0000], 5);
        const data: PlaneData = {
          sampleType: 'float32',
          ...{ rows, columns },
          segments: [{ firstRow: 0, rowCount: rows, samples }],
        };
        expectPercentiles(data, wholePlane(data), wanted, [...samples]);
      }),
      { numRuns: 25 },
    );
  });

  it('every finite sample is in one bin of the histogram, by its edges', () => {
    const range = fc.tuple(fc.integer({ min: -50, max: 100 }), fc.integer({ min: 0, max: 70_000 }));
    fc.assert(
      fc.property(cases, range, fc.integer({ min: 1, max: 40 }), ({ data, window, at }, [low, span], bins) => {
        const result = run(histogram(data, window, bins, [low, low + span]));
        const { edges } = result;
        expect(edges).toHaveLength(bins + 1);
        expect([edges[0], edges[bins]]).toEqual(span === 0 ? [low - 0.5, low + 0.5] : [low, low + span]);
        const finite = finiteOf(at);
        const inBin = (i: number) =>
          finite.filter((v) => v >= edges[i]! && (i === bins - 1 ? v <= edges[bins]! : v < edges[i + 1]!)).length;
        expect(result.counts).toEqual(Array.from({ length: bins }, (_, i) => inBin(i)));
        expect(result.below).toBe(finite.filter((value) => value < edges[0]!).length);
        expect(result.above).toBe(finite.filter((value) => value > edges[bins]!).length);
      }),
    );
  });

  it('a sample is in the bin of its edges, also where the division gives the next one', () => {
    const samples = Float32Array.of(14.5);
    const data: PlaneData = {
      ...{ sampleType: 'float32', rows: 1, columns: 1 },
      segments: [{ firstRow: 0, rowCount: 1, samples }],
    };
    const { edges, counts } = run(histogram(data, wholePlane(data), 14, [0, 29]));
    expect([Math.floor((14.5 * 14) / 29), edges[7]]).toEqual([7, 14.500_000_000_000_002]);
    expect(counts.indexOf(1)).toBe(6);
  });

  it('cells of an overview have the smallest, largest and mean sample of their rows and columns', () => {
    fc.assert(
      fc.property(cases, fc.nat(), fc.nat(), ({ data, window, at }, h, w) => {
        const rows = at.length;
        const columns = at[0]!.length;
        const height = 1 + (h % rows);
        const width = 1 + (w % columns);
        const cells = run(overview(data, window, { height, width }));
        for (let i = 0; i < height; i++) {
          for (let j = 0; j < width; j++) {
            const part = at
              .slice(Math.floor((i * rows) / height), Math.floor(((i + 1) * rows) / height))
              .map((row) => row.slice(Math.floor((j * columns) / width), Math.floor(((j + 1) * columns) / width)));
            const finite = finiteOf(part);
            const k = i * width + j;
            const expected = finite.length === 0 ? [NaN, NaN, NaN] : [Math.min(...finite), Math.max(...finite)];
            expect(cells[k]! + 0).toBe(expected[0]! + 0);
            expect(cells[k + height * width]! + 0).toBe(expected[1]! + 0);
            if (finite.length === 0) expect(cells[k + 2 * height * width]).toBeNaN();
            else expectMean(cells[k + 2 * height * width]!, finite);
          }
        }
      }),
    );
  });

  it('traces have the statistic of each region for every few rows', () => {
    const ofRows = fc.integer({ min: 1, max: 5 });
    fc.assert(
      fc.property(cases, ofRows, fc.constantFrom('mean', 'min', 'max'), ({ data, window }, every, statistic) => {
        const whole = data.segments.flatMap(({ samples }) => [...samples]);
        const regions = [
          { first: 0, end: data.columns },
          { first: window.firstColumn, end: window.endColumn },
        ];
        const result = run(lineTraces(data, regions, { every, statistic }));
        const length = Math.ceil(data.rows / every);
        expect(result).toHaveLength(2 * length);
        for (const [k, { first, end }] of regions.entries()) {
          for (let i = 0; i < length; i++) {
            const part: number[] = [];
            for (let row = i * every; row < Math.min(data.rows, (i + 1) * every); row++) {
              part.push(...whole.slice(row * data.columns + first, row * data.columns + end));
            }
            const finite = part.filter(Number.isFinite);
            const value = result[k * length + i]!;
            if (finite.length === 0) expect(value).toBeNaN();
            else if (statistic === 'mean') expectMean(value, finite);
            else expect(value + 0).toBe(Math[statistic](...finite) + 0);
          }
        }
      }),
    );
  });
});

describe('traces along planes', () => {
  it('have the statistic of each region for every few planes', () => {
    fc.assert(
      fc.property(fc.array(cases, { minLength: 1, maxLength: 1 }), fc.integer({ min: 1, max: 4 }), ([one], every) => {
        const { data, window, at } = one!;
        const planes = [1, 2, 3, 5, 8].map((factor) => ({
          ...data,
          segments: data.segments.map((segment) => ({ ...segment, samples: segment.samples.map((v) => v * factor) })),
        }));
        const traces = new PlaneTraces([window], planes.length, { every, statistic: 'max' });
        for (const plane of planes) run(traces.add(plane));
        const factors = [1, 2, 3, 5, 8];
        const expected = Array.from({ length: Math.ceil(5 / every) }, (_, i) => {
          const group = factors.slice(i * every, (i + 1) * every);
          const values = group.flatMap((factor) => finiteOf(at).map((v) => Math.fround(v * factor)));
          return values.length === 0 ? Number.NaN : Math.max(...values) + 0;
        });
        expect([...traces.values].map((value) => value + 0)).toEqual(expected);
      }),
    );
  });
});

describe('profile of a plane', () => {
  /** Value 10·row + column: bilinear interpolation is exact. */
  const data: PlaneData = {
    sampleType: 'float32',
    rows: 6,
    columns: 5,
    segments: [0, 3].map((first) => ({
      firstRow: first,
      rowCount: 3,
      samples: Float32Array.from({ length: 15 }, (_, i) => 10 * (first + Math.floor(i / 5)) + (i % 5)),
    })),
  };

  const profile = (plane: PlaneData, points: Vertex[], width: number) => {
    const { rows, columns, values, ...rest } = run(profileInSlices(plane, points, width));
    return { ...rest, rows: [...rows], columns: [...columns], values: [...values] };
  };

  it('has both ends, and steps of at most one pixel', () => {
    const line = profile(
      data,
      [
        [0, 0],
        [3, 4],
      ],
      1,
    );
    expect(line).toMatchObject({ length: 5, spacing: 1 });
    expect(line.rows[0]).toBe(0);
    expect(line.rows.at(-1)).toBeCloseTo(3, 12);
    expect(line.values).toHaveLength(6);
    for (const [i, value] of line.values.entries()) {
      expect(value).toBeCloseTo(10 * line.rows[i]! + line.columns[i]!, 12);
    }
  });

  it('follows the legs of a polyline, and ignores repeated points', () => {
    const points: Vertex[] = [
      [0, 0],
      [0, 0],
      [0, 4],
      [5, 4],
    ];
    expect(new Polyline(points).length).toBe(9);
    const line = profile(data, points, 1);
    expect(line.rows).toEqual([0, 0, 0, 0, 0, 1, 2, 3, 4, 5]);
    expect(line.columns).toEqual([0, 1, 2, 3, 4, 4, 4, 4, 4, 4]);
    expect(line.values).toEqual([0, 1, 2, 3, 4, 14, 24, 34, 44, 54]);
  });

  it('has places at most a pixel apart when its length is not a whole number', () => {
    const line = profile(
      data,
      [
        [0, 0],
        [0, 2.4],
      ],
      1,
    );
    expect([line.length, line.spacing]).toEqual([2.4, expect.closeTo(0.8, 12)]);
    for (const [i, column] of [0, 0.8, 1.6, 2.4].entries()) {
      expect([line.columns[i], line.values[i]]).toEqual([expect.closeTo(column, 12), expect.closeTo(column, 12)]);
    }
    expect(line.columns).toHaveLength(4);
  });

  it('has whole distances for whole pixels', () => {
    const line = new Polyline([
      [0, 0],
      [0, 22],
      [5, 22],
    ]);
    expect([...line.distances(1, 1)]).toEqual(Array.from({ length: 28 }, (_, place) => place));
    expect(line.distances(1, 3).at(15)).toBe(45);
  });

  it('averages across the line, of the samples that lie inside', () => {
    expect(
      profile(
        data,
        [
          [2, 2],
          [3, 2],
        ],
        3,
      ).values,
    ).toEqual([22, 32]);
    expect(
      profile(
        data,
        [
          [2, 0],
          [3, 0],
        ],
        3,
      ).values,
    ).toEqual([20.5, 30.5]);
  });

  it('has no value outside the outermost centers, nor beside a sample that is not finite', () => {
    expect(
      profile(
        data,
        [
          [-1, 0],
          [1, 0],
        ],
        1,
      ).values,
    ).toEqual([Number.NaN, 0, 10]);
    const holed = structuredClone(data) as PlaneData;
    holed.segments[0]!.samples[6] = Number.NaN;
    expect(
      profile(
        holed,
        [
          [0.5, 1],
          [1.5, 1],
        ],
        1,
      ).values,
    ).toEqual([Number.NaN, Number.NaN]);
    // At the center of its neighbor it does not matter.
    expect(
      profile(
        holed,
        [
          [1, 2],
          [2, 2],
        ],
        1,
      ).values,
    ).toEqual([12, 22]);
  });

  it('takes the mean of no samples for no number, however short or far away the line is', () => {
    for (const points of [
      [
        [1e300, 0],
        [1e300, 1],
      ],
      [
        [0, 7000],
        [5e-324, 7000],
      ],
    ] satisfies Vertex[][]) {
      expect(profile(data, points, 1000).values.every(Number.isNaN)).toBe(true);
    }
    const shortest: Vertex[] = [
      [2, 2],
      [2, 2 + 2 ** -51],
    ];
    expect(profile(data, shortest, 3).values[0]).toBe(22);
  });

  it('passes few samples in a slice, also when it is wide', () => {
    const points: Vertex[] = [
      [0, 0],
      [0, 2_000],
    ];
    for (const width of [1, 1000]) {
      const slices = [...profileInSlices(data, points, width)].length + 1;
      expect(slices, String(width)).toBe(1 + Math.floor((2001 * width) / 66_000));
    }
  });
});
