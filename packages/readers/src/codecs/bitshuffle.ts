import { decodeFailed } from '../base/errors.js';
import { grouped } from '../base/wording.js';
import { kernelHost } from '../simd/kernels.js';
import { decodeLz4Block } from './lz4.js';
import type { ByteDecoder, OutputSize } from './types.js';
import { bitUnshuffle } from './unshuffle.js';

/** Blocks have about this many bytes unless the writer chose another size. */
const DEFAULT_BLOCK_BYTES = 8192;
const MIN_DEFAULT_BLOCK = 128;

/**
 * Decodes bitshuffle (format of the bitshuffle library 0.3, HDF5 filter 32008): blocks whose bits are transposed, stored as
 * they are.
 * @param blockSize elements of a block; 0 for the default
 */
export function decodeBitshuffle(data: Uint8Array, elementBytes: number, blockSize: number): Uint8Array {
  const block = blockSize > 0 ? blockSize : defaultBlock(elementBytes);
  checkBlock(block, elementBytes);
  const out = new Uint8Array(data.length);
  for (const { from, bytes } of blocksOf(data.length, block, elementBytes)) {
    bitUnshuffle(data.subarray(from, from + bytes), out.subarray(from, from + bytes), elementBytes);
  }
  const rest = Math.floor(data.length / elementBytes) % 8;
  const tail = data.length - (data.length % elementBytes) - rest * elementBytes;
  out.set(data.subarray(tail), tail);
  return out;
}

/**
 * Decodes bitshuffle with LZ4 or Zstandard: u64 size, u32 size of a block in bytes (both big-endian), then each block with its
 * compressed size in front, and the elements that do not fill a group of eight as they are.
 * @param zstd decodes the blocks; without it they are LZ4
 */
export function decodeCompressedBitshuffle(
  data: Uint8Array,
  elementBytes: number,
  size: OutputSize,
  zstd: ByteDecoder | undefined,
): Uint8Array {
  if (data.length < 12) throw truncated();
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const total = Number(view.getBigUint64(0));
  if (total > size.limit) {
    throw decodeFailed(`bitshuffle data claim ${grouped(total)} bytes; expected ${grouped(size.expected)}`);
  }
  const block = view.getUint32(8) / elementBytes;
  checkBlock(block, elementBytes);
  const out = new Uint8Array(total);
  const shuffled = kernelHost.scratch(data.length, Math.min(total, block * elementBytes));
  let at = 12;
  let end = 0;
  for (const { from, bytes } of blocksOf(total, block, elementBytes)) {
    if (at + 4 > data.length) throw truncated();
    const stored = view.getUint32(at);
    at += 4;
    if (at + stored > data.length) throw truncated();
    const part = shuffled.subarray(0, bytes);
    decodeBlock(data.subarray(at, at + stored), part, zstd);
    bitUnshuffle(part, out.subarray(from, from + bytes), elementBytes);
    at += stored;
    end = from + bytes;
  }
  if (data.length - at < total - end) throw truncated();
  out.set(data.subarray(at, at + total - end), end);
  return out;
}

function decodeBlock(data: Uint8Array, out: Uint8Array, zstd: ByteDecoder | undefined): void {
  if (zstd) {
    const bytes = zstd(data, { expected: out.length, limit: out.length });
    checkBytes(bytes.length, out.length);
    out.set(bytes);
  } else checkBytes(decodeLz4Block(data, 0, data.length, out, 0, out.length), out.length);
}

function checkBytes(actual: number, expected: number): void {
  if (actual !== expected)
    throw decodeFailed(`a bitshuffle block decompressed to ${grouped(actual)} bytes; expected ${grouped(expected)}`);
}

function defaultBlock(elementBytes: number): number {
  const block = Math.floor(DEFAULT_BLOCK_BYTES / elementBytes);
  return Math.max(MIN_DEFAULT_BLOCK, block - (block % 8));
}

function checkBlock(block: number, elementBytes: number): void {
  if (!Number.isInteger(block) || block < 8 || block % 8 !== 0 || elementBytes < 1) {
    throw decodeFailed(
      `bitshuffle data have an invalid block size: ${grouped(block)} elements of ${grouped(elementBytes)} bytes`,
    );
  }
}

/** The blocks of `total` bytes: whole ones, then one with what is left in groups of eight elements. */
function* blocksOf(total: number, block: number, elementBytes: number): Generator<{ from: number; bytes: number }> {
  const count = Math.floor(total / elementBytes);
  const whole = count - (count % 8);
  for (let first = 0; first < whole; first += block) {
    yield { from: first * elementBytes, bytes: Math.min(block, whole - first) * elementBytes };
  }
}

function truncated() {
  return decodeFailed('bitshuffle data are truncated');
}
