import { type AcqError, companionMissing, decodeFailed } from '../../errors.js';
import type { ByteSource } from '../../io/byte-source.js';
import { cleanName } from '../../metadata/names.js';
import { openTiff } from '../../tiff/parse.js';
import type { TiffFile } from '../../tiff/types.js';

/** Files whose pages are kept at hand: those of a recording with many pages in a file are few. */
const KEPT_OPEN = 16;

/** The folder of the XML, as far as a recording needs it. */
export interface Shelf {
  readonly path: string;
  /** Names in the folder, or in one inside it. */
  list(inside?: string): readonly string[];
  open(name: string): ByteSource | undefined;
}

/** The files that the XML names, looked for in its own folder only. Each folder is listed once. */
export class MemberFiles {
  private readonly folder: Shelf;
  /** Name of the XML, for messages. */
  private readonly master: string;
  private readonly listed = new Map<string, { exact: Set<string>; folded: Map<string, string> }>();
  private readonly tiffs = new Map<string, TiffFile>();

  constructor(folder: Shelf, master: string) {
    this.folder = folder;
    this.master = master;
  }

  /**
   * The file's name as the folder spells it; `undefined` when it is not there.
   * @throws AcqError `decode_failed` for a name that leads out of the folder
   */
  find(said: string): string | undefined {
    // Names were written on Windows.
    const parts = said.split(/[\\/]/).filter((part) => part !== '' && part !== '.');
    if (/^[\\/]|^[A-Za-z]:|\0/.test(said) || parts.includes('..') || parts.length === 0) {
      throw decodeFailed(
        `${this.master}: names "${said.slice(0, 200)}", which is outside its own folder; only files inside it are read`,
      );
    }
    const name = parts.pop() as string;
    const inside = parts.join('/');
    const entries = this.entries(inside);
    const found = entries.exact.has(name) ? name : entries.folded.get(name.toLowerCase());
    return found === undefined ? undefined : inside === '' ? found : `${inside}/${found}`;
  }

  /** `undefined` when it is not there. @throws AcqError `decode_failed`, … */
  tiff(said: string): TiffFile | undefined {
    const name = this.find(said);
    if (name === undefined) return undefined;
    const source = this.folder.open(name);
    if (!source) throw this.missing(name);
    const known = this.tiffs.get(source.name);
    if (known) return known;
    if (source.size === 0) throw decodeFailed(`${source.name}: is empty (0 bytes); the recording was stopped here`);
    const file = openTiff(source);
    this.tiffs.set(source.name, file);
    const [oldest] = this.tiffs.keys();
    if (this.tiffs.size > KEPT_OPEN && oldest !== undefined) this.tiffs.delete(oldest);
    return file;
  }

  /** A file that the XML names is not there. */
  missing(said: string): AcqError {
    return companionMissing(this.master, `"${cleanName(said)}"`, this.folder.path);
  }

  allMissing(example: string): AcqError {
    const what = `every image file that it names, such as "${cleanName(example)}",`;
    return companionMissing(this.master, what, this.folder.path, 'Copy the whole folder.');
  }

  /** The first bytes of a text beside the XML; `undefined` when it is not there. */
  head(said: string, bytes: number): Uint8Array | undefined {
    const name = this.find(said);
    const source = name === undefined ? undefined : this.folder.open(name);
    return source?.read(0, Math.min(bytes, source.size));
  }

  /** Files of a folder whose names begin and end like that, in the order of their names. */
  named(inside: string, start: string, end: RegExp): string[] {
    const names = [...this.entries(inside).exact].filter((name) => name.startsWith(start) && end.test(name));
    return names.sort().map((name) => `${inside}/${name}`);
  }

  private entries(inside: string): { exact: Set<string>; folded: Map<string, string> } {
    const known = this.listed.get(inside);
    if (known) return known;
    const names = this.folder.list(inside);
    const entries = { exact: new Set(names), folded: new Map(names.map((name) => [name.toLowerCase(), name])) };
    this.listed.set(inside, entries);
    return entries;
  }
}
