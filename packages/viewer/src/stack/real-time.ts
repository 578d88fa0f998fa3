/** Playing as fast as a recording was made. */
import { formatNumber, formatQuantity } from '../model/number-text.ts';
import type { StackAxis } from './place.ts';

/** Nobody waits longer for a plane in a recording that is faster most of the time. */
const MAX_WAIT_SECONDS = 2;

/** Returns the longest wait in seconds: a recording that is slow throughout keeps its pace. */
function longestWait(typical: number): number {
  return Math.max(MAX_WAIT_SECONDS, 2 * typical);
}

/** Returns the milliseconds from a plane to the next one, with long gaps shortened; null when they are not known. */
export function recordedWait({ step, unit, measured }: StackAxis, index: number): number | null {
  if (step === null || unit !== 'seconds') return null;
  if (measured === null || measured.typical < 0) return 1000 * step;
  const { filled, typical } = measured;
  const wait = index + 1 < filled.length ? filled[index + 1]! - filled[index]! : typical;
  return 1000 * Math.min(wait, longestWait(typical));
}

/** Describes real time as a speed; null when the times are not known. `note` says which gaps are shortened. */
export function realTime({ step, unit, measured }: StackAxis): { label: string; note: string } | null {
  if (step === null || unit !== 'seconds') return null;
  if (!measured?.uneven) return { label: `Real time (${formatNumber(1 / step, 3)} per second)`, note: '' };
  const { filled, typical } = measured;
  const longest = longestWait(typical);
  const isShortened = filled.some((value, i) => i > 0 && value - filled[i - 1]! > longest);
  const limit = formatQuantity(longest, 'seconds', 3);
  return {
    label: 'Real time (as recorded)',
    note: isShortened ? `Longer gaps are shortened to ${limit}` : '',
  };
}
