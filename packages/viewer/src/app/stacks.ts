/** The stacks of the tabs. Only the one of the visible tab keeps planes. */
import { effect } from '@preact/signals';
import { giveRange, hasGivenRange } from '../contrast/adjust.ts';
import { planePlace, selectionAt } from '../stack/place.ts';
import { Stack } from '../stack/stack.ts';
import { countLoaded } from './counting.ts';
import { fetchPlane } from './fetch-plane.ts';
import { firstRange } from './first-range.ts';
import { allChannels } from './loading.ts';
import type { Server } from './server.ts';
import type { Tab } from './tab.ts';
import type { Tabs } from './tabs.ts';

export interface Stacks {
  stackOf(tab: Tab): Stack;
}

interface StackEvents {
  /** Opens another time point or section in a new session, and returns false when that failed. */
  select(tab: Tab, selection: Record<string, number>): Promise<boolean>;
  /** Returns true when a read failed because the file has changed, and it is about to be opened again. */
  isChanging(tab: Tab, error: unknown): boolean;
}

export function createStacks(tabs: Tabs, server: Server, { select, isChanging }: StackEvents): Stacks {
  const stacks = new Map<Tab, Stack>();
  effect(() => {
    const active = tabs.active.value;
    const open = new Set(tabs.list.value);
    for (const [tab, stack] of stacks) {
      if (tab !== active) stack.sleep();
      if (!open.has(tab)) {
        stack.dispose();
        stacks.delete(tab);
      }
    }
  });
  // What could not be read while the server was away is read now.
  effect(() => {
    if (server.connection.value.state !== 'up') return;
    for (const stack of stacks.values()) if (stack.failure.peek() !== null) stack.retry();
  });
  return {
    stackOf(tab) {
      let stack = stacks.get(tab);
      if (stack === undefined) {
        stack = new Stack(tab.document, {
          read: async (channel, place, signal) => {
            const { opened, info } = tab.document;
            const request = { kind: 'source', channel: channel.index, ...planePlace(info.value, place) } as const;
            const samples = await fetchPlane(opened.value, request, { signal });
            // The user moved before the first plane had come.
            const isFirst = channel.stats.value === null && channel.data.value === null && channel.fileRange === null;
            if (isFirst && hasGivenRange(channel)) {
              giveRange(channel, firstRange(samples, tab.document.source.value.colorImage));
            }
            return samples;
          },
          reopen: (place) => select(tab, selectionAt(tab.document.info.value, place)),
          suspect: (error) => {
            server.suspect(error);
            return isChanging(tab, error);
          },
          rest: (moved) => {
            const signal = AbortSignal.any([moved, tab.ending.signal]);
            void countLoaded(tab, new Set(allChannels(tab)), signal);
          },
        });
        stacks.set(tab, stack);
      }
      return stack;
    },
  };
}
