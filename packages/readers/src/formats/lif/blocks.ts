/** Reads the container: a header with the XML, then memory blocks up to the end of the file. Little-endian. */
import { decodeFailed } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { grouped, plural } from '../../base/wording.js';
import type { ByteSource } from '../../io/byte-source.js';

const MAGIC = 0x70;
const TEST = 0x2a;
const HEADER_BYTES = 13;
/** Bytes that usually contain the header of a block, because ids are short ("MemBlock_1234"). */
const BLOCK_READ = 96;
const MAX_ID_CHARS = 1_024;

export interface TextBlock {
  text: string;
  /** Offset after the text. */
  end: number;
}

/** The data of a block. `size` is the one in its header; the file may end earlier. */
export interface MemoryBlock {
  offset: number;
  size: number;
}

export interface BlockIndex {
  /** Blocks by id. */
  blocks: ReadonlyMap<string, MemoryBlock>;
  /** Why not all of the file could be read; empty for an intact file. */
  problem: string;
}

/**
 * Reads a UTF-16 text and its header: u32 0x70, u32 size, u8 0x2A, u32 characters.
 * @throws AcqError `decode_failed`
 */
export function readTextBlock(source: ByteSource, at: number): TextBlock {
  const view = toView(source.read(at, HEADER_BYTES));
  const chars = view.getUint32(9, true);
  if (view.getUint32(0, true) !== MAGIC || view.getUint8(8) !== TEST) {
    throw decodeFailed(`expected a text block at offset ${grouped(at)}; the file is corrupted`);
  }
  const bytes = chars * 2;
  if (bytes > LIMITS.metadataBytes) {
    throw decodeFailed(`the XML has ${grouped(bytes)} bytes; the limit is ${grouped(LIMITS.metadataBytes)}`);
  }
  if (at + HEADER_BYTES + bytes > source.size) {
    throw decodeFailed(
      `the file is truncated at byte ${grouped(source.size)}; the XML needs ${grouped(bytes)} bytes from ` +
        `byte ${grouped(at + HEADER_BYTES)}. Copy the file again.`,
    );
  }
  const text = new TextDecoder('utf-16le').decode(source.read(at + HEADER_BYTES, bytes));
  return { text, end: at + HEADER_BYTES + bytes };
}

/** Lists the blocks from `start` to the end of the file; reads only their headers. */
export function readBlockIndex(source: ByteSource, start: number, signal?: AbortSignal): BlockIndex {
  const blocks = new Map<string, MemoryBlock>();
  let at = start;
  while (at + 8 < source.size) {
    signal?.throwIfAborted();
    const block = readBlock(source, at);
    if (!block) {
      return {
        blocks,
        problem: `the ${plural(source.size - at, 'byte')} from byte ${grouped(at)} on are not a memory block`,
      };
    }
    if (blocks.size >= LIMITS.lifBlocks) {
      throw decodeFailed(`the file has more than ${grouped(LIMITS.lifBlocks)} memory blocks, which is the limit`);
    }
    if (!blocks.has(block.id)) blocks.set(block.id, { offset: block.offset, size: block.size });
    at = block.offset + block.size;
  }
  const missing = at - source.size;
  return { blocks, problem: missing > 0 ? `the last block is truncated by ${plural(missing, 'byte')}` : '' };
}

function readBlock(source: ByteSource, at: number): (MemoryBlock & { id: string }) | undefined {
  let bytes = source.read(at, Math.min(BLOCK_READ, source.size - at));
  let view = toView(bytes);
  if (view.getUint32(0, true) !== MAGIC) return undefined;
  const size = view.getUint32(4, true);
  if (size > 18 + 2 * MAX_ID_CHARS || at + 8 + size > source.size) return undefined;
  if (8 + size > bytes.length) {
    bytes = source.read(at, 8 + size);
    view = toView(bytes);
  }
  // Version 2 writes the size of the data with 8 bytes, version 1 with 4. The length of the header tells which it is.
  const wide = readIdLength(view, 17, size - 14);
  const narrow = wide === undefined ? readIdLength(view, 13, size - 10) : undefined;
  const chars = wide ?? narrow;
  if (chars === undefined || view.getUint8(8) !== TEST) return undefined;
  const length = wide === undefined ? view.getUint32(9, true) : readUint64(view, 9);
  const idOffset = wide === undefined ? 18 : 22;
  const id = new TextDecoder('utf-16le').decode(bytes.subarray(idOffset, idOffset + 2 * chars));
  const offset = at + 8 + size;
  return Number.isSafeInteger(offset + length) ? { id, offset, size: length } : undefined;
}

/** Returns the characters of the id when the marker at `at` and the count after it fit the length of the header. */
function readIdLength(view: DataView, at: number, bytes: number): number | undefined {
  if (bytes < 0 || at + 5 > view.byteLength || view.getUint8(at) !== TEST) return undefined;
  const chars = view.getUint32(at + 1, true);
  return chars * 2 === bytes ? chars : undefined;
}

export function readUint64(view: DataView, at: number): number {
  return view.getUint32(at, true) + view.getUint32(at + 4, true) * 2 ** 32;
}

export function toView(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
