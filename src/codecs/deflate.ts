import { constants, inflateSync } from 'node:zlib';
import { decodeFailed } from '../errors.js';
import { plain } from './plain.js';
import type { OutputSize } from './types.js';

/** Deflate expands data at most by this factor. */
const MAX_EXPANSION = 1032;

/**
 * Decodes a zlib stream. A truncated stream returns the bytes that it contains, which the caller counts.
 * @throws AcqError `decode_failed` for corrupted data and for more than the limit
 */
export function decodeDeflate(data: Uint8Array, size: OutputSize): Uint8Array {
  // With one output chunk of the expected size, zlib need not join many small ones.
  const chunkSize = Math.max(64, Math.min(size.expected, data.length * MAX_EXPANSION));
  try {
    const options = { chunkSize, maxOutputLength: Math.max(1, size.limit), finishFlush: constants.Z_SYNC_FLUSH };
    return plain(inflateSync(data, options));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') {
      throw decodeFailed(`deflate data decompress to more than the expected ${size.expected} bytes`, error);
    }
    const reason = error instanceof Error ? error.message : String(error);
    throw decodeFailed(`deflate data are corrupted (${reason})`, error);
  }
}
