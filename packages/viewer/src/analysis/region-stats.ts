import {
  addSamples,
  createMoments,
  endMoments,
  sampleDeviation,
} from '@acquisition-store/readers/derive/analysis/moments.js';
import { toKey } from '@acquisition-store/readers/derive/analysis/order-keys.js';
import type { Shape } from '../model/geometry.ts';
import { isFloat, type Samples } from '../model/samples.ts';
import { bitsOf, findRanks, integerOffset, integersOfRanks, isFiniteSample } from './rank.ts';
import { clipRegion, eachStretch, type PlaneRegion } from './region.ts';
import { createSlices, type SliceOptions } from './slices.ts';

export interface RegionStats {
  /** Number of finite samples. Without any, the statistics below are NaN, and `sum` is 0. */
  readonly n: number;
  readonly nonFinite: number;
  readonly mean: number;
  /** With n − 1, as in ImageJ; 0 for a single sample. */
  readonly sd: number;
  readonly min: number;
  readonly max: number;
  readonly sum: number;
  /** Exact; the mean of the two middle samples when n is even. */
  readonly median: number;
}

/** Returns the mean of the finite samples of a region; NaN without one. Works in slices. */
export async function regionMean(
  data: Samples,
  shape: Shape,
  region: PlaneRegion,
  options: SliceOptions = {},
): Promise<number> {
  const moments = createMoments();
  const gather = (from: number, to: number) => addSamples(moments, data, from, to);
  await eachStretch(clipRegion(region, shape), shape, createSlices(options), gather);
  return endMoments(moments).mean;
}

/** Returns exact statistics of a region. Works in slices. */
export async function regionStats(
  data: Samples,
  shape: Shape,
  region: PlaneRegion,
  options: SliceOptions = {},
): Promise<RegionStats> {
  const part = clipRegion(region, shape);
  const slices = createSlices(options);
  const moments = createMoments();
  const counts = new Uint32Array(65_536);
  const count = isFloat(data) ? floatCounter(data, counts) : integerCounter(data, counts);
  const gather = (from: number, to: number) => {
    addSamples(moments, data, from, to);
    count(from, to);
  };
  await eachStretch(part, shape, slices, gather, 0.5);
  const { finite: n, nan, posInf, negInf, min, max, mean, std, sum } = endMoments(moments);
  const nonFinite = nan + posInf + negInf;
  const none = Number.NaN;
  if (n === 0) return { n, nonFinite, mean: none, sd: none, min: none, max: none, sum, median: none };
  const ranks = [Math.floor((n - 1) / 2), Math.floor(n / 2)];
  const [lower, upper] = isFloat(data)
    ? await findRanks(data, { part, shape, high: counts, ranks }, slices)
    : integersOfRanks(counts, ranks, integerOffset(data));
  const median = (lower! + upper!) / 2 + 0;
  return { n, nonFinite, mean, sd: sampleDeviation({ std, finite: n }), min, max, sum, median };
}

/** Counts the upper halves of the sortable keys of finite samples. */
function floatCounter(data: Float32Array, counts: Uint32Array) {
  const keys = bitsOf(data);
  return (from: number, to: number) => {
    for (let at = from; at < to; at++) {
      const bin = toKey(keys[at]!) >>> 16;
      if (isFiniteSample(data[at]!)) counts[bin] = counts[bin]! + 1;
    }
  };
}

function integerCounter(data: Samples, counts: Uint32Array) {
  const offset = integerOffset(data);
  return (from: number, to: number) => {
    for (let at = from; at < to; at++) {
      const bin = data[at]! + offset;
      counts[bin] = counts[bin]! + 1;
    }
  };
}
