import { type AcqError, decodeFailed } from '../base/errors.js';
import { type Inflate, platform } from '../base/platform.js';
import { grouped } from '../base/wording.js';
import type { ByteDecoder, OutputSize } from './types.js';

export async function loadZstd(): Promise<ByteDecoder> {
  const native = platform().inflate.zstd;
  return native ? nativeDecoder(native) : await wasmDecoder();
}

/** The library must be initialized once per thread: twice mixes two memories. */
let ready: Promise<void> | undefined;

function nativeDecoder(decompress: NonNullable<Inflate['zstd']>): ByteDecoder {
  return (data, size) => {
    checkFrame(data, size);
    return guarded(() => decompress(data, size));
  };
}

/** Exported for tests on machines that have the native decoder. */
export async function wasmDecoder(): Promise<ByteDecoder> {
  const { init, decompress } = await import('@bokuweb/zstd-wasm');
  if (!ready) checkMemory();
  ready ??= init();
  try {
    await ready;
  } catch (error) {
    ready = undefined;
    throw error;
  }
  return (data, size) => {
    const content = checkFrame(data, size);
    // The library reserves the size that the frame states, or this default.
    return guarded(() => decompress(data, { defaultHeapSize: content ?? size.limit }));
  };
}

/** Throws when the system has no memory for the library, which would then never answer. */
function checkMemory(): void {
  const { WebAssembly } = globalThis as unknown as {
    WebAssembly: { Memory: new (size: { initial: number }) => object };
  };
  new WebAssembly.Memory({ initial: 1 });
}

function guarded(decompress: () => Uint8Array): Uint8Array {
  try {
    return decompress();
  } catch (error) {
    throw corrupted(error);
  }
}

function corrupted(cause?: unknown): AcqError {
  return decodeFailed('zstd data are corrupted or truncated', cause);
}

/**
 * Checks the header of the first frame (RFC 8878 section 3.1.1) before memory is reserved, and that the frame is complete:
 * zlib of Node 22 returns the beginning of a truncated frame as if it were all.
 * @returns the content size; `undefined` when the header does not contain it
 */
function checkFrame(data: Uint8Array, size: OutputSize): number | undefined {
  const { content, blocksAt, hasChecksum } = readFrameHeader(data);
  if (content !== undefined && content > size.limit) {
    throw decodeFailed(`zstd data decompress to ${grouped(content)} bytes; expected ${grouped(size.expected)}`);
  }
  const end = endOfBlocks(data, blocksAt) + (hasChecksum ? 4 : 0);
  if (end > data.length) throw corrupted();
  return content;
}

interface FrameHeader {
  content: number | undefined;
  /** Offset of the first block. */
  blocksAt: number;
  hasChecksum: boolean;
}

function readFrameHeader(data: Uint8Array): FrameHeader {
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  if (data.length < 6 || view.getUint32(0, true) !== 0xfd2fb528) throw decodeFailed('is not a zstd frame');
  const descriptor = view.getUint8(4);
  const single = (descriptor & 0x20) !== 0;
  const at = 5 + (single ? 0 : 1) + ([0, 1, 2, 4][descriptor & 3] as number);
  const sizeFlag = descriptor >> 6;
  const bytes = sizeFlag === 0 ? (single ? 1 : 0) : 2 ** sizeFlag;
  if (at + bytes > data.length) throw decodeFailed('zstd data are truncated inside their header');
  return { content: contentSize(view, at, bytes), blocksAt: at + bytes, hasChecksum: (descriptor & 4) !== 0 };
}

function contentSize(view: DataView, at: number, bytes: number): number | undefined {
  if (bytes === 0) return undefined;
  if (bytes === 1) return view.getUint8(at);
  if (bytes === 2) return view.getUint16(at, true) + 256;
  return bytes === 4 ? view.getUint32(at, true) : Number(view.getBigUint64(at, true));
}

/** Returns the end of the last block (RFC 8878 section 3.1.1.2); a value beyond the data when they are truncated. */
function endOfBlocks(data: Uint8Array, first: number): number {
  let at = first;
  while (at + 3 <= data.length) {
    const header = data[at]! | (data[at + 1]! << 8) | (data[at + 2]! << 16);
    const isRunLength = ((header >> 1) & 3) === 1;
    at += 3 + (isRunLength ? 1 : header >> 3);
    if (header & 1) return at;
  }
  return data.length + 1;
}
