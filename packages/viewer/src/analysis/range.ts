import type { ChannelStats, ValueRange } from '../model/display.ts';

/** Fraction of the samples that auto contrast clips at each end. */
export const AUTO_TAIL = 0.0035;

/** Returns a range whose ends differ as float32. */
export function ensureWidth(min: number, max: number): ValueRange {
  if (!(Number.isFinite(min) && Number.isFinite(max))) return { min: 0, max: 1 };
  if (Math.fround(max) > Math.fround(min)) return { min, max };
  return { min, max: min + Math.max(1, Math.abs(min) * 2 ** -20) };
}

export function fullRange({ min, max }: ChannelStats): ValueRange {
  return ensureWidth(min, max);
}

/**
 * Returns the 0.35th to the 99.65th percentile. When more than half of the samples have the low value (photon counts,
 * sparse kymographs), the high end is the percentile of the other samples, so that spikes are not clipped.
 */
export function autoRange(stats: ChannelStats): ValueRange {
  const { count } = stats;
  if (count === 0) return ensureWidth(0, 0);
  const low = stats.percentile(AUTO_TAIL);
  const high = stats.percentile(1 - AUTO_TAIL);
  const above = stats.countAbove(low);
  const background = count - above - stats.countBelow(low) > count / 2;
  if (above > 0 && (background || high <= low)) {
    return ensureWidth(low, stats.percentile(1 - (AUTO_TAIL * above) / count));
  }
  const below = stats.countBelow(high);
  if (high <= low && below > 0) return ensureWidth(stats.percentile((AUTO_TAIL * below) / count), high);
  return ensureWidth(low, high);
}

/** Share of a range in the file that the samples must fill, or the picture would be nearly black or without contrast. */
const MIN_FILLED = 1 / 3;

/**
 * Returns the range that a channel starts with: that of its file where auto contrast is at least a third as wide. Many programs
 * write the range of the detector instead of one that was looked at.
 */
export function initialRange(auto: ValueRange, fileRange: ValueRange | null): ValueRange {
  if (fileRange === null) return auto;
  return auto.max - auto.min < (fileRange.max - fileRange.min) * MIN_FILLED ? auto : fileRange;
}
