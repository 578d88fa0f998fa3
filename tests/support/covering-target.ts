import type { PlaneTarget, SamplePiece } from '../../packages/readers/src/model/samples/plane-target.js';

/** A target that keeps no samples but knows whether every one of them was put, once. */
export class CoveringTarget implements PlaneTarget {
  readonly rows: number;
  readonly columns: number;
  private readonly seen: Uint8Array;
  private count = 0;

  constructor(rows: number, columns: number) {
    this.rows = rows;
    this.columns = columns;
    this.seen = new Uint8Array(rows * columns);
  }

  /** Every sample was put. */
  get complete(): boolean {
    return this.count === this.seen.length;
  }

  put(piece: SamplePiece, row: number, column: number, rows: number, columns: number): void {
    const last = piece.offset + (rows - 1) * piece.rowStride + (columns - 1) * piece.columnStride;
    if (row < 0 || column < 0 || row + rows > this.rows || column + columns > this.columns) {
      throw new RangeError(`piece ${rows}×${columns} at (${row}, ${column}) is outside the plane`);
    }
    if (last >= piece.samples.length) throw new RangeError('the piece is shorter than it claims');
    for (let y = row; y < row + rows; y++) {
      for (let x = column; x < column + columns; x++) {
        const at = y * this.columns + x;
        if (this.seen[at] === 0) this.count++;
        this.seen[at] = 1;
      }
    }
  }
}
