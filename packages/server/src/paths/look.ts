/** Looks at what is at paths, and knows which storage a path lies on. */
import {
  type BigIntStats,
  closeSync,
  type Dirent,
  fstatSync,
  lstatSync,
  opendirSync,
  openSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
  statfsSync,
} from 'node:fs';
import { basename, join, parse, posix, sep, win32 } from 'node:path';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { ambiguity, isAscii, NameIndex } from '@acquisition-store/readers/io/name-index.js';
import { exhaustionError } from '../platform-node/exhaustion.js';
import {
  descriptorPath,
  knowsOwnPaths,
  openReference,
  ownPathOf,
  replacedWhileOpened,
} from '../platform-node/file-source.js';

/** What is at a path without links. */
export interface PathEntry {
  /** Where it really is: differs from the path asked for when a link took the place of a folder on the way. */
  real: string;
  kind: 'file' | 'folder' | 'other';
  ino: string;
  /** Bytes. */
  size: number;
  /** Time of the last change, in whole milliseconds since 1970. */
  modified: number;
}

/** A path leads to a storage that is not admitted yet; nothing on it was accessed. */
export class Crossing extends Error {
  readonly storage: string;

  constructor(storage: string) {
    super(`the path leads to ${storage}`);
    this.storage = storage;
  }
}

/** Entries of a folder among which a name is looked for in NFC and NFD. */
const MAX_SPELLED = 100_000;
/** The limit of Linux: path_resolution(7). */
const MAX_LINKS = 40;
/** What decoding makes of bytes that are not UTF-8. */
const REPLACEMENT = '\u{fffd}';

/**
 * Looks at paths without accessing a storage that is not admitted: one that hangs would block the thread for good. Every
 * method throws `Crossing` instead, and the errors of the system.
 */
export class Look {
  /** Storages that may be accessed; all of them when missing. */
  private readonly admitted: readonly string[] | undefined;
  private readonly mountPoints: readonly string[];
  private readonly platform: NodeJS.Platform;
  /** Called before each request to the system, which has then answered all earlier ones. */
  private readonly onStep: (() => void) | undefined;
  /** Path of the last request. */
  private entered: string | undefined;

  /** Without parameters it may access every storage: for programs that serve one user, who can wait. */
  constructor(
    platform: NodeJS.Platform = process.platform,
    mountPoints: readonly string[] = [],
    admitted?: readonly string[],
    onStep?: () => void,
  ) {
    this.platform = platform;
    this.mountPoints = mountPoints;
    this.admitted = admitted;
    this.onStep = onStep;
  }

  /** Resolves all links of a path. */
  realpath(path: string): string {
    const { real, problem } = this.follow(path);
    if (problem !== undefined) throw problem;
    return real;
  }

  /** Returns the real path, or that of the closest folder above it that is accessible. */
  nearestReal(path: string): string {
    return this.follow(path).real;
  }

  /**
   * Holds what is at a path without links while `use` runs, so that what is judged is what is read.
   * @throws AcqError `path_not_allowed` when it was replaced meanwhile, on systems that cannot hold it
   */
  hold<T>(real: string, use: (held: Held) => T): T {
    this.enter(real);
    if (this.platform !== 'linux' || !knowsOwnPaths()) return this.holdByIdentity(real, use);
    const fd = openReference(real);
    try {
      this.onStep?.();
      const entry = toEntry(ownPathOf(fd) ?? real, fstatSync(fd, { bigint: true }));
      return use(new Held(entry, descriptorPath(fd), this));
    } finally {
      closeSync(fd);
    }
  }

  /** Tells what is at a path without links. */
  entry(real: string): PathEntry {
    return this.hold(real, (held) => held.entry);
  }

  /**
   * Returns what is at a path; `undefined` when there is nothing, or it is not accessible.
   * @throws AcqError `capacity_exceeded` when the system has run out of descriptors or memory
   */
  find(path: string): PathEntry | undefined {
    try {
      return this.entry(this.realpath(path));
    } catch (error) {
      if (error instanceof Crossing) throw error;
      const exhausted = exhaustionError('cannot be opened', error);
      if (exhausted) throw exhausted.about(basename(path));
      return undefined;
    }
  }

  /** Returns what is known of what is at a path, also of a link; nothing when it is missing. */
  stats(path: string): BigIntStats | undefined {
    this.enter(path);
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  }

  /** Waits until the storage answers. */
  probe(path: string): void {
    this.enter(path);
    statfsSync(path);
  }

  /** Comes before each request to the system. @param path real path that the request is about */
  enter(path: string): void {
    this.onStep?.();
    // A folder is read entry by entry.
    if (!this.admitted || path === this.entered) return;
    const storage = storageOf(path, this.mountPoints, this.platform);
    if (!this.admitted.includes(storage)) throw new Crossing(storage);
    this.entered = path;
  }

  /** Compares what is at the path before and after. */
  private holdByIdentity<T>(real: string, use: (held: Held) => T): T {
    const first = lstatSync(real, { bigint: true });
    const result = use(new Held(toEntry(real, first), real, this));
    const last = this.realpath(real) === real && lstatSync(real, { bigint: true, throwIfNoEntry: false });
    if (!last || last.ino !== first.ino || last.dev !== first.dev) throw replacedWhileOpened(real);
    return result;
  }

  /** Follows links, one component after the other, as far as possible; `problem` is what stopped it. */
  private follow(path: string) {
    if (this.platform === 'win32') return this.followOnWindows(path);
    const rest = componentsOf(path);
    let real = '/';
    let links = 0;
    try {
      while (rest.length > 0) {
        const { path: next, isLink } = this.lookAt(real, rest.pop() as string);
        if (!isLink) {
          real = next;
          continue;
        }
        if (++links > MAX_LINKS) throw Object.assign(new Error(`ELOOP: ${path}`), { code: 'ELOOP' });
        const target = readlinkSync(next);
        rest.push(...componentsOf(target));
        if (target.startsWith('/')) real = '/';
      }
      return { real };
    } catch (problem) {
      if (problem instanceof Crossing) throw problem;
      return { real, problem };
    }
  }

  /** Looks at an entry of a folder; when it is missing, at the one whose name differs only in NFC and NFD. */
  private lookAt(folder: string, name: string): { path: string; isLink: boolean } {
    const path = join(folder, name);
    this.enter(path);
    try {
      return { path, isLink: lstatSync(path).isSymbolicLink() };
    } catch (error) {
      const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
      const spelled = isMissing && !isAscii(name) ? this.spell(folder, name) : undefined;
      if (spelled === undefined) throw error;
      return this.lookAt(folder, spelled);
    }
  }

  private spell(folder: string, name: string): string | undefined {
    const { entries } = this.hold(folder, (held) => held.readFolder(MAX_SPELLED));
    const spellings = new NameIndex(entries.map((entry) => entry.name)).spellings(name);
    if (spellings.length > 1) throw new AcqError('path_not_found', ambiguity(spellings.length), { subject: name });
    return spellings[0] === name ? undefined : spellings[0];
  }

  /** On Windows a storage is a drive or a share, and the system follows links. */
  private followOnWindows(path: string) {
    this.enter(path);
    let { root: nearest } = parse(path);
    let problem: unknown;
    try {
      for (const name of path.slice(nearest.length).split(sep)) {
        nearest = this.lookAt(nearest, name).path;
      }
    } catch (error) {
      problem = error;
    }
    // Not `realpathSync.native`: it replaces the letter of a mapped network drive by a server name.
    const real = realpathSync(nearest);
    this.enter(real);
    return { real, problem };
  }
}

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

  /** Reads the first `maxEntries` entries of the folder. `entries` are in any order. */
  readFolder(maxEntries: number): {
    entries: Dirent[];
    /** Entries whose names are not UTF-8, with a replacement character in each: nothing can be opened by such a name. */
    notUtf8: Dirent[];
    /** True when all of the folder was read. */
    isComplete: boolean;
  } {
    this.look.enter(this.entry.real);
    const folder = opendirSync(this.at, { bufferSize: Math.min(maxEntries, 1024) });
    const [entries, notUtf8]: [Dirent[], Dirent[]] = [[], []];
    try {
      for (let count = 0; count < maxEntries; count++) {
        this.look.enter(this.entry.real);
        const entry = folder.readSync();
        if (!entry) return { entries, notUtf8, isComplete: true };
        (this.canBeNamed(entry.name) ? entries : notUtf8).push(entry);
      }
    } finally {
      folder.closeSync();
    }
    return { entries, notUtf8, isComplete: false };
  }

  /** A name may also have a replacement character of its own. */
  private canBeNamed(name: string): boolean {
    return !name.includes(REPLACEMENT) || lstatSync(join(this.at, name), { throwIfNoEntry: false }) !== undefined;
  }
}

/** Returns the names in a path, the first one last; the root and empty names, as in `a//b`, change nothing. */
function componentsOf(path: string): string[] {
  return path
    .split('/')
    .filter((name) => name !== '')
    .reverse();
}

function toEntry(real: string, stats: BigIntStats): PathEntry {
  return {
    real,
    kind: stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other',
    ino: String(stats.ino),
    ...factsOf(stats),
  };
}

function factsOf({ size, mtimeNs }: BigIntStats) {
  return { size: Number(size), modified: Number(mtimeNs / 1_000_000n) };
}

/** Returns the path of an entry of a folder: what `join` does, which takes as long as to ask the system. */
export function entryPath(folder: string, name: string): string {
  return folder.endsWith(sep) ? folder + name : folder + sep + name;
}

/** Milliseconds. Reading the list takes longer than a look-up, and one open needs it several times. */
const FRESH_MS = 50;

/** The mount points of this machine. */
export class MountTable {
  private readonly platform: NodeJS.Platform;
  private readonly now: () => number;
  private readAt = Number.NEGATIVE_INFINITY;
  private text = Buffer.alloc(0);
  private points: readonly string[] = [];

  /** @param now returns milliseconds */
  constructor(platform: NodeJS.Platform, now = () => performance.now()) {
    this.platform = platform;
    this.now = now;
  }

  /**
   * Returns the mount points of a moment ago; none where the system has no list of them. Reads a file of the kernel, which
   * answers also when a mount hangs, and parses it when it has changed.
   */
  read(): readonly string[] {
    if (this.platform !== 'linux') return [];
    const now = this.now();
    if (now - this.readAt < FRESH_MS) return this.points;
    try {
      const text = readFileSync('/proc/self/mountinfo');
      if (!text.equals(this.text)) this.points = parseMountInfo(text.toString());
      this.text = text;
      this.readAt = now;
    } catch {
      return [];
    }
    return this.points;
  }
}

/** Mount points of `/proc/self/mountinfo` (proc(5)): the fifth field, blanks and backslashes in octal. */
export function parseMountInfo(text: string): string[] {
  const points = text.split('\n').flatMap((line) => line.split(' ')[4] ?? []);
  return points.map((point) =>
    point.replace(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8))),
  );
}

/**
 * The storage that an absolute path lies on, by its name alone: the closest mount point above it, a volume, a drive, a
 * share. Links on the way are for whoever follows them to ask about.
 */
export function storageOf(path: string, points: readonly string[], platform: NodeJS.Platform): string {
  if (platform === 'win32') return win32.parse(path).root.toLowerCase();
  if (platform === 'darwin') return /^\/(Volumes|Network)\/[^/]+/.exec(path)?.[0] ?? '/';
  let closest: string = posix.sep;
  for (const point of points) if (point.length > closest.length && isAbove(point, path)) closest = point;
  return closest;
}

/** The storages on the way to a path, the one that it lies on last. */
export function storagesTo(path: string, points: readonly string[], platform: NodeJS.Platform): string[] {
  const own = storageOf(path, points, platform);
  if (platform === 'win32') return [own];
  const parts = path.split('/');
  const above = parts.map((_, i) => storageOf(parts.slice(0, i + 1).join('/') || '/', points, platform));
  return [...new Set([...above.filter((storage) => storage !== own), own])];
}

function isAbove(point: string, path: string): boolean {
  if (!path.startsWith(point)) return false;
  return path.length === point.length || point.endsWith('/') || path[point.length] === '/';
}
