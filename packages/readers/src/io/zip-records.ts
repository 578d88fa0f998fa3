/** Records of a ZIP archive: the end of the central directory, its ZIP64 form, central and local headers. */
import { decodeFailed } from '../base/errors.js';
import { LIMITS } from '../base/limits.js';
import { grouped, plural } from '../base/wording.js';
import { type ByteSource, checkRange } from './byte-source.js';

const END = 0x06054b50;
const END_BYTES = 22;
const LOCATOR = 0x07064b50;
const LOCATOR_BYTES = 20;
const END64 = 0x06064b50;
const END64_BYTES = 56;
const CENTRAL = 0x02014b50;
const CENTRAL_BYTES = 46;
export const LOCAL = 0x04034b50;
export const LOCAL_BYTES = 30;
const ZIP64_FIELD = 1;
const MAX32 = 0xffffffff;
const MAX16 = 0xffff;

export interface CentralDirectory {
  offset: number;
  size: number;
  entries: number;
}

export interface CentralEntry {
  /** As stored; not checked yet. */
  nameBytes: Uint8Array;
  flags: number;
  method: number;
  crc32: number;
  compressedSize: number;
  size: number;
  localOffset: number;
}

/** Finds the directory of an archive. @throws AcqError `decode_failed` when it is missing or does not fit the file */
export function findCentralDirectory(source: ByteSource): CentralDirectory {
  const length = Math.min(source.size, END_BYTES + MAX16);
  const start = source.size - length;
  const tail = source.read(start, length);
  const view = new DataView(tail.buffer, tail.byteOffset, tail.length);
  for (let at = length - END_BYTES; at >= 0; at--) {
    // The comment ends with the file, so a signature inside a comment does not match.
    if (view.getUint32(at, true) !== END || at + END_BYTES + view.getUint16(at + 20, true) !== length) continue;
    const directory = endRecord(source, view, at, start + at);
    return checkedDirectory(source, directory, start + at);
  }
  throw decodeFailed('the ZIP directory at the end is missing; the archive is truncated. Copy it again.');
}

function endRecord(source: ByteSource, view: DataView, at: number, position: number): CentralDirectory {
  if (view.getUint16(at + 4, true) !== view.getUint16(at + 6, true)) {
    throw decodeFailed('is one volume of a split ZIP archive. Join the volumes first.');
  }
  const entries = view.getUint16(at + 10, true);
  const size = view.getUint32(at + 12, true);
  const offset = view.getUint32(at + 16, true);
  if (entries !== MAX16 && size !== MAX32 && offset !== MAX32) return { entries, size, offset };
  return end64Record(source, position) ?? { entries, size, offset };
}

function end64Record(source: ByteSource, endPosition: number): CentralDirectory | undefined {
  if (endPosition < LOCATOR_BYTES) return undefined;
  const locator = viewOf(source.read(endPosition - LOCATOR_BYTES, LOCATOR_BYTES));
  if (locator.getUint32(0, true) !== LOCATOR) return undefined;
  const position = uint64(locator, 8);
  checkRange(`${source.name} (ZIP64 directory)`, source.size, position, END64_BYTES);
  const record = viewOf(source.read(position, END64_BYTES));
  if (record.getUint32(0, true) !== END64) {
    throw decodeFailed(`expected a ZIP64 directory at offset ${grouped(position)}; the archive is corrupted`);
  }
  return { entries: uint64(record, 32), size: uint64(record, 40), offset: uint64(record, 48) };
}

function checkedDirectory(source: ByteSource, directory: CentralDirectory, end: number): CentralDirectory {
  const { entries, size, offset } = directory;
  if (entries > LIMITS.zipEntries || size > LIMITS.metadataBytes) {
    throw decodeFailed(
      `the ZIP directory lists ${plural(entries, 'entry', 'entries')} in ${plural(size, 'byte')}; the limits are ${grouped(LIMITS.zipEntries)} and ${grouped(LIMITS.metadataBytes)}. Unpack the archive and open the folder.`,
    );
  }
  checkRange(`${source.name} (ZIP directory)`, end, offset, size);
  if (entries * CENTRAL_BYTES > size) {
    throw decodeFailed(
      `the ZIP directory lists ${plural(entries, 'entry', 'entries')}, but has only ${plural(size, 'byte')}; the archive is corrupted`,
    );
  }
  return directory;
}

/** Yields the entries of the central directory. @throws AcqError `decode_failed` */
export function* centralEntries(bytes: Uint8Array, count: number): Generator<CentralEntry> {
  const view = viewOf(bytes);
  let at = 0;
  for (let i = 0; i < count; i++) {
    if (at + CENTRAL_BYTES > bytes.length || view.getUint32(at, true) !== CENTRAL) {
      throw decodeFailed(`entry ${i} of the ZIP directory is corrupted`);
    }
    const nameEnd = at + CENTRAL_BYTES + view.getUint16(at + 28, true);
    const extraEnd = nameEnd + view.getUint16(at + 30, true);
    const next = extraEnd + view.getUint16(at + 32, true);
    if (next > bytes.length) throw decodeFailed(`entry ${i} of the ZIP directory is truncated`);
    const entry: CentralEntry = {
      nameBytes: bytes.subarray(at + CENTRAL_BYTES, nameEnd),
      flags: view.getUint16(at + 8, true),
      method: view.getUint16(at + 10, true),
      crc32: view.getUint32(at + 16, true),
      compressedSize: view.getUint32(at + 20, true),
      size: view.getUint32(at + 24, true),
      localOffset: view.getUint32(at + 42, true),
    };
    applyZip64(entry, bytes.subarray(nameEnd, extraEnd));
    yield entry;
    at = next;
  }
}

/** The extra field has, in this order, those of the three values that are all ones in the header. */
function applyZip64(entry: CentralEntry, extra: Uint8Array): void {
  const field = zip64Field(extra);
  if (!field) return;
  let at = 0;
  for (const key of ['size', 'compressedSize', 'localOffset'] as const) {
    if (entry[key] !== MAX32 || at + 8 > field.byteLength) continue;
    entry[key] = uint64(field, at);
    at += 8;
  }
}

function zip64Field(extra: Uint8Array): DataView | undefined {
  const view = viewOf(extra);
  for (let at = 0; at + 4 <= extra.length; ) {
    const length = view.getUint16(at + 2, true);
    if (at + 4 + length > extra.length) return undefined;
    if (view.getUint16(at, true) === ZIP64_FIELD) return new DataView(extra.buffer, extra.byteOffset + at + 4, length);
    at += 4 + length;
  }
  return undefined;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function uint64(view: DataView, offset: number): number {
  return view.getUint32(offset, true) + view.getUint32(offset + 4, true) * 2 ** 32;
}
