import { lstatSync, realpathSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import { AcqError } from '../errors.js';
import { type ByteSource, type FileSource, openFileSource, openUnlinkedSource } from './byte-source.js';
import { exhaustionError } from './exhaustion.js';
import { absence, type Fingerprint } from './fingerprint.js';
import { isBelow, sizeOfFiles, sizeOfFolder } from './folder-size.js';
import { LIMITS } from './limits.js';
import { isAscii, NameIndex } from './name-index.js';
import { readNames } from './own-path.js';

/** Max descriptors of one set at a time; systems allow a process 256 or 1,024. */
const OPEN_AT_ONCE = 32;

/** A folder inside another one. */
interface Inside {
  /** Real path, up to the name of a file. */
  prefix: string;
  /** For messages, up to the name of a file. */
  name: string;
}

/** The files beside an opened file: its folder, or the archive that the file is an entry of. */
export interface Siblings {
  /** Real absolute path of the folder, for messages; an archive has none. */
  readonly path?: string;
  /**
   * Opens a file by its name relative to the folder, or by one that differs from it only in NFC and NFD; `undefined` when it
   * is missing.
   * @throws AcqError `path_not_allowed` for a name that leads out of the folder; `companion_missing` for a name that several
   * files have in NFC and NFD
   */
  open(name: string): ByteSource | undefined;
  /** Like `open`, but ignores case when no name matches exactly. */
  openAnyCase(name: string): ByteSource | undefined;
  /** Lists the names in the folder, or in the folder `inside` it; empty when there is no such folder. */
  list(inside?: string): readonly string[];
}

/**
 * The folder of an opened file: the only place where a multi-file acquisition may look for its other files. Remembers
 * every source that it has opened, to close it and to fingerprint the acquisition.
 */
export class Folder implements Siblings {
  readonly path: string;
  private readonly label: string;
  private readonly sources = new Map<string, FileSource>();
  /** Files that were looked for in vain, by path. */
  private readonly absent = new Map<string, Fingerprint>();
  private readonly names = new Map<string, string[]>();
  private readonly indexes = new Map<string, NameIndex>();
  /** The folders inside that files were opened in. */
  private readonly folders = new Map<string, Inside | 'outside'>();
  /** The last files opened, oldest first. */
  private readonly recent: FileSource[] = [];
  private exhausted: AcqError | undefined;

  /**
   * @param path real absolute path of the folder
   * @param label prefix of names in messages: for a folder that is the acquisition, its own name and a slash
   */
  constructor(path: string, label = '') {
    this.path = path;
    this.label = label;
  }

  /** Returns the names that messages use for the files opened so far. */
  sourceNames(): string[] {
    return [...this.sources.values()].map(({ name }) => name);
  }

  /** Opens the acquisition's own file by its real absolute path. */
  openOwn(path: string): FileSource {
    return this.remember(path);
  }

  /**
   * Opens a file inside the folder, or below it, by relative name; `undefined` when it is missing.
   * @throws AcqError `path_not_allowed` for a name, or a link, that leads out of the folder
   */
  open(name: string): FileSource | undefined {
    if (!isInsideName(name)) {
      throw new AcqError('path_not_allowed', `${name}: a file may only refer to files inside its own folder`);
    }
    const unlinked = this.openUnlinked(name);
    const source = unlinked ? unlinked.source : this.openResolved(name);
    if (source || isAscii(name)) return source;
    const spelled = this.spell(name);
    return spelled === undefined || spelled === name ? undefined : this.open(spelled);
  }

  /** Returns a name as the folders spell it, which may differ in NFC and NFD; `undefined` when it is missing. */
  private spell(name: string): string | undefined {
    let inside = '';
    for (const part of name.split('/')) {
      if (part === '' || part === '.') continue;
      const match = this.index(inside).findSame(part);
      if (match === undefined) return undefined;
      inside = inside === '' ? match : `${inside}/${match}`;
    }
    return inside;
  }

  private index(inside: string): NameIndex {
    const known = this.indexes.get(inside);
    if (known) return known;
    const index = new NameIndex(this.list(inside));
    this.indexes.set(inside, index);
    return index;
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
    const source = openUnlinkedSource({ path, name: folder.name + base, inside: this.path });
    if (source === 'unclear') return undefined;
    return { source: source === 'missing' ? undefined : this.keep(path, source) };
  }

  /** Returns the real path of a folder inside, unless there is none, or a link leads out of this folder. */
  private resolveFolder(inside: string): Inside | 'missing' | 'outside' {
    const known = this.folders.get(inside);
    if (known) return known;
    let path: string;
    try {
      path = this.findUnlinked(inside) ?? realpathSync(join(this.path, inside));
    } catch {
      return 'missing';
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
      throw new AcqError('path_not_allowed', `${name}: links to a file outside its own folder`);
    }
    return this.remember(real);
  }

  /** Like `open`, then ignores case: vendors mix it between the files of a set. */
  openAnyCase(name: string): FileSource | undefined {
    const exact = this.open(name);
    if (exact || name.includes('/')) return exact;
    const match = this.index('').find(name);
    return match === undefined ? undefined : this.open(match);
  }

  /**
   * Lists the names in the folder, or in a folder inside it; empty when there is no such folder. Reads it once, and only
   * when asked: a network or cloud folder may be slow.
   */
  list(inside = ''): readonly string[] {
    const known = this.names.get(inside);
    if (known) return known;
    let names: string[] = [];
    try {
      const folder = this.findFolder(inside);
      if (folder) names = readNames(folder.prefix, this.path);
    } catch (error) {
      const exhausted = exhaustionError(`${basename(join(this.path, inside))}: cannot be listed`, error);
      if (exhausted) throw this.noteExhaustion(exhausted);
      // Missing, not a folder, or not readable: nothing in it can be opened either.
    }
    this.names.set(inside, names);
    return names;
  }

  private findFolder(inside: string): Inside | undefined {
    if (inside !== '' && !isInsideName(inside)) return undefined;
    const folder = this.resolveFolder(inside);
    if (folder !== 'missing' || isAscii(inside)) return typeof folder === 'string' ? undefined : folder;
    const spelled = this.spell(inside);
    return spelled === undefined || spelled === inside ? undefined : this.findFolder(spelled);
  }

  /**
   * Returns the bytes of the named files inside the folder, or of everything in it. Missing files count as 0. `undefined`
   * when there are more than `max` files.
   */
  sizeOf(names: Iterable<string> | 'everything', max: number = LIMITS.sizedFiles): number | undefined {
    const look = { root: this.path, known: (path: string) => this.sources.get(path)?.size, max };
    return names === 'everything' ? sizeOfFolder(look) : sizeOfFiles(look, this.spellAll(names));
  }

  private *spellAll(names: Iterable<string>): Generator<string> {
    for (const name of names) yield this.spellOrKeep(name);
  }

  private spellOrKeep(name: string): string {
    return isAscii(name) ? name : (this.spell(name) ?? name);
  }

  /** True when a file inside the folder, which is not a link, was opened. */
  hasOpened(name: string): boolean {
    return this.sources.has(join(this.path, this.spellOrKeep(name)));
  }

  /** Notes that a file is missing whose absence means something: then the fingerprints tell when it appears. */
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

  close(): void {
    for (const source of this.sources.values()) source.close();
  }

  /**
   * Set when a file could not be opened because the system had no descriptor left. Readers warn about a part that they
   * cannot open and go on; here that would be wrong, because the part exists.
   */
  get exhaustion(): AcqError | undefined {
    return this.exhausted;
  }

  private noteExhaustion<E>(error: E): E {
    if (error instanceof AcqError && error.code === 'capacity_exceeded') this.exhausted ??= error;
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
      return openFileSource({ path: real, name: this.nameOf(real), inside: this.path });
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

/**
 * True for a relative name without `..` or NUL; on Windows also without a drive or stream (`:`) or a backslash, which are
 * ordinary characters elsewhere.
 */
function isInsideName(name: string): boolean {
  if (name === '' || name.includes('\0') || name.startsWith('/')) return false;
  if (process.platform === 'win32' && /[\\:]/.test(name)) return false;
  return !name.split('/').includes('..');
}

function withSlash(path: string, slash: string): string {
  return path === '' || path.endsWith(slash) ? path : path + slash;
}
