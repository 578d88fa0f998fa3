import { type Signal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Closes what is open when a pointer is pressed outside of its element, or when the focus leaves it. */
export function useCloseElsewhere(root: RefObject<HTMLElement | null>, open: Signal<boolean>): void {
  useEffect(() => {
    if (!open.value) return;
    const elsewhere = (event: Event) => {
      if (!root.current?.contains(event.target as Node)) open.value = false;
    };
    addEventListener('pointerdown', elsewhere, true);
    addEventListener('focusin', elsewhere, true);
    return () => {
      removeEventListener('pointerdown', elsewhere, true);
      removeEventListener('focusin', elsewhere, true);
    };
  }, [open.value]);
}

/** A panel that a button opens: closed by Escape, by a click elsewhere, or when the focus leaves it. */
export function usePanel(shown?: Signal<boolean>) {
  const own = useSignal(false);
  const open = shown ?? own;
  /** Contains the button and the panel. */
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useCloseElsewhere(root, open);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !open.value) return;
    event.stopPropagation();
    open.value = false;
    button.current?.focus();
  };
  return { open, root, button, onKeyDown };
}
