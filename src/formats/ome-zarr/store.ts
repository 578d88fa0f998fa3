/** Where the keys of a Zarr hierarchy lead to: files of a folder, or entries of a zip archive. */
import { decodeFailed } from '../../errors.js';
import type { ByteSource } from '../../io/byte-source.js';
import type { Folder } from '../../io/folder.js';
import type { ZipArchive } from '../../io/zip.js';
import { COLLECTION, isCollectionList, isStorePath } from './magic.js';

export interface Store {
  /** Name of what was opened, for messages. */
  readonly name: string;
  /**
   * The bytes under a key; `undefined` when there are none.
   * @throws AcqError `path_not_allowed` for a link that leaves the store
   */
  open(key: string): ByteSource | undefined;
  /** Names directly inside a group or an array. */
  list(path: string): readonly string[];
  /** Paths of the hierarchies, when there are several and nothing lists them. */
  readonly tops?: readonly string[];
}

export function folderStore(name: string, folder: Folder): Store {
  return { name, open: (key) => folder.open(key), list: (path) => folder.list(path) };
}

/** The hierarchy starts at the topmost document, wherever in the archive that is; above several, when there are. */
export function zipStore(name: string, archive: ZipArchive): Store {
  // What macOS packs along is no part of the hierarchy.
  const names = archive.names().filter((entry) => !/(^|\/)(__MACOSX\/|\._|\.DS_Store$)/.test(entry));
  const tops = topsOf(names);
  const root = tops.length === 1 ? (tops[0] as string) : '';
  return {
    name,
    open: (key) => archive.open(root + key),
    list: (path) => {
      const inside = path === '' ? root : `${root}${path}/`;
      const below = names.filter((entry) => entry.startsWith(inside));
      return [...new Set(below.map((entry) => entry.slice(inside.length).split('/')[0] as string))];
    },
    ...(tops.length > 1 ? { tops: tops.map((top) => top.slice(0, -1)) } : {}),
  };
}

/** Folders, with their `/`, that have a document and are in no other one that has. A collection comes before its images. */
function topsOf(names: readonly string[]): string[] {
  const collections = names.filter(isCollectionList).map((entry) => entry.slice(0, -COLLECTION.length));
  const documents = names.filter(isStorePath).map((entry) => entry.slice(0, entry.lastIndexOf('/') + 1));
  const tops: string[] = [];
  // In this order a folder stands directly in front of what is in it.
  for (const folder of [...new Set([...collections, ...documents])].sort()) {
    const last = tops.at(-1);
    if (last === undefined || !folder.startsWith(last)) tops.push(folder);
  }
  return tops;
}

/**
 * A path below `base` as a file of the hierarchy gives it.
 * @throws AcqError `decode_failed` for one that leads out of the store
 */
export function insidePath(store: Store, base: string, path: string): string {
  const parts = path.split('/').filter((part, i, all) => part !== '.' && (part !== '' || i < all.length - 1));
  const inside = !parts.some((part) => part === '..' || part === '') && !/[\\\0]/.test(path) && parts.length > 0;
  if (!inside) {
    throw decodeFailed(`${store.name}: the path ${JSON.stringify(path.slice(0, 80))} leads out of the store`);
  }
  return joinPath(base, parts.join('/'));
}

export function joinPath(base: string, name: string): string {
  return base === '' || name === '' ? base + name : `${base}/${name}`;
}
