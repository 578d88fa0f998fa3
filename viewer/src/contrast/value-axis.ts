/** The value axis of a histogram: what part of the data it shows, and the bars in it. */
import { autoRange } from '../analysis/range.ts';
import type { ChannelStats } from '../model/display.ts';

/** A stretch of values, `from < to`. */
export interface ValueSpan {
  readonly from: number;
  readonly to: number;
}

/** A whole number is the middle of its bar, so that a handle on it stands in the bar. */
export function barShift({ integer }: ChannelStats): number {
  return integer ? 0.5 : 0;
}

export function fullSpan(stats: ChannelStats): ValueSpan {
  const { count, min, max } = stats;
  if (count === 0) return { from: 0, to: 1 };
  if (stats.integer) return { from: min - 0.5, to: max + 0.5 };
  const half = max > min ? 0 : Math.max(0.5, Math.abs(min) * 2 ** -20);
  return { from: min - half, to: max + half };
}

/** All, unless single outliers would press the rest into a corner: then what auto contrast shows, and its surroundings. */
export function firstSpan(stats: ChannelStats): ValueSpan {
  const full = fullSpan(stats);
  if (stats.count === 0) return full;
  const wanted = around(autoRange(stats), 0.5, full);
  return wanted.to - wanted.from < (full.to - full.from) / 4 ? wanted : full;
}

/** The shown range with `margin` of its width on both sides, within all values; wider when the range lies outside of it. */
export function around({ min, max }: { min: number; max: number }, margin: number, full: ValueSpan): ValueSpan {
  const room = (max - min) * margin;
  const from = Math.max(Math.min(full.from, min), min - room);
  const to = Math.min(Math.max(full.to, max), max + room);
  return to > from ? { from, to } : full;
}

/** Zoomed by `factor` (> 1 shows less) with the value under the pointer in place; never wider than `full`. */
export function zoomSpan(span: ValueSpan, at: number, factor: number, full: ValueSpan, least: number): ValueSpan {
  const whole = full.to - full.from;
  const width = Math.min(whole, Math.max(least, (span.to - span.from) / factor));
  if (width === whole) return full;
  const from = at - ((at - span.from) / (span.to - span.from)) * width;
  const held = Math.min(full.to - width, Math.max(full.from, from));
  return { from: held, to: held + width };
}

/** Narrowest stretch worth showing: a few bars of the finest counts there are. */
export function leastSpan(stats: ChannelStats): number {
  return 8 * (stats.core?.width ?? stats.binWidth);
}

export interface Bars {
  /** Lower edge of the first bar, and the width of each. */
  readonly from: number;
  readonly width: number;
  readonly counts: Float64Array;
}

/** The counts that meet a span in at most `most` bars, each of a whole number of bins: no bar holds one more than another. */
export function barsWithin(stats: ChannelStats, span: ValueSpan, most: number): Bars {
  const { bins, start, width } = countsFor(stats, span);
  const first = clampIndex(Math.floor((span.from - start) / width), bins.length);
  const last = clampIndex(Math.ceil((span.to - start) / width) - 1, bins.length);
  if (bins.length === 0 || span.to <= start || span.from >= start + bins.length * width) {
    return { from: span.from, width, counts: new Float64Array(0) };
  }
  const group = Math.max(1, Math.ceil((last - first + 1) / Math.max(1, most - 1)));
  // Groups begin at multiples, so that bars keep their counts while the axis moves.
  const begin = Math.floor(first / group);
  const counts = new Float64Array(Math.floor(last / group) - begin + 1);
  const end = Math.min(bins.length, (begin + counts.length) * group);
  for (let bin = begin * group; bin < end; bin++) {
    const bar = Math.floor(bin / group) - begin;
    counts[bar] = counts[bar]! + bins[bin]!;
  }
  return { from: start + begin * group * width, width: group * width, counts };
}

/** The finer counts where they cover all of the span. */
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

/** Heights from 0 to 1. A bar that holds anything is seen. */
export function barHeights({ counts }: Bars, log: boolean): Float64Array {
  const scale = (count: number) => (log ? Math.log1p(count) : count);
  const highest = scale(counts.reduce((most, count) => Math.max(most, count), 0));
  return counts.map((count) => (count === 0 ? 0 : Math.max(0.015, scale(count) / highest)));
}

/** Whole numbers for whole data; else no more decimals than a pixel of the axis tells apart. */
export function tidy(value: number, stats: ChannelStats, perPixel: number): number {
  if (stats.integer) return Math.round(value);
  const unit = 10 ** Math.floor(Math.log10(perPixel));
  const tidied = Math.round(value / unit) * unit;
  return Number.isFinite(tidied) ? Number(tidied.toPrecision(12)) : value;
}

/** One press of an arrow key: about a two-hundredth of what is shown, 1, 2 or 5 times a power of ten. */
export function keyStep({ from, to }: ValueSpan, stats: ChannelStats): number {
  const wanted = (to - from) / 200;
  const power = 10 ** Math.floor(Math.log10(wanted));
  const step = power * ([1, 2, 5, 10].find((digit) => digit * power >= wanted * 0.75) ?? 10);
  return stats.integer ? Math.max(1, Math.round(step)) : step;
}
