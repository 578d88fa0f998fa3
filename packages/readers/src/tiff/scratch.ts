import { decodeScratch } from '../codecs/scratch.js';
import { isPlain, rowBytes } from './chunk-table.js';
import { findCompression } from './compression.js';
import type { PageLayout } from './types.js';

/** Returns the bytes that reading a page takes beside its target: one decoded strip or tile, or a few small pieces. */
export function pageScratch(layout: PageLayout): number {
  const kind = findCompression(layout.compression)?.kind ?? 'none';
  const chunk = rowBytes(layout) * layout.chunkHeight;
  if (kind === 'none') return isPlain(layout) ? 0 : chunk;
  return decodeScratch(chunk, kind === 'image' || kind === 'old-jpeg' ? 'image' : 'bytes');
}
