import { concat } from '@acquisition-store/readers/base/bytes.js';
import type { Samples } from '../model/samples.ts';

const LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/** Returns samples or numbers as little-endian bytes of their own type, without a copy on little-endian machines. */
export function littleEndianBytes(samples: Samples | Uint32Array | Float64Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(samples.buffer as ArrayBuffer, samples.byteOffset, samples.byteLength);
  const width = samples.BYTES_PER_ELEMENT;
  if (LITTLE_ENDIAN || width === 1) return bytes;
  const swapped = bytes.slice();
  for (let at = 0; at < swapped.length; at += width) swapped.subarray(at, at + width).reverse();
  return swapped;
}

export type BytesPart = readonly number[] | Uint8Array;

/** Numbers of two bytes, of which the highest comes first. */
export const u16 = (...values: readonly number[]) => values.flatMap((value) => [(value >>> 8) & 255, value & 255]);

/** Numbers of four bytes, of which the highest comes first. */
export const u32 = (...values: readonly number[]) =>
  values.flatMap((value) => [(value >>> 24) & 255, (value >>> 16) & 255, (value >>> 8) & 255, value & 255]);

/** Joins parts of a file. */
export function bytesOf(...parts: readonly BytesPart[]): Uint8Array<ArrayBuffer> {
  return concat(parts);
}
