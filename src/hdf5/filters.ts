/** Undoes the filters of a chunk, last one first. */
import { BYTE_CODECS } from '../codecs/index.js';
import { decodeLz4Block } from '../codecs/lz4.js';
import type { OutputSize } from '../codecs/types.js';
import { unshuffle } from '../codecs/unshuffle.js';
import { AcqError, decodeFailed, unsupported } from '../errors.js';
import type { ChunkedLayout, Filter } from './layout.js';
import { decodeNbit, decodeScaleOffset } from './packed-values.js';

/** Stored bytes of a chunk → its bytes without filters. The result may be the stored memory. */
export type DecodeChunk = (stored: Uint8Array, mask: number, where: string) => Uint8Array;

type Undo = (data: Uint8Array, size: OutputSize) => Uint8Array;

/** Filters that are known by name but not undone (registered filters of The HDF Group). */
const NAMES: Readonly<Record<number, string>> = {
  307: 'bzip2',
  32013: 'zfp',
  32019: 'jpeg',
  32026: 'blosc2',
};

/** @throws AcqError `unsupported_format` naming the first filter that cannot be undone */
export async function chunkDecoder(
  layout: Pick<ChunkedLayout, 'filters' | 'chunkBytes'>,
  what: string,
): Promise<DecodeChunk> {
  const steps: Undo[] = [];
  for (const filter of layout.filters) steps.push(await undoOf(filter, what));
  const { chunkBytes } = layout;
  // Checksums that were added before the compression make its content a little longer than the chunk.
  const size = { expected: chunkBytes, limit: chunkBytes + 64 };
  return (stored, mask, where) => {
    try {
      let data = stored;
      for (let i = steps.length - 1; i >= 0; i--) {
        if ((mask & (1 << i)) === 0) data = (steps[i] as Undo)(data, size);
      }
      if (data.length !== chunkBytes) {
        throw decodeFailed(`holds ${data.length} bytes instead of ${chunkBytes}; it is damaged`);
      }
      return data;
    } catch (error) {
      if (!(error instanceof AcqError)) throw error;
      throw new AcqError(error.code, `${where}: ${error.message}`, { cause: error });
    }
  };
}

/** @throws AcqError `unsupported_format` */
export function checkFilters(filters: readonly Filter[], what: string): void {
  for (const filter of filters) {
    if (!UNDO[filter.id]) throw unknownFilter(filter, what);
  }
}

function unknownFilter({ id, name }: Filter, what: string): AcqError {
  const label = NAMES[id] ?? (name || 'unknown');
  return unsupported(
    `${what}: is compressed with ${label.slice(0, 40)} (HDF5 filter ${id}), which is not read here; ` +
      'write it again with gzip (h5repack -f GZIP=4)',
  );
}

async function undoOf(filter: Filter, what: string): Promise<Undo> {
  const make = UNDO[filter.id];
  if (!make) throw unknownFilter(filter, what);
  return await make(filter);
}

const UNDO: Readonly<Record<number, (filter: Filter) => Undo | Promise<Undo>>> = {
  1: () => BYTE_CODECS.deflate(),
  2:
    ({ values }) =>
    (data) =>
      undoShuffle(data, values[0] ?? 1),
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
async function szip({ values }: Filter): Promise<Undo> {
  const { decodeSzip } = await import('../codecs/szip.js');
  const [options = 0, samplesPerBlock = 0, bitsPerSample = 0, samplesPerLine = 0] = values;
  const isPredicted = (options & 32) !== 0;
  const bigEndian = (options & 16) !== 0;
  return (data, size) => {
    if (data.length < 4) throw decodeFailed('szip data are truncated');
    const bytes = new DataView(data.buffer, data.byteOffset, data.byteLength).getUint32(0, true);
    if (bytes > size.limit) throw decodeFailed(`szip data claim ${bytes} bytes; expected ${size.expected}`);
    return decodeSzip(
      data.subarray(4),
      { isPredicted, bigEndian, bitsPerSample, samplesPerBlock, samplesPerLine },
      bytes,
    );
  };
}

/** Filter 32008. The parameters are its version (two numbers), and the sizes of elements and blocks, and a compressor. */
async function bitshuffle({ values }: Filter): Promise<Undo> {
  const { decodeBitshuffle, decodeCompressedBitshuffle } = await import('../codecs/bitshuffle.js');
  const [, , elementBytes = 1, blockSize = 0, compressor = 0] = values;
  if (compressor === 0) return (data) => decodeBitshuffle(data, elementBytes, blockSize);
  if (compressor !== 2 && compressor !== 3) {
    throw unsupported(`bitshuffle with compressor ${compressor} is not supported (LZ4 and Zstandard are)`);
  }
  const zstd = compressor === 3 ? await BYTE_CODECS.zstd() : undefined;
  return (data, size) => decodeCompressedBitshuffle(data, elementBytes, size, zstd);
}

/** Chunks shorter than an element are left as they are. */
function undoShuffle(data: Uint8Array, elementBytes: number): Uint8Array {
  if (elementBytes < 2 || elementBytes > data.length) return data;
  const out = new Uint8Array(data.length);
  unshuffle(data, out, elementBytes);
  return out;
}

/**
 * LZ4 as HDF5 has it (filter 32004): u64 size, u32 size of a block, then for each block u32 bytes and the block, stored
 * as it is when it would not get smaller. All big-endian.
 */
function decodeLz4Chunk(data: Uint8Array, size: OutputSize): Uint8Array {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  if (data.length < 12) throw decodeFailed('LZ4 data end inside their header');
  const total = Number(view.getBigUint64(0));
  const blockSize = view.getUint32(8);
  // 255 is what LZ4 can expand by.
  if (total > size.limit || total > data.length * 255 || (blockSize === 0 && total > 0)) {
    throw decodeFailed(`LZ4 data claim ${total} bytes where ${size.expected} are expected`);
  }
  const out = new Uint8Array(total);
  let at = 12;
  for (let done = 0; done < total; ) {
    const length = Math.min(blockSize, total - done);
    if (at + 4 > data.length) throw decodeFailed('LZ4 data end before their last block');
    const stored = view.getUint32(at);
    at += 4;
    if (at + stored > data.length) throw decodeFailed('LZ4 data end inside a block');
    if (stored === length) out.set(data.subarray(at, at + stored), done);
    else {
      const end = decodeLz4Block(data, at, at + stored, out, done, done + length);
      if (end !== done + length) throw decodeFailed(`an LZ4 block holds ${end - done} bytes instead of ${length}`);
    }
    at += stored;
    done += length;
  }
  return out;
}

/** Compares and takes off the checksum of the last four bytes: Fletcher's, over big-endian words of 16 bits. */
function checkFletcher32(data: Uint8Array): Uint8Array {
  if (data.length < 4) throw decodeFailed('ends inside its checksum');
  const body = data.subarray(0, data.length - 4);
  const stored = new DataView(data.buffer, data.byteOffset, data.byteLength).getUint32(body.length, true);
  const computed = fletcher32(body);
  // Versions before 1.6.3 stored the bytes of each half the other way round.
  const swapped = (((computed & 0x00ff00ff) << 8) | ((computed >>> 8) & 0x00ff00ff)) >>> 0;
  if (stored !== computed && stored !== swapped) throw decodeFailed('does not have its checksum; it is damaged');
  return body;
}

export function fletcher32(data: Uint8Array): number {
  let [low, high] = [0, 0];
  const even = data.length - (data.length % 2);
  for (let at = 0; at < even; ) {
    // As many words as the sums hold without overflow.
    for (const end = Math.min(even, at + 720); at < end; at += 2) {
      low += ((data[at] as number) << 8) | (data[at + 1] as number);
      high += low;
    }
    low = (low & 0xffff) + Math.floor(low / 0x10000);
    high = (high & 0xffff) + Math.floor(high / 0x10000);
  }
  if (even < data.length) {
    low += (data[even] as number) << 8;
    high += low;
    low = (low & 0xffff) + Math.floor(low / 0x10000);
    high = (high & 0xffff) + Math.floor(high / 0x10000);
  }
  low = (low & 0xffff) + Math.floor(low / 0x10000);
  high = (high & 0xffff) + Math.floor(high / 0x10000);
  return ((high << 16) | low) >>> 0;
}
