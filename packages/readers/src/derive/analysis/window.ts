/** Reads rectangles of a plane for loops over single samples. */
import type { SourceData } from '../../model/samples/plane-data.js';
import { isBig, type SampleArray } from '../../model/samples/types.js';
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

/** Samples that a plane is copied to. */
type PieceSamples = Float32Array<ArrayBuffer> | Uint16Array<ArrayBuffer> | Uint8Array<ArrayBuffer>;

/**
 * Copies a window piece by piece into one fixed buffer. Loops over single samples of the resizable memory that planes are
 * in would be five times slower than over the copy.
 */
export class PieceReader<Samples extends PieceSamples> {
  /** Rows of a full piece. */
  readonly pieceRows: number;
  /** Columns of a full piece: all of the window, unless it is wider than a piece. */
  readonly width: number;
  /** The rows of the current piece, one after the other. */
  readonly samples: Samples;
  private readonly data: SourceData;
  private readonly window: Window;

  /**
   * @param allocate returns memory for some samples
   * @param maxRows rows of a piece, if fewer than fit in the buffer
   * @param wholeRows pieces have all columns, however wide the window is
   */
  constructor(
    data: SourceData,
    window: Window,
    allocate: (length: number) => Samples,
    { maxRows = Number.POSITIVE_INFINITY, wholeRows = false } = {},
  ) {
    this.data = data;
    this.window = window;
    const columns = window.endColumn - window.firstColumn;
    this.width = wholeRows ? columns : Math.min(columns, PIECE_SAMPLES);
    const fitting = Math.max(1, Math.floor(PIECE_SAMPLES / this.width));
    this.pieceRows = Math.min(fitting, maxRows, window.endRow - window.firstRow);
    this.samples = allocate(this.pieceRows * this.width);
  }

  /**
   * Copies up to `pieceRows` rows from `row` of the plane on, and up to `width` columns from `column` on. Returns the number of
   * rows, which is 0 after the window.
   */
  read(row: number, column = this.window.firstColumn): number {
    const end = Math.min(row + this.pieceRows, this.window.endRow);
    const rows = Math.max(0, end - row);
    const columns = { firstColumn: column, endColumn: Math.min(column + this.width, this.window.endColumn) };
    const stride = columns.endColumn - column;
    copyRows(this.data, columns, { row, rows, out: this.samples, stride });
    return rows;
  }

  /**
   * Calls `visit` with the numbers of rows and columns of each piece of the window, and its first column and row. Pieces of some
   * rows follow each other from left to right. Yields after each slice.
   * @param uses how often `visit` passes each sample, on average
   */
  *pieces(
    visit: (rows: number, columns: number, firstColumn: number, firstRow: number) => void,
    uses = 1,
  ): Generator<void, void> {
    const { firstRow, endRow, firstColumn, endColumn } = this.window;
    let passed = 0;
    for (let row = firstRow; row < endRow; row += this.pieceRows) {
      for (let column = firstColumn; column < endColumn; column += this.width) {
        const columns = Math.min(this.width, endColumn - column);
        const rows = this.read(row, column);
        visit(rows, columns, column, row);
        passed += rows * columns * uses;
        if (passed < SLICE_SAMPLES) continue;
        passed = 0;
        yield;
      }
    }
  }
}

/** Reads a window as float32. */
export class WindowReader extends PieceReader<Float32Array<ArrayBuffer>> {
  constructor(data: SourceData, window: Window, options?: { maxRows?: number; wholeRows?: boolean }) {
    super(data, window, (length) => new Float32Array(length), options);
  }
}

/**
 * Copies rows of a plane, the columns of a window only.
 * @param to `stride` is the distance of rows in `out`, in samples
 */
export function copyRows(
  { columns, segments }: SourceData,
  { firstColumn, endColumn }: Pick<Window, 'firstColumn' | 'endColumn'>,
  { row, rows, out, stride }: { row: number; rows: number; out: PieceSamples; stride: number },
): void {
  const width = endColumn - firstColumn;
  const isRun = width === columns && stride === columns;
  for (const { firstRow, rowCount, samples } of segments) {
    const from = Math.max(row, firstRow);
    const to = Math.min(row + rows, firstRow + rowCount);
    if (from >= to) continue;
    if (isRun) {
      copy(samples.subarray((from - firstRow) * columns, (to - firstRow) * columns), out, (from - row) * columns);
      continue;
    }
    for (let r = from; r < to; r++) {
      const start = (r - firstRow) * columns + firstColumn;
      copy(samples.subarray(start, start + width), out, (r - row) * stride);
    }
  }
}

function copy(samples: SampleArray, out: PieceSamples, at: number): void {
  if (isBig(samples)) throw new TypeError('integers of 64 bits are reduced as float32');
  out.set(samples, at);
}

/** Returns the number of samples of a window. */
export function sampleCount({ firstRow, endRow, firstColumn, endColumn }: Window): number {
  return (endRow - firstRow) * (endColumn - firstColumn);
}

/** Returns the window of a whole plane. */
export function wholePlane({ rows, columns }: Pick<SourceData, 'rows' | 'columns'>): Window {
  return { firstRow: 0, endRow: rows, firstColumn: 0, endColumn: columns };
}
