/** Shuffle filters of Blosc, numcodecs and HDF5: bytes (or bits) of the same position of all samples are stored together. */

import { kernelHost } from '../simd/kernels.js';

/** Shorter data are not worth the copies. */
const MIN_BYTES = 1024;

/** Undoes a byte shuffle: byte `k` of sample `i` is at `k·m + i`, for m samples. The rest is copied. */
export function unshuffle(bytes: Uint8Array, out: Uint8Array, typeSize: number): void {
  const isCommon = typeSize === 2 || typeSize === 4 || typeSize === 8;
  const kernels = isCommon && bytes.length >= MIN_BYTES ? kernelHost.forBlock(0, bytes.length) : undefined;
  if (!kernels || !isCommon) {
    unshuffleInTypeScript(bytes, out, typeSize);
    return;
  }
  const count = Math.floor(bytes.length / typeSize);
  kernels.unshuffle(kernels.place(bytes), out, typeSize, count);
  out.set(bytes.subarray(count * typeSize), count * typeSize);
}

/** Does the same where vectors are not available, and for samples of other sizes. */
export function unshuffleInTypeScript(bytes: Uint8Array, out: Uint8Array, typeSize: number): void {
  const count = Math.floor(bytes.length / typeSize);
  if (typeSize === 2) unshuffle2(bytes, out, count);
  else if (typeSize === 4) unshuffle4(bytes, out, count);
  else {
    for (let k = 0; k < typeSize; k++) {
      for (let i = 0, from = k * count, to = k; i < count; i++, from++, to += typeSize) out[to] = bytes[from]!;
    }
  }
  out.set(bytes.subarray(count * typeSize), count * typeSize);
}

function unshuffle2(bytes: Uint8Array, out: Uint8Array, count: number): void {
  for (let i = 0, to = 0; i < count; i++, to += 2) {
    out[to] = bytes[i]!;
    out[to + 1] = bytes[count + i]!;
  }
}

function unshuffle4(bytes: Uint8Array, out: Uint8Array, count: number): void {
  const second = 2 * count;
  const third = 3 * count;
  for (let i = 0, to = 0; i < count; i++, to += 4) {
    out[to] = bytes[i]!;
    out[to + 1] = bytes[count + i]!;
    out[to + 2] = bytes[second + i]!;
    out[to + 3] = bytes[third + i]!;
  }
}

/**
 * Undoes a bit shuffle: bit `b` of byte `k` of all samples is in the plane `8·k + b`, first sample lowest. Blocks whose
 * number of samples is not a multiple of eight are not shuffled.
 */
export function bitUnshuffle(bytes: Uint8Array, out: Uint8Array, typeSize: number): void {
  const count = Math.floor(bytes.length / typeSize);
  if (count % 8 !== 0) {
    out.set(bytes);
    return;
  }
  const isCommon = typeSize === 1 || typeSize === 2 || typeSize === 4 || typeSize === 8;
  const kernels = isCommon && bytes.length >= MIN_BYTES ? kernelHost.forBlock(0, bytes.length) : undefined;
  if (kernels && isCommon) {
    kernels.unshuffleBits(kernels.place(bytes), out, typeSize, count);
    out.set(bytes.subarray(count * typeSize), count * typeSize);
  } else bitUnshuffleInTypeScript(bytes, out, typeSize);
}

/** Does the same for a multiple of eight samples where vectors are not available, and for samples of other sizes. */
export function bitUnshuffleInTypeScript(bytes: Uint8Array, out: Uint8Array, typeSize: number): void {
  const count = Math.floor(bytes.length / typeSize);
  const plane = count / 8;
  for (let k = 0; k < typeSize; k++) {
    for (let group = 0; group < plane; group++) {
      transpose8(bytes, k * 8 * plane + group, plane, out, group * 8 * typeSize + k, typeSize);
    }
  }
  out.set(bytes.subarray(count * typeSize), count * typeSize);
}

/** Transposes 8 × 8 bits (Hacker's Delight, 7-3): rows `step` apart become bytes `outStep` apart. */
function transpose8(bytes: Uint8Array, at: number, step: number, out: Uint8Array, to: number, outStep: number): void {
  const b = (row: number) => bytes[at + row * step]!;
  // Row 7 in the highest byte, so that the lowest bit of every row comes out first.
  let x = (b(7) << 24) | (b(6) << 16) | (b(5) << 8) | b(4);
  let y = (b(3) << 24) | (b(2) << 16) | (b(1) << 8) | b(0);
  let t = (x ^ (x >>> 7)) & 0x00aa00aa;
  x = x ^ t ^ (t << 7);
  t = (y ^ (y >>> 7)) & 0x00aa00aa;
  y = y ^ t ^ (t << 7);
  t = (x ^ (x >>> 14)) & 0x0000cccc;
  x = x ^ t ^ (t << 14);
  t = (y ^ (y >>> 14)) & 0x0000cccc;
  y = y ^ t ^ (t << 14);
  t = (x & 0xf0f0f0f0) | ((y >>> 4) & 0x0f0f0f0f);
  y = ((x << 4) & 0xf0f0f0f0) | (y & 0x0f0f0f0f);
  x = t;
  for (let i = 0; i < 4; i++) {
    out[to + i * outStep] = (y >>> (8 * i)) & 255;
    out[to + (i + 4) * outStep] = (x >>> (8 * i)) & 255;
  }
}
