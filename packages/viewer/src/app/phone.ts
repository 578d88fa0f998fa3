/** Windows as narrow as a phone: the sidebar is a sheet over the picture. */
import { type Signal, signal } from '@preact/signals';

export type SheetName = 'channels' | 'measure' | 'file';

export interface Phone {
  /** True in a window of a phone, and in one that is magnified as much. */
  readonly isNarrow: Signal<boolean>;
  /** The part of the sidebar that is open as a sheet; null without. */
  readonly sheet: Signal<SheetName | null>;
}

/** As in the style sheets. */
const NARROW = '(max-width: 640px)';

export function createPhone(): Phone {
  const query = matchMedia(NARROW);
  const isNarrow = signal(query.matches);
  query.addEventListener('change', () => {
    isNarrow.value = query.matches;
  });
  return { isNarrow, sheet: signal<SheetName | null>(null) };
}

/** Shows the sidebar or its sheet, or hides it. */
export function toggleSide({ phone, sideShown }: { phone: Phone; sideShown: Signal<boolean> }): void {
  if (phone.isNarrow.peek()) phone.sheet.value = phone.sheet.peek() === null ? 'channels' : null;
  else sideShown.value = !sideShown.peek();
}
