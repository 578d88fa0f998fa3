import { signal } from '@preact/signals';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { HIDDEN_MS, heldBytes, letHiddenTabsGo } from '../../../packages/viewer/src/app/hidden-tabs.ts';
import type { Tab } from '../../../packages/viewer/src/app/tab.ts';
import { createTabs, type Tabs } from '../../../packages/viewer/src/app/tabs.ts';
import { testPane } from '../image/test-pane.ts';

const MEBIBYTE = 2 ** 20;
const SHAPE = [1024, 1024] as const;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A tab with two channels of 50 MiB. */
function loadedTab(id: string): Tab {
  const pane = testPane({ shape: SHAPE, y: [1, 'seconds'], x: [1, 'micrometer'], channels: 2 });
  const tab = {
    document: { id, source: signal(pane), reference: signal(null), opened: signal({ close: async () => {} }) },
    ending: new AbortController(),
  } as unknown as Tab;
  load(tab);
  return tab;
}

function load(tab: Tab): void {
  for (const channel of tab.document.source.value.channels) {
    channel.data.value = new Uint16Array(25 * MEBIBYTE);
    channel.load.value = { state: 'ready' };
  }
}

async function show(tabs: Tabs, tab: Tab): Promise<void> {
  tabs.activate(tab);
  await vi.advanceTimersByTimeAsync(1000);
}

function fiveTabs() {
  const tabs = createTabs();
  const back: string[] = [];
  letHiddenTabsGo(
    tabs,
    (tab) => {
      back.push(tab.document.id);
      load(tab);
    },
    () => Date.now(),
  );
  const all = ['a', 'b', 'c', 'd', 'e'].map(loadedTab);
  const open = async (count: number) => {
    for (const tab of all.slice(0, count)) {
      tabs.add(tab);
      await show(tabs, tab);
    }
  };
  const held = () => tabs.list.value.map((tab) => heldBytes(tab) / MEBIBYTE);
  return { tabs, all, back, held, open };
}

it('keeps the planes of hidden tabs within a budget, those shown last', async () => {
  const { tabs, all, back, held, open } = fiveTabs();
  await open(5);
  // The hidden ones may keep 256 MiB.
  expect(held()).toEqual([0, 0, 100, 100, 100]);
  expect(back).toEqual([]);
  await show(tabs, all[0]!);
  expect(back).toEqual(['a']);
  expect(held()).toEqual([100, 0, 0, 100, 100]);
});

it('lets go of all hidden planes after a while, and never of the shown ones', async () => {
  const { tabs, all, back, held, open } = fiveTabs();
  await open(3);
  await vi.advanceTimersByTimeAsync(HIDDEN_MS + 10_000);
  expect(held()).toEqual([0, 0, 100]);
  expect(all[0]!.document.source.value.channels[0]!.load.value).toEqual({ state: 'waiting' });
  await show(tabs, all[1]!);
  expect([back, held()[1]]).toEqual([['b'], 100]);
  // Only once.
  await show(tabs, all[2]!);
  await show(tabs, all[1]!);
  expect(back).toEqual(['b']);
});

it('leaves a hidden tab alone while it is being loaded', async () => {
  const { all, held, open } = fiveTabs();
  const [channel] = all[0]!.document.source.value.channels;
  channel!.load.value = { state: 'loading', received: 1, total: 2 };
  await open(5);
  expect(held()).toEqual([100, 0, 0, 100, 100]);
  channel!.load.value = { state: 'ready' };
  await vi.advanceTimersByTimeAsync(HIDDEN_MS + 10_000);
  expect(held()).toEqual([0, 0, 0, 0, 100]);
});
