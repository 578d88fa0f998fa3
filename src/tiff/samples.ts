import type { SampleArray } from '../plane-target.js';
import { SAMPLE_ARRAYS } from '../plane-target.js';
import { float16ToFloat32, float24ToFloat32 } from './narrow-floats.js';
import { isPacked, unpackRows } from './packed-bits.js';
import type { PageLayout } from './types.js';

/** Typed arrays follow the machine; all common ones are little-endian. */
export const HOST_LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/**
 * Samples of whole rows from their stored bytes (decompressed, no predictor pending). `bytes` is used up: whole types
 * are swapped in place and viewed, not copied.
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

/** Unsigned words of 8, 16, 32 or 64 bits over `bytes`, swapped in place to the byte order of this machine. */
export function toHostWords(bytes: Uint8Array, bits: number, count: number, littleEndian: boolean): SampleArray {
  if (bits === 8) return bytes.subarray(0, count);
  const size = bits / 8;
  const aligned = bytes.byteOffset % size === 0 ? bytes : new Uint8Array(bytes);
  const memory = aligned.buffer as ArrayBuffer;
  const used = Buffer.from(memory, aligned.byteOffset, count * size);
  if (littleEndian !== HOST_LITTLE_ENDIAN) {
    if (size === 2) used.swap16();
    else if (size === 4) used.swap32();
    else used.swap64();
  }
  const Words = size === 2 ? Uint16Array : size === 4 ? Uint32Array : BigUint64Array;
  return new Words(memory, aligned.byteOffset, count);
}

/** The same memory as another type of the same width. */
export function viewAs(words: SampleArray, type: keyof typeof SAMPLE_ARRAYS): SampleArray {
  return new SAMPLE_ARRAYS[type](words.buffer as ArrayBuffer, words.byteOffset, words.length);
}

/** FillOrder 2: the lowest bit of every byte comes first. */
export function reverseBits(bytes: Uint8Array): void {
  for (let i = 0; i < bytes.length; i++) bytes[i] = REVERSED[bytes[i] as number] as number;
}

const REVERSED = Uint8Array.from({ length: 256 }, (_, byte) => {
  let out = 0;
  for (let bit = 0; bit < 8; bit++) if (byte & (1 << bit)) out |= 0x80 >> bit;
  return out;
});
