/** Lists folders on the server's computer, to open a file without the file dialog of its system. */

import type { FolderEntry } from '@acquisition-store/client';
import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { usePage } from '../app/context.ts';
import { Dialog } from '../app/dialog.tsx';
import './files.css';
import { FileRow } from './file-row.tsx';
import { crumbsOf } from './folders.ts';
import { watchView } from './in-view.ts';
import { isJoined } from './recording-text.ts';
import { withoutHidden } from './recordings.ts';

/** Rows that a browser draws at once; the filter finds the others. */
const MAX_ROWS = 1000;

export function FolderDialog() {
  const { workspace, dialog } = usePage();
  const { folders, recordings } = workspace.ways;
  const filter = useSignal('');
  const list = useRef<HTMLUListElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const listing = folders.listing.value;
  const view = useMemo(() => watchView(() => list.current), []);
  useEffect(() => view.stop, [view]);
  const focusFirst = () => (list.current?.querySelector('button') ?? input.current)?.focus();
  useEffect(() => {
    void folders.start(workspace.ways.shownPath()).then(focusFirst);
  }, []);
  const go = (path: string | null) => {
    filter.value = '';
    void folders.go(path).then(focusFirst);
  };
  const choose = (entry: FolderEntry) => {
    const { path, openable } = entry;
    if (!openable) return go(path);
    dialog.value = null;
    // The row tells of all its files.
    void workspace.open({ path, ...(isJoined(recordings.known(entry)) ? { parts: 'all' } : {}) });
  };
  const wanted = filter.value.trim().toLowerCase();
  const entries = withoutHidden(listing?.entries ?? [], recordings.hidden.value).filter(({ name }) =>
    name.toLowerCase().includes(wanted),
  );
  const keys = (event: KeyboardEvent) => {
    if (event.key === 'Backspace' && listing && (event.target !== input.current || filter.value === '')) {
      event.preventDefault();
      if (listing.path !== null) go(listing.parent);
    } else moveFocus(event, list.current, input.current);
  };
  return (
    <Dialog title="Open a file">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys for the controls inside */}
      <div class="files" onKeyDown={keys} aria-busy={folders.busy.value}>
        <Crumbs path={listing?.path ?? null} go={go} />
        <input
          ref={input}
          type="search"
          class="files-filter"
          aria-label="Filter this folder"
          placeholder="Filter this folder"
          autocomplete="off"
          spellcheck={false}
          value={filter.value}
          onInput={(event) => {
            filter.value = event.currentTarget.value;
          }}
        />
        {folders.problem.value !== '' && (
          <p class="files-problem" role="alert">
            {folders.problem.value}
          </p>
        )}
        <ul ref={list} class="files-list" aria-label="Folders and files">
          {entries.slice(0, MAX_ROWS).map((entry) => (
            <li key={entry.path}>
              <FileRow entry={entry} choose={choose} view={view} />
            </li>
          ))}
        </ul>
        <p class="app-muted files-foot" role="status">
          {summary(listing !== null, entries.length, listing?.truncated ?? false)}
        </p>
        {listing?.notUtf8 !== undefined && <p class="app-muted files-foot">{notUtf8Text(listing.notUtf8)}</p>}
      </div>
    </Dialog>
  );
}

function Crumbs({ path, go }: { path: string | null; go: (path: string | null) => void }) {
  const crumbs = path === null ? [] : crumbsOf(path);
  return (
    <nav aria-label="Folder" class="files-crumbs">
      <button type="button" class="quiet" aria-current={path === null ? 'page' : undefined} onClick={() => go(null)}>
        Places
      </button>
      {crumbs.map((crumb) => (
        <button
          key={crumb.path}
          type="button"
          class="quiet"
          aria-current={crumb.path === path ? 'page' : undefined}
          onClick={() => go(crumb.path)}
        >
          {crumb.name}
        </button>
      ))}
    </nav>
  );
}

function summary(isThere: boolean, count: number, truncated: boolean): string {
  if (!isThere) return 'Reading the folder…';
  if (truncated || count > MAX_ROWS) return 'There are more entries than are listed. Type a part of the name.';
  return count === 0 ? 'Nothing here that can be opened.' : 'Enter opens, Backspace goes up.';
}

function notUtf8Text(count: number): string {
  const names = count === 1 ? '1 entry is not listed: its name is' : `${count} entries are not listed: their names are`;
  return `${names} not UTF-8. Rename ${count === 1 ? 'it' : 'them'} to open ${count === 1 ? 'it' : 'them'}.`;
}

/** Arrows walk through the rows; letters go to the filter. */
function moveFocus(event: KeyboardEvent, list: HTMLElement | null, input: HTMLInputElement | null): void {
  if (event.ctrlKey || event.metaKey || event.altKey || !list) return;
  const rows = [...list.querySelectorAll('button')];
  const at = rows.indexOf(document.activeElement as HTMLButtonElement);
  const isInList = at >= 0;
  const steps: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1 };
  if (isInList) Object.assign(steps, { Home: 0, End: rows.length - 1 });
  const next = steps[event.key];
  if (next !== undefined && (isInList || (event.key === 'ArrowDown' && document.activeElement === input))) {
    event.preventDefault();
    (rows[next] ?? (next < 0 ? input : null))?.focus();
  } else if (isInList && event.key.length === 1 && event.key !== ' ') input?.focus();
}
