/** Reads what a folder contains. */
import { type Dirent, lstatSync, opendirSync } from 'node:fs';
import { join } from 'node:path';

/** What decoding makes of bytes that are not UTF-8. */
const REPLACEMENT = '\u{fffd}';

/**
 * Reads the first `maxEntries` entries of a folder. `entries` are in any order.
 * @param beforeEach called before each request to the system
 */
export function readFolder(
  folder: string,
  maxEntries: number,
  beforeEach: () => void,
): {
  entries: Dirent[];
  /** Entries whose names are not UTF-8, with a replacement character in each: nothing can be opened by such a name. */
  notUtf8: Dirent[];
  /** True when all of the folder was read. */
  isComplete: boolean;
} {
  beforeEach();
  const open = opendirSync(folder, { bufferSize: Math.min(maxEntries, 1024) });
  const [entries, notUtf8]: [Dirent[], Dirent[]] = [[], []];
  try {
    for (let count = 0; count < maxEntries; count++) {
      beforeEach();
      const entry = open.readSync();
      if (!entry) return { entries, notUtf8, isComplete: true };
      (canBeNamed(folder, entry.name) ? entries : notUtf8).push(entry);
    }
  } finally {
    open.closeSync();
  }
  return { entries, notUtf8, isComplete: false };
}

/** A name may also have a replacement character of its own. */
function canBeNamed(folder: string, name: string): boolean {
  return !name.includes(REPLACEMENT) || lstatSync(join(folder, name), { throwIfNoEntry: false }) !== undefined;
}
