import type { Cells } from './cells.ts';
import { FloatMedians, IntegerMedians } from './medians.ts';

/** Standard deviations beyond the usual extreme of the noise from which a sample is shown instead of the mean. */
const OUTLIER = 3;

/**
 * Returns the values that cells of many samples show, for the rows before `end`: their mean, as a detector with larger
 * pixels would have measured, unless one sample stands out; then that sample. A sample stands out when it exceeds the median of the
 * highest samples of the 3 × 3 cells around it (or falls below that of the lowest) by more than three standard
 * deviations of the noise, estimated from the usual range. A spike or gap of a single sample is therefore visible at
 * any scale, and noise looks like noise. The shader RESOLVE does the same. NaN where no sample in the cell is finite.
 *
 * @param areIntegers true when all samples are integers of at most 16 bits, which takes a quarter of the time
 */
export function shownValues(cells: Cells, end: number, areIntegers = false): Float32Array {
  const { rows, columns, low, high, mean, count } = cells;
  const values = new Float32Array(rows * columns);
  const ranges = expectedRanges(count, end * columns);
  const Medians = areIntegers ? IntegerMedians : FloatMedians;
  const [lows, highs] = [new Medians(low, rows, columns), new Medians(high, rows, columns)];
  for (let row = 0; row < end; row++) {
    const usual = { low: lows.around(row), high: highs.around(row) };
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
