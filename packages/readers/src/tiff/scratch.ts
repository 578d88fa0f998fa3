import { decodeScratch } from '../codecs/scratch.js';
import { SAMPLE_ARRAYS } from '../model/samples/types.js';
import { isPlain, rowBytes, rowSamples } from './chunk-table.js';
import { findCompression } from './compression.js';
import type { PageLayout } from './types.js';

/** Returns the bytes that reading a page takes beside its target: one decoded strip or tile, or a few small pieces. */
export function pageScratch(layout: PageLayout): number {
  const kind = findCompression(layout.compression)?.kind ?? 'none';
  // Bits that are packed become a sample of one byte or more each.
  const unpacked = SAMPLE_ARRAYS[layout.sampleType].BYTES_PER_ELEMENT * rowSamples(layout);
  const chunk = Math.max(rowBytes(layout), unpacked) * layout.chunkHeight;
  if (kind === 'none') return isPlain(layout) ? 0 : chunk;
  return decodeScratch(chunk, kind === 'image' || kind === 'old-jpeg' ? 'image' : 'bytes');
}
