import create, { type JpegModule } from '@cornerstonejs/codec-libjpeg-turbo-8bit/decodewasmjs';
import { concat } from '../base/bytes.js';
import { decodeFailed, unsupported } from '../base/errors.js';
import { platform } from '../base/platform.js';
import { grouped } from '../base/wording.js';
import { type JpegFrame, parseJpeg } from './jpeg-segments.js';
import type { DecodedImage, ImageDecoder, ImageOptions } from './types.js';
import { WasmHost } from './wasm-host.js';

/** Each scan of a progressive image covers all pixels. Encoders write about ten scans. */
const MAX_SCANS = 100;

const host = new WasmHost<JpegModule>('JPEG', async () => {
  const wasmBinary = await platform().wasm.read('@cornerstonejs/codec-libjpeg-turbo-8bit/decodewasm');
  return await create({ wasmBinary, print() {}, printErr() {} });
});

/**
 * Baseline and progressive, Huffman codes. libjpeg-turbo in WebAssembly decodes 8 bits and one or three components; 12 bits, two and
 * four components are decoded here, to the same samples that libjpeg gives.
 */
export async function loadJpeg(): Promise<ImageDecoder> {
  const [use, { decodeJpegScans }] = await Promise.all([host.acquire(), import('./jpeg-scans.js')]);
  return (data, options) => {
    const frame = parseJpeg(data);
    checkJpegFrame(frame, data, options);
    const stream = assemble(frame, data, options);
    if (frame.bits === 8 && (frame.components === 1 || frame.components === 3)) {
      return use((module) => decodeStream(module, stream, frame));
    }
    const image = decodeJpegScans(stream, options);
    if (image.components === 3 && isYcbcr(frame, options)) toRgb(image.samples as Uint16Array, frame.bits);
    return image;
  };
}

function decodeStream(module: JpegModule, stream: Uint8Array, frame: JpegFrame): DecodedImage {
  const decoder = new module.JPEGDecoder();
  try {
    decoder.getEncodedBuffer(stream.length).set(stream);
    decoder.decode();
    const { width, height, componentCount: components } = decoder.getFrameInfo();
    const samples = decoder.getDecodedBuffer().slice();
    if (width !== frame.width || height !== frame.height || components !== frame.components) {
      throw decodeFailed(
        `JPEG image is ${grouped(width)} × ${grouped(height)} pixels, but its header says ${grouped(frame.width)} × ${grouped(frame.height)}`,
      );
    }
    return { width, height, components, samples };
  } finally {
    decoder.delete();
  }
}

/**
 * Checks that a frame is one that is decoded, and not larger than expected.
 * @throws AcqError `unsupported_format`, `decode_failed`
 */
export function checkJpegFrame(frame: JpegFrame, data: Uint8Array, options: ImageOptions): void {
  if (frame.process === 3) throw unsupported('lossless JPEG is not supported');
  if (frame.process > 2) throw unsupported(`JPEG process SOF${frame.process} is not supported`);
  if (frame.bits !== 8 && frame.bits !== 12) throw decodeFailed(`JPEG with ${frame.bits} bits does not exist`);
  if (frame.components < 1 || frame.components > 4) {
    throw unsupported(`JPEG with ${grouped(frame.components)} components is not supported (only 1 to 4)`);
  }
  if (frame.width * frame.height > options.maxPixels) {
    throw decodeFailed(
      `JPEG image is ${grouped(frame.width)} × ${grouped(frame.height)} pixels; the limit is ${grouped(options.maxPixels)} pixels`,
    );
  }
  if (frame.process === 2 && countScans(data) > MAX_SCANS) {
    throw decodeFailed(`JPEG has more than ${grouped(MAX_SCANS)} scans; the data are corrupted`);
  }
}

function countScans(data: Uint8Array): number {
  let scans = 0;
  for (let at = data.indexOf(0xff); at >= 0 && scans <= MAX_SCANS; at = data.indexOf(0xff, at + 1)) {
    if (data[at + 1] === 0xda) scans++;
  }
  return scans;
}

/**
 * Builds the stream for the decoder. The tables that TIFF stores separately go in front, without their start and end
 * markers. An Adobe marker sets the color space, which the decoder would otherwise guess; the TIFF tag is right. The
 * exception is RGB with a JFIF header: such files contain YCbCr (Aperio and others).
 */
function assemble(frame: JpegFrame, data: Uint8Array, options: ImageOptions): Uint8Array {
  const tables = options.tables ? stripMarks(options.tables) : new Uint8Array();
  const parts: Uint8Array[] = [START];
  const forced = frame.components === 3 && options.colours && !(options.colours === 'rgb' && frame.jfif);
  if (forced) parts.push(adobeMarker(isYcbcr(frame, options) ? 1 : 0));
  parts.push(tables);
  let at = 2;
  for (const segment of forced ? frame.colorSegments : []) {
    parts.push(data.subarray(at, segment.start));
    at = segment.end;
  }
  parts.push(data.subarray(at));
  return concat(parts);
}

function isYcbcr(frame: JpegFrame, { colours }: ImageOptions): boolean {
  return colours === 'ycbcr' || (colours === 'rgb' && frame.jfif);
}

/** Converts YCbCr to RGB in place, as libjpeg does (JFIF 1.02). */
function toRgb(samples: Uint16Array, bits: number): void {
  const [center, highest] = [2 ** (bits - 1), 2 ** bits - 1];
  const fixed = (factor: number) => Math.round(factor * 65_536);
  const [redOfCr, greenOfCr, greenOfCb, blueOfCb] = [fixed(1.402), fixed(0.71414), fixed(0.34414), fixed(1.772)];
  const put = (at: number, value: number) => {
    samples[at] = Math.min(Math.max(value, 0), highest);
  };
  for (let i = 0; i + 2 < samples.length; i += 3) {
    const y = samples[i]!;
    const [cb, cr] = [samples[i + 1]! - center, samples[i + 2]! - center];
    put(i, y + ((redOfCr * cr + 32_768) >> 16));
    put(i + 1, y + ((-greenOfCb * cb - greenOfCr * cr + 32_768) >> 16));
    put(i + 2, y + ((blueOfCb * cb + 32_768) >> 16));
  }
}

const START = new Uint8Array([0xff, 0xd8]);

/** APP14 "Adobe", version 100, no flags, then the color transform: 0 RGB, 1 YCbCr. */
function adobeMarker(transform: 0 | 1): Uint8Array {
  return new Uint8Array([0xff, 0xee, 0, 14, 0x41, 0x64, 0x6f, 0x62, 0x65, 0, 100, 0, 0, 0, 0, transform]);
}

function stripMarks(tables: Uint8Array): Uint8Array {
  const start = tables[0] === 0xff && tables[1] === 0xd8 ? 2 : 0;
  const { length } = tables;
  const ended = tables[length - 2] === 0xff && tables[length - 1] === 0xd9;
  return tables.subarray(start, Math.max(start, ended ? length - 2 : length));
}
