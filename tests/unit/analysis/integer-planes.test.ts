/** Planes of integers of 8 and 16 bits beside the same numbers in float32: every result is equal to the bit. */

import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type MeasuredProfile, measuredProfile } from '../../../packages/client/src/answers/profile.js';
import { statistics } from '../../../packages/client/src/answers/statistics.js';
import { overview, usesGroups } from '../../../packages/readers/src/derive/analysis/overview.js';
import { groupPlaneRows, reduceToGroups } from '../../../packages/readers/src/derive/analysis/row-groups.js';
import { lineTraces, PlaneTraces } from '../../../packages/readers/src/derive/analysis/traces.js';
import type { Window } from '../../../packages/readers/src/derive/analysis/window.js';
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

/** Planes of many pieces, steps, groups and slices, of values that are not in the order of their places. */
const large = TYPES.map((type): Case => {
  const [rows, columns] = [2100, 517];
  const { min, max } = LIMITS[type];
  const values = Array.from({ length: rows * columns }, (_, i) => {
    if (i % 1009 === 0) return i % 2 === 0 ? min : max;
    return min + ((Math.imul(i, 2_654_435_761) >>> 8) % Math.ceil((max - min) / 3));
  });
  const window = { firstRow: 3, endRow: rows - 1, firstColumn: 1, endColumn: columns };
  return { ...twins(type, columns, [0, 700, 701, 1999], values), window };
});

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

/** The plane of groups, as the server computes it. */
function groupsOf(data: SourceData): PlaneData {
  const { columns } = data;
  const rows = groupPlaneRows(data.rows);
  const samples = new Float32Array(rows * columns);
  run(reduceToGroups(data, (row, part) => samples.set(part, row * columns)));
  return { sampleType: 'float32', rows, columns, segments: [{ firstRow: 0, rowCount: rows, samples }] };
}
