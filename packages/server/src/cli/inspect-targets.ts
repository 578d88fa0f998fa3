import { type Dirent, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { extensionOf } from '@acquisition-store/readers/formats/index.js';
import { isAcquisitionFolder } from '../open.js';
import { isPartFolder } from '../paths/locate.js';
import { openError } from '../platform-node/file-source.js';

/**
 * Returns the paths that can be opened directly inside a folder: files with a readable extension and folders that are
 * acquisitions, without hidden ones, in natural order.
 * @throws AcqError `path_not_found`, `path_not_readable`
 */
export function pathsIn(folder: string): string[] {
  const names = readEntries(folder).filter((entry) => isOpenable(folder, entry));
  const { compare } = new Intl.Collator('en', { numeric: true });
  return names
    .map(({ name }) => name)
    .sort(compare)
    .map((name) => join(folder, name));
}

/** True for a folder that is not an acquisition or a part of one; false for a path that cannot be accessed. */
export function isPlainFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory() && !isAcquisitionFolder(path) && !isPartFolder(path);
  } catch {
    return false;
  }
}

function readEntries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    throw openError(folder, error);
  }
}

/** True for an entry that can be opened. A subfolder that cannot be read is not listed. */
function isOpenable(folder: string, entry: Dirent): boolean {
  if (entry.name.startsWith('.')) return false;
  const path = join(folder, entry.name);
  try {
    const isFolder = entry.isSymbolicLink() ? statSync(path).isDirectory() : entry.isDirectory();
    return isFolder ? isAcquisitionFolder(path) : extensionOf(entry.name) !== undefined;
  } catch {
    return false;
  }
}
