import { lstatSync, readlinkSync, realpathSync, statfsSync } from 'node:fs';
import { join, parse, sep } from 'node:path';
import { storageOf } from './mounts.js';

/** A path leads to a storage that nobody has allowed yet; nothing there was touched. */
export class Crossing extends Error {
  readonly storage: string;

  constructor(storage: string) {
    super(`the path leads to ${storage}`);
    this.storage = storage;
  }
}

export interface LookOptions {
  /** Storages that may be touched; all of them without it. */
  admitted?: readonly string[];
  mountPoints: readonly string[];
  platform: NodeJS.Platform;
}

/** What is at a path without links. */
export interface Entry {
  kind: 'file' | 'folder' | 'other';
  ino: string;
}

interface Followed {
  real: string;
  problem?: unknown;
}

/** Like Linux (path_resolution(7)). */
const MAX_LINKS = 40;

/**
 * Looks at paths without touching a storage that is not admitted: one that hangs would never let go of the thread.
 * Every method throws `Crossing` before it would, and the errors of the system.
 */
export class Look {
  private readonly options: LookOptions;

  constructor(options: LookOptions) {
    this.options = options;
  }

  /** Without links. */
  realpath(path: string): string {
    const { real, problem } = this.follow(path);
    if (problem !== undefined) throw problem;
    return real;
  }

  /** The real path, or that of the closest folder above that can be looked at. */
  nearestReal(path: string): string {
    return this.follow(path).real;
  }

  /** Tells what is at a path without links. */
  entry(real: string): Entry {
    this.enter(real);
    const stats = lstatSync(real, { bigint: true });
    return { kind: stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other', ino: String(stats.ino) };
  }

  /** `undefined` when nothing is there, or nothing that may be looked at. */
  find(path: string): ({ real: string } & Entry) | undefined {
    try {
      const real = this.realpath(path);
      return { real, ...this.entry(real) };
    } catch (error) {
      if (error instanceof Crossing) throw error;
      return undefined;
    }
  }

  /** Waits until the storage answers. */
  probe(path: string): void {
    this.enter(path);
    statfsSync(path);
  }

  private enter(path: string): void {
    const { admitted, mountPoints, platform } = this.options;
    const storage = storageOf(path, mountPoints, platform);
    if (admitted && !admitted.includes(storage)) throw new Crossing(storage);
  }

  /** Follows links, one component after the other, as far as it goes; `problem` says why no further. */
  private follow(path: string): Followed {
    if (this.options.platform === 'win32') return this.followOnWindows(path);
    const rest = path.split('/').reverse();
    let real = '/';
    let links = 0;
    try {
      while (rest.length > 0) {
        const next = join(real, rest.pop() as string);
        this.enter(next);
        if (!lstatSync(next).isSymbolicLink()) {
          real = next;
          continue;
        }
        if (++links > MAX_LINKS) throw Object.assign(new Error(`ELOOP: ${path}`), { code: 'ELOOP' });
        const target = readlinkSync(next);
        rest.push(...target.split('/').reverse());
        if (target.startsWith('/')) real = '/';
      }
      return { real };
    } catch (problem) {
      if (problem instanceof Crossing) throw problem;
      return { real, problem };
    }
  }

  /** A drive or a share is a storage there; links are left to the system. */
  private followOnWindows(path: string): Followed {
    this.enter(path);
    let { root: nearest } = parse(path);
    let problem: unknown;
    try {
      for (const name of path.slice(nearest.length).split(sep)) {
        const next = join(nearest, name);
        lstatSync(next);
        nearest = next;
      }
    } catch (error) {
      problem = error;
    }
    // Not the native one: that turns the letter of a mapped network drive into a server name.
    const real = realpathSync(nearest);
    this.enter(real);
    return { real, problem };
  }
}

/** A look that may touch every storage: for programs that work for one user, who can wait. */
export function unrestrictedLook(): Look {
  return new Look({ mountPoints: [], platform: process.platform });
}
