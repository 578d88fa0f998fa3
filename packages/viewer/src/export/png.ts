/**
 * PNG of any size, written row by row. A canvas is limited to 16,384 to 65,535 pixels per side, which a long line scan
 * exceeds.
 */
import {
  imageHeader,
  PNG_SIGNATURE,
  physicalSize,
  pngChunk,
  pngEnd,
  pngText,
} from '@acquisition-store/readers/derive/writers/png-chunks.js';

interface PngOptions {
  readonly width: number;
  readonly height: number;
  /** Texts by Latin-1 keyword, which some programs show. */
  readonly texts?: Readonly<Record<string, string>>;
  /** Pixels per meter in x and y, when both are lengths. */
  readonly pixelsPerMeter?: readonly [number, number];
  readonly signal?: AbortSignal;
}

const MAX_PER_METER = 2 ** 31 - 1;

/**
 * Writes a PNG. Each strip has the RGB bytes of some whole rows, from the top down, `height` rows in total.
 * @throws RangeError when the number of bytes is wrong
 */
export async function pngParts(options: PngOptions, strips: AsyncIterable<Uint8Array>): Promise<BlobPart[]> {
  const parts: BlobPart[] = pngStart(options);
  for await (const part of compressedRows(options, strips)) parts.push(pngChunk('IDAT', part));
  return [...parts, pngEnd()];
}

/** Returns what comes before the pixels. */
export function pngStart({ width, height, pixelsPerMeter, texts = {} }: Omit<PngOptions, 'signal'>) {
  const [x, y] = (pixelsPerMeter ?? []).map((value) => Math.min(MAX_PER_METER, Math.round(value)));
  return [
    PNG_SIGNATURE,
    imageHeader(width, height, 8, 'rgb'),
    ...(x === undefined || y === undefined ? [] : [physicalSize(x, y)]),
    ...Object.entries(texts).map(([keyword, text]) => pngText(keyword, text)),
  ];
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
