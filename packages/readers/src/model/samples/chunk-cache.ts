import { ByteCache } from './byte-cache.js';
import type { SampleArray } from './types.js';

/** Samples of one decoded strip, tile or subblock. */
export interface DecodedChunk {
  samples: SampleArray;
  /** Samples from one row to the next. */
  rowStride: number;
}

/** Bytes of decoded chunks kept per open file. */
const CAPACITY = 32 * 2 ** 20;

/** Decoded chunks of one open file, so that reading R, G and B one after the other decodes each chunk once. */
export type ChunkCache<Chunk = DecodedChunk> = ByteCache<string, Chunk>;

export function createChunkCache<Chunk extends { samples: SampleArray } = DecodedChunk>(): ChunkCache<Chunk> {
  return new ByteCache(CAPACITY, ({ samples }) => samples.byteLength);
}
