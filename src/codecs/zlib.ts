import type { ZlibOptions } from 'node:zlib';
import { decodeFailed } from '../errors.js';
import { plain } from './plain.js';
import type { OutputSize } from './types.js';

/** Deflate expands data at most by this factor. */
const MAX_EXPANSION = 1032;

/**
 * Runs a decompressor of zlib within the size of its output.
 * @param name what messages call the data
 * @throws AcqError `decode_failed` for corrupted data and for more than the limit
 */
export function runZlib(
  decompress: (data: Uint8Array, options: ZlibOptions) => Buffer,
  name: string,
  data: Uint8Array,
  size: OutputSize,
  options: ZlibOptions = {},
): Uint8Array {
  // With one output chunk of the expected size, zlib need not join many small ones.
  const chunkSize = Math.max(64, Math.min(size.expected, data.length * MAX_EXPANSION));
  try {
    return plain(decompress(data, { chunkSize, maxOutputLength: Math.max(1, size.limit), ...options }));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') {
      throw decodeFailed(`${name} data decompress to more than the expected ${size.expected} bytes`, error);
    }
    const reason = error instanceof Error ? error.message : String(error);
    throw decodeFailed(`${name} data are corrupted (${reason})`, error);
  }
}
