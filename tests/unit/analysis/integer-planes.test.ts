/** Planes of integers of 8 and 16 bits beside the same numbers in float32: every result is equal to the bit. */

import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type MeasuredProfile, measuredProfile } from '../../../packages/client/src/answers/profile.js';
import { statistics, statisticsBytes } from '../../../packages/client/src/answers/statistics.js';
import { momentsOfCounts } from '../../../packages/readers/src/derive/analysis/moments.js';
import { overview, usesGroups } from '../../../packages/readers/src/derive/analysis/overview.js';
import { groupPlaneRows, reduceToGroups } from '../../../packages/readers/src/derive/analysis/row-groups.js';
import { lineTraces, PlaneTraces } from '../../../packages/readers/src/derive/analysis/traces.js';
import { type Window, wholePlane } from '../../../packages/readers/src/derive/analysis/window.js';
import type { PlaneData, SourceData } from '../../../packages/readers/src/model/samples/plane-data.js';
import { copyGrid } from '../../../packages/readers/src/model/samples/rectangle.js';
import { bytesPerElement, SAMPLE_ARRAYS } from '../../../packages/readers/src/model/samples/types.js';
import fc from '../../support/fast-check.js';

type IntegerType = 'uint8' | 'int8' | 'uint16' | 'int16';

const LIMITS: Record<IntegerType, { min: number; max: number }> = {
  uint8: { min: 0, max: 255 },
  int8: { min: -128, max: 127 },
  uint16: { min: 0, max: 65_535 },
  int16: { min: -32_768, max: 32_767 },
};
const TYPES = Object.keys(LIMITS) as IntegerType[];

/** Runs a computation to its end. */
function run<T>(computation: Generator<void, T>): T {
  for (;;) {
    const { done, value } = computation.next();
    if (done) return value;
  }
}

/** A plane in segments of resizable memory, whose first rows are `bounds`. */
function planeOf(
  sampleType: IntegerType | 'float32',
  columns: number,
  bounds: number[],
  values: readonly number[],
): SourceData {
  const rows = values.length / columns;
  const segments = bounds.map((firstRow, i) => {
    const rowCount = (bounds[i + 1] ?? rows) - firstRow;
    const byteLength = rowCount * columns * bytesPerElement(sampleType);
    const samples = new SAMPLE_ARRAYS[sampleType](new ArrayBuffer(byteLength, { maxByteLength: byteLength + 64 }));
    samples.set(values.slice(firstRow * columns, (firstRow + rowCount) * columns));
    return { firstRow, rowCount, samples };
  });
  return { sampleType, rows, columns, segments };
}

interface Case {
  type: IntegerType;
  integers: SourceData;
  floats: PlaneData;
  window: Window;
}

function twins(type: IntegerType, columns: number, bounds: number[], values: number[]): Omit<Case, 'window'> {
  const floats = planeOf('float32', columns, bounds, values) as PlaneData;
  return { type, integers: planeOf(type, columns, bounds, values), floats };
}

/** A plane of one to three segments, with the extremes of its type, and a window of it. */
const cases = fc
  .tuple(fc.constantFrom(...TYPES), fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 9 }))
  .chain(([type, rows, columns]) => {
    const { min, max } = LIMITS[type];
    return fc.record({
      type: fc.constant(type),
      size: fc.constant([rows, columns] as const),
      values: fc.array(fc.oneof(fc.integer({ min, max }), fc.constantFrom(min, max, 0, 1)), {
        minLength: rows * columns,
        maxLength: rows * columns,
      }),
      cuts: fc.uniqueArray(fc.integer({ min: 1, max: rows }), { maxLength: 2 }),
      first: fc.tuple(fc.integer({ min: 0, max: rows - 1 }), fc.integer({ min: 0, max: columns - 1 })),
      more: fc.tuple(fc.nat(), fc.nat()),
    });
  })
  .map(({ type, size: [rows, columns], values, cuts, first: [firstRow, firstColumn], more }): Case => {
    const bounds = [0, ...cuts.filter((cut) => cut < rows).sort((a, b) => a - b)];
    const endRow = firstRow + 1 + (more[0] % (rows - firstRow));
    const endColumn = firstColumn + 1 + (more[1] % (columns - firstColumn));
    return { ...twins(type, columns, bounds, values), window: { firstRow, endRow, firstColumn, endColumn } };
  });

/** Values that are not in the order of their places, with the extremes of the type. */
function mixed(type: IntegerType, count: number): number[] {
  const { min, max } = LIMITS[type];
  return Array.from({ length: count }, (_, i) => {
    if (i % 1009 === 0) return i % 2 === 0 ? min : max;
    return min + ((Math.imul(i, 2_654_435_761) >>> 8) % Math.ceil((max - min) / 3));
  });
}

/** Planes of many pieces, groups and slices, and one whose rows are longer than a piece. Their pieces have odd sizes. */
const large: Case[] = [
  ...TYPES.map((type) => ({
    ...twins(type, 517, [0, 700, 701, 1999], mixed(type, 2100 * 517)),
    window: { firstRow: 3, endRow: 2099, firstColumn: 1, endColumn: 516 },
  })),
  {
    ...twins('int16', 70_003, [0, 1], mixed('int16', 3 * 70_003)),
    window: { firstRow: 0, endRow: 3, firstColumn: 2, endColumn: 70_003 },
  },
];

function check(compute: (data: SourceData, one: Case) => unknown): void {
  const isSame = (one: Case) => isDeepStrictEqual(compute(one.integers, one), compute(one.floats, one));
  for (const one of large) expect(isSame(one), one.type).toBe(true);
  fc.assert(fc.property(cases, isSame));
}

const wholeRow = ({ window }: Case) => ({ ...window, endRow: window.firstRow + 1 });

describe('planes of integers', () => {
  const percents = [0, 0.1, 1, 12.5, 50, 99.9, 100];

  it('have the statistics of float32, also of one row', () => {
    const order = { percents, bins: 256, range: undefined };
    check((data, one) => [one.window, wholeRow(one)].map((window) => run(statistics(data, window, order))));
  });

  it.each([
    [-40, 200],
    [0, 0],
    [100.25, 60_000.75],
    [-1e6, 1e6],
  ] as const)('have the histograms of float32 from %s to %s', (...range) => {
    const orders = [1, 7, 4096].map((bins) => ({ percents: [], bins, range }));
    check((data, { window }) => orders.map((order) => run(statistics(data, window, order))));
  });

  it('have the statistics of float32 without percentiles and histogram', () => {
    check((data, { window }) => run(statistics(data, window, { percents: [], bins: undefined, range: undefined })));
  });

  it('have the overviews of float32, with groups and without', () => {
    const sizes = [
      [1, 1],
      [2, 3],
      [40, 200],
      [1000, 100],
    ] as const;
    check((data, { window }) =>
      sizes.map(([h, w]) => {
        const height = Math.min(h, window.endRow - window.firstRow);
        const width = Math.min(w, window.endColumn - window.firstColumn);
        const groups = usesGroups(window, height) ? groupsOf(data) : undefined;
        return [overview(data, window, { height, width }), overview(data, window, { height, width }, groups)].map(run);
      }),
    );
  });

  it('have the traces of float32', () => {
    for (const statistic of ['mean', 'min', 'max'] as const) {
      for (const every of [1, 3]) {
        check((data, { window: { firstColumn, endColumn } }) => {
          const regions = [
            { first: firstColumn, end: endColumn },
            { first: 0, end: 1 },
          ];
          return run(lineTraces(data, regions, { every, statistic }));
        });
      }
    }
  });

  it('have the traces of float32 along planes, also of runs of pixels', () => {
    check((data, { window }) => {
      const runs = [[window.firstRow, window.firstColumn, window.endColumn]];
      const traces = new PlaneTraces([window, { ...window, runs }], 2, { every: 1, statistic: 'mean' });
      for (let i = 0; i < 2; i++) run(traces.add(data));
      return traces.values;
    });
  });

  it('have the profiles of float32', () => {
    check((data, { window: { firstRow, endRow, firstColumn, endColumn } }): MeasuredProfile => {
      const axes = [
        { step: 0.5, unit: 'µm' },
        { step: 2, unit: 'µm' },
      ] as never;
      const points = [
        [firstRow, firstColumn],
        [endRow + 0.5, endColumn - 0.25],
      ] as const;
      return run(measuredProfile(data, { points, width: 3, axes }));
    });
  });

  it('have the windows of float32', () => {
    check((data, { window: { firstRow, endRow, firstColumn, endColumn } }) =>
      [1, 3].map((step) => {
        const rows = Math.ceil((endRow - firstRow) / step);
        const columns = Math.ceil((endColumn - firstColumn) / step);
        return copyGrid(data, { firstRow, rows, rowStep: step, firstColumn, columns, columnStep: step }, 'float32');
      }),
    );
  });
});

describe('statistics of integers', () => {
  const whole = ({ integers: { rows, columns } }: { integers: SourceData }) => wholePlane({ rows, columns });

  it.each(TYPES)('have the extremes of %s, of any number of samples', (type) => {
    for (const value of Object.values(LIMITS[type])) {
      for (const count of [1, 2, 3, 16_384, 16_385, 16_386, 16_387, 65_537]) {
        const one = twins(type, count, [0], new Array<number>(count).fill(value));
        const order = { percents: [0, 50, 100], bins: 2, range: undefined };
        const { percentiles, histogram, ...rest } = run(statistics(one.integers, whole(one), order));
        expect(rest).toMatchObject({ finite: count, nan: 0, min: value, max: value, mean: value, std: 0 });
        expect(rest.sum).toBe(value * count);
        expect(percentiles.map((entry) => entry.value)).toEqual([value, value, value]);
        expect(histogram).toEqual({
          ...{ edges: [value - 0.5, value, value + 0.5], counts: [0, count] },
          ...{ below: 0, above: 0 },
        });
      }
    }
  });

  it('have the mean and the deviation that are nearest to the exact ones, wherever the first rows are', () => {
    const order = { percents: [], bins: undefined, range: undefined };
    for (const [type, low, high] of [
      ['uint16', 0, 65_534],
      ['int16', -32_768, 32_766],
    ] as const) {
      const values = Array.from({ length: 120_000 }, (_, i) => (i < 20_000 ? low : high + (i % 2)));
      const one = twins(type, 1000, [0, 50], values);
      for (const window of [whole(one), { ...whole(one), endRow: 12 }, { ...whole(one), firstRow: 19, endRow: 32 }]) {
        const part = values.slice(1000 * window.firstRow, 1000 * window.endRow).map(BigInt);
        const count = BigInt(part.length);
        const sum = part.reduce((total, value) => total + value);
        const squares = part.reduce((total, value) => total + value * value, 0n);
        const std = Math.sqrt(Number(count * squares - sum * sum)) / part.length;
        const expected = { mean: Number(sum) / part.length, std, sum: Number(sum) };
        for (const data of [one.integers, one.floats]) {
          expect(run(statistics(data, window, order))).toMatchObject(expected);
        }
      }
    }
  });

  it('have moments that are as exact as float64, however many samples there are', () => {
    const counts = new Uint32Array(65_536);
    counts.set([2 ** 31], 0);
    counts.set([2 ** 31 - 1], 65_535);
    const count = 2n ** 32n - 1n;
    const sum = (2n ** 31n - 1n) * 65_535n;
    const squares = sum * 65_535n;
    const { mean, std, ...rest } = momentsOfCounts({ least: 0, counts });
    expect(rest).toMatchObject({ finite: Number(count), sum: Number(sum), min: 0, max: 65_535 });
    expect(mean).toBe(Number(sum) / Number(count));
    // The square of the deviation times that of the count.
    const expected = Math.sqrt(Number(count * squares - sum * sum)) / Number(count);
    expect(Math.abs(std - expected) / expected).toBeLessThan(2 ** -52);
  });

  it('have the percentiles of numpy, also where their place is rounded', () => {
    for (const [percent, count, value] of [
      [0.1, 4, 0.003],
      [7, 4, 0.210_000_000_000_000_02],
      [12.3, 6, 0.615_000_000_000_000_1],
      [57, 6, 2.849_999_999_999_999_6],
    ] as const) {
      const one = twins('uint8', count, [0], [...new Array(count).keys()]);
      const order = { percents: [percent], bins: undefined, range: undefined };
      expect(run(statistics(one.integers, whole(one), order)).percentiles).toEqual([{ percent, value }]);
    }
  });

  it('are computed in one pass, in slices of some million samples', () => {
    const order = { percents: [1, 50, 99], bins: 256, range: undefined };
    for (const one of large.slice(0, 4)) {
      const slices = (data: SourceData) => [...statistics(data, whole(one), order)].length;
      expect([slices(one.integers), slices(one.floats)]).toEqual([1, 4]);
    }
  });

  it('take the memory of their tables, and none for few samples', () => {
    const order = { percents: [1, 50, 99], bins: undefined, range: undefined };
    const bytes = (data: SourceData, samples: number) =>
      statisticsBytes(data, { firstRow: 0, endRow: 1, firstColumn: 0, endColumn: samples }, order);
    for (const { integers, floats } of large.slice(0, 4)) {
      expect([bytes(integers, 16_385), bytes(floats, 16_385)]).toEqual([3 * 4 * 65_536, 9 * 4 * 65_536]);
      expect([bytes(integers, 16_384), bytes(floats, 16_384)]).toEqual([65_536, 65_536]);
    }
    expect(statisticsBytes(large[0]!.floats, large[0]!.window, { ...order, percents: [] })).toBe(0);
  });
});

/** The plane of groups, as the server computes it. */
function groupsOf(data: SourceData): PlaneData {
  const { columns } = data;
  const rows = groupPlaneRows(data.rows);
  const samples = new Float32Array(rows * columns);
  run(reduceToGroups(data, (row, part) => samples.set(part, row * columns)));
  return { sampleType: 'float32', rows, columns, segments: [{ firstRow: 0, rowCount: rows, samples }] };
}
