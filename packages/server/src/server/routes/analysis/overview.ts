import { overviewGrid } from '@acquisition-store/client/answers/overview.js';
import { OverviewQuery } from '@acquisition-store/client/contract/analysis.js';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { type OverviewGrid, overview, usesGroups } from '@acquisition-store/readers/derive/analysis/overview.js';
import { groupPlaneRows, reduceToGroups } from '@acquisition-store/readers/derive/analysis/row-groups.js';
import { type PlaneData, planeByteLength, slicePlane } from '@acquisition-store/readers/model/samples/plane-data.js';
import type { FastifyReply } from 'fastify';
import type { Reduction } from '../../../sessions/reduced-plane.js';
import type { PlaneAddress } from '../../../sessions/types.js';
import { readWindow } from '../../analysis-input.js';
import { sendArray, startArray } from '../../array-body.js';
import type { Compute } from '../../compute.js';
import type { AppDependencies } from '../../dependencies.js';
import { arrayOperation } from '../../operation.js';
import { clientSignal, holdUntilSent, pinPlane, releaseWhenSent, untilStopped } from '../../request-life.js';
import type { App } from '../../types.js';
import { toBody, toPlaneAddress } from '../data.js';
import { CHANNEL, PARTS } from './parts.js';

export function overviewRoute(app: App, deps: AppDependencies, compute: Compute): void {
  const options = arrayOperation({
    ...PARTS,
    id: 'getOverview',
    summary: 'Smallest, largest and mean sample of every cell of a grid over a plane',
    description:
      'An array `[3, height, width]`: minimum, maximum, mean. Every sample is in exactly one cell: cell i has the rows ' +
      'from ⌊i·rows/height⌋ to ⌊(i+1)·rows/height⌋ − 1 of the window, and columns likewise. Samples that are not finite ' +
      'are ignored; a cell without a finite sample is NaN.',
    query: OverviewQuery,
  });
  app.get(`${CHANNEL}/overview`, options, async ({ params, query }, reply) => {
    const address = toPlaneAddress('channel', params, query);
    const window = readWindow(query, deps.sessions.planeShape(address));
    const grid = overviewGrid(query, window);
    const { height, width } = grid;
    const signal = clientSignal(reply, deps.stopping);
    const answer = { shape: [3, height, width], as: query.as ?? 'raw' };
    const far = await untilStopped(deps.stopping, deps.overviews.far(address, grid, signal));
    if (!far) return sendArray(reply, await nearOverview(deps, address, reply, { grid, signal, compute }), answer);
    releaseWhenSent(far.release, reply);
    const head = startArray(reply, answer);
    const views = slicePlane(far.data, 0, planeByteLength(far.data));
    return reply.send(toBody(head.length > 0 ? [head, ...views] : views));
  });
}

/** Computes an overview from the plane in memory. */
async function nearOverview(
  deps: AppDependencies,
  address: PlaneAddress,
  reply: FastifyReply,
  { grid, signal, compute }: { grid: OverviewGrid; signal: AbortSignal; compute: Compute },
): Promise<Float32Array<ArrayBuffer>> {
  const { window, height, width } = grid;
  const data = await pinPlane(deps, address, 'served', reply);
  await holdUntilSent(deps, reply, 3 * Float32Array.BYTES_PER_ELEMENT * height * width);
  const groups = usesGroups(window, height) ? await pinGroups(deps, address, reply, { compute, signal }) : undefined;
  return compute(address.sessionId, signal, overview(data, window, grid, groups));
}

/** Returns the groups of a plane, which make overviews fast; `undefined` when memory has no room for them. */
async function pinGroups(
  { overviews, stopping }: AppDependencies,
  address: PlaneAddress,
  reply: FastifyReply,
  { compute, signal }: { compute: Compute; signal: AbortSignal },
): Promise<PlaneData | undefined> {
  const reduction: Reduction = {
    name: 'groups',
    rows: groupPlaneRows,
    run: (data, put, stop) => compute(address.sessionId, stop, reduceToGroups(data, put)),
  };
  try {
    const groups = await untilStopped(stopping, overviews.reduced(address, reduction, signal));
    releaseWhenSent(groups.release, reply);
    return groups.data as PlaneData;
  } catch (error) {
    if (error instanceof AcqError && (error.code === 'capacity_exceeded' || error.code === 'plane_too_large'))
      return undefined;
    throw error;
  }
}
