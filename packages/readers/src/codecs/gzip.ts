import { platform } from '../base/platform.js';
import { decodeWhole, inflater, keepInflated } from './deflate.js';
import type { ByteDecoder, OutputSize } from './types.js';
import { inflateByPlatform } from './zlib.js';

const HEADER = 10;
const TRAILER = 8;

/**
 * Decodes a gzip or zlib stream, whichever its header says: writers confuse them.
 * @throws AcqError `decode_failed` for corrupted data, a truncated stream included, and for more than the limit
 */
export const decodeGzip: ByteDecoder = (data, size) =>
  decodeMember(data, size) ?? decodeWhole(data, size) ?? inflateByPlatform('gzip', data, size, { wrapper: 'gzip' });

/** Decodes one gzip member (RFC 1952) with nothing around it, whose checksum is right; nothing for other data. */
function decodeMember(data: Uint8Array, size: OutputSize): Uint8Array | undefined {
  const [first, second, method, flags] = data;
  if (first !== 0x1f || second !== 0x8b || method !== 8 || flags !== 0) return undefined;
  const inflated = inflater.inflate(data, HEADER, size.expected);
  if (!inflated) return undefined;
  const { bytes, used } = inflated;
  if (used + TRAILER !== data.length) return undefined;
  const trailer = new DataView(data.buffer, data.byteOffset + used, TRAILER);
  if (trailer.getUint32(0, true) !== platform().inflate.crc32(bytes) || trailer.getUint32(4, true) !== bytes.length)
    return undefined;
  return keepInflated(bytes, size);
}
