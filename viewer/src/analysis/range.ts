import type { ChannelStats } from '../model/display.ts';

/** Values shown as the two ends of a table; `min < max`. */
export interface ValueRange {
  readonly min: number;
  readonly max: number;
}

/** Part of the samples that auto contrast lets clip at either end. */
export const AUTO_TAIL = 0.0035;

/** At least wide enough for a float32 to tell the ends apart. */
export function widened(min: number, max: number): ValueRange {
  if (!(Number.isFinite(min) && Number.isFinite(max))) return { min: 0, max: 1 };
  if (Math.fround(max) > Math.fround(min)) return { min, max };
  return { min, max: min + Math.max(1, Math.abs(min) * 2 ** -20) };
}

export function fullRange({ min, max }: ChannelStats): ValueRange {
  return widened(min, max);
}

/**
 * The 0.35th to the 99.65th percentile. When more than half of the samples have the low value – the zeros of photon
 * counts, of a sparse kymograph – the high end is that percentile of the others, so that spikes keep their shades.
 */
export function autoRange(stats: ChannelStats): ValueRange {
  const { count } = stats;
  if (count === 0) return widened(0, 0);
  const low = stats.percentile(AUTO_TAIL);
  const high = stats.percentile(1 - AUTO_TAIL);
  const above = stats.countAbove(low);
  const background = count - above - stats.countBelow(low) > count / 2;
  if (above > 0 && (background || high <= low)) {
    return widened(low, stats.percentile(1 - (AUTO_TAIL * above) / count));
  }
  const below = stats.countBelow(high);
  if (high <= low && below > 0) return widened(stats.percentile((AUTO_TAIL * below) / count), high);
  return widened(low, high);
}
