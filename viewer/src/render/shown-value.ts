import type { Cells } from './cells.ts';

/** Standard deviations beyond the usual extreme of the noise from which a sample is shown instead of the mean. */
const OUTLIER = 3;

/**
 * Returns the value that a cell of many samples shows: their mean, as a detector with larger pixels would have
 * measured, unless one sample stands out; then that sample. A sample stands out when it exceeds the median of the
 * highest samples of the 3 × 3 cells around it (or falls below that of the lowest) by more than three standard
 * deviations of the noise, estimated from the usual range. A spike or gap of a single sample is therefore visible at
 * any scale, and noise looks like noise. The shader RESOLVE does the same. NaN when no sample in the cell is finite.
 */
export function shownValue(cells: Cells, row: number, column: number): number {
  const at = row * cells.columns + column;
  const count = cells.count[at]!;
  if (count === 0) return Number.NaN;
  const mean = cells.mean[at]!;
  if (count === 1) return mean;
  let usualLow = medianAround(cells, cells.low, row, column);
  let usualHigh = medianAround(cells, cells.high, row, column);
  // Most of the surrounding cells have no finite samples.
  if (usualLow > usualHigh) usualLow = usualHigh = mean;
  const limit = (OUTLIER * (usualHigh - usualLow)) / expectedRange(count);
  const low = cells.low[at]!;
  const high = cells.high[at]!;
  const above = high - usualHigh;
  const below = usualLow - low;
  if (Math.max(above, below) <= limit) return mean;
  return above >= below ? high : low;
}

/**
 * Returns the expected range of `count` samples of normal noise in standard deviations (d₂ of control charts), within 3
 * %.
 */
export function expectedRange(count: number): number {
  return Math.sqrt(4.7 * Math.log2(count) - 5.8 + 9.5 / (count * count));
}

/** Returns the median of the 3 × 3 cells around a cell. Cells beyond the border repeat the border. */
function medianAround({ rows, columns }: Cells, values: Float32Array, row: number, column: number): number {
  const middle = row * columns + column;
  const top = row > 0 ? middle - columns : middle;
  const bottom = row < rows - 1 ? middle + columns : middle;
  const left = column > 0 ? -1 : 0;
  const right = column < columns - 1 ? 1 : 0;
  const [a, b, c] = [values[top + left]!, values[top]!, values[top + right]!];
  const [d, e, f] = [values[middle + left]!, values[middle]!, values[middle + right]!];
  const [g, h, i] = [values[bottom + left]!, values[bottom]!, values[bottom + right]!];
  const largestLow = Math.max(lowest(a, b, c), Math.max(lowest(d, e, f), lowest(g, h, i)));
  const smallestHigh = Math.min(highest(a, b, c), Math.min(highest(d, e, f), highest(g, h, i)));
  // The median of nine is the median of: the largest minimum, the median of the medians and the smallest maximum of
  // three rows.
  return medianOf3(largestLow, medianOf3(medianOf3(a, b, c), medianOf3(d, e, f), medianOf3(g, h, i)), smallestHigh);
}

function lowest(a: number, b: number, c: number): number {
  return Math.min(a, Math.min(b, c));
}

function highest(a: number, b: number, c: number): number {
  return Math.max(a, Math.max(b, c));
}

function medianOf3(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}
