import create, { type JpegModule } from '@cornerstonejs/codec-libjpeg-turbo-8bit/decodewasmjs';
import { decodeFailed, unsupported } from '../errors.js';
import { type JpegFrame, parseJpeg } from './jpeg-segments.js';
import type { DecodedImage, ImageDecoder, ImageOptions } from './types.js';
import { WasmHost } from './wasm-host.js';

/** Every scan of a progressive image goes over all its pixels; encoders write about ten. */
const MOST_SCANS = 100;

const host = new WasmHost<JpegModule>('JPEG', () => create({ print() {}, printErr() {} }));

/** libjpeg-turbo in WebAssembly: 8-bit baseline and progressive, one or three components. */
export async function loadJpeg(): Promise<ImageDecoder> {
  const use = await host.acquire();
  return (data, options) => {
    const frame = parseJpeg(data);
    checkFrame(frame, data, options);
    const stream = assemble(frame, data, options);
    return use((module) => decodeStream(module, stream, frame));
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
      throw decodeFailed(`JPEG decodes to ${width} × ${height}, but its header says ${frame.width} × ${frame.height}`);
    }
    return { width, height, components, samples };
  } finally {
    decoder.delete();
  }
}

function checkFrame(frame: JpegFrame, data: Uint8Array, options: ImageOptions): void {
  if (frame.process === 3) throw unsupported('is lossless JPEG, which is not read here');
  if (frame.process > 2) throw unsupported(`is JPEG of process SOF${frame.process}, which is not read here`);
  if (frame.bits !== 8) throw unsupported(`is ${frame.bits}-bit JPEG; 8-bit JPEG is read here`);
  if (frame.components !== 1 && frame.components !== 3) {
    throw unsupported(`is JPEG with ${frame.components} components; one and three are read here`);
  }
  if (frame.width * frame.height > options.maxPixels) {
    throw decodeFailed(`JPEG claims ${frame.width} × ${frame.height} pixels, more than its place in the image`);
  }
  if (frame.process === 2 && countScans(data) > MOST_SCANS) {
    throw decodeFailed(`JPEG has more than ${MOST_SCANS} scans; it is damaged or malicious`);
  }
}

function countScans(data: Uint8Array): number {
  let scans = 0;
  for (let at = data.indexOf(0xff); at >= 0 && scans <= MOST_SCANS; at = data.indexOf(0xff, at + 1)) {
    if (data[at + 1] === 0xda) scans++;
  }
  return scans;
}

/**
 * The stream for the decoder: tables that TIFF keeps apart (their own start and end marks removed) go in front, and
 * an Adobe marker tells the colours, because the decoder would guess them otherwise and the TIFF tag knows better.
 * Only RGB with a JFIF header is left to the header: such files are YCbCr inside (Aperio and others).
 */
function assemble(frame: JpegFrame, data: Uint8Array, options: ImageOptions): Uint8Array {
  const tables = options.tables ? stripMarks(options.tables) : new Uint8Array();
  const parts: Uint8Array[] = [START];
  const forced = frame.components === 3 && options.colours && !(options.colours === 'rgb' && frame.jfif);
  if (forced) parts.push(adobeMarker(options.colours === 'ycbcr' ? 1 : 0));
  parts.push(tables);
  let at = 2;
  for (const segment of forced ? frame.colourSegments : []) {
    parts.push(data.subarray(at, segment.start));
    at = segment.end;
  }
  parts.push(data.subarray(at));
  return Buffer.concat(parts);
}

const START = new Uint8Array([0xff, 0xd8]);

/** APP14 "Adobe", version 100, no flags, then the colour transform: 0 RGB, 1 YCbCr. */
function adobeMarker(transform: 0 | 1): Uint8Array {
  return new Uint8Array([0xff, 0xee, 0, 14, 0x41, 0x64, 0x6f, 0x62, 0x65, 0, 100, 0, 0, 0, 0, transform]);
}

function stripMarks(tables: Uint8Array): Uint8Array {
  const start = tables[0] === 0xff && tables[1] === 0xd8 ? 2 : 0;
  const { length } = tables;
  const ended = tables[length - 2] === 0xff && tables[length - 1] === 0xd9;
  return tables.subarray(start, Math.max(start, ended ? length - 2 : length));
}
