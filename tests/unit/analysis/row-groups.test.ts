/** Overviews by groups of rows, beside naive ones; the vector loop beside the loop in TypeScript. */

import { describe, expect, it } from 'vitest';
import { overview, usesGroups } from '../../../packages/readers/src/derive/analysis/overview.js';
import { groupPlaneRows, reduceToGroups } from '../../../packages/readers/src/derive/analysis/row-groups.js';
import { RowReducer, reduceRows } from '../../../packages/readers/src/derive/analysis/row-reducer.js';
import { type Window, wholePlane } from '../../../packages/readers/src/derive/analysis/window.js';
import type { PlaneData } from '../../../packages/readers/src/model/samples/plane-data.js';
import fc from '../../support/fast-check.js';

function run<T>(computation: Generator<void, T>): T {
  for (;;) {
    const { done, value } = computation.next();
    if (done) return value;
  }
}

function toPlane(rows: number, columns: number, samples: Float32Array, cut = rows): PlaneData {
  const segments = [
    { firstRow: 0, rowCount: cut, samples: samples.subarray(0, cut * columns) },
    { firstRow: cut, rowCount: rows - cut, samples: samples.subarray(cut * columns) },
  ].filter(({ rowCount }) => rowCount > 0);
  return { sampleType: 'float32', rows, columns, segments };
}

function groupsOf(data: PlaneData): PlaneData {
  const rows = groupPlaneRows(data.rows);
  const samples = new Float32Array(rows * data.columns);
  run(reduceToGroups(data, (row, part) => samples.set(part, row * data.columns)));
  return toPlane(rows, data.columns, samples);
}

/** Smallest, largest and mean finite sample of each cell. */
function naive(samples: Float32Array, columns: number, window: Window, height: number, width: number): number[][] {
  const [rows, across] = [window.endRow - window.firstRow, window.endColumn - window.firstColumn];
  const cells: number[][] = [];
  for (let i = 0; i < height; i++) {
    for (let j = 0; j < width; j++) {
      const values: number[] = [];
      for (let r = Math.floor((i * rows) / height); r < Math.floor(((i + 1) * rows) / height); r++) {
        for (let c = Math.floor((j * across) / width); c < Math.floor(((j + 1) * across) / width); c++) {
          values.push(samples[(window.firstRow + r) * columns + window.firstColumn + c]!);
        }
      }
      const finite = values.filter(Number.isFinite);
      const mean = finite.reduce((sum, value) => sum + value, 0) / finite.length;
      cells.push(
        finite.length > 0 ? [Math.min(...finite), Math.max(...finite), mean] : [Number.NaN, Number.NaN, Number.NaN],
      );
    }
  }
  return cells;
}

function check(samples: Float32Array, columns: number, window: Window, height: number, width: number): void {
  const data = toPlane(samples.length / columns, columns, samples, 37);
  const cells = height * width;
  for (const groups of [undefined, groupsOf(data)]) {
    const found = run(overview(data, window, { height, width }, groups));
    for (const [i, [min, max, mean]] of naive(samples, columns, window, height, width).entries()) {
      expect([found[i], found[i + cells]]).toEqual([min, max]);
      const error = Math.abs(found[i + 2 * cells]! - mean!);
      if (Number.isNaN(mean)) expect(found[i + 2 * cells]).toBeNaN();
      else expect(error).toBeLessThanOrEqual(1e-6 * Math.max(Math.abs(min!), Math.abs(max!)));
    }
  }
}

describe('an overview by groups of rows', () => {
  const [rows, columns] = [500, 7];
  const samples = Float32Array.from({ length: rows * columns }, (_, i) => ((i * 7919) % 4001) - 2000.25);

  it.each([
    [{ firstRow: 0, endRow: 500, firstColumn: 0, endColumn: 7 }, 3, 7],
    [{ firstRow: 0, endRow: 500, firstColumn: 0, endColumn: 7 }, 15, 2],
    [{ firstRow: 5, endRow: 491, firstColumn: 2, endColumn: 6 }, 7, 4],
    [{ firstRow: 0, endRow: 500, firstColumn: 3, endColumn: 4 }, 1, 1],
    [{ firstRow: 17, endRow: 49, firstColumn: 0, endColumn: 7 }, 1, 7],
  ])('is that of all samples: %j, %d × %d', (window, height, width) => {
    check(samples, columns, window, height, width);
  });

  it('leaves out samples that are not finite, wherever they are', () => {
    const holed = samples.slice();
    for (const at of [0, 3, 1400, 1401, 3499]) holed[at] = Number.NaN;
    holed[2000] = Infinity;
    holed.fill(Number.NaN, 112 * 7, 176 * 7);
    check(holed, columns, { firstRow: 0, endRow: rows, firstColumn: 0, endColumn: columns }, 10, 7);
  });

  it('does not lose a mean whose sum is beyond float32', () => {
    const huge = new Float32Array(rows * columns).fill(3e38);
    check(huge, columns, { firstRow: 0, endRow: rows, firstColumn: 0, endColumn: columns }, 4, 3);
  });

  it('is used when it saves most of the work', () => {
    const window = { firstRow: 0, endRow: 3200, firstColumn: 0, endColumn: 1 };
    expect([usesGroups(window, 100), usesGroups(window, 101)]).toEqual([true, false]);
  });
});

describe('rows of a plane', () => {
  it('are reduced by vectors as by the loop', () => {
    const sample = fc.oneof(fc.float({ noNaN: true }), fc.constantFrom(Number.NaN, Infinity, -Infinity, 0));
    const cases = fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 11 })).chain(([rows, columns]) =>
      fc.record({
        columns: fc.constant(columns),
        samples: fc.array(sample, { minLength: rows * columns, maxLength: rows * columns }),
        finiteOnly: fc.boolean(),
      }),
    );
    fc.assert(
      fc.property(cases, ({ columns, samples, finiteOnly }) => {
        const values = Float32Array.from(samples, (value) => (finiteOnly && !Number.isFinite(value) ? 1 : value));
        const rows = values.length / columns;
        const data = toPlane(rows, columns, values);
        const out = { min: new Float32Array(columns), max: new Float32Array(columns), sum: new Float32Array(columns) };
        const byLoop = reduceRows(values, rows, columns, out) ? out : undefined;
        const reduced = new RowReducer(data, wholePlane(data)).reduce(0, rows);
        expect(reduced === undefined).toBe(byLoop === undefined);
        if (!reduced || !byLoop) return;
        for (const name of ['min', 'max', 'sum'] as const) {
          // 0 and −0 are equal here.
          expect([...reduced[name].subarray(0, columns)].map((v) => v + 0)).toEqual(
            [...byLoop[name]].map((v) => v + 0),
          );
        }
      }),
    );
  });
});
