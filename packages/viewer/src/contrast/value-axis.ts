/** The value axis of a histogram: its visible range and its bars. */
import { autoRange } from '../analysis/range.ts';
import type { ChannelStats } from '../model/display.ts';

/** A range of values, `from < to`. */
export interface ValueSpan {
  readonly from: number;
  readonly to: number;
}

/** Returns the offset of bars. A whole number is in the middle of its bar, so that a handle on it is in the bar. */
function barShift({ integer }: ChannelStats): number {
  return integer ? 0.5 : 0;
}

export function fullSpan(stats: ChannelStats): ValueSpan {
  const { count, min, max } = stats;
  if (count === 0) return { from: 0, to: 1 };
  if (stats.integer) return { from: min - 0.5, to: max + 0.5 };
  const half = max > min ? 0 : Math.max(0.5, Math.abs(min) * 2 ** -20);
  return { from: min - half, to: max + half };
}

/**
 * Returns the range of all samples, or the surroundings of the auto contrast when outliers would squeeze it into a
 * corner.
 */
export function firstSpan(stats: ChannelStats): ValueSpan {
  const full = fullSpan(stats);
  if (stats.count === 0) return full;
  const auto = around(autoRange(stats), 0.5, full);
  return auto.to - auto.from < (full.to - full.from) / 4 ? auto : full;
}

/**
 * Returns a range with `margin` of its width on both sides, limited to the data unless the range itself lies outside.
 */
export function around({ min, max }: { min: number; max: number }, margin: number, full: ValueSpan): ValueSpan {
  const room = (max - min) * margin;
  const from = Math.max(Math.min(full.from, min), min - room);
  const to = Math.min(Math.max(full.to, max), max + room);
  return to > from ? { from, to } : full;
}

/**
 * Zooms by `factor` (above 1 shows less) and keeps the value `at` in place. Never wider than `full` or narrower than
 * `min`.
 */
export function zoomSpan(span: ValueSpan, at: number, factor: number, full: ValueSpan, min: number): ValueSpan {
  const whole = full.to - full.from;
  const width = Math.min(whole, Math.max(min, (span.to - span.from) / factor));
  if (width === whole) return full;
  const from = at - ((at - span.from) / (span.to - span.from)) * width;
  const start = Math.min(full.to - width, Math.max(full.from, from));
  return { from: start, to: start + width };
}

/** Returns the narrowest useful range: a few bars of the finest available counts. */
export function minSpan(stats: ChannelStats): number {
  return 8 * (stats.core?.width ?? stats.binWidth);
}

export interface Bars {
  /** Lower edge of the first bar, and the width of each. */
  readonly from: number;
  readonly width: number;
  readonly counts: Float64Array;
}

/** Returns the counts within a range in at most `maxBars` bars. Each bar has the same whole number of bins. */
export function barsWithin(stats: ChannelStats, span: ValueSpan, maxBars: number): Bars {
  const { bins, start, width } = countsFor(stats, span);
  const first = clampIndex(Math.floor((span.from - start) / width), bins.length);
  const last = clampIndex(Math.ceil((span.to - start) / width) - 1, bins.length);
  if (bins.length === 0 || span.to <= start || span.from >= start + bins.length * width) {
    return { from: span.from, width, counts: new Float64Array(0) };
  }
  const group = Math.max(1, Math.ceil((last - first + 1) / Math.max(1, maxBars - 1)));
  // Groups start at multiples, so that bars keep their counts while the axis moves.
  const firstGroup = Math.floor(first / group);
  const counts = new Float64Array(Math.floor(last / group) - firstGroup + 1);
  const end = Math.min(bins.length, (firstGroup + counts.length) * group);
  for (let bin = firstGroup * group; bin < end; bin++) {
    const bar = Math.floor(bin / group) - firstGroup;
    counts[bar] = counts[bar]! + bins[bin]!;
  }
  return { from: start + firstGroup * group * width, width: group * width, counts };
}

/** Returns the finer counts when they cover the whole range. */
function countsFor(stats: ChannelStats, { from, to }: ValueSpan): { bins: Uint32Array; start: number; width: number } {
  const shift = barShift(stats);
  const { core } = stats;
  if (core && from >= core.start - shift && to <= core.start - shift + core.counts.length * core.width) {
    return { bins: core.counts, start: core.start - shift, width: core.width };
  }
  return { bins: stats.bins, start: stats.min - shift, width: stats.binWidth };
}

function clampIndex(index: number, length: number): number {
  return Math.min(length - 1, Math.max(0, index));
}

/** Returns heights from 0 to 1. A bar with any samples is visible. */
export function barHeights({ counts }: Bars, log: boolean): Float64Array {
  const scale = (count: number) => (log ? Math.log1p(count) : count);
  const highest = scale(counts.reduce((max, count) => Math.max(max, count), 0));
  return counts.map((count) => (count === 0 ? 0 : Math.max(0.015, scale(count) / highest)));
}

/** Rounds a value to a whole number for integer data, otherwise to the resolution of a pixel of the axis. */
export function tidy(value: number, stats: ChannelStats, perPixel: number): number {
  if (stats.integer) return Math.round(value);
  const unit = 10 ** Math.floor(Math.log10(perPixel));
  const tidied = Math.round(value / unit) * unit;
  return Number.isFinite(tidied) ? Number(tidied.toPrecision(12)) : value;
}

/** Returns the step of an arrow key: about 1/200 of the visible range, rounded to 1, 2 or 5 times a power of ten. */
export function keyStep({ from, to }: ValueSpan, stats: ChannelStats): number {
  const target = (to - from) / 200;
  const power = 10 ** Math.floor(Math.log10(target));
  const step = power * ([1, 2, 5, 10].find((digit) => digit * power >= target * 0.75) ?? 10);
  return stats.integer ? Math.max(1, Math.round(step)) : step;
}
