import { type BigIntStats, closeSync, fstatSync, lstatSync, readlinkSync, realpathSync, statfsSync } from 'node:fs';
import { basename, join, parse, sep } from 'node:path';
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
import { type BeforeRequest, Held, type PathEntry, toDetails } from './held.js';
import { storageOf } from './mounts.js';

/** A path leads to a storage that is not admitted yet; nothing on it was accessed. */
export class Crossing extends Error {
  readonly storage: string;

  constructor(storage: string) {
    super(`the path leads to ${storage}`);
    this.storage = storage;
  }
}

export interface LookOptions {
  /** Storages that may be accessed; all of them when missing. */
  admitted?: readonly string[];
  mountPoints: readonly string[];
  platform: NodeJS.Platform;
  /** Called before each request to the system, which has then answered all earlier ones. */
  onStep?: () => void;
}

interface FollowedLink {
  real: string;
  problem?: unknown;
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
  private readonly options: LookOptions;
  /** Path of the last request. */
  private entered: string | undefined;

  constructor(options: LookOptions) {
    this.options = options;
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
    const before = (path: string) => this.enter(path);
    if (this.options.platform !== 'linux' || !knowsOwnPaths()) return this.holdByIdentity(real, use, before);
    const fd = openReference(real);
    try {
      this.options.onStep?.();
      const details = toDetails(ownPathOf(fd) ?? real, fstatSync(fd, { bigint: true }));
      return use(new Held(details, descriptorPath(fd), before));
    } finally {
      closeSync(fd);
    }
  }

  /** Tells what is at a path without links. */
  entry(real: string): PathEntry {
    return this.hold(real, ({ details: { real, kind, ino } }) => ({ real, kind, ino }));
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

  private enter(path: string): void {
    const { admitted, mountPoints, platform, onStep } = this.options;
    onStep?.();
    // A folder is read entry by entry.
    if (!admitted || path === this.entered) return;
    const storage = storageOf(path, mountPoints, platform);
    if (!admitted.includes(storage)) throw new Crossing(storage);
    this.entered = path;
  }

  /** Compares what is at the path before and after. */
  private holdByIdentity<T>(real: string, use: (held: Held) => T, before: BeforeRequest): T {
    const first = lstatSync(real, { bigint: true });
    const result = use(new Held(toDetails(real, first), real, before));
    const last = this.realpath(real) === real && lstatSync(real, { bigint: true, throwIfNoEntry: false });
    if (!last || last.ino !== first.ino || last.dev !== first.dev) throw replacedWhileOpened(real);
    return result;
  }

  /** Follows links, one component after the other, as far as possible; `problem` is what stopped it. */
  private follow(path: string): FollowedLink {
    if (this.options.platform === 'win32') return this.followOnWindows(path);
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
  private followOnWindows(path: string): FollowedLink {
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

/** Returns a look that may access every storage: for programs that serve one user, who can wait. */
export function unrestrictedLook(): Look {
  return new Look({ mountPoints: [], platform: process.platform });
}
