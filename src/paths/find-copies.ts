/** Where a file lies that is known by its name, size and time only, as a browser knows a dropped file. */
import { join } from 'node:path';
import { locate } from './locate.js';
import type { Look } from './look.js';
import type { PathPolicy } from './policy.js';

export interface KnownFile {
  /** Without a folder. */
  name: string;
  /** Bytes. */
  size: number;
  /** Time of the last change, in milliseconds since 1970. */
  modified: number;
}

export interface Search {
  /** Absolute path of the folder to search. */
  folder: string;
  /** Searches all folders below it, too. */
  deep: boolean;
  /** Max milliseconds. */
  milliseconds: number;
}

/** Files of equal name, size and time are nearly always copies of each other. */
const MAX_MATCHES = 16;
/** Entries of one folder: beyond that, the time would be spent in one place. */
const MAX_ENTRIES = 100_000;

/**
 * Finds files of equal name, size and time that may be opened. Folders on storages that `look` may not touch, hidden ones
 * and links to folders are skipped.
 */
export function findCopies(file: KnownFile, search: Search, policy: PathPolicy, look: Look): string[] {
  const overdue = performance.now() + search.milliseconds;
  const matches: string[] = [];
  const folders = [search.folder];
  for (let i = 0; i < folders.length && matches.length < MAX_MATCHES && performance.now() < overdue; i++) {
    const folder = folders[i]!;
    const path = join(folder, file.name);
    if (isCopy(path, file, policy, look)) matches.push(path);
    if (search.deep) folders.push(...foldersIn(folder, look));
  }
  return matches;
}

function isCopy(path: string, file: KnownFile, policy: PathPolicy, look: Look): boolean {
  try {
    const { kind, size, modified } = look.details(look.realpath(path));
    if (kind !== 'file' || size !== file.size || !isSameTime(modified, file.modified)) return false;
    locate(path, policy, { look, isPicked: false });
    return true;
  } catch {
    // Nothing is there, or it may not be opened.
    return false;
  }
}

/** Some browsers know the time of a file in whole seconds only. */
function isSameTime(modified: number, known: number): boolean {
  return modified === known || (known % 1000 === 0 && Math.floor(modified / 1000) * 1000 === known);
}

function foldersIn(folder: string, look: Look): string[] {
  try {
    const entries = look.readFolder(folder, MAX_ENTRIES);
    // A Zarr store has thousands of folders, and no acquisition in them.
    return entries
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && !folder.endsWith('.zarr'))
      .map((entry) => join(folder, entry.name));
  } catch {
    return [];
  }
}
