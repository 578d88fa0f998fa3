import type { ReducedRows } from '../../simd/kernels.js';

/** The cells of one row of cells, while its samples are passed. */
export class CellLine {
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

  /** Adds `rows` rows of finite samples that were reduced to one. */
  addReduced({ min, max, sum }: ReducedRows, rows: number): void {
    const { cellOf } = this;
    for (let column = 0; column < cellOf.length; column++) {
      const cell = cellOf[column]!;
      if (min[column]! < this.min[cell]!) this.min[cell] = min[column]!;
      if (max[column]! > this.max[cell]!) this.max[cell] = max[column]!;
      this.sum[cell]! += sum[column]!;
      this.count[cell]! += rows;
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
