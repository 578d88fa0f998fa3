/** Every key of the page, for the help; and those that work anywhere on it. */
import { CONTRAST_KEYS } from '../contrast/keys.ts';
import { OWN_TOOLS, SWITCHES } from '../image/commands.ts';
import { CARD_KEYS } from '../image/keys.ts';
import type { Page } from './context.ts';
import { TOOLS } from './parts.ts';

export interface KeyGroup {
  readonly title: string;
  readonly keys: readonly (readonly [strokes: string, meaning: string])[];
}

export const KEYS: readonly KeyGroup[] = [
  {
    title: 'Opening',
    keys: [
      ['Ctrl + O', 'Open a file in the dialog of this computer'],
      ['Ctrl + Shift + O', 'Open a folder'],
      ['Alt + P', 'Go to the path field'],
      ['Alt + Page Up', 'Acquisition before this one'],
      ['Alt + Page Down', 'Acquisition after this one'],
      ['Alt + 1 … 9', 'Acquisition by its place'],
      ['Alt + W', 'Close this acquisition'],
    ],
  },
  {
    title: 'An image that has the focus',
    keys: CARD_KEYS.map(({ keys, does }) => [keys, does] as const),
  },
  {
    title: 'Tools and switches of an image',
    keys: [...OWN_TOOLS, ...TOOLS, ...SWITCHES].map(({ key, label }) => [key.toUpperCase(), label] as const),
  },
  {
    title: 'Contrast',
    keys: CONTRAST_KEYS.map(({ keys, does }) => [keys, does] as const),
  },
  {
    title: 'Page',
    keys: [
      ['F1', 'This help'],
      ['Alt + B', 'Side bar'],
      ['Escape', 'Close a dialog or list; stop a drag'],
    ],
  },
];

/** Keys with Ctrl or Alt only, so that text and images keep their letters. @returns what undoes it */
export function listenForKeys(page: Page): () => void {
  const listener = (event: KeyboardEvent) => {
    if (event.defaultPrevented || page.dialog.value !== null) return;
    const work = actionOf(event, page);
    if (!work) return;
    event.preventDefault();
    work();
  };
  addEventListener('keydown', listener);
  return () => removeEventListener('keydown', listener);
}

function actionOf(event: KeyboardEvent, { workspace, dialog, sideShown }: Page): (() => void) | undefined {
  const { code, ctrlKey, metaKey, altKey, shiftKey } = event;
  const { tabs, active } = workspace;
  const move = (by: number) => {
    const list = tabs.value;
    const at = active.value ? list.indexOf(active.value) : 0;
    const next = list[(at + by + list.length) % list.length];
    if (next) workspace.activate(next);
  };
  if (code === 'F1') {
    return () => {
      dialog.value = 'help';
    };
  }
  if ((ctrlKey || metaKey) && !altKey && code === 'KeyO') {
    return () => void workspace.pick(shiftKey ? 'folder' : 'file');
  }
  if (!altKey || ctrlKey || metaKey || shiftKey) return undefined;
  if (code === 'PageUp') return () => move(-1);
  if (code === 'PageDown') return () => move(1);
  if (code === 'KeyB') {
    return () => {
      sideShown.value = !sideShown.value;
    };
  }
  if (code === 'KeyP') return () => document.querySelector<HTMLInputElement>('input[name="path"]')?.focus();
  const tab = active.value;
  if (code === 'KeyW' && tab) return () => workspace.close(tab);
  const place = /^Digit([1-9])$/.exec(code)?.[1];
  const wanted = place === undefined ? undefined : tabs.value[Number(place) - 1];
  return wanted && (() => workspace.activate(wanted));
}
