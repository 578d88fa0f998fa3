import { ANALYSIS_LIMITS, Statistics, StatisticsQuery } from '@acquisition-store/client/contract/analysis.js';
import { histogram, histogramBytes } from '@acquisition-store/readers/derive/analysis/histogram.js';
import { moments } from '@acquisition-store/readers/derive/analysis/moments.js';
import { percentileBytes, percentiles } from '@acquisition-store/readers/derive/analysis/percentiles.js';
import type { Window } from '@acquisition-store/readers/derive/analysis/window.js';
import type { PlaneData } from '@acquisition-store/readers/model/samples/plane-data.js';
import { invalid, readNumbers, readWindow } from '../../analysis-input.js';
import { clientSignal } from '../../client-signal.js';
import type { Compute } from '../../compute.js';
import type { AppDependencies } from '../../dependencies.js';
import { holdUntilSent } from '../../held-memory.js';
import { operation } from '../../operation.js';
import type { App } from '../../types.js';
import { pinPlane, toSessionPlane } from '../data.js';
import { CHANNEL, finiteOrNull, OK, PARTS } from './parts.js';

export function statisticsRoute(app: App, deps: AppDependencies, compute: Compute): void {
  const options = operation({
    ...PARTS,
    id: 'getStatistics',
    summary: 'Statistics of a plane or a part of it',
    description: 'Computed in float64 from every sample of the served plane.',
    query: StatisticsQuery,
    ok: Statistics,
    access: 'consent',
  });
  app.get(`${CHANNEL}/statistics`, options, async ({ params, query }, reply) => {
    const percents = readNumbers('percentiles', query.percentiles, {
      min: 0,
      max: 100,
      maxCount: ANALYSIS_LIMITS.percentiles,
    });
    const range = readRange(query);
    const data = await pinPlane(deps, toSessionPlane('channel', params, query), reply);
    const window = readWindow(query, data);
    const result = statistics(data, window, { percents, bins: query.bins, range });
    await holdUntilSent(deps, reply, histogramBytes(query.bins));
    return compute(params.sessionId, clientSignal(reply, deps.stopping), result, percentileBytes(percents.length));
  });
}

function readRange({ range, bins }: { range?: string; bins?: number }): [number, number] | undefined {
  if (range === undefined) return undefined;
  const [low, high] = readNumbers('range', range) as [number, number];
  if (bins === undefined) throw invalid('range', 'is for a histogram: send `bins` too', 'missing_bins');
  if (low <= high && Number.isFinite(high - low)) return [low, high];
  throw invalid('range', 'must have the lower edge first', 'out_of_order');
}

function* statistics(
  data: PlaneData,
  window: Window,
  { percents, bins, range }: { percents: number[]; bins: number | undefined; range: [number, number] | undefined },
): Generator<void, Statistics> {
  const { firstRow, endRow, firstColumn, endColumn } = window;
  const { min, max, mean, std, ...sums } = yield* moments(data, window);
  const values = percents.length === 0 ? [] : yield* percentiles(data, window, percents);
  const edges = range ?? (sums.finite > 0 ? ([min, max] as const) : undefined);
  return {
    ...OK,
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
