/** Folders that opening is limited to by the settings. */
import { realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import type { OutsideFolders } from './protocol.js';

/**
 * Returns the folder to allow so that a path can be opened; nothing when the folders are not the reason that it was refused.
 * @param path without links
 */
export function findOutside(path: string, roots: readonly string[]): OutsideFolders | undefined {
  if (roots.length === 0 || roots.some((root) => isInside(path, toReal(root)))) return undefined;
  const folder = isFolder(path) ? path : dirname(path);
  // To allow a whole disk is a decision for the settings.
  return dirname(folder) === folder ? undefined : { folder, path };
}

function isInside(path: string, root: string): boolean {
  const way = relative(root, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && way !== path);
}

function toReal(root: string): string {
  const full = /^~(?:[/\\]|$)/.test(root) ? join(homedir(), root.slice(1)) : root;
  try {
    return realpathSync(full);
  } catch {
    return full;
  }
}

export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
