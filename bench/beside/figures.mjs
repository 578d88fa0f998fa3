// How measured values become figures of a table: the median of a run, and what three runs say together.

/** A figure is written when its highest run is at most so many times its lowest. */
export const REPEATS = 1.3;

/** @param {number[]} values @param {number} share 0 to 1 */
export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

/** @param {number[]} values */
export const median = (values) => quantile(values, 0.5);

/** @param {number} value milliseconds */
export const ms = (value) => (value < 10 ? value.toFixed(1) : String(Math.round(value)));

/** @param {number} bytes */
export const mib = (bytes) => String(Math.round(bytes / 2 ** 20));

/**
 * The median over runs; `?` where it did not repeat.
 * @param {number[]} runs @param {(value: number) => string} format
 */
export function figure(runs, format) {
  return repeats(runs) ? format(median(runs)) : '?';
}

/**
 * The median over runs of `theirs ÷ ours`, with the lowest and the highest; `?` where it did not repeat. Servers took turns
 * within a run, so its ratio is the median of its rounds.
 * @param {number[][]} ours one list of rounds for each run @param {number[][]} theirs
 */
export function ratio(ours, theirs) {
  const runs = theirs.map((rounds, run) => median(rounds.map((value, i) => value / ours[run][i])));
  if (!repeats(runs)) return '?';
  const [low, middle, high] = [Math.min(...runs), median(runs), Math.max(...runs)].map((value) => value.toFixed(2));
  return runs.length === 1 ? `**${middle}**` : `**${middle}** (${low}–${high})`;
}

/** @param {number[]} runs */
function repeats(runs) {
  return Math.max(...runs) <= REPEATS * Math.min(...runs);
}

/** @param {number} milliseconds */
export const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
