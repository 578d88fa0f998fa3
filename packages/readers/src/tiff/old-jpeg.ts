import { concat } from '../base/bytes.js';
import { decodeFailed, unsupported } from '../base/errors.js';
import { LIMITS } from '../base/limits.js';
import { grouped } from '../base/wording.js';
import { checkJpegFrame } from '../codecs/jpeg.js';
import { parseJpeg } from '../codecs/jpeg-segments.js';
import type { DecodedImage, ImageOptions } from '../codecs/types.js';
import { chunkGrid } from './chunk-table.js';
import { rgbInPlace } from './color-differences.js';
import { TAG } from './tags.js';
import type { TiffFile, TiffPage } from './types.js';

const YCBCR = 6;
const BASELINE = 1;

/** Decodes a strip or tile. */
export type DecodeOldJpeg = (stored: Uint8Array, rows: number) => DecodedImage;

/**
 * Returns a decoder for JPEG as TIFF 6.0 first had it (section 22, withdrawn in 1995): a complete stream somewhere in the file, or
 * tables in tags and strips without headers. Pixels of a block share its colors, as in libtiff.
 * @throws AcqError `unsupported_format` for lossless JPEG, `decode_failed` without tables
 */
export async function loadOldJpeg(file: TiffFile, page: TiffPage, limits: ImageOptions): Promise<DecodeOldJpeg> {
  const process = page.number(TAG.jpegProcess) ?? BASELINE;
  if (process !== BASELINE) throw unsupported(`old-style JPEG of process ${process} is not supported (only baseline)`);
  const { decodeJpegScans } = await import('../codecs/jpeg-scans.js');
  const { layout } = page;
  const toRgb = layout.photometric === YCBCR && layout.samplesPerPixel === 3 ? rgbInPlace(page) : undefined;
  const complete = readInterchange(file, page);
  const streamOf = chooseStream(file, page, complete);
  return (stored, rows) => {
    const stream = streamOf(stored, rows);
    checkJpegFrame(parseJpeg(stream), stream, limits);
    const image = decodeJpegScans(stream, { maxPixels: limits.maxPixels, repeat: true });
    toRgb?.(image.samples as Uint8Array);
    return image;
  };
}

type StreamOf = (stored: Uint8Array, rows: number) => Uint8Array;

function chooseStream(file: TiffFile, page: TiffPage, complete: Uint8Array | undefined): StreamOf {
  const isOnly = chunkGrid(page.layout, 'page').perPlane === 1;
  if (complete && isOnly && hasScan(complete)) return () => complete;
  const tables = complete ? undefined : tablesOf(file, page);
  return (stored, rows) => {
    if (stored[0] === 0xff && stored[1] === 0xd8) return stored;
    const header = complete ? headerOf(complete, rows) : concat([tables!, frameOf(page, rows)]);
    return concat([header, stored, END]);
  };
}

/** Marker of the header of a scan. */
const SCAN = 0xda;
const START = new Uint8Array([0xff, 0xd8]);
const END = new Uint8Array([0xff, 0xd9]);

/** Reads the stream that JPEGInterchangeFormat names, which may have headers only. */
function readInterchange(file: TiffFile, page: TiffPage): Uint8Array | undefined {
  const { size } = file.source;
  const offset = page.number(TAG.jpegInterchange);
  if (offset === undefined || !(offset > 0 && offset < size)) return undefined;
  const stated = page.number(TAG.jpegInterchangeLength) || size - offset;
  const stream = file.source.read(offset, Math.min(stated, size - offset, LIMITS.chunkBytes));
  return stream[0] === 0xff && stream[1] === 0xd8 ? stream : undefined;
}

/** Yields where the segments of a stream are, up to the header of the first scan. */
function* segmentsOf(stream: Uint8Array): Generator<{ marker: number; start: number; end: number }> {
  for (let start = 2; start + 4 <= stream.length && stream[start] === 0xff; ) {
    const marker = stream[start + 1]!;
    const end = start + 2 + ((stream[start + 2]! << 8) | stream[start + 3]!);
    yield { marker, start, end };
    if (marker === SCAN) return;
    start = end;
  }
}

/** True for a stream that has data behind the header of a scan. */
function hasScan(stream: Uint8Array): boolean {
  for (const { marker, end } of segmentsOf(stream)) if (marker === SCAN) return end < stream.length;
  return false;
}

/** Returns the headers of a stream for a strip: with its own height, up to the data of the scan. */
function headerOf(stream: Uint8Array, rows: number): Uint8Array {
  const parts: Uint8Array[] = [START];
  for (const { marker, start, end } of segmentsOf(stream)) {
    const segment = stream.slice(start, end);
    if (marker === 0xc0 || marker === 0xc1) {
      if (segment.length < 10 || rows > 65_535)
        throw decodeFailed('the frame header of its old-style JPEG is impossible');
      segment.set([rows >> 8, rows & 255], 5);
    }
    parts.push(segment);
    if (marker === SCAN) return concat(parts);
  }
  throw decodeFailed('the headers of its old-style JPEG are corrupted or truncated');
}

/** Builds the tables that three tags point to: 64 factors, 16 counts of Huffman codes and their symbols. */
function tablesOf(file: TiffFile, page: TiffPage): Uint8Array {
  const parts: Uint8Array[] = [START];
  const count = page.layout.samplesPerPixel;
  const offsets = (code: number) => {
    const listed = page.numbers(code)?.slice(0, count) ?? [];
    if (listed.length < count) throw decodeFailed('the tables of its old-style JPEG are missing');
    return listed;
  };
  for (const [number, offset] of offsets(TAG.jpegQTables).entries()) {
    parts.push(segment(0xdb, [number, ...file.source.read(offset, 64)]));
  }
  for (const [kind, code] of [TAG.jpegDcTables, TAG.jpegAcTables].entries()) {
    for (const [number, offset] of offsets(code).entries()) {
      const counts = file.source.read(offset, 16);
      const symbols = counts.reduce((sum, one) => sum + one, 0);
      if (symbols > 256) throw decodeFailed('a Huffman table of its old-style JPEG is impossible');
      parts.push(segment(0xc4, [kind * 16 + number, ...counts, ...file.source.read(offset + 16, symbols)]));
    }
  }
  const interval = page.number(TAG.jpegRestartInterval) ?? 0;
  if (interval > 0) parts.push(segment(0xdd, [(interval >> 8) & 255, interval & 255]));
  return concat(parts);
}

/** Builds the frame header and the scan header of a strip or tile. */
function frameOf(page: TiffPage, rows: number): Uint8Array {
  const { samplesPerPixel: count, chunkWidth: width, photometric } = page.layout;
  if (rows > 65_535 || width > 65_535)
    throw decodeFailed(`old-style JPEG has at most ${grouped(65_535)} rows and columns`);
  const [across = 2, down = 2] =
    photometric === YCBCR && count === 3 ? (page.numbers(TAG.yCbCrSubSampling) ?? []) : [1, 1];
  const frame = [8, rows >> 8, rows & 255, width >> 8, width & 255, count];
  const scan = [count];
  for (let i = 0; i < count; i++) {
    frame.push(i, i === 0 ? (across << 4) | down : 0x11, i);
    scan.push(i, (i << 4) | i);
  }
  return concat([segment(0xc0, frame), segment(0xda, [...scan, 0, 63, 0])]);
}

function segment(marker: number, content: readonly number[]): Uint8Array {
  const length = content.length + 2;
  return new Uint8Array([0xff, marker, length >> 8, length & 255, ...content]);
}
