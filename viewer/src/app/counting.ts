/** Computes the statistics of all loaded channels, one after another, and sets their contrast from them. */
import { autoRange } from '../analysis/range.ts';
import { countStats } from '../analysis/stats.ts';
import type { ChannelView } from '../model/document.ts';
import { isAbort } from './notices.ts';
import type { Settled } from './planes.ts';
import type { Tab } from './tab.ts';

/** Leaves the contrast of channels in `settled` and of those that the user has changed. */
export async function countLoaded(tab: Tab, settled: Settled): Promise<void> {
  const { source, reference } = tab.document;
  for (const channel of [...source.value.channels, ...(reference.value?.channels ?? [])]) {
    try {
      await count(channel, settled.has(channel), tab.ending.signal);
    } catch (error) {
      if (!isAbort(error)) throw error;
      return;
    }
  }
}

const counted = new WeakMap<ChannelView, Float32Array>();

async function count(channel: ChannelView, settled: boolean, signal: AbortSignal): Promise<void> {
  const data = channel.data.value;
  if (data === null || counted.get(channel) === data) return;
  counted.set(channel, data);
  const { min, max } = channel.display.value;
  const stats = await countStats(data, { signal });
  if (channel.data.value !== data) return;
  channel.stats.value = stats;
  const untouched = channel.display.value.min === min && channel.display.value.max === max;
  if (!settled && untouched) channel.display.value = { ...channel.display.value, ...autoRange(stats) };
}
