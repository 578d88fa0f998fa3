/** The usual distance of time stamps, and how far they keep to it. */
export interface Period {
  seconds: number;
  /** Shortest and longest distance, when they are not about the same. */
  uneven?: { shortest: number; longest: number };
}

/**
 * Period of time stamps: the median of their differences, which a pause does not change.
 * @param interval what the header gives, 0 without; it is exact where the stamps only differ from it by rounding
 * @returns `undefined` for fewer than two stamps or stamps that do not run forward
 */
export function periodOf(stamps: ArrayLike<number>, interval: number): Period | undefined {
  // A stopped scan leaves the stamps that were prepared at 0.
  let count = stamps.length;
  while (count > 0 && stamps[count - 1] === 0) count--;
  const differences = new Float64Array(Math.max(0, count - 1));
  let largest = 0;
  for (let i = 0; i < differences.length; i++) {
    differences[i] = (stamps[i + 1] as number) - (stamps[i] as number);
    largest = Math.max(largest, Math.abs(stamps[i + 1] as number));
  }
  differences.sort();
  const middle = differences.length >> 1;
  const upper = differences[middle] ?? Number.NaN;
  const median = differences.length % 2 === 1 ? upper : (upper + (differences[middle - 1] as number)) / 2;
  if (!(median > 0 && Number.isFinite(median))) return undefined;
  // Stamps count from the start of the computer: their last digits are far above those of their differences.
  const noise = 4 * Number.EPSILON * largest;
  const shortest = differences[0] as number;
  const longest = differences.at(-1) as number;
  const even = longest - shortest <= 2 * noise;
  const mean = ((stamps[count - 1] as number) - (stamps[0] as number)) / differences.length;
  const measured = even ? mean : median;
  const seconds = Math.abs(measured - interval) <= noise ? interval : measured;
  if (shortest >= 0.5 * median && longest <= 1.5 * median) return { seconds };
  return { seconds, uneven: { shortest, longest } };
}
