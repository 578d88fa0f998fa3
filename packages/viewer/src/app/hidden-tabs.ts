/** Lets go of the planes of tabs that have been hidden for a while, and gets them back when the tabs are shown again. */
import { batch, effect } from '@preact/signals';
import type { ChannelView } from '../model/document.ts';
import { isCells } from '../render/cells.ts';
import { allChannels } from './loading.ts';
import { readStored } from './stored.ts';
import type { Tab } from './tab.ts';
import type { Tabs } from './tabs.ts';

/** Milliseconds that a hidden tab keeps its planes. */
export const HIDDEN_MS = 120_000;
const CHECK_INTERVAL = 5_000;
const DEFAULT_MIB = 256;

/** Returns the bytes that all hidden tabs may keep. `acqstore.hiddenTabs` in the storage of the page sets MiB. */
function hiddenBudget(): number {
  const stored = readStored('hiddenTabs');
  return (typeof stored === 'number' && stored >= 0 ? stored : DEFAULT_MIB) * 2 ** 20;
}

/** Bytes of the samples that a tab keeps in this page. */
export function heldBytes(tab: Tab): number {
  return allChannels(tab).reduce((sum, channel) => sum + bytesOf(channel), 0);
}

function bytesOf({ data, far }: ChannelView): number {
  const parts = far.value?.parts.value ?? [];
  const partBytes = parts.map((part) => (isCells(part.data) ? 16 * part.data.mean.length : part.data.byteLength));
  return partBytes.reduce((sum, bytes) => sum + bytes, data.value?.byteLength ?? 0);
}

/**
 * Follows the tabs. `getBack` loads the planes of a tab again. Returns a function that looks at once whether a hidden tab
 * must let go.
 */
export function letHiddenTabsGo(tabs: Tabs, getBack: (tab: Tab) => void, now = () => performance.now()): () => void {
  /** Since when each tab is hidden. */
  const hiddenSince = new Map<Tab, number>();
  const gone = new WeakSet<Tab>();

  const check = () => {
    let bytes = [...hiddenSince.keys()].reduce((sum, tab) => sum + heldBytes(tab), 0);
    for (const [tab, since] of [...hiddenSince].sort(([, a], [, b]) => a - b)) {
      if (bytes <= hiddenBudget() && now() - since < HIDDEN_MS) break;
      if (!isAtRest(tab)) continue;
      bytes -= heldBytes(tab);
      letGo(tab);
      gone.add(tab);
    }
  };
  effect(() => {
    const active = tabs.active.value;
    const open = new Set(tabs.list.value);
    for (const tab of hiddenSince.keys()) if (!open.has(tab)) hiddenSince.delete(tab);
    for (const tab of open) if (tab !== active && !hiddenSince.has(tab)) hiddenSince.set(tab, now());
    if (active === null) return;
    hiddenSince.delete(active);
    // Not as a part of this effect, which would then follow the planes.
    queueMicrotask(() => {
      if (gone.delete(active)) getBack(active);
      check();
    });
  });
  setInterval(check, CHECK_INTERVAL);
  return check;
}

/** True when nothing is being loaded, and there is something to let go. */
function isAtRest(tab: Tab): boolean {
  return heldBytes(tab) > 0 && allChannels(tab).every(({ load }) => load.peek().state !== 'loading');
}

/** Contrast, statistics, views and marks stay. */
function letGo(tab: Tab): void {
  batch(() => {
    for (const { data, far, load } of allChannels(tab)) {
      data.value = null;
      far.value?.release();
      far.value = null;
      if (load.value.state === 'ready') load.value = { state: 'waiting' };
    }
  });
}
