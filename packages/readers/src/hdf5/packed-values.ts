/** The nbit and scale-offset filters: values with fewer bits than their type, one behind the other, high bits first. */

import { decodeFailed, unsupported } from '../base/errors.js';
import { grouped } from '../base/wording.js';
import { BitReader } from '../codecs/bit-reader.js';
import type { OutputSize } from '../codecs/types.js';
import { swapBytes } from '../model/samples/swap.js';

type Words = Uint8Array | Uint16Array | Uint32Array | BigUint64Array;

/**
 * Decodes filter 5 (nbit) of numbers. HDF5 library, H5Znbit.c: the parameters are their count, whether every bit is used, the
 * number of elements, and of the type its class, bytes, byte order, bits, and the position of the lowest one.
 */
export function decodeNbit(data: Uint8Array, values: readonly number[], size: OutputSize): Uint8Array {
  const [, isPlain, count = 0, kind, bytes = 0, order, bits = 0, shift = 0] = values;
  if (isPlain === 1) return data;
  if (kind !== 1) throw unsupported('nbit compression of compound and array types is not supported');
  if (![1, 2, 4, 8].includes(bytes) || bits < 1 || bits + shift > bytes * 8) {
    throw decodeFailed(`nbit parameters are out of range: ${bits} of ${bytes * 8} bits`);
  }
  checkCount(count * bytes, size);
  const words = unpack(data, 0, bits, bytes, count);
  for (let i = 0; shift > 0 && i < words.length; i++) {
    if (words instanceof BigUint64Array) words[i] = words[i]! << BigInt(shift);
    else words[i] = words[i]! * 2 ** shift;
  }
  return toBytes(words, order === 1);
}

/** Where the packed values of a scale-offset chunk start. */
const HEADER_BYTES = 21;

/**
 * Decodes filter 6 (scale-offset). HDF5 library, H5Zscaleoffset.c: a chunk starts with the bits of a value and the smallest
 * value; the highest number that the bits can hold stands for the fill value.
 */
export function decodeScaleOffset(data: Uint8Array, values: readonly number[], size: OutputSize): Uint8Array {
  const [scaleType, factor = 0, count = 0, kind, bytes = 0, , order, hasFill] = values;
  const isFloat = kind === 1;
  if (![1, 2, 4, 8].includes(bytes) || kind === undefined || kind > 1 || (isFloat && bytes < 4)) {
    throw decodeFailed(`scale-offset parameters are out of range: class ${kind} of ${grouped(bytes)} bytes`);
  }
  // As many bits as the type has: the filter did nothing.
  if (!isFloat && factor === bytes * 8) return data;
  if (isFloat && scaleType !== 0) throw unsupported('scale-offset compression with a scale of bits is not supported');
  if (data.length < HEADER_BYTES) throw decodeFailed('scale-offset data are truncated');
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const bits = view.getUint32(0, true);
  checkCount(count * bytes, size);
  if (bits > bytes * 8) throw decodeFailed(`scale-offset data are corrupted: ${bits} bits in ${grouped(bytes)} bytes`);
  if (bits === bytes * 8) {
    if (data.length < HEADER_BYTES + count * bytes) throw decodeFailed('scale-offset data are truncated');
    const plain = new Uint8Array(data.subarray(HEADER_BYTES, HEADER_BYTES + count * bytes));
    if (order === 1) swapBytes(plain, bytes);
    return plain;
  }
  const words = bits === 0 ? allocate(bytes, count) : unpack(data, HEADER_BYTES, bits, bytes, count);
  const minimumBytes = Math.min(8, data[4]!);
  let minimum = 0n;
  for (let i = minimumBytes - 1; i >= 0; i--) minimum = (minimum << 8n) | BigInt(data[5 + i]!);
  const fill = hasFill === 1 ? fillOf(values, bytes) : undefined;
  if (isFloat) unscale(words as Uint32Array | BigUint64Array, bits, minimum, factor | 0, fill);
  else addMinimum(words, bits, minimum, fill);
  return toBytes(words, order === 1);
}

function checkCount(bytes: number, size: OutputSize): void {
  if (bytes > size.limit)
    throw decodeFailed(`the filter parameters claim ${grouped(bytes)} bytes; expected ${grouped(size.expected)}`);
}

/** The bits of the fill value, which the parameters hold in words of 32 bits, lowest first. */
function fillOf(values: readonly number[], bytes: number): bigint {
  const low = BigInt(values[8] ?? 0);
  return BigInt.asUintN(bytes * 8, bytes === 8 ? low | (BigInt(values[9] ?? 0) << 32n) : low);
}

/** Sums wrap around as those of the type do. */
function addMinimum(words: Words, bits: number, minimum: bigint, fill: bigint | undefined): void {
  if (words instanceof BigUint64Array) {
    const marker = 2n ** BigInt(bits) - 1n;
    for (let i = 0; i < words.length; i++) {
      words[i] = fill !== undefined && words[i] === marker ? fill : BigInt.asUintN(64, words[i]! + minimum);
    }
    return;
  }
  const marker = 2 ** bits - 1;
  const low = Number(BigInt.asUintN(32, minimum));
  const filler = fill === undefined ? undefined : Number(fill);
  for (let i = 0; i < words.length; i++)
    words[i] = filler !== undefined && words[i] === marker ? filler : words[i]! + low;
}

/** Decimal scaling of floats, in the precision of their type: value / 10^factor + minimum. */
function unscale(
  words: Uint32Array | BigUint64Array,
  bits: number,
  minimum: bigint,
  factor: number,
  fill: bigint | undefined,
): void {
  const marker = BigInt(2) ** BigInt(bits) - 1n;
  if (words instanceof BigUint64Array) {
    const out = new Float64Array(words.buffer, words.byteOffset, words.length);
    const lowest = new Float64Array(BigUint64Array.of(minimum).buffer)[0]!;
    const scale = 10 ** factor;
    for (let i = 0; i < words.length; i++) {
      if (fill !== undefined && words[i] === marker) words[i] = fill;
      else out[i] = Number(BigInt.asIntN(64, words[i]!)) / scale + lowest;
    }
    return;
  }
  const out = new Float32Array(words.buffer, words.byteOffset, words.length);
  const lowest = new Float32Array(Uint32Array.of(Number(BigInt.asUintN(32, minimum))).buffer)[0]!;
  const scale = Math.fround(10 ** factor);
  for (let i = 0; i < words.length; i++) {
    if (fill !== undefined && BigInt(words[i]!) === marker) words[i] = Number(fill);
    else out[i] = Math.fround(Math.fround(Math.fround(words[i]! | 0) / scale) + lowest);
  }
}

function allocate(bytes: number, count: number): Words {
  if (bytes === 8) return new BigUint64Array(count);
  return bytes === 4 ? new Uint32Array(count) : bytes === 2 ? new Uint16Array(count) : new Uint8Array(count);
}

function unpack(data: Uint8Array, start: number, bits: number, bytes: number, count: number): Words {
  if (data.length - start < Math.ceil((count * bits) / 8)) throw decodeFailed('packed values are truncated');
  const reader = new BitReader(data, start);
  const words = allocate(bytes, count);
  if (words instanceof BigUint64Array) {
    const high = Math.max(0, bits - 32);
    for (let i = 0; i < count; i++) {
      const upper = high > 0 ? BigInt(reader.read(high)) << 32n : 0n;
      words[i] = upper | BigInt(reader.read(bits - high));
    }
  } else for (let i = 0; i < count; i++) words[i] = reader.read(bits);
  return words;
}

function toBytes(words: Words, bigEndian: boolean): Uint8Array {
  const bytes = new Uint8Array(words.buffer as ArrayBuffer, words.byteOffset, words.byteLength);
  if (bigEndian) swapBytes(bytes, words.BYTES_PER_ELEMENT);
  return bytes;
}
