/** Loads the planes of tabs: for each tab one selection at a time. */
import { type ChannelView, isLoaded } from '../model/document.ts';
import { countLoaded } from './counting.ts';
import { isAbort } from './notices.ts';
import { loadPlanes, markCanceled, type Settled } from './planes.ts';
import { followStackRange } from './stack-range.ts';
import type { Tab } from './tab.ts';
import type { Tabs } from './tabs.ts';
import type { Task } from './tasks.ts';

export interface Loader {
  /** Makes `task` the one that loads `tab`, and cancels the one before it. */
  begin(tab: Tab, task: Task): void;
  /** Returns the task that loads `tab`, or loaded it last. */
  newest(tab: Tab): Task | undefined;
  /** Loads every plane of `tab` that is missing. Channels in `settled` keep their contrast. */
  load(tab: Tab, task: Task, settled: Settled): Promise<void>;
  /** Ends the loading of `tab` and rethrows `error`. Planes that have arrived stay; a tab without any is closed. */
  stop(tab: Tab, task: Task, error: unknown): never;
}

export function createLoader(tabs: Tabs): Loader {
  const newest = new WeakMap<Tab, Task>();
  const loader: Loader = {
    begin(tab, task) {
      const before = newest.get(tab);
      newest.set(tab, task);
      if (before !== task) before?.cancel();
    },
    newest: (tab) => newest.get(tab),
    async load(tab, task, settled) {
      loader.begin(tab, task);
      tab.ending.signal.addEventListener('abort', task.cancel, { once: true });
      try {
        await loadPlanes(tab.document, task, settled);
      } catch (error) {
        loader.stop(tab, task, error);
      } finally {
        tab.ending.signal.removeEventListener('abort', task.cancel);
      }
      void countLoaded(tab, settled).then(() => followStackRange(tab, settled));
    },
    stop(tab, task, error) {
      if (newest.get(tab) === task) {
        markCanceled(tab.document);
        // A hidden tab that has let its planes go stays.
        const empty = !allChannels(tab).some((channel) => isLoaded(channel) || channel.stats.value !== null);
        if (empty && isAbort(error)) tabs.close(tab);
      }
      throw error;
    },
  };
  return loader;
}

/** Channels of the source image and of the reference image. */
export function allChannels({ document }: Tab): readonly ChannelView[] {
  return [...document.source.value.channels, ...(document.reference.value?.channels ?? [])];
}
