import { lstatSync, opendirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { LIMITS } from '@acquisition-store/readers/base/limits.js';
import { type Files, Folder, leadsOut } from '@acquisition-store/readers/io/folder.js';
import { exhaustionError } from './exhaustion.js';
import {
  absence,
  describeChanges,
  type FileSource,
  type Fingerprint,
  isBelow,
  openFileSource,
  openUnlinkedSource,
} from './file-source.js';
import { folderState, hasSettled } from './folder-state.js';
import { readNamesAgain } from './listed-names.js';

/** Max descriptors of one set at a time; systems allow a process 256 or 1,024. */
const OPEN_AT_ONCE = 32;
/** Files that are all looked at whenever a plane is read. */
const FEW = 64;
/** Folders whose state says that no file of them was added, removed or replaced. */
const FEW_FOLDERS = 4;
/** Milliseconds after which all files are looked at again. */
const LOOK_EVERY_MS = 5_000;

/** Returns a folder on disk. @param path real absolute path */
export function folderOnDisk(path: string): Folder {
  return new Folder(new FilesOnDisk(path));
}

/**
 * The files of a folder on disk. Remembers every source that it has opened, to close it and to fingerprint the
 * acquisition.
 */
export class FilesOnDisk implements Files {
  readonly path: string;
  private readonly label: string;
  private readonly sources = new Map<string, FileSource>();
  /** Files that were looked for in vain, by path. */
  private readonly absent = new Map<string, Fingerprint>();
  /** The folders inside that files were opened in: real paths and names for messages, both up to the name of a file. */
  private readonly folders = new Map<string, { prefix: string; name: string } | 'outside'>();
  /** The last files opened, oldest first. */
  private readonly recent: FileSource[] = [];
  /**
   * Set when a file could not be opened because the system had no descriptor left. Readers warn about a part that they
   * cannot open and go on; here that would be wrong, because the part exists.
   */
  exhaustion: AcqError | undefined;
  /** State of the folders when all files were looked at. */
  private settled: { state: string; at: number } | undefined;

  /**
   * @param path real absolute path of the folder
   * @param label prefix of names in messages: for a folder that is the acquisition, its own name and a slash
   */
  constructor(path: string, label = '') {
    this.path = path;
    this.label = label;
  }

  /** Opens the acquisition's own file by its real absolute path. */
  openOwn(path: string): FileSource {
    return this.remember(path);
  }

  open(name: string): FileSource | undefined {
    if (!isNameHere(name)) throw leadsOut(name);
    const unlinked = this.openUnlinked(name);
    return unlinked ? unlinked.source : this.openResolved(name);
  }

  /**
   * Opens a file that is not a link. The folder that it is in was resolved when its first file was opened, so that each of
   * thousands of chunks takes one look-up instead of one for each part of its path.
   * @returns a box with the file, or with nothing when it is missing; `undefined` when only `openResolved` can tell
   */
  private openUnlinked(name: string): { source: FileSource | undefined } | undefined {
    const slash = name.lastIndexOf('/');
    const base = name.slice(slash + 1);
    if (base === '' || base === '.') return undefined;
    const folder = this.resolveFolder(slash < 0 ? '' : name.slice(0, slash));
    if (folder === 'missing') return { source: undefined };
    if (folder === 'outside') return undefined;
    const path = folder.prefix + base;
    const known = this.sources.get(path);
    if (known) {
      const now = lstatSync(path, { throwIfNoEntry: false });
      if (now?.isSymbolicLink()) return undefined;
      return { source: now && known };
    }
    const source = openUnlinkedSource(path, this.path, folder.name + base);
    if (source === 'unclear') return undefined;
    return { source: source === 'missing' ? undefined : this.keep(path, source) };
  }

  /** Returns the real path of a folder inside, unless there is none, or a link leads out of this folder. */
  private resolveFolder(inside: string) {
    const known = this.folders.get(inside);
    if (known) return known;
    let path: string;
    try {
      path = this.findUnlinked(inside) ?? realpathSync(join(this.path, inside));
    } catch {
      return 'missing' as const;
    }
    const isInside = isBelow(this.path, path);
    const folder = isInside ? { prefix: withSlash(path, sep), name: withSlash(this.nameOf(path), '/') } : 'outside';
    this.folders.set(inside, folder);
    return folder;
  }

  /**
   * Returns the real path of a folder that is not a link, in a folder that was resolved before: one look-up for each of
   * thousands of folders with a chunk each. `undefined` when only the system can tell.
   */
  private findUnlinked(inside: string): string | undefined {
    if (inside === '') return this.path;
    const slash = inside.lastIndexOf('/');
    const name = inside.slice(slash + 1);
    if (name === '' || name === '.') return undefined;
    const parent = this.resolveFolder(inside.slice(0, Math.max(0, slash)));
    if (typeof parent === 'string') return undefined;
    const path = parent.prefix + name;
    return lstatSync(path).isDirectory() ? path : undefined;
  }

  private openResolved(name: string): FileSource | undefined {
    let real: string;
    try {
      real = realpathSync(join(this.path, name));
    } catch {
      return undefined;
    }
    if (!isBelow(this.path, real)) {
      throw new AcqError('path_not_allowed', 'links to a file outside its own folder', { subject: name });
    }
    return this.remember(real);
  }

  list(inside: string): readonly string[] | undefined {
    if (!isNameHere(inside)) return undefined;
    try {
      const folder = this.resolveFolder(inside);
      return typeof folder === 'string' ? undefined : readNamesAgain(folder.prefix, this.path);
    } catch (error) {
      const exhausted = exhaustionError('cannot be listed', error);
      if (exhausted) throw this.noteExhaustion(exhausted.about(basename(join(this.path, inside))));
      // Missing, not a folder, or not readable: nothing in it can be opened either.
      return undefined;
    }
  }

  sizeOf(names: Iterable<string> | 'everything', max: number): number | undefined {
    const listed = names === 'everything' ? namesBelow(this.path, max) : names;
    if (!listed) return undefined;
    const distinct = new Set<string>();
    for (const name of listed) {
      distinct.add(name);
      if (distinct.size > max) return undefined;
    }
    return this.bytesOf(distinct);
  }

  /** Returns nothing when a file is not accessible. */
  private bytesOf(names: Iterable<string>): number | undefined {
    const inside = new Map<string, boolean>();
    let bytes = 0;
    try {
      for (const name of names) {
        const path = join(this.path, name);
        const known = this.sources.get(path)?.size;
        bytes += known ?? (isFolderInside(this.path, dirname(path), inside) ? sizeInside(this.path, path) : 0);
      }
    } catch {
      return undefined;
    }
    return bytes;
  }

  hasOpened(name: string): boolean {
    return this.sources.has(join(this.path, name));
  }

  peek<T>(name: string, read: (source: FileSource) => T): T | undefined {
    const known = isNameHere(name) ? this.sources.get(join(this.path, name)) : undefined;
    if (known) return read(known);
    const source = this.openBriefly(name);
    try {
      return source && read(source);
    } finally {
      source?.close();
    }
  }

  /** Opens a file without remembering it. Links, and what is not a file, prove nothing. */
  private openBriefly(name: string): FileSource | undefined {
    const [folder, ...more] = name.split('/').slice(0, -1);
    if (!isNameHere(name) || name.includes('\\') || more.length > 0) return undefined;
    try {
      if (folder !== undefined && !lstatSync(join(this.path, folder)).isDirectory()) return undefined;
      const path = join(this.path, name);
      return lstatSync(path).isFile() ? openFileSource(path, this.path, this.label + name) : undefined;
    } catch {
      return undefined;
    }
  }

  /** Then the fingerprints tell when the file appears. */
  noteAbsent(name: string): void {
    if (this.absent.size >= LIMITS.files) return;
    const slash = name.lastIndexOf('/');
    const folder = this.resolveFolder(slash < 0 ? '' : name.slice(0, slash));
    const path = typeof folder === 'string' ? join(this.path, name) : folder.prefix + name.slice(slash + 1);
    this.absent.set(path, absence(path));
  }

  /** Returns the fingerprints of all files opened so far, in the order of opening, then those of missing ones. */
  fingerprints(): Fingerprint[] {
    return [...[...this.sources.values()].map((source) => source.fingerprint), ...this.absent.values()];
  }

  /**
   * Describes what has happened to the files since they were opened, one clause for each file that has changed. Of thousands of
   * files, those that were read since the last call and the folder are looked at each time, and all of them when the folder has
   * changed, or when that was a few seconds ago.
   */
  changes(): string[] {
    const all = this.fingerprints();
    if (all.length <= FEW) return describeChanges(all);
    const read = this.readSince();
    const now = performance.now();
    const state = stateOf(all);
    if (state !== undefined && this.settled?.state === state && now - this.settled.at < LOOK_EVERY_MS) {
      return describeChanges(read);
    }
    this.settled = state === undefined ? undefined : { state, at: now };
    return describeChanges(all);
  }

  /** Returns the fingerprints of the files that were read since the last call, and of missing ones. */
  private readSince(): Fingerprint[] {
    const read: Fingerprint[] = [];
    for (const source of this.sources.values()) {
      if (source.wasRead) read.push(source.fingerprint);
      source.wasRead = false;
    }
    return [...read, ...this.absent.values()];
  }

  close(): void {
    for (const source of this.sources.values()) source.close();
  }

  private noteExhaustion<E>(error: E): E {
    if (error instanceof AcqError && error.code === 'capacity_exceeded') this.exhaustion ??= error;
    return error;
  }

  private remember(real: string): FileSource {
    return this.sources.get(real) ?? this.keep(real, this.openSource(real));
  }

  private keep(real: string, source: FileSource): FileSource {
    this.sources.set(real, source);
    source.onResume = () => this.use(source);
    source.onResumeFailed = (error) => void this.noteExhaustion(error);
    this.use(source);
    return source;
  }

  private openSource(real: string): FileSource {
    try {
      return openFileSource(real, this.path, this.nameOf(real));
    } catch (error) {
      throw this.noteExhaustion(error);
    }
  }

  /** Returns the name of a file for messages. */
  private nameOf(real: string): string {
    return this.label + relative(this.path, real).replaceAll(sep, '/');
  }

  /** Notes that `source` holds a descriptor, and parks the source that has held one longest. */
  private use(source: FileSource): void {
    this.recent.push(source);
    if (this.recent.length > OPEN_AT_ONCE) this.recent.shift()?.park();
  }
}

/** Returns the state of the folders of files; nothing when there are many, or one has changed a moment ago. */
function stateOf(fingerprints: readonly Fingerprint[]): string | undefined {
  const folders = new Set<string>();
  for (const { path } of fingerprints) {
    folders.add(dirname(path));
    if (folders.size > FEW_FOLDERS) return undefined;
  }
  const states: string[] = [];
  for (const folder of folders) {
    const stats = lstatSync(folder, { bigint: true, throwIfNoEntry: false });
    if (!stats || !hasSettled(Number(stats.mtimeMs))) return undefined;
    states.push(`${folder} ${folderState(stats)}`);
  }
  return states.join('\n');
}

/** On Windows a name has no drive or stream (`:`) and no backslash, which are ordinary characters elsewhere. */
function isNameHere(name: string): boolean {
  return process.platform !== 'win32' || !/[\\:]/.test(name);
}

function withSlash(path: string, slash: string): string {
  return path === '' || path.endsWith(slash) ? path : path + slash;
}

/** Returns the names of all files in a folder and below; `undefined` for a link, and for more than `max` entries. */
function namesBelow(root: string, max: number): string[] | undefined {
  const names: string[] = [];
  const folders = [''];
  let entries = 0;
  try {
    for (let inside = folders.pop(); inside !== undefined; inside = folders.pop()) {
      // Small buffers: a folder of a million files is given up after the first ones.
      const folder = opendirSync(join(root, inside), { bufferSize: 64 });
      try {
        for (let entry = folder.readSync(); entry; entry = folder.readSync()) {
          if (++entries > max || entry.isSymbolicLink()) return undefined;
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
  return names;
}

/** Returns 0 for a missing file and for a link to a file outside the folder. */
function sizeInside(root: string, path: string): number {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat?.isSymbolicLink()) return stat?.isFile() ? stat.size : 0;
  const real = realpathSync(path);
  return isBelow(root, real) ? statSync(real).size : 0;
}

/** A folder inside may itself be a link. */
function isFolderInside(root: string, folder: string, known: Map<string, boolean>): boolean {
  if (folder === root) return true;
  const before = known.get(folder);
  if (before !== undefined) return before;
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  const inside = stat !== undefined && isBelow(root, realpathSync(folder));
  known.set(folder, inside);
  return inside;
}
