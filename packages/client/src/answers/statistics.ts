import { type Histogram, histogram, histogramOfCounts } from '@acquisition-store/readers/derive/analysis/histogram.js';
import { type Moments, moments, momentsOfCounts } from '@acquisition-store/readers/derive/analysis/moments.js';
import {
  percentileBytes,
  percentiles,
  percentilesOfCounts,
} from '@acquisition-store/readers/derive/analysis/percentiles.js';
import { countValues, isCounted, VALUE_COUNT_BYTES } from '@acquisition-store/readers/derive/analysis/value-counts.js';
import { sampleCount, type Window } from '@acquisition-store/readers/derive/analysis/window.js';
import type { SourceData } from '@acquisition-store/readers/model/samples/plane-data.js';
import type { Statistics } from '../contract/analysis.js';
import { API_VERSION } from '../contract/values.js';

export interface StatisticsOrder {
  percents: readonly number[];
  bins: number | undefined;
  /** Edges of the histogram; those of the samples when undefined. */
  range: readonly [number, number] | undefined;
}

/** Returns the bytes that `statistics` takes, beside the histogram. */
export function statisticsBytes(data: SourceData, window: Window, { percents }: StatisticsOrder): number {
  return isCounted(data, window) ? VALUE_COUNT_BYTES : percentileBytes(window, percents.length);
}

/** Computes the statistics of a part of a plane. */
export function* statistics(data: SourceData, window: Window, order: StatisticsOrder): Generator<void, Statistics> {
  const { firstRow, endRow, firstColumn, endColumn } = window;
  const found = yield* isCounted(data, window) ? inOnePass(data, window, order) : inPasses(data, window, order);
  const { nan, posInf, negInf, finite, sum, min, max, mean, std } = found.moments;
  return {
    ok: true,
    apiVersion: API_VERSION,
    rows: [firstRow, endRow],
    columns: [firstColumn, endColumn],
    samples: sampleCount(window),
    ...{ nan, posInf, negInf, finite, sum },
    min: finiteOrNull(min),
    max: finiteOrNull(max),
    mean: finiteOrNull(mean),
    std: finiteOrNull(std),
    percentiles: order.percents.map((percent, i) => ({ percent, value: finiteOrNull(found.percentiles[i]!) })),
    histogram: found.histogram,
  };
}

interface Found {
  moments: Moments;
  percentiles: number[];
  histogram: Histogram | null;
}

function* inPasses(
  data: SourceData,
  window: Window,
  { percents, bins, range }: StatisticsOrder,
): Generator<void, Found> {
  const found = yield* moments(data, window);
  const values = yield* percentiles(data, window, percents);
  const edges = range ?? edgesOf(found);
  const isWanted = bins !== undefined && edges !== undefined;
  return {
    moments: found,
    percentiles: values,
    histogram: isWanted ? yield* histogram(data, window, bins, edges) : null,
  };
}

/** Does the same with planes of integers. */
function* inOnePass(
  data: SourceData,
  window: Window,
  { percents, bins, range }: StatisticsOrder,
): Generator<void, Found> {
  const counts = yield* countValues(data, window);
  const found = momentsOfCounts(counts);
  const edges = range ?? edgesOf(found);
  return {
    moments: found,
    percentiles: percentilesOfCounts(counts, percents),
    histogram: bins !== undefined && edges !== undefined ? histogramOfCounts(counts, bins, edges) : null,
  };
}

/** Returns the edges of a histogram of all finite samples; `undefined` without one. */
function edgesOf({ finite, min, max }: Moments): readonly [number, number] | undefined {
  return finite > 0 ? [min, max] : undefined;
}

/** Returns a number as JSON has it. */
function finiteOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
