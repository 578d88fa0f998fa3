import type { TiffPage } from '../../tiff/types.js';

const STRIP_OFFSETS = 273;
const STRIP_BYTE_COUNTS = 279;

/** The uncompressed samples of a page whose strips follow each other without a gap. */
export interface ContiguousData {
  offset: number;
  /** Bytes of the samples. */
  bytes: number;
  /** Bytes of the strips: a plane that follows directly starts there. */
  stride: number;
}

/** `undefined` for tiles, compressed data, and strips that are apart. */
export function contiguousData(page: TiffPage): ContiguousData | undefined {
  if (page.layout.compression !== 1 || page.layout.tiled) return undefined;
  const offsets = page.numbers(STRIP_OFFSETS) ?? [];
  const counts = page.numbers(STRIP_BYTE_COUNTS) ?? [];
  const { width, height, bits, samplesPerPixel } = page.layout;
  const bytes = Math.ceil((width * samplesPerPixel * bits) / 8) * height;
  const offset = offsets[0];
  if (offset === undefined || bytes < 1) return undefined;
  for (let i = 1; i < offsets.length; i++) {
    if (offsets[i] !== (offsets[i - 1] as number) + (counts[i - 1] ?? Number.NaN)) return undefined;
  }
  const end = (offsets.at(-1) as number) + (counts.at(-1) ?? 0);
  return { offset, bytes, stride: Math.max(bytes, counts.length === offsets.length ? end - offset : bytes) };
}
