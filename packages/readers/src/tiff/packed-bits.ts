import type { SampleArray } from '../model/samples/types.js';
import { allocateSamples } from '../model/samples/types.js';
import type { PageLayout } from './types.js';

/** True for integers of other widths than whole types. They are packed most significant bit first in any byte order. */
export function isPacked(layout: PageLayout): boolean {
  const { bits } = layout;
  return layout.sampleFormat !== 'float' && bits !== 8 && bits !== 16 && bits !== 32 && bits !== 64;
}

/** Unpacks rows, which start at byte boundaries (TIFF 6.0: 3 × 12 bits are 5 bytes), to the next whole type. */
export function unpackRows(bytes: Uint8Array, layout: PageLayout, rows: number, rowSamples: number): SampleArray {
  const { bits, sampleFormat, sampleType } = layout;
  const out = allocateSamples(sampleType, rows * rowSamples);
  const rowBytes = Math.ceil((rowSamples * bits) / 8);
  const unpack = chooseUnpacker(bits);
  for (let r = 0; r < rows; r++) {
    const row = bytes.subarray(r * rowBytes, (r + 1) * rowBytes);
    unpack(row, out.subarray(r * rowSamples, (r + 1) * rowSamples) as SampleArray, bits);
  }
  if (sampleFormat === 'int') extendSign(out, bits);
  return out;
}

type Unpack = (row: Uint8Array, out: SampleArray, bits: number) => void;

function chooseUnpacker(bits: number): Unpack {
  if (bits === 12) return unpack12 as Unpack;
  if (bits === 10) return unpack10 as Unpack;
  if (bits === 14) return unpack14 as Unpack;
  if (bits <= 24) return unpackUpTo24 as Unpack;
  return bits < 32 ? (unpackUpTo31 as Unpack) : (unpackBig as Unpack);
}

function unpack12(row: Uint8Array, out: Uint16Array): void {
  const even = out.length & ~1;
  let p = 0;
  for (let i = 0; i < even; i += 2, p += 3) {
    const middle = row[p + 1]!;
    out[i] = (row[p]! << 4) | (middle >> 4);
    out[i + 1] = ((middle & 15) << 8) | row[p + 2]!;
  }
  if (even < out.length) out[even] = (row[p]! << 4) | (row[p + 1]! >> 4);
}

function unpack10(row: Uint8Array, out: Uint16Array): void {
  const whole = out.length & ~3;
  let p = 0;
  for (let i = 0; i < whole; i += 4, p += 5) {
    const b = row[p + 1]!;
    const c = row[p + 2]!;
    const d = row[p + 3]!;
    out[i] = (row[p]! << 2) | (b >> 6);
    out[i + 1] = ((b & 63) << 4) | (c >> 4);
    out[i + 2] = ((c & 15) << 6) | (d >> 2);
    out[i + 3] = ((d & 3) << 8) | row[p + 4]!;
  }
  unpackUpTo24(row.subarray(p), out.subarray(whole), 10);
}

function unpack14(row: Uint8Array, out: Uint16Array): void {
  const whole = out.length & ~3;
  let p = 0;
  for (let i = 0; i < whole; i += 4, p += 7) {
    const b = row[p + 1]!;
    const d = row[p + 3]!;
    const f = row[p + 5]!;
    out[i] = (row[p]! << 6) | (b >> 2);
    out[i + 1] = ((b & 3) << 12) | (row[p + 2]! << 4) | (d >> 4);
    out[i + 2] = ((d & 15) << 10) | (row[p + 4]! << 2) | (f >> 6);
    out[i + 3] = ((f & 63) << 8) | row[p + 6]!;
  }
  unpackUpTo24(row.subarray(p), out.subarray(whole), 14);
}

/** The accumulator has at most 24 + 7 bits, which is safe for 32-bit operators. */
function unpackUpTo24(row: Uint8Array, out: Uint16Array, bits: number): void {
  const mask = (1 << bits) - 1;
  let pending = 0;
  let filled = 0;
  let p = 0;
  for (let i = 0; i < out.length; i++) {
    while (filled < bits) {
      pending = ((pending << 8) | row[p++]!) & 0x7fffffff;
      filled += 8;
    }
    filled -= bits;
    out[i] = (pending >>> filled) & mask;
  }
}

/** The accumulator has at most 31 + 7 bits, which is exact in a double. */
function unpackUpTo31(row: Uint8Array, out: Uint32Array, bits: number): void {
  let pending = 0;
  let filled = 0;
  let p = 0;
  for (let i = 0; i < out.length; i++) {
    while (filled < bits) {
      pending = pending * 256 + row[p++]!;
      filled += 8;
    }
    filled -= bits;
    const scale = 2 ** filled;
    const value = Math.floor(pending / scale);
    out[i] = value;
    pending -= value * scale;
  }
}

function unpackBig(row: Uint8Array, out: BigUint64Array, bits: number): void {
  const width = BigInt(bits);
  let pending = 0n;
  let filled = 0n;
  let p = 0;
  for (let i = 0; i < out.length; i++) {
    while (filled < width) {
      pending = (pending << 8n) | BigInt(row[p++]!);
      filled += 8n;
    }
    filled -= width;
    out[i] = pending >> filled;
    pending &= (1n << filled) - 1n;
  }
}

/** Extends the sign of two's complement values of `bits` bits, in place. */
export function extendSign(samples: SampleArray, bits: number): void {
  if (samples instanceof BigInt64Array || samples instanceof BigUint64Array) {
    for (let i = 0; i < samples.length; i++) samples[i] = BigInt.asIntN(bits, samples[i]!);
    return;
  }
  const shift = 32 - bits;
  for (let i = 0; i < samples.length; i++) samples[i] = (samples[i]! << shift) >> shift;
}
