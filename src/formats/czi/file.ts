/** One container, a file or an image embedded in one: header, directory, metadata and attachments. */
import { AcqError, decodeFailed } from '../../errors.js';
import type { ByteSource } from '../../io/byte-source.js';
import { LIMITS } from '../../io/limits.js';
import { countAre, plural } from '../../wording.js';
import { BlockTable, parseDirectory } from './blocks.js';
import { isRunOfLines, lastRuns, shortenRuns } from './cut-lines.js';
import { parseMetadata, type RawMetadata } from './parse.js';
import type { Parts } from './parts.js';
import {
  attachmentPayload,
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
  table: BlockTable;
  metadata: RawMetadata;
  attachments: RawAttachment[];
  /** Of the `TimeStamps` attachment; empty without one. */
  stamps: number[];
  /** Lines at the end of a line scan that the directory announces and the file lacks. */
  lostLines: number;
  warnings: string[];
}

/** Parts of a set that are looked for when it is opened. */
const MAX_PARTS = 1_000;
/** Entries of a subblock's head that are read at once while walking. */
const ENTRY_BYTES = 1024;

/** Reads everything but pixels. @throws AcqError `decode_failed` */
export function readFile(name: string, parts: Parts): CziFile {
  const source = parts.main;
  const header = readFileHeader(source);
  const warnings: string[] = [];
  let walk: RawWalk | undefined;
  // The walk is long, and most files never need it.
  const walked = () => {
    walk ??= walkSegments(source);
    return walk;
  };
  const { table, lostLines } = readTable(name, parts, header, walked, warnings);
  nameMissingParts(table, parts, warnings);
  const metadata = readMetadata(source, header, walked, warnings);
  const attachments = readAttachments(source, header, walked, warnings);
  return { table, metadata, attachments, stamps: readStamps(source, attachments, warnings), lostLines, warnings };
}

function readTable(
  name: string,
  parts: Parts,
  header: RawFileHeader,
  walked: () => RawWalk,
  warnings: string[],
): { table: BlockTable; lostLines: number } {
  const source = parts.main;
  if (header.directory > 0 && !header.updatePending) {
    try {
      const announced = readDirectory(source, header.directory);
      const last = endOfTime(announced);
      const table = withoutCutLines(announced, parts, warnings);
      return { table, lostLines: last - endOfTime(table) };
    } catch (error) {
      if (!(error instanceof AcqError)) throw error;
      warnings.push(`The directory cannot be read: ${error.message}`);
    }
  }
  const walk = walked();
  const table = collectSubblocks(source, walk, warnings);
  const end = walk.stopped === '' ? '' : ` The search ended early: ${walk.stopped}.`;
  warnings.push(
    `${name} was not finished by its writer, or is damaged: ${plural(table.length, 'subblock')} found by searching the ` +
      `file; what was not written is missing.${end}`,
  );
  return { table, lostLines: 0 };
}

function readDirectory(source: ByteSource, position: number): BlockTable {
  const segment = readSegment(source, position, 'ZISRAWDIRECTORY');
  const count = viewOf(source.read(position + SEGMENT_HEADER, 4)).getInt32(0, true);
  const length = segment.used - 128;
  if (count < 0 || count > LIMITS.cziBlocks || length < count * 32 || length > 2 ** 31) {
    throw decodeFailed(`${source.name}: its directory claims ${count} subblocks in ${segment.used} bytes`);
  }
  return parseDirectory(source.name, source.read(position + SEGMENT_HEADER + 128, length), count);
}

/** Parts of a set that are not there cost the planes in them, and a warning. */
function nameMissingParts(table: BlockTable, parts: Parts, warnings: string[]): void {
  const numbers = new Set<number>();
  for (let block = 0; block < table.length && numbers.size < MAX_PARTS; block++) numbers.add(table.part(block));
  for (const number of numbers) {
    try {
      parts.open(number);
    } catch (error) {
      if (!(error instanceof AcqError)) throw error;
      warnings.push(error.message);
    }
  }
}

/** Behind the last entry along T. */
function endOfTime(table: BlockTable): number {
  let end = 0;
  for (let block = 0; block < table.length; block++) {
    end = Math.max(end, table.start(block, 'T') + table.shape(block).size.T);
  }
  return end;
}

/** The file may end before its directory says: then the lines that are there are served. */
function withoutCutLines(table: BlockTable, parts: Parts, warnings: string[]): BlockTable {
  const { size } = parts.main;
  const beyond = (block: number) =>
    table.part(block) === 0 && table.position(block) + SUBBLOCK_HEAD > size && isRunOfLines(table.shape(block));
  const there = table.filter((block) => !beyond(block));
  if (there.length < table.length) {
    warnings.push(`The file is truncated: ${plural(table.length - there.length, 'subblock')} of lines after its end.`);
  }
  const runs = lastRuns(there).filter((block) => there.part(block) === 0);
  let empty = new Set<number>();
  try {
    empty = shortenRuns(there, parts.open, runs, warnings);
  } catch (error) {
    if (!(error instanceof AcqError)) throw error;
    warnings.push(`The end of the recording cannot be read: ${error.message}`);
  }
  return empty.size > 0 ? there.filter((block) => !empty.has(block)) : there;
}

/** Entries of the subblocks themselves. One whose pixels are cut off was not written whole, and is left out. */
function collectSubblocks(source: ByteSource, walk: RawWalk, warnings: string[]): BlockTable {
  const table = new BlockTable();
  const dropped = new Set<number>();
  let damaged = 0;
  for (const position of walk.subblocks) {
    const length = Math.min(ENTRY_BYTES, source.size - position);
    try {
      if (length < SUBBLOCK_HEAD) throw decodeFailed('is cut off');
      const head = source.read(position, length);
      const { dataStart, dataSize } = parseSubblock(source.name, head, position);
      table.add(source.name, head, viewOf(head), SEGMENT_HEADER + 16, position);
      const added = table.length - 1;
      if (position + dataStart + dataSize <= source.size || table.position(added) !== position) continue;
      const lines = isRunOfLines(table.shape(added));
      if (!lines || shortenRuns(table, () => source, [added], warnings).size > 0) dropped.add(added);
    } catch (error) {
      if (!(error instanceof AcqError)) throw error;
      damaged++;
    }
  }
  const left = damaged + dropped.size;
  if (left > 0) warnings.push(`${countAre(left, 'subblock')} truncated or corrupted. Skipped.`);
  return dropped.size > 0 ? table.filter((block) => !dropped.has(block)) : table;
}

function readMetadata(
  source: ByteSource,
  header: RawFileHeader,
  walked: () => RawWalk,
  warnings: string[],
): RawMetadata {
  const unfinished = header.directory <= 0 || header.updatePending;
  const position = header.metadata > 0 || !unfinished ? header.metadata : walked().metadata;
  let bytes: Uint8Array | undefined;
  try {
    if (position > 0) bytes = readMetadataXml(source, position);
  } catch (error) {
    if (!(error instanceof AcqError)) throw error;
    warnings.push(`The metadata cannot be read: ${error.message}`);
  }
  const metadata = parseMetadata(bytes);
  const [first] = metadata.errors;
  if (first !== undefined) warnings.push(`The metadata are damaged: ${first}`);
  else if (bytes === undefined) warnings.push('The file holds no metadata; steps, names and date are not known.');
  return metadata;
}

function readAttachments(
  source: ByteSource,
  header: RawFileHeader,
  walked: () => RawWalk,
  warnings: string[],
): RawAttachment[] {
  try {
    if (header.attachments > 0) return readAttachmentDirectory(source, header.attachments);
    const unfinished = header.directory <= 0 || header.updatePending;
    return unfinished ? walked().attachments.map((position) => readAttachmentEntry(source, position)) : [];
  } catch (error) {
    if (!(error instanceof AcqError)) throw error;
    warnings.push(`The attachments cannot be read: ${error.message}`);
    return [];
  }
}

/** Payload of `TimeStamps`: its size, the number of stamps, then doubles. */
function readStamps(source: ByteSource, attachments: readonly RawAttachment[], warnings: string[]): number[] {
  const attachment = attachments.find(({ contentType, name }) => contentType === 'CZTIMS' && name === 'TimeStamps');
  if (!attachment) return [];
  try {
    const { offset, length } = attachmentPayload(source, attachment);
    const count = viewOf(source.read(offset, 8)).getInt32(4, true);
    if (count < 0 || count > LIMITS.planes || 8 + count * 8 > length) {
      throw decodeFailed(`${count} time stamps do not fit into ${length} bytes`);
    }
    const view = viewOf(source.read(offset + 8, count * 8));
    return Array.from({ length: count }, (_, i) => view.getFloat64(i * 8, true));
  } catch (error) {
    if (!(error instanceof AcqError)) throw error;
    warnings.push(`The time stamps cannot be read: ${error.message}`);
    return [];
  }
}
