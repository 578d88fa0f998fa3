import { type FlateError, FlateErrorCode, Inflate as Stream } from 'fflate';
import { concat } from '../base/bytes.js';
import { crc32 } from '../base/crc32.js';
import type { Inflate, InflateJob } from '../base/platform.js';

/** Bytes of input that are unpacked before the limit is checked: at most 16 MiB of output. */
const PIECE = 16_384;

/** fflate, because the streams of pages cannot be read synchronously. */
export const pageInflate: Inflate = {
  inflate(data, job) {
    if (data.length === 0) throw new Error('unexpected end of file');
    const { start, isIntact } = parseWrapper(data, job.wrapper);
    const stream = data.subarray(start);
    const bytes = unpack(stream, job.limit, 'whole');
    if (bytes === 'too large') return bytes;
    if (bytes === 'truncated') {
      if (!job.allowsTruncated) throw new Error('unexpected end of file');
      const part = unpack(stream, job.limit, 'part');
      return part === 'truncated' ? new Uint8Array() : part;
    }
    if (isIntact(bytes) || (job.allowsTruncated && lacksChecksum(stream, job.limit))) return bytes;
    throw new Error('incorrect data check');
  },
  crc32,
};

/**
 * @param extent `part`: a stream that ends early yields the bytes that it contains
 * @throws Error for corrupted data
 */
function unpack(stream: Uint8Array, limit: number, extent: 'whole' | 'part'): Uint8Array | 'too large' | 'truncated' {
  const pieces: Uint8Array[] = [];
  let size = 0;
  const inflate = new Stream((piece) => {
    pieces.push(piece);
    size += piece.length;
  });
  for (let at = 0; at < stream.length; at += PIECE) {
    const isLast = at + PIECE >= stream.length;
    try {
      inflate.push(stream.subarray(at, at + PIECE), isLast && extent === 'whole');
    } catch (error) {
      if ((error as FlateError).code === FlateErrorCode.UnexpectedEOF) return 'truncated';
      throw error;
    }
    if (size > limit) return 'too large';
  }
  return pieces.length === 1 ? pieces[0]! : concat(pieces);
}

/** True for a stream that ends so late that its checksum, of four bytes, is truncated. */
function lacksChecksum(stream: Uint8Array, limit: number): boolean {
  return stream.length < 4 || unpack(stream.subarray(0, -4), limit, 'whole') === 'truncated';
}

interface Wrapped {
  /** Where the stream of deflate starts. */
  start: number;
  /** False when the checksum behind the stream is another one. */
  isIntact: (bytes: Uint8Array) => boolean;
}

function parseWrapper(data: Uint8Array, wrapper: InflateJob['wrapper']): Wrapped {
  if (wrapper === 'raw') return { start: 0, isIntact: () => true };
  if (wrapper === 'gzip' && data[0] === 0x1f && data[1] === 0x8b)
    return { start: endOfGzipHeader(data), isIntact: () => true };
  const [first = 0, second = 0] = data;
  if ((first & 15) !== 8 || ((first << 8) | second) % 31 !== 0 || second & 32)
    throw new Error('incorrect header check');
  // At the end, but for padding behind it, which is ignored.
  return { start: 2, isIntact: (bytes) => contains(data, adler32(bytes)) };
}

function contains(data: Uint8Array, word: number): boolean {
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  for (let at = data.length - 4; at >= 2; at--) if (view.getUint32(at) === word) return true;
  return false;
}

/** RFC 1952, 2.3. The reader of gzip checks what follows the stream. */
function endOfGzipHeader(data: Uint8Array): number {
  const flags = data[3] ?? 0;
  let at = 10;
  if (flags & 4) at += 2 + (data[at] ?? 0) + 256 * (data[at + 1] ?? 0);
  const skipText = () => {
    const end = data.indexOf(0, at);
    at = end < 0 ? data.length : end + 1;
  };
  if (flags & 8) skipText();
  if (flags & 16) skipText();
  if (flags & 2) at += 2;
  return at;
}

/** Sums of so many bytes fit in 32 bits. */
const ADLER_BYTES = 3_800;

function adler32(bytes: Uint8Array): number {
  let [low, high] = [1, 0];
  for (let at = 0; at < bytes.length; ) {
    for (const end = Math.min(bytes.length, at + ADLER_BYTES); at < end; at++) {
      low += bytes[at]!;
      high += low;
    }
    low %= 65_521;
    high %= 65_521;
  }
  return high * 65_536 + low;
}
