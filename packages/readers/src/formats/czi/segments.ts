/** Segments, the blocks that a ZISRAW file consists of, and the records in its header and attachments. */
import { toHex } from '../../base/bytes.js';
import { type AcqError, decodeFailed } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { grouped, plural } from '../../base/wording.js';
import type { ByteSource } from '../../io/byte-source.js';

export const SEGMENT_HEADER = 32;

export interface RawSegment {
  id: string;
  /** Offset of the segment header, which all positions in the file refer to. */
  position: number;
  /** Bytes between the header and the next segment. */
  allocated: number;
  /** How many of these bytes are data. */
  used: number;
}

export interface RawFileHeader {
  /** GUID of the file with part number 0, as hex digits. */
  primaryGuid: string;
  fileGuid: string;
  part: number;
  /** Positions of segments; 0 when missing. */
  directory: number;
  metadata: number;
  attachments: number;
  /** The writer did not finish. */
  updatePending: boolean;
}

export interface RawAttachment {
  position: number;
  part: number;
  contentType: string;
  name: string;
}

/** Positions of segments found without the directory. */
export interface RawWalk {
  subblocks: number[];
  attachments: number[];
  /** Position of the last metadata segment; 0 when missing. */
  metadata: number;
  /** Why the search ended before the end of the file; empty when it did not. */
  stopped: string;
}

const FILE_HEADER_BYTES = 80;
const ATTACHMENT_ENTRY_BYTES = 128;
const KNOWN = /^(ZISRAW(FILE|DIRECTORY|SUBBLOCK|METADATA|ATTDIR|ATTACH)|DELETED)$/;

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Reads a position or size. Values above 2⁵³ become inexact, but every range check refuses them. */
export function int64(view: DataView, at: number): number {
  return Number(view.getBigInt64(at, true));
}

/** Reads text up to the first NUL. */
export function textAt(bytes: Uint8Array, at: number, length: number): string {
  const field = bytes.subarray(at, at + length);
  const end = field.indexOf(0);
  return String.fromCharCode(...(end < 0 ? field : field.subarray(0, end)));
}

/**
 * Reads the header of a segment with the given id.
 * @throws AcqError `decode_failed` when there is no such segment at `position`
 */
export function readSegment(source: ByteSource, position: number, id: string): RawSegment {
  const segment = parseSegment(source.read(position, SEGMENT_HEADER), position);
  if (segment.id !== id) {
    throw decodeFailed(`expected a ${id} segment at offset ${grouped(position)}; the file is corrupted`);
  }
  return segment;
}

function parseSegment(bytes: Uint8Array, position: number): RawSegment {
  const view = viewOf(bytes);
  const allocated = int64(view, 16);
  const used = int64(view, 24);
  // Some writers leave the used size at 0.
  return { id: textAt(bytes, 0, 16), position, allocated, used: used > 0 ? Math.min(used, allocated) : allocated };
}

export function readFileHeader(source: ByteSource): RawFileHeader {
  readSegment(source, 0, 'ZISRAWFILE');
  const bytes = source.read(SEGMENT_HEADER, FILE_HEADER_BYTES);
  const view = viewOf(bytes);
  return {
    primaryGuid: toHex(bytes.subarray(16, 32)),
    fileGuid: toHex(bytes.subarray(32, 48)),
    part: view.getInt32(48, true),
    directory: int64(view, 52),
    metadata: int64(view, 60),
    updatePending: view.getInt32(68, true) !== 0,
    attachments: int64(view, 72),
  };
}

/** Follows the segments from the start to the end of the file, or to the first bytes that are not a valid segment. */
export function walkSegments(source: ByteSource): RawWalk {
  const walk: RawWalk = { subblocks: [], attachments: [], metadata: 0, stopped: '' };
  let position = 0;
  for (let count = 0; position + SEGMENT_HEADER <= source.size; count++) {
    if (count > LIMITS.cziBlocks) throw tooMany();
    const segment = parseSegment(source.read(position, SEGMENT_HEADER), position);
    if (!KNOWN.test(segment.id) || segment.allocated < 0 || !Number.isSafeInteger(segment.allocated)) {
      walk.stopped = `there is no valid segment at offset ${grouped(position)}`;
      return walk;
    }
    if (segment.id === 'ZISRAWSUBBLOCK') walk.subblocks.push(position);
    if (segment.id === 'ZISRAWATTACH') walk.attachments.push(position);
    if (segment.id === 'ZISRAWMETADATA') walk.metadata = position;
    position += SEGMENT_HEADER + segment.allocated;
  }
  if (position > source.size) {
    walk.stopped = `the last segment is truncated by ${plural(position - source.size, 'byte')}`;
  }
  return walk;
}

function tooMany(): AcqError {
  return decodeFailed(`has more than ${grouped(LIMITS.cziBlocks)} segments`);
}

/** Returns the XML of the metadata segment; `undefined` when its length is invalid or above the limit. */
export function readMetadataXml(source: ByteSource, position: number): Uint8Array | undefined {
  const segment = readSegment(source, position, 'ZISRAWMETADATA');
  const length = viewOf(source.read(position + SEGMENT_HEADER, 4)).getInt32(0, true);
  if (length < 0 || length > LIMITS.metadataBytes || length > segment.allocated) return undefined;
  return source.read(position + SEGMENT_HEADER + 256, length);
}

export function readAttachmentDirectory(source: ByteSource, position: number): RawAttachment[] {
  const segment = readSegment(source, position, 'ZISRAWATTDIR');
  const count = viewOf(source.read(position + SEGMENT_HEADER, 4)).getInt32(0, true);
  if (count < 0 || count > LIMITS.files || 256 + count * ATTACHMENT_ENTRY_BYTES > segment.used) {
    throw decodeFailed(`the list of ${grouped(count)} attachments does not fit in ${grouped(segment.used)} bytes`);
  }
  const bytes = source.read(position + SEGMENT_HEADER + 256, count * ATTACHMENT_ENTRY_BYTES);
  return Array.from({ length: count }, (_, i) => parseAttachmentEntry(bytes.subarray(i * ATTACHMENT_ENTRY_BYTES)));
}

/** Reads the copy of its entry that an attachment segment contains. */
export function readAttachmentEntry(source: ByteSource, position: number): RawAttachment {
  const bytes = source.read(position + SEGMENT_HEADER + 16, ATTACHMENT_ENTRY_BYTES);
  return { ...parseAttachmentEntry(bytes), position };
}

function parseAttachmentEntry(bytes: Uint8Array): RawAttachment {
  const view = viewOf(bytes);
  return {
    position: int64(view, 12),
    part: view.getInt32(20, true),
    contentType: textAt(bytes, 40, 8),
    name: textAt(bytes, 48, 80),
  };
}

/**
 * Finds the contents of an attachment in the file.
 * @throws AcqError `decode_failed`
 */
export function locateAttachment(source: ByteSource, attachment: RawAttachment): { offset: number; length: number } {
  const { position } = attachment;
  readSegment(source, position, 'ZISRAWATTACH');
  const length = int64(viewOf(source.read(position + SEGMENT_HEADER, 8)), 0);
  const offset = position + SEGMENT_HEADER + 256;
  if (length < 0 || offset + length > source.size) {
    throw decodeFailed(`attachment "${attachment.name}" of ${grouped(length)} bytes is truncated`);
  }
  return { offset, length };
}
