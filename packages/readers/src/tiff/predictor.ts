import type { SampleArray } from '../model/samples/types.js';
import { kernelHost } from '../simd/kernels.js';

/**
 * Undoes horizontal differencing (predictor 2, TIFF 6.0 section 14) in place: every sample is the sum of the differences
 * before it in its row, `stride` samples apart, and wraps at its width. Works on integers in host order, and on the bit
 * patterns of floats.
 */
export function undoDifferencing(words: SampleArray, rows: number, rowSamples: number, stride: number): void {
  if (words instanceof BigUint64Array || words instanceof BigInt64Array) {
    addBig(words, rows, rowSamples, stride);
    return;
  }
  const width = words.BYTES_PER_ELEMENT as 1 | 2 | 4;
  const kernels = stride === 1 && rows > 0 ? kernelHost.forSums(rowSamples * width) : undefined;
  if (!kernels) undoInTypeScript(words as Uint16Array, rows, rowSamples, stride);
  else kernels.sumRows(new Uint8Array(words.buffer, words.byteOffset, rows * rowSamples * width), width, rows);
}

/** Does the same where vectors are not available, for interleaved samples, and for rows that are very short or long. */
export function undoInTypeScript(values: Uint16Array, rows: number, rowSamples: number, stride: number): void {
  for (let r = 0; r < rows; r++) {
    const start = r * rowSamples;
    const end = start + rowSamples;
    if (stride === 1) {
      // Storing wraps; the running sum stays within 32 bits.
      let sum = 0;
      for (let i = start; i < end; i++) {
        sum = (sum + values[i]!) | 0;
        values[i] = sum;
      }
    } else {
      for (let i = start + stride; i < end; i++) values[i] = values[i]! + values[i - stride]!;
    }
  }
}

function addBig(values: BigUint64Array | BigInt64Array, rows: number, rowSamples: number, stride: number): void {
  for (let r = 0; r < rows; r++) {
    const end = (r + 1) * rowSamples;
    for (let i = r * rowSamples + stride; i < end; i++) {
      values[i] = values[i]! + values[i - stride]!;
    }
  }
}

/** Wraps sums at `bits` bits in place, for predictor 2 on unpacked samples. */
export function maskSamples(samples: SampleArray, bits: number): void {
  if (samples instanceof BigUint64Array || samples instanceof BigInt64Array) {
    for (let i = 0; i < samples.length; i++) samples[i] = BigInt.asUintN(bits, samples[i]!);
    return;
  }
  const mask = 2 ** bits - 1;
  for (let i = 0; i < samples.length; i++) samples[i] = samples[i]! & mask;
}

/**
 * Undoes the floating point predictor (3, Adobe TIFF Technical Note 3): differences of bytes `stride` apart, then byte
 * planes with the most significant first, in any byte order.
 * @param bytes `rows` × `rowSamples` values of `size` bytes; overwritten
 * @returns unsigned words in host order, or big-endian triples for 24-bit floats
 */
export function undoFloatPredictor(
  bytes: Uint8Array,
  size: number,
  rows: number,
  rowSamples: number,
  stride: number,
): SampleArray {
  const rowBytes = rowSamples * size;
  const out = new Uint8Array(rows * rowBytes);
  const bigEndian = size === 3;
  for (let r = 0; r < rows; r++) {
    const start = r * rowBytes;
    for (let i = start + stride; i < start + rowBytes; i++) {
      bytes[i] = bytes[i]! + bytes[i - stride]!;
    }
    for (let plane = 0; plane < size; plane++) {
      let from = start + plane * rowSamples;
      let to = start + (bigEndian ? plane : size - 1 - plane);
      for (let x = 0; x < rowSamples; x++, to += size) out[to] = bytes[from++]!;
    }
  }
  if (size === 2) return new Uint16Array(out.buffer);
  if (size === 4) return new Uint32Array(out.buffer);
  return size === 8 ? new BigUint64Array(out.buffer) : out;
}
