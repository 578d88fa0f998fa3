/** Keeps a toolbar one tab stop: Tab reaches one of its buttons, and the arrow keys the others. */
import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

/** Buttons of menus and dialogs that the toolbar opens have stops of their own. */
function buttonsOf(toolbar: HTMLElement): HTMLButtonElement[] {
  const all = toolbar.querySelectorAll<HTMLButtonElement>('button');
  return [...all].filter((one) => one.closest('[role="menu"], dialog') === null && one.getClientRects().length > 0);
}

function makeStop(toolbar: HTMLElement, stop: HTMLButtonElement): void {
  for (const button of buttonsOf(toolbar)) button.tabIndex = button === stop ? 0 : -1;
}

export function useToolbarStops(element: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const toolbar = element.current;
    if (toolbar === null) return;
    let stop: HTMLButtonElement | null = null;
    const settle = () => {
      const buttons = buttonsOf(toolbar);
      const kept = stop !== null && buttons.includes(stop) ? stop : buttons[0];
      if (kept) makeStop(toolbar, kept);
    };
    const focused = ({ target }: FocusEvent) => {
      if (!(target instanceof HTMLButtonElement) || !buttonsOf(toolbar).includes(target)) return;
      stop = target;
      makeStop(toolbar, target);
    };
    // Buttons come and go with the kind of the acquisition.
    const observer = new MutationObserver(settle);
    observer.observe(toolbar, { childList: true, subtree: true });
    toolbar.addEventListener('focusin', focused);
    settle();
    return () => {
      observer.disconnect();
      toolbar.removeEventListener('focusin', focused);
    };
  }, [element]);
}

/** Moves the focus between the buttons with the arrow keys. */
export function moveAlongToolbar(event: KeyboardEvent & { readonly currentTarget: EventTarget | null }): void {
  const buttons = buttonsOf(event.currentTarget as HTMLElement);
  const at = buttons.indexOf(event.target as HTMLButtonElement);
  const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: buttons.length - 1 }[event.key];
  if (at < 0 || to === undefined) return;
  buttons[(to + buttons.length) % buttons.length]?.focus();
  event.preventDefault();
}
