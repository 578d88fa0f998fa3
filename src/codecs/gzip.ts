import { unzipSync } from 'node:zlib';
import { decodeFailed } from '../errors.js';
import { plain } from './plain.js';
import type { ByteDecoder } from './types.js';

/** Deflate expands at most 1032-fold. */
const MOST_EXPANSION = 1032;

/** A whole gzip or zlib stream, told apart by its header (writers confuse them). One that was cut off throws. */
export const decodeGzip: ByteDecoder = (data, size) => {
  const chunkSize = Math.max(64, Math.min(size.expected, data.length * MOST_EXPANSION));
  try {
    return plain(unzipSync(data, { chunkSize, maxOutputLength: Math.max(1, size.limit) }));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') {
      throw decodeFailed(`gzip data hold more than the ${size.limit} bytes that have a place`, error);
    }
    throw decodeFailed(`gzip data are damaged (${error instanceof Error ? error.message : String(error)})`, error);
  }
};
