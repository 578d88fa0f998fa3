import type { SourceData } from '../../model/samples/plane-data.js';
import { fromKey, toKey } from './order-keys.js';
import { SLICE_SAMPLES } from './slices.js';
import { isFew, type ValueCounts } from './value-counts.js';
import { sampleCount, type Window, WindowReader } from './window.js';

const BUCKETS = 65_536;
/** Buckets of finite samples: those before are −∞ and NaN with the sign bit, those after are ∞ and NaN. */
const FINITE = { first: 0x80, end: 0xff80 };
const NO_VALUES: ReadonlyMap<number, number> = new Map();
/** Ranks whose buckets are searched in one slice. */
const PLACES_PER_SLICE = SLICE_SAMPLES / BUCKETS;

/** Returns the bytes that `percentiles` takes, at most. Each value lies between two samples. */
export function percentileBytes(window: Window, count: number): number {
  if (count === 0) return 0;
  if (isFew(window)) return sampleCount(window) * Float32Array.BYTES_PER_ELEMENT;
  return (3 + 2 * count) * BUCKETS * Uint32Array.BYTES_PER_ELEMENT;
}

/**
 * Computes percentiles of the finite samples as `numpy.percentile` does with its method `linear`: exact, bit by bit. Few samples
 * are sorted. Of more, two passes count the upper and lower halves of the keys; nothing is sorted or copied as a whole.
 * @param percents 0 to 100
 * @returns one value for each, `NaN` when nothing is finite
 */
export function* percentiles(data: SourceData, window: Window, percents: readonly number[]): Generator<void, number[]> {
  if (percents.length === 0) return [];
  if (isFew(window)) {
    const sorted = sortFinite(data, window);
    return interpolate(percents, sorted.length, (rank) => sorted[rank]!);
  }
  const upper = yield* countUpper(data, window);
  const finite = total(upper);
  const places = findBuckets(upper, ranksOf(percents, finite));
  const values = places.length === 0 ? NO_VALUES : yield* findValues(data, window, places);
  return interpolate(percents, finite, (rank) => values.get(rank)!);
}

/** Returns the percentiles of counted integers: those of `percentiles`. */
export function percentilesOfCounts({ least, counts }: ValueCounts, percents: readonly number[]): number[] {
  const finite = total(counts);
  const places = findBuckets(counts, ranksOf(percents, finite));
  const values = new Map(places.map(({ rank, bucket }) => [rank, least + bucket]));
  return interpolate(percents, finite, (rank) => values.get(rank)!);
}

function sortFinite(data: SourceData, window: Window): Float32Array {
  const reader = new WindowReader(data, window);
  reader.read(window.firstRow);
  return reader.samples.filter((sample) => sample - sample === 0).sort();
}

function total(counts: Uint32Array): number {
  let sum = 0;
  for (let i = 0; i < counts.length; i++) sum += counts[i]!;
  return sum;
}

/** Returns the place of a percentile between the samples in their order, rounded as numpy rounds it. */
const positionOf = (percent: number, finite: number) => (finite - 1) * (percent / 100);

/** Returns the ranks, in order, of the samples that percentiles lie between. */
function ranksOf(percents: readonly number[], finite: number): number[] {
  if (finite === 0) return [];
  const ranks = percents.flatMap((percent) => {
    const rank = Math.floor(positionOf(percent, finite));
    return [rank, Math.min(finite - 1, rank + 1)];
  });
  return [...new Set(ranks)].sort((a, b) => a - b);
}

/** Interpolates from the nearer end, as numpy does. @param sampleOf returns the sample of a rank */
function interpolate(percents: readonly number[], finite: number, sampleOf: (rank: number) => number): number[] {
  return percents.map((percent) => {
    if (finite === 0) return Number.NaN;
    const position = positionOf(percent, finite);
    const rank = Math.floor(position);
    const fraction = position - rank;
    const [low, high] = [sampleOf(rank), sampleOf(Math.min(finite - 1, rank + 1))];
    const difference = high - low;
    return fraction < 0.5 ? low + difference * fraction : high - difference * (1 - fraction);
  });
}

function* countUpper(data: SourceData, window: Window): Generator<void, Uint32Array> {
  // A plane has fewer than 2³² samples.
  const counts = new Uint32Array(BUCKETS);
  yield* eachPiece(data, window, (words, count) => {
    for (let i = 0; i < count; i++) counts[toKey(words[i]!) >>> 16]!++;
  });
  return counts.fill(0, 0, FINITE.first).fill(0, FINITE.end);
}

/** A rank: its bucket of the upper halves, and its rank inside. */
interface RankPlace {
  rank: number;
  bucket: number;
  inside: number;
}

function findBuckets(counts: Uint32Array, ranks: readonly number[]): RankPlace[] {
  const places: RankPlace[] = [];
  let before = 0;
  for (let bucket = 0, next = 0; next < ranks.length && bucket < counts.length; bucket++) {
    const end = before + counts[bucket]!;
    for (; next < ranks.length && ranks[next]! < end; next++) {
      places.push({ rank: ranks[next]!, bucket, inside: ranks[next]! - before });
    }
    before = end;
  }
  return places;
}

/** Returns the samples of the ranks. */
function* findValues(
  data: SourceData,
  window: Window,
  places: readonly RankPlace[],
): Generator<void, ReadonlyMap<number, number>> {
  const buckets = [...new Set(places.map(({ bucket }) => bucket))];
  /** Number of the table of each bucket: 0 without one. */
  const tables = new Uint16Array(BUCKETS);
  for (const [i, bucket] of buckets.entries()) tables[bucket] = i + 1;
  const lower = new Uint32Array((buckets.length + 1) * BUCKETS);
  yield* eachPiece(data, window, (words, count) => {
    for (let i = 0; i < count; i++) {
      const key = toKey(words[i]!);
      const table = tables[key >>> 16]!;
      if (table !== 0) lower[(table << 16) | (key & 0xffff)]!++;
    }
  });
  const values = new Map<number, number>();
  for (const [i, { rank, bucket, inside }] of places.entries()) {
    const counts = lower.subarray(tables[bucket]! * BUCKETS);
    values.set(rank, valueAt(counts, bucket, inside));
    if ((i + 1) % PLACES_PER_SLICE === 0) yield;
  }
  return values;
}

function valueAt(counts: Uint32Array, bucket: number, rank: number): number {
  let end = 0;
  for (let low = 0; low < BUCKETS; low++) {
    end += counts[low]!;
    if (rank < end) return fromKey(((bucket << 16) | low) >>> 0);
  }
  throw new Error(`bucket ${bucket} has no rank ${rank}`);
}

/** Calls `visit` with the bits of the samples of each piece. */
function* eachPiece(
  data: SourceData,
  window: Window,
  visit: (words: Uint32Array, count: number) => void,
): Generator<void, void> {
  const reader = new WindowReader(data, window);
  const words = new Uint32Array(reader.samples.buffer);
  yield* reader.pieces((rows, columns) => visit(words, rows * columns));
}
