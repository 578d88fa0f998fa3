/** Changes of the contrast of one channel, or of all of its pane. */
import { batch } from '@preact/signals';
import { autoRange, fullRange, type ValueRange, widened } from '../analysis/range.ts';
import type { ChannelDisplay } from '../model/display.ts';
import type { ChannelView, Pane } from '../model/document.ts';

export const LEAST_GAMMA = 0.2;
export const MOST_GAMMA = 5;

/** Where a change of one channel goes. */
export interface Reach {
  readonly pane: Pane;
  readonly channel: ChannelView;
  /** Ranges of all channels go together. */
  readonly locked: boolean;
}

export function change(channel: ChannelView, patch: Partial<ChannelDisplay>): void {
  channel.display.value = { ...channel.display.value, ...patch };
}

function reached({ pane, channel, locked }: Reach): readonly ChannelView[] {
  return locked ? pane.channels : [channel];
}

export function setRange(reach: Reach, { min, max }: ValueRange): void {
  const range = widened(min, max);
  batch(() => {
    for (const channel of reached(reach)) change(channel, range);
  });
}

/** One end; the other gives way when it would be passed, keeping the width of the range. */
export function setEnd(reach: Reach, end: 'min' | 'max', value: number): void {
  const { min, max } = reach.channel.display.value;
  if (end === 'min') setRange(reach, { min: value, max: value < max ? max : value + (max - min) });
  else setRange(reach, { min: value > min ? min : value - (max - min), max: value });
}

export function setGamma(reach: Reach, gamma: number): void {
  const held = Math.min(MOST_GAMMA, Math.max(LEAST_GAMMA, gamma));
  batch(() => {
    for (const channel of reached(reach)) change(channel, { gamma: held });
  });
}

/** Of locked channels: one range that holds that of each. */
function setCounted(reach: Reach, rangeOf: typeof autoRange): void {
  const ranges = reached(reach).flatMap(({ stats }) =>
    stats.value && stats.value.count > 0 ? rangeOf(stats.value) : [],
  );
  if (ranges.length === 0) return;
  setRange(reach, { min: Math.min(...ranges.map(({ min }) => min)), max: Math.max(...ranges.map(({ max }) => max)) });
}

export function setAuto(reach: Reach): void {
  setCounted(reach, autoRange);
}

export function setFull(reach: Reach): void {
  setCounted(reach, fullRange);
}

/** As when the file was opened, except what is shown at all. */
export function reset(reach: Reach): void {
  const { channel } = reach;
  batch(() => {
    change(channel, { lut: channel.firstLut, invert: false, opacity: 1 });
    setGamma(reach, 1);
    setAuto(reach);
  });
}

/** Range and gamma of one channel to all of its pane. */
export function sameForAll(pane: Pane, channel: ChannelView): void {
  const { min, max, gamma } = channel.display.value;
  batch(() => {
    for (const other of pane.channels) change(other, { min, max, gamma });
  });
}

/** Only this one; all again when it is the only one already. */
export function solo(pane: Pane, channel: ChannelView): void {
  const alone = isSolo(pane, channel);
  batch(() => {
    for (const other of pane.channels) change(other, { visible: alone || other === channel });
  });
}

export function isSolo({ channels }: Pane, channel: ChannelView): boolean {
  return channels.length > 1 && channels.every((other) => other.display.value.visible === (other === channel));
}
