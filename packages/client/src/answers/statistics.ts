import { type Histogram, histogram, histogramOfCounts } from '@acquisition-store/readers/derive/analysis/histogram.js';
import { moments, momentsOfCounts } from '@acquisition-store/readers/derive/analysis/moments.js';
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

/** Computes the statistics of a part of a plane: in one pass where values are counted, else in a pass for each. */
export function* statistics(
  data: SourceData,
  window: Window,
  { percents, bins, range }: StatisticsOrder,
): Generator<void, Statistics> {
  const { firstRow, endRow, firstColumn, endColumn } = window;
  const counts = isCounted(data, window) ? yield* countValues(data, window) : undefined;
  const found = counts ? momentsOfCounts(counts) : yield* moments(data, window);
  const values = counts ? percentilesOfCounts(counts, percents) : yield* percentiles(data, window, percents);
  const { nan, posInf, negInf, finite, sum, min, max, mean, std } = found;
  const edges = range ?? (finite > 0 ? ([min, max] as const) : undefined);
  let bars: Histogram | null = null;
  if (bins !== undefined && edges !== undefined) {
    bars = counts ? histogramOfCounts(counts, bins, edges) : yield* histogram(data, window, bins, edges);
  }
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
    percentiles: percents.map((percent, i) => ({ percent, value: finiteOrNull(values[i]!) })),
    histogram: bars,
  };
}

/** Returns a number as JSON has it. */
function finiteOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
