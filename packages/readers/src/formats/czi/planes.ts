/** Reads planes: only the bytes that a plane needs, raw pixels through one small buffer. */

import { AcqError, decodeFailed } from '../../base/errors.js';
import { about } from '../../base/subject.js';
import { grouped } from '../../base/wording.js';
import { decodeScratch } from '../../codecs/scratch.js';
import type { ByteSource } from '../../io/byte-source.js';
import { NearbyParts } from '../../io/nearby-parts.js';
import { readRows } from '../../io/read-rows.js';
import { createChunkCache } from '../../model/samples/chunk-cache.js';
import { lends } from '../../model/samples/lent-rows.js';
import { Pace } from '../../model/samples/pace.js';
import { type PlaneTarget, putZeros, RowsTarget } from '../../model/samples/plane-target.js';
import { bytesPerElement } from '../../model/samples/types.js';
import type { CziChannel, CziScene } from './arrange.js';
import type { BlockShape, SubblockTable } from './blocks.js';
import type { CziParts } from './parts.js';
import type { PixelType } from './pixel-types.js';
import { countSamples, type PlanePlanner, type SubblockPiece } from './plan.js';
import {
  type DecodedBlock,
  decodeBlock,
  findCompression,
  IMAGE_COMPRESSIONS,
  parseSubblock,
  SUBBLOCK_HEAD,
  type SubblockCompression,
  toSamples,
} from './subblock.js';

/** Fits in the second-level cache, so that the samples are still there when they are converted. */
const BUFFER_BYTES = 512 * 1024;
/** Pixels of this size are read without the head of their subblock, straight into the plane: a copy costs more than a read. */
const DIRECT_BYTES = 32 * 1024;
/** Bytes of the widest element of a typed array. */
const ALIGNMENT = 8;

/** Identifies planes of a scene: one for each sample of a pixel. */
export interface CziPlane {
  channel: CziChannel;
  t: number;
  z: number;
}

/** A sample of a color pixel in the order R, G, B, A, or 0 for gray, and the plane that it is read into. */
export interface SamplePick {
  sample: number;
  target: PlaneTarget;
}

/** Where the samples of pixels go. */
interface Destination {
  picks: readonly SamplePick[];
  signal: AbortSignal | undefined;
}

/** A subblock among those of a plane. */
interface SubblockPlace {
  /** Offset of each in the main file; not a number for those in other files. */
  starts: Float64Array;
  at: number;
}

/** A subblock in its file. */
interface StoredBlock {
  /** Bytes from the start of the segment to the pixels. */
  dataStart: number;
  dataSize: number;
  source: ByteSource;
  position: number;
  shape: BlockShape;
  type: PixelType;
  /** Bytes of all its pixels without compression. */
  rawBytes: number;
  /** First bytes of the subblock; all of it when it is raw and small. */
  head: Uint8Array;
}

/** Reads planes of one file. Caches decoded subblocks that several planes share. */
export class CziPlaneReader {
  private readonly table: SubblockTable;
  private readonly parts: CziParts;
  private readonly planner: PlanePlanner;
  private readonly cache = createChunkCache<DecodedBlock>();
  private buffer: Uint8Array<ArrayBuffer> | undefined;
  /** Bytes from the start of the last subblock to its pixels: mostly the same in the next one. */
  private lastStart = SUBBLOCK_HEAD + 256;
  private readonly nearby: NearbyParts;

  constructor(planner: PlanePlanner, parts: CziParts) {
    this.table = planner.table;
    this.planner = planner;
    this.parts = parts;
    this.nearby = new NearbyParts(parts.main);
  }

  /**
   * Reads samples of a plane into their targets, in one pass of the file. Pixels that no subblock covers are 0.
   * @throws AcqError `decode_failed`, `unsupported_format`, `companion_missing`
   */
  async read(scene: CziScene, plane: CziPlane, picks: readonly SamplePick[], signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const { channel, t, z } = plane;
    const { pieces, covered } = this.planner.plan(scene, { c: channel.c, t, z });
    if (!covered) for (const { target } of picks) putZeros(target, scene.sampleType);
    const pace = new Pace(signal);
    const to = { picks, signal };
    const starts = Float64Array.from(pieces, ({ block }) => this.startOf(block));
    for (const [at, piece] of pieces.entries()) {
      if (pace.due) await pace.rest();
      if (picks.every(({ target }) => target.wants?.(piece.row, piece.rows) === false)) continue;
      const decoding = this.readPiece(piece, to, { starts, at });
      if (decoding !== undefined) await decoding;
    }
  }

  /** Returns the number of rows at which the pieces of a scene's first plane start. */
  countBands(scene: CziScene, channel: CziChannel): number {
    return new Set(this.firstPieces(scene, channel).map(({ row }) => row)).size;
  }

  /** Returns the bytes that reading a plane takes beside its target, from the compressed subblocks of the first plane. */
  scratchBytes(scene: CziScene, channel: CziChannel): number {
    return this.firstPieces(scene, channel).reduce((max, { block, type }) => {
      const shape = this.table.shape(block);
      if (shape.compression === 0) return max;
      const kind = IMAGE_COMPRESSIONS.has(shape.compression) ? 'image' : 'bytes';
      return Math.max(max, decodeScratch(countBytes(shape, type), kind));
    }, 0);
  }

  private firstPieces(scene: CziScene, { c }: CziChannel): SubblockPiece[] {
    return this.planner.plan(scene, { c, t: 0, z: 0 }).pieces;
  }

  /** Reads raw pixels at once: a plane may have thousands of tiles. Returns a promise for compressed ones. */
  private readPiece(piece: SubblockPiece, to: Destination, place: SubblockPlace): Promise<void> | undefined {
    const cached = this.cache.get(String(piece.block));
    if (cached) {
      putPiece(piece, to, cached);
      return undefined;
    }
    const direct = this.lender(piece, to);
    const block = this.openBlock(piece, place, direct !== undefined);
    try {
      const compression = readCompression(block);
      if (compression !== 'raw') return this.readCompressed(piece, to, block, compression);
      checkPixels(piece, block);
      if (direct) readDirect(direct, piece, block, to.signal);
      else this.readRaw(piece, to, block);
      return undefined;
    } catch (error) {
      throw withPosition(error, block);
    }
  }

  private startOf(block: number): number {
    return this.table.part(block) === 0 ? this.table.position(block) : Number.NaN;
  }

  private async readCompressed(
    piece: SubblockPiece,
    to: Destination,
    block: StoredBlock,
    compression: Exclude<SubblockCompression, 'raw'>,
  ): Promise<void> {
    try {
      putPiece(piece, to, await this.decode(piece, block, compression));
    } catch (error) {
      throw withPosition(error, block);
    }
  }

  /** Returns the rows of the only target, if it lends memory for them and they follow each other in the subblock. */
  private lender({ block, type, ...piece }: SubblockPiece, { picks }: Destination): PlaneTarget | undefined {
    const { row, rows, columns, rowStride, columnStride } = piece;
    const [pick] = picks;
    if (picks.length !== 1 || !pick || !lends(pick.target, type.sample)) return undefined;
    if (this.table.shape(block).compression !== 0) return undefined;
    const isWhole = columnStride === 1 && rowStride === columns && columns === pick.target.columns;
    const isLarge = rows * columns * bytesPerElement(type.sample) >= DIRECT_BYTES;
    return isWhole && isLarge ? new RowsTarget(pick.target, row, rows) : undefined;
  }

  private openBlock({ block, type }: SubblockPiece, place: SubblockPlace, headOnly: boolean): StoredBlock {
    const position = this.table.position(block);
    const shape = this.table.shape(block);
    const source = this.parts.open(this.table.part(block));
    const rawBytes = countBytes(shape, type);
    const first = this.readHead(source, position, place, shape.compression === 0 && !headOnly ? rawBytes : undefined);
    const { dataStart, dataSize } = about(source.name, () => parseSubblock(first, position));
    this.lastStart = dataStart;
    // Its metadata may be longer than those of the last one.
    const isShort = first.length < dataStart + rawBytes;
    const head = (isShort && this.nearby.view(place.starts[place.at]!, dataStart + rawBytes)) || first;
    return { dataStart, dataSize, source, position, shape, type, rawBytes, head };
  }

  /**
   * Reads the head of a subblock. Includes the pixels when they are raw and few, and then small subblocks behind it that
   * are wanted too: one read instead of many.
   */
  private readHead(
    source: ByteSource,
    position: number,
    { starts, at }: SubblockPlace,
    rawBytes = Number.POSITIVE_INFINITY,
  ): Uint8Array {
    const length = this.lastStart + rawBytes;
    if (length > BUFFER_BYTES - ALIGNMENT || position + length > source.size) {
      return source.read(position, SUBBLOCK_HEAD);
    }
    // Aligns the pixels, if they start where those of the last subblock did.
    const lead = (ALIGNMENT - (this.lastStart % ALIGNMENT)) % ALIGNMENT;
    this.nearby.moveTo(starts, at, length, lead);
    const near = this.nearby.view(starts[at]!, length);
    if (near) return near;
    this.buffer ??= new Uint8Array(BUFFER_BYTES);
    const bytes = this.buffer.subarray(lead, lead + length);
    source.readInto(bytes, position);
    return bytes;
  }

  private async decode(
    piece: SubblockPiece,
    { source, position, dataStart, dataSize, shape, type }: StoredBlock,
    compression: Exclude<SubblockCompression, 'raw'>,
  ): Promise<DecodedBlock> {
    const data = source.read(position + dataStart, dataSize);
    const decoded = await decodeBlock(data, compression, shape, type);
    const isShared = type.samples > 1 || decoded.samples.length > piece.rows * piece.columns;
    if (isShared) this.cache.put(String(piece.block), decoded);
    return decoded;
  }

  private readRaw(piece: SubblockPiece, to: Destination, block: StoredBlock): void {
    const { dataStart, rawBytes, head, type } = block;
    if (dataStart + rawBytes > head.length) {
      this.readInPieces(piece, to, block);
      return;
    }
    putPiece(piece, to, { samples: toSamples(head.subarray(dataStart, dataStart + rawBytes), type), bgr: true });
  }

  /** Reads as many rows at a time as fit in the buffer, at least one. */
  private readInPieces(
    piece: SubblockPiece,
    to: Destination,
    { source, position, dataStart, type }: StoredBlock,
  ): void {
    const width = bytesPerElement(type.sample);
    const rowSpan = (piece.columns - 1) * piece.columnStride + type.samples;
    const rowsAtOnce = countRowsAtOnce(piece, rowSpan, BUFFER_BYTES / width);
    for (let row = 0; row < piece.rows; row += rowsAtOnce) {
      to.signal?.throwIfAborted();
      const rows = Math.min(rowsAtOnce, piece.rows - row);
      const first = piece.offset + row * piece.rowStride;
      const bytes = ((rows - 1) * piece.rowStride + rowSpan) * width;
      const run = this.borrowBuffer(bytes);
      source.readInto(run, position + dataStart + first * width);
      putPiece(piece, to, { samples: toSamples(run, type), bgr: true, first }, { row, rows });
    }
  }

  private borrowBuffer(bytes: number): Uint8Array<ArrayBuffer> {
    if (bytes > BUFFER_BYTES) return new Uint8Array(bytes);
    this.buffer ??= new Uint8Array(BUFFER_BYTES);
    return this.buffer.subarray(0, bytes);
  }
}

/** @throws AcqError `decode_failed` when a raw subblock has fewer pixels than its shape, or the directory, says */
function checkPixels(piece: SubblockPiece, { dataSize, rawBytes, type }: StoredBlock): void {
  if (dataSize < rawBytes) {
    throw decodeFailed(`contains ${grouped(dataSize)} bytes of pixels; expected ${grouped(rawBytes)}`);
  }
  const last = piece.offset + (piece.rows - 1) * piece.rowStride + (piece.columns - 1) * piece.columnStride;
  if ((last + type.samples) * bytesPerElement(type.sample) > rawBytes) {
    throw decodeFailed('contains fewer pixels than the directory says');
  }
}

function readDirect(
  target: PlaneTarget,
  piece: SubblockPiece,
  { source, position, dataStart, type }: StoredBlock,
  signal: AbortSignal | undefined,
): void {
  const offset = position + dataStart + piece.offset * bytesPerElement(type.sample);
  readRows(source, { offset, sampleType: type.sample, littleEndian: true }, target, signal, BUFFER_BYTES);
}

function countBytes(shape: BlockShape, type: PixelType): number {
  return countSamples(shape, type) * bytesPerElement(type.sample);
}

function readCompression({ source, position, shape, dataStart, dataSize, rawBytes }: StoredBlock): SubblockCompression {
  if (shape.compression === 0) return 'raw';
  const start = dataSize === rawBytes ? source.read(position + dataStart, Math.min(8, dataSize)) : new Uint8Array();
  return findCompression(shape.compression, { size: dataSize, start }, rawBytes);
}

/** Returns how many rows to read together: as many as fit, but only one when most bytes between rows are not wanted. */
function countRowsAtOnce({ rows, rowStride }: SubblockPiece, rowSpan: number, room: number): number {
  // Rows change faster than columns, so each row spans the whole subblock.
  if (rowStride < rowSpan) return rows;
  if (rowStride > rowSpan * 4) return 1;
  return Math.max(1, Math.min(rows, Math.floor((room - rowSpan) / rowStride) + 1));
}

/**
 * Copies a piece, or some of its rows, to the targets.
 * @param decoded samples of the subblock, from the one at index `first` on
 */
function putPiece(
  piece: SubblockPiece,
  { picks }: Destination,
  { samples, bgr, first = 0 }: DecodedBlock & { first?: number },
  { row, rows } = { row: 0, rows: piece.rows },
): void {
  const { rowStride, columnStride } = piece;
  const start = piece.offset + row * rowStride - first;
  for (const { target, sample } of picks) {
    const offset = start + memoryIndex(piece.type, sample, bgr);
    target.put({ samples, offset, rowStride, columnStride }, piece.row + row, piece.column, rows, piece.columns);
  }
}

/** Returns the index of R, G, B or A in a stored pixel. */
function memoryIndex(type: PixelType, sample: number, bgr: boolean): number {
  return bgr && type.samples > 1 && sample < 3 ? 2 - sample : sample;
}

/** Puts the position of the subblock in front of a message that lacks it, and says in which file it is. */
function withPosition(error: unknown, { source, position }: StoredBlock): unknown {
  if (!(error instanceof AcqError) || error.subject !== undefined) return error;
  return error.restated(`subblock at offset ${grouped(position)}: ${error.statement}`, source.name);
}
