/** Integers of 8 and 16 bits are counted in one pass: moments, percentiles and histograms follow from the counts. */
import type { SourceData } from '../../model/samples/plane-data.js';
import { bytesPerElement, isSmallInteger, type SampleType } from '../../model/samples/types.js';
import { PieceReader, sampleCount, type Window } from './window.js';

/** How often each value of a type occurs in a window. */
export interface ValueCounts {
  /** The value of the first count; each other is one more than the one before. */
  least: number;
  counts: Uint32Array;
}

/** Tables of 65,536 counts take longer than so many samples, which are one piece. */
const FEW_SAMPLES = 16_384;

/** Halves of a word of 32 bits have so many values. */
const HALVES = 65_536;

/** Returns the bytes that `countValues` takes: two tables of halves, and the counts. */
export const VALUE_COUNT_BYTES = 3 * HALVES * Uint32Array.BYTES_PER_ELEMENT;

/** True for a window that is too small for tables of counts. */
export function isFew(window: Window): boolean {
  return sampleCount(window) <= FEW_SAMPLES;
}

/** True for a window whose values `countValues` counts. */
export function isCounted({ sampleType }: Pick<SourceData, 'sampleType'>, window: Window): boolean {
  return isSmallInteger(sampleType) && !isFew(window);
}

/** Counts the values of a window. */
export function* countValues(data: SourceData, window: Window): Generator<void, ValueCounts> {
  const values = 256 ** bytesPerElement(data.sampleType);
  const least = isSigned(data.sampleType) ? -values / 2 : 0;
  const tables = new Tables(values, -least);
  const reader = new PieceReader(toUnsigned(data), window, (length) =>
    values === HALVES ? new Uint16Array(length) : new Uint8Array(length),
  );
  const words = new Uint32Array(reader.samples.buffer, 0, Math.floor(reader.samples.byteLength / 4));
  const perWord = 4 / reader.samples.BYTES_PER_ELEMENT;
  yield* reader.pieces((rows, columns) => {
    const whole = Math.floor((rows * columns) / perWord);
    tables.addWords(words, whole);
    for (let i = whole * perWord; i < rows * columns; i++) tables.add(reader.samples[i]!);
  });
  return { least, counts: tables.end() };
}

const isSigned = (type: SampleType) => type.startsWith('int');

/** Returns a plane of unsigned integers in the same memory: to numbers below zero, 2⁸ or 2¹⁶ are added. */
function toUnsigned(data: SourceData): SourceData {
  const segments = data.segments.map(({ samples: { buffer, byteOffset, length, BYTES_PER_ELEMENT }, ...rows }) => ({
    ...rows,
    samples:
      BYTES_PER_ELEMENT === 1
        ? new Uint8Array(buffer, byteOffset, length)
        : new Uint16Array(buffer, byteOffset, length),
  }));
  return { ...data, segments };
}

/**
 * Samples are counted two or four at once, as the halves of a word, each in a table of its own: equal samples that follow each
 * other would wait for one another.
 */
class Tables {
  private readonly low = new Uint32Array(HALVES);
  private readonly high = new Uint32Array(HALVES);
  private readonly counts: Uint32Array;
  private readonly sign: number;

  /** @param sign the bit that numbers below zero have */
  constructor(values: number, sign: number) {
    this.counts = new Uint32Array(values);
    this.sign = sign;
  }

  addWords(words: Uint32Array, count: number): void {
    const { low, high } = this;
    for (let i = 0; i < count; i++) {
      const word = words[i]!;
      low[word & 0xffff]!++;
      high[word >>> 16]!++;
    }
  }

  add(sample: number, times = 1): void {
    // Numbers below zero have the sign bit, and come first.
    this.counts[sample ^ this.sign]! += times;
  }

  /** Returns the counts of all values, in their order. */
  end(): Uint32Array {
    const { low, high, counts } = this;
    for (let half = 0; half < HALVES; half++) {
      const times = low[half]! + high[half]!;
      if (counts.length === HALVES) {
        this.add(half, times);
      } else {
        this.add(half & 0xff, times);
        this.add(half >>> 8, times);
      }
    }
    return counts;
  }
}
