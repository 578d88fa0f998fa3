import { constants, inflateSync } from 'node:zlib';
import type { OutputSize } from './types.js';
import { runZlib } from './zlib.js';

/**
 * Decodes a zlib stream. A truncated stream returns the bytes that it contains, which the caller counts.
 * @throws AcqError `decode_failed` for corrupted data and for more than the limit
 */
export function decodeDeflate(data: Uint8Array, size: OutputSize): Uint8Array {
  return runZlib(inflateSync, 'deflate', data, size, { finishFlush: constants.Z_SYNC_FLUSH });
}
