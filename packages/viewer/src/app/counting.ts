/** Computes the statistics of all loaded channels, one after another, and sets their contrast from them. */
import { batch } from '@preact/signals';
import { countStats } from '../analysis/stats.ts';
import { hasGivenRange, setInitialRange } from '../contrast/adjust.ts';
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

/** The plane of each channel whose counting began last. It must not be held: hidden tabs let their planes go. */
const begun = new WeakMap<ChannelView, WeakRef<Samples | FarPlane>>();

async function count(pane: Pane, channel: ChannelView, settled: boolean, signal: AbortSignal): Promise<void> {
  const plane = channel.data.value ?? channel.far.value;
  if (plane === null || begun.get(channel)?.deref() === plane) return;
  begun.set(channel, new WeakRef(plane));
  const stats = await ('stats' in plane ? plane.stats(signal) : countStats(plane, { signal })).catch(
    (error: unknown) => {
      begun.delete(channel);
      throw error;
    },
  );
  if ((channel.data.value ?? channel.far.value) !== plane) return;
  batch(() => {
    channel.stats.value = stats;
    channel.statsPlane.value = new WeakRef(plane);
  });
  if (!settled && hasGivenRange(channel)) setInitialRange({ pane, channel, locked: false });
}
