import type { AxisPlan } from './axis-plan.ts';

/** Facts of blocks of samples, row-major. A block of nothing finite has the count 0. */
export interface Cells {
  readonly rows: number;
  readonly columns: number;
  readonly low: Float32Array;
  readonly high: Float32Array;
  readonly mean: Float32Array;
  /** Finite samples. */
  readonly count: Uint32Array;
}

export function createCells(rows: number, columns: number): Cells {
  const size = rows * columns;
  return {
    rows,
    columns,
    low: new Float32Array(size),
    high: new Float32Array(size),
    mean: new Float32Array(size),
    count: new Uint32Array(size),
  };
}

/** Samples of a plane, or cells of a finer level. */
export type CellSource = { readonly samples: Float32Array; readonly columns: number } | Cells;

/** Fills the rows `from` to `end` of `target`; `rows` and `columns` give the source rows and columns of each cell. */
export function reduceCells(
  source: CellSource,
  rows: Pick<AxisPlan, 'bounds'>,
  columns: Pick<AxisPlan, 'bounds'>,
  target: Cells,
  from: number,
  end: number,
): void {
  const sums = new Float64Array(target.columns);
  const bases = new Float64Array(target.columns);
  for (let row = from; row < end; row++) {
    sums.fill(0);
    const at = row * target.columns;
    target.count.fill(0, at, at + target.columns);
    const [begin, last] = [rows.bounds[row] as number, rows.bounds[row + 1] as number];
    for (let r = begin; r < last; r++) {
      if ('samples' in source) addSamples(source.samples, r * source.columns, columns.bounds, target, at, sums, bases);
      else addCells(source, r * source.columns, columns.bounds, target, at, sums, bases);
    }
    for (let c = 0; c < target.columns; c++) {
      const count = target.count[at + c] as number;
      target.mean[at + c] = count > 0 ? (bases[c] as number) + (sums[c] as number) / count : 0;
    }
  }
}

function addSamples(
  samples: Float32Array,
  row: number,
  bounds: Int32Array,
  { low, high, count, columns }: Cells,
  at: number,
  sums: Float64Array,
  bases: Float64Array,
): void {
  for (let c = 0; c < columns; c++) {
    const to = at + c;
    for (let i = row + (bounds[c] as number); i < row + (bounds[c + 1] as number); i++) {
      const value = samples[i] as number;
      if (value - value !== 0) continue;
      if (count[to] === 0) {
        low[to] = high[to] = bases[c] = value;
      } else {
        if (value < (low[to] as number)) low[to] = value;
        if (value > (high[to] as number)) high[to] = value;
        (sums[c] as number) += value - (bases[c] as number);
      }
      (count[to] as number)++;
    }
  }
}

function addCells(
  source: Cells,
  row: number,
  bounds: Int32Array,
  { low, high, count, columns }: Cells,
  at: number,
  sums: Float64Array,
  bases: Float64Array,
): void {
  for (let c = 0; c < columns; c++) {
    const to = at + c;
    for (let i = row + (bounds[c] as number); i < row + (bounds[c + 1] as number); i++) {
      const samples = source.count[i] as number;
      if (samples === 0) continue;
      if (count[to] === 0) {
        low[to] = source.low[i] as number;
        high[to] = source.high[i] as number;
        bases[c] = source.mean[i] as number;
      } else {
        low[to] = Math.min(low[to] as number, source.low[i] as number);
        high[to] = Math.max(high[to] as number, source.high[i] as number);
        (sums[c] as number) += ((source.mean[i] as number) - (bases[c] as number)) * samples;
      }
      (count[to] as number) += samples;
    }
  }
}
