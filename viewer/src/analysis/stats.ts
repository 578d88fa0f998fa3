import type { ChannelStats } from '../model/display.ts';
import {
  binOfRank,
  countBelow,
  countBlock,
  createHistogram,
  type Histogram,
  holdsRank,
  holdsValue,
  sumUp,
} from './histogram.ts';
import { addBlock, createMoments, type Moments, standardDeviation } from './moments.ts';
import { createSlices, type SliceOptions, type Slices } from './slices.ts';

/** Part of the samples that the core histogram leaves out at either end. */
const TAIL = 0.0005;
/** A core narrower than this part of the bins is counted once more, on its own. */
const NARROW = 1 / 8;

/**
 * Facts of all samples of a plane: every one is read, two or three times, in slices of at most `budgetMs`. The median
 * and other percentiles of whole numbers spread over up to 65,536 values are exact; others are the smallest sample of a
 * bin of 1/65,536 of the range, or of the range of the middle 99.9 % when single outliers make that much narrower.
 * Rejects with the signal's reason once aborted.
 */
export async function countStats(data: Float32Array, options: SliceOptions = {}): Promise<ChannelStats> {
  const slices = createSlices(options);
  const moments = createMoments();
  await slices.each(data.length, (from, to) => addBlock(moments, data, from, to), 0.5);
  if (moments.count === 0) return nothing(moments.nonFinite);
  const { min, max, count, integer } = moments;
  const whole = await countAll(data, { first: min, last: max, integer }, slices);
  sumUp(whole, 0);
  const core = await countCore(data, whole, moments, slices);
  options.onProgress?.(1);
  return {
    count,
    nonFinite: moments.nonFinite,
    min,
    max,
    mean: moments.mean,
    standardDeviation: standardDeviation(moments),
    integer,
    bins: whole.counts,
    binWidth: whole.width,
    core: core && { start: core.start, width: core.width, counts: core.counts },
    ...orderStatistics(whole, core, moments),
  };
}

async function countAll(
  data: Float32Array,
  { first, last, integer }: { first: number; last: number; integer: boolean },
  slices: Slices,
): Promise<Histogram> {
  const histogram = createHistogram(first, last, integer);
  await slices.each(data.length, (from, to) => countBlock(histogram, last, data, from, to), 0.25);
  return histogram;
}

/** A single bright outlier puts all else into a few bins: those are counted finely. */
async function countCore(
  data: Float32Array,
  whole: Histogram,
  { count, integer, max }: Moments,
  slices: Slices,
): Promise<Histogram | null> {
  if (integer && whole.width === 1) return null;
  const low = binOfRank(whole, Math.max(1, Math.ceil(count * TAIL)));
  const high = binOfRank(whole, Math.max(1, Math.ceil(count * (1 - TAIL))));
  if (high - low + 1 > whole.counts.length * NARROW) return null;
  const first = whole.smallest[low]!;
  const end = whole.start + (high + 1) * whole.width;
  const last = Math.min(max, integer ? end - 1 : end);
  if (!(last > first)) return null;
  const core = await countAll(data, { first, last, integer }, slices);
  sumUp(core, whole.cumulative[low]!);
  return core;
}

function orderStatistics(
  whole: Histogram,
  core: Histogram | null,
  { min, max, count, integer }: Moments,
): Pick<ChannelStats, 'percentile' | 'countBelow' | 'countAbove'> {
  const upTo = (value: number, inclusive: boolean) => {
    if (value < min || (value === min && !inclusive)) return 0;
    if (value > max || (value === max && inclusive)) return count;
    const exact = integer ? (inclusive ? Math.floor(value) : Math.ceil(value)) : value;
    return countBelow(core && holdsValue(core, exact) ? core : whole, exact, inclusive);
  };
  return {
    percentile(fraction) {
      // Nearest rank; the small term keeps 0.07 × 100 at 7.
      const rank = Math.min(count, Math.max(1, Math.ceil(fraction * count - 1e-6)));
      if (rank === count) return max;
      const histogram = core && holdsRank(core, rank) ? core : whole;
      return histogram.smallest[binOfRank(histogram, rank)]!;
    },
    countBelow: (value) => upTo(value, false),
    countAbove: (value) => count - upTo(value, true),
  };
}

function nothing(nonFinite: number): ChannelStats {
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
