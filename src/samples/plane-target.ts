import { allocateSamples, type SampleArray, type SampleType } from './types.js';

/** A rectangle of samples inside a larger buffer: strips, tiles, bands, interleaved RGB. */
export interface SampleBlock {
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
  /** Copies `rows` × `columns` samples of `block` to (`row`, `column`). The rectangle must lie inside the plane. */
  put(block: SampleBlock, row: number, column: number, rows: number, columns: number): void;
  /** False when none of these rows is of use: a reader may save the work of decoding them. Without it, all are. */
  wants?(row: number, rows: number): boolean;
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

  put(block: SampleBlock, row: number, column: number, rows: number, columns: number): void {
    checkPlacement(this, row, column, rows, columns);
    copyBlock(block, this.data, row * this.columns + column, this.columns, rows, columns);
  }
}

/** Some rows of a plane, for several workers that decode one plane together. Takes the whole plane, keeps its band. */
export class Float32BandTarget implements PlaneTarget {
  readonly rows: number;
  readonly columns: number;
  readonly data: Float32Array;
  private readonly first: number;
  private readonly last: number;

  /**
   * @param band rows of the plane of `rows` × `columns` that are kept
   * @param data receives them: zeros, `band.count` × `columns` or more; new memory without it
   */
  constructor(
    rows: number,
    columns: number,
    band: { first: number; count: number },
    data: Float32Array = new Float32Array(band.count * columns),
  ) {
    checkLength(data, band.count, columns);
    this.rows = rows;
    this.columns = columns;
    this.first = band.first;
    this.last = band.first + band.count;
    this.data = data;
  }

  wants(row: number, rows: number): boolean {
    return row < this.last && row + rows > this.first;
  }

  put(block: SampleBlock, row: number, column: number, rows: number, columns: number): void {
    checkPlacement(this, row, column, rows, columns);
    const top = Math.max(row, this.first);
    const kept = Math.min(row + rows, this.last) - top;
    if (kept <= 0) return;
    const part = { ...block, offset: block.offset + (top - row) * block.rowStride };
    copyBlock(part, this.data, (top - this.first) * this.columns + column, this.columns, kept, columns);
  }
}

/** The plane in the file's own sample type: comparisons with independent readers, exports. */
export class NativeTarget implements PlaneTarget {
  readonly rows: number;
  readonly columns: number;
  readonly data: SampleArray;

  constructor(type: SampleType, rows: number, columns: number) {
    this.rows = rows;
    this.columns = columns;
    this.data = allocateSamples(type, rows * columns);
  }

  put(block: SampleBlock, row: number, column: number, rows: number, columns: number): void {
    checkPlacement(this, row, column, rows, columns);
    copyBlock(block, this.data, row * this.columns + column, this.columns, rows, columns);
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

  put(block: SampleBlock, row: number, column: number, rows: number, columns: number): void {
    checkPlacement(this, row, column, rows, columns);
    this.whole.put(block, this.first + row, column, rows, columns);
  }

  wants(row: number, rows: number): boolean {
    return this.whole.wants?.(this.first + row, rows) ?? true;
  }
}

/** Fills a rectangle of the plane, by default all of it, with zeros. `type` is the sample type of the scene. */
export function putZeros(
  target: PlaneTarget,
  type: SampleType,
  { row = 0, rows = target.rows, column = 0, columns = target.columns } = {},
): void {
  const samples = allocateSamples(type, columns);
  target.put({ samples, offset: 0, rowStride: 0, columnStride: 1 }, row, column, rows, columns);
}

function checkLength(data: Float32Array, rows: number, columns: number): void {
  if (data.length < rows * columns) throw new RangeError(`${data.length} samples for ${rows}×${columns}`);
}

function checkPlacement(target: PlaneTarget, row: number, column: number, rows: number, columns: number): void {
  const inside = row >= 0 && column >= 0 && row + rows <= target.rows && column + columns <= target.columns;
  if (!inside) {
    throw new RangeError(
      `block ${rows}×${columns} at (${row}, ${column}) is outside the plane ${target.rows}×${target.columns}`,
    );
  }
}

function copyBlock(
  block: SampleBlock,
  out: SampleArray,
  start: number,
  outStride: number,
  rows: number,
  columns: number,
): void {
  const { samples, offset, rowStride, columnStride } = block;
  if (rows === 0 || columns === 0) return;
  const last = offset + (rows - 1) * rowStride + (columns - 1) * columnStride;
  if (offset < 0 || last >= samples.length) throw new RangeError('block reaches outside its samples');
  if (columnStride === 1 && rowStride === columns && outStride === columns) {
    setSamples(out, samples, start, offset, rows * columns);
    return;
  }
  for (let r = 0; r < rows; r++) {
    const from = offset + r * rowStride;
    const to = start + r * outStride;
    if (columnStride === 1) setSamples(out, samples, to, from, columns);
    else pickSamples(out, samples, to, from, columns, columnStride);
  }
}

/** `out.set` runs at memory speed between number types; 64-bit integers need a conversion of their own. */
function setSamples(out: SampleArray, samples: SampleArray, to: number, from: number, count: number): void {
  if (isBig(samples) === isBig(out)) {
    (out as Float32Array).set(samples.subarray(from, from + count) as Float32Array, to);
  } else {
    pickSamples(out, samples, to, from, count, 1);
  }
}

/** Samples picked at a time for resizable memory. */
const PICKED_AT_ONCE = 65_536;

/** Single samples are written to resizable memory five times slower than to a fixed buffer, which `set` then copies. */
function pickSamples(out: SampleArray, samples: SampleArray, to: number, from: number, n: number, step: number): void {
  if (!(out.buffer instanceof ArrayBuffer && out.buffer.resizable)) {
    pickEach(out, samples, to, from, n, step);
    return;
  }
  const picked = new Float32Array(Math.min(n, PICKED_AT_ONCE));
  for (let done = 0; done < n; done += picked.length) {
    const count = Math.min(picked.length, n - done);
    pickEach(picked, samples, 0, from + done * step, count, step);
    (out as Float32Array).set(picked.subarray(0, count), to + done);
  }
}

function pickEach(out: SampleArray, samples: SampleArray, to: number, from: number, n: number, step: number): void {
  if (isBig(samples) && !isBig(out)) {
    for (let i = 0, p = from; i < n; i++, p += step) out[to + i] = roundBigToFloat32(samples[p] as bigint);
    return;
  }
  const src = samples as Float32Array;
  const dst = out as Float32Array;
  for (let i = 0, p = from; i < n; i++, p += step) dst[to + i] = src[p] as number;
}

function isBig(samples: SampleArray): samples is BigUint64Array | BigInt64Array {
  return samples instanceof BigUint64Array || samples instanceof BigInt64Array;
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
