import { latin1 } from '../base/bytes.js';
import { type AcqError, decodeFailed } from '../base/errors.js';
import { LIMITS } from '../base/limits.js';
import { errorAbout } from '../base/subject.js';
import { grouped } from '../base/wording.js';
import { decodeText as decodeUnknownText, isUtf16Xml } from '../io/text.js';
import { measureIfd } from './chain.js';
import { decodeNumber, decodeNumbers, type FieldBytes } from './field-values.js';
import { readU64 } from './header.js';
import { buildLayout } from './layout.js';
import { type EntryHead, findLostTags } from './lost-tags.js';
import type { ReadWindow } from './read-window.js';
import { FIELD, fieldSize } from './tags.js';
import type { PageLayout, TiffFile, TiffPage, TiffTag } from './types.js';

/** One IFD. Its entries are parsed at once; their values are read on demand. */
export class IfdPage implements TiffPage {
  readonly index: number;
  readonly ifdOffset: number;
  readonly nextIfdOffset: number;
  readonly tags: ReadonlyMap<number, TiffTag>;
  readonly lostTags: ReadonlySet<number>;
  private readonly file: TiffFile;
  private readonly window: ReadWindow;
  private checkedLayout: PageLayout | undefined;

  /** @throws AcqError `decode_failed` if there is no IFD at `offset` */
  constructor(file: TiffFile, window: ReadWindow, index: number, offset: number) {
    this.file = file;
    this.window = window;
    this.index = index;
    this.ifdOffset = offset;
    const span = measureIfd(file.source, window, file, offset);
    const pointer = file.bigTiff ? 8 : 4;
    const complete = offset + span + pointer <= file.source.size;
    const at = window.at(offset, complete ? span + pointer : span);
    const { tags, lost } = parseEntries(window.view, at, offset, file);
    this.tags = tags;
    this.lostTags = lost;
    this.nextIfdOffset = complete ? readPointer(window.view, at + span, file) : 0;
  }

  get layout(): PageLayout {
    if (this.checkedLayout) return this.checkedLayout;
    try {
      this.checkedLayout = buildLayout(this.file, this);
      return this.checkedLayout;
    } catch (error) {
      throw errorAbout(this.file.source.name, error);
    }
  }

  numbers(code: number): number[] | undefined {
    const tag = this.tags.get(code);
    if (!tag || tag.type === FIELD.ascii) return undefined;
    if (tag.count > LIMITS.tiffChunks)
      throw this.tooLarge(tag, `${grouped(tag.count)} values; the limit is ${grouped(LIMITS.tiffChunks)}`);
    return decodeNumbers(this.locate(tag), tag.type, tag.count, this.file.littleEndian);
  }

  number(code: number): number | undefined {
    const tag = this.tags.get(code);
    if (!tag || tag.type === FIELD.ascii || tag.count < 1) return undefined;
    const at = this.window.at(tag.valueOffset, fieldSize(tag.type));
    return decodeNumber({ view: this.window.view, at }, tag.type, this.file.littleEndian);
  }

  text(code: number): string | undefined {
    const tag = this.tags.get(code);
    if (!tag || !TEXT_TYPES.has(tag.type)) return undefined;
    const bytes = this.value(tag);
    if (isUtf16Xml(bytes)) return decodeUnknownText(bytes).split('\0', 1)[0];
    const end = bytes.indexOf(0);
    return decodeText(end < 0 ? bytes : bytes.subarray(0, end));
  }

  bytes(code: number): Uint8Array | undefined {
    const tag = this.tags.get(code);
    return tag && this.value(tag);
  }

  /** Returns the bytes of a value as a copy. */
  private value(tag: TiffTag): Uint8Array {
    const { view, at } = this.locate(tag);
    const bytes = new Uint8Array(view.buffer as ArrayBuffer, view.byteOffset + at, tag.byteLength);
    return tag.byteLength > SHARED_READ ? bytes : bytes.slice();
  }

  /** Returns the bytes of a value in memory. Small values are in the window and must be used before it moves. */
  private locate(tag: TiffTag): FieldBytes {
    if (tag.byteLength > LIMITS.metadataBytes)
      throw this.tooLarge(tag, `${grouped(tag.byteLength)} bytes; the limit is ${grouped(LIMITS.metadataBytes)}`);
    if (tag.byteLength <= SHARED_READ) {
      const at = this.window.at(tag.valueOffset, tag.byteLength);
      return { view: this.window.view, at };
    }
    const bytes = this.file.source.read(tag.valueOffset, tag.byteLength);
    return { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), at: 0 };
  }

  private tooLarge(tag: TiffTag, size: string): AcqError {
    return decodeFailed(`tag ${tag.code} of the IFD at offset ${grouped(this.ifdOffset)} has ${size}`).about(
      this.file.source.name,
    );
  }
}

/** Values up to this size are read through the window, together with their neighbors. */
const SHARED_READ = 4096;

const TEXT_TYPES = new Set<number>([FIELD.ascii, FIELD.byte, FIELD.undefined, FIELD.sbyte]);

const NOTHING_LOST: ReadonlySet<number> = new Set();

/** Parses the entries of an IFD in `view`, starting at `at`. Unknown field types are skipped (TIFF 6.0). */
function parseEntries(
  view: DataView,
  at: number,
  ifdOffset: number,
  file: { littleEndian: boolean; bigTiff: boolean },
): { tags: Map<number, TiffTag>; lost: ReadonlySet<number> } {
  const { littleEndian: le, bigTiff } = file;
  const tags = new Map<number, TiffTag>();
  const heads: EntryHead[] = [];
  let isValid = true;
  const count = bigTiff ? readU64(view, at, le) : view.getUint16(at, le);
  const entrySize = bigTiff ? 20 : 12;
  const valueAt = bigTiff ? 12 : 8;
  const inline = bigTiff ? 8 : 4;
  let entry = bigTiff ? 8 : 2;
  for (let i = 0; i < count; i++, entry += entrySize) {
    const code = view.getUint16(at + entry, le);
    const type = view.getUint16(at + entry + 2, le);
    const size = fieldSize(type);
    isValid &&= size > 0 && code > (heads.at(-1)?.code ?? 0);
    heads.push({ code, typed: size > 0 });
    // The first of repeated tags counts, as in other readers.
    if (size === 0 || tags.has(code)) continue;
    const values = bigTiff ? readU64(view, at + entry + 4, le) : view.getUint32(at + entry + 4, le);
    const byteLength = values * size;
    const valueOffset =
      byteLength <= inline ? ifdOffset + entry + valueAt : readPointer(view, at + entry + valueAt, file);
    tags.set(code, { code, type, count: values, valueOffset, byteLength });
  }
  return { tags, lost: isValid ? NOTHING_LOST : findLostTags(heads) };
}

function readPointer(view: DataView, at: number, file: { littleEndian: boolean; bigTiff: boolean }): number {
  return file.bigTiff ? readU64(view, at, file.littleEndian) : view.getUint32(at, file.littleEndian);
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes valid UTF-8, and anything else as Latin-1: both occur, and the file does not say which. */
function decodeText(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    return latin1(bytes);
  }
}
