/** Overviews of planes that are not kept, beside those of the same planes in memory. */

import { describe, expect, it } from 'vitest';
import { type OverviewGrid, overview, usesGroups } from '../../../packages/readers/src/derive/analysis/overview.js';
import { OverviewTarget } from '../../../packages/readers/src/derive/analysis/overview-target.js';
import { groupPlaneRows, reduceToGroups } from '../../../packages/readers/src/derive/analysis/row-groups.js';
import type { PlaneData } from '../../../packages/readers/src/model/samples/plane-data.js';
import { Float32Target } from '../../../packages/readers/src/model/samples/plane-target.js';
import {
  allocateSamples,
  type SampleArray,
  type SampleType,
} from '../../../packages/readers/src/model/samples/types.js';
import { KernelHost } from '../../../packages/readers/src/simd/kernels.js';
import { openTiff } from '../../../packages/readers/src/tiff/parse.js';
import { readPageSample } from '../../../packages/readers/src/tiff/read-page.js';
import { CountingSource } from '../../support/counting-source.js';
import fc from '../../support/fast-check.js';
import { writeTiff } from '../../writers/tiff.js';

const host = new KernelHost();

function run<T>(computation: Generator<void, T>): T {
  for (;;) {
    const { done, value } = computation.next();
    if (done) return value;
  }
}

function toPlane(rows: number, columns: number, samples: Float32Array): PlaneData {
  return { sampleType: 'float32', rows, columns, segments: [{ firstRow: 0, rowCount: rows, samples }] };
}

/** The overview as it is computed from a plane in memory. */
function near(samples: SampleArray, columns: number, grid: OverviewGrid): Float32Array {
  const rows = samples.length / columns;
  const target = new Float32Target(rows, columns);
  target.put({ samples, offset: 0, rowStride: columns, columnStride: 1 }, 0, 0, rows, columns);
  const data = toPlane(rows, columns, target.data);
  const groups = new Float32Array(groupPlaneRows(rows) * columns);
  run(reduceToGroups(data, (row, part) => groups.set(part, row * columns)));
  const plane = usesGroups(grid.window, grid.height) ? toPlane(groupPlaneRows(rows), columns, groups) : undefined;
  return run(overview(data, grid.window, grid, plane));
}

interface Layout {
  /** Rows and columns of the pieces in which the plane is put. */
  pieceRows: number;
  pieceColumns: number;
  isBackwards?: boolean;
  sampleType: SampleType;
}

/** The overview as it is computed while a reader puts the plane; `parts`: how many read a part of the cells each. */
function far(samples: SampleArray, columns: number, grid: OverviewGrid, { sampleType, ...layout }: Layout, parts = 1) {
  const rows = samples.length / columns;
  const { pieceRows, pieceColumns, isBackwards } = layout;
  const pieces: [row: number, column: number][] = [];
  for (let r = 0; r < rows; r += pieceRows) for (let c = 0; c < columns; c += pieceColumns) pieces.push([r, c]);
  if (isBackwards) pieces.reverse();
  const out = new Float32Array(3 * grid.height * grid.width);
  let peakBytes = 0;
  for (let i = 0; i < parts; i++) {
    const [first, end] = [i, i + 1].map((k) => Math.floor((k * grid.height) / parts)) as [number, number];
    const part = { ...grid, cells: { first, count: end - first } };
    const target = new OverviewTarget({ rows, columns }, part, { host, sampleType });
    for (const [r, c] of pieces) {
      const [height, width] = [Math.min(pieceRows, rows - r), Math.min(pieceColumns, columns - c)];
      if (!target.wants(r, height)) continue;
      target.put({ samples, offset: r * columns + c, rowStride: columns, columnStride: 1 }, r, c, height, width);
    }
    const cells = target.finish();
    if (!cells) return undefined;
    for (let k = 0; k < 3; k++) {
      const part = cells.subarray((k * cells.length) / 3, ((k + 1) * cells.length) / 3);
      out.set(part, (k * grid.height + first) * grid.width);
    }
    peakBytes = Math.max(peakBytes, target.peakBytes);
  }
  return { out, peakBytes };
}

function make(type: SampleType, length: number, seed: number): SampleArray {
  const samples = allocateSamples(type, length);
  const isFloat = type.startsWith('float');
  for (let i = 0; i < length; i++) {
    const value = ((i + seed) * 7919) % 60_013;
    if (samples instanceof BigUint64Array || samples instanceof BigInt64Array) samples[i] = BigInt(value) << 30n;
    else samples[i] = isFloat ? value / 7 - 3000 : value;
  }
  return samples;
}

const TYPES: readonly SampleType[] = ['uint8', 'int8', 'uint16', 'int16', 'uint32', 'uint64', 'float32', 'float64'];

const plane = fc
  .record({
    type: fc.constantFrom(...TYPES),
    rows: fc.integer({ min: 1, max: 1500 }),
    columns: fc.integer({ min: 1, max: 9 }),
    seed: fc.nat(1000),
    holes: fc.array(fc.nat(10_000), { maxLength: 3 }),
  })
  .chain(({ rows, columns, ...rest }) =>
    fc.record({
      ...{ rows: fc.constant(rows), columns: fc.constant(columns), rest: fc.constant(rest) },
      top: fc.integer({ min: 0, max: rows - 1 }),
      height: fc.integer({ min: 1, max: rows }),
      left: fc.integer({ min: 0, max: columns - 1 }),
      width: fc.integer({ min: 1, max: columns }),
      cells: fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 9 })),
      pieces: fc.tuple(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 9 })),
      parts: fc.integer({ min: 1, max: 3 }),
    }),
  );

describe('an overview of a plane that is not kept', () => {
  it('has every bit of the overview of the plane in memory', () => {
    fc.assert(
      fc.property(plane, ({ rows, columns, rest, top, height, left, width, cells, pieces, parts }) => {
        const samples = make(rest.type, rows * columns, rest.seed);
        if (samples instanceof Float32Array) for (const at of rest.holes) samples[at % samples.length] = Number.NaN;
        const window = {
          ...{ firstRow: top, endRow: Math.min(rows, top + height) },
          ...{ firstColumn: left, endColumn: Math.min(columns, left + width) },
        };
        const grid = {
          window,
          height: Math.min(cells[0], window.endRow - top),
          width: Math.min(cells[1], window.endColumn - left),
        };
        const layout = { pieceRows: pieces[0], pieceColumns: Math.min(columns, pieces[1]), sampleType: rest.type };
        const found = far(samples, columns, grid, layout, Math.min(parts, grid.height));
        expect(new Uint32Array(found!.out.buffer)).toEqual(
          new Uint32Array(near(samples, columns, grid).buffer as ArrayBuffer),
        );
      }),
      { numRuns: 80 },
    );
  });

  it('holds a few rows of a long scan, and of tiles as many as one row of them', () => {
    const [rows, columns] = [40_000, 64];
    const samples = make('uint16', rows * columns, 5);
    const window = { firstRow: 0, endRow: rows, firstColumn: 0, endColumn: columns };
    const grid = { window, height: 100, width: 64 };
    const expected = near(samples, columns, grid);
    const strips = far(samples, columns, grid, { pieceRows: 37, pieceColumns: columns, sampleType: 'uint16' });
    expect(strips!.out).toEqual(expected);
    expect(strips!.peakBytes).toBeLessThan(2e6);
    const tiles = far(samples, columns, grid, { pieceRows: 2048, pieceColumns: 16, sampleType: 'uint16' });
    expect(tiles!.out).toEqual(expected);
    expect(tiles!.peakBytes).toBeLessThan(3e6);
  });

  it('reads the file once', async () => {
    const [rows, columns] = [6000, 512];
    const samples = make('uint16', rows * columns, 3) as Uint16Array;
    const source = new CountingSource(writeTiff({ pages: [{ width: columns, height: rows, samples }] }));
    const file = openTiff(source);
    source.reset();
    const window = { firstRow: 0, endRow: rows, firstColumn: 0, endColumn: columns };
    const grid = { window, height: 40, width: 512 };
    const target = new OverviewTarget({ rows, columns }, grid, { host, sampleType: 'uint16' });
    await readPageSample(file, file.page(0), 0, target);
    expect(target.finish()).toEqual(near(samples, columns, grid));
    // Tags and tables are some hundred bytes.
    expect(source.bytes).toBeLessThan(samples.byteLength + 600);
    expect(target.peakBytes).toBeLessThan(3e6);
  });

  it('is not computed when the rows come in another order and do not fit', () => {
    const [rows, columns] = [60_000, 100];
    const samples = make('uint32', rows * columns, 1);
    const window = { firstRow: 0, endRow: rows, firstColumn: 0, endColumn: columns };
    const grid = { window, height: 100, width: 100 };
    expect(
      far(samples, columns, grid, { pieceRows: 1000, pieceColumns: columns, isBackwards: true, sampleType: 'uint32' }),
    ).toBeUndefined();
  });

  it('has zeros where nothing was put', () => {
    const window = { firstRow: 0, endRow: 100, firstColumn: 0, endColumn: 2 };
    const target = new OverviewTarget(
      { rows: 100, columns: 2 },
      { window, height: 2, width: 1 },
      { host, sampleType: 'uint8' },
    );
    target.put({ samples: new Uint8Array(20).fill(9), offset: 0, rowStride: 2, columnStride: 1 }, 60, 0, 10, 2);
    expect(target.finish()).toEqual(Float32Array.of(0, 0, 0, 9, 0, 1.8));
  });
});
