import { isFloat, type Samples } from '../model/samples.ts';
import type { AxisPlan } from './axis-plan.ts';

/**
 * Statistics of blocks of samples, row-major. A block without finite samples has count 0, low Infinity and high
 * -Infinity.
 */
export interface Cells {
  readonly rows: number;
  readonly columns: number;
  readonly low: Float32Array;
  readonly high: Float32Array;
  readonly mean: Float32Array;
  /** Number of finite samples. */
  readonly count: Uint32Array;
}

export function isCells(data: Samples | Cells): data is Cells {
  return 'mean' in data;
}

/** Returns the number of samples or cells. */
export function lengthOf(data: Samples | Cells): number {
  return isCells(data) ? data.mean.length : data.length;
}

export function createCells(rows: number, columns: number): Cells {
  const size = rows * columns;
  return {
    rows,
    columns,
    low: new Float32Array(size).fill(Infinity),
    high: new Float32Array(size).fill(-Infinity),
    mean: new Float32Array(size),
    count: new Uint32Array(size),
  };
}

/** Samples of a plane, or cells of a finer level. */
export type CellSource = { readonly samples: Samples; readonly columns: number } | Cells;

interface CellBounds {
  /** Bounds of the cells in source rows or columns: one more than the number of cells. */
  readonly rows: AxisPlan['bounds'];
  readonly columns: AxisPlan['bounds'];
}

/** Fills the rows `from` to `end` of `target`. */
export function reduceCells(source: CellSource, bounds: CellBounds, target: Cells, from: number, end: number): void {
  if (!('samples' in source)) reduceLevel(source, bounds, target, from, end);
  else if (isFloat(source.samples)) reduceFloats(source.samples, source.columns, bounds, target, from, end);
  else reduceIntegers(source.samples, source.columns, bounds, target, from, end);
}

/**
 * Integers are always finite, and their sums exact. Cell after cell: what belongs to one stays in registers. Extremes are
 * found without branches, which noise would make the processor guess wrongly: three times as fast.
 */
function reduceIntegers(
  samples: Exclude<Samples, Float32Array>,
  width: number,
  { rows, columns }: CellBounds,
  target: Cells,
  from: number,
  end: number,
): void {
  const { columns: cells, low: lows, high: highs, mean: means, count: counts } = target;
  for (let row = from, to = from * cells; row < end; row++) {
    const [first, last] = [rows[row]! * width, rows[row + 1]! * width];
    for (let c = 0; c < cells; c++, to++) {
      const [begin, stop] = [columns[c]!, columns[c + 1]!];
      let low = 65_536;
      let high = -65_536;
      let sum = 0;
      for (let line = first; line < last; line += width) {
        for (let i = line + begin; i < line + stop; i++) {
          const value = samples[i]!;
          const below = value - low;
          low += below & (below >> 31);
          const above = value - high;
          high += above & ~(above >> 31);
          sum += value;
        }
      }
      const count = ((last - first) / width) * (stop - begin);
      lows[to] = count > 0 ? low : Infinity;
      highs[to] = count > 0 ? high : -Infinity;
      means[to] = count > 0 ? sum / count : 0;
      counts[to] = count;
    }
  }
}

/**
 * Reduces rows first, for every source column, in one pass through memory. Sums differences from the first sample, so
 * that constants stay exact.
 */
function reduceFloats(
  samples: Float32Array,
  width: number,
  { rows, columns }: CellBounds,
  target: Cells,
  from: number,
  end: number,
): void {
  const start = columns[0]!;
  const line = createCells(1, columns[target.columns]! - start);
  const within = columns.map((column) => column - start);
  const sums = new Float64Array(line.columns);
  for (let row = from; row < end; row++) {
    const [first, last] = [rows[row]!, rows[row + 1]!];
    reduceLines(samples, first * width + start, last * width, width, line, sums);
    reduceLevelRow(line, 0, 1, within, target, row);
  }
}

/** Reduces the lines that begin at `first`, `width` apart and before `end`, to one line of cells. */
function reduceLines(
  samples: Float32Array,
  first: number,
  end: number,
  width: number,
  line: Cells,
  sums: Float64Array,
): void {
  copyLine(samples, first, line);
  sums.fill(0);
  let lines = 0;
  for (let start = first + width; start < end; start += width, lines++) addLine(samples, start, line, sums);
  const { mean, count, columns } = line;
  for (let c = 0; c < columns; c++) {
    count[c]! += lines;
    if (count[c] !== 0) mean[c]! += sums[c]! / count[c]!;
  }
}

/** Fills a line of cells with one sample each. */
function copyLine(samples: Float32Array, start: number, { low, high, mean, count, columns }: Cells): void {
  for (let c = 0; c < columns; c++) {
    const value = samples[start + c]!;
    const finite = value - value === 0;
    low[c] = finite ? value : Infinity;
    high[c] = finite ? value : -Infinity;
    mean[c] = finite ? value : 0;
    count[c] = finite ? 1 : 0;
  }
}

/** Adds a line of samples; `sums` takes their differences from `mean`. */
function addLine(
  samples: Float32Array,
  start: number,
  { low, high, mean, count, columns }: Cells,
  sums: Float64Array,
): void {
  for (let c = 0; c < columns; c++) {
    const value = samples[start + c]!;
    if (value - value !== 0) {
      count[c]!--;
      continue;
    }
    if (value < low[c]!) low[c] = value;
    if (value > high[c]!) high[c] = value;
    sums[c]! += value - mean[c]!;
  }
}

function reduceLevel(source: Cells, { rows, columns }: CellBounds, target: Cells, from: number, end: number): void {
  for (let row = from; row < end; row++) reduceLevelRow(source, rows[row]!, rows[row + 1]!, columns, target, row);
}

function reduceLevelRow(
  source: Cells,
  first: number,
  last: number,
  columns: Int32Array,
  target: Cells,
  row: number,
): void {
  const width = source.columns;
  for (let column = 0, to = row * target.columns; column < target.columns; column++, to++) {
    const begin = columns[column]!;
    const stop = columns[column + 1]!;
    let low = Infinity;
    let high = -Infinity;
    let base = 0;
    let sum = 0;
    let count = 0;
    for (let line = first * width; line < last * width; line += width) {
      for (let i = line + begin; i < line + stop; i++) {
        const samples = source.count[i]!;
        if (samples === 0) continue;
        const mean = source.mean[i]!;
        const lowest = source.low[i]!;
        const highest = source.high[i]!;
        if (lowest < low) low = lowest;
        if (highest > high) high = highest;
        if (count === 0) base = mean;
        sum += (mean - base) * samples;
        count += samples;
      }
    }
    target.low[to] = low;
    target.high[to] = high;
    target.mean[to] = count > 0 ? base + sum / count : 0;
    target.count[to] = count;
  }
}
