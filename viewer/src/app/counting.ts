/** Computes the statistics of all loaded channels, one after another, and sets their contrast from them. */

import { countStats } from '../analysis/stats.ts';
import { setInitialRange } from '../contrast/adjust.ts';
import type { ChannelView, Pane } from '../model/document.ts';
import type { FarPlane } from '../model/far-plane.ts';
import type { Samples } from '../model/samples.ts';
import { isAbort } from './notices.ts';
import type { Settled } from './planes.ts';
import type { Tab } from './tab.ts';

/** Leaves the contrast of channels in `settled` and of those that the user has changed. */
export async function countLoaded(tab: Tab, settled: Settled, signal: AbortSignal = tab.ending.signal): Promise<void> {
  const { source, reference } = tab.document;
  for (const pane of [source.value, reference.value].filter((shown) => shown !== null)) {
    for (const channel of pane.channels) {
      try {
        await count(pane, channel, settled.has(channel), signal);
      } catch (error) {
        if (!isAbort(error)) throw error;
        return;
      }
    }
  }
}

/** The plane of each channel that was counted last. It must not be held: hidden tabs let their planes go. */
const counted = new WeakMap<ChannelView, WeakRef<Samples | FarPlane>>();

async function count(pane: Pane, channel: ChannelView, settled: boolean, signal: AbortSignal): Promise<void> {
  const plane = channel.data.value ?? channel.far.value;
  if (plane === null || counted.get(channel)?.deref() === plane) return;
  counted.set(channel, new WeakRef(plane));
  const { min, max } = channel.display.value;
  const stats = await ('stats' in plane ? plane.stats(signal) : countStats(plane, { signal })).catch(
    (error: unknown) => {
      counted.delete(channel);
      throw error;
    },
  );
  if ((channel.data.value ?? channel.far.value) !== plane) return;
  channel.stats.value = stats;
  const untouched = channel.display.value.min === min && channel.display.value.max === max;
  if (!settled && untouched) setInitialRange({ pane, channel, locked: false });
}
