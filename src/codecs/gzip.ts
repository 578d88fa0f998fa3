import { unzipSync } from 'node:zlib';
import type { ByteDecoder } from './types.js';
import { runZlib } from './zlib.js';

/**
 * Decodes a gzip or zlib stream, whichever its header says: writers confuse them.
 * @throws AcqError `decode_failed` for corrupted data, a truncated stream included, and for more than the limit
 */
export const decodeGzip: ByteDecoder = (data, size) => runZlib(unzipSync, 'gzip', data, size);
