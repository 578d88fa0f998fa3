/** Opens the keys of a Zarr hierarchy: files in a folder, or entries of a zip archive. */
import { decodeFailed } from '../../base/errors.js';
import type { ByteSource } from '../../io/byte-source.js';
import type { Folder } from '../../io/folder.js';
import type { ZipArchive } from '../../io/zip.js';
import { COLLECTION, isCollectionList, isStorePath } from './magic.js';

export interface Store {
  /** Name of the opened file or folder, for messages. */
  readonly name: string;
  /**
   * Opens a key; `undefined` when it is missing.
   * @throws AcqError `path_not_allowed` for a link that leaves the store
   */
  open(key: string): ByteSource | undefined;
  /** Notes that a chunk is missing, which stands for the fill value until it appears. */
  noteMissing?(key: string): void;
  /** Lists the names directly inside a group or an array. */
  list(path: string): readonly string[];
  /** Paths of the hierarchies, if there are several and no document lists them. */
  readonly tops?: readonly string[];
}

export function folderStore(name: string, folder: Folder): Store {
  return {
    name,
    open: (key) => folder.open(key),
    noteMissing: (key) => folder.noteAbsent(key),
    list: (path) => folder.list(path),
  };
}

/** Returns the store of an archive. It starts at the topmost document, or above several of them. */
export function zipStore(name: string, archive: ZipArchive): Store {
  // Ignore the files that macOS adds.
  const names = archive.names().filter((entry) => !/(^|\/)(__MACOSX\/|\._|\.DS_Store$)/.test(entry));
  const tops = findTops(names);
  const root = tops.length === 1 ? tops[0]! : '';
  return {
    name,
    open: (key) => archive.open(root + key),
    list: (path) => {
      const inside = path === '' ? root : `${root}${path}/`;
      const below = names.filter((entry) => entry.startsWith(inside));
      return [...new Set(below.map((entry) => entry.slice(inside.length).split('/')[0]!))];
    },
    ...(tops.length > 1 ? { tops: tops.map((top) => top.slice(0, -1)) } : {}),
  };
}

/** Returns the topmost folders with a document, each with its `/`. A collection comes before its images. */
function findTops(names: readonly string[]): string[] {
  const collections = names.filter(isCollectionList).map((entry) => entry.slice(0, -COLLECTION.length));
  const documents = names.filter(isStorePath).map((entry) => entry.slice(0, entry.lastIndexOf('/') + 1));
  const tops: string[] = [];
  // Sorted, a folder comes directly before its contents.
  for (const folder of [...new Set([...collections, ...documents])].sort()) {
    const last = tops.at(-1);
    if (last === undefined || !folder.startsWith(last)) tops.push(folder);
  }
  return tops;
}

/**
 * Resolves a path in a document, relative to `base`.
 * @throws AcqError `decode_failed` for a path outside the store
 */
export function insidePath(base: string, path: string): string {
  const parts = path.split('/').filter((part, i, all) => part !== '.' && (part !== '' || i < all.length - 1));
  const inside = !parts.some((part) => part === '..' || part === '') && !/[\\\0]/.test(path) && parts.length > 0;
  if (!inside) {
    throw decodeFailed(`the path ${JSON.stringify(path.slice(0, 80))} leads out of the store`);
  }
  return joinPath(base, parts.join('/'));
}

export function joinPath(base: string, name: string): string {
  return base === '' || name === '' ? base + name : `${base}/${name}`;
}
