import { medianOfSorted } from '../../metadata/intervals.js';

/** The usual distance between time stamps. */
export interface Period {
  seconds: number;
  /** Shortest and longest distance, when they differ much. */
  uneven?: { shortest: number; longest: number };
}

/**
 * Finds the period of time stamps: the median of their differences, which a pause does not change.
 * @param interval the exact interval in the header, 0 without; returned when the stamps differ from it by rounding only
 * @returns `undefined` for fewer than two stamps and for stamps that do not ascend
 */
export function findPeriod(stamps: ArrayLike<number>, interval: number): Period | undefined {
  // A stopped scan leaves its last stamps at 0.
  let count = stamps.length;
  while (count > 0 && stamps[count - 1] === 0) count--;
  const differences = new Float64Array(Math.max(0, count - 1));
  let largest = 0;
  for (let i = 0; i < differences.length; i++) {
    differences[i] = stamps[i + 1]! - stamps[i]!;
    largest = Math.max(largest, Math.abs(stamps[i + 1]!));
  }
  differences.sort();
  const median = medianOfSorted(differences) ?? Number.NaN;
  if (!(median > 0 && Number.isFinite(median))) return undefined;
  // Stamps count from the start of the computer, so rounding them changes their differences much more.
  const noise = 4 * Number.EPSILON * largest;
  const shortest = differences[0]!;
  const longest = differences.at(-1)!;
  const isEven = longest - shortest <= 2 * noise;
  const mean = (stamps[count - 1]! - stamps[0]!) / differences.length;
  const measured = isEven ? mean : median;
  const seconds = Math.abs(measured - interval) <= noise ? interval : measured;
  if (shortest >= 0.5 * median && longest <= 1.5 * median) return { seconds };
  return { seconds, uneven: { shortest, longest } };
}
