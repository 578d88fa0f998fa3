/** Shards contain many chunks and an index (Zarr sharding codec 1.0). */
import { decodeFailed } from '../../base/errors.js';
import { grouped } from '../../base/wording.js';
import { type ByteSource, rangeProblem } from '../../io/byte-source.js';
import { WindowSource } from '../../io/window-source.js';
import { verifyChecksum } from './decode-chunk.js';
import type { Sharding } from './types.js';

const ENTRY_BYTES = 16;
const CHECKSUM_BYTES = 4;
const ABSENT = 2n ** 64n - 1n;

/** The index of one shard. Its entries are read on use. */
export interface ShardIndex {
  bytes: Uint8Array;
}

/** Reads and verifies the index of a shard. @throws AcqError `decode_failed` */
export function readShardIndex(source: ByteSource, { index }: Sharding): ShardIndex {
  const size = index.entries * ENTRY_BYTES + (index.checked ? CHECKSUM_BYTES : 0);
  if (source.size < size) {
    throw decodeFailed(`is truncated: ${grouped(source.size)} bytes, and its index alone has ${grouped(size)}`);
  }
  const stored = source.read(index.atStart ? 0 : source.size - size, size);
  try {
    return { bytes: index.checked ? verifyChecksum(stored) : stored };
  } catch (error) {
    throw decodeFailed('checksum mismatch (CRC-32C) in the index of the shard; the data are corrupted', error);
  }
}

/**
 * Opens one chunk; `undefined` when the shard does not contain it.
 * @param entry position of the chunk in the index
 */
export function chunkInShard(
  source: ByteSource,
  { bytes }: ShardIndex,
  { index }: Sharding,
  entry: number,
): ByteSource | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset + entry * ENTRY_BYTES, ENTRY_BYTES);
  const offset = view.getBigUint64(0, index.littleEndian);
  const size = view.getBigUint64(8, index.littleEndian);
  if (offset === ABSENT && size === ABSENT) return undefined;
  // Numbers above 2^53 are inexact, but far outside any shard.
  const problem = rangeProblem(source.size, Number(offset), Number(size));
  if (problem !== undefined) throw decodeFailed(`chunk ${grouped(entry)} of the shard: ${problem}`);
  return new WindowSource(`${source.name} (chunk ${entry})`, source, Number(offset), Number(size));
}
