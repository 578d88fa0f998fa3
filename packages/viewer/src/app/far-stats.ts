/** Statistics that the server computed, as the page has them. */
import type { Statistics } from '@acquisition-store/client';
import { sampleDeviation } from '@acquisition-store/readers/derive/analysis/moments.js';
import { accumulate } from '../analysis/histogram.ts';
import type { RegionStats } from '../analysis/region-stats.ts';
import { orderStatistics } from '../analysis/stats.ts';
import type { ChannelStats } from '../model/display.ts';

/** Bins for samples that are not integers of 8 or 16 bits. */
const BINS = 8192;

/** Edges of a histogram that has one bin for each number of a type. */
const WHOLE: Record<string, readonly [low: number, high: number]> = {
  uint8: [0, 256],
  int8: [-128, 128],
  uint16: [0, 65_536],
  int16: [-32_768, 32_768],
};

/** Returns the histogram to ask for: one bin for each integer, otherwise from the smallest to the largest sample. */
export function wholeBins(dtype: string): { bins: number; range?: readonly [number, number] } {
  const range = WHOLE[dtype];
  return range ? { bins: range[1] - range[0], range } : { bins: BINS };
}

/** Returns the statistics of a plane from an answer to `wholeBins`; percentiles are exact to a bin. */
export function toChannelStats({ finite, samples, histogram, ...stats }: Statistics): ChannelStats {
  const { edges, counts } = histogram ?? { edges: [0, 1], counts: [] };
  const [min, max] = [stats.min ?? Number.NaN, stats.max ?? Number.NaN];
  const width = edges[1]! - edges[0]!;
  const integer = width === 1 && Number.isInteger(edges[0]) && Number.isInteger(min);
  // The bins of the page start at the smallest sample.
  const skipped = integer ? min - edges[0]! : 0;
  const bins = Uint32Array.from(counts.slice(skipped, integer ? max - edges[0]! + 1 : undefined));
  const fine = {
    ...{ start: edges[skipped] ?? min, width, counts: bins },
    smallest: Float32Array.from(bins, (_, i) => edges[skipped + i]!),
    ties: integer ? bins : new Uint32Array(bins.length),
    cumulative: new Float64Array(bins.length + 1),
  };
  accumulate(fine, 0);
  return {
    ...{ count: finite, nonFinite: samples - finite, min, max, integer, core: null },
    ...{ mean: stats.mean ?? Number.NaN, standardDeviation: deviation({ std: stats.std, finite }) },
    ...{ bins, binWidth: width },
    ...orderStatistics(fine, null, { min, max, count: finite, integer }),
  };
}

/** Returns the statistics of a region from an answer with the median. */
export function toRegionStats({ finite, samples, min, max, mean, std, sum, percentiles }: Statistics): RegionStats {
  const number = (value: number | null | undefined) => value ?? Number.NaN;
  return {
    ...{ n: finite, nonFinite: samples - finite, mean: number(mean), sd: deviation({ std, finite }) },
    ...{ min: number(min), max: number(max), sum, median: number(percentiles[0]?.value) },
  };
}

/** The server divides by n, the page by n − 1. */
function deviation({ std, finite }: Pick<Statistics, 'std' | 'finite'>): number {
  return sampleDeviation({ std: std ?? Number.NaN, finite });
}
