/**
 * The address and the history of the browser. Showing another tab, file or scene adds an entry to the history, so that
 * Back and Forward move inside the page; zooming and measuring only change the current one. Each entry has the open
 * tabs, which a reload opens again.
 */
import { effect, untracked } from '@preact/signals';
import { readAddress, toAddress, withoutToken } from './address.ts';
import type { Page } from './context.ts';
import { isFramed } from './framed.ts';
import { follow, openFile } from './links.ts';
import { boundEntry, type PageEntry, readEntry } from './page-entry.ts';
import { looksLikePath } from './path-text.ts';
import type { Tab } from './tab.ts';
import { captureView, encodeView, type ViewState } from './view-state.ts';

/** Milliseconds without a change before the address is written, because browsers limit how often that is allowed. */
const ADDRESS_DELAY = 400;

/** Opens what the address names and the tabs of its entry, and keeps address and history in step with the page. */
export function navigate(page: Page): void {
  const target = readAddress(location);
  history.replaceState(history.state, '', withoutToken(location));
  const start = readEntry(history.state);
  // First of all: an address whose file waits for the user must not be overwritten.
  const following = follow(target, page);
  const address = writeAddress(page, start === null && target.path !== null ? null : '');
  address.hold(async () => {
    // Only an entry that this page has written has tabs.
    if (start === null) await following;
    else await openOthers(start, following, page);
  });

  effect(() => {
    for (const tab of [page.workspace.active.value, page.beside.other.value]) {
      if (tab) untracked(() => page.workspace.wake(tab));
    }
  });
  let traveled = false;
  addEventListener('popstate', ({ state }) => {
    const entry = readEntry(state);
    traveled = entry !== null;
    if (entry !== null) address.hold(() => travel(entry, page));
  });
  // A link to the same file that is entered in the address bar does not reload the page.
  addEventListener('hashchange', ({ newURL }) => {
    if (traveled) {
      // Going back also changes the fragment.
      traveled = false;
      return;
    }
    // Do not read `location`: writeAddress may have overwritten it already.
    const next = readAddress(new URL(newURL));
    history.replaceState(history.state, '', withoutToken(location));
    if (next.token !== null) void page.workspace.enterToken(next.token);
    void follow(next, page);
  });
}

/** Shows what an entry of the history showed: an open tab, or its file again. */
async function travel(entry: PageEntry, { workspace }: Page): Promise<void> {
  if (entry.opened === '') {
    const sent = workspace.tabs.value.find(({ document }) => document.id === entry.document);
    if (sent) workspace.activate(sent);
    else workspace.leave();
    return;
  }
  const sameFile = workspace.tabs.value.filter((tab) => pathOf(tab) === entry.opened);
  const tab =
    sameFile.find(({ document }) => document.id === entry.document) ??
    sameFile.find((other) => sceneOf(other) === entry.scene) ??
    sameFile[0];
  if (tab === undefined) {
    await openFile({ ...readAddress(location), path: entry.opened, session: null }, workspace);
    return;
  }
  workspace.activate(tab);
  const { selection } = tab.document.info.value;
  if (entry.scene !== null && entry.scene !== sceneOf(tab)) {
    await workspace.select(tab, { selection: { ...selection, S: entry.scene } });
  }
}

/** Opens the tabs of an entry except the shown one, which is open by now. They load their planes when they are shown. */
async function openOthers(entry: PageEntry, following: Promise<void>, { workspace, beside }: Page): Promise<void> {
  const first = following.then(() => workspace.active.value);
  const opened = await workspace.restore(entry.tabs, entry.active, first);
  const [shown, other] = [opened[entry.active], opened[entry.beside]];
  if (!other || !shown) return;
  if (entry.active < entry.beside) beside.show(shown, other);
  else beside.show(other, shown);
}

interface Address {
  /** Runs work that follows the address or the history. Until it ends, no entry is added. */
  hold(work: () => Promise<void>): void;
}

/** `place` describes the current entry: empty for the start page, null for an entry that is not written yet. */
function writeAddress(page: Page, first: '' | null): Address {
  const { workspace, asked } = page;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let place: string | null = first;
  let shown: Tab | null = null;
  let held = 0;
  /** Going back to an entry without a state would show nothing else: the start page has one before a file is opened. */
  let isWritten = false;

  const write = (captured: Captured, view: ViewState | null) => {
    isWritten = true;
    const next = placeOf(captured);
    const entry = captured.toEntry();
    const url = location.pathname + toAddress(entry.opened === '' ? null : entry.opened, view);
    const wasClosed = shown !== null && !workspace.tabs.peek().includes(shown);
    // Entries of a frame would be steps of Back in the page around it.
    const adds = held === 0 && place !== null && place !== next && !wasClosed && !isFramed();
    place = next;
    shown = workspace.active.peek();
    if (adds) history.pushState(entry, '', url);
    else history.replaceState(entry, '', url);
  };
  effect(() => {
    const captured = captureEntry(page);
    const active = workspace.active.value?.document;
    const view = active ? captureView(active) : null;
    clearTimeout(timer);
    // The file in the address may still be opened.
    if (captured.opened === '' && asked.busy.value) return;
    // Write another place immediately. The view changes with every movement and has to wait for the limit of the
    // browser, and its text may be long.
    if (!isWritten || placeOf(captured) !== place) write(captured, view);
    else timer = setTimeout(() => write(captured, view), ADDRESS_DELAY);
  });
  return {
    hold(work) {
      held += 1;
      void work().finally(() => {
        held -= 1;
      });
    },
  };
}

/** What is open and shown; the text of its views is made when it is needed. */
interface Captured extends Pick<PageEntry, 'opened' | 'document' | 'scene'> {
  toEntry(): PageEntry;
}

/** Returns what is open and shown. Reads signals, so that an effect runs again when that changes. */
function captureEntry({ workspace, beside }: Page): Captured {
  // A file that was sent has no path: a reload cannot open it.
  const tabs = workspace.tabs.value.filter((tab) => pathOf(tab) !== '');
  const active = workspace.active.value;
  const other = beside.other.value;
  const waiting = workspace.waiting.value;
  const place = {
    opened: active ? pathOf(active) : '',
    document: active?.document.id ?? '',
    scene: active ? sceneOf(active) : null,
  };
  const positions = { active: active ? tabs.indexOf(active) : -1, beside: other ? tabs.indexOf(other) : -1 };
  const views = tabs.map((tab) => ({ path: pathOf(tab), view: captureView(tab.document) }));
  const toEntry = () => {
    const encoded = views.map(({ path, view }) => ({ path, view: encodeView(view) }));
    return boundEntry({ ...place, ...positions, tabs: [...encoded, ...waiting] });
  };
  return { ...place, toEntry };
}

/** Returns what makes an entry different from the one before: the shown document and its scene. */
function placeOf({ document, scene }: Pick<PageEntry, 'document' | 'scene'>): string {
  return document === '' ? '' : `${document} ${scene ?? ''}`;
}

/** Returns the path of the file of a tab; empty when it has none. */
function pathOf({ document }: Tab): string {
  const { path } = document.info.value.source;
  return looksLikePath(path) ? path : '';
}

function sceneOf({ document }: Tab): number | null {
  return document.info.value.selection?.['S'] ?? null;
}
