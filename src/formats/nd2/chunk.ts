/** The storage unit of an ND2 file: magic, length of the name field, length of the payload, name field, payload. */
import { decodeFailed } from '../../errors.js';
import type { ByteSource } from '../../io/byte-source.js';
import { LIMITS } from '../../io/limits.js';

export interface Chunk {
  /** Place of the chunk in the file. */
  offset: number;
  /** Up to and including its `!`. */
  name: string;
  /** Place of the payload. */
  payload: number;
  /** Bytes of the payload by the header; the file may end before. */
  length: number;
}

export const CHUNK_HEAD = 16;
const MAGIC = 0x0abeceda;
/** Enough for the name of any frame; the rest of the field is padding. */
const SHORT_NAME = 48;
const LONG_NAME = 1024;
/** Writers pad the name field to a few kB. */
const MAX_NAME_FIELD = 2 ** 20;

/** The chunk at `offset`; `undefined` when there is none. */
export function readChunk(source: ByteSource, offset: number): Chunk | undefined {
  const left = source.size - offset;
  if (!Number.isSafeInteger(offset) || offset < 0 || left < CHUNK_HEAD + 1) return undefined;
  const head = source.read(offset, Math.min(left, CHUNK_HEAD + SHORT_NAME));
  const chunk = parseHead(source, offset, head);
  if (chunk !== 'longer') return chunk;
  const all = parseHead(source, offset, source.read(offset, Math.min(left, CHUNK_HEAD + LONG_NAME)));
  return all === 'longer' ? undefined : all;
}

function parseHead(source: ByteSource, offset: number, head: Uint8Array): Chunk | undefined | 'longer' {
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  if (view.getUint32(0, true) !== MAGIC) return undefined;
  const nameLength = view.getUint32(4, true);
  const length = view.getUint32(8, true) + view.getUint32(12, true) * 2 ** 32;
  const payload = offset + CHUNK_HEAD + nameLength;
  if (nameLength === 0 || nameLength > MAX_NAME_FIELD || payload > source.size) return undefined;
  if (!Number.isSafeInteger(payload + length)) return undefined;
  const end = head.subarray(0, CHUNK_HEAD + nameLength).indexOf(0x21, CHUNK_HEAD);
  if (end < 0) return nameLength > head.length - CHUNK_HEAD ? 'longer' : undefined;
  const bytes = head.subarray(CHUNK_HEAD, end + 1);
  if (bytes.some((byte) => byte < 0x20 || byte > 0x7e)) return undefined;
  return { offset, name: String.fromCharCode(...bytes), payload, length };
}

/**
 * The payload of a metadata chunk.
 * @throws AcqError `decode_failed` when it is not in the file, or larger than metadata can be
 */
export function readPayload(source: ByteSource, chunk: Chunk, limit: number = LIMITS.nd2MetadataBytes): Uint8Array {
  if (chunk.length > limit) {
    throw decodeFailed(
      `${source.name}: the chunk ${chunk.name} claims ${chunk.length} bytes; it is damaged, or larger than is read`,
    );
  }
  return source.read(chunk.payload, chunk.length);
}

/** Number of a frame by the name of its chunk, `ImageDataSeq|12!`; `undefined` for other chunks. */
export function frameNumber(name: string): number | undefined {
  const match = /^ImageDataSeq\|(\d{1,10})!$/.exec(name);
  return match ? Number(match[1]) : undefined;
}
