import { Inflater } from '../simd/inflater.js';
import { type OutputSize, resultMemory } from './types.js';
import { inflateByPlatform } from './zlib.js';

const HEADER = 2;
const CHECKSUM = 4;

/** Shared by the formats that contain deflate: each thread has one. */
export const inflater = new Inflater();

/**
 * Decodes a zlib stream. A truncated stream returns the bytes that it contains, which the caller counts.
 * @throws AcqError `decode_failed` for corrupted data and for more than the limit
 */
export function decodeDeflate(data: Uint8Array, size: OutputSize): Uint8Array {
  return (
    decodeWhole(data, size) ?? inflateByPlatform('deflate', data, size, { wrapper: 'zlib', allowsTruncated: true })
  );
}

/**
 * Decodes a zlib stream (RFC 1950) that is complete, and whose checksum is right.
 * @returns nothing for any other, about which zlib can tell more
 */
export function decodeWhole(data: Uint8Array, size: OutputSize): Uint8Array | undefined {
  if (!isZlib(data)) return undefined;
  const inflated = inflater.inflate(data, HEADER, size.expected);
  if (!inflated) return undefined;
  const { bytes, used } = inflated;
  if (used + CHECKSUM > data.length) return undefined;
  const checksum = new DataView(data.buffer, data.byteOffset, data.length).getUint32(used);
  if (inflater.adler32(bytes) !== checksum) return undefined;
  return keepInflated(bytes, size);
}

/** Copies a result from the memory of the decoder. */
export function keepInflated(bytes: Uint8Array, size: OutputSize): Uint8Array {
  const kept = resultMemory(bytes.length, size);
  kept.set(bytes);
  inflater.trim();
  return kept;
}

/** True for the header of deflate without a dictionary. */
function isZlib([method = 0, flags = 0]: Uint8Array): boolean {
  return (method & 15) === 8 && method >> 4 <= 7 && (flags & 32) === 0 && (method * 256 + flags) % 31 === 0;
}
