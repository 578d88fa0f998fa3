import { toHostWords, viewAs } from '../model/samples/host-words.js';
import { float16ToFloat32, float24ToFloat32 } from '../model/samples/narrow-floats.js';
import type { SampleArray } from '../model/samples/types.js';
import { isPacked, unpackRows } from './packed-bits.js';
import type { PageLayout } from './types.js';

/**
 * Converts the stored bytes of complete rows (decompressed, predictor undone) to samples. Overwrites `bytes`: whole types
 * are swapped in place and viewed instead of copied.
 * @param bytes `rows` × the bytes of a row, or more
 */
export function toSamples(
  bytes: Uint8Array,
  layout: PageLayout,
  littleEndian: boolean,
  rows: number,
  rowSamples: number,
): SampleArray {
  const { bits, sampleFormat, sampleType } = layout;
  if (sampleFormat === 'float' && bits === 24) return float24ToFloat32(bytes, rows * rowSamples, littleEndian);
  if (isPacked(layout)) return unpackRows(bytes, layout, rows, rowSamples);
  const words = toHostWords(bytes, bits, rows * rowSamples, littleEndian);
  if (sampleType === 'float16') return float16ToFloat32(words as Uint16Array);
  return viewAs(words, sampleType);
}

/** Reverses the bits of every byte in place, for FillOrder 2. */
export function reverseBits(bytes: Uint8Array): void {
  for (let i = 0; i < bytes.length; i++) bytes[i] = REVERSED[bytes[i]!]!;
}

const REVERSED = Uint8Array.from({ length: 256 }, (_, byte) => {
  let out = 0;
  for (let bit = 0; bit < 8; bit++) if (byte & (1 << bit)) out |= 0x80 >> bit;
  return out;
});
