/** Reads rectangles of a plane for loops over single samples. */
import type { PlaneData } from '../planes/plane-data.js';
import { SLICE_SAMPLES } from './slices.js';

/** Rows `firstRow` … `endRow` − 1 and columns `firstColumn` … `endColumn` − 1 of a plane; never empty. */
export interface Window {
  firstRow: number;
  endRow: number;
  firstColumn: number;
  endColumn: number;
}

/** Samples that are copied at a time. */
const PIECE_SAMPLES = 65_536;

/**
 * Copies a window piece by piece into one fixed buffer. Loops over single samples of the resizable memory that planes are
 * in would be five times slower than over the copy.
 */
export class WindowReader {
  /** Rows of a full piece. */
  readonly pieceRows: number;
  /** Columns of the window: the length of a row of `samples`. */
  readonly width: number;
  /** The rows of the current piece, one after the other. */
  readonly samples: Float32Array<ArrayBuffer>;
  private readonly data: PlaneData;
  private readonly window: Window;

  /** @param maxRows rows of a piece, if fewer than fit in the buffer */
  constructor(data: PlaneData, window: Window, maxRows = Number.POSITIVE_INFINITY) {
    this.data = data;
    this.window = window;
    this.width = window.endColumn - window.firstColumn;
    const fitting = Math.max(1, Math.floor(PIECE_SAMPLES / this.width));
    this.pieceRows = Math.min(fitting, maxRows, window.endRow - window.firstRow);
    this.samples = new Float32Array(this.pieceRows * this.width);
  }

  /** Copies up to `pieceRows` rows from `row` of the plane on. Returns their number, which is 0 after the window. */
  read(row: number): number {
    const end = Math.min(row + this.pieceRows, this.window.endRow);
    for (const segment of this.data.segments) {
      const from = Math.max(row, segment.firstRow);
      const to = Math.min(end, segment.firstRow + segment.rowCount);
      if (from < to) this.copy(segment.samples, from - segment.firstRow, to - segment.firstRow, from - row);
    }
    return Math.max(0, end - row);
  }

  /** Calls `visit` with the first row of each piece of the window and the number of its rows. Yields after each slice. */
  *pieces(visit: (row: number, count: number) => void): Generator<void, void> {
    let passed = 0;
    for (let row = this.window.firstRow; row < this.window.endRow; row += this.pieceRows) {
      const count = this.read(row);
      visit(row, count);
      passed += count * this.width;
      if (passed < SLICE_SAMPLES) continue;
      passed = 0;
      yield;
    }
  }

  private copy(source: Float32Array, from: number, to: number, targetRow: number): void {
    const { columns } = this.data;
    const { firstColumn } = this.window;
    if (this.width === columns) {
      this.samples.set(source.subarray(from * columns, to * columns), targetRow * columns);
      return;
    }
    for (let row = from, at = targetRow * this.width; row < to; row++, at += this.width) {
      const start = row * columns + firstColumn;
      this.samples.set(source.subarray(start, start + this.width), at);
    }
  }
}

/** Returns the window of a whole plane. */
export function wholePlane({ rows, columns }: Pick<PlaneData, 'rows' | 'columns'>): Window {
  return { firstRow: 0, endRow: rows, firstColumn: 0, endColumn: columns };
}
