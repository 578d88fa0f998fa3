import * as zlib from 'node:zlib';
import type { Inflate, InflateJob } from '@acquisition-store/readers/base/platform.js';

/** Deflate expands data at most by this factor. */
const MAX_EXPANSION = 1032;
const MIN_CHUNK = 64;
const MAX_ZSTD_CHUNK = 2 ** 26;

/** Node has it since 22.15. */
type ZstdDecompress = (data: Uint8Array, options: { maxOutputLength: number; chunkSize: number }) => Uint8Array;
const zstdDecompress = (zlib as { zstdDecompressSync?: ZstdDecompress }).zstdDecompressSync;

const FUNCTIONS = { zlib: zlib.inflateSync, gzip: zlib.unzipSync, raw: zlib.inflateRawSync } as const;

/** zlib, which comes with Node. */
export const nodeInflate: Inflate = {
  inflate(data, job) {
    try {
      return plain(FUNCTIONS[job.wrapper](data, optionsOf(data, job)));
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') return 'too large';
      throw error;
    }
  },
  crc32: (bytes) => zlib.crc32(bytes),
  zstd:
    zstdDecompress &&
    ((data, { limit, expected }) => {
      const chunkSize = Math.max(MIN_CHUNK, Math.min(expected, MAX_ZSTD_CHUNK));
      return plain(zstdDecompress(data, { maxOutputLength: limit, chunkSize }));
    }),
};

function optionsOf(data: Uint8Array, { limit, expected, allowsTruncated }: InflateJob): zlib.ZlibOptions {
  return {
    maxOutputLength: Math.max(1, limit),
    // With one output chunk of the expected size, zlib need not join many small ones.
    ...(expected === undefined
      ? {}
      : { chunkSize: Math.max(MIN_CHUNK, Math.min(expected, data.length * MAX_EXPANSION)) }),
    ...(allowsTruncated ? { finishFlush: zlib.constants.Z_SYNC_FLUSH } : {}),
  };
}

/**
 * Returns the same memory as a plain array. `slice` of a Buffer shares memory, that of a Uint8Array copies it, and readers rely on
 * the copy.
 */
function plain(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}
