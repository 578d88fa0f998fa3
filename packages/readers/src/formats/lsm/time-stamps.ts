import type { MeasuredValues } from '../../model/metadata/axes.js';

/**
 * Returns the time stamps of the first `size` lines or frames. A stopped scan leaves its last stamps at 0, and a file may
 * have stamps of lines that were not recorded.
 */
export function stampsOf(stamps: ArrayLike<number>, size: number): MeasuredValues {
  let count = Math.min(stamps.length, size);
  while (count > 0 && stamps[count - 1] === 0) count--;
  const at = new Float64Array(count > 0 ? size : 0).fill(Number.NaN);
  let largest = 0;
  for (let i = 0; i < count; i++) {
    at[i] = stamps[i]!;
    largest = Math.max(largest, Math.abs(stamps[i]!));
  }
  // Stamps count from the start of the computer, so rounding them changes their differences much more.
  return { at, what: 'time stamps', quantum: 4 * Number.EPSILON * largest };
}
