import type { PlaneData } from '../planes/plane-data.js';
import { kernelHost, type ReducedRows } from '../simd/kernels.js';
import { copyRows, type Window } from './window.js';

/** Samples that are reduced at a time. */
const PIECE_SAMPLES = 65_536;
/** Rows that can be reduced at a time, however wide they are. */
export const MIN_ROWS = 16;

/** Reduces rows of a plane to one: the smallest and the largest sample, and the sum, of each column of a window. */
export class RowReducer {
  /** Max rows at a time. */
  readonly maxRows: number;
  /** Columns of the window. */
  readonly width: number;
  private readonly data: PlaneData;
  private readonly window: Window;
  /** Memory for the loop in TypeScript, when it is needed. */
  private scratch: Float32Array<ArrayBuffer> | undefined;
  private readonly out: ReducedRows;

  constructor(data: PlaneData, window: Window) {
    this.data = data;
    this.window = window;
    this.width = window.endColumn - window.firstColumn;
    this.maxRows = Math.max(MIN_ROWS, Math.floor(PIECE_SAMPLES / this.width));
    const column = () => new Float32Array(this.width);
    this.out = { min: column(), max: column(), sum: column() };
  }

  /**
   * Reduces up to `maxRows` rows. The result is valid until the next call, and may be longer than the width.
   * @returns `undefined` when a sample or a sum is not finite
   */
  reduce(row: number, rows: number): ReducedRows | undefined {
    const kernels = kernelHost.forReduce(rows, this.width);
    if (!kernels) return this.reduceByLoop(row, rows);
    const { samples, stride } = kernels.reduceInput(rows, this.width);
    for (let i = 0; i < rows && stride > this.width; i++) samples.fill(0, i * stride + this.width, (i + 1) * stride);
    copyRows(this.data, this.window, { row, rows, out: samples, stride });
    return kernels.reduceRows(rows, stride);
  }

  private reduceByLoop(row: number, rows: number): ReducedRows | undefined {
    const { width } = this;
    this.scratch ??= new Float32Array(this.maxRows * width);
    copyRows(this.data, this.window, { row, rows, out: this.scratch, stride: width });
    return reduceRows(this.scratch, rows, width, this.out) ? this.out : undefined;
  }
}

/** Reduces rows of `width` samples into `out`. Returns whether all of them, and the sums, are finite. */
export function reduceRows(samples: Float32Array, rows: number, width: number, out: ReducedRows): boolean {
  let fault = 0;
  for (let column = 0; column < width; column++) {
    let min = Number.POSITIVE_INFINITY;
    let max = Number.NEGATIVE_INFINITY;
    let sum = 0;
    for (let row = 0, at = column; row < rows; row++, at += width) {
      const sample = samples[at]!;
      fault += sample - sample;
      if (sample < min) min = sample;
      if (sample > max) max = sample;
      sum += sample;
    }
    out.min[column] = min;
    out.max[column] = max;
    out.sum[column] = sum;
    fault += out.sum[column]! - out.sum[column]!;
  }
  return fault === 0;
}
