import { TAG } from '../../tiff/tags.js';
import type { TiffPage } from '../../tiff/types.js';

/** The uncompressed samples of a page whose strips follow each other without a gap. */
export interface ContiguousData {
  offset: number;
  /** Size of the samples in bytes. */
  bytes: number;
  /** Size of the strips in bytes: where the next plane starts if it follows directly. */
  stride: number;
}

/** Returns `undefined` for tiles, compressed data, and strips with gaps between them. */
export function contiguousData(page: TiffPage): ContiguousData | undefined {
  if (page.layout.compression !== 1 || page.layout.tiled || page.layout.colorDifferences) return undefined;
  const offsets = page.numbers(TAG.stripOffsets) ?? [];
  const counts = page.numbers(TAG.stripByteCounts) ?? [];
  const { width, height, bits, samplesPerPixel } = page.layout;
  const bytes = Math.ceil((width * samplesPerPixel * bits) / 8) * height;
  const offset = offsets[0];
  if (offset === undefined || bytes < 1) return undefined;
  for (let i = 1; i < offsets.length; i++) {
    if (offsets[i] !== offsets[i - 1]! + (counts[i - 1] ?? Number.NaN)) return undefined;
  }
  const end = offsets.at(-1)! + (counts.at(-1) ?? 0);
  return { offset, bytes, stride: Math.max(bytes, counts.length === offsets.length ? end - offset : bytes) };
}
