import { type AcqError, companionMissing, decodeFailed } from '../../base/errors.js';
import { LastUsed } from '../../base/last-used.js';
import type { Siblings } from '../../io/folder.js';
import { composed, NameIndex } from '../../io/name-index.js';
import { cleanName } from '../../model/metadata/names.js';
import { openTiff } from '../../tiff/parse.js';
import type { TiffFile } from '../../tiff/types.js';

/** Finds and opens the files that the XML of a recording names, in its own folder only. Lists each folder once. */
export class MemberFiles {
  /** Name of the XML, for messages. */
  readonly xmlName: string;
  private readonly siblings: Siblings;
  private readonly listed = new Map<string, { names: readonly string[]; index: NameIndex }>();
  private readonly tiffs = new LastUsed<TiffFile>();

  constructor(siblings: Siblings, xmlName: string) {
    this.siblings = siblings;
    this.xmlName = xmlName;
  }

  /**
   * Returns a file's name as the folder spells it; `undefined` when it is missing.
   * @throws AcqError `decode_failed` for a name that leads out of the folder
   */
  find(path: string): string | undefined {
    // Names were written on Windows.
    const parts = path.split(/[\\/]/).filter((part) => part !== '' && part !== '.');
    if (/^[\\/]|^[A-Za-z]:|\0/.test(path) || parts.includes('..') || parts.length === 0) {
      throw decodeFailed(
        `refers to "${path.slice(0, 200)}", which is outside its own folder; only files inside it are read`,
      ).about(this.xmlName);
    }
    const name = parts.pop()!;
    const inside = parts.join('/');
    const match = this.list(inside).index.find(name);
    return match === undefined || inside === '' ? match : `${inside}/${match}`;
  }

  /**
   * Opens a TIFF; `undefined` when it is missing.
   * @throws AcqError `decode_failed`, `unsupported_format`, `companion_missing`
   */
  tiff(path: string): TiffFile | undefined {
    const name = this.find(path);
    if (name === undefined) return undefined;
    const source = this.siblings.open(name);
    if (!source) throw this.missing(name);
    return this.tiffs.get(source.name, () => {
      if (source.size === 0)
        throw decodeFailed('the file is empty; the recording was interrupted here').about(source.name);
      return openTiff(source);
    });
  }

  /** Returns the error for a file that the XML names and the folder lacks. */
  missing(path: string): AcqError {
    return companionMissing(`"${cleanName(path)}"`, this.folder).about(this.xmlName);
  }

  /** Returns the error for a folder without any of the images. */
  allMissing(example: string): AcqError {
    const what = `every image file that it names, such as "${cleanName(example)}",`;
    return companionMissing(what, this.folder, 'Copy the whole folder.').about(this.xmlName);
  }

  /** Reads the first bytes of a text file; `undefined` when it is missing. */
  head(path: string, bytes: number): Uint8Array | undefined {
    const name = this.find(path);
    const source = name === undefined ? undefined : this.siblings.open(name);
    return source?.read(0, Math.min(bytes, source.size));
  }

  /** Finds files of a folder by the start and the end of their names, in the order of the names. */
  matching(inside: string, start: string, end: RegExp): string[] {
    const composedStart = composed(start);
    const names = this.list(inside).names.filter((name) => composed(name).startsWith(composedStart) && end.test(name));
    return names.sort().map((name) => `${inside}/${name}`);
  }

  private get folder(): string {
    return this.siblings.path ?? 'the folder';
  }

  private list(inside: string): { names: readonly string[]; index: NameIndex } {
    const known = this.listed.get(inside);
    if (known) return known;
    const names = this.siblings.list(inside);
    const listing = { names, index: new NameIndex(names) };
    this.listed.set(inside, listing);
    return listing;
  }
}
