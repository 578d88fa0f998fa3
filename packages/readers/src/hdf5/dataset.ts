/** An array of the file: its type and shape, its values if it is small, and planes along any two of its dimensions. */

import { decodeFailed, unsupported } from '../base/errors.js';
import { LIMITS } from '../base/limits.js';
import { grouped } from '../base/wording.js';
import { decodeScratch } from '../codecs/scratch.js';
import { toHostWords, viewAs } from '../model/samples/host-words.js';
import { float16ToFloat32 } from '../model/samples/narrow-floats.js';
import { Pace } from '../model/samples/pace.js';
import type { PlaneTarget } from '../model/samples/plane-target.js';
import type { SampleType } from '../model/samples/types.js';
import { allocateSamples, type SampleArray } from '../model/samples/types.js';
import { type ChunkGrid, type ChunkLocation, chunksAlong, gridKey } from './chunk-grid.js';
import { findChunks } from './chunk-index.js';
import type { Container } from './container.js';
import {
  countElements,
  countValues,
  type Dataspace,
  type Datatype,
  parseDataspace,
  parseDatatype,
} from './datatype.js';
import { checkFilters, chunkDecoder, type DecodeChunk } from './filters.js';
import { bodyOf, MESSAGE, type Message } from './header.js';
import { type Direction, planReads } from './lattice.js';
import { type ChunkedLayout, type DataLayout, parseFill, parseLayout } from './layout.js';
import { type Hdf5Value, toValue } from './values.js';

/** Selects a plane: two dimensions, and an index on the others. */
export interface PlaneChoice {
  /** Dimensions of the rows and the columns; `undefined` for one row or one column. */
  row: number | undefined;
  column: number | undefined;
  /** One index per dimension; those of the rows and columns are ignored. */
  at: readonly number[];
}

export class Dataset {
  /** The file and the path in it, for messages. */
  readonly what: string;
  readonly type: Datatype;
  readonly space: Dataspace;
  readonly layout: DataLayout;
  private readonly file: Container;
  private readonly messages: readonly Message[];
  private scratch = new Uint8Array();

  constructor(file: Container, messages: readonly Message[], what: string) {
    this.file = file;
    this.messages = messages;
    this.what = what;
    const body = (type: number) => {
      const message = messages.find((entry) => entry.type === type);
      if (!message) throw decodeFailed(`${what}: the type or the shape is missing; the file is corrupted`);
      return bodyOf(file, message);
    };
    this.type = parseDatatype(file, body(MESSAGE.datatype));
    this.space = parseDataspace(file, body(MESSAGE.dataspace));
    this.layout = parseLayout(file, messages, this.type, this.space, what);
  }

  get shape(): readonly number[] {
    return this.space.shape;
  }

  /** Sample type of the planes. @throws AcqError `unsupported_format` for values that are not samples */
  get sampleType(): SampleType {
    if (this.type.sampleType) return this.type.sampleType;
    const label = this.type.kind === 'variable-string' ? 'string' : this.type.label;
    throw unsupported(
      `${this.what}: values of type ${label} with ${grouped(this.type.size)} bytes are not supported as pixels`,
    );
  }

  /** True when no value was ever written. */
  get neverWritten(): boolean {
    return this.layout.kind !== 'compact' && this.layout.address === undefined && !this.space.empty;
  }

  /** Checks without reading that planes can be decoded. @throws AcqError `unsupported_format` */
  check(): void {
    void this.sampleType;
    if (this.layout.kind === 'chunked') checkFilters(this.layout.filters, this.what);
  }

  /** Rows that are decoded together; `undefined` when planes are read without decoding. */
  bandRows(row: number | undefined): number | undefined {
    if (this.layout.kind !== 'chunked' || this.layout.filters.length === 0) return undefined;
    return row === undefined ? 1 : this.layout.chunk[row];
  }

  /** Bytes that reading a plane takes beside its target: a filtered chunk, as stored and decoded. */
  get scratchBytes(): number {
    if (this.layout.kind !== 'chunked' || this.layout.filters.length === 0) return 0;
    return decodeScratch(this.layout.chunkBytes, 'bytes');
  }

  /** Reads all values of a small array, such as time stamps and names. */
  async values(): Promise<Hdf5Value> {
    const { layout, space, type, what } = this;
    const bytes = space.empty ? 0 : countValues(space.shape, what) * type.size;
    if (bytes > LIMITS.metadataBytes)
      throw decodeFailed(
        `${what} has ${grouped(bytes)} bytes of values; the limit is ${grouped(LIMITS.metadataBytes)}`,
      );
    if (layout.kind === 'compact') return toValue(this.file, type, space, layout.data, what);
    if (bytes === 0 || this.neverWritten) return toValue(this.file, type, space, new Uint8Array(bytes), what);
    if (layout.kind === 'contiguous') {
      return toValue(this.file, type, space, this.file.readValues(layout.address!, bytes), what);
    }
    return toValue(this.file, type, space, await this.joinChunks(layout, bytes), what);
  }

  /**
   * Reads a plane into 'target', which may have fewer rows and columns than the array.
   * @throws AcqError 'decode_failed', `unsupported_format`
   */
  async readPlane(choice: PlaneChoice, target: PlaneTarget, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const { layout } = this;
    this.checkChoice(choice, target);
    const pace = new Pace(signal);
    if (layout.kind === 'chunked') return await this.readChunks(layout, choice, target, pace);
    const strides = toStrides(this.shape, this.type.size);
    const start = offsetOf(choice, choice.at, strides);
    const rows = direction(choice.row, target.rows, strides);
    const columns = direction(choice.column, target.columns, strides);
    if (layout.kind === 'compact') {
      const samples = this.toSamples(new Uint8Array(layout.data));
      const size = this.type.size;
      const block = {
        samples,
        offset: start / size,
        rowStride: rows.stride / size,
        columnStride: columns.stride / size,
      };
      return target.put(block, 0, 0, target.rows, target.columns);
    }
    if (layout.address === undefined)
      return this.putFill(target, { row: 0, column: 0, rows: target.rows, columns: target.columns });
    const whole = countElements(this.shape, this.what) * this.type.size;
    const position = this.file.position(layout.address, whole) + start;
    await this.readPlain(position, rows, columns, target, { row: 0, column: 0 }, pace);
  }

  private checkChoice({ row, column, at }: PlaneChoice, target: PlaneTarget): void {
    const inside = (size: number, i: number) => {
      if (i === row) return target.rows <= size;
      if (i === column) return target.columns <= size;
      const index = at[i] ?? -1;
      return Number.isInteger(index) && index >= 0 && index < size;
    };
    const single = (row !== undefined || target.rows === 1) && (column !== undefined || target.columns === 1);
    if (!single || !this.shape.every(inside)) {
      throw decodeFailed(
        `${this.what}: a plane of ${grouped(target.rows)} × ${grouped(target.columns)} at ${at.join(', ')} is out of range; the shape is ` +
          this.shape.map(grouped).join(' × '),
      );
    }
  }

  private async readChunks(layout: ChunkedLayout, choice: PlaneChoice, target: PlaneTarget, pace: Pace): Promise<void> {
    const plan = planChunks(layout, this.shape, choice, target);
    if (plan.count > LIMITS.hdf5Chunks) {
      throw decodeFailed(
        `${this.what}: a plane has ${grouped(plan.count)} chunks; the limit is ${grouped(LIMITS.hdf5Chunks)}`,
      );
    }
    const grid: ChunkGrid = { layout, shape: this.shape, maxShape: this.space.maxShape };
    const places = findChunks(this.file, grid, plan.low, plan.high);
    const decode = layout.filters.length > 0 ? await chunkDecoder(layout, this.what, !plan.shared) : undefined;
    const strides = toStrides(layout.chunk, this.type.size);
    for (const part of plan.parts()) {
      if (target.wants?.(part.row, part.rows) === false) continue;
      const place = places.get(gridKey(grid, part.chunk));
      if (!place) this.putFill(target, part);
      else {
        const rows = direction(choice.row, part.rows, strides);
        const columns = direction(choice.column, part.columns, strides);
        const start = offsetOf(choice, part.inside, strides);
        if (decode && !this.isPlain(layout, place, part.chunk)) {
          const samples = this.toSamples(this.decoded(layout, place, part.chunk, decode, plan.shared));
          const size = this.type.size;
          const block = {
            samples,
            offset: start / size,
            rowStride: rows.stride / size,
            columnStride: columns.stride / size,
          };
          target.put(block, part.row, part.column, part.rows, part.columns);
        } else {
          const position = this.file.position(place.address, layout.chunkBytes) + start;
          await this.readPlain(position, rows, columns, target, part, pace);
        }
      }
      if (pace.due) await pace.rest();
    }
  }

  /** True when no filter was applied to a chunk. */
  private isPlain(layout: ChunkedLayout, { mask }: ChunkLocation, at: readonly number[]): boolean {
    const all = 2 ** layout.filters.length - 1;
    if ((mask & all) === all) return true;
    const reachesOver = at.some((index, i) => (index + 1) * layout.chunk[i]! > this.shape[i]!);
    return layout.plainEdges && reachesOver;
  }

  private decoded(
    layout: ChunkedLayout,
    place: ChunkLocation,
    at: readonly number[],
    decode: DecodeChunk,
    shared: boolean,
  ): Uint8Array {
    const known = this.file.kept.get(place.address);
    if (known) return this.ownCopy(known);
    const where = `${this.what}, the chunk at ${at.map((index, i) => index * layout.chunk[i]!).join(', ')}`;
    // Filters enlarge incompressible data only a little.
    const limit = Math.floor(layout.chunkBytes * 1.1 + 65_536);
    if (place.size > limit)
      throw decodeFailed(`${where} has ${grouped(place.size)} bytes; the limit is ${grouped(limit)}`);
    const data = decode(this.stored(place), place.mask, where);
    if (!shared) return data;
    // The scratch memory is reused, so copy what is kept.
    const own = data.buffer === this.scratch.buffer ? new Uint8Array(data) : data;
    this.file.kept.put(place.address, own);
    return this.ownCopy(own);
  }

  /** Reads the stored bytes of a chunk. They are valid until the next call. */
  private stored({ address, size }: ChunkLocation): Uint8Array {
    const position = this.file.position(address, size);
    if (this.scratch.length < size) this.scratch = new Uint8Array(size);
    const bytes = this.scratch.subarray(0, size);
    this.file.source.readInto(bytes, position);
    return bytes;
  }

  /** Bytes in another order than this machine's are swapped in place: those that are kept must not be. */
  private ownCopy(data: Uint8Array): Uint8Array {
    return this.type.littleEndian ? data : new Uint8Array(data);
  }

  private async readPlain(
    position: number,
    rows: Direction,
    columns: Direction,
    target: PlaneTarget,
    to: { row: number; column: number },
    pace: Pace,
  ): Promise<void> {
    let buffer: Uint8Array | undefined;
    for (const piece of planReads(rows, columns, this.type.size)) {
      if (target.wants?.(to.row + piece.row, piece.rows) === false) continue;
      if (!buffer || buffer.length < piece.bytes) buffer = new Uint8Array(piece.bytes);
      const raw = buffer.subarray(0, piece.bytes);
      this.file.source.readInto(raw, position + piece.offset);
      const block = { ...piece, samples: this.toSamples(raw), offset: 0 };
      target.put(block, to.row + piece.row, to.column + piece.column, piece.rows, piece.columns);
      if (pace.due) await pace.rest();
    }
  }

  /** Converts stored bytes to samples. Consumes `raw`: big-endian values are swapped in place. */
  private toSamples(raw: Uint8Array): SampleArray {
    const { size, littleEndian } = this.type;
    const words = toHostWords(raw, size * 8, Math.floor(raw.length / size), littleEndian);
    return this.sampleType === 'float16' ? float16ToFloat32(words as Uint16Array) : viewAs(words, this.sampleType);
  }

  private putFill(target: PlaneTarget, part: { row: number; column: number; rows: number; columns: number }): void {
    const value = this.toSamples(new Uint8Array(parseFill(this.file, this.messages, this.type.size)));
    const line = allocateSamples(this.sampleType, part.columns);
    (line as Float32Array).fill(value[0] as number);
    target.put(
      { samples: line, offset: 0, rowStride: 0, columnStride: 1 },
      part.row,
      part.column,
      part.rows,
      part.columns,
    );
  }

  /** Joins the chunks of a small array of one dimension. */
  private async joinChunks(layout: ChunkedLayout, bytes: number): Promise<Uint8Array> {
    const grid: ChunkGrid = { layout, shape: this.shape, maxShape: this.space.maxShape };
    if (this.shape.length !== 1) {
      throw unsupported(
        `${this.what}: reading values of chunked datasets with ${grouped(this.shape.length)} dimensions is not supported`,
      );
    }
    const [along = 0] = chunksAlong(grid, 'current');
    if (along > LIMITS.hdf5Chunks)
      throw decodeFailed(`${this.what} has ${grouped(along)} chunks; the limit is ${grouped(LIMITS.hdf5Chunks)}`);
    const places = findChunks(this.file, grid, [0], [along - 1]);
    const decode = layout.filters.length > 0 ? await chunkDecoder(layout, this.what) : undefined;
    const fill = parseFill(this.file, this.messages, this.type.size);
    const out = new Uint8Array(bytes);
    for (let i = 0; i < along; i++) {
      const from = i * layout.chunkBytes;
      const length = Math.min(layout.chunkBytes, bytes - from);
      const place = places.get(i);
      if (!place) {
        for (let at = from; at < from + length; at += fill.length) out.set(fill, at);
      } else if (decode && !this.isPlain(layout, place, [i])) {
        out.set(this.decoded(layout, place, [i], decode, false).subarray(0, length), from);
      } else this.file.source.readInto(out.subarray(from, from + length), this.file.position(place.address, length));
    }
    return out;
  }
}

interface PlannedPiece {
  /** Position of the chunk in the grid, and of the first sample in the chunk. */
  chunk: number[];
  inside: number[];
  row: number;
  rows: number;
  column: number;
  columns: number;
}

/** Plans the chunks of a plane, row by row. Pure. */
function planChunks(layout: ChunkedLayout, shape: readonly number[], choice: PlaneChoice, target: PlaneTarget) {
  const { row, column, at } = choice;
  const extent = (i: number) => (i === row ? target.rows : i === column ? target.columns : undefined);
  const chunkOf = (i: number) => layout.chunk[i]!;
  const low = shape.map((_, i) => (extent(i) === undefined ? Math.floor(at[i]! / chunkOf(i)) : 0));
  const high = shape.map(
    (_, i) => Math.ceil((extent(i) ?? 1) / chunkOf(i)) - 1 + (extent(i) === undefined ? low[i]! : 0),
  );
  const count = high.reduce((product, last, i) => product * (last - low[i]! + 1), 1);
  /** True when the chunks contain other planes, too. */
  const shared = shape.some((size, i) => extent(i) === undefined && Math.min(size, chunkOf(i)) > 1);
  const rowChunk = row === undefined ? 1 : chunkOf(row);
  const columnChunk = column === undefined ? 1 : chunkOf(column);
  function* parts(): Generator<PlannedPiece> {
    for (let first = 0; first < target.rows; first += rowChunk) {
      for (let left = 0; left < target.columns; left += columnChunk) {
        const chunk = [...low];
        if (row !== undefined) chunk[row] = first / rowChunk;
        if (column !== undefined) chunk[column] = left / columnChunk;
        yield {
          chunk,
          inside: shape.map((_, i) => (extent(i) === undefined ? at[i]! % chunkOf(i) : 0)),
          row: first,
          rows: Math.min(rowChunk, target.rows - first),
          column: left,
          columns: Math.min(columnChunk, target.columns - left),
        };
      }
    }
  }
  return { low, high, count, shared, parts };
}

/** Returns the bytes between neighbors along each dimension, in row-major order. */
function toStrides(shape: readonly number[], size: number): number[] {
  const strides: number[] = new Array(shape.length);
  let stride = size;
  for (let i = shape.length - 1; i >= 0; i--) {
    strides[i] = stride;
    stride *= shape[i]!;
  }
  return strides;
}

function offsetOf({ row, column }: PlaneChoice, at: readonly number[], strides: readonly number[]): number {
  return strides.reduce((sum, stride, i) => (i === row || i === column ? sum : sum + stride * at[i]!), 0);
}

function direction(axis: number | undefined, count: number, strides: readonly number[]): Direction {
  return { count, stride: axis === undefined ? 0 : strides[axis]! };
}
