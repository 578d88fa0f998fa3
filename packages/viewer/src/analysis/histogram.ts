import type { Samples } from '../model/samples.ts';

/** Counts of samples in equal bins. Bin i has the values v with start + i·width ≤ v < start + (i + 1)·width. */
export interface Histogram {
  readonly start: number;
  readonly width: number;
  readonly counts: Uint32Array;
  /** Smallest sample of each bin; undefined where the count is 0. */
  readonly smallest: Float32Array;
  /** Number of samples equal to the smallest one, to distinguish a constant background from the values above it. */
  readonly ties: Uint32Array;
  /** `cumulative[i]` is the number of samples below bin i, including those below `start`. */
  readonly cumulative: Float64Array;
}

const FINE_BINS = 65_536;

/**
 * Creates bins over [min, max]. Integer data get bins of whole width; otherwise some bins would have one value more
 * than others.
 */
export function createHistogram(min: number, max: number, integer: boolean): Histogram {
  const spread = max - min;
  const width = integer ? Math.max(1, Math.ceil((spread + 1) / FINE_BINS)) : spread / FINE_BINS || 1;
  const bins = integer ? Math.min(FINE_BINS, Math.floor(spread / width) + 1) : spread > 0 ? FINE_BINS : 1;
  return {
    start: min,
    width,
    counts: new Uint32Array(bins),
    smallest: new Float32Array(bins).fill(Infinity),
    ties: new Uint32Array(bins),
    cumulative: new Float64Array(bins + 1),
  };
}

/** Counts the samples of data[from, to) within [start, last]. Non-finite samples fail the comparisons. */
export function countBlock(histogram: Histogram, last: number, data: Samples, from: number, to: number): void {
  const { start, width, counts, smallest, ties } = histogram;
  const end = counts.length - 1;
  for (let at = from; at < to; at++) {
    const value = data[at]!;
    if (!(value >= start && value <= last)) continue;
    let bin = Math.floor((value - start) / width);
    if (bin > end) bin = end;
    counts[bin] = counts[bin]! + 1;
    const first = smallest[bin]!;
    if (value === first) ties[bin] = ties[bin]! + 1;
    else if (value < first) {
      smallest[bin] = value;
      ties[bin] = 1;
    }
  }
}

/** Fills `cumulative` after all samples have been counted. `below` is the number of samples smaller than `start`. */
export function accumulate({ counts, cumulative }: Histogram, below: number): void {
  let sum = below;
  for (let bin = 0; bin < counts.length; bin++) {
    cumulative[bin] = sum;
    sum += counts[bin]!;
  }
  cumulative[counts.length] = sum;
}

/** True when the sample of this rank (1 is the smallest) was counted in a bin. */
export function hasRank({ cumulative }: Histogram, rank: number): boolean {
  return rank > cumulative[0]! && rank <= cumulative[cumulative.length - 1]!;
}

/** Returns the bin of the sample with this rank. */
export function findBin({ cumulative }: Histogram, rank: number): number {
  let low = 0;
  let high = cumulative.length - 2;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (cumulative[middle + 1]! >= rank) high = middle;
    else low = middle + 1;
  }
  return low;
}

export function hasValue({ start, width, counts }: Histogram, value: number): boolean {
  return value >= start && value < start + width * counts.length;
}

/**
 * Returns the number of samples below `value`, or up to it with `inclusive`. Samples are assumed to be evenly spread
 * within a bin.
 */
export function countBelow(histogram: Histogram, value: number, inclusive = false): number {
  const { start, width, counts, smallest, ties, cumulative } = histogram;
  const bin = Math.min(counts.length - 1, Math.max(0, Math.floor((value - start) / width)));
  const before = cumulative[bin]!;
  const first = smallest[bin]!;
  if (counts[bin] === 0 || value < first || (value === first && !inclusive)) return before;
  const rest = counts[bin]! - ties[bin]!;
  const end = start + (bin + 1) * width;
  return cumulative[bin + 1]! - rest * (1 - Math.min(1, (value - first) / (end - first)));
}
