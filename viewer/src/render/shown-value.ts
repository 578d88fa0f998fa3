import type { Cells } from './cells.ts';

/** Standard deviations of the noise beyond its usual extreme, from where a sample is shown instead of the mean. */
const OUTLIER = 3;

/**
 * What a cell of many samples shows: their mean, as a detector with larger pixels would have seen, unless one sample
 * stands out; then that sample. It stands out when it is higher than the highest samples of the cells around usually are
 * (their median, of 3 × 3), or lower than the lowest, by more than three standard deviations of the noise as the usual
 * range tells it. So a spike or gap of a single sample is seen at any scale, and noise looks like noise: its own extremes
 * are what is usual. The shader RESOLVE does the same.
 *
 * Null: nothing finite in the cell.
 */
export function shownValue(cells: Cells, row: number, column: number): number | null {
  const at = row * cells.columns + column;
  const count = cells.count[at] as number;
  if (count === 0) return null;
  const mean = cells.mean[at] as number;
  if (count === 1) return mean;
  const usualLow = medianAround(cells, cells.low, row, column);
  const usualHigh = medianAround(cells, cells.high, row, column);
  const limit = (OUTLIER * (usualHigh - usualLow)) / expectedRange(count);
  const [low, high] = [cells.low[at] as number, cells.high[at] as number];
  const [above, below] = [high - usualHigh, usualLow - low];
  if (Math.max(above, below) <= limit) return mean;
  return above >= below ? high : low;
}

/** Range of `count` samples of normal noise in standard deviations (d₂ of control charts), to 3 % from 2 samples on. */
export function expectedRange(count: number): number {
  return Math.sqrt(4.7 * Math.log2(count) - 5.8 + 9.5 / count ** 2);
}

const around = new Float32Array(9);

function medianAround(
  { rows, columns, mean, count }: Cells,
  values: Float32Array,
  row: number,
  column: number,
): number {
  for (let i = 0; i < 9; i++) {
    const r = Math.min(rows - 1, Math.max(0, row + Math.trunc(i / 3) - 1));
    const c = Math.min(columns - 1, Math.max(0, column + (i % 3) - 1));
    const near = r * columns + c;
    around[i] = (count[near] === 0 ? mean[row * columns + column] : values[near]) as number;
  }
  return around.sort()[4] as number;
}
