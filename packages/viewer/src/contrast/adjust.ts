/** Changes the contrast of one channel, or of all channels of its pane. */
import { batch } from '@preact/signals';
import { autoRange, ensureWidth, fullRange, initialRange } from '../analysis/range.ts';
import { colorRange } from '../model/color-image.ts';
import type { ChannelDisplay, ChannelStats, ValueRange } from '../model/display.ts';
import { type ChannelView, type Pane, UNKNOWN_RANGE } from '../model/document.ts';

export const MIN_GAMMA = 0.2;
export const MAX_GAMMA = 5;

/** The channels that a change applies to. */
export interface ContrastTarget {
  readonly pane: Pane;
  readonly channel: ChannelView;
  /** True when the ranges of all channels change together. */
  readonly locked: boolean;
}

export function change(channel: ChannelView, patch: Partial<ChannelDisplay>): void {
  channel.display.value = { ...channel.display.value, ...patch };
}

/** The range that the page gave a channel last. Any other has been chosen by the user. */
const given = new WeakMap<ChannelView, ValueRange>();

/** Sets a range that nobody has asked for, and that a better one may replace. */
export function giveRange(channel: ChannelView, { min, max }: ValueRange): void {
  change(channel, { min, max });
  given.set(channel, { min, max });
}

/** False when the user has chosen the range of the channel. */
export function hasGivenRange(channel: ChannelView): boolean {
  const last = given.get(channel) ?? channel.fileRange ?? UNKNOWN_RANGE;
  const { min, max } = channel.display.value;
  return min === last.min && max === last.max;
}

function channelsOf({ pane, channel, locked }: ContrastTarget): readonly ChannelView[] {
  return locked ? pane.channels : [channel];
}

export function setRange(target: ContrastTarget, { min, max }: ValueRange): void {
  const range = ensureWidth(min, max);
  batch(() => {
    for (const channel of channelsOf(target)) change(channel, range);
  });
}

function giveRanges(target: ContrastTarget, { min, max }: ValueRange): void {
  batch(() => {
    for (const channel of channelsOf(target)) giveRange(channel, ensureWidth(min, max));
  });
}

/** Sets one end of the range. When it would pass the other end, that one moves too and keeps the width. */
export function setEnd(target: ContrastTarget, end: 'min' | 'max', value: number): void {
  const { min, max } = target.channel.display.value;
  if (end === 'min') setRange(target, { min: value, max: value < max ? max : value + (max - min) });
  else setRange(target, { min: value > min ? min : value - (max - min), max: value });
}

export function setGamma(target: ContrastTarget, gamma: number): void {
  const clamped = Math.min(MAX_GAMMA, Math.max(MIN_GAMMA, gamma));
  batch(() => {
    for (const channel of channelsOf(target)) change(channel, { gamma: clamped });
  });
}

/** Sets how values within the range become brighter. */
export function setScale(target: ContrastTarget, scale: ChannelDisplay['scale']): void {
  batch(() => {
    for (const channel of channelsOf(target)) change(channel, { scale });
  });
}

/** Sets a range that was computed from statistics. Locked channels get one range that contains the range of each. */
function setFromStats(
  target: ContrastTarget,
  computeRange: (stats: ChannelStats, of: ChannelView) => ValueRange,
  set: (target: ContrastTarget, range: ValueRange) => void = setRange,
): void {
  const ranges = channelsOf(target).flatMap((channel) => {
    const { value: stats } = channel.stats;
    return stats && stats.count > 0 ? computeRange(stats, channel) : [];
  });
  if (ranges.length === 0) return;
  set(target, { min: Math.min(...ranges.map(({ min }) => min)), max: Math.max(...ranges.map(({ max }) => max)) });
}

/** Sets auto contrast: of the whole stack where it is known, else of the plane. */
export function setAuto(target: ContrastTarget): void {
  setFromStats(target, autoOf);
}

/** Sets auto contrast of the plane on screen. */
export function setAutoOfPlane(target: ContrastTarget): void {
  setFromStats(target, autoRange);
}

function autoOf(stats: ChannelStats, { stackRange }: ChannelView): ValueRange {
  return stackRange.value ?? autoRange(stats);
}

export function setFull(target: ContrastTarget): void {
  setFromStats(target, fullRange);
}

/** Sets the range that the file contains. Locked channels each get their own. */
export function setFileRange(target: ContrastTarget): void {
  batch(() => {
    for (const channel of channelsOf(target)) if (channel.fileRange) change(channel, channel.fileRange);
  });
}

/**
 * Sets the range that a channel has after all samples have been counted: that of its file if the samples fill it, else auto
 * contrast; or the common range of a color image, which all its channels get once the last of them has been counted.
 */
export function setInitialRange(target: ContrastTarget): void {
  const { channels, colorImage } = target.pane;
  if (!colorImage) {
    const initial = (stats: ChannelStats, channel: ChannelView) =>
      initialRange(autoOf(stats, channel), channel.fileRange);
    setFromStats(target, initial, giveRanges);
    return;
  }
  const counted = channels.flatMap(({ stats }) => stats.value ?? []).filter(({ count }) => count > 0);
  if (counted.length < channels.length) return;
  const range = colorRange(counted);
  batch(() => {
    for (const channel of channels) giveRange(channel, channel.fileRange ?? range);
  });
}

/** Restores the initial display, but not the visibility. */
export function reset(target: ContrastTarget): void {
  const { channel } = target;
  batch(() => {
    change(channel, { lut: channel.firstLut, invert: false, opacity: 1 });
    setGamma(target, 1);
    setScale(target, 'linear');
    setInitialRange(target);
  });
}

/** Applies range, scale and gamma of one channel to all channels of its pane. */
export function applyToAll(pane: Pane, channel: ChannelView): void {
  const { min, max, scale, gamma } = channel.display.value;
  batch(() => {
    for (const other of pane.channels) change(other, { min, max, scale, gamma });
  });
}

/** Shows only this channel, or all channels when it is already the only one. */
export function solo(pane: Pane, channel: ChannelView): void {
  const alone = isSolo(pane, channel);
  batch(() => {
    for (const other of pane.channels) change(other, { visible: alone || other === channel });
  });
}

export function isSolo({ channels }: Pane, channel: ChannelView): boolean {
  return channels.length > 1 && channels.every((other) => other.display.value.visible === (other === channel));
}
