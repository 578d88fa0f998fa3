import type { Signal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

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
