/** Shards: many chunks in one file, and an index of where they lie. Zarr sharding codec 1.0. */
import { decodeFailed } from '../../errors.js';
import { type ByteSource, checkRange } from '../../io/byte-source.js';
import { WindowSource } from '../../io/window-source.js';
import { checked } from './decode-chunk.js';
import type { Sharding } from './types.js';

const ENTRY = 16;
const CHECKSUM = 4;
const ABSENT = 2n ** 64n - 1n;

/** The index of one shard. Its entries are looked at when they are needed. */
export interface ShardIndex {
  bytes: Uint8Array;
}

/** @throws AcqError `decode_failed` */
export function readShardIndex(source: ByteSource, { index }: Sharding): ShardIndex {
  const size = index.entries * ENTRY + (index.checked ? CHECKSUM : 0);
  if (source.size < size) {
    throw decodeFailed(`has ${source.size} bytes, less than the ${size} of its index; it is cut off`);
  }
  const stored = source.read(index.atStart ? 0 : source.size - size, size);
  try {
    return { bytes: index.checked ? checked(stored) : stored };
  } catch (error) {
    throw decodeFailed('the index of the shard is damaged: its checksum (CRC-32C) is wrong', error);
  }
}

/**
 * The bytes of one chunk; `undefined` when the shard does not hold it.
 * @param entry number of the chunk in the order in which the index lists them
 */
export function chunkInShard(
  source: ByteSource,
  { bytes }: ShardIndex,
  { index }: Sharding,
  entry: number,
): ByteSource | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset + entry * ENTRY, ENTRY);
  const offset = view.getBigUint64(0, index.littleEndian);
  const size = view.getBigUint64(8, index.littleEndian);
  if (offset === ABSENT && size === ABSENT) return undefined;
  // Beyond 2^53 the numbers are inexact, and outside the shard by far.
  checkRange(`chunk ${entry} of the shard`, source.size, Number(offset), Number(size));
  return new WindowSource(`${source.name} (chunk ${entry})`, source, Number(offset), Number(size));
}
