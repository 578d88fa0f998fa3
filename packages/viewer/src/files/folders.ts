/** The list of a folder on the server's computer, and the files beside an opened one. */

import { AcqClientError, type Folder, type FolderEntry } from '@acquisition-store/client';
import { type Signal, signal } from '@preact/signals';
import { isAbort } from '../app/notices.ts';
import { readStored, writeStored } from '../app/stored.ts';
import type { Engine } from '../model/client.ts';

export interface Folders {
  /** Null before the first list. */
  readonly listing: Signal<Folder | null>;
  readonly problem: Signal<string>;
  readonly busy: Signal<boolean>;
  /** Lists a folder; without a path the places to start from. The list shown stays until the next one has come. */
  go(path: string | null): Promise<void>;
  /** Says whether a path is that of a folder, which `start` lists next. */
  prepare(path: string): Promise<boolean>;
  /** Lists the prepared folder, that of `path`, the last one, or the places to start from. */
  start(path: string | null): Promise<void>;
  /** Returns what can be opened `step` places after an acquisition in its folder; null at the end. */
  neighbor(source: { path: string; format: string }, step: 1 | -1): Promise<FolderEntry | null>;
}

const LAST_FOLDER = 'folder';
/** Entries of a folder that are kept; its filter looks through them. */
const MAX_ENTRIES = 10_000;

export function createFolders(client: Engine): Folders {
  let newest: AbortController | null = null;
  let prepared: string | null = null;
  const folders: Folders = {
    listing: signal<Folder | null>(null),
    problem: signal(''),
    busy: signal(false),
    async go(path) {
      newest?.abort();
      const own = new AbortController();
      newest = own;
      folders.busy.value = true;
      try {
        const listing = await client.folder(path ?? undefined, { signal: own.signal, recordings: true });
        folders.listing.value = listing;
        folders.problem.value = '';
        writeStored(LAST_FOLDER, listing.path);
        await goOn(client, folders.listing, own.signal);
      } catch (error) {
        if (isAbort(error)) return;
        if (!(error instanceof AcqClientError)) throw error;
        folders.problem.value = error.message;
      } finally {
        if (newest === own) folders.busy.value = false;
      }
    },
    async prepare(path) {
      const folder = await client.folder(path).catch(() => null);
      prepared = folder && path;
      return folder !== null;
    },
    async start(path) {
      const last = readStored(LAST_FOLDER);
      const wanted = prepared ?? (path === null ? (typeof last === 'string' ? last : null) : folderOf(path));
      prepared = null;
      await folders.go(wanted);
      // The folder may have been moved, or be outside the roots.
      if (folders.problem.value !== '') await folders.go(null);
    },
    async neighbor({ path, format }, step) {
      // A Prairie View recording is a folder: the files beside its XML are its parts.
      const own = format === 'xml' ? folderOf(path) : path;
      const { entries } = await client.folder(folderOf(own));
      const files = entries.filter((entry) => entry.openable);
      const at = files.findIndex((entry) => entry.path === own);
      return at < 0 ? null : (files[at + step] ?? null);
    },
  };
  return folders;
}

/** Adds what did not fit into the first answer, as it comes. */
async function goOn(client: Engine, listing: Folders['listing'], stop: AbortSignal): Promise<void> {
  for (let shown = listing.value; shown?.next !== undefined && shown.path !== null; shown = listing.value) {
    const more: Folder = await client.folder(shown.path, { signal: stop, recordings: true, cursor: shown.next });
    const { next, ...rest } = shown;
    const entries = [...shown.entries, ...more.entries];
    const isFull = entries.length >= MAX_ENTRIES && more.next !== undefined;
    const truncated = more.truncated || isFull;
    listing.value = { ...rest, entries, truncated, ...(isFull || more.next === undefined ? {} : { next: more.next }) };
  }
}

/** Returns the folder of an absolute path, with the separator of its system. */
export function folderOf(path: string): string {
  const folder = path.replace(/[\\/]+[^\\/]*$/, '');
  if (folder === '') return '/';
  return /^[A-Za-z]:$/.test(folder) ? `${folder}\\` : folder;
}

/** Returns the folders above and the folder itself, each with its path. */
export function crumbsOf(path: string): { name: string; path: string }[] {
  const isWindows = /^[A-Za-z]:/.test(path);
  const separator = isWindows || path.startsWith('\\\\') ? '\\' : '/';
  const names = path.split(separator).filter((name) => name !== '');
  const crumbs = names.map((name, i) => ({
    name,
    path:
      (isWindows ? '' : separator) + names.slice(0, i + 1).join(separator) + (isWindows && i === 0 ? separator : ''),
  }));
  return isWindows ? crumbs : [{ name: '/', path: '/' }, ...crumbs];
}
