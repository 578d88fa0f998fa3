/** Share of the median by which an interval may differ before the series counts as irregular. */
const IRREGULAR = 0.1;

/** What the times of the entries of an axis say about its step. */
export interface Intervals {
  /** Median distance of neighbours, in the unit of the times; `undefined` without two usable times. */
  median: number | undefined;
  /** Intervals that differ from the median by more than a tenth. */
  irregular: number;
}

/** Median distance of neighbouring times. Pairs of which one is no number do not count. */
export function intervalsOf(times: readonly number[]): Intervals {
  const gaps: number[] = [];
  for (let i = 1; i < times.length; i++) {
    const gap = (times[i] as number) - (times[i - 1] as number);
    if (Number.isFinite(gap)) gaps.push(gap);
  }
  const sorted = Float64Array.from(gaps).sort();
  const middle = sorted.length >> 1;
  const upper = sorted[middle];
  if (upper === undefined) return { median: undefined, irregular: 0 };
  const median = sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
  const irregular = gaps.filter((gap) => Math.abs(gap - median) > IRREGULAR * Math.abs(median)).length;
  return { median, irregular };
}
