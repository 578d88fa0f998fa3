/** Reads everything but pixels from a container, which is a file or an image embedded in one. */

import { AcqError, decodeFailed } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { Notes } from '../../base/notes.js';
import { about, quoteError } from '../../base/subject.js';
import { asCorrupted } from '../../base/warning-kinds.js';
import { countAre, grouped, plural, subjectFirst } from '../../base/wording.js';
import type { ByteSource } from '../../io/byte-source.js';
import { parseDirectory, SubblockTable } from './blocks.js';
import { findLastRuns, isRunOfLines, shortenRun } from './cut-lines.js';
import { parseEntry } from './entries.js';
import { parseMetadata, type RawMetadata } from './metadata-xml.js';
import type { CziParts } from './parts.js';
import {
  locateAttachment,
  type RawAttachment,
  type RawFileHeader,
  type RawWalk,
  readAttachmentDirectory,
  readAttachmentEntry,
  readFileHeader,
  readMetadataXml,
  readSegment,
  SEGMENT_HEADER,
  viewOf,
  walkSegments,
} from './segments.js';
import { parseSubblock, SUBBLOCK_HEAD } from './subblock.js';

export interface CziFile {
  table: SubblockTable;
  metadata: RawMetadata;
  attachments: RawAttachment[];
  /** Values of the `TimeStamps` attachment; empty without one. */
  stamps: number[];
  /** Lines at the end of a line scan that are in the directory but not in the file. */
  lostLines: number;
  warnings: string[];
}

/** Parts of a set that are looked for when it is opened. */
const MAX_PARTS = 1_000;
/** Bytes of a subblock that are read for its own copy of its directory entry. */
const ENTRY_BYTES = 1024;

/**
 * Reads the directory, the metadata and the attachments of the first part of a set.
 * @throws AcqError `decode_failed`
 */
export function readContainer(parts: CziParts): CziFile {
  return new ContainerReader(parts).read();
}

/**
 * Reads the XML of the metadata segment; `undefined` when the file has none.
 * @throws AcqError `decode_failed`
 */
export function findMetadataXml(source: ByteSource): Uint8Array | undefined {
  const { metadata, directory, updatePending } = readFileHeader(source);
  const isUnfinished = directory <= 0 || updatePending;
  const position = metadata > 0 || !isUnfinished ? metadata : walkSegments(source).metadata;
  return position > 0 ? readMetadataXml(source, position) : undefined;
}

class ContainerReader {
  private readonly parts: CziParts;
  private readonly source: ByteSource;
  private readonly header: RawFileHeader;
  private readonly notes = new Notes();
  private segments: RawWalk | undefined;

  constructor(parts: CziParts) {
    this.parts = parts;
    this.source = parts.main;
    this.header = readFileHeader(this.source);
  }

  read(): CziFile {
    const { table, lostLines } = this.readTable();
    this.notes.addAll(findMissingParts(table, this.parts));
    const metadata = this.readMetadata();
    const attachments = this.readAttachments();
    const stamps = this.readStamps(attachments);
    return { table, metadata, attachments, stamps, lostLines, warnings: this.notes.list() };
  }

  /** Segments found by walking through the file, which takes long and is rarely needed. */
  private get walk(): RawWalk {
    this.segments ??= walkSegments(this.source);
    return this.segments;
  }

  private get isUnfinished(): boolean {
    return this.header.directory <= 0 || this.header.updatePending;
  }

  private readTable(): { table: SubblockTable; lostLines: number } {
    const { source, header } = this;
    const listed = this.isUnfinished
      ? undefined
      : this.attempt('directory', () => {
          const directory = readDirectory(source, header.directory);
          const end = endOfTime(directory);
          const table = this.dropLostLines(directory);
          return { table, lostLines: end - endOfTime(table) };
        });
    if (listed) return listed;
    const table = this.collectSubblocks();
    const end = this.walk.stopped === '' ? '' : ` The search ended early: ${this.walk.stopped}.`;
    this.notes.add(
      asCorrupted(
        subjectFirst(
          source.name,
          `the recording was interrupted or the file is corrupted. Searching the file found ` +
            `${plural(table.length, 'subblock')}; any others are missing.${end}`,
        ),
      ),
    );
    return { table, lostLines: 0 };
  }

  /** Returns the table without lines behind the end of the file, shortening runs that end early. */
  private dropLostLines(table: SubblockTable): SubblockTable {
    const { size } = this.source;
    const isBeyond = (block: number) =>
      table.part(block) === 0 && table.position(block) + SUBBLOCK_HEAD > size && isRunOfLines(table.shape(block));
    const stored = table.filter((block) => !isBeyond(block));
    const lost = table.length - stored.length;
    if (lost > 0)
      this.notes.add(asCorrupted(`The file is truncated: ${plural(lost, 'subblock')} of lines missing at its end.`));
    const runs = findLastRuns(stored).filter((block) => stored.part(block) === 0);
    const empty = this.attempt('end of the recording', () => this.shortenRuns(stored, runs));
    return empty && empty.size > 0 ? stored.filter((block) => !empty.has(block)) : stored;
  }

  /** Shortens runs that end early. Returns those without any line. */
  private shortenRuns(table: SubblockTable, runs: readonly number[]): Set<number> {
    const empty = new Set<number>();
    for (const run of runs) {
      const { lines, warning } = shortenRun(table, this.source, run);
      if (warning !== undefined) this.notes.add(warning);
      if (lines === 0) empty.add(run);
    }
    return empty;
  }

  /** Builds the table from the subblocks themselves. A subblock whose pixels are truncated was not finished: skip it. */
  private collectSubblocks(): SubblockTable {
    const { source } = this;
    const table = new SubblockTable();
    const dropped = new Set<number>();
    let corrupted = 0;
    for (const position of this.walk.subblocks) {
      try {
        const isWhole = addSubblock(table, source, position);
        const block = table.length - 1;
        // A pyramid level is not in the table.
        if (isWhole || table.position(block) !== position) continue;
        if (!isRunOfLines(table.shape(block)) || this.shortenRuns(table, [block]).size > 0) dropped.add(block);
      } catch (error) {
        if (!(error instanceof AcqError)) throw error;
        corrupted++;
      }
    }
    const skipped = corrupted + dropped.size;
    if (skipped > 0) this.notes.add(asCorrupted(`${countAre(skipped, 'subblock')} truncated or corrupted. Skipped.`));
    return dropped.size > 0 ? table.filter((block) => !dropped.has(block)) : table;
  }

  private readMetadata(): RawMetadata {
    const { source, header } = this;
    const position = header.metadata > 0 || !this.isUnfinished ? header.metadata : this.walk.metadata;
    const bytes = position > 0 ? this.attempt('metadata', () => readMetadataXml(source, position)) : undefined;
    const metadata = parseMetadata(bytes);
    const [first] = metadata.errors;
    if (first !== undefined) this.notes.add(asCorrupted(`The metadata are corrupted: ${first}`));
    else if (bytes === undefined) {
      this.notes.add('The file contains no metadata, so pixel sizes, names and the date are missing.');
    }
    return metadata;
  }

  private readAttachments(): RawAttachment[] {
    const { source, header } = this;
    const read = () => {
      if (header.attachments > 0) return readAttachmentDirectory(source, header.attachments);
      return this.isUnfinished ? this.walk.attachments.map((position) => readAttachmentEntry(source, position)) : [];
    };
    return this.attempt('attachments', read) ?? [];
  }

  /** Reads the attachment `TimeStamps`: its size, the number of stamps, then doubles. */
  private readStamps(attachments: readonly RawAttachment[]): number[] {
    const { source } = this;
    const attachment = attachments.find(({ contentType, name }) => contentType === 'CZTIMS' && name === 'TimeStamps');
    if (!attachment) return [];
    const read = () => {
      const { offset, length } = locateAttachment(source, attachment);
      const count = viewOf(source.read(offset, 8)).getInt32(4, true);
      if (count < 0 || count > LIMITS.planes || 8 + count * 8 > length) {
        throw decodeFailed(`${grouped(count)} time stamps do not fit in ${plural(length, 'byte')}`);
      }
      const view = viewOf(source.read(offset + 8, count * 8));
      return Array.from({ length: count }, (_, i) => view.getFloat64(i * 8, true));
    };
    return this.attempt('time stamps', read) ?? [];
  }

  /** Calls `read`. When the file is corrupted there, adds a warning and returns `undefined`. */
  private attempt<T>(what: string, read: () => T): T | undefined {
    try {
      return about(this.source.name, read);
    } catch (error) {
      if (!(error instanceof AcqError)) throw error;
      this.notes.add(quoteError(`The ${what} cannot be read`, error));
      return undefined;
    }
  }
}

function readDirectory(source: ByteSource, position: number): SubblockTable {
  const segment = readSegment(source, position, 'ZISRAWDIRECTORY');
  const count = viewOf(source.read(position + SEGMENT_HEADER, 4)).getInt32(0, true);
  const length = segment.used - 128;
  if (count < 0 || count > LIMITS.cziBlocks || length < count * 32 || length > 2 ** 31) {
    throw decodeFailed(`a directory of ${grouped(count)} subblocks does not fit in ${plural(segment.used, 'byte')}`);
  }
  return parseDirectory(source.read(position + SEGMENT_HEADER + 128, length), count);
}

/** Opens all parts of a set. Returns a warning for each that is missing, because planes in the others can be read. */
function findMissingParts(table: SubblockTable, parts: CziParts): string[] {
  const numbers = new Set<number>();
  for (let block = 0; block < table.length && numbers.size < MAX_PARTS; block++) numbers.add(table.part(block));
  const warnings: string[] = [];
  for (const number of numbers) {
    try {
      parts.open(number);
    } catch (error) {
      if (!(error instanceof AcqError)) throw error;
      warnings.push(asCorrupted(error.message));
    }
  }
  return warnings;
}

/** Returns the end of the last subblock along T. */
function endOfTime(table: SubblockTable): number {
  let end = 0;
  for (let block = 0; block < table.length; block++) {
    end = Math.max(end, table.start(block, 'T') + table.shape(block).size.T);
  }
  return end;
}

/** Adds the subblock at `position`. Returns whether the file contains all of its pixels. */
function addSubblock(table: SubblockTable, source: ByteSource, position: number): boolean {
  const length = Math.min(ENTRY_BYTES, source.size - position);
  if (length < SUBBLOCK_HEAD) throw decodeFailed(`the subblock at offset ${grouped(position)} is truncated`);
  const head = source.read(position, length);
  const { dataStart, dataSize } = parseSubblock(head, position);
  table.add(parseEntry(viewOf(head), SEGMENT_HEADER + 16), position);
  return position + dataStart + dataSize <= source.size;
}
