/** The recordings of the folder that was listed last: a list of many answers asks for it again and again. */
import type { Dirent } from 'node:fs';
import { hasSettled } from '../platform-node/folder-state.js';
import type { PathEntry } from './look.js';
import type { NamedEntry, WithCompanions } from './recording-names.js';

/** An entry with what the system said of it when the folder was read. */
export interface ListedName extends NamedEntry {
  entry: Dirent;
}

/** What the names in a folder say. */
export interface NamedRecordings {
  /** In natural order. */
  all: readonly WithCompanions<ListedName>[];
  notUtf8: readonly Dirent[];
  isComplete: boolean;
}

/** Milliseconds after which it is read again: some file systems do not note that a file was added. */
const MAX_AGE_MS = 10_000;

let last: { key: string; readAt: number; found: NamedRecordings } | undefined;

/** Returns what the names in a folder say: what was found before, when the folder has not changed since. */
export function rememberNames(
  { real, ino, modified }: PathEntry,
  allowed: readonly string[],
  read: () => NamedRecordings,
): NamedRecordings {
  const key = JSON.stringify([real, ino, modified, allowed]);
  const now = performance.now();
  if (last?.key === key && now - last.readAt < MAX_AGE_MS) return last.found;
  last = undefined;
  const isSettled = hasSettled(modified);
  const found = read();
  if (isSettled) last = { key, readAt: now, found };
  return found;
}
