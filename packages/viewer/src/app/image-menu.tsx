import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { menuItems, moveInMenu } from '../image/menu-items.ts';
import { goHome, paneState, undoChange } from '../image/pane-state.ts';
import { zoomToMark } from '../measure/go-to-mark.ts';
import { markAt } from '../measure/grips.ts';
import { markMeans } from '../measure/mark-means.ts';
import { marksText } from '../measure/mark-records.ts';
import { markName, removeMark, selectedMark } from '../measure/marks.ts';
import { valuesAt } from '../measure/values-at.ts';
import type { Mark } from '../model/document.ts';
import type { MenuRequest } from '../model/extension.ts';
import { paneNote } from '../model/hand-note.ts';
import { type Page, usePage } from './context.ts';
import { copyText } from './copy.ts';

interface MenuItem {
  readonly label: string;
  /** The key that does the same on the image. */
  readonly keys?: string;
  readonly disabled?: boolean;
  act(): void;
}

interface ImageMenuProps {
  readonly request: MenuRequest;
  close(): void;
}

/** The context menu of an image: what can be done with the mark and the sample under the pointer. */
export function ImageMenu({ request, close }: ImageMenuProps) {
  const page = usePage();
  const root = useRef<HTMLDivElement>(null);
  const { at, stage } = request;
  const mark = markOf(request);
  useLayoutEffect(() => {
    const menu = root.current as HTMLDivElement;
    const { width, height } = menu.getBoundingClientRect();
    menu.style.left = `${Math.max(4, Math.min(at.x, innerWidth - width - 4))}px`;
    menu.style.top = `${Math.max(4, Math.min(at.y, innerHeight - height - 4))}px`;
    menuItems(menu)[0]?.focus();
  }, [at]);
  useEffect(() => {
    const elsewhere = (event: Event) => {
      if (!root.current?.contains(event.target as Node)) close();
    };
    const events = ['pointerdown', 'focusin', 'wheel', 'resize'];
    for (const event of events) addEventListener(event, elsewhere, true);
    return () => {
      for (const event of events) removeEventListener(event, elsewhere, true);
    };
  }, [at]);
  const leave = () => {
    close();
    stage.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!moveInMenu(event, root.current, leave)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const entry = ({ label, keys, disabled = false, act }: MenuItem) => (
    <button
      key={label}
      type="button"
      role="menuitem"
      class="quiet"
      tabIndex={-1}
      aria-keyshortcuts={keys === 'Del' ? 'Delete' : keys}
      aria-disabled={disabled}
      onClick={() => {
        if (disabled) return;
        leave();
        act();
      }}
    >
      {label}
      {keys !== undefined && (
        <span class="app-context-menu-keys" aria-hidden="true">
          {keys}
        </span>
      )}
    </button>
  );
  return (
    <div
      ref={root}
      class="app-context-menu"
      role="menu"
      tabIndex={-1}
      aria-label={mark ? markName(mark) : 'Image'}
      onContextMenu={(event) => event.preventDefault()}
      onKeyDown={onKeyDown}
    >
      {mark && <div role="presentation">{markName(mark)}</div>}
      {mark && markItems(request, mark, page).map(entry)}
      {mark && <hr />}
      {imageItems(request, page).map(entry)}
    </div>
  );
}

/** Returns the mark under the pointer; for a menu that was opened with a key, the selected one. */
function markOf({ card, point }: MenuRequest): Mark | null {
  return point === null ? selectedMark(card.pane) : markAt(card.toScreen(point), card);
}

function markItems({ card: { document, pane } }: MenuRequest, mark: Mark, page: Page): MenuItem[] {
  const name = markName(mark);
  return [
    { label: 'Go to', act: () => zoomToMark(pane, mark) },
    {
      label: 'Rename…',
      act() {
        pane.selectedMark.value = mark.id;
        page.marksShown.value = true;
        // The table may not be on screen yet.
        requestAnimationFrame(() => setTimeout(() => focusName(name)));
      },
    },
    {
      label: 'Copy values',
      async act() {
        const means = await markMeans(mark, pane, pane.baseline.peek(), new AbortController().signal);
        void copy(marksText([mark], pane, new Map([[mark.id, means]]), '\t', paneNote(document, pane)), page);
      },
    },
    { label: 'Delete', keys: 'Del', act: () => removeMark(pane, mark.id) },
  ];
}

function focusName(name: string): void {
  const inputs = window.document.querySelectorAll<HTMLInputElement>('.marks-text');
  const input = [...inputs].find((element) => element.getAttribute('aria-label') === `Name of ${name}`);
  input?.focus();
  input?.select();
}

function imageItems({ card: { pane }, cardKey, point }: MenuRequest, page: Page): MenuItem[] {
  const at = point ?? pane.cursor.peek();
  const values = at === null ? null : valuesAt(pane, at);
  return [
    {
      label: 'Copy values here',
      disabled: values === null,
      act: () => void copy(values ?? '', page),
    },
    {
      label: 'Undo zoom or mark',
      keys: 'Z',
      disabled: paneState(pane).history.value.past.length === 0,
      act: () => undoChange(pane),
    },
    {
      label: 'Show whole image',
      keys: '0',
      disabled: pane.views.value.size === 0,
      act: () => goHome(pane, cardKey),
    },
    {
      label: 'Save…',
      act() {
        page.saving.value = true;
      },
    },
  ];
}

async function copy(text: string, { workspace }: Page): Promise<void> {
  if (await copyText(text)) return;
  workspace.notices.show({ kind: 'error', message: 'The browser did not allow copying.' });
}
