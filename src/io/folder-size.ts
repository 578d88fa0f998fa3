import { lstatSync, opendirSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';

/** Looks at files of one folder, never outside it. */
export interface SizeLook {
  /** Real absolute path of the folder. */
  root: string;
  /** Bytes of a file that is open already. */
  known(path: string): number | undefined;
  /** Files, for a whole folder entries, that are looked at. */
  max: number;
}

/** Bytes of the named files that are there; `undefined` when there are more than `max`, or one cannot be looked at. */
export function sizeOfFiles(look: SizeLook, names: Iterable<string>): number | undefined {
  const distinct = new Set<string>();
  for (const name of names) {
    distinct.add(name);
    if (distinct.size > look.max) return undefined;
  }
  return sum(look, distinct);
}

/** Bytes of all files in the folder and below; `undefined` like `sizeOfFiles`, and when a link is among them. */
export function sizeOfFolder(look: SizeLook): number | undefined {
  const names: string[] = [];
  const folders = [''];
  let entries = 0;
  try {
    for (let inside = folders.pop(); inside !== undefined; inside = folders.pop()) {
      // In small steps: a folder of a million files is left after the first.
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

/** 0 for a file that is missing, or is a link to one outside the folder. */
function sizeOf(root: string, path: string): number {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat?.isSymbolicLink()) return stat?.isFile() ? stat.size : 0;
  const real = realpathSync(path);
  return isBelow(root, real) ? statSync(real).size : 0;
}

/** Folders on the way may be links, too. */
function isInside(root: string, folder: string, known: Map<string, boolean>): boolean {
  if (folder === root) return true;
  const before = known.get(folder);
  if (before !== undefined) return before;
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  const inside = stat !== undefined && isBelow(root, realpathSync(folder));
  known.set(folder, inside);
  return inside;
}

/** Both are real absolute paths. */
export function isBelow(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}
