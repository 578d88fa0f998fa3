import { AcqError } from '../base/errors.js';
import { LIMITS } from '../base/limits.js';
import type { ByteSource } from './byte-source.js';
import { isAscii, NameIndex } from './name-index.js';

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
 * The files of one folder and what is below it, as the platform gives them: those on disk, or those that were dropped on a
 * page. A name is relative, exactly as the folder spells it, with `/` between its parts and without `..`. Nothing outside the
 * folder is looked at, also not through a link.
 */
export interface Files {
  /** Real absolute path of the folder, for messages. */
  readonly path: string;
  /**
   * Opens a file, and keeps it until `close`. The same file is the same source; `undefined` when it is missing.
   * @throws AcqError `path_not_allowed` for what is not a file of this folder, `path_not_readable`
   */
  open(name: string): ByteSource | undefined;
  /** Lists the names in the folder, or in a folder inside it; `undefined` when there is no such folder. */
  list(inside: string): readonly string[] | undefined;
  /**
   * Returns the bytes of files, or of everything in the folder. Missing files count as 0. `undefined` when there are more than
   * `max` files.
   */
  sizeOf(names: Iterable<string> | 'everything', max: number): number | undefined;
  /** True when a file, which is not a link, was opened. */
  hasOpened(name: string): boolean;
  /**
   * Looks into a file that need not belong to the acquisition: it is neither kept open nor remembered. `undefined` when it is
   * missing, or cannot be opened.
   */
  peek<T>(name: string, read: (source: ByteSource) => T): T | undefined;
  /** Notes that a file is missing whose absence means something. */
  noteAbsent(name: string): void;
  close(): void;
}

/** The folder of an opened file: the only place where a multi-file acquisition may look for its other files. */
export class Folder implements Siblings {
  readonly path: string;
  private readonly files: Files;
  private readonly names = new Map<string, readonly string[]>();
  private readonly indexes = new Map<string, NameIndex>();

  constructor(files: Files) {
    this.files = files;
    this.path = files.path;
  }

  /**
   * Opens a file inside the folder, or below it, by relative name; `undefined` when it is missing.
   * @throws AcqError `path_not_allowed` for a name, or a link, that leads out of the folder
   */
  open(name: string): ByteSource | undefined {
    if (!isInsideName(name)) throw leadsOut(name);
    const source = this.files.open(name);
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

  /** Like `open`, then ignores case: vendors mix it between the files of a set. */
  openAnyCase(name: string): ByteSource | undefined {
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
    const names = this.listSpelled(inside) ?? [];
    this.names.set(inside, names);
    return names;
  }

  private listSpelled(inside: string): readonly string[] | undefined {
    if (inside !== '' && !isInsideName(inside)) return undefined;
    const names = this.files.list(inside);
    if (names || isAscii(inside)) return names;
    const spelled = this.spell(inside);
    return spelled === undefined || spelled === inside ? undefined : this.listSpelled(spelled);
  }

  /**
   * Returns the bytes of the named files inside the folder, or of everything in it. Missing files count as 0. `undefined`
   * when there are more than `max` files.
   */
  sizeOf(names: Iterable<string> | 'everything', max: number = LIMITS.sizedFiles): number | undefined {
    return this.files.sizeOf(names === 'everything' ? names : this.spellAll(names), max);
  }

  private *spellAll(names: Iterable<string>): Generator<string> {
    for (const name of names) yield this.spellOrKeep(name);
  }

  private spellOrKeep(name: string): string {
    return isAscii(name) ? name : (this.spell(name) ?? name);
  }

  /** True when a file inside the folder, which is not a link, was opened. */
  hasOpened(name: string): boolean {
    return this.files.hasOpened(this.spellOrKeep(name));
  }

  /** Looks into a file, by its name as it is listed, that need not belong to the acquisition: nothing remembers it. */
  peek<T>(name: string, read: (source: ByteSource) => T): T | undefined {
    return isInsideName(name) ? this.files.peek(name, read) : undefined;
  }

  /** Notes that a file is missing whose absence means something: the acquisition changes when it appears. */
  noteAbsent(name: string): void {
    this.files.noteAbsent(name);
  }

  close(): void {
    this.files.close();
  }
}

/** The error of a reference that leads out of the folder. */
export function leadsOut(reference: string): AcqError {
  return new AcqError('path_not_allowed', `${reference}: a file may only refer to files inside its own folder`);
}

/** True for a relative name without `..` or NUL. */
function isInsideName(name: string): boolean {
  if (name === '' || name.includes('\0') || name.startsWith('/')) return false;
  return !name.split('/').includes('..');
}
