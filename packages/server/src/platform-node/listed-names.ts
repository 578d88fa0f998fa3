/** The names in the folders that were listed last: thousands of files of one folder are opened one after the other. */
import { statSync } from 'node:fs';
import { readNames } from './file-source.js';
import { folderState, hasSettled } from './folder-state.js';

/** Folders that are remembered. */
const MAX_FOLDERS = 2;
/** Smaller lists are read as fast as it is found out that they have not changed; larger ones take too much memory. */
const REMEMBERED = { least: 64, most: 200_000 };
/** Milliseconds after which it is read again: some file systems do not note that a file was added. */
const MAX_AGE_MS = 5_000;

interface Listed {
  path: string;
  state: string;
  readAt: number;
  names: readonly string[];
}

const remembered: Listed[] = [];

/** Like `readNames`; returns the same list again for a folder that has not changed. */
export function readNamesAgain(path: string, inside: string): readonly string[] {
  const at = remembered.findIndex((one) => one.path === path);
  const known = remembered[at];
  const stats = statSync(path, { bigint: true });
  const state = folderState(stats);
  const isSettled = hasSettled(Number(stats.mtimeMs));
  const now = performance.now();
  if (known?.state === state && now - known.readAt < MAX_AGE_MS) return known.names;
  if (at >= 0) remembered.splice(at, 1);
  const names = readNames(path, inside);
  if (isSettled && names.length >= REMEMBERED.least && names.length <= REMEMBERED.most) {
    remembered.unshift({ path, state, readAt: now, names });
    remembered.length = Math.min(remembered.length, MAX_FOLDERS);
  }
  return names;
}
