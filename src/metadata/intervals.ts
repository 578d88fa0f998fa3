/** Share of the median by which a regular interval may differ. */
const IRREGULAR = 0.1;

/** The intervals between the times along an axis. */
export interface Intervals {
  /** Median interval, in the unit of the times; `undefined` without two usable times. */
  median: number | undefined;
  /** Number of intervals that differ from the median by more than a tenth. */
  irregular: number;
}

/** Measures the intervals between neighboring times. Pairs with a time that is not a number are ignored. */
export function intervalsOf(times: readonly number[]): Intervals {
  const gaps: number[] = [];
  for (let i = 1; i < times.length; i++) {
    const gap = times[i]! - times[i - 1]!;
    if (Number.isFinite(gap)) gaps.push(gap);
  }
  const sorted = Float64Array.from(gaps).sort();
  const median = medianOfSorted(sorted);
  if (median === undefined) return { median: undefined, irregular: 0 };
  const irregular = gaps.filter((gap) => Math.abs(gap - median) > IRREGULAR * Math.abs(median)).length;
  return { median, irregular };
}

/** Returns the median of numbers in ascending order; `undefined` without any. */
export function medianOfSorted(sorted: ArrayLike<number>): number | undefined {
  const middle = sorted.length >> 1;
  const upper = sorted[middle];
  if (upper === undefined || sorted.length % 2 === 1) return upper;
  return (sorted[middle - 1]! + upper) / 2;
}
