import type { Cells } from './cells.ts';

/** Standard deviations beyond the usual extreme of the noise from which a sample is shown instead of the mean. */
const OUTLIER = 3;

/**
 * Returns the values that cells of many samples show, for the rows before `end`: their mean, as a detector with larger
 * pixels would have measured, unless one sample stands out; then that sample. A sample stands out when it exceeds the median of the
 * highest samples of the 3 × 3 cells around it (or falls below that of the lowest) by more than three standard
 * deviations of the noise, estimated from the usual range. A spike or gap of a single sample is therefore visible at
 * any scale, and noise looks like noise. The shader RESOLVE does the same. NaN where no sample in the cell is finite.
 */
export function shownValues(cells: Cells, end: number): Float32Array {
  const { rows, columns, low, high, mean, count } = cells;
  const values = new Float32Array(rows * columns);
  const ranges = expectedRanges(count, end * columns);
  const columnsOfThree = new SortedColumns(columns);
  const usual = { low: new Float64Array(columns), high: new Float64Array(columns) };
  for (let row = 0; row < end; row++) {
    columnsOfThree.medians(cells, low, row, usual.low);
    columnsOfThree.medians(cells, high, row, usual.high);
    for (let column = 0, at = row * columns; column < columns; column++, at++) {
      const samples = count[at]!;
      if (samples <= 1) {
        values[at] = samples === 0 ? Number.NaN : mean[at]!;
        continue;
      }
      let usualLow = usual.low[column]!;
      let usualHigh = usual.high[column]!;
      // Most of the surrounding cells have no finite samples.
      if (usualLow > usualHigh) usualLow = usualHigh = mean[at]!;
      const limit = (OUTLIER * (usualHigh - usualLow)) / (ranges[samples] ?? expectedRange(samples));
      const above = high[at]! - usualHigh;
      const below = usualLow - low[at]!;
      values[at] = above <= limit && below <= limit ? mean[at]! : above >= below ? high[at]! : low[at]!;
    }
  }
  return values;
}

/**
 * Returns the expected range of `count` samples of normal noise in standard deviations (d₂ of control charts), within 3
 * %.
 */
export function expectedRange(count: number): number {
  return Math.sqrt(4.7 * Math.log2(count) - 5.8 + 9.5 / (count * count));
}

/** Counts of samples whose range is computed once for a picture. */
const MAX_RANGES = 4096;

/** Returns the expected range for each number of samples up to the highest one, or up to a limit. */
function expectedRanges(count: Uint32Array, end: number): Float64Array {
  let highest = 0;
  for (let i = 0; i < end; i++) if (count[i]! > highest) highest = count[i]!;
  return Float64Array.from({ length: Math.min(MAX_RANGES, highest + 1) }, (_, samples) => expectedRange(samples));
}

/** Medians of 3 × 3 cells along a row. Neighbors share the sorted three cells of each column. */
class SortedColumns {
  readonly #low: Float64Array;
  readonly #middle: Float64Array;
  readonly #high: Float64Array;

  constructor(columns: number) {
    this.#low = new Float64Array(columns);
    this.#middle = new Float64Array(columns);
    this.#high = new Float64Array(columns);
  }

  /** Fills `medians` with the median around each cell of a row. Cells beyond the border repeat the border. */
  medians({ rows, columns }: Cells, values: Float32Array, row: number, medians: Float64Array): void {
    const [lows, middles, highs] = [this.#low, this.#middle, this.#high];
    const top = Math.max(0, row - 1) * columns;
    const middle = row * columns;
    const bottom = Math.min(rows - 1, row + 1) * columns;
    for (let c = 0; c < columns; c++) {
      const a = values[top + c]!;
      const b = values[middle + c]!;
      const d = values[bottom + c]!;
      lows[c] = smallest(a, b, d);
      highs[c] = largest(a, b, d);
      middles[c] = medianOf3(a, b, d);
    }
    for (let c = 0; c < columns; c++) {
      const left = c > 0 ? c - 1 : c;
      const right = c < columns - 1 ? c + 1 : c;
      // The median of nine is the median of: the largest minimum, the median of the medians and the smallest maximum.
      const largestLow = largest(lows[left]!, lows[c]!, lows[right]!);
      const smallestHigh = smallest(highs[left]!, highs[c]!, highs[right]!);
      medians[c] = medianOf3(largestLow, medianOf3(middles[left]!, middles[c]!, middles[right]!), smallestHigh);
    }
  }
}

function largest(a: number, b: number, c: number): number {
  const both = a > b ? a : b;
  return both > c ? both : c;
}

function smallest(a: number, b: number, c: number): number {
  const both = a < b ? a : b;
  return both < c ? both : c;
}

function medianOf3(a: number, b: number, c: number): number {
  if (a < b) return c < a ? a : c > b ? b : c;
  return c < b ? b : c > a ? a : c;
}
