import type { SampleArray } from '../plane-target.js';

/** Decoded bytes kept per open file. */
const CAPACITY = 32 * 2 ** 20;

/**
 * Decoded strips and tiles of interleaved pages, so that reading R, G and B one after the other decodes each strip
 * once. Oldest first out; belongs to one open file and ends with it.
 */
export class ChunkCache {
  private readonly chunks = new Map<string, SampleArray>();
  private bytes = 0;

  get(key: string): SampleArray | undefined {
    return this.chunks.get(key);
  }

  put(key: string, samples: SampleArray): void {
    if (samples.byteLength > CAPACITY || this.chunks.has(key)) return;
    this.chunks.set(key, samples);
    this.bytes += samples.byteLength;
    for (const [oldest, dropped] of this.chunks) {
      if (this.bytes <= CAPACITY) break;
      this.chunks.delete(oldest);
      this.bytes -= dropped.byteLength;
    }
  }
}
