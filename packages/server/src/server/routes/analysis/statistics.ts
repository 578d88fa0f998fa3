import { statistics, statisticsBytes } from '@acquisition-store/client/answers/statistics.js';
import { Statistics, StatisticsQuery } from '@acquisition-store/client/contract/analysis.js';
import { ANALYSIS_LIMITS } from '@acquisition-store/client/contract/values.js';
import { histogramBytes } from '@acquisition-store/readers/derive/analysis/histogram.js';
import { invalid, readNumbers, readWindow } from '../../analysis-input.js';
import type { Compute } from '../../compute.js';
import type { AppDependencies } from '../../dependencies.js';
import { operation } from '../../operation.js';
import { clientSignal, holdUntilSent, pinPlane } from '../../request-life.js';
import type { App } from '../../types.js';
import { toPlaneAddress } from '../data.js';
import { CHANNEL, PARTS } from './parts.js';

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
    const data = await pinPlane(deps, toPlaneAddress('channel', params, query), 'served', reply);
    const window = readWindow(query, data);
    const order = { percents, bins: query.bins, range };
    const result = statistics(data, window, order);
    await holdUntilSent(deps, reply, histogramBytes(query.bins));
    const scratch = statisticsBytes(data, window, order);
    return compute(params.sessionId, clientSignal(reply, deps.stopping), result, scratch);
  });
}

function readRange({ range, bins }: { range?: string; bins?: number }): [number, number] | undefined {
  if (range === undefined) return undefined;
  const [low, high] = readNumbers('range', range) as [number, number];
  if (bins === undefined) throw invalid('range', 'is for a histogram: send `bins` too', 'missing_bins');
  if (low <= high && Number.isFinite(high - low)) return [low, high];
  throw invalid('range', 'must have the lower edge first', 'out_of_order');
}
