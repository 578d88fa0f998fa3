import type { Clock } from '../../../packages/viewer/src/analysis/slices.ts';

/** The formulas as a textbook has them, over doubles. */
export function finiteOf(data: Iterable<number>): number[] {
  return [...data].filter(Number.isFinite);
}

export function naiveFacts(data: Iterable<number>) {
  const all = [...data];
  const values = finiteOf(all);
  const count = values.length;
  const sum = values.reduce((total, value) => total + value, 0);
  const mean = sum / count;
  const squares = values.reduce((total, value) => total + (value - mean) ** 2, 0);
  const sorted = [...values].sort((a, b) => a - b);
  const middle = [sorted[Math.floor((count - 1) / 2)], sorted[Math.floor(count / 2)]] as [number, number];
  return {
    count,
    nonFinite: all.length - count,
    min: sorted[0] as number,
    max: sorted[count - 1] as number,
    sum,
    mean,
    sd: count > 1 ? Math.sqrt(squares / (count - 1)) : 0,
    median: (middle[0] + middle[1]) / 2,
  };
}

/** Smallest sample with at least `fraction` of the samples at or below it. */
export function nearestRank(data: Iterable<number>, fraction: number): number {
  const sorted = finiteOf(data).sort((a, b) => a - b);
  return sorted.find((_, at) => at + 1 >= fraction * sorted.length - 1e-6) as number;
}

/** A clock that goes on by `step` ms each time it is looked at. */
export function steppedClock(step: number, onPause: () => void = () => {}) {
  let time = 0;
  let resumed = 0;
  const pauses = { count: 0, longest: 0 };
  const clock: Clock = {
    now() {
      time += step;
      return time;
    },
    async pause() {
      pauses.count += 1;
      pauses.longest = Math.max(pauses.longest, time - resumed - step);
      resumed = time;
      onPause();
    },
  };
  return { clock, pauses };
}
