import { lstatSync, opendirSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';

/** How to look at the files of one folder, never outside it. */
export interface SizeLook {
  /** Real absolute path of the folder. */
  root: string;
  /** Returns the size of a file that is already open. */
  known(path: string): number | undefined;
  /** Max files to look at; for a whole folder, max entries. */
  max: number;
}

/** Returns the bytes of the named files that exist; `undefined` for more than `max` files, or one that is not accessible. */
export function sizeOfFiles(look: SizeLook, names: Iterable<string>): number | undefined {
  const distinct = new Set<string>();
  for (const name of names) {
    distinct.add(name);
    if (distinct.size > look.max) return undefined;
  }
  return sum(look, distinct);
}

/** Returns the bytes of all files in the folder and below; `undefined` like `sizeOfFiles`, and when there is a link. */
export function sizeOfFolder(look: SizeLook): number | undefined {
  const names: string[] = [];
  const folders = [''];
  let entries = 0;
  try {
    for (let inside = folders.pop(); inside !== undefined; inside = folders.pop()) {
      // Small buffers: a folder of a million files is given up after the first ones.
      const folder = opendirSync(join(look.root, inside), { bufferSize: 64 });
      try {
        for (let entry = folder.readSync(); entry; entry = folder.readSync()) {
          if (++entries > look.max || entry.isSymbolicLink()) return undefined;
          const name = inside === '' ? entry.name : `${inside}/${entry.name}`;
          if (entry.isDirectory()) folders.push(name);
          else if (entry.isFile()) names.push(name);
        }
      } finally {
        folder.closeSync();
      }
    }
  } catch {
    return undefined;
  }
  return sum(look, names);
}

function sum({ root, known }: SizeLook, names: Iterable<string>): number | undefined {
  const inside = new Map<string, boolean>();
  let bytes = 0;
  try {
    for (const name of names) {
      const path = join(root, name);
      bytes += known(path) ?? (isInside(root, dirname(path), inside) ? sizeOf(root, path) : 0);
    }
  } catch {
    return undefined;
  }
  return bytes;
}

/** Returns 0 for a missing file and for a link to a file outside the folder. */
function sizeOf(root: string, path: string): number {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat?.isSymbolicLink()) return stat?.isFile() ? stat.size : 0;
  const real = realpathSync(path);
  return isBelow(root, real) ? statSync(real).size : 0;
}

/** A folder inside may itself be a link. */
function isInside(root: string, folder: string, known: Map<string, boolean>): boolean {
  if (folder === root) return true;
  const before = known.get(folder);
  if (before !== undefined) return before;
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  const inside = stat !== undefined && isBelow(root, realpathSync(folder));
  known.set(folder, inside);
  return inside;
}

/** True when `path` is `root` or below it. Both are real absolute paths. */
export function isBelow(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}
