/** The open tabs, in their order, and which of them is shown. */
import { computed, type ReadonlySignal, signal } from '@preact/signals';
import type { Tab } from './tab.ts';

export interface Tabs {
  readonly list: ReadonlySignal<readonly Tab[]>;
  readonly active: ReadonlySignal<Tab | null>;
  add(tab: Tab): void;
  activate(tab: Tab): void;
  /** Ends the session of a tab and removes it; the tab after it is shown, or the one before. */
  close(tab: Tab): void;
}

export function createTabs(): Tabs {
  const list = signal<readonly Tab[]>([]);
  const activeId = signal('');
  return {
    list,
    active: computed(() => list.value.find(({ document }) => document.id === activeId.value) ?? null),
    add(tab) {
      list.value = [...list.value, tab];
    },
    activate(tab) {
      activeId.value = tab.document.id;
    },
    close(tab) {
      const position = list.value.indexOf(tab);
      if (position < 0) return;
      tab.ending.abort();
      list.value = list.value.filter((other) => other !== tab);
      if (activeId.value === tab.document.id) {
        activeId.value = (list.value[position] ?? list.value[position - 1])?.document.id ?? '';
      }
      void tab.document.opened.value.close({ keepalive: true });
    },
  };
}
