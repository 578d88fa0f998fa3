import create, { type J2kModule } from '@cornerstonejs/codec-openjpeg/decodewasmjs';
import { indexOfBytes } from '../base/bytes.js';
import { decodeFailed, unsupported } from '../base/errors.js';
import { platform } from '../base/platform.js';
import { grouped } from '../base/wording.js';
import type { DecodedImage, ImageDecoder, ImageOptions } from './types.js';
import { WasmHost } from './wasm-host.js';

const host = new WasmHost<J2kModule>('JPEG 2000', async () => {
  const wasmBinary = await platform().wasm.read('@cornerstonejs/codec-openjpeg/decodewasm');
  return await create({ wasmBinary, print() {}, printErr() {} });
});

/** OpenJPEG in WebAssembly: code streams and JP2 boxes, 1–16 bits, components of one size. */
export async function loadJpeg2000(): Promise<ImageDecoder> {
  const use = await host.acquire();
  return (data, options) => {
    checkSize(parseJpeg2000Size(data), options);
    return use((module) => decodeStream(module, data));
  };
}

function decodeStream(module: J2kModule, data: Uint8Array): DecodedImage {
  const decoder = new module.J2KDecoder();
  try {
    decoder.getEncodedBuffer(data.length).set(data);
    decoder.decode();
    const { width, height, bitsPerSample, componentCount: components, isSigned } = decoder.getFrameInfo();
    // OpenJPEG reports failure as an empty image.
    if (width === 0 || height === 0) throw decodeFailed('JPEG 2000 data are corrupted or truncated');
    const bytes = decoder.getDecodedBuffer().slice();
    const wide = bitsPerSample > 8;
    if (bytes.length !== width * height * components * (wide ? 2 : 1)) {
      throw decodeFailed(
        `JPEG 2000 data decompressed to ${grouped(bytes.length)} bytes for ${grouped(width)} × ${grouped(height)} pixels`,
      );
    }
    const Samples = wide ? (isSigned ? Int16Array : Uint16Array) : isSigned ? Int8Array : Uint8Array;
    return { width, height, components, samples: new Samples(bytes.buffer) };
  } finally {
    decoder.delete();
  }
}

/** The SIZ segment (ISO 15444-1 annex A.5.1). `depth` is the number of bits less one, with the sign in bit 7. */
export interface ImageSize {
  width: number;
  height: number;
  tiles: number;
  components: { depth: number; dx: number; dy: number }[];
}

/** The first two markers: SOC and SIZ. */
const START = Uint8Array.of(0xff, 0x4f, 0xff, 0x51);

/** Reads size and components from the header of the stream; its start is enough. @throws AcqError `decode_failed` */
export function parseJpeg2000Size(data: Uint8Array): ImageSize {
  const at = indexOfBytes(data, START);
  if (at < 0 || at + 42 > data.length) throw decodeFailed('is not a JPEG 2000 code stream');
  const view = new DataView(data.buffer, data.byteOffset + at);
  const [right, bottom, left, top] = [8, 12, 16, 20].map((i) => view.getUint32(i)) as [number, number, number, number];
  const [tileWidth, tileHeight] = [view.getUint32(24), view.getUint32(28)];
  const count = view.getUint16(40);
  if (at + 42 + count * 3 > data.length) throw decodeFailed('JPEG 2000 data are truncated inside their header');
  const components = Array.from({ length: count }, (_, i) => ({
    depth: view.getUint8(42 + i * 3),
    dx: view.getUint8(43 + i * 3),
    dy: view.getUint8(44 + i * 3),
  }));
  const tiles = Math.ceil((right - left) / tileWidth) * Math.ceil((bottom - top) / tileHeight);
  return { width: right - left, height: bottom - top, tiles, components };
}

function checkSize(size: ImageSize, options: ImageOptions): void {
  const { width, height, tiles, components } = size;
  const pixels = width * height;
  if (!(width > 0 && height > 0 && pixels <= options.maxPixels)) {
    throw decodeFailed(
      `JPEG 2000 image is ${grouped(width)} × ${grouped(height)} pixels; the limit is ${grouped(options.maxPixels)} pixels`,
    );
  }
  // Every tile costs the decoder some kilobytes, regardless of its size.
  if (!(tiles <= 64 + pixels / 1024))
    throw decodeFailed(`JPEG 2000 data list ${grouped(tiles)} tiles for ${grouped(pixels)} pixels`);
  if (components.length !== options.components) {
    throw decodeFailed(
      `JPEG 2000 data have ${grouped(components.length)} components; expected ${grouped(options.components)}`,
    );
  }
  const first = components[0];
  if (components.some(({ depth, dx, dy }) => depth !== first?.depth || dx !== 1 || dy !== 1)) {
    throw unsupported('JPEG 2000 with components of different size or depth is not supported');
  }
  if (((first?.depth ?? 0) & 0x7f) + 1 > 16) throw unsupported('JPEG 2000 with more than 16 bits is not supported');
}
