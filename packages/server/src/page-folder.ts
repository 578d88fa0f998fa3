import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The files of a page, on disk or inside an executable. */
export interface PageFolder {
  /** Returns the names of all files, with `/` between their parts; none when the page was not built. */
  names(): readonly string[];
  /** @throws for a name that is not in `names()` */
  read(name: string): Buffer;
}

/** Returns the files below a folder, which may be missing. */
export function pagesOnDisk(folder: string): PageFolder {
  return { names: () => listFiles(folder), read: (name) => readFileSync(join(folder, name)) };
}

function listFiles(folder: string, below = ''): string[] {
  let entries: ReturnType<typeof readEntries>;
  try {
    entries = readEntries(join(folder, below));
  } catch {
    return [];
  }
  return entries.flatMap((entry) => {
    if (entry.isDirectory()) return listFiles(folder, `${below}${entry.name}/`);
    return entry.isFile() ? [below + entry.name] : [];
  });
}

function readEntries(folder: string) {
  return readdirSync(folder, { withFileTypes: true });
}
