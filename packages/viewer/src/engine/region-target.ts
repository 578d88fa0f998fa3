import type { Window } from '@acquisition-store/readers/derive/analysis/window.js';
import {
  copyPiece,
  type PlaneTarget,
  type SamplePiece,
} from '@acquisition-store/readers/model/samples/plane-target.js';
import { allocateSamples, type SampleArray, type SampleType } from '@acquisition-store/readers/model/samples/types.js';

/** Receives a plane, and keeps a part of it: planes that are too large for the page are read part by part. */
export class RegionTarget implements PlaneTarget {
  readonly rows: number;
  readonly columns: number;
  readonly data: SampleArray;
  private readonly window: Window;

  constructor(type: SampleType, { rows, columns }: { rows: number; columns: number }, window: Window) {
    this.rows = rows;
    this.columns = columns;
    this.window = window;
    this.data = allocateSamples(type, (window.endRow - window.firstRow) * (window.endColumn - window.firstColumn));
  }

  wants(row: number, rows: number): boolean {
    return row < this.window.endRow && row + rows > this.window.firstRow;
  }

  put(piece: SamplePiece, row: number, column: number, rows: number, columns: number): void {
    const { firstRow, endRow, firstColumn, endColumn } = this.window;
    const [top, bottom] = [Math.max(row, firstRow), Math.min(row + rows, endRow)];
    const [left, right] = [Math.max(column, firstColumn), Math.min(column + columns, endColumn)];
    if (top >= bottom || left >= right) return;
    const width = endColumn - firstColumn;
    const offset = piece.offset + (top - row) * piece.rowStride + (left - column) * piece.columnStride;
    const at = (top - firstRow) * width + left - firstColumn;
    copyPiece({ ...piece, offset }, this.data, at, width, bottom - top, right - left);
  }
}
