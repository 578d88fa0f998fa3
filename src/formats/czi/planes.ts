/** Pieces of subblocks to a plane: exact reads, raw pixels streamed through one small buffer. */
import { decodeScratch } from '../../codecs/scratch.js';
import { AcqError, decodeFailed } from '../../errors.js';
import type { ByteSource } from '../../io/byte-source.js';
import { createChunkCache } from '../../samples/chunk-cache.js';
import { Pace } from '../../samples/pace.js';
import { type PlaneTarget, putZeros } from '../../samples/plane-target.js';
import { SAMPLE_ARRAYS, type SampleArray } from '../../samples/types.js';
import type { CziChannel, CziScene } from './arrange.js';
import type { BlockShape, BlockTable } from './blocks.js';
import type { Parts } from './parts.js';
import type { PixelType } from './pixel-types.js';
import { type Piece, planPlane, samplesOf } from './plan.js';
import {
  asSamples,
  type Compression,
  compressionOf,
  decodeBlock,
  IMAGE_COMPRESSIONS,
  parseSubblock,
  type RawSubblock,
  SUBBLOCK_HEAD,
} from './subblock.js';

/** Stays in the second-level cache between the read and the conversion. */
const BUFFER_BYTES = 512 * 1024;
/** Widest element of a typed array. */
const ALIGNMENT = 8;

/** Reads planes of one file; remembers decoded subblocks that several planes share. */
export class PlaneReader {
  private readonly table: BlockTable;
  private readonly parts: Parts;
  private readonly cache = createChunkCache();
  private buffer: Uint8Array<ArrayBuffer> | undefined;
  /** Bytes from a subblock's start to its pixels, as the last one had it: the next one mostly has it, too. */
  private lastStart = SUBBLOCK_HEAD + 256;

  constructor(table: BlockTable, parts: Parts) {
    this.table = table;
    this.parts = parts;
  }

  /**
   * @param sample sample of a colour pixel, in the order R, G, B, A; 0 for grey
   * @throws AcqError `decode_failed`, `unsupported_format`
   */
  async read(
    scene: CziScene,
    channel: CziChannel,
    sample: number,
    at: { t: number; z: number },
    target: PlaneTarget,
    signal?: AbortSignal,
  ): Promise<void> {
    signal?.throwIfAborted();
    const { pieces, covered } = planPlane(this.table, scene, channel.c, at.t, at.z);
    // What no subblock covers is 0.
    if (!covered) putZeros(target, scene.sampleType);
    const pace = new Pace(signal);
    for (const piece of pieces) {
      if (pace.due) await pace.rest();
      if (target.wants?.(piece.row, piece.rows) === false) continue;
      await this.readPiece(piece, sample, target, signal);
    }
  }

  /** Rows at which the pieces of a scene's first plane start. */
  bands(scene: CziScene, channel: CziChannel | undefined): number {
    if (!channel) return 1;
    return new Set(planPlane(this.table, scene, channel.c, 0, 0).pieces.map(({ row }) => row)).size;
  }

  /** Bytes that a scene's planes take beside their target: those of the largest compressed subblock of the first one. */
  scratchBytes(scene: CziScene, channel: CziChannel | undefined): number {
    if (!channel) return 0;
    const pieces = planPlane(this.table, scene, channel.c, 0, 0).pieces;
    return pieces.reduce((most, { block, type }) => {
      const shape = this.table.shape(block);
      if (shape.compression === 0) return most;
      const decoded = samplesOf(shape, type) * SAMPLE_ARRAYS[type.sample].BYTES_PER_ELEMENT;
      return Math.max(most, decodeScratch(decoded, IMAGE_COMPRESSIONS.has(shape.compression) ? 'image' : 'bytes'));
    }, 0);
  }

  private async readPiece(piece: Piece, sample: number, target: PlaneTarget, signal?: AbortSignal): Promise<void> {
    const { block, type } = piece;
    const position = this.table.position(block);
    const shape = this.table.shape(block);
    const source = this.parts.open(this.table.part(block));
    const cached = this.cache.get(String(block));
    if (cached) {
      putPiece(piece, sample, cached.rowStride === BGR, cached.samples, 0, target, 0, piece.rows);
      return;
    }
    const rawBytes = samplesOf(shape, type) * SAMPLE_ARRAYS[type.sample].BYTES_PER_ELEMENT;
    const head = this.readHead(source, position, shape, rawBytes);
    const subblock = parseSubblock(source.name, head, position);
    this.lastStart = subblock.dataStart;
    try {
      const compression = this.compressionAt(source, position, subblock, shape, rawBytes);
      if (compression === 'raw') this.putRaw(source, head, position, subblock, piece, sample, rawBytes, target, signal);
      else await this.putDecoded(source, position, subblock, compression, piece, sample, target);
    } catch (error) {
      throw located(error, source.name, position);
    }
  }

  /** The head of a subblock; with its pixels, when they are raw and few: one read instead of two. */
  private readHead(source: ByteSource, position: number, shape: BlockShape, rawBytes: number): Uint8Array {
    const whole = this.lastStart + rawBytes;
    if (shape.compression !== 0 || whole > BUFFER_BYTES - ALIGNMENT || position + whole > source.size) {
      return source.read(position, SUBBLOCK_HEAD);
    }
    // The pixels start at a multiple of the sample's width, if the guess about their place is right.
    const lead = (ALIGNMENT - (this.lastStart % ALIGNMENT)) % ALIGNMENT;
    this.buffer ??= new Uint8Array(BUFFER_BYTES);
    const bytes = this.buffer.subarray(lead, lead + whole);
    source.readInto(bytes, position);
    return bytes;
  }

  private compressionAt(
    source: ByteSource,
    position: number,
    { dataStart, dataSize }: RawSubblock,
    shape: BlockShape,
    rawBytes: number,
  ): Compression {
    if (shape.compression === 0) return 'raw';
    const start = dataSize === rawBytes ? source.read(position + dataStart, Math.min(8, dataSize)) : new Uint8Array();
    return compressionOf(shape, dataSize, rawBytes, start);
  }

  private async putDecoded(
    source: ByteSource,
    position: number,
    { dataStart, dataSize }: RawSubblock,
    compression: Exclude<Compression, 'raw'>,
    piece: Piece,
    sample: number,
    target: PlaneTarget,
  ): Promise<void> {
    const { block, type } = piece;
    const shape = this.table.shape(block);
    const data = source.read(position + dataStart, dataSize);
    const { samples, bgr } = await decodeBlock(data, compression, shape, type);
    putPiece(piece, sample, bgr, samples, 0, target, 0, piece.rows);
    const shared = type.samples > 1 || samples.length > piece.rows * piece.columns;
    if (shared) this.cache.put(String(block), { samples, rowStride: bgr ? BGR : 0 });
  }

  private putRaw(
    source: ByteSource,
    head: Uint8Array,
    position: number,
    { dataStart, dataSize }: RawSubblock,
    piece: Piece,
    sample: number,
    rawBytes: number,
    target: PlaneTarget,
    signal: AbortSignal | undefined,
  ): void {
    if (dataSize < rawBytes) throw decodeFailed(`holds ${dataSize} bytes of the ${rawBytes} that its pixels need`);
    if (dataStart + rawBytes <= head.length) {
      const samples = asSamples(head.subarray(dataStart, dataStart + rawBytes), piece.type);
      putPiece(piece, sample, true, samples, 0, target, 0, piece.rows);
      return;
    }
    this.streamRows(source, position + dataStart, piece, sample, rawBytes, target, signal);
  }

  /** Rows in runs that fit into the buffer; a single row that does not fit is read as a whole. */
  private streamRows(
    source: ByteSource,
    dataAt: number,
    piece: Piece,
    sample: number,
    rawBytes: number,
    target: PlaneTarget,
    signal: AbortSignal | undefined,
  ): void {
    const width = SAMPLE_ARRAYS[piece.type.sample].BYTES_PER_ELEMENT;
    const rowSpan = (piece.columns - 1) * piece.columnStride + piece.type.samples;
    const rowsAtOnce = runLength(piece, rowSpan, BUFFER_BYTES / width);
    for (let row = 0; row < piece.rows; row += rowsAtOnce) {
      signal?.throwIfAborted();
      const rows = Math.min(rowsAtOnce, piece.rows - row);
      const first = piece.offset + row * piece.rowStride;
      const bytes = ((rows - 1) * piece.rowStride + rowSpan) * width;
      if (first * width + bytes > rawBytes) throw decodeFailed('has rows outside its pixels');
      const run = this.runBuffer(bytes);
      source.readInto(run, dataAt + first * width);
      putPiece(piece, sample, true, asSamples(run, piece.type), first, target, row, rows);
    }
  }

  private runBuffer(bytes: number): Uint8Array<ArrayBuffer> {
    if (bytes > BUFFER_BYTES) return new Uint8Array(bytes);
    this.buffer ??= new Uint8Array(BUFFER_BYTES);
    return this.buffer.subarray(0, bytes);
  }
}

/** Marks a cached subblock whose pixels are in the order B, G, R. */
const BGR = 1;

/** Rows that are read together: what fits, but no more than one when most of the bytes between them are of others. */
function runLength({ rows, rowStride }: Piece, rowSpan: number, room: number): number {
  // Rows run faster than columns: every row spans the whole subblock.
  if (rowStride < rowSpan) return rows;
  if (rowStride > rowSpan * 4) return 1;
  return Math.max(1, Math.min(rows, Math.floor((room - rowSpan) / rowStride) + 1));
}

/** @param from index in the subblock of the first of `samples` */
function putPiece(
  piece: Piece,
  sample: number,
  bgr: boolean,
  samples: SampleArray,
  from: number,
  target: PlaneTarget,
  row: number,
  rows: number,
): void {
  const { rowStride, columnStride } = piece;
  const offset = piece.offset + row * rowStride - from + memoryIndex(piece.type, sample, bgr);
  target.put({ samples, offset, rowStride, columnStride }, piece.row + row, piece.column, rows, piece.columns);
}

/** Where R, G, B, A lie in a pixel. */
function memoryIndex(type: PixelType, sample: number, bgr: boolean): number {
  return bgr && type.samples > 1 && sample < 3 ? 2 - sample : sample;
}

function located(error: unknown, name: string, position: number): unknown {
  if (!(error instanceof AcqError) || error.message.startsWith(name)) return error;
  return new AcqError(error.code, `${name}: the subblock at offset ${position} ${error.message}`, { cause: error });
}
