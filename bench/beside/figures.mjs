// How measured values are put into a table.

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
 * The median of `theirs[i] / ours[i]` of rounds that were measured side by side, with its middle half.
 * @param {number[]} ours @param {number[]} theirs
 */
export function ratio(ours, theirs) {
  const ratios = theirs.map((value, i) => value / ours[i]);
  const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => quantile(ratios, share).toFixed(2));
  return `**${middle}** (${low}–${high})`;
}

/** @param {number} milliseconds */
export const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
