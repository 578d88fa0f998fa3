/** Two acquisitions beside each other, with linked cursors and zoom. */
import { computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { linkPanes } from './link-panes.ts';
import type { Notices } from './notices.ts';
import { storedSignal } from './stored.ts';
import type { Tab } from './tab.ts';
import type { Tabs } from './tabs.ts';

export interface Beside {
  /** Both tabs from left to right, one of them the active one; null while one acquisition is shown. */
  readonly pair: ReadonlySignal<readonly [Tab, Tab] | null>;
  /** The tab beside the active one. */
  readonly other: ReadonlySignal<Tab | null>;
  /** True while zoom and cursor of both are linked. */
  readonly linked: Signal<boolean>;
  show(left: Tab, right: Tab): void;
  /** Shows the tab that was active before beside the active one, or ends it. Returns false with a single tab. */
  toggle(): boolean;
}

type Ids = readonly [left: string, right: string];

export function createBeside({ list, active }: Pick<Tabs, 'list' | 'active'>): Beside {
  const ids = signal<Ids | null>(null);
  const linked = storedSignal('linked', (value) => value !== false);
  let before: Tab | null = null;
  let last: Tab | null = null;

  const pair = computed(() => {
    const [left, right] = (ids.value ?? []).map((id) => list.value.find(({ document }) => document.id === id));
    return left && right && (left === active.value || right === active.value) ? ([left, right] as const) : null;
  });
  effect(() => {
    const now = active.value;
    const shown = ids.peek();
    const next = now && shown && keepPair(shown, now.document.id, last?.document.id);
    if (now && next !== shown) ids.value = next;
    if (now !== last) [before, last] = [last, now];
  });
  effect(() => {
    // A closed tab ends it, and must not be held here with its planes.
    const open = list.value;
    if (ids.value?.some((id) => open.every(({ document }) => document.id !== id))) ids.value = null;
    const ifOpen = (tab: Tab | null) => (tab !== null && open.includes(tab) ? tab : null);
    [before, last] = [ifOpen(before), ifOpen(last)];
  });
  effect(() => {
    if (pair.value === null || !linked.value) return undefined;
    const [left, right] = pair.value.map(({ document }) => document.source.value);
    // The active one leads at the start.
    return pair.peek()?.[0] === active.peek() ? linkPanes(left!, right!) : linkPanes(right!, left!);
  });

  const beside: Beside = {
    pair,
    other: computed(() => pair.value?.find((tab) => tab !== active.value) ?? null),
    linked,
    show(left, right) {
      ids.value = [left.document.id, right.document.id];
    },
    toggle() {
      const tabs = list.peek();
      const now = active.peek();
      if (ids.peek() !== null) {
        ids.value = null;
        return true;
      }
      const candidates = [before, tabs[now ? tabs.indexOf(now) + 1 : 0], tabs[0]];
      const other = candidates.find((tab) => tab && tab !== now && tabs.includes(tab));
      if (!now || !other) return false;
      const [left, right] = tabs.indexOf(now) < tabs.indexOf(other) ? [now, other] : [other, now];
      beside.show(left, right);
      return true;
    },
  };
  return beside;
}

/** Shows two acquisitions beside each other, or one again. */
export function toggleBeside({
  beside,
  workspace,
}: {
  readonly beside: Beside;
  readonly workspace: { readonly notices: Notices };
}): void {
  if (beside.toggle()) return;
  workspace.notices.show({ message: 'Open a second acquisition to see two side by side.' });
}

/** Returns the pair that has the active tab: a tab outside of it takes the place of the one that was active. */
function keepPair(ids: Ids, now: string, last: string | undefined): Ids {
  if (ids.includes(now)) return ids;
  return ids[0] === last ? [now, ids[1]] : [ids[0], now];
}
