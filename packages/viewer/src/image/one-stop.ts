/** Keeps a group of buttons one tab stop: Tab reaches one of them, and the arrow keys the others. */
import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

type StopItem = HTMLButtonElement | HTMLInputElement;

/** Menus, panels and dialogs that the group opens have stops of their own. */
const APART = '[role="menu"], .app-menu-panel, dialog';

function itemsOf(group: HTMLElement): StopItem[] {
  const all = group.querySelectorAll<StopItem>('button, input[type="checkbox"]');
  return [...all].filter((one) => one.closest(APART) === null && !one.disabled && one.getClientRects().length > 0);
}

function makeStop(items: readonly StopItem[], stop: StopItem): void {
  for (const item of items) item.tabIndex = item === stop ? 0 : -1;
}

/** @param isGroup false for a part of a group that is one stop as a whole */
export function useOneStop(element: RefObject<HTMLElement | null>, isGroup = true): void {
  useLayoutEffect(() => {
    const group = element.current;
    if (group === null || !isGroup) return;
    let stop: StopItem | null = null;
    const settle = () => {
      const items = itemsOf(group);
      const kept = stop !== null && items.includes(stop) ? stop : items[0];
      if (kept) makeStop(items, kept);
    };
    const focused = ({ target }: FocusEvent) => {
      const items = itemsOf(group);
      const item = items.find((one) => one === target);
      if (item === undefined) return;
      stop = item;
      makeStop(items, item);
    };
    // Buttons come and go with the kind of the acquisition, and with the width of the window.
    const changes = new MutationObserver(settle);
    changes.observe(group, { childList: true, subtree: true, attributeFilter: ['disabled'] });
    const sizes = new ResizeObserver(settle);
    sizes.observe(group);
    group.addEventListener('focusin', focused);
    settle();
    return () => {
      changes.disconnect();
      sizes.disconnect();
      group.removeEventListener('focusin', focused);
    };
  }, [element, isGroup]);
}

type GroupEvent = KeyboardEvent & { readonly currentTarget: EventTarget | null };

const ALONG: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };
const THROUGH: Readonly<Record<string, number>> = { ...ALONG, ArrowUp: -1, ArrowDown: 1 };

/** Moves the focus between the buttons of a row with the arrow keys. */
export function moveAlong(event: GroupEvent): void {
  move(event, ALONG);
}

/** Moves the focus between the buttons of a list, also with the arrow keys up and down. */
export function moveThrough(event: GroupEvent): void {
  move(event, THROUGH);
}

function move(event: GroupEvent, steps: Readonly<Record<string, number>>): void {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const items = itemsOf(event.currentTarget as HTMLElement);
  const at = items.indexOf(event.target as StopItem);
  const step = steps[event.key];
  const to = step === undefined ? { Home: 0, End: items.length - 1 }[event.key] : at + step;
  if (at < 0 || to === undefined) return;
  items[(to + items.length) % items.length]?.focus();
  event.preventDefault();
}
