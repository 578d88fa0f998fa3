/** The container: a header with the XML, then memory blocks to the end of the file. Little-endian. */
import { decodeFailed } from '../../errors.js';
import type { ByteSource } from '../../io/byte-source.js';
import { LIMITS } from '../../io/limits.js';
import { plural } from '../../wording.js';

const MAGIC = 0x70;
const TEST = 0x2a;
const HEADER_BYTES = 13;
/** One read of a block's description: ids are short ("MemBlock_1234"). */
const BLOCK_READ = 96;
const MAX_ID_CHARS = 1_024;

export interface TextBlock {
  text: string;
  /** Offset behind the text. */
  end: number;
}

/** A block's data. `size` is what its description announces; the file may end before. */
export interface MemoryBlock {
  offset: number;
  size: number;
}

export interface BlockIndex {
  blocks: Map<string, MemoryBlock>;
  /** Why the walk ended before the end of the file; empty for a sound file. */
  stopped: string;
}

/** UTF-16 text behind the magic number: u32 0x70, u32 size, u8 0x2A, u32 characters. @throws AcqError `decode_failed` */
export function readTextBlock(source: ByteSource, at: number): TextBlock {
  const view = viewOf(source.read(at, HEADER_BYTES));
  const chars = view.getUint32(9, true);
  if (view.getUint32(0, true) !== MAGIC || view.getUint8(8) !== TEST) {
    throw decodeFailed(`${source.name}: has no text block at offset ${at}; it is damaged`);
  }
  const bytes = chars * 2;
  if (bytes > LIMITS.metadataBytes) {
    throw decodeFailed(`${source.name}: claims a description of ${bytes} bytes, more than any real file`);
  }
  if (at + HEADER_BYTES + bytes > source.size) {
    throw decodeFailed(
      `${source.name}: its description needs ${bytes} bytes from offset ${at + HEADER_BYTES}, but the file ends at ` +
        `${source.size}; it is cut off, copy it again`,
    );
  }
  const text = new TextDecoder('utf-16le').decode(source.read(at + HEADER_BYTES, bytes));
  return { text, end: at + HEADER_BYTES + bytes };
}

/** Walks the blocks from `start` to the end of the file; reads their descriptions only. */
export function readBlockIndex(source: ByteSource, start: number, signal?: AbortSignal): BlockIndex {
  const blocks = new Map<string, MemoryBlock>();
  let at = start;
  while (at + 8 < source.size) {
    signal?.throwIfAborted();
    const found = readBlock(source, at);
    if (!found) {
      return { blocks, stopped: `the ${source.size - at} bytes from offset ${at} are no block of data` };
    }
    if (blocks.size >= LIMITS.lifBlocks) throw decodeFailed(`${source.name}: has more blocks than any real file`);
    if (!blocks.has(found.id)) blocks.set(found.id, { offset: found.offset, size: found.size });
    at = found.offset + found.size;
  }
  if (at > source.size) return { blocks, stopped: `the last block needs ${plural(at - source.size, 'more byte')}` };
  return { blocks, stopped: '' };
}

function readBlock(source: ByteSource, at: number): (MemoryBlock & { id: string }) | undefined {
  let bytes = source.read(at, Math.min(BLOCK_READ, source.size - at));
  let view = viewOf(bytes);
  if (view.getUint32(0, true) !== MAGIC) return undefined;
  const size = view.getUint32(4, true);
  if (size > 18 + 2 * MAX_ID_CHARS || at + 8 + size > source.size) return undefined;
  if (8 + size > bytes.length) {
    bytes = source.read(at, 8 + size);
    view = viewOf(bytes);
  }
  // Version 2 writes the size of the data with 8 bytes, version 1 with 4. The length of the description tells.
  const wide = idChars(view, 17, size - 14);
  const narrow = wide === undefined ? idChars(view, 13, size - 10) : undefined;
  const chars = wide ?? narrow;
  if (chars === undefined || view.getUint8(8) !== TEST) return undefined;
  const length = wide === undefined ? view.getUint32(9, true) : uint64(view, 9);
  const idAt = wide === undefined ? 18 : 22;
  const id = new TextDecoder('utf-16le').decode(bytes.subarray(idAt, idAt + 2 * chars));
  const offset = at + 8 + size;
  return Number.isSafeInteger(offset + length) ? { id, offset, size: length } : undefined;
}

/** Characters of the id when the mark at `at` and the count behind it fit the description. */
function idChars(view: DataView, at: number, bytes: number): number | undefined {
  if (bytes < 0 || at + 5 > view.byteLength || view.getUint8(at) !== TEST) return undefined;
  const chars = view.getUint32(at + 1, true);
  return chars * 2 === bytes ? chars : undefined;
}

export function uint64(view: DataView, at: number): number {
  return view.getUint32(at, true) + view.getUint32(at + 4, true) * 2 ** 32;
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
