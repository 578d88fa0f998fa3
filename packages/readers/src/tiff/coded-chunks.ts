import { AcqError, decodeFailed } from '../base/errors.js';
import { LIMITS } from '../base/limits.js';
import { grouped, plural } from '../base/wording.js';
import type { FaxOptions } from '../codecs/fax.js';
import { BYTE_CODECS, IMAGE_CODECS, type ImageCodecName } from '../codecs/index.js';
import type { ByteDecoder, DecodedImage } from '../codecs/types.js';
import { checkRange } from '../io/byte-source.js';
import type { DecodedChunk } from '../model/samples/chunk-cache.js';
import { toHostWords, viewAs } from '../model/samples/host-words.js';
import { float16ToFloat32, float24ToFloat32 } from '../model/samples/narrow-floats.js';
import type { Rectangle } from '../model/samples/plane-target.js';
import { allocateSamples, SAMPLE_ARRAYS, type SampleArray } from '../model/samples/types.js';
import {
  type ChunkTable,
  chunkBytes,
  chunkRows,
  chunkWord,
  readChunkTable,
  rowBytes,
  rowSamples,
} from './chunk-table.js';
import { rgbOfDifferences } from './color-differences.js';
import type { TiffCompression } from './compression.js';
import { extendSign, isPacked } from './packed-bits.js';
import { type PageJob, putUnwritten } from './page-job.js';
import { maskSamples, undoDifferencing, undoFloatPredictor } from './predictor.js';
import { reverseBits, toSamples } from './samples.js';
import { TAG } from './tags.js';
import type { PageLayout } from './types.js';

/** Bytes that a stream may have beyond those of the geometry: some writers add padding rows. */
const SLACK = 65_536;

/** @param reuse may receive the samples */
type DecodeRows = (stored: Uint8Array, rows: number, reuse: Uint8Array | undefined) => DecodedChunk;

/**
 * Memory for one chunk after the other, as stored and decoded. New memory for each would make the garbage collector look at
 * everything, again and again, for bytes that are needed for a moment.
 */
class ChunkScratch {
  private stored = new Uint8Array(0);
  private decoded = new Uint8Array(0);

  forStored(bytes: number): Uint8Array {
    if (this.stored.length < bytes) this.stored = new Uint8Array(bytes);
    return this.stored.subarray(0, bytes);
  }

  forDecoded(bytes: number): Uint8Array {
    if (this.decoded.length < bytes) this.decoded = new Uint8Array(bytes);
    return this.decoded;
  }
}

/** Reads a page whose strips or tiles are compressed or use a predictor. Each is decoded as a whole. */
export async function readCoded(job: PageJob, compression: TiffCompression): Promise<void> {
  const { layout, picks, pace } = job;
  const table = readChunkTable(job.file, job.page);
  const decode = await loadDecoder(job, compression);
  const base = layout.planar ? (picks[0]?.sample ?? 0) * table.perPlane : 0;
  const columnStride = layout.planar ? 1 : layout.samplesPerPixel;
  const memory = isKept(job) ? undefined : new ChunkScratch();
  for (let i = 0; i < table.perPlane; i++) {
    const at = findArea(job, table, i);
    if (picks.every(({ target }) => target.wants?.(at.row, at.rows) === false)) continue;
    const rows = chunkRows(layout, Math.floor(i / table.across));
    const chunk = readChunk(job, table, base + i, { decode, rows, memory });
    if (chunk) {
      for (const { sample, target } of picks) {
        const piece = { ...chunk, offset: layout.planar ? 0 : sample, columnStride };
        target.put(piece, at.row, at.column, at.rows, at.columns);
      }
    } else putUnwritten(job, at);
    if (pace.due) await pace.rest();
  }
}

/** Returns the part of the plane that a chunk covers: tiles may extend beyond the right and lower edge. */
function findArea(job: PageJob, table: ChunkTable, index: number): Rectangle {
  const { layout } = job;
  const row = Math.floor(index / table.across) * layout.chunkHeight;
  const column = (index % table.across) * layout.chunkWidth;
  return {
    row,
    rows: Math.min(layout.chunkHeight, layout.height - row),
    column,
    columns: Math.min(layout.chunkWidth, layout.width - column),
  };
}

/** True when other reads need the same chunks, for the samples that this one does not pick. */
function isKept({ layout, picks }: PageJob): boolean {
  return !layout.planar && layout.samplesPerPixel > picks.length;
}

interface ChunkOrder {
  decode: DecodeRows;
  rows: number;
  /** Missing for chunks that are kept. */
  memory: ChunkScratch | undefined;
}

function readChunk(
  job: PageJob,
  table: ChunkTable,
  index: number,
  { decode, rows, memory }: ChunkOrder,
): DecodedChunk | undefined {
  const { file, layout } = job;
  const offset = table.offsets[index]!;
  if (offset === 0) return undefined;
  const key = `${job.page.ifdOffset}:${index}`;
  const cached = memory ? undefined : file.chunkCache.get(key);
  if (cached) return cached;
  const stored = table.counts[index]!;
  try {
    if (!memory) {
      const chunk = decode(file.source.read(offset, stored), rows, undefined);
      file.chunkCache.put(key, chunk);
      return chunk;
    }
    checkRange(file.source.name, file.source.size, offset, stored);
    const bytes = memory.forStored(stored);
    file.source.readInto(bytes, offset);
    return decode(bytes, rows, memory.forDecoded(rows * rowBytes(layout)));
  } catch (error) {
    if (!(error instanceof AcqError)) throw error;
    const place = `${job.where}: ${chunkWord(layout)} ${grouped(index + 1)} of ${grouped(table.offsets.length)} at offset ${grouped(offset)}`;
    throw error.restated(`${place}: ${error.statement}`);
  }
}

async function loadDecoder(job: PageJob, compression: TiffCompression): Promise<DecodeRows> {
  const { layout } = job;
  const whole = rowBytes(layout) * layout.chunkHeight;
  if (whole > LIMITS.chunkBytes) {
    throw decodeFailed(
      `${job.where} has ${chunkWord(layout)}s of ${grouped(whole)} bytes; the limit is ${grouped(LIMITS.chunkBytes)}`,
    );
  }
  if (compression.kind === 'image') return await loadImageDecoder(job, compression.codec);
  if (compression.kind === 'old-jpeg') return await loadOldJpegDecoder(job);
  if (compression.kind === 'fax') return await loadFaxDecoder(job, compression.scheme);
  const toRgb = layout.colorDifferences && rgbOfDifferences(job.page, layout.colorDifferences);
  const decoder: ByteDecoder = compression.kind === 'bytes' ? await BYTE_CODECS[compression.codec]() : (data) => data;
  const perRow = rowSamples(layout);
  return (stored, rows, reuse) => {
    if (layout.fillOrder === 2) reverseBits(stored);
    const needed = chunkBytes(layout, rows);
    const bytes = decoder(stored, { expected: needed, limit: whole + SLACK, reuse });
    checkLength(bytes, needed);
    if (toRgb) return { samples: toRgb(bytes, rows), rowStride: perRow };
    return { samples: toUnpredicted(job, bytes.subarray(0, needed), rows, perRow), rowStride: perRow };
  };
}

/** Pixels of a strip or tile, each a byte when it is decoded. */
const MAX_FAX_PIXELS = 2 ** 28;

/** Faxes have one bit for each pixel. */
async function loadFaxDecoder({ layout, page, file }: PageJob, scheme: FaxOptions['scheme']): Promise<DecodeRows> {
  if (layout.bits !== 1 || layout.samplesPerPixel !== 1) {
    throw decodeFailed(
      `is compressed as a fax, but has ${plural(layout.samplesPerPixel, 'sample')} of ${plural(layout.bits, 'bit')} per pixel`,
    );
  }
  const pixels = layout.chunkWidth * layout.chunkHeight;
  // A row takes one bit at least, whatever its width: the size in the file bounds nothing.
  if (pixels > MAX_FAX_PIXELS) {
    throw decodeFailed(
      `${chunkWord(layout)}s have ${grouped(pixels)} pixels; the limit of faxes is ${grouped(MAX_FAX_PIXELS)}`,
    );
  }
  const { decodeFax } = await import('../codecs/fax.js');
  const columns = layout.chunkWidth;
  const twoDimensional = ((page.number(TAG.t4Options) ?? 0) & 1) === 1;
  return (stored, rows) => {
    if (layout.fillOrder === 2) reverseBits(stored);
    const bytes = decodeFax(stored, { columns, rows, scheme, twoDimensional });
    checkLength(bytes, rows * rowBytes(layout));
    return { samples: toSamples(bytes, layout, file.littleEndian, rows, columns), rowStride: columns };
  };
}

function checkLength({ length }: Uint8Array, needed: number): void {
  if (length >= needed) return;
  throw decodeFailed(
    `has ${grouped(length)} bytes, but its pixels need ${grouped(needed)}; it is truncated or corrupted`,
  );
}

/** Image codecs store their own sizes and sample types, which must match those of the page. */
async function loadImageDecoder(job: PageJob, codec: ImageCodecName): Promise<DecodeRows> {
  const decode = await IMAGE_CODECS[codec]();
  const tables = job.page.bytes(TAG.jpegTables);
  const colours = job.layout.photometric === 6 ? 'ycbcr' : 'rgb';
  const limits = imageLimits(job.layout);
  return (stored, rows) => toChunk(decode(stored, { ...limits, tables, colours }), job.layout, rows);
}

async function loadOldJpegDecoder({ file, page, layout }: PageJob): Promise<DecodeRows> {
  const { loadOldJpeg } = await import('./old-jpeg.js');
  const decode = await loadOldJpeg(file, page, imageLimits(layout));
  return (stored, rows) => toChunk(decode(stored, rows), layout, rows);
}

function imageLimits(layout: PageLayout) {
  // Writers pad strips and tiles to whole blocks of the codec.
  const maxPixels = (layout.chunkWidth + 64) * (layout.chunkHeight + 64);
  return { maxPixels, components: layout.planar ? 1 : layout.samplesPerPixel };
}

function toChunk(image: DecodedImage, layout: PageLayout, rows: number): DecodedChunk {
  const { components } = imageLimits(layout);
  if (image.components !== components || image.width < layout.chunkWidth || image.height < rows) {
    throw decodeFailed(
      `decodes to ${grouped(image.width)} × ${grouped(image.height)} pixels of ${plural(image.components, 'sample')}; ` +
        `expected ${grouped(layout.chunkWidth)} × ${grouped(rows)} of ${grouped(components)}`,
    );
  }
  return { samples: toPageType(image, layout), rowStride: image.width * components };
}

/** Converts decoded samples to the type of the page: viewed if the width matches, widened otherwise. */
function toPageType(image: DecodedImage, layout: PageLayout): SampleArray {
  const { samples } = image;
  const { sampleType, sampleFormat } = layout;
  if (sampleFormat === 'float' || samples.BYTES_PER_ELEMENT * 8 > wholeBits(layout)) {
    throw decodeFailed(
      `decodes to ${samples.BYTES_PER_ELEMENT * 8}-bit integers, but the page has ${sampleType} samples`,
    );
  }
  if (samples.BYTES_PER_ELEMENT * 8 === wholeBits(layout)) return viewAs(samples, sampleType);
  const wide = allocateSamples(sampleType, samples.length);
  if (wide instanceof BigUint64Array || wide instanceof BigInt64Array) {
    throw decodeFailed(
      `decodes to ${samples.BYTES_PER_ELEMENT * 8}-bit integers, but the page has ${sampleType} samples`,
    );
  }
  wide.set(samples);
  return wide;
}

/** Returns the bits of one sample in memory. */
function wholeBits(layout: PageLayout): number {
  return SAMPLE_ARRAYS[layout.sampleType].BYTES_PER_ELEMENT * 8;
}

/** Converts stored bytes to samples and undoes the predictor of the page. Uses up `bytes`. */
function toUnpredicted(job: PageJob, bytes: Uint8Array, rows: number, perRow: number): SampleArray {
  const { layout, file } = job;
  const { bits, predictor, sampleFormat, sampleType } = layout;
  const stride = layout.planar ? 1 : layout.samplesPerPixel;
  if (predictor === 1) return toSamples(bytes, layout, file.littleEndian, rows, perRow);
  if (predictor === 3) {
    if (sampleFormat !== 'float') throw decodeFailed('uses the floating point predictor, but its samples are integers');
    const words = undoFloatPredictor(bytes, bits / 8, rows, perRow, stride);
    if (bits === 24) return float24ToFloat32(words as Uint8Array, rows * perRow, false);
    return bits === 16 ? float16ToFloat32(words as Uint16Array) : viewAs(words, sampleType);
  }
  if (predictor !== 2) throw unsupportedPredictor(predictor);
  if (isPacked(layout)) {
    const samples = toSamples(bytes, layout, file.littleEndian, rows, perRow);
    undoDifferencing(samples, rows, perRow, stride);
    maskSamples(samples, bits);
    if (sampleFormat === 'int') extendSign(samples, bits);
    return samples;
  }
  if (bits === 24) throw unsupportedPredictor(predictor);
  const words = toHostWords(bytes, bits, rows * perRow, file.littleEndian);
  undoDifferencing(words, rows, perRow, stride);
  return sampleType === 'float16' ? float16ToFloat32(words as Uint16Array) : viewAs(words, sampleType);
}

function unsupportedPredictor(predictor: number): AcqError {
  return new AcqError('unsupported_format', `predictor ${predictor} is not supported for these samples`);
}
