import type { PlaneData } from '../planes/plane-data.js';
import type { ReducedRows } from '../simd/kernels.js';
import { BLOCK_ROWS } from './row-blocks.js';
import { PARTS, RowReducer } from './row-reducer.js';
import { SLICE_SAMPLES } from './slices.js';
import { type Window, WindowReader } from './window.js';

/** Blocks pay when a cell has this many rows. */
const MIN_CELL_ROWS = 32;

/** True when an overview of these sizes is faster with the plane of blocks; see `reduceToBlocks`. */
export function usesBlocks({ firstRow, endRow }: Window, height: number): boolean {
  return endRow - firstRow >= MIN_CELL_ROWS * height;
}

/**
 * Reduces a window to `height` × `width` cells. Cell i of the rows has rows ⌊i·R/height⌋ … ⌊(i+1)·R/height⌋ − 1 of the
 * window, and columns likewise, so that every sample is in exactly one cell.
 * @param height 1 to the rows of the window
 * @param width 1 to the columns of the window
 * @param blocks the plane of blocks
 * @returns shape 3 × `height` × `width`: the smallest, the largest and the mean finite sample of each cell; `NaN` where
 * nothing is finite
 */
export function* overview(
  data: PlaneData,
  window: Window,
  { height, width }: { height: number; width: number },
  blocks?: PlaneData,
): Generator<void, Float32Array<ArrayBuffer>> {
  const rows = window.endRow - window.firstRow;
  const cells = height * width;
  const out = new Float32Array(3 * cells);
  const line = new CellLine(window.endColumn - window.firstColumn, width);
  const steps = new OverviewSteps(data, window, line, blocks);
  let passed = 0;
  let row = window.firstRow;
  for (let cell = 0; cell < height; cell++) {
    const end = window.firstRow + Math.floor(((cell + 1) * rows) / height);
    while (row < end) {
      const { count, cost } = steps.add(row, end);
      row += count;
      passed += cost;
      if (passed < SLICE_SAMPLES) continue;
      passed = 0;
      yield;
    }
    line.flush(out, cell * width, cells);
  }
  return out;
}

/** Adds rows to a line of cells, in the largest steps that are possible. */
class OverviewSteps {
  private readonly line: CellLine;
  private readonly reducer: RowReducer;
  private readonly reader: WindowReader;
  private readonly blocks: { reducer: RowReducer; count: number } | undefined;
  /** Blocks that are added at a time. */
  private maxBlocks: number;

  constructor(data: PlaneData, window: Window, line: CellLine, blocks: PlaneData | undefined) {
    this.line = line;
    this.reducer = new RowReducer(data, window);
    this.reader = new WindowReader(data, window, this.reducer.maxRows);
    this.maxBlocks = Math.floor(this.reducer.maxRows / PARTS);
    if (blocks) this.blocks = { reducer: new RowReducer(blocks, window), count: blocks.rows / PARTS };
  }

  /** Adds rows from `row` on, `end` excluded. Returns how many, and how many samples had to be passed for them. */
  add(row: number, end: number): { count: number; cost: number } {
    return this.addBlocks(row, end) ?? this.addRows(row, this.blocks ? Math.min(end, nextBlock(row)) : end);
  }

  /** Returns nothing when no block starts at `row` and ends in time, or one has a sample that is not finite. */
  private addBlocks(row: number, end: number): { count: number; cost: number } | undefined {
    if (!this.blocks || row % BLOCK_ROWS !== 0) return undefined;
    const { reducer, count } = this.blocks;
    const first = row / BLOCK_ROWS;
    const blocks = Math.min(Math.floor(end / BLOCK_ROWS), count, first + this.maxBlocks) - first;
    if (blocks <= 0) return undefined;
    const reduced = reducer.combine(PARTS * first, PARTS * blocks);
    if (!reduced) {
      // One of them has a sample that is not finite, and others may too.
      this.maxBlocks = 1;
      return blocks > 1 ? this.addBlocks(row, end) : undefined;
    }
    this.line.addReduced(reduced, blocks * BLOCK_ROWS);
    return { count: blocks * BLOCK_ROWS, cost: PARTS * blocks * reducer.width };
  }

  private addRows(row: number, end: number): { count: number; cost: number } {
    const count = Math.min(end - row, this.reducer.maxRows);
    const reduced = this.reducer.reduce(row, count);
    if (reduced) this.line.addReduced(reduced, count);
    else this.addEach(row, count);
    return { count, cost: count * this.reducer.width };
  }

  private addEach(row: number, count: number): void {
    for (let done = 0; done < count; ) {
      const read = Math.min(this.reader.read(row + done), count - done);
      for (let i = 0; i < read; i++) this.line.add(this.reader.samples, i * this.reader.width);
      done += read;
    }
  }
}

function nextBlock(row: number): number {
  return (Math.floor(row / BLOCK_ROWS) + 1) * BLOCK_ROWS;
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
