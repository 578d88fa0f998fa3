import { kernelHost } from '../../simd/kernels.js';
import { allocateSamples, isBig, nativeType, type SampleArray, type SampleType } from './types.js';

/** Samples of a rectangle of a plane, inside a larger buffer: of a strip, a tile or interleaved RGB. */
export interface SamplePiece {
  samples: SampleArray;
  /** Index of the first sample. */
  offset: number;
  /** Samples from one row to the next. */
  rowStride: number;
  /** Samples from one column to the next: 1, or the samples per pixel of interleaved data. */
  columnStride: number;
}

/** Receives one plane piece by piece, so that a reader never holds a whole plane in the file's own type. */
export interface PlaneTarget {
  readonly rows: number;
  readonly columns: number;
  /** Copies `rows` × `columns` samples of `piece` to (`row`, `column`). The rectangle must lie inside the plane. */
  put(piece: SamplePiece, row: number, column: number, rows: number, columns: number): void;
  /** False when none of these rows is of use: a reader may save the work of decoding them. Without it, all are. */
  wants?(row: number, rows: number): boolean;
  /** Type of the samples that memory is lent for; nothing is lent without. */
  readonly lentType?: SampleType | undefined;
  /**
   * Lends its own memory for whole rows from `row` on, at most `rows`: a reader that fills all of it and then puts it saves
   * a copy. `undefined` when `row` is not wanted. A reader calls the function `lendRows`.
   */
  lend?(row: number, rows: number): SampleArray | undefined;
  /** Fills a rectangle with zeros. A reader calls the function `putZeros`, which puts samples without this method. */
  putZeros?(type: SampleType, at: Rectangle): void;
}

/** A rectangle of a plane. */
export interface Rectangle {
  row: number;
  rows: number;
  column: number;
  columns: number;
}

/** The served form: little-endian float32. Integers above 24 bits and float64 are rounded to nearest. */
export class Float32Target implements PlaneTarget {
  readonly rows: number;
  readonly columns: number;
  readonly data: Float32Array;

  /** @param data receives the plane: zeros, `rows` × `columns` or more; new memory without it */
  constructor(rows: number, columns: number, data: Float32Array = new Float32Array(rows * columns)) {
    checkLength(data, rows, columns);
    this.rows = rows;
    this.columns = columns;
    this.data = data;
  }

  put(piece: SamplePiece, row: number, column: number, rows: number, columns: number): void {
    checkPlacement(this, row, column, rows, columns);
    copyPiece(piece, this.data, row * this.columns + column, this.columns, rows, columns);
  }
}

/** The plane in the file's own sample type: comparisons with independent readers, exports. */
export class NativeTarget implements PlaneTarget {
  readonly rows: number;
  readonly columns: number;
  readonly lentType: SampleType;
  readonly data: SampleArray;

  constructor(type: SampleType, rows: number, columns: number) {
    this.rows = rows;
    this.columns = columns;
    this.lentType = nativeType(type);
    this.data = allocateSamples(type, rows * columns);
  }

  put(piece: SamplePiece, row: number, column: number, rows: number, columns: number): void {
    checkPlacement(this, row, column, rows, columns);
    copyPiece(piece, this.data, row * this.columns + column, this.columns, rows, columns);
  }

  lend(row: number, rows: number): SampleArray {
    checkPlacement(this, row, 0, rows, this.columns);
    return this.data.subarray(row * this.columns, (row + rows) * this.columns);
  }
}

/** Rows of a larger target, for planes that are put together from several parts. */
export class RowsTarget implements PlaneTarget {
  readonly rows: number;
  readonly columns: number;
  private readonly whole: PlaneTarget;
  private readonly first: number;

  constructor(whole: PlaneTarget, first: number, rows: number) {
    this.whole = whole;
    this.first = first;
    this.rows = rows;
    this.columns = whole.columns;
  }

  put(piece: SamplePiece, row: number, column: number, rows: number, columns: number): void {
    checkPlacement(this, row, column, rows, columns);
    this.whole.put(piece, this.first + row, column, rows, columns);
  }

  get lentType(): SampleType | undefined {
    return this.whole.lentType;
  }

  lend(row: number, rows: number): SampleArray | undefined {
    checkPlacement(this, row, 0, rows, this.columns);
    return this.whole.lend?.(this.first + row, rows);
  }

  wants(row: number, rows: number): boolean {
    return this.whole.wants?.(this.first + row, rows) ?? true;
  }

  putZeros(type: SampleType, at: Rectangle): void {
    checkPlacement(this, at.row, at.column, at.rows, at.columns);
    putZeros(this.whole, type, { ...at, row: this.first + at.row });
  }
}

/** A plane of which a smaller target is some rows: the others are not wanted. */
export class CutTarget implements PlaneTarget {
  readonly rows: number;
  readonly columns: number;
  private readonly part: PlaneTarget;
  private readonly first: number;

  /** @param first row of the plane that is the first one of `part` @param rows of the plane */
  constructor(part: PlaneTarget, first: number, rows: number) {
    this.part = part;
    this.first = first;
    this.rows = rows;
    this.columns = part.columns;
  }

  put(piece: SamplePiece, row: number, column: number, rows: number, columns: number): void {
    checkPlacement(this, row, column, rows, columns);
    const [from, end] = this.cut(row, rows);
    if (from >= end) return;
    const offset = piece.offset + (from - row) * piece.rowStride;
    this.part.put({ ...piece, offset }, from - this.first, column, end - from, columns);
  }

  wants(row: number, rows: number): boolean {
    const [from, end] = this.cut(row, rows);
    return from < end && (this.part.wants?.(from - this.first, end - from) ?? true);
  }

  /** Returns the rows that the part has, from the first to the one behind the last. */
  private cut(row: number, rows: number): [number, number] {
    return [Math.max(row, this.first), Math.min(row + rows, this.first + this.part.rows)];
  }
}

/** Fills a rectangle of the plane, by default all of it, with zeros. `type` is the sample type of the scene. */
export function putZeros(
  target: PlaneTarget,
  type: SampleType,
  { row = 0, rows = target.rows, column = 0, columns = target.columns } = {},
): void {
  if (target.putZeros) {
    target.putZeros(type, { row, rows, column, columns });
    return;
  }
  const samples = allocateSamples(type, columns);
  target.put({ samples, offset: 0, rowStride: 0, columnStride: 1 }, row, column, rows, columns);
}

function checkLength(data: Float32Array, rows: number, columns: number): void {
  if (data.length < rows * columns) throw new RangeError(`${data.length} samples for ${rows}×${columns}`);
}

/** @throws RangeError when a rectangle falls outside the plane */
export function checkPlacement(target: PlaneTarget, row: number, column: number, rows: number, columns: number): void {
  const inside = row >= 0 && column >= 0 && row + rows <= target.rows && column + columns <= target.columns;
  if (!inside) {
    throw new RangeError(
      `piece ${rows}×${columns} at (${row}, ${column}) is outside the plane ${target.rows}×${target.columns}`,
    );
  }
}

/** Bytes of samples that `copyPiece` collects at a time. */
const SCRATCH_BYTES = 2 ** 18;

/** Returns memory for `copyPiece`, to be used again and again. */
export function createScratch(): ArrayBuffer {
  return new ArrayBuffer(SCRATCH_BYTES);
}

/**
 * Copies a rectangle of samples.
 * @param scratch given when `out` is in resizable memory: single samples are written to that five times slower than to
 * ordinary memory, from which `set` then copies
 * @throws RangeError when the piece reaches outside its samples
 */
export function copyPiece(
  piece: SamplePiece,
  out: SampleArray,
  start: number,
  outStride: number,
  rows: number,
  columns: number,
  scratch?: ArrayBuffer,
): void {
  const { samples, offset, rowStride, columnStride } = piece;
  if (rows === 0 || columns === 0) return;
  const last = offset + (rows - 1) * rowStride + (columns - 1) * columnStride;
  if (offset < 0 || last >= samples.length) throw new RangeError('piece reaches outside its samples');
  // Rows that follow each other on both sides are copied as one.
  const isRun = rowStride === columns * columnStride && outStride === columns;
  if (isRun && columnStride === 1 && isSamePlace(samples, offset, out, start)) return;
  const [times, count] = isRun ? [1, rows * columns] : [rows, columns];
  for (let r = 0; r < times; r++) {
    const from = offset + r * rowStride;
    const to = start + r * outStride;
    if (columnStride === 1) setSamples(out, samples, to, from, count, scratch);
    else pickSamples(out, samples, to, from, count, columnStride, scratch);
  }
}

/** True when samples are where they should go: in memory that was lent. */
function isSamePlace(samples: SampleArray, offset: number, out: SampleArray, start: number): boolean {
  const width = out.BYTES_PER_ELEMENT;
  if (samples.buffer !== out.buffer || samples.constructor !== out.constructor) return false;
  return samples.byteOffset + offset * width === out.byteOffset + start * width;
}

/** `out.set` runs at memory speed between number types; 64-bit integers need a conversion of their own. */
function setSamples(
  out: SampleArray,
  samples: SampleArray,
  to: number,
  from: number,
  count: number,
  scratch: ArrayBuffer | undefined,
): void {
  if (isBig(samples) === isBig(out)) {
    (out as Float32Array).set(samples.subarray(from, from + count) as Float32Array, to);
  } else {
    pickSamples(out, samples, to, from, count, 1, scratch);
  }
}

function pickSamples(
  out: SampleArray,
  samples: SampleArray,
  to: number,
  from: number,
  n: number,
  step: number,
  scratch: ArrayBuffer | undefined,
): void {
  const kernels = kernelHost.forPick(step, n);
  if (kernels && !isBig(samples) && !isBig(out)) {
    kernels.pick(samples, from, step, out, to, n);
    return;
  }
  if (!scratch) {
    pickEach(out, samples, to, from, n, step);
    return;
  }
  const picked = new (out.constructor as SampleArrayClass)(scratch);
  for (let done = 0; done < n; done += picked.length) {
    const count = Math.min(picked.length, n - done);
    pickEach(picked, samples, 0, from + done * step, count, step);
    (out as Float32Array).set(picked.subarray(0, count) as Float32Array, to + done);
  }
}

type SampleArrayClass = new (memory: ArrayBuffer) => SampleArray;

function pickEach(out: SampleArray, samples: SampleArray, to: number, from: number, n: number, step: number): void {
  if (isBig(samples) && !isBig(out)) {
    for (let i = 0, p = from; i < n; i++, p += step) out[to + i] = roundBigToFloat32(samples[p] as bigint);
    return;
  }
  const src = samples as Float32Array;
  const dst = out as Float32Array;
  for (let i = 0, p = from; i < n; i++, p += step) dst[to + i] = src[p] as number;
}

/**
 * Nearest float32 of a 64-bit integer in one rounding. Going through a double would round twice: the low bits are
 * folded into one sticky bit first, which a float32 cannot see but a tie can.
 */
export function roundBigToFloat32(value: bigint): number {
  const magnitude = value < 0n ? -value : value;
  if (magnitude < 1n << 53n) return Math.fround(Number(value));
  const kept = magnitude >> 24n;
  const sticky = (magnitude & 0xffffffn) === 0n ? 0n : 1n;
  const rounded = Math.fround(Number(kept | sticky)) * 2 ** 24;
  return value < 0n ? -rounded : rounded;
}
