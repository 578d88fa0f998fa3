import type { SourceData } from '../../model/samples/plane-data.js';
import { type KernelHost, kernelHost, type ReducedRows } from '../../simd/kernels.js';
import { copyRows, type Window } from './window.js';

/** Samples that are reduced at a time. */
const PIECE_SAMPLES = 65_536;
/** Rows that can be reduced at a time, however wide they are. */
const MIN_ROWS = 48;

/** Rows of a triple: the smallest and the largest samples of other rows, and their sums. */
export const PARTS = 3;

/** Reduces rows of a plane to one: the smallest and the largest sample, and the sum, of each column of a window. */
export class RowReducer {
  /** Max rows at a time; a multiple of 3. */
  readonly maxRows: number;
  /** Columns of the window. */
  readonly width: number;
  private readonly data: SourceData;
  private readonly window: Window;
  private readonly host: KernelHost;
  /** Memory for the loops in TypeScript, when it is needed. */
  private scratch: Float32Array<ArrayBuffer> | undefined;
  private readonly out: ReducedRows;

  constructor(data: SourceData, window: Window, host: KernelHost = kernelHost) {
    this.data = data;
    this.host = host;
    this.window = window;
    this.width = window.endColumn - window.firstColumn;
    this.maxRows = Math.max(MIN_ROWS, PARTS * Math.floor(PIECE_SAMPLES / this.width / PARTS));
    const column = () => new Float32Array(this.width);
    this.out = { min: column(), max: column(), sum: column() };
  }

  /**
   * Reduces up to `maxRows` rows. The result is valid until the next call, and may be longer than the width.
   * @returns `undefined` when a sample or a sum is not finite
   */
  reduce(row: number, rows: number): ReducedRows | undefined {
    return this.run(row, rows, 1);
  }

  /** Like `reduce`, for a plane of triples: rows of other rows that were reduced before. */
  combine(row: number, rows: number): ReducedRows | undefined {
    return this.run(row, rows, PARTS);
  }

  private run(row: number, rows: number, parts: 1 | typeof PARTS): ReducedRows | undefined {
    const { width, data, window, host } = this;
    const kernels = host.forReduce(rows, width);
    if (!kernels) {
      this.scratch ??= new Float32Array(this.maxRows * width);
      copyRows(data, window, { row, rows, out: this.scratch, stride: width });
      return reduceRows(this.scratch, rows, width, this.out, parts) ? this.out : undefined;
    }
    if ((data.sampleType === 'uint8' || data.sampleType === 'uint16') && parts === 1) {
      const { samples, stride } = kernels.reduceShortInput(rows, width);
      copyRows(data, window, { row, rows, out: samples, stride });
      return kernels.reduceShortRows(rows, stride);
    }
    const { samples, stride } = kernels.reduceInput(rows, width);
    for (let i = 0; i < rows && stride > width; i++) samples.fill(0, i * stride + width, (i + 1) * stride);
    copyRows(data, window, { row, rows, out: samples, stride });
    return parts === 1 ? kernels.reduceRows(rows, stride) : kernels.combineRows(rows / PARTS, stride);
  }
}

/**
 * Reduces rows of `width` samples, or triples of rows, into `out`.
 * @returns whether all samples and sums are finite
 */
export function reduceRows(
  samples: Float32Array,
  rows: number,
  width: number,
  out: ReducedRows,
  parts: 1 | typeof PARTS = 1,
): boolean {
  let fault = 0;
  const [toMax, toSum] = parts === 1 ? [0, 0] : [width, 2 * width];
  for (let column = 0; column < width; column++) {
    let min = Number.POSITIVE_INFINITY;
    let max = Number.NEGATIVE_INFINITY;
    let sum = 0;
    for (let row = 0, at = column; row < rows; row += parts, at += parts * width) {
      const added = samples[at + toSum]!;
      fault += added - added;
      if (samples[at]! < min) min = samples[at]!;
      if (samples[at + toMax]! > max) max = samples[at + toMax]!;
      sum += added;
    }
    out.min[column] = min;
    out.max[column] = max;
    out.sum[column] = sum;
    fault += out.sum[column]! - out.sum[column]!;
  }
  return fault === 0;
}
