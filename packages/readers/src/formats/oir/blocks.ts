/** Finds the blocks of an OIR file: by its index, or along the chain of blocks when the index cannot be used. */
import { decodeFailed } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { grouped } from '../../base/wording.js';
import type { ByteSource } from '../../io/byte-source.js';
import {
  BLOCK_HEADER_BYTES,
  BlockReader,
  HEADER_BYTES,
  KIND,
  LAST_KIND,
  type RawHeader,
  readBlockHeader,
  readTag,
  toView,
  uint64,
} from './parse.js';

const INDEX_MARKER = 0xffffffff;

/** Blocks tile the file: each ends where the next one starts. */
export interface BlockTable {
  /** Offset of each block, ascending, then the end of the last one. */
  offsets: Float64Array;
  count: number;
  origin: 'index' | 'chain';
  /** The last block claims more bytes than the file has. */
  truncated: boolean;
}

/**
 * Reads the index; `undefined` when it is missing, truncated, or does not match the file.
 * @throws AcqError `decode_failed` for more blocks than the limit
 */
export function tableFromIndex(source: ByteSource, header: RawHeader): BlockTable | undefined {
  const { length, indexOffset, blockCount } = header;
  if (length > source.size || indexOffset < HEADER_BYTES || indexOffset + 4 > length) return undefined;
  if (blockCount === 0 || blockCount > (length - indexOffset - 4) / 8) return undefined;
  if (blockCount > LIMITS.oirBlocks) throw tooManyBlocks();
  const view = toView(source.read(indexOffset, 4 + blockCount * 8));
  if (view.getUint32(0, true) !== INDEX_MARKER) return undefined;
  const offsets = new Float64Array(blockCount + 1);
  let min = HEADER_BYTES;
  for (let i = 0; i < blockCount; i++) {
    const offset = uint64(view, 4 + i * 8);
    if (offset < min || offset + BLOCK_HEADER_BYTES > indexOffset) return undefined;
    offsets[i] = offset;
    min = offset + BLOCK_HEADER_BYTES;
  }
  offsets[blockCount] = indexOffset;
  const table: BlockTable = { offsets, count: blockCount, origin: 'index', truncated: false };
  return offsets[0] === HEADER_BYTES && endsAgree(source, table) ? table : undefined;
}

/** True when the first and the last block are as long as the index says. The others are checked when they are read. */
function endsAgree(source: ByteSource, table: BlockTable): boolean {
  const reader = new BlockReader(source);
  return [0, table.count - 1].every((block) => {
    const header = readBlockHeader(reader, table.offsets[block]!);
    return header !== undefined && header.kind <= LAST_KIND && header.length === payloadLength(table, block);
  });
}

/**
 * Follows the chain of blocks from byte 96 to the index marker, to something that is not a block, or to the end of the
 * file.
 * @throws AcqError `decode_failed` for more blocks than the limit
 */
export function tableFromChain(source: ByteSource, header: RawHeader): BlockTable {
  // After the recorded length, the file may contain the rest of an older, longer version.
  const end = header.length > HEADER_BYTES && header.length < source.size ? header.length : source.size;
  const reader = new BlockReader(source);
  const offsets: number[] = [];
  let at = HEADER_BYTES;
  let truncated = false;
  while (at < end && !truncated) {
    const block = readBlockHeader(reader, at);
    // Truncated inside a block header: the block has no payload.
    if (!block) truncated = true;
    if (!block || block.length === INDEX_MARKER || block.kind > LAST_KIND) break;
    // Only separators are empty; zeros are not a chain of documents.
    if (block.length === 0 && block.kind !== KIND.separator) break;
    if (offsets.length >= LIMITS.oirBlocks) throw tooManyBlocks();
    offsets.push(at);
    // Bring the header after the tag into the window.
    if (block.kind === KIND.tag) readTag(reader, at, block.length);
    at += BLOCK_HEADER_BYTES + block.length;
    truncated = at > end;
  }
  const table = new Float64Array(offsets.length + 1);
  table.set(offsets);
  table[offsets.length] = Math.min(at, end);
  return { offsets: table, count: offsets.length, origin: 'chain', truncated };
}

/** Returns the bytes of a block's payload that are in the file. */
export function payloadLength(table: BlockTable, block: number): number {
  return table.offsets[block + 1]! - table.offsets[block]! - BLOCK_HEADER_BYTES;
}

function tooManyBlocks(): Error {
  return decodeFailed(`has more than ${grouped(LIMITS.oirBlocks)} blocks, which is the limit`);
}
