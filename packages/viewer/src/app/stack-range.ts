/** Auto contrast of all time points and sections: of some of them soon, of all of them later. */

import type { OpenResponse } from '@acquisition-store/client/contract/open.js';
import { effect } from '@preact/signals';
import { autoRange, initialRange } from '../analysis/range.ts';
import { giveRange, hasGivenRange } from '../contrast/adjust.ts';
import type { OpenedAcquisition } from '../model/client.ts';
import type { ChannelView, StackRange } from '../model/document.ts';
import { fileDims, type Place, planePlace, type StackDim, stackDims } from '../stack/place.ts';
import { toChannelStats, wholeBins } from './far-stats.ts';
import { pause } from './pause.ts';
import type { Settled } from './planes.ts';
import type { Tab } from './tab.ts';

/** Planes of each dimension that are counted first, from the first to the last. */
const FIRST = { one: 12, two: 4 };
/** Samples that the server reads for one channel; where there are more, the planes that were counted first stand for all. */
const MAX_SAMPLES = 2 ** 28;
/** Milliseconds without another plane on screen after which the server counts on: what it reads meanwhile is late. */
const STILL = 500;

/** Acquisitions whose planes are counted: a tab that gets its planes back has the ranges already. */
const followed = new WeakSet<OpenedAcquisition>();

/**
 * Finds the range of every channel, and applies it where neither a link nor the user has chosen another. Single planes and
 * projections have their own; the channels of a color image have one in common.
 */
export async function followStackRange(tab: Tab, settled: Settled): Promise<void> {
  const { opened, info, source } = tab.document;
  const [acquisition, pane] = [opened.value, source.value];
  const isCurrent = () => opened.value === acquisition && !tab.ending.signal.aborted;
  if (!isCurrent() || followed.has(acquisition)) return;
  followed.add(acquisition);
  for (const { stackRange } of pane.channels) stackRange.value = null;
  pane.countsStack.value = !pane.colorImage && fileDims(info.value).length > 0 && !info.value.projection;
  if (!pane.countsStack.value) return;
  const movement = followMovement(tab);
  const { signal } = tab.ending;
  const counted = pane.channels.map((channel) => ({
    channel,
    ranges: rangesOf(acquisition, channel, pane.shape, movement.rest, signal),
  }));
  try {
    for (const { channel, ranges } of [...counted, ...counted]) {
      const { value: range } = await ranges.next();
      if (!isCurrent()) return;
      if (range === undefined) continue;
      channel.stackRange.value = range;
      if (settled.has(channel) || !hasGivenRange(channel)) continue;
      giveRange(channel, initialRange({ min: range.min, max: range.max }, channel.fileRange));
    }
  } finally {
    movement.stop();
  }
  if (isCurrent()) pane.countsStack.value = false;
}

/** `rest` resolves when one plane has been on screen for a while, or the tab is closed. */
function followMovement({ document, ending }: Tab): { rest(): Promise<void>; stop(): void } {
  let movedAt = 0;
  const stop = effect(() => {
    document.info.value;
    movedAt = performance.now();
  });
  const wait = () => movedAt + STILL - performance.now();
  const rest = async () => {
    while (wait() > 0 && !ending.signal.aborted) await pause(wait(), ending.signal);
  };
  return { rest, stop };
}

/**
 * Yields the range of the planes that were counted first, then that of all; `rested` holds the rest back. Ends without one
 * when the server refuses.
 */
async function* rangesOf(
  acquisition: OpenedAcquisition,
  channel: ChannelView,
  [rows, columns]: readonly [number, number],
  rested: () => Promise<void>,
  signal: AbortSignal,
): AsyncGenerator<StackRange, undefined> {
  const { info } = acquisition;
  const all = placesOf(info, Number.POSITIVE_INFINITY);
  const first = placesOf(info, stackDims(info).length > 1 ? FIRST.two : FIRST.one);
  const isCounted = new Set(first.map(keyOf));
  const rest = all.length * rows * columns <= MAX_SAMPLES ? all.filter((place) => !isCounted.has(keyOf(place))) : [];
  let [min, max, counted] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  for (const places of [first, rest]) {
    for (const place of places) {
      if (places === rest) await rested();
      const choice = { ...planePlace(info, place), ...wholeBins(info.header.dtype === 'uint8' ? 'uint8' : '') };
      const stats = await acquisition.statistics(channel.index, choice, { signal }).catch(() => null);
      if (stats === null) return undefined;
      counted += 1;
      if (stats.finite === 0) continue;
      const range = autoRange(toChannelStats(stats));
      [min, max] = [Math.min(min, range.min), Math.max(max, range.max)];
    }
    if (places.length > 0 && min < max) yield { min, max, counted, planes: all.length };
  }
  return undefined;
}

/** Returns places spread over the dimensions of a session, at most `count` of each. */
function placesOf(info: OpenResponse, count: number): Place[] {
  const dims = stackDims(info);
  const indices = (dim: StackDim) => (dims.includes(dim) ? spread(info.header.sizes[dim] ?? 1, count) : [0]);
  return indices('T').flatMap((T) => indices('Z').map((Z) => ({ T, Z })));
}

/** Returns `count` of the indices below `size`, with the first and the last; all when there are not more. */
function spread(size: number, count: number): number[] {
  const taken = Math.min(size, count);
  return Array.from({ length: taken }, (_, i) => (taken === 1 ? 0 : Math.round((i * (size - 1)) / (taken - 1))));
}

const keyOf = ({ T, Z }: Place) => `${T} ${Z}`;
