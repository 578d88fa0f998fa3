/**
 * PNG of any size, written row by row. A canvas is limited to 16,384 to 65,535 pixels per side, which a long line scan
 * exceeds. (PNG 1.2: signature, IHDR, pHYs, tEXt, IDAT, IEND; RGB of 8 bits.)
 */
import { crc32 } from '@acquisition-store/readers/base/crc32.js';

interface PngOptions {
  readonly width: number;
  readonly height: number;
  /** Texts by Latin-1 keyword, which some programs show. */
  readonly texts?: Readonly<Record<string, string>>;
  /** Pixels per meter in x and y, when both are lengths. */
  readonly pixelsPerMeter?: readonly [number, number];
  readonly signal?: AbortSignal;
}

const SIGNATURE = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/**
 * Writes a PNG. Each strip has the RGB bytes of some whole rows, from the top down, `height` rows in total.
 * @throws RangeError when the number of bytes is wrong
 */
export async function pngParts(options: PngOptions, strips: AsyncIterable<Uint8Array>): Promise<BlobPart[]> {
  const parts: BlobPart[] = pngStart(options);
  for await (const part of compressedRows(options, strips)) parts.push(chunk('IDAT', part));
  return [...parts, PNG_END];
}

/** Returns what comes before the pixels. */
export function pngStart(options: Omit<PngOptions, 'signal'>): Uint8Array<ArrayBuffer>[] {
  return [SIGNATURE, chunk('IHDR', header(options.width, options.height)), ...about(options)];
}

/** Yields the contents of the chunks with the pixels. @throws RangeError when the number of bytes is wrong */
export async function* compressedRows(
  options: Pick<PngOptions, 'width' | 'height' | 'signal'>,
  strips: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const compressor = new CompressionStream('deflate');
  const writer = compressor.writable.getWriter();
  const feeding = feed(writer, options, strips).catch(async (error: unknown) => {
    await writer.abort(error).catch(() => undefined);
    throw error;
  });
  // The reader fails too, and its error is thrown below.
  feeding.catch(() => undefined);
  const reader = compressor.readable.getReader();
  let done = false;
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
    done = true;
  } finally {
    // Nobody reads on, and the feeder would wait for that.
    if (!done) await reader.cancel().catch(() => undefined);
    await feeding;
    options.signal?.throwIfAborted();
  }
}

/** Feeds the compressor. Each row starts with the filter byte Sub (1), which is fast and suits smooth images. */
async function feed(
  writer: WritableStreamDefaultWriter<BufferSource>,
  { width, height, signal }: Pick<PngOptions, 'width' | 'height' | 'signal'>,
  strips: AsyncIterable<Uint8Array>,
): Promise<void> {
  let rows = 0;
  for await (const strip of strips) {
    signal?.throwIfAborted();
    const count = strip.length / (width * 3);
    rows += count;
    if (!Number.isInteger(count) || rows > height)
      throw new RangeError('A strip does not hold whole rows of the image.');
    await writer.write(filtered(strip, width, count));
  }
  if (rows !== height) throw new RangeError(`${rows} rows came for an image of ${height}.`);
  await writer.close();
}

function filtered(rgb: Uint8Array, width: number, rows: number): Uint8Array<ArrayBuffer> {
  const stride = width * 3;
  const out = new Uint8Array(rows * (stride + 1));
  for (let row = 0; row < rows; row++) {
    const to = row * (stride + 1);
    const from = row * stride;
    out[to] = 1;
    for (let i = 0; i < stride; i++) {
      out[to + 1 + i] = rgb[from + i]! - (i < 3 ? 0 : rgb[from + i - 3]!);
    }
  }
  return out;
}

export const PNG_END = chunk('IEND', new Uint8Array(0));

function header(width: number, height: number): Uint8Array {
  const bytes = new Uint8Array(13);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  bytes.set([8, 2, 0, 0, 0], 8);
  return bytes;
}

function about({ pixelsPerMeter, texts = {} }: PngOptions): Uint8Array<ArrayBuffer>[] {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  if (pixelsPerMeter !== undefined) {
    const bytes = new Uint8Array(9);
    const view = new DataView(bytes.buffer);
    pixelsPerMeter.forEach((value, i) => {
      view.setUint32(i * 4, Math.min(0x7fff_ffff, Math.round(value)));
    });
    bytes[8] = 1;
    parts.push(chunk('pHYs', bytes));
  }
  for (const [keyword, text] of Object.entries(texts)) {
    // iTXt: keyword, 0, not compressed, no language, no translated keyword, then UTF-8.
    parts.push(chunk('iTXt', new TextEncoder().encode(`${keyword}\0\0\0\0\0${text}`)));
  }
  return parts;
}

/** A part of a file: its length, type, content and checksum. */
export function chunk(type: string, data: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(12 + data.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, data.length);
  for (let i = 0; i < 4; i++) bytes[4 + i] = type.charCodeAt(i);
  bytes.set(data, 8);
  view.setUint32(8 + data.length, crc32(bytes.subarray(4, 8 + data.length)));
  return bytes;
}
