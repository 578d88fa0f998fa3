/** Compressors for `PageSpec.encode`: WebAssembly builds, ready after `loadEncoders`. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { compress, init } from '@bokuweb/zstd-wasm';
import createJpeg from '@cornerstonejs/codec-libjpeg-turbo-8bit/wasmjs';
import createJ2k from '@cornerstonejs/codec-openjpeg/wasmjs';
import type { ChunkBytes } from './tiff.js';

export interface Encoders {
  zstd: (chunk: ChunkBytes) => Uint8Array;
  /**
   * 8 bit, one or three samples (RGB in, YCbCr inside), with a JFIF header. The library reserves no more than the
   * decoded size for its output, so chunks must be compressible: at least 32 × 32 and smooth.
   */
  jpeg: (chunk: ChunkBytes) => Uint8Array;
  /** Lossless, 8 or 16 bit unsigned: told by the bytes per pixel. Chunks must be compressible here, too. */
  jpeg2000: (chunk: ChunkBytes) => Uint8Array;
  /** Lossless, 8 bit, four samples. */
  webp: (chunk: ChunkBytes) => Uint8Array;
}

/** Each module writes its functions into its settings, so they need settings of their own. */
const silent = () => ({ print() {}, printErr() {} });

export async function loadEncoders(): Promise<Encoders> {
  zstdReady ??= init();
  await zstdReady;
  const [jpeg, j2k, webp] = await Promise.all([createJpeg(silent()), createJ2k(silent()), loadWebpEncoder()]);
  return {
    zstd: ({ bytes }) => compress(bytes, 3),
    jpeg: (chunk) => {
      const encoder = new jpeg.JPEGEncoder();
      encoder.getDecodedBuffer(frameOf(chunk, 8)).set(chunk.bytes);
      encoder.setQuality(90);
      encoder.encode();
      const out = Uint8Array.from(encoder.getEncodedBuffer());
      encoder.delete();
      return out;
    },
    jpeg2000: (chunk) => {
      const encoder = new j2k.J2KEncoder();
      const bits = (chunk.bytes.length * 8) / (chunk.width * chunk.rows * chunk.samples);
      encoder.getDecodedBuffer(frameOf(chunk, bits)).set(chunk.bytes);
      encoder.setQuality(true, 0);
      encoder.encode();
      const out = Uint8Array.from(encoder.getEncodedBuffer());
      encoder.delete();
      return out;
    },
    webp: (chunk) => webp(chunk),
  };
}

/** The library must be initialised once per process only. */
let zstdReady: Promise<void> | undefined;

function frameOf(chunk: ChunkBytes, bitsPerSample: number) {
  return { width: chunk.width, height: chunk.rows, bitsPerSample, componentCount: chunk.samples, isSigned: false };
}

interface WebpEncoder {
  encode(data: Uint8Array, width: number, height: number, options: object): Uint8Array;
}

async function loadWebpEncoder(): Promise<Encoders['webp']> {
  const { default: create } = await import('@jsquash/webp/codec/enc/webp_enc.js');
  const path = createRequire(import.meta.url).resolve('@jsquash/webp/codec/enc/webp_enc.wasm');
  const wasmBinary = await readFile(path);
  const module = await (create as unknown as (options: object) => Promise<WebpEncoder>)({ wasmBinary, ...silent() });
  return ({ bytes, width, rows }) => Uint8Array.from(module.encode(bytes, width, rows, WEBP_LOSSLESS));
}

/** The library wants every field of libwebp's WebPConfig. */
const WEBP_LOSSLESS = {
  quality: 75,
  target_size: 0,
  target_PSNR: 0,
  method: 4,
  sns_strength: 50,
  filter_strength: 60,
  filter_sharpness: 0,
  filter_type: 1,
  partitions: 0,
  segments: 4,
  pass: 1,
  show_compressed: 0,
  preprocessing: 0,
  autofilter: 0,
  partition_limit: 0,
  alpha_compression: 1,
  alpha_filtering: 1,
  alpha_quality: 100,
  lossless: 1,
  exact: 1,
  image_hint: 0,
  emulate_jpeg_size: 0,
  thread_level: 0,
  low_memory: 0,
  near_lossless: 100,
  use_delta_palette: 0,
  use_sharp_yuv: 0,
};
