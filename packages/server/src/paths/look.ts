/** Looks at what is at paths, and knows which storage a path lies on. */
import { type BigIntStats, closeSync, fstatSync, lstatSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
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
import { readFolder } from './folder-entries.js';

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
   * @param use gets a path that leads to it for as long as it is held
   * @throws AcqError `path_not_allowed` when it was replaced meanwhile, on systems that cannot hold it
   */
  hold<T>(real: string, use: (entry: PathEntry, at: string) => T): T {
    this.enter(real);
    if (this.platform !== 'linux' || !knowsOwnPaths()) return this.holdByIdentity(real, use);
    const fd = openReference(real);
    try {
      this.onStep?.();
      return use(toEntry(ownPathOf(fd) ?? real, fstatSync(fd, { bigint: true })), descriptorPath(fd));
    } finally {
      closeSync(fd);
    }
  }

  /** Tells what is at a path without links. */
  entry(real: string): PathEntry {
    return this.hold(real, (entry) => entry);
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
  private holdByIdentity<T>(real: string, use: (entry: PathEntry, at: string) => T): T {
    const first = lstatSync(real, { bigint: true });
    const result = use(toEntry(real, first), real);
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
    const { entries } = this.hold(folder, ({ real }, at) => readFolder(at, MAX_SPELLED, () => this.enter(real)));
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

/** Returns bytes, and milliseconds since 1970. */
export function factsOf({ size, mtimeNs }: BigIntStats) {
  return { size: Number(size), modified: Number(mtimeNs / 1_000_000n) };
}

/** Returns the path of an entry of a folder: what `join` does, which takes as long as to ask the system. */
export function entryPath(folder: string, name: string): string {
  return folder.endsWith(sep) ? folder + name : folder + sep + name;
}

/** Milliseconds. Reading the list takes longer than a look-up, and one open needs it several times. */
const FRESH_MS = 50;

/**
 * Tells the mount points of a moment ago; none where the system has no list of them.
 * @param maxAgeMs milliseconds since the list was read; it is read again when it is older
 */
export type MountPoints = (maxAgeMs?: number) => readonly string[];

/**
 * Returns a function that reads the mount points from a file of the kernel, which answers also when a mount hangs, and parses them
 * when they have changed.
 * @param now returns milliseconds
 */
export function mountPointReader(platform: NodeJS.Platform, now = () => performance.now()): MountPoints {
  let readAt = Number.NEGATIVE_INFINITY;
  let text = Buffer.alloc(0);
  let points: readonly string[] = [];
  return (maxAgeMs = FRESH_MS) => {
    if (platform !== 'linux') return [];
    const time = now();
    if (time - readAt < maxAgeMs) return points;
    try {
      const read = readFileSync('/proc/self/mountinfo');
      if (!read.equals(text)) points = parseMountInfo(read.toString());
      text = read;
      readAt = time;
    } catch {
      return [];
    }
    return points;
  };
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
  const above = points.filter((point) => isAbove(point, path)).sort((a, b) => a.length - b.length);
  return [...new Set([posix.sep, ...above, own])];
}

function isAbove(point: string, path: string): boolean {
  if (!path.startsWith(point)) return false;
  return path.length === point.length || point.endsWith('/') || path[point.length] === '/';
}
