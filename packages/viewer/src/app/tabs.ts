/** The open tabs, in their order, and which of them is shown. */
import { computed, type ReadonlySignal, signal } from '@preact/signals';
import type { Tab } from './tab.ts';

export interface Tabs {
  readonly list: ReadonlySignal<readonly Tab[]>;
  readonly active: ReadonlySignal<Tab | null>;
  /** Adds a tab at the end, or before another one. */
  add(tab: Tab, before?: Tab): void;
  activate(tab: Tab): void;
  /** Moves a tab to a position among the others; one outside the list is its nearest end. */
  move(tab: Tab, to: number): void;
  /** Shows the start page; the tabs stay open. */
  leave(): void;
  /** Ends the session of a tab and removes it; the tab after it is shown, or the one before. */
  close(tab: Tab): void;
}

export function createTabs(): Tabs {
  const list = signal<readonly Tab[]>([]);
  const activeId = signal('');
  return {
    list,
    active: computed(() => list.value.find(({ document }) => document.id === activeId.value) ?? null),
    add(tab, before) {
      const at = before ? list.value.indexOf(before) : -1;
      list.value = at < 0 ? [...list.value, tab] : list.value.toSpliced(at, 0, tab);
    },
    leave() {
      activeId.value = '';
    },
    activate(tab) {
      activeId.value = tab.document.id;
    },
    move(tab, to) {
      const from = list.value.indexOf(tab);
      const others = list.value.filter((other) => other !== tab);
      const at = Math.min(Math.max(to, 0), others.length);
      if (from >= 0 && from !== at) list.value = others.toSpliced(at, 0, tab);
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
