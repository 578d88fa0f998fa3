import type { PlaneData } from '../planes/plane-data.js';
import { type Window, WindowReader } from './window.js';

/**
 * Reduces a window to `height` × `width` cells. Cell i of the rows has rows ⌊i·R/height⌋ … ⌊(i+1)·R/height⌋ − 1 of the
 * window, and columns likewise, so that every sample is in exactly one cell.
 * @param height 1 to the rows of the window
 * @param width 1 to the columns of the window
 * @returns shape 3 × `height` × `width`: the smallest, the largest and the mean finite sample of each cell; `NaN` where
 * nothing is finite
 */
export function* overview(
  data: PlaneData,
  window: Window,
  { height, width }: { height: number; width: number },
): Generator<void, Float32Array<ArrayBuffer>> {
  const rows = window.endRow - window.firstRow;
  const cells = height * width;
  const out = new Float32Array(3 * cells);
  const line = new CellLine(window.endColumn - window.firstColumn, width);
  const reader = new WindowReader(data, window);
  let cell = 0;
  let cellEnd = window.firstRow + Math.floor(rows / height);
  yield* reader.pieces((row, count) => {
    for (let i = 0; i < count; i++) {
      line.add(reader.samples, i * reader.width);
      if (row + i + 1 < cellEnd) continue;
      line.flush(out, cell * width, cells);
      cell++;
      cellEnd = window.firstRow + Math.floor(((cell + 1) * rows) / height);
    }
  });
  return out;
}

/** The cells of one row of cells, while its samples are passed. */
class CellLine {
  /** Cell of each column. */
  private readonly cellOf: Uint32Array;
  private readonly min: Float64Array;
  private readonly max: Float64Array;
  private readonly sum: Float64Array;
  private readonly count: Float64Array;

  constructor(columns: number, width: number) {
    this.cellOf = new Uint32Array(columns);
    for (let cell = 0; cell < width; cell++) {
      const end = Math.floor(((cell + 1) * columns) / width);
      this.cellOf.fill(cell, Math.floor((cell * columns) / width), end);
    }
    this.min = new Float64Array(width).fill(Number.POSITIVE_INFINITY);
    this.max = new Float64Array(width).fill(Number.NEGATIVE_INFINITY);
    this.sum = new Float64Array(width);
    this.count = new Float64Array(width);
  }

  /** Adds a row of samples. */
  add(samples: Float32Array, offset: number): void {
    const { cellOf, min, max, sum, count } = this;
    for (let column = 0; column < cellOf.length; column++) {
      const sample = samples[offset + column]!;
      if (sample - sample !== 0) continue;
      const cell = cellOf[column]!;
      if (sample < min[cell]!) min[cell] = sample;
      if (sample > max[cell]!) max[cell] = sample;
      sum[cell]! += sample;
      count[cell]!++;
    }
  }

  /** Writes the cells and starts anew. `stride`: samples from one quantity to the next. */
  flush(out: Float32Array, offset: number, stride: number): void {
    for (let cell = 0; cell < this.count.length; cell++) {
      const count = this.count[cell]!;
      const at = offset + cell;
      out[at] = count === 0 ? Number.NaN : this.min[cell]!;
      out[at + stride] = count === 0 ? Number.NaN : this.max[cell]!;
      out[at + 2 * stride] = this.sum[cell]! / count;
    }
    this.min.fill(Number.POSITIVE_INFINITY);
    this.max.fill(Number.NEGATIVE_INFINITY);
    this.sum.fill(0);
    this.count.fill(0);
  }
}
