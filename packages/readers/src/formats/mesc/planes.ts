/** The planes of a unit: one array for each channel. */

import { decodeFailed } from '../../base/errors.js';
import type { Dataset } from '../../hdf5/dataset.js';
import { type DatasetPlane, type DatasetPlanes, datasetPlanes } from '../../hdf5/dataset-planes.js';
import {
  checkPlacement,
  type PlaneTarget,
  type Rectangle,
  type SamplePiece,
} from '../../model/samples/plane-target.js';
import type { LineBox, LineLayout } from './lines.js';

/** Planes of arrays whose first dimensions are `along`, followed by rows and columns. */
export function framePlanes(datasets: readonly Dataset[], along: readonly ('T' | 'Z')[]): DatasetPlanes {
  const index = (axis: 'T' | 'Z') => (along.includes(axis) ? along.indexOf(axis) : undefined);
  const axes = { x: along.length + 1, y: along.length, t: index('T'), z: index('Z'), c: undefined };
  const planes = datasets.map((dataset) => datasetPlanes(dataset, axes));
  return {
    bands: planes[0]?.bands,
    scratchBytes: Math.max(...planes.map(({ scratchBytes }) => scratchBytes)),
    read: async (at, target, signal) => await pick(planes, at.channel).read(at, target, signal),
  };
}

/** Planes of one line of a page, `[1,] rows, columns`: all cycles are one plane, or each is a plane if it has several rows. */
export function linePlanes(datasets: readonly Dataset[], region: LineBox, { rowsPerCycle }: LineLayout): DatasetPlanes {
  const isOne = rowsPerCycle === 1;
  return {
    bands: undefined,
    scratchBytes: Math.max(...datasets.map(({ scratchBytes }) => scratchBytes)),
    read: async ({ channel, t }: DatasetPlane, target, signal) => {
      const dataset = pick(datasets, channel);
      const rank = dataset.shape.length;
      const window = new PageWindow(target, isOne ? 0 : t * rowsPerCycle, region.column);
      const choice = { row: rank - 2, column: rank - 1, at: dataset.shape.map(() => 0) };
      await dataset.readPlane(choice, window, signal);
    },
  };
}

function pick<T>(list: readonly T[], index: number): T {
  const item = list[index];
  if (item === undefined) throw decodeFailed(`channel ${index} is missing`);
  return item;
}

/** A page of which only a part is kept, down to its last row and to its last column. */
class PageWindow implements PlaneTarget {
  readonly rows: number;
  readonly columns: number;
  private readonly part: PlaneTarget;
  private readonly first: { row: number; column: number };

  constructor(part: PlaneTarget, row: number, column: number) {
    this.part = part;
    this.first = { row, column };
    this.rows = row + part.rows;
    this.columns = column + part.columns;
  }

  wants(row: number, rows: number): boolean {
    const { row: from, rows: count } = this.inside({ row, rows, column: 0, columns: this.columns });
    return count > 0 && (this.part.wants?.(from, count) ?? true);
  }

  put(piece: SamplePiece, row: number, column: number, rows: number, columns: number): void {
    checkPlacement(this, row, column, rows, columns);
    const at = this.inside({ row, rows, column, columns });
    if (at.rows <= 0 || at.columns <= 0) return;
    const down = at.row + this.first.row - row;
    const right = at.column + this.first.column - column;
    const offset = piece.offset + down * piece.rowStride + right * piece.columnStride;
    this.part.put({ ...piece, offset }, at.row, at.column, at.rows, at.columns);
  }

  /** Returns what of a rectangle of the page is in the part, from the corner of the part; nothing is a size below 1. */
  private inside({ row, rows, column, columns }: Rectangle): Rectangle {
    const top = Math.max(row, this.first.row);
    const left = Math.max(column, this.first.column);
    return {
      row: top - this.first.row,
      rows: row + rows - top,
      column: left - this.first.column,
      columns: column + columns - left,
    };
  }
}
