/** Where a file lies that is known by its name, size and time only, as a browser knows a dropped file. */
import { join } from 'node:path';
import { Confinement } from './confinement.js';
import { withHeld } from './held.js';
import { locate } from './locate.js';
import { Crossing, type Look } from './look.js';
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
  const confinement = new Confinement(policy, look);
  const matches: string[] = [];
  const folders = [realFolder(search.folder, look)];
  for (let i = 0; i < folders.length && matches.length < MAX_MATCHES && performance.now() < overdue; i++) {
    const folder = folders[i]!;
    const path = join(folder, file.name);
    if (isCopy(path, file, confinement, look) && canBeOpened(path, policy, look)) matches.push(path);
    if (search.deep) folders.push(...foldersIn(folder, confinement, look));
  }
  return matches;
}

/** @throws Crossing */
function realFolder(folder: string, look: Look): string {
  try {
    return look.realpath(folder);
  } catch (error) {
    if (error instanceof Crossing) throw error;
    return folder;
  }
}

function isCopy(path: string, file: KnownFile, confinement: Confinement, look: Look): boolean {
  try {
    const real = look.realpath(path);
    const found = look.entry(real);
    return (
      confinement.allowsEntry(found, real) &&
      found.kind === 'file' &&
      found.size === file.size &&
      isSameTime(found.modified, file.modified)
    );
  } catch {
    // Nothing is there.
    return false;
  }
}

function canBeOpened(path: string, policy: PathPolicy, look: Look): boolean {
  try {
    locate(path, policy, look);
    return true;
  } catch {
    return false;
  }
}

/** Some browsers know the time of a file in whole seconds only. */
function isSameTime(modified: number, known: number): boolean {
  return modified === known || (known % 1000 === 0 && Math.floor(modified / 1000) * 1000 === known);
}

function foldersIn(folder: string, confinement: Confinement, look: Look): string[] {
  // A Zarr store has thousands of folders, and no acquisition in them.
  if (folder.endsWith('.zarr')) return [];
  try {
    const entries = withHeld(folder, look, (held) =>
      confinement.allowsEntry(held.entry, folder) ? held.readFolder(MAX_ENTRIES).entries : [],
    );
    return entries
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
      .map((entry) => join(folder, entry.name));
  } catch {
    return [];
  }
}
