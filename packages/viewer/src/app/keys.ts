/** All keys of the page, for the help dialog, and the listener for those that work everywhere. */
import { CONTRAST_KEYS } from '../contrast/keys.ts';
import { chooseLayout } from '../image/actions.ts';
import { BASE_TOOLS, SWITCHES } from '../image/commands.ts';
import { CARD_KEYS } from '../image/keys.ts';
import { OVERVIEW_KEYS } from '../measure/overview.ts';
import { STACK_KEYS, stackAction } from '../stack/keys.ts';
import { planeDims, stackDims } from '../stack/place.ts';
import { toggleBeside } from './beside.ts';
import type { Page } from './context.ts';
import { TOOLS } from './parts.ts';
import { toggleSide } from './phone.ts';

interface KeyGroup {
  readonly title: string;
  readonly keys: readonly (readonly [strokes: string, meaning: string])[];
}

export const KEYS: readonly KeyGroup[] = [
  {
    title: 'Opening',
    keys: [
      ['Ctrl + O', 'Open a file'],
      ['Ctrl + Shift + O', 'Open a folder'],
      ['Alt + P', 'Go to the path field'],
      ['Alt + ↓', 'Open the next file in the folder instead of this one'],
      ['Alt + ↑', 'Open the previous file in the folder'],
      ['Alt + Page Up', 'Show the previous acquisition'],
      ['Alt + Page Down', 'Show the next acquisition'],
      ['Alt + 1 … 9', 'Show an acquisition by its position'],
      ['Alt + A', 'Find one of the open acquisitions'],
      ['Alt + Shift + Page Up', 'Move this acquisition to the left'],
      ['Alt + Shift + Page Down', 'Move this acquisition to the right'],
      ['Alt + W', 'Close this acquisition'],
      ['Alt + S', 'Show two acquisitions side by side, or one again'],
      ['Alt + K', 'Link or unlink zoom and cursor of both'],
    ],
  },
  {
    title: 'Focused image',
    keys: CARD_KEYS.map(({ keys, does }) => [keys, does] as const),
  },
  {
    title: 'Overview bar of a line scan',
    keys: OVERVIEW_KEYS.map(({ keys, does }) => [keys, does] as const),
  },
  {
    title: 'Image tools and switches',
    keys: [...BASE_TOOLS, ...TOOLS, ...SWITCHES].map(({ key, label }) => [key.toUpperCase(), label] as const),
  },
  {
    title: 'Time points and sections',
    keys: STACK_KEYS.map(({ keys, does }) => [keys, does] as const),
  },
  {
    title: 'Contrast',
    keys: CONTRAST_KEYS.map(({ keys, does }) => [keys, does] as const),
  },
  {
    title: 'Page',
    keys: [
      ['F1', 'Show this help'],
      ['Tab', 'Go to the next group: toolbar, tabs, channels, list, section of the sidebar'],
      ['Arrows', 'Move within the group; down goes from the heading of a section to its controls'],
      ['Alt + B', 'Show or fold the sidebar'],
      ['Alt + R', 'Enlarge the reference, or put it back into the sidebar'],
      ['Ctrl + S', 'Save figures, images and numbers'],
      ['Escape', 'Close a dialog or list; cancel a drag'],
    ],
  },
];

/**
 * Listens for keys with Ctrl or Alt, and for those of time points and sections; plain letters belong to text fields and
 * images. Returns a function that stops listening.
 */
export function listenForKeys(page: Page): () => void {
  const listener = (event: KeyboardEvent) => {
    if (event.defaultPrevented || page.dialog.value !== null) return;
    const work =
      findAction(event, page) ??
      findStackAction(event, page) ??
      findLayoutAction(event, page) ??
      findPictureAction(event, page);
    if (!work) return;
    event.preventDefault();
    work();
  };
  addEventListener('keydown', listener);
  return () => removeEventListener('keydown', listener);
}

function findStackAction(event: KeyboardEvent, { workspace }: Page): (() => void) | undefined {
  const tab = workspace.active.value;
  if (!tab || takesText(event.target)) return undefined;
  return stackAction(event, stackDims(tab.document.info.value), workspace.stackOf(tab));
}

/** Shows or leaves the orthogonal views of the source. */
function findLayoutAction(event: KeyboardEvent, { workspace }: Page): (() => void) | undefined {
  const { key, target, ctrlKey, altKey, metaKey } = event;
  const document = workspace.active.value?.document;
  if (document === undefined || key.toLowerCase() !== 'o' || ctrlKey || altKey || metaKey) return undefined;
  const pane = document.source.value;
  if (takesText(target) || opensList(target) || planeDims(document.info.value, pane).length === 0) return undefined;
  return () => {
    document.activePane.value = 'source';
    chooseLayout(pane, pane.orthogonal.value.shown ? null : 'orthogonal');
  };
}

/** Keys that an image takes, besides letters and signs. */
const PICTURE_KEYS = /^(Arrow|Page|Home|End|Enter|Delete|.$)/;

/** What had the focus is gone, as after a tab was closed or the page was loaded again: the image takes the key. */
function findPictureAction(event: KeyboardEvent, { workspace }: Page): (() => void) | undefined {
  const { key, code, target, ctrlKey, metaKey, altKey, shiftKey } = event;
  if (target !== document.body || workspace.active.value === null) return undefined;
  if (ctrlKey || metaKey || altKey || !PICTURE_KEYS.test(key)) return undefined;
  const stage = document.querySelector<HTMLElement>('.image-pane-active .image-stage');
  if (stage === null) return undefined;
  return () => {
    stage.focus();
    stage.dispatchEvent(new KeyboardEvent('keydown', { key, code, shiftKey, bubbles: true, cancelable: true }));
  };
}

/** True for a field where a key writes a character. A number field does not take brackets. */
function takesText(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return /^(text|search|url|password|email)$/.test(target.type);
  return target instanceof HTMLTextAreaElement || (target instanceof HTMLElement && target.isContentEditable);
}

function findAction(event: KeyboardEvent, page: Page): (() => void) | undefined {
  const { workspace, dialog, beside } = page;
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
    return () => void workspace.ways.pick(shiftKey ? 'folder' : 'file');
  }
  if ((ctrlKey || metaKey) && !altKey && !shiftKey && code === 'KeyS' && active.value) {
    return () => {
      page.saving.value = true;
    };
  }
  if (!altKey || ctrlKey || metaKey) return undefined;
  if (shiftKey) return moveTab(code, page);
  if (code === 'PageUp') return () => move(-1);
  if (code === 'PageDown') return () => move(1);
  if (code === 'KeyB') {
    return () => {
      toggleSide(page);
    };
  }
  if (code === 'KeyR' && active.value?.document.reference.value) {
    return () => {
      page.referenceEnlarged.value = !page.referenceEnlarged.value;
    };
  }
  if (code === 'KeyS') return () => toggleBeside({ beside, workspace });
  if (code === 'KeyK' && beside.pair.value) {
    return () => {
      beside.linked.value = !beside.linked.value;
    };
  }
  if (code === 'KeyP') return () => showPathField(page);
  if (code === 'KeyA' && tabs.value.length > 1) {
    return () => {
      page.openListShown.value = true;
    };
  }
  const tab = active.value;
  if (tab && (code === 'ArrowDown' || code === 'ArrowUp') && !opensList(event.target)) {
    return () => void workspace.ways.openNeighbor(code === 'ArrowDown' ? 1 : -1);
  }
  if (code === 'KeyW' && tab) return () => workspace.close(tab);
  const digit = /^Digit([1-9])$/.exec(code)?.[1];
  const target = digit === undefined ? undefined : tabs.value[Number(digit) - 1];
  return target && (() => workspace.activate(target));
}

function moveTab(code: string, { workspace }: Page): (() => void) | undefined {
  const by = { PageUp: -1, PageDown: 1 }[code];
  const tab = workspace.active.value;
  return by && tab ? () => workspace.move(tab, workspace.tabs.value.indexOf(tab) + by) : undefined;
}

/** Goes to the field of the start page, or to the one below the bar. */
function showPathField({ openMenuShown }: Page): void {
  const field = document.querySelector<HTMLInputElement>('input[name="path"]');
  if (field) field.select();
  else openMenuShown.value = true;
}

/** These keys open the list of a menu. */
function opensList(target: EventTarget | null): boolean {
  return target instanceof HTMLSelectElement;
}
