import { histogram } from '@acquisition-store/readers/derive/analysis/histogram.js';
import { moments } from '@acquisition-store/readers/derive/analysis/moments.js';
import { percentiles } from '@acquisition-store/readers/derive/analysis/percentiles.js';
import type { Window } from '@acquisition-store/readers/derive/analysis/window.js';
import type { SourceData } from '@acquisition-store/readers/model/samples/plane-data.js';
import type { Statistics } from '../contract/analysis.js';
import { API_VERSION } from '../contract/values.js';

export interface StatisticsOrder {
  percents: readonly number[];
  bins: number | undefined;
  /** Edges of the histogram; those of the samples when undefined. */
  range: readonly [number, number] | undefined;
}

/** Computes the statistics of a part of a plane. */
export function* statistics(
  data: SourceData,
  window: Window,
  { percents, bins, range }: StatisticsOrder,
): Generator<void, Statistics> {
  const { firstRow, endRow, firstColumn, endColumn } = window;
  const { min, max, mean, std, ...sums } = yield* moments(data, window);
  const values = percents.length === 0 ? [] : yield* percentiles(data, window, percents);
  const edges = range ?? (sums.finite > 0 ? ([min, max] as const) : undefined);
  return {
    ok: true,
    apiVersion: API_VERSION,
    rows: [firstRow, endRow],
    columns: [firstColumn, endColumn],
    samples: (endRow - firstRow) * (endColumn - firstColumn),
    ...sums,
    min: finiteOrNull(min),
    max: finiteOrNull(max),
    mean: finiteOrNull(mean),
    std: finiteOrNull(std),
    percentiles: percents.map((percent, i) => ({ percent, value: finiteOrNull(values[i]!) })),
    histogram: bins === undefined || edges === undefined ? null : yield* histogram(data, window, bins, edges),
  };
}

/** Returns a number as JSON has it. */
function finiteOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
