/** The storage unit of an ND2 file: magic number, length of the name field, length of the payload, name field, payload. */
import { latin1, toLatin1 } from '../../base/bytes.js';
import { decodeFailed } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { grouped } from '../../base/wording.js';
import type { ByteSource } from '../../io/byte-source.js';
import { hasChunkMagic } from './magic.js';

export interface Chunk {
  /** Offset of the chunk in the file. */
  offset: number;
  /** Up to and including its `!`. */
  name: string;
  /** Offset of the payload in the file. */
  payload: number;
  /** Bytes of the payload according to the chunk; the file may end earlier. */
  length: number;
}

/** Bytes in front of the name. */
export const HEADER_BYTES = 16;
/** Enough for the name of any frame; the rest of the field is padding. */
const SHORT_NAME = 48;
const LONG_NAME = 1024;
/** Writers pad the name field to a few kB. */
const MAX_NAME_FIELD = 2 ** 20;

/** Reads the header and the name of the chunk at `offset`; `undefined` when there is no chunk. */
export function readChunk(source: ByteSource, offset: number): Chunk | undefined {
  const available = source.size - offset;
  if (!Number.isSafeInteger(offset) || offset < 0 || available < HEADER_BYTES + 1) return undefined;
  const head = source.read(offset, Math.min(available, HEADER_BYTES + SHORT_NAME));
  const chunk = parseHeader(source, offset, head);
  if (chunk !== 'name too long') return chunk;
  const longer = source.read(offset, Math.min(available, HEADER_BYTES + LONG_NAME));
  const retried = parseHeader(source, offset, longer);
  return retried === 'name too long' ? undefined : retried;
}

function parseHeader(source: ByteSource, offset: number, head: Uint8Array): Chunk | undefined | 'name too long' {
  if (!hasChunkMagic(head)) return undefined;
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  const nameLength = view.getUint32(4, true);
  const length = view.getUint32(8, true) + view.getUint32(12, true) * 2 ** 32;
  const payload = offset + HEADER_BYTES + nameLength;
  if (nameLength === 0 || nameLength > MAX_NAME_FIELD || payload > source.size) return undefined;
  if (!Number.isSafeInteger(payload + length)) return undefined;
  const end = head.subarray(0, HEADER_BYTES + nameLength).indexOf(0x21, HEADER_BYTES);
  if (end < 0) return nameLength > head.length - HEADER_BYTES ? 'name too long' : undefined;
  for (let at = HEADER_BYTES; at < end; at++) if (head[at]! < 0x20 || head[at]! > 0x7e) return undefined;
  const name = latin1(head.subarray(HEADER_BYTES, end + 1));
  return { offset, name, payload, length };
}

/**
 * Reads the payload of a metadata chunk.
 * @throws AcqError `decode_failed` when it reaches beyond the file, or is larger than `limit`
 */
export function readPayload(source: ByteSource, chunk: Chunk, limit: number = LIMITS.nd2MetadataBytes): Uint8Array {
  if (chunk.length > limit) {
    throw decodeFailed(
      `the metadata chunk ${chunk.name} is ${grouped(chunk.length)} bytes; the limit is ` +
        `${grouped(limit)}. The file is probably corrupted.`,
    );
  }
  return source.read(chunk.payload, chunk.length);
}

/** Returns the name of the chunk that contains a frame. */
export function frameName(frame: number): string {
  return `ImageDataSeq|${frame}!`;
}

const FRAME_PREFIX = toLatin1('ImageDataSeq|');
const MAX_DIGITS = 10;

/**
 * Returns the frame number in a chunk name such as `ImageDataSeq|12!`; `undefined` for other chunks.
 * @param from of the first letter in `bytes`
 * @param end of the `!`
 */
export function frameNumberIn(bytes: Uint8Array, from: number, end: number): number | undefined {
  const digits = from + FRAME_PREFIX.length;
  if (end <= digits || end > digits + MAX_DIGITS) return undefined;
  for (let i = 0; i < FRAME_PREFIX.length; i++) if (bytes[from + i] !== FRAME_PREFIX[i]) return undefined;
  let number = 0;
  for (let at = digits; at < end; at++) {
    const digit = bytes[at]! - 0x30;
    if (digit < 0 || digit > 9) return undefined;
    number = number * 10 + digit;
  }
  return number;
}

/** Returns the frame number in a chunk name; `undefined` for other chunks. */
export function frameNumber(name: string): number | undefined {
  return frameNumberIn(toLatin1(name), 0, name.length - 1);
}
