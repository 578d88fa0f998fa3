import { TracesRequest } from '@acquisition-store/client/contract/analysis.js';
import { PlaneQuery } from '@acquisition-store/client/contract/session.js';
import { sendArray } from '../../array-body.js';
import type { Compute } from '../../compute.js';
import type { AppDependencies } from '../../dependencies.js';
import { arrayOperation } from '../../operation.js';
import { traceLines, tracePlanes } from '../../traces.js';
import type { App } from '../../types.js';
import { toPlaneAddress } from '../data.js';
import { CHANNEL, PARTS } from './parts.js';

export function tracesRoute(app: App, deps: AppDependencies, compute: Compute): void {
  const options = arrayOperation({
    ...PARTS,
    id: 'getTraces',
    summary: 'Regions followed along the rows of a plane, the time points or the sections',
    description:
      'An array `[regions, ⌈n/every⌉]`. Samples that are not finite are ignored; a value without a finite sample is NaN. ' +
      'Along T or Z, every plane is decoded in turn, one at a time.',
    query: PlaneQuery,
    body: TracesRequest,
  });
  app.post(`${CHANNEL}/traces`, options, async ({ params, query, body }, reply) => {
    const address = toPlaneAddress('channel', params, query);
    const { every = 1, statistic = 'mean', as = 'raw' } = body;
    const { regions, values } = await (body.along === 'Y'
      ? traceLines(deps, address, { regions: body.regions, every, statistic }, reply, compute)
      : tracePlanes(deps, address, { ...body, along: body.along, every, statistic }, reply, compute));
    return sendArray(reply, values, { shape: [regions, values.length / regions], as });
  });
}
