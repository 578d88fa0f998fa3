import { readdirSync, realpathSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import { AcqError } from '../errors.js';
import { type ByteSource, type FileSource, type Fingerprint, openFileSource } from './byte-source.js';
import { exhaustionError } from './exhaustion.js';
import { isBelow, sizeOfFiles, sizeOfFolder } from './folder-size.js';
import { LIMITS } from './limits.js';

/** Descriptors that one set holds at a time; systems allow a process 256 or 1,024. */
const OPEN_AT_ONCE = 32;

/** The files beside an opened file: its folder, or the archive that the file is an entry of. */
export interface Siblings {
  /** Real absolute path of the folder, for messages; an archive has none. */
  readonly path?: string;
  /**
   * Opens a file by its name relative to the folder; `undefined` when it is missing.
   * @throws AcqError `path_not_allowed` for a name that leads out of the folder
   */
  open(name: string): ByteSource | undefined;
  /** Like `open`, but ignores case when no name matches exactly. */
  openAnyCase(name: string): ByteSource | undefined;
  /** Lists the names in the folder, or in the folder `inside` it; empty when there is no such folder. */
  list(inside?: string): readonly string[];
}

/**
 * The folder of an opened file: the only place where a multi-file acquisition may look for its other files (threat
 * S18). Every source that it opened is remembered, for closing and for the fingerprint of the acquisition.
 */
export class Folder implements Siblings {
  readonly path: string;
  private readonly label: string;
  private readonly sources = new Map<string, FileSource>();
  private readonly names = new Map<string, string[]>();
  /** The last files opened, oldest first. */
  private readonly recent: FileSource[] = [];
  private exhausted: AcqError | undefined;

  /**
   * @param path real absolute path of the folder
   * @param label what messages put before names inside it: for a folder that is the acquisition, its own name and a slash
   */
  constructor(path: string, label = '') {
    this.path = path;
    this.label = label;
  }

  /** How messages call the files opened so far. */
  sourceNames(): string[] {
    return [...this.sources.values()].map(({ name }) => name);
  }

  /** Opens the acquisition's own file by its real absolute path. */
  openOwn(path: string): FileSource {
    return this.remember(path);
  }

  /**
   * A file inside the folder (or below it) by relative name; `undefined` when it is not there.
   * @throws AcqError `path_not_allowed` for a name, or a link, that leads out of the folder.
   */
  open(name: string): FileSource | undefined {
    if (!isInsideName(name)) {
      throw new AcqError('path_not_allowed', `${name}: a file may only refer to files inside its own folder`);
    }
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

  /** `open`, then once more without regard to upper and lower case (vendors disagree on it between parts of a set). */
  openAnyCase(name: string): FileSource | undefined {
    const exact = this.open(name);
    if (exact || name.includes('/')) return exact;
    const wanted = name.toLowerCase();
    const found = this.list().find((entry) => entry.toLowerCase() === wanted);
    return found === undefined ? undefined : this.open(found);
  }

  /**
   * Names in the folder, or in a folder inside it. Read once, and only by those who need it: a network or cloud folder
   * may be slow. Empty when there is no such folder.
   */
  list(inside = ''): readonly string[] {
    const known = this.names.get(inside);
    if (known) return known;
    let names: string[] = [];
    try {
      if (inside === '' || isInsideName(inside)) names = readdirSync(join(this.path, inside));
    } catch (error) {
      const exhausted = exhaustionError(`${basename(join(this.path, inside))}: cannot be listed`, error);
      if (exhausted) throw this.noteExhaustion(exhausted);
      // Not there, no folder, or not readable: nothing in it can be opened either.
    }
    this.names.set(inside, names);
    return names;
  }

  /**
   * Bytes of the named files inside the folder, or of all that is in it. Missing files count nothing. `undefined` when
   * there are too many to look at each.
   */
  sizeOf(names: Iterable<string> | 'everything', max: number = LIMITS.sizedFiles): number | undefined {
    const look = { root: this.path, known: (path: string) => this.sources.get(path)?.size, max };
    return names === 'everything' ? sizeOfFolder(look) : sizeOfFiles(look, names);
  }

  /** Fingerprints of all files opened so far, in the order of opening. */
  fingerprints(): Fingerprint[] {
    return [...this.sources.values()].map((source) => source.fingerprint);
  }

  close(): void {
    for (const source of this.sources.values()) source.close();
  }

  /**
   * Set when a part could not be opened because the system had no descriptor left. Readers go on without a part that
   * they cannot open, with a warning; here that would be wrong, because the part is there.
   */
  get exhaustion(): AcqError | undefined {
    return this.exhausted;
  }

  private noteExhaustion<E>(error: E): E {
    if (error instanceof AcqError && error.code === 'capacity_exceeded') this.exhausted ??= error;
    return error;
  }

  private remember(real: string): FileSource {
    const known = this.sources.get(real);
    if (known) return known;
    const source = this.openSource(real);
    this.sources.set(real, source);
    source.onResume = () => this.use(source);
    source.onResumeFailed = (error) => void this.noteExhaustion(error);
    this.use(source);
    return source;
  }

  private openSource(real: string): FileSource {
    try {
      const name = this.label + relative(this.path, real).replaceAll(sep, '/');
      return openFileSource(real, name);
    } catch (error) {
      throw this.noteExhaustion(error);
    }
  }

  /** Notes that `source` holds a descriptor, and takes back the one held longest. */
  private use(source: FileSource): void {
    this.recent.push(source);
    if (this.recent.length > OPEN_AT_ONCE) this.recent.shift()?.park();
  }
}

/**
 * A relative name without a way up, an absolute start or a NUL; on Windows also without a drive or stream (`:`) and
 * the other separator. Elsewhere those two are letters like any other.
 */
function isInsideName(name: string): boolean {
  if (name === '' || name.includes('\0') || name.startsWith('/')) return false;
  if (process.platform === 'win32' && /[\\:]/.test(name)) return false;
  return !name.split('/').includes('..');
}
