import create, { type JxrImage } from 'jpegxr';
import { decodeFailed, unsupported } from '../base/errors.js';
import { platform } from '../base/platform.js';
import { grouped } from '../base/wording.js';
import type { DecodedImage, ImageDecoder } from './types.js';
import { WasmHost, type WasmModule } from './wasm-host.js';

interface JxrModule extends WasmModule {
  decode(data: Uint8Array): JxrImage;
}

const host = new WasmHost<JxrModule>('JPEG XR', load);

/** jxrlib in WebAssembly: 8 and 16 bit integers and 32-bit floats, one to four components, in the order R, G, B, A. */
export async function loadJpegXr(): Promise<ImageDecoder> {
  const use = await host.acquire();
  return (data, options) => {
    const size = parseSize(data);
    if (size.width * size.height > options.maxPixels) {
      throw decodeFailed(
        `JPEG XR image is ${grouped(size.width)} × ${grouped(size.height)} pixels; the limit is ${grouped(options.maxPixels)} pixels`,
      );
    }
    const image = use((module) => module.decode(data));
    if (image.width !== size.width || image.height !== size.height) {
      throw decodeFailed(
        `JPEG XR image is ${grouped(image.width)} × ${grouped(image.height)} pixels, which does not match its header`,
      );
    }
    return toImage(image);
  };
}

async function load(): Promise<JxrModule> {
  const module: Parameters<typeof create>[0] = { print() {}, printErr() {} };
  const { decode } = await platform().wasm.start(() => create(module));
  return {
    decode,
    get HEAPU8() {
      return module.HEAPU8 ?? new Uint8Array();
    },
  };
}

function toImage({ width, height, pixelInfo, bytes }: JxrImage): DecodedImage {
  const { channels, bitDepth, bitsPerPixel, bgr } = pixelInfo;
  const wide = samplesOf(bytes, bitDepth);
  const stride = bitsPerPixel / 8 / wide.BYTES_PER_ELEMENT;
  if (stride === channels && !bgr) return { width, height, components: channels, samples: wide };
  const samples = new (wide.constructor as Uint8ArrayConstructor)(width * height * channels);
  for (let c = 0; c < channels; c++) {
    const from = bgr && c < 3 ? 2 - c : c;
    for (let i = c, p = from; i < samples.length; i += channels, p += stride) samples[i] = wide[p]!;
  }
  return { width, height, components: channels, samples };
}

function samplesOf(bytes: Uint8Array, bitDepth: string): Uint8Array | Uint16Array | Float32Array {
  const { buffer, byteOffset, length } = bytes;
  if (bitDepth === '8') return bytes;
  if (bitDepth === '16') return new Uint16Array(buffer, byteOffset, length / 2);
  if (bitDepth === '32Float') return new Float32Array(buffer, byteOffset, length / 4);
  throw unsupported(`JPEG XR with samples of kind ${bitDepth} is not supported`);
}

const SIGNATURE = 'WMPHOTO\0';

/**
 * Reads the size from the image header of the codestream (ITU-T T.832, 8.3), found through the file's directory (annex A).
 * The decoder reserves memory for this size.
 */
function parseSize(data: Uint8Array): { width: number; height: number } {
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  if (data.length < 8 || view.getUint32(0) !== 0x4949bc01) throw decodeFailed('is not a JPEG XR image');
  const start = tagValue(view, view.getUint32(4, true), 0xbcc0);
  if (start === undefined || start + 20 > data.length)
    throw decodeFailed('JPEG XR data are truncated inside their header');
  if (String.fromCharCode(...data.subarray(start, start + 8)) !== SIGNATURE) {
    throw decodeFailed('JPEG XR data are corrupted: the image is missing');
  }
  const short = (view.getUint8(start + 10) & 0x80) !== 0;
  const width = short ? view.getUint16(start + 12) : view.getUint32(start + 12);
  const height = short ? view.getUint16(start + 14) : view.getUint32(start + 16);
  return { width: width + 1, height: height + 1 };
}

function tagValue(view: DataView, directory: number, tag: number): number | undefined {
  if (directory + 2 > view.byteLength) return undefined;
  const count = view.getUint16(directory, true);
  for (let i = 0, at = directory + 2; i < count && at + 12 <= view.byteLength; i++, at += 12) {
    if (view.getUint16(at, true) === tag) return view.getUint32(at + 8, true);
  }
  return undefined;
}
