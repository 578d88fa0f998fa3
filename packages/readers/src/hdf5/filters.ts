/** Reverses the filters of a chunk, last one first. */

import { AcqError, decodeFailed, unsupported } from '../base/errors.js';
import { grouped } from '../base/wording.js';
import { BYTE_CODECS } from '../codecs/index.js';
import { decodeLz4Block } from '../codecs/lz4.js';
import { type OutputSize, resultMemory } from '../codecs/types.js';
import { unshuffle } from '../codecs/unshuffle.js';
import type { ChunkedLayout, Filter } from './layout.js';
import { decodeNbit, decodeScaleOffset } from './packed-values.js';

/** Decodes the stored bytes of a chunk. The result may be the stored memory. */
export type DecodeChunk = (stored: Uint8Array, mask: number, where: string) => Uint8Array;

type FilterStep = (data: Uint8Array, size: OutputSize) => Uint8Array;

/** Larger chunks are few, and a corrupted file can claim any size. */
const MAX_REUSED_BYTES = 16 * 2 ** 20;

/** Names of unsupported filters (registered filters of The HDF Group). */
const NAMES: Readonly<Record<number, string>> = {
  307: 'bzip2',
  32013: 'zfp',
  32019: 'jpeg',
  32026: 'blosc2',
};

/**
 * Returns the decoder of a dataset's chunks.
 * @param reuses results may be in memory that the next chunk overwrites
 * @throws AcqError `unsupported_format` that names the first unsupported filter
 */
export async function chunkDecoder(
  layout: Pick<ChunkedLayout, 'filters' | 'chunkBytes'>,
  what: string,
  reuses = false,
): Promise<DecodeChunk> {
  const steps: FilterStep[] = [];
  for (const filter of layout.filters) steps.push(await decoderOf(filter, what));
  const { chunkBytes } = layout;
  // Checksums that were added before compression make the content a little longer than the chunk.
  const size = { expected: chunkBytes, limit: chunkBytes + 64 };
  const canReuse = reuses && chunkBytes <= MAX_REUSED_BYTES;
  let memory: readonly Uint8Array[] = [];
  return (stored, mask, where) => {
    try {
      let data = stored;
      if (canReuse && memory.length === 0) memory = [new Uint8Array(size.limit), new Uint8Array(size.limit)];
      for (let i = steps.length - 1; i >= 0; i--) {
        if ((mask & (1 << i)) === 0) data = steps[i]!(data, { ...size, reuse: otherThan(data, memory) });
      }
      if (data.length !== chunkBytes) {
        throw decodeFailed(`decompressed to ${grouped(data.length)} bytes; expected ${grouped(chunkBytes)}`);
      }
      return data;
    } catch (error) {
      if (!(error instanceof AcqError)) throw error;
      throw error.restated(`${where}: ${error.statement}`);
    }
  };
}

/** Returns memory that a step can write while it reads `data`. */
function otherThan(data: Uint8Array, memory: readonly Uint8Array[]): Uint8Array | undefined {
  return memory.find(({ buffer }) => buffer !== data.buffer);
}

/** Checks that all filters are supported. @throws AcqError `unsupported_format` */
export function checkFilters(filters: readonly Filter[], what: string): void {
  for (const filter of filters) {
    if (!STEPS[filter.id]) throw unknownFilter(filter, what);
  }
}

function unknownFilter({ id, name }: Filter, what: string): AcqError {
  const label = NAMES[id] ?? (name || 'unknown');
  return unsupported(
    `${what}: compression with ${label.slice(0, 40)} (HDF5 filter ${id}) is not supported. ` +
      'Convert the file to gzip (h5repack -f GZIP=4).',
  );
}

async function decoderOf(filter: Filter, what: string): Promise<FilterStep> {
  const make = STEPS[filter.id];
  if (!make) throw unknownFilter(filter, what);
  return await make(filter);
}

const STEPS: Readonly<Record<number, (filter: Filter) => FilterStep | Promise<FilterStep>>> = {
  1: () => BYTE_CODECS.deflate(),
  2:
    ({ values }) =>
    (data, size) =>
      decodeShuffle(data, values[0] ?? 1, size),
  3: () => checkFletcher32,
  4: szip,
  5:
    ({ values }) =>
    (data, size) =>
      decodeNbit(data, values, size),
  6:
    ({ values }) =>
    (data, size) =>
      decodeScaleOffset(data, values, size),
  32000: () => BYTE_CODECS.lzf(),
  32001: () => BYTE_CODECS.blosc(),
  32004: () => decodeLz4Chunk,
  32008: bitshuffle,
  32015: () => BYTE_CODECS.zstd(),
};

/** Filter 4: u32 size, then the stream. The parameters are the options, and the sizes of blocks, samples and lines. */
async function szip({ values }: Filter): Promise<FilterStep> {
  const { decodeSzip } = await import('../codecs/szip.js');
  const [options = 0, samplesPerBlock = 0, bitsPerSample = 0, samplesPerLine = 0] = values;
  const isPredicted = (options & 32) !== 0;
  const bigEndian = (options & 16) !== 0;
  return (data, size) => {
    if (data.length < 4) throw decodeFailed('szip data are truncated');
    const bytes = new DataView(data.buffer, data.byteOffset, data.byteLength).getUint32(0, true);
    if (bytes > size.limit)
      throw decodeFailed(`szip data claim ${grouped(bytes)} bytes; expected ${grouped(size.expected)}`);
    return decodeSzip(
      data.subarray(4),
      { isPredicted, bigEndian, bitsPerSample, samplesPerBlock, samplesPerLine },
      bytes,
    );
  };
}

/** Filter 32008. The parameters are its version (two numbers), and the sizes of elements and blocks, and a compressor. */
async function bitshuffle({ values }: Filter): Promise<FilterStep> {
  const { decodeBitshuffle, decodeCompressedBitshuffle } = await import('../codecs/bitshuffle.js');
  const [, , elementBytes = 1, blockSize = 0, compressor = 0] = values;
  if (compressor === 0) return (data) => decodeBitshuffle(data, elementBytes, blockSize);
  if (compressor !== 2 && compressor !== 3) {
    throw unsupported(`bitshuffle with compressor ${compressor} is not supported (LZ4 and Zstandard are)`);
  }
  const zstd = compressor === 3 ? await BYTE_CODECS.zstd() : undefined;
  return (data, size) => decodeCompressedBitshuffle(data, elementBytes, size, zstd);
}

/** Chunks shorter than an element are not shuffled. */
function decodeShuffle(data: Uint8Array, elementBytes: number, size: OutputSize): Uint8Array {
  if (elementBytes < 2 || elementBytes > data.length) return data;
  const out = resultMemory(data.length, size);
  unshuffle(data, out, elementBytes);
  return out;
}

/**
 * Decodes LZ4 of HDF5 (filter 32004): u64 size, u32 size of a block, then for each block its stored size as u32 and its
 * data, uncompressed if that is shorter. All big-endian.
 */
function decodeLz4Chunk(data: Uint8Array, size: OutputSize): Uint8Array {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  if (data.length < 12) throw decodeFailed('LZ4 data are truncated inside their header');
  const total = Number(view.getBigUint64(0));
  const blockSize = view.getUint32(8);
  // LZ4 expands data at most 255-fold.
  if (total > size.limit || total > data.length * 255 || (blockSize === 0 && total > 0)) {
    throw decodeFailed(`LZ4 data decompress to ${grouped(total)} bytes; expected ${grouped(size.expected)}`);
  }
  const out = new Uint8Array(total);
  let at = 12;
  for (let done = 0; done < total; ) {
    const length = Math.min(blockSize, total - done);
    if (at + 4 > data.length) throw decodeFailed('LZ4 data are truncated before their last block');
    const stored = view.getUint32(at);
    at += 4;
    if (at + stored > data.length) throw decodeFailed('LZ4 data are truncated inside a block');
    if (stored === length) out.set(data.subarray(at, at + stored), done);
    else {
      const end = decodeLz4Block(data, at, at + stored, out, done, done + length);
      if (end !== done + length)
        throw decodeFailed(`LZ4 block decompressed to ${grouped(end - done)} bytes; expected ${grouped(length)}`);
    }
    at += stored;
    done += length;
  }
  return out;
}

/** Verifies and removes the Fletcher checksum in the last four bytes, computed over big-endian words of 16 bits. */
function checkFletcher32(data: Uint8Array): Uint8Array {
  if (data.length < 4) throw decodeFailed('is truncated inside its checksum');
  const body = data.subarray(0, data.length - 4);
  const stored = new DataView(data.buffer, data.byteOffset, data.byteLength).getUint32(body.length, true);
  const computed = fletcher32(body);
  // HDF5 before 1.6.3 stored the bytes of each half in reverse.
  const swapped = (((computed & 0x00ff00ff) << 8) | ((computed >>> 8) & 0x00ff00ff)) >>> 0;
  if (stored !== computed && stored !== swapped) throw decodeFailed('checksum mismatch; the data are corrupted');
  return body;
}

export function fletcher32(data: Uint8Array): number {
  let [low, high] = [0, 0];
  const even = data.length - (data.length % 2);
  for (let at = 0; at < even; ) {
    // 360 words are the most that the sums hold without overflow.
    for (const end = Math.min(even, at + 720); at < end; at += 2) {
      low += (data[at]! << 8) | data[at + 1]!;
      high += low;
    }
    low = (low & 0xffff) + Math.floor(low / 0x10000);
    high = (high & 0xffff) + Math.floor(high / 0x10000);
  }
  if (even < data.length) {
    low += data[even]! << 8;
    high += low;
    low = (low & 0xffff) + Math.floor(low / 0x10000);
    high = (high & 0xffff) + Math.floor(high / 0x10000);
  }
  low = (low & 0xffff) + Math.floor(low / 0x10000);
  high = (high & 0xffff) + Math.floor(high / 0x10000);
  return ((high << 16) | low) >>> 0;
}
