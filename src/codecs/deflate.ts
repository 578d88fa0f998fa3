import { constants, inflateSync } from 'node:zlib';
import { decodeFailed } from '../errors.js';
import { plain } from './plain.js';
import type { OutputSize } from './types.js';

/** Deflate expands at most 1032-fold. */
const MOST_EXPANSION = 1032;

/**
 * A zlib stream. A stream that was cut off yields what it holds (the caller counts); one that is damaged, or larger
 * than the limit, throws.
 */
export function decodeDeflate(data: Uint8Array, size: OutputSize): Uint8Array {
  // One output chunk of the expected size spares zlib the joining of many small ones.
  const chunkSize = Math.max(64, Math.min(size.expected, data.length * MOST_EXPANSION));
  try {
    const options = { chunkSize, maxOutputLength: Math.max(1, size.limit), finishFlush: constants.Z_SYNC_FLUSH };
    return plain(inflateSync(data, options));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') {
      throw decodeFailed(`deflate data hold more than the ${size.limit} bytes that have a place`, error);
    }
    const reason = error instanceof Error ? error.message : String(error);
    throw decodeFailed(`deflate data are damaged (${reason})`, error);
  }
}
