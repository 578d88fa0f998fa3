import { lengthOf, placesAlong, profile, type Vertex } from '../../../analysis/profile.js';
import { ANALYSIS_LIMITS, ProfileRequest, ProfileResponse } from '../../../contract/analysis.js';
import { PlaneQuery } from '../../../contract/session.js';
import { AcqError } from '../../../errors.js';
import { grouped } from '../../../wording.js';
import type { AppDependencies } from '../../dependencies.js';
import { operation } from '../../operation.js';
import type { App } from '../../types.js';
import { pinPlane, toSessionPlane } from '../data.js';
import { CHANNEL, finiteOrNull, OK, PARTS } from './parts.js';

export function profileRoute(app: App, deps: AppDependencies): void {
  const options = operation({
    ...PARTS,
    id: 'getProfile',
    summary: 'Samples along a line through a plane',
    query: PlaneQuery,
    body: ProfileRequest,
    ok: ProfileResponse,
    access: 'consent',
  });
  app.post(`${CHANNEL}/profile`, options, async ({ params, query, body: { points, width = 1 } }, reply) => {
    const vertices = points as unknown as Vertex[];
    checkLine(vertices, width);
    const data = await pinPlane(deps, toSessionPlane('channel', params, query), reply);
    const { values, ...rest } = profile(data, vertices, width);
    const { axes } = deps.sessions.acquisition(params.sessionId).plane;
    return { ...OK, ...toDistances(rest, axes), ...rest, values: values.map(finiteOrNull) };
  });
}

function checkLine(points: readonly Vertex[], width: number): void {
  const length = lengthOf(points);
  const max = ANALYSIS_LIMITS.profileSamples;
  if (length > 0 && placesAlong(length) * width <= max) return;
  const problem =
    length > 0 ? `The line needs more than ${grouped(max)} samples` : 'All points of the line are the same';
  throw new AcqError(
    'region_out_of_range',
    `${problem}. A line has a length, and its length in pixels times \`width\` is at most ${grouped(max)}.`,
  );
}

/** Returns distances along the line in the unit of both axes; in pixels when they have different ones. */
function toDistances(
  { rows, columns, spacing }: { rows: number[]; columns: number[]; spacing: number },
  axes: readonly { step: number; unit: ProfileResponse['unit'] }[],
): Pick<ProfileResponse, 'unit' | 'distance'> {
  const [y, x] = axes;
  if (y!.unit !== x!.unit) return { unit: null, distance: rows.map((_, i) => i * spacing) };
  let sum = 0;
  const distance = rows.map((row, i) => {
    if (i > 0) sum += Math.hypot((row - rows[i - 1]!) * y!.step, (columns[i]! - columns[i - 1]!) * x!.step);
    return sum;
  });
  return { unit: y!.unit, distance };
}
