import { decodeFailed } from '../base/errors.js';
import { platform } from '../base/platform.js';
import { grouped } from '../base/wording.js';
import type { DecodedImage, ImageDecoder } from './types.js';
import { WasmHost, type WasmModule } from './wasm-host.js';

/** The parts of the module used here. Its own types need those of a browser. */
interface WebpModule extends WasmModule {
  /** Returns RGBA pixels, or null for corrupted data. */
  decode(data: Uint8Array): { width: number; height: number; data: Uint8ClampedArray } | null;
}
type Create = (options: { wasmBinary: Uint8Array; print(): void; printErr(): void }) => Promise<WebpModule>;

const host = new WasmHost<WebpModule>('WebP', async () => {
  const { default: create } = await import('@jsquash/webp/codec/dec/webp_dec.js');
  const wasmBinary = await platform().wasm.read('@jsquash/webp/codec/dec/webp_dec.wasm');
  return await (create as unknown as Create)({ wasmBinary, print() {}, printErr() {} });
});

/** libwebp in WebAssembly: lossy and lossless, RGB and RGBA. */
export async function loadWebp(): Promise<ImageDecoder> {
  const use = await host.acquire();
  return (data, options) => {
    const { width, height } = parseSize(data);
    if (width * height > options.maxPixels) {
      throw decodeFailed(
        `WebP image is ${grouped(width)} × ${grouped(height)} pixels; the limit is ${grouped(options.maxPixels)} pixels`,
      );
    }
    return use((module) => {
      const image = module.decode(data);
      if (!image) throw decodeFailed('WebP data are corrupted or truncated');
      // In a page it is an `ImageData`, which has no properties of its own.
      return options.components === 3
        ? dropAlpha(image)
        : { width: image.width, height: image.height, components: 4, samples: bytesOf(image.data) };
    });
  };
}

function bytesOf(data: Uint8ClampedArray): Uint8Array {
  return new Uint8Array(data.buffer, data.byteOffset, data.length);
}

function dropAlpha(image: { width: number; height: number; data: Uint8ClampedArray }): DecodedImage {
  const { width, height, data } = image;
  const samples = new Uint8Array(width * height * 3);
  for (let from = 0, to = 0; to < samples.length; from += 4) {
    samples[to++] = data[from]!;
    samples[to++] = data[from + 1]!;
    samples[to++] = data[from + 2]!;
  }
  return { width, height, components: 3, samples };
}

/** Reads the size from the first chunk of the RIFF container (WebP container specification; RFC 9649). */
function parseSize(data: Uint8Array): { width: number; height: number } {
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  if (data.length < 30 || view.getUint32(0) !== 0x52494646 || view.getUint32(8) !== 0x57454250) {
    throw decodeFailed('is not a WebP image');
  }
  const kind = view.getUint32(12);
  const u24 = (at: number) => view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
  if (kind === 0x56503858) return { width: u24(24) + 1, height: u24(27) + 1 };
  if (kind === 0x56503820) {
    return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  }
  if (kind !== 0x5650384c) throw decodeFailed('is not a WebP image');
  const bits = view.getUint32(21, true);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}
