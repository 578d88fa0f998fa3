/** Reduced levels of an image: each has half the rows and columns of the one before. Pure. */
import { allocateSamples, type SampleArray, type SampleType } from '../../model/samples/types.js';

export interface LevelShape {
  rows: number;
  columns: number;
}

/** Max side of a chunk. An image that fits in one chunk has no reduced levels. */
export const MAX_CHUNK_SIDE = 1024;
/** The shorter side is halved down to 8, not further: viewers take a last axis of 3 or 4 samples for colors. */
const MIN_HALVED_SIDE = 16;
/** Samples that are converted at a time. */
const BLOCK_SAMPLES = 65_536;

/**
 * Returns the shapes of an image and its reduced levels, the full resolution first. Rows and columns are always halved
 * together, rounded up, because viewers calculate tiles with the same power of two for both.
 */
export function levelShapes(rows: number, columns: number): LevelShape[] {
  const shapes = [{ rows, columns }];
  for (;;) {
    const last = shapes.at(-1)!;
    const sides = [last.rows, last.columns];
    if (Math.max(...sides) <= MAX_CHUNK_SIDE || Math.min(...sides) < MIN_HALVED_SIDE) return shapes;
    shapes.push({ rows: Math.ceil(last.rows / 2), columns: Math.ceil(last.columns / 2) });
  }
}

/** Returns the samples of all reduced levels of an image together, without the full resolution. */
export function countLevelSamples(levels: readonly LevelShape[]): number {
  return levels.slice(1).reduce((sum, { rows, columns }) => sum + rows * columns, 0);
}

/**
 * Returns the next level of an image, ⌈rows/2⌉ × ⌈columns/2⌉ in the same sample type. Each sample is the mean of the 2 × 2
 * above it, or of those that exist at the edges. Integers are exact and rounded half up. Floats that are not finite are
 * ignored; the mean of nothing is NaN.
 * @param samples `rows` × `columns`, row-major
 */
export function halve<T extends SampleArray>(samples: T, rows: number, columns: number): T {
  const halved: LevelShape = { rows: Math.ceil(rows / 2), columns: Math.ceil(columns / 2) };
  // Memory of the same type; every sample of it is overwritten.
  const out = samples.slice(0, halved.rows * halved.columns) as T;
  const blockRows = 2 * Math.max(1, Math.floor(BLOCK_SAMPLES / (2 * columns)));
  const block = createBlock(samples, Math.min(blockRows, rows), columns);
  for (let row = 0; row < rows; row += blockRows) {
    const count = Math.min(blockRows, rows - row);
    setSamples(block.input, samples.subarray(row * columns, (row + count) * columns), 0);
    block.halve(count);
    setSamples(out, block.output.subarray(0, Math.ceil(count / 2) * halved.columns), (row / 2) * halved.columns);
  }
  return out;
}

/** Returns all reduced levels of an image, one after the other. */
export function reduceLevels(type: SampleType, samples: SampleArray, rows: number, columns: number): SampleArray {
  const levels = levelShapes(rows, columns);
  const all = allocateSamples(type, countLevelSamples(levels));
  let at = 0;
  let above = { samples, rows, columns };
  for (const level of levels.slice(1)) {
    const half = halve(above.samples, above.rows, above.columns);
    setSamples(all, half, at);
    at += half.length;
    above = { samples: half, ...level };
  }
  return all;
}

function setSamples(target: SampleArray, source: SampleArray, offset: number): void {
  (target as Float64Array).set(source as Float64Array, offset);
}

/**
 * Fixed memory that rows are copied to and from. The loops in between are the same for many sample types, so they stay
 * fast, and loops over the resizable memory of planes would be five times slower.
 */
interface HalvingMemory {
  input: SampleArray;
  output: SampleArray;
  /** Halves the first rows of `input`. */
  halve(rows: number): void;
}

function createBlock(samples: SampleArray, rows: number, columns: number): HalvingMemory {
  const size = rows * columns;
  const halfSize = Math.ceil(rows / 2) * Math.ceil(columns / 2);
  if (samples instanceof BigUint64Array || samples instanceof BigInt64Array) {
    const [words, halfWords] = [new Uint32Array(size * 2), new Uint32Array(halfSize * 2)];
    const isSigned = samples instanceof BigInt64Array;
    return {
      input: new BigUint64Array(words.buffer),
      output: new BigUint64Array(halfWords.buffer),
      halve: (count) => halveWords(words, halfWords, { rows: count, columns }, isSigned),
    };
  }
  if (samples.BYTES_PER_ELEMENT <= 2) {
    const [input, output] = [new Int32Array(size), new Int32Array(halfSize)];
    return { input, output, halve: (count) => halveSmall(input, output, { rows: count, columns }) };
  }
  const isFloat = samples instanceof Float32Array || samples instanceof Float64Array;
  // A row of NaN takes the place of the row below the last one.
  const input = new Float64Array(size + columns).fill(Number.NaN);
  const output = new Float64Array(halfSize);
  return {
    input,
    output,
    halve: (count) => {
      if (isFloat) halveFloats(input, output, { rows: count, columns }, size);
      else halveIntegers(input, output, { rows: count, columns });
    },
  };
}

/** Integers of up to 16 bits. At the edges, samples that exist count twice, which does not change the mean. */
function halveSmall(input: Int32Array, output: Int32Array, { rows, columns }: LevelShape): void {
  const paired = columns - (columns % 2);
  for (let row = 0, to = 0; row < rows; row += 2) {
    const upper = row * columns;
    const lower = row + 1 < rows ? upper + columns : upper;
    for (let x = 0; x < paired; x += 2, to++) {
      output[to] = (input[upper + x]! + input[upper + x + 1]! + input[lower + x]! + input[lower + x + 1]! + 2) >> 2;
    }
    if (paired < columns) output[to++] = (input[upper + paired]! + input[lower + paired]! + 1) >> 1;
  }
}

/** Integers of 32 bits, whose sums are exact in float64. */
function halveIntegers(input: Float64Array, output: Float64Array, { rows, columns }: LevelShape): void {
  const paired = columns - (columns % 2);
  for (let row = 0, to = 0; row < rows; row += 2) {
    const upper = row * columns;
    const lower = row + 1 < rows ? upper + columns : upper;
    for (let x = 0; x < paired; x += 2, to++) {
      const sum = input[upper + x]! + input[upper + x + 1]! + input[lower + x]! + input[lower + x + 1]!;
      output[to] = Math.floor((sum + 2) / 4);
    }
    if (paired < columns) output[to++] = Math.floor((input[upper + paired]! + input[lower + paired]! + 1) / 2);
  }
}

/** @param missing index of a row of NaN */
function halveFloats(input: Float64Array, output: Float64Array, { rows, columns }: LevelShape, missing: number): void {
  const paired = columns - (columns % 2);
  for (let row = 0, to = 0; row < rows; row += 2) {
    const upper = row * columns;
    const lower = row + 1 < rows ? upper + columns : missing;
    for (let x = 0; x < paired; x += 2, to++) {
      const sum = input[upper + x]! + input[upper + x + 1]! + input[lower + x]! + input[lower + x + 1]!;
      output[to] =
        sum - sum === 0
          ? sum / 4
          : meanOfFinite([input[upper + x]!, input[upper + x + 1]!, input[lower + x]!, input[lower + x + 1]!]);
    }
    if (paired < columns) output[to++] = meanOfFinite([input[upper + paired]!, input[lower + paired]!]);
  }
}

function meanOfFinite(samples: readonly number[]): number {
  const finite = samples.filter(Number.isFinite);
  if (finite.length === 0) return Number.NaN;
  const mean = finite.reduce((sum, sample) => sum + sample) / finite.length;
  // The sum of large float64 may overflow although the mean does not.
  return Number.isFinite(mean) ? mean : finite.reduce((sum, sample) => sum + sample / finite.length, 0);
}

const WORD = 2 ** 32;

/**
 * Integers of 64 bits as pairs of words, the lower one first. Sums of words are exact in float64; `bigint` would be a
 * hundred times slower.
 */
function halveWords(input: Uint32Array, output: Uint32Array, { rows, columns }: LevelShape, isSigned: boolean): void {
  const signed = new Int32Array(input.buffer);
  const high = isSigned ? signed : input;
  for (let row = 0, to = 0; row < rows; row += 2) {
    const upper = row * columns * 2;
    const lower = row + 1 < rows ? upper + columns * 2 : upper;
    for (let x = 0; x < columns; x += 2, to += 2) {
      const left = x * 2;
      const right = Math.min(x + 1, columns - 1) * 2;
      const low = input[upper + left]! + input[upper + right]! + input[lower + left]! + input[lower + right]! + 2;
      const highs =
        high[upper + left + 1]! + high[upper + right + 1]! + high[lower + left + 1]! + high[lower + right + 1]!;
      const quarter = Math.floor(highs / 4);
      const mean = Math.floor(((highs - quarter * 4) * WORD + low) / 4);
      const carry = Math.floor(mean / WORD);
      output[to] = mean - carry * WORD;
      output[to + 1] = quarter + carry;
    }
  }
}
