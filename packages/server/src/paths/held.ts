/** Reads what is inside of files and folders for lists, while they are held. */
import { closeSync, lstatSync, openSync, readSync } from 'node:fs';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { readFolder } from './folder-entries.js';
import { enter, nameOf, orOpenError } from './locate.js';
import { entryPath, factsOf, type Look, type PathEntry } from './look.js';
import type { PathPolicy } from './policy.js';

/** A file or folder that stays the same one, whatever takes its place at its path. Judge its `entry.real` first. */
export class Held {
  readonly entry: PathEntry;
  private readonly at: string;
  private readonly look: Look;

  /** @param at path that leads to it for as long as it is held */
  constructor(entry: PathEntry, at: string, look: Look) {
    this.entry = entry;
    this.at = at;
    this.look = look;
  }

  /** Tells size and time of an entry of the folder; a link is not followed. */
  factsOf(name: string): Pick<PathEntry, 'size' | 'modified'> {
    this.look.enter(entryPath(this.entry.real, name));
    return factsOf(lstatSync(entryPath(this.at, name), { bigint: true }));
  }

  /** Reads the start of a regular file; nothing of anything else, which could block. */
  readHead(bytes: number): Uint8Array | undefined {
    if (this.entry.kind !== 'file') return undefined;
    this.look.enter(this.entry.real);
    const fd = openSync(this.at, 'r');
    try {
      const head = new Uint8Array(bytes);
      return head.subarray(0, readSync(fd, head, 0, bytes, 0));
    } finally {
      closeSync(fd);
    }
  }

  /** Reads the first `maxEntries` entries of the folder; see `readFolder`. */
  readFolder(maxEntries: number) {
    return readFolder(this.at, maxEntries, () => this.look.enter(this.entry.real));
  }
}

/** Holds what is at a path without links while `use` runs; see `Look.hold`. */
export function withHeld<T>(real: string, look: Look, use: (held: Held) => T): T {
  return look.hold(real, (entry, at) => use(new Held(entry, at, look)));
}

/**
 * Holds a folder that may be listed, whether it is an acquisition or not, while `use` runs.
 * @throws AcqError `request_validation_failed`, `path_not_allowed`, `path_not_found`, `path_not_readable`; `Crossing` for a
 * storage that `look` may not touch
 */
export function withFolder<T>(path: string, policy: PathPolicy, look: Look, use: (folder: Held) => T): T {
  const { absolute, shown, checkInside, checkEntry } = enter(path, policy, look, false);
  const real = orOpenError(shown, () => look.realpath(absolute));
  checkInside(real);
  return orOpenError(shown, () =>
    withHeld(real, look, (folder) => {
      checkEntry(folder.entry, real);
      if (folder.entry.kind === 'folder') return use(folder);
      throw new AcqError('path_not_found', 'is not a folder', { subject: nameOf(shown) });
    }),
  );
}
