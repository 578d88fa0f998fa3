import { AcqError, companionMissing, decodeFailed } from '../../base/errors.js';
import type { JsonObject } from '../../base/json.js';
import { Notes } from '../../base/notes.js';
import { asCorrupted } from '../../base/warning-kinds.js';
import { grouped, plural, shorten, subjectFirst } from '../../base/wording.js';
import type { ByteSource } from '../../io/byte-source.js';
import type { Siblings } from '../../io/folder.js';
import { nameKey } from '../../io/name-index.js';
import type { OpenInput } from '../../model/acquisition.js';
import { cleanName } from '../../model/metadata/names.js';
import { FULL_RESOLUTION, INDEX_NAME, isMember } from './magic.js';
import { type ImageEntry, readIndex, readSummary, tryPixelForm } from './parse.js';
import { hasMorePages, walkPages } from './walk.js';

/** TIFF files of a set: each has up to 4 GiB. */
const MAX_FILES = 10_000;
const MEMBER_BYTES = 28;
/** `NAME_NDTiffStack.tif`, `NAME_NDTiffStack_1.tif`, …: other files need not be opened. */
const MEMBER_NAME = /NDTiffStack(_\d+)?\.tiff?$/i;

/** The files of a set, and the images that they contain. */
export class NdtiffFiles {
  readonly name: string;
  readonly entries: ImageEntry[];
  readonly notes = new Notes();
  /** Key of the TIFF file that was opened, when it is one of the set. */
  readonly openedKey: string | undefined;
  /** Of the set, and of the file that was opened first. */
  readonly summary: JsonObject;
  private readonly opened: ByteSource | undefined;
  private readonly folder: Siblings;
  /** Folder of the set inside the folder that was opened, with a slash at the end. */
  private readonly inside: string;
  private readonly sources = new Map<string, ByteSource | undefined>();
  /** Names of files that cannot be opened: an index may name one of them for each of millions of images. */
  private readonly unreadable = new Set<string>();

  /** @throws AcqError `decode_failed` if no image can be found, `unsupported_format` for version 1 */
  constructor({ probe, source }: Pick<OpenInput, 'probe' | 'source'>, folder: Siblings) {
    this.folder = folder;
    this.name = probe.name;
    const isPyramid = probe.kind === 'directory' && !probe.entries.includes(INDEX_NAME);
    this.inside = isPyramid ? `${FULL_RESOLUTION}/` : '';
    this.openedKey = probe.kind === 'file' && isMember(probe.head) ? nameKey(probe.name) : undefined;
    this.opened = this.openedKey === undefined ? undefined : source;
    const summary = this.opened && readSummary(this.opened);
    const index = isPyramid ? folder.open(this.inside + INDEX_NAME) : folder.openAnyCase(INDEX_NAME);
    this.entries = this.readEntries(index);
    if (this.entries.length === 0) {
      throw decodeFailed(
        `${index ? 'the index lists no image' : `${INDEX_NAME} is missing`}, and no TIFF file has a whole image with axes. Copy the whole folder again.`,
      );
    }
    this.describeFiles();
    this.summary =
      summary ?? readSummary(this.open(this.entries.find(({ file }) => this.tryFind(file)) ?? this.entries[0]!));
  }

  /** Names of the files inside the folder. */
  names(): string[] {
    const files = new Set(this.entries.map(({ file }) => this.inside + file));
    return [this.inside + INDEX_NAME, ...files];
  }

  /**
   * Opens the file of an image.
   * @throws AcqError `companion_missing`
   */
  open({ file }: ImageEntry): ByteSource {
    const source = this.find(file);
    if (source) return source;
    throw companionMissing(`"${cleanName(file)}", a file of this set,`, this.folder.path ?? 'its folder');
  }

  /** Like `open`; `undefined` for a file that is missing. */
  find(file: string): ByteSource | undefined {
    if (!this.sources.has(file)) this.sources.set(file, this.look(file));
    return this.sources.get(file);
  }

  private look(file: string): ByteSource | undefined {
    // Only the name counts: a path must not lead elsewhere.
    if (/^(\.\.)?$|[/\\\0]/.test(file)) return undefined;
    if (this.opened && file === this.name) return this.opened;
    const { folder } = this;
    return this.inside === '' ? folder.openAnyCase(file) : folder.open(this.inside + file);
  }

  private readEntries(index: ByteSource | undefined): ImageEntry[] {
    const { entries, problem: damage } = index ? readIndex(index) : { entries: [], problem: undefined };
    const problem = damage ?? (index && this.describeUnlisted(entries));
    if (index && problem === undefined) return entries;
    const walked = walkPages(this.members());
    const more = walked.isPartial ? ' Further pages of the set are not shown.' : '';
    const isListed = entries.some(({ file }) => this.tryFind(file));
    if (walked.entries.length === 0 || (isListed && walked.entries.length <= entries.length)) {
      this.notes.add(problem ?? `${INDEX_NAME} is missing`);
      return entries;
    }
    const reason = problem ?? `${INDEX_NAME} is missing.`;
    this.notes.add(
      asCorrupted(`${reason} Showing the ${plural(walked.entries.length, 'page')} of the TIFF files.${more}`),
    );
    return walked.entries;
  }

  /** Says when TIFF files of the set have images that the index does not list. */
  private describeUnlisted(entries: readonly ImageEntry[]): string | undefined {
    const byFile = new Map<string, ImageEntry[]>();
    for (const entry of entries) {
      const images = byFile.get(entry.file);
      if (images) images.push(entry);
      else byFile.set(entry.file, [entry]);
    }
    const listed = new Set([...byFile.keys()].map(nameKey));
    const files = this.tiffNames().filter((name) => !listed.has(nameKey(name)) && this.isMemberNamed(name));
    for (const [file, images] of [...byFile].slice(0, MAX_FILES)) {
      const source = this.tryFind(file);
      if (source && hasMorePages(source, images)) files.push(file);
    }
    if (files.length === 0) return undefined;
    const problem = `does not list all images of ${cleanName(files[0])}; it is truncated, or the recording was interrupted`;
    return subjectFirst(INDEX_NAME, `${problem}.`);
  }

  private tiffNames(): string[] {
    return this.folder
      .list(this.inside.slice(0, -1))
      .filter((name) => MEMBER_NAME.test(name))
      .slice(0, MAX_FILES);
  }

  private isMemberNamed(name: string): boolean {
    const source = this.tryFind(name);
    return source !== undefined && source.size >= MEMBER_BYTES && isMember(source.read(0, MEMBER_BYTES));
  }

  private members(): ByteSource[] {
    return this.tiffNames().flatMap((name) => (this.isMemberNamed(name) ? [this.find(name)!] : []));
  }

  /** Notes files that are missing, and images that lie behind the end of their file. */
  private describeFiles(): void {
    const files = new Set(this.entries.map(({ file }) => file));
    if (files.size > MAX_FILES)
      throw decodeFailed(`lists ${grouped(files.size)} files; the limit is ${grouped(MAX_FILES)}`);
    const missing = [...files].filter((file) => !this.tryFind(file));
    if (missing.length === files.size) this.open(this.entries[0]!);
    if (missing.length > 0) {
      const more = missing.length > 5 ? ` and ${plural(missing.length - 5, 'more file')}` : '';
      this.notes.add(
        asCorrupted(
          `Missing from the folder: ${missing.slice(0, 5).map(cleanName).join(', ')}${more}. Their planes cannot be read.`,
        ),
      );
    }
    this.describePlaces();
    const behind = this.entries.filter((entry) => {
      const source = this.tryFind(entry.file);
      const form = tryPixelForm(entry);
      return source !== undefined && form !== undefined && entry.pixelOffset + form.bytes > source.size;
    });
    if (behind.length > 0) {
      this.notes.add(
        asCorrupted(
          `${plural(behind.length, 'image')} of the index ${behind.length === 1 ? 'lies' : 'lie'} behind the end of ` +
            `${cleanName(behind[0]!.file)}, which is truncated. Copy it again.`,
        ),
      );
    }
  }

  /** The metadata of an image follow its pixels: where they do not, one of the two places is wrong. */
  private describePlaces(): void {
    const odd = this.entries.filter((entry) => {
      const form = tryPixelForm(entry);
      return form && entry.metadataLength > 0 && entry.metadataOffset !== entry.pixelOffset + form.bytes;
    });
    if (odd.length > 0) {
      this.notes.add(
        asCorrupted(
          `${INDEX_NAME} contradicts itself about the place of ${plural(odd.length, 'image')} (axes ` +
            `${shorten(JSON.stringify(odd[0]!.axes), 80)}); pixels may be of another image. The index may be corrupted.`,
        ),
      );
    }
  }

  private tryFind(file: string): ByteSource | undefined {
    if (this.unreadable.has(file)) return undefined;
    try {
      return this.find(file);
    } catch (error) {
      if (!(error instanceof AcqError) || error.code === 'capacity_exceeded') throw error;
      this.unreadable.add(file);
      return undefined;
    }
  }
}
