import type { Parameters } from 'fast-check';
import { expect } from 'vitest';

/**
 * Settings of a differential property: a fixed seed, which a failure prints with the smallest case that shows it. For more
 * cases, or others: `DIFFERENTIAL_CASES=100000 DIFFERENTIAL_SEED=7 npx vitest run differential`.
 */
export function differential<T>(cases: number): Parameters<T> & { seed: number; numRuns: number } {
  return {
    seed: Number(process.env['DIFFERENTIAL_SEED'] ?? 20_261_122),
    numRuns: Number(process.env['DIFFERENTIAL_CASES'] ?? cases),
    endOnFailure: process.env['DIFFERENTIAL_CASES'] !== undefined,
  };
}

/** Time that a property may take, in ms: much for a long run, else the usual. */
export const DIFFERENTIAL_TIMEOUT = process.env['DIFFERENTIAL_CASES'] === undefined ? 60_000 : 24 * 3_600_000;

/** Returns the same numbers from 0 to 1 for a seed (mulberry32). */
export function random(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Array class of each sample type that both libraries can write. */
export const SAMPLE_CLASSES = {
  uint8: Uint8Array,
  int8: Int8Array,
  uint16: Uint16Array,
  int16: Int16Array,
  uint32: Uint32Array,
  int32: Int32Array,
  uint64: BigUint64Array,
  int64: BigInt64Array,
  float32: Float32Array,
  float64: Float64Array,
} as const;

export type Pattern = 'noise' | 'ramp' | 'dark' | 'constant';
export const PATTERNS: readonly Pattern[] = ['noise', 'ramp', 'dark', 'constant'];

/**
 * Fills memory of samples with one of the contents that compressors and filters treat differently: every bit at random, a
 * slow ramp, small counts, or one value.
 */
export function fillSamples(samples: Samples, pattern: Pattern, seed: number): void {
  const next = random(seed);
  if (pattern === 'noise') {
    const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
    for (let i = 0; i < bytes.length; i++) bytes[i] = Math.floor(next() * 256);
    return;
  }
  const start = Math.floor(next() * 100);
  const isBig = samples instanceof BigInt64Array || samples instanceof BigUint64Array;
  for (let i = 0; i < samples.length; i++) {
    const value = pattern === 'constant' ? start : pattern === 'ramp' ? start + (i >> 2) : next() < 0.9 ? 0 : start;
    if (isBig) samples[i] = BigInt(value);
    else samples[i] = value;
  }
}

export type Samples =
  | Uint8Array<ArrayBuffer>
  | Int8Array<ArrayBuffer>
  | Uint16Array<ArrayBuffer>
  | Int16Array<ArrayBuffer>
  | Uint32Array<ArrayBuffer>
  | Int32Array<ArrayBuffer>
  | BigUint64Array<ArrayBuffer>
  | BigInt64Array<ArrayBuffer>
  | Float32Array<ArrayBuffer>
  | Float64Array<ArrayBuffer>;

/** Which plane of an array: the axes along its rows and columns (`undefined`: one row, one column), the rest at `at`. */
export interface PlaneOf {
  row: number | undefined;
  column: number | undefined;
  at: number[];
  rows: number;
  columns: number;
}

/** Returns a plane in any direction, perhaps smaller than the array, from a seed. */
export function randomPlane(shape: readonly number[], seed: number): PlaneOf {
  const next = random(seed);
  const below = (limit: number) => Math.floor(next() * limit);
  const axes = shape.map((_, axis) => axis);
  const row = next() < 0.15 ? undefined : axes.splice(below(axes.length), 1)[0];
  const column = axes.length === 0 || (row !== undefined && next() < 0.15) ? undefined : axes[below(axes.length)];
  const extent = (axis: number | undefined) => {
    if (axis === undefined) return 1;
    return next() < 0.7 ? shape[axis]! : 1 + below(shape[axis]!);
  };
  const at = shape.map((size, axis) => (axis === row || axis === column ? 0 : below(size)));
  return { row, column, at, rows: extent(row), columns: extent(column) };
}

/** Copies a plane out of a row-major array, sample by sample. */
export function pickPlane<T extends Samples>(array: T, shape: readonly number[], plane: PlaneOf): T {
  const strides = shape.map((_, axis) => shape.slice(axis + 1).reduce((product, size) => product * size, 1));
  const start = plane.at.reduce((sum, index, axis) => sum + index * strides[axis]!, 0);
  const out = array.slice(0, 0) as T;
  const picked = new (out.constructor as new (length: number) => T)(plane.rows * plane.columns);
  for (let r = 0; r < plane.rows; r++) {
    for (let c = 0; c < plane.columns; c++) {
      const down = plane.row === undefined ? 0 : r * strides[plane.row]!;
      const across = plane.column === undefined ? 0 : c * strides[plane.column]!;
      picked[r * plane.columns + c] = array[start + down + across]!;
    }
  }
  return picked;
}

/** Compares samples exactly; NaN equals NaN, whatever its bits, which JavaScript does not keep. */
export function expectSameBytes(actual: ArrayBufferView, expected: ArrayBufferView, what: string): void {
  // `toEqual` on buffers compares byte by byte, which is slow: it only describes a difference.
  if (bytesOf(actual).equals(bytesOf(expected))) return;
  expect(actual, what).toEqual(expected);
}

function bytesOf(samples: ArrayBufferView): Buffer {
  return Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);
}
