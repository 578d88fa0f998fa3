import {
  addSamples,
  createMoments,
  endMoments,
  type Moments,
  sampleDeviation,
} from '@acquisition-store/readers/derive/analysis/moments.js';
import type { ChannelStats } from '../model/display.ts';
import { isFloat, type Samples } from '../model/samples.ts';
import {
  accumulate,
  countBelow,
  countBlock,
  createHistogram,
  findBin,
  type Histogram,
  hasRank,
  hasValue,
} from './histogram.ts';
import { createSlices, type SliceOptions, type Slices } from './slices.ts';

/** What is known of the finite samples before they are counted in bins. */
interface Counted extends Pick<Moments, 'max'> {
  count: number;
  /** True when all of them are whole numbers. */
  integer: boolean;
}

/** Fraction of the samples that the core histogram excludes at each end. */
const TAIL = 0.0005;
/** A core that is narrower than this fraction of the bins gets its own histogram. */
const MAX_CORE = 1 / 8;

/**
 * Returns statistics of all samples of a plane, which are read two or three times in slices of at most `budgetMs`. The
 * median and other percentiles are exact for integers with a range of up to 65,536 values. Otherwise they are the
 * smallest sample of a bin with 1/65,536 of the range, or of the range of the middle 99.9 % when outliers make that
 * much narrower. Rejects with the reason of an aborted signal.
 */
export async function countStats(data: Samples, options: SliceOptions = {}): Promise<ChannelStats> {
  const slices = createSlices(options);
  const moments = createMoments();
  let integer = true;
  const add = (from: number, to: number) => {
    addSamples(moments, data, from, to);
    integer &&= !isFloat(data) || areWhole(data, from, to);
  };
  await slices.each(data.length, add, 0.5);
  const { finite: count, nan, posInf, negInf, min, max, mean, std } = endMoments(moments);
  const nonFinite = nan + posInf + negInf;
  if (count === 0) return emptyStats(nonFinite);
  const whole = await countAll(data, { first: min, last: max, integer }, slices);
  accumulate(whole, 0);
  const core = await countCore(data, whole, { count, integer, max }, slices);
  options.onProgress?.(1);
  return {
    count,
    nonFinite,
    min,
    max,
    mean,
    standardDeviation: sampleDeviation({ std, finite: count }),
    integer,
    bins: whole.counts,
    binWidth: whole.width,
    core: core && { start: core.start, width: core.width, counts: core.counts },
    ...orderStatistics(whole, core, { min, max, count, integer }),
  };
}

/** True when every finite sample is a whole number. */
function areWhole(data: Float32Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const value = data[at]!;
    if (value !== Math.floor(value) && value - value === 0) return false;
  }
  return true;
}

async function countAll(
  data: Samples,
  { first, last, integer }: { first: number; last: number; integer: boolean },
  slices: Slices,
): Promise<Histogram> {
  const histogram = createHistogram(first, last, integer);
  await slices.each(data.length, (from, to) => countBlock(histogram, last, data, from, to), 0.25);
  return histogram;
}

/** Counts the core again with finer bins when outliers squeeze it into a few. */
async function countCore(
  data: Samples,
  whole: Histogram,
  { count, integer, max }: Counted,
  slices: Slices,
): Promise<Histogram | null> {
  if (integer && whole.width === 1) return null;
  const low = findBin(whole, Math.max(1, Math.ceil(count * TAIL)));
  const high = findBin(whole, Math.max(1, Math.ceil(count * (1 - TAIL))));
  if (high - low + 1 > whole.counts.length * MAX_CORE) return null;
  const first = whole.smallest[low]!;
  const end = whole.start + (high + 1) * whole.width;
  const last = Math.min(max, integer ? end - 1 : end);
  if (!(last > first)) return null;
  const core = await countAll(data, { first, last, integer }, slices);
  accumulate(core, whole.cumulative[low]!);
  return core;
}

/** Returns what is read from histograms; `core` is a finer one of the middle. */
export function orderStatistics(
  whole: Histogram,
  core: Histogram | null,
  { min, max, count, integer }: Counted & Pick<Moments, 'min'>,
): Pick<ChannelStats, 'percentile' | 'countBelow' | 'countAbove'> {
  const upTo = (value: number, inclusive: boolean) => {
    if (value < min || (value === min && !inclusive)) return 0;
    if (value > max || (value === max && inclusive)) return count;
    const exact = integer ? (inclusive ? Math.floor(value) : Math.ceil(value)) : value;
    return countBelow(core && hasValue(core, exact) ? core : whole, exact, inclusive);
  };
  return {
    percentile(fraction) {
      // Nearest rank. The small term keeps 0.07 × 100 at 7.
      const rank = Math.min(count, Math.max(1, Math.ceil(fraction * count - 1e-6)));
      if (rank === count) return max;
      const histogram = core && hasRank(core, rank) ? core : whole;
      return histogram.smallest[findBin(histogram, rank)]!;
    },
    countBelow: (value) => upTo(value, false),
    countAbove: (value) => count - upTo(value, true),
  };
}

function emptyStats(nonFinite: number): ChannelStats {
  const none = Number.NaN;
  return {
    count: 0,
    nonFinite,
    min: none,
    max: none,
    mean: none,
    standardDeviation: none,
    integer: false,
    bins: new Uint32Array(0),
    binWidth: 1,
    core: null,
    percentile: () => none,
    countBelow: () => 0,
    countAbove: () => 0,
  };
}
