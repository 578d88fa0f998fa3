/**
 * What the page stores with an entry of the browser's history: the open tabs, and which of them is shown. The data
 * survive a reload and going back, and no other site can write them; files listed here were opened by this page.
 */

export interface StoredTab {
  readonly path: string;
  /** The encoded view, as in an address; empty without one. */
  readonly view: string;
}

export interface PageEntry {
  /** Path of the shown file; empty on the start page and for a file that was sent. */
  readonly opened: string;
  /** Id of the shown document, valid until the page is reloaded; empty on the start page. */
  readonly document: string;
  /** Index of the shown scene; null for a file without scenes. */
  readonly scene: number | null;
  readonly tabs: readonly StoredTab[];
  /** Position of the shown tab in `tabs`; −1 on the start page. */
  readonly active: number;
  /** Position of the tab that is shown beside it; −1 without one. */
  readonly beside: number;
}

/** Max tabs that are opened again. */
const MAX_TABS = 24;
/** Max characters of all views: browsers limit the size of an entry. Tabs beyond it come back without their view. */
const MAX_VIEWS = 524_288;
const MAX_PATH = 32_768;

/** Returns the entry with its lists cut to their limits. */
export function boundEntry(entry: PageEntry): PageEntry {
  let left = MAX_VIEWS;
  const tabs = entry.tabs.slice(0, MAX_TABS).map(({ path, view }) => {
    left -= view.length;
    return { path, view: left >= 0 ? view : '' };
  });
  const within = (at: number) => (at < tabs.length ? at : -1);
  return { ...entry, tabs, active: within(entry.active), beside: within(entry.beside) };
}

/** Reads `history.state`, which may be of another version of the page. Returns null when it is not an entry. */
export function readEntry(state: unknown): PageEntry | null {
  if (typeof state !== 'object' || state === null) return null;
  const { opened, document, scene, tabs, active, beside } = state as Record<string, unknown>;
  if (!isText(opened)) return null;
  const stored = (Array.isArray(tabs) ? tabs.slice(0, MAX_TABS) : []).map(toTab);
  const valid = stored.filter((tab) => tab !== null);
  // Positions are those of the list as it was stored.
  const position = (value: unknown) => (valid.length === stored.length && isIndex(value, valid.length) ? value : -1);
  return {
    opened,
    document: isText(document) ? document : '',
    scene: isIndex(scene, Number.MAX_SAFE_INTEGER) ? scene : null,
    tabs: valid,
    active: position(active),
    beside: position(beside),
  };
}

function toTab(value: unknown): StoredTab | null {
  if (typeof value !== 'object' || value === null) return null;
  const { path, view } = value as Record<string, unknown>;
  return isText(path) && path !== '' ? { path, view: isText(view) ? view : '' } : null;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= Math.max(MAX_PATH, MAX_VIEWS);
}

function isIndex(value: unknown, end: number): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) < end;
}
