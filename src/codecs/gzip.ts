import { unzipSync } from 'node:zlib';
import { decodeFailed } from '../errors.js';
import { plain } from './plain.js';
import type { ByteDecoder } from './types.js';

/** Deflate expands data at most by this factor. */
const MAX_EXPANSION = 1032;

/** Decodes a gzip or zlib stream, whichever its header says: writers confuse them. @throws AcqError `decode_failed`, also for a truncated stream */
export const decodeGzip: ByteDecoder = (data, size) => {
  const chunkSize = Math.max(64, Math.min(size.expected, data.length * MAX_EXPANSION));
  try {
    return plain(unzipSync(data, { chunkSize, maxOutputLength: Math.max(1, size.limit) }));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') {
      throw decodeFailed(`gzip data decompress to more than the expected ${size.expected} bytes`, error);
    }
    throw decodeFailed(`gzip data are corrupted (${error instanceof Error ? error.message : String(error)})`, error);
  }
};
