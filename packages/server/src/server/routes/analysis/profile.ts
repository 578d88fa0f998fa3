import {
  checkLine,
  type MeasuredProfile,
  measuredProfile,
  PROFILE_ROWS,
  toProfileArray,
} from '@acquisition-store/client/answers/profile.js';
import { ProfileRequest, ProfileResponse } from '@acquisition-store/client/contract/analysis.js';
import { PlaneQuery } from '@acquisition-store/client/contract/session.js';
import { Polyline, type Vertex } from '@acquisition-store/readers/derive/analysis/polyline.js';
import { asJsonList } from '../../../long-lists.js';
import { sendArray } from '../../array-body.js';
import type { Compute } from '../../compute.js';
import type { AppDependencies } from '../../dependencies.js';
import { operation } from '../../operation.js';
import { clientSignal, holdUntilSent, pinPlane } from '../../request-life.js';
import type { App } from '../../types.js';
import { toPlaneAddress } from '../data.js';
import { CHANNEL, OK, PARTS } from './parts.js';

export function profileRoute(app: App, deps: AppDependencies, compute: Compute): void {
  const options = operation({
    ...PARTS,
    id: 'getProfile',
    summary: 'Samples along a line through a plane',
    query: PlaneQuery,
    body: ProfileRequest,
    ok: ProfileResponse,
    alsoArray: true,
    access: 'consent',
  });
  app.post(`${CHANNEL}/profile`, options, async ({ params, query, body }, reply) => {
    const { width = 1, as = 'json' } = body;
    const points = body.points as unknown as Vertex[];
    checkLine(points, width);
    const data = await pinPlane(deps, toPlaneAddress('channel', params, query), 'served', reply);
    const { axes } = deps.sessions.acquisition(params.sessionId).plane;
    const memory = PROFILE_ROWS.length * Float64Array.BYTES_PER_ELEMENT * new Polyline(points).places;
    await holdUntilSent(deps, reply, memory);
    const line = await compute(
      params.sessionId,
      clientSignal(reply, deps.stopping),
      measuredProfile(data, { points, width, axes }),
    );
    if (as === 'json') return toResponse(line);
    const shape = [PROFILE_ROWS.length, line.values.length];
    return sendArray(reply, toProfileArray(line), { shape, as, type: 'float64' }) as never;
  });
}

function toResponse({ length, spacing, unit, ...lists }: MeasuredProfile): ProfileResponse {
  const { distance, rows, columns, values } = lists;
  return {
    ...OK,
    ...{ length, spacing, unit },
    distance: asJsonList(distance),
    rows: asJsonList(rows),
    columns: asJsonList(columns),
    values: asJsonList(values),
  };
}
