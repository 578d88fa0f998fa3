/** What is at a path, for as long as it is looked at. */
import { type BigIntStats, closeSync, type Dirent, lstatSync, opendirSync, openSync, readSync } from 'node:fs';
import { join, sep } from 'node:path';

/** What is at a path without links. */
export interface PathEntry {
  /** Where it really is: differs from the path asked for when a link took the place of a folder on the way. */
  real: string;
  kind: 'file' | 'folder' | 'other';
  ino: string;
}

/** What a list of files shows. */
export interface Facts {
  /** Bytes. */
  size: number;
  /** Time of the last change, in whole milliseconds since 1970. */
  modified: number;
}

export interface Details extends PathEntry, Facts {}

/** Names in a folder. */
export interface FolderNames {
  /** In any order. */
  entries: Dirent[];
  /** Entries whose names are not UTF-8, with a replacement character in each: nothing can be opened by such a name. */
  notUtf8: Dirent[];
  /** True when all of the folder was read. */
  isComplete: boolean;
}

/** Called before each request to the system. @param path real path that the request is about */
export type BeforeRequest = (path: string) => void;

/** What decoding makes of bytes that are not UTF-8. */
const REPLACEMENT = '\u{fffd}';

/** A file or folder that stays the same one, whatever takes its place at its path. Judge its `details.real` first. */
export class Held {
  readonly details: Details;
  private readonly at: string;
  private readonly before: BeforeRequest;

  /** @param at path that leads to it for as long as it is held */
  constructor(details: Details, at: string, before: BeforeRequest) {
    this.details = details;
    this.at = at;
    this.before = before;
  }

  /** Tells size and time of an entry of the folder; a link is not followed. */
  factsOf(name: string): Facts {
    this.before(entryPath(this.details.real, name));
    return toFacts(lstatSync(entryPath(this.at, name), { bigint: true }));
  }

  /** Reads the start of a regular file; nothing of anything else, which could block. */
  readHead(bytes: number): Uint8Array | undefined {
    if (this.details.kind !== 'file') return undefined;
    this.before(this.details.real);
    const fd = openSync(this.at, 'r');
    try {
      const head = new Uint8Array(bytes);
      return head.subarray(0, readSync(fd, head, 0, bytes, 0));
    } finally {
      closeSync(fd);
    }
  }

  /** Reads the first `maxEntries` entries of the folder. */
  readFolder(maxEntries: number): FolderNames {
    this.before(this.details.real);
    const folder = opendirSync(this.at, { bufferSize: Math.min(maxEntries, 1024) });
    const names: FolderNames = { entries: [], notUtf8: [], isComplete: false };
    try {
      for (let count = 0; count < maxEntries; count++) {
        this.before(this.details.real);
        const entry = folder.readSync();
        if (!entry) return { ...names, isComplete: true };
        (this.canBeNamed(entry.name) ? names.entries : names.notUtf8).push(entry);
      }
    } finally {
      folder.closeSync();
    }
    return names;
  }

  /** A name may also have a replacement character of its own. */
  private canBeNamed(name: string): boolean {
    return !name.includes(REPLACEMENT) || lstatSync(join(this.at, name), { throwIfNoEntry: false }) !== undefined;
  }
}

export function toDetails(real: string, stats: BigIntStats): Details {
  return {
    real,
    kind: stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other',
    ino: String(stats.ino),
    ...toFacts(stats),
  };
}

function toFacts({ size, mtimeNs }: BigIntStats): Facts {
  return { size: Number(size), modified: Number(mtimeNs / 1_000_000n) };
}

/** Returns the path of an entry of a folder: what `join` does, which takes as long as to ask the system. */
export function entryPath(folder: string, name: string): string {
  return folder.endsWith(sep) ? folder + name : folder + sep + name;
}
