import { decodeFailed, unsupported } from '../base/errors.js';
import { grouped } from '../base/wording.js';
import { kernelHost } from '../simd/kernels.js';
import { decodeBloscLz } from './blosclz.js';
import { decodeDeflate } from './deflate.js';
import { decodeLz4Block } from './lz4.js';
import { decodeSnappy } from './snappy.js';
import { type ByteDecoder, resultMemory } from './types.js';
import { bitUnshuffle, unshuffle } from './unshuffle.js';

/**
 * Decodes Blosc 1 chunks (c-blosc README_CHUNK_FORMAT): a header of 16 bytes, the offsets of the blocks, then blocks of one
 * stream, or of one stream for each byte of a sample.
 */
const HEADER = 16;
const FLAG = { shuffle: 1, stored: 2, bitShuffle: 4, notSplit: 16 } as const;
const CODECS = ['blosclz', 'lz4', 'snappy', 'zlib', 'zstd'] as const;
/** Upper bounds of what each codec can expand to, per byte. */
const MAX_EXPANSION = [256, 256, 64, 1100, 2 ** 17];
const MAX_SPLITS = 16;
const SMALLEST_SPLIT = 128;

interface BloscHeader {
  flags: number;
  codec: number;
  typeSize: number;
  size: number;
  blockSize: number;
  blocks: number;
}

/** Returns the decoder. @param zstd decodes the Zstandard streams inside */
export function bloscDecoder(zstd: ByteDecoder): ByteDecoder {
  return (data, outputSize) => {
    const header = parseHeader(data, outputSize.expected, outputSize.limit);
    const { flags, size, blockSize, blocks } = header;
    const out = resultMemory(size, outputSize);
    if ((flags & FLAG.stored) !== 0) {
      out.set(data.subarray(HEADER, HEADER + size));
      return out;
    }
    const shuffled = header.typeSize > 1 || (flags & FLAG.bitShuffle) !== 0;
    const isFiltered = shuffled && (flags & (FLAG.shuffle | FLAG.bitShuffle)) !== 0;
    const scratch = isFiltered ? kernelHost.scratch(data.length, blockSize) : undefined;
    for (let block = 0; block < blocks; block++) {
      const start = block * blockSize;
      const length = Math.min(blockSize, size - start);
      if (!scratch) decodeBlock(data, header, block, out, start, length, zstd);
      else {
        decodeBlock(data, header, block, scratch, 0, length, zstd);
        const restore = (flags & FLAG.bitShuffle) !== 0 ? bitUnshuffle : unshuffle;
        restore(scratch.subarray(0, length), out.subarray(start, start + length), header.typeSize);
      }
    }
    kernelHost.trim();
    return out;
  };
}

function parseHeader(data: Uint8Array, expected: number, limit: number): BloscHeader {
  if (data.length < HEADER)
    throw decodeFailed(`Blosc data are truncated inside their header (${grouped(data.length)} bytes)`);
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  const flags = view.getUint8(2);
  const size = view.getUint32(4, true);
  const blockSize = view.getUint32(8, true);
  const packed = view.getUint32(12, true);
  if (packed !== data.length)
    throw decodeFailed(`Blosc data are truncated: ${grouped(data.length)} of ${grouped(packed)} bytes`);
  if (size > limit)
    throw decodeFailed(`Blosc data decompress to ${grouped(size)} bytes; expected ${grouped(expected)}`);
  const codec = flags >> 5;
  if ((flags & FLAG.stored) !== 0) {
    if (data.length < HEADER + size) throw decodeFailed('Blosc data are truncated');
    return { flags, codec, typeSize: 1, size, blockSize, blocks: 0 };
  }
  if (codec >= CODECS.length) throw unsupported(`Blosc compression ${codec} is not supported`);
  const blocks = size === 0 ? 0 : blockSize === 0 ? -1 : Math.ceil(size / blockSize);
  const fits = blocks >= 0 && HEADER + blocks * 4 <= data.length && size <= data.length * MAX_EXPANSION[codec]!;
  if (!fits)
    throw decodeFailed(`Blosc data are corrupted: ${grouped(data.length)} bytes cannot decompress to ${grouped(size)}`);
  return { flags, codec, typeSize: Math.max(1, view.getUint8(3)), size, blockSize: Math.min(blockSize, size), blocks };
}

/** Decodes one block, still shuffled, into `out` from `start` on. */
function decodeBlock(
  data: Uint8Array,
  header: BloscHeader,
  block: number,
  out: Uint8Array,
  start: number,
  length: number,
  zstd: ByteDecoder,
): void {
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  const { typeSize, blockSize, flags, codec } = header;
  const whole = length === blockSize;
  const split =
    (flags & FLAG.notSplit) === 0 && typeSize <= MAX_SPLITS && blockSize / typeSize >= SMALLEST_SPLIT && whole;
  const streams = split ? typeSize : 1;
  // Every stream has the same size.
  if (length % streams !== 0) throw decodeFailed('Blosc data are corrupted: a block does not divide into its streams');
  const each = length / streams;
  let at = view.getUint32(HEADER + block * 4, true);
  for (let stream = 0; stream < streams; stream++) {
    if (at + 4 > data.length) throw decodeFailed(`Blosc data are truncated before block ${grouped(block)}`);
    const size = view.getInt32(at, true);
    at += 4;
    if (size < 0 || at + size > data.length)
      throw decodeFailed(`Blosc data are truncated inside block ${grouped(block)}`);
    const place = start + stream * each;
    if (size === each) out.set(data.subarray(at, at + size), place);
    else decodeStream(codec, data, at, at + size, out, place, place + each, zstd);
    at += size;
  }
}

function decodeStream(
  codec: number,
  data: Uint8Array,
  from: number,
  to: number,
  out: Uint8Array,
  start: number,
  end: number,
  zstd: ByteDecoder,
): void {
  const expected = end - start;
  const name = CODECS[codec];
  if (name === 'lz4') {
    if (decodeLz4Block(data, from, to, out, start, end) !== end)
      throw decodeFailed('LZ4 data in Blosc decompressed to less than expected');
    return;
  }
  const packed = data.subarray(from, to);
  if (name === 'blosclz') decodeBloscLz(packed, out, start, end);
  else if (name === 'snappy') decodeSnappy(packed, out, start, end);
  else {
    const reuse = out.subarray(start, end);
    const bytes = (name === 'zlib' ? decodeDeflate : zstd)(packed, { expected, limit: expected, reuse });
    if (bytes.length !== expected) throw decodeFailed(`${name} data in Blosc decompressed to less than expected`);
    if (bytes.buffer !== out.buffer) out.set(bytes, start);
  }
}
