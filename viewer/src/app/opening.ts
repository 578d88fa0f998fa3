/** Shows an acquisition that the server has opened, in its own tab or in the tab that already has it. */
import type { Signal } from '@preact/signals';
import type { OpenedAcquisition } from '../model/client.ts';
import type { ChannelView } from '../model/document.ts';
import { Kymograph } from '../stack/kymograph.ts';
import { allChannels, type Loader } from './loading.ts';
import type { Settled } from './planes.ts';
import { type Recent, withRecent } from './recents.ts';
import { recallSwitches } from './switches.ts';
import { adopt, applyWindows, createTab, type Tab } from './tab.ts';
import type { Tabs } from './tabs.ts';
import type { Task } from './tasks.ts';
import { applyView, type ViewState } from './view-state.ts';

interface Opener {
  /**
   * Shows `acquisition` as `view` describes it, and loads its planes. Closes it again when `task` has been canceled.
   */
  show(acquisition: OpenedAcquisition, task: Task, view: ViewState | null): Promise<void>;
}

export function createOpener(tabs: Tabs, loader: Loader, recents: Signal<readonly Recent[]>): Opener {
  function showIn(acquisition: OpenedAcquisition, view: ViewState | null): { tab: Tab; settled: Settled } {
    const existing = view === null ? tabs.list.value.find((tab) => holds(tab, acquisition)) : undefined;
    if (existing) return { tab: existing, settled: replaceIn(existing, acquisition) };
    const tab = createTab(acquisition);
    const windowed = applyWindows(tab);
    if (view) applyView(tab.document, view);
    else recallSwitches(tab.document);
    tabs.add(tab);
    return { tab, settled: new Set([...windowed, ...channelsWithContrast(tab, view)]) };
  }

  return {
    async show(acquisition, task, view) {
      if (task.signal.aborted) {
        await acquisition.close();
        task.signal.throwIfAborted();
      }
      // A kymograph has no file of its own.
      if (!(acquisition instanceof Kymograph)) recents.value = withRecent(recents.value, toRecent(acquisition));
      const { tab, settled } = showIn(acquisition, view);
      tabs.activate(tab);
      await loader.load(tab, task, settled);
    },
  };
}

/** Replaces the session of a tab by a newly opened one of the same selection, whose planes are loaded again. */
function replaceIn(tab: Tab, acquisition: OpenedAcquisition): Settled {
  const before = tab.document.opened.value;
  const settled = adopt(tab, acquisition);
  for (const channel of allChannels(tab)) channel.load.value = { state: 'waiting' };
  void before.close();
  return settled;
}

function holds(tab: Tab, { info }: OpenedAcquisition): boolean {
  const { source, selection, projection } = tab.document.info.value;
  const same = JSON.stringify([selection, projection]) === JSON.stringify([info.selection, info.projection]);
  return source.path === info.source.path && same;
}

/** Channels whose contrast is given by a link. */
function channelsWithContrast({ document }: Tab, view: ViewState | null): ChannelView[] {
  const panes = [
    [document.source.value, view?.source],
    [document.reference.value, view?.reference],
  ] as const;
  return panes.flatMap(
    ([pane, state]) => pane?.channels.filter(({ index }) => state?.displays[index] !== undefined) ?? [],
  );
}

function toRecent({ info }: OpenedAcquisition): Recent {
  const { source, selection, channels, header } = info;
  const indices = channels.map(({ index }) => index);
  return {
    path: source.path,
    name: source.name,
    format: source.format,
    ...(selection ? { selection } : {}),
    ...(indices.length === header.numChannels ? {} : { channels: indices }),
  };
}
