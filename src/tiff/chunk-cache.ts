import type { SampleArray } from '../plane-target.js';

/** Samples of one decoded strip or tile. */
export interface DecodedChunk {
  samples: SampleArray;
  /** Samples from one row to the next. */
  rowStride: number;
}

/** Decoded bytes kept per open file. */
const CAPACITY = 32 * 2 ** 20;

/**
 * Decoded strips and tiles of interleaved pages, so that reading R, G and B one after the other decodes each strip
 * once. Oldest first out; belongs to one open file and ends with it.
 */
export class ChunkCache {
  private readonly chunks = new Map<string, DecodedChunk>();
  private bytes = 0;

  get(key: string): DecodedChunk | undefined {
    return this.chunks.get(key);
  }

  put(key: string, chunk: DecodedChunk): void {
    const { byteLength } = chunk.samples;
    if (byteLength > CAPACITY || this.chunks.has(key)) return;
    this.chunks.set(key, chunk);
    this.bytes += byteLength;
    for (const [oldest, dropped] of this.chunks) {
      if (this.bytes <= CAPACITY) break;
      this.chunks.delete(oldest);
      this.bytes -= dropped.samples.byteLength;
    }
  }
}
