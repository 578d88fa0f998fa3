import { ANALYSIS_LIMITS, ProfileRequest, ProfileResponse } from '@acquisition-store/client/contract/analysis.js';
import { PlaneQuery } from '@acquisition-store/client/contract/session.js';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { grouped } from '@acquisition-store/readers/base/wording.js';
import {
  lengthOf,
  type Profile,
  placesAlong,
  profile,
  type Vertex,
} from '@acquisition-store/readers/derive/analysis/profile.js';
import type { PlaneData } from '@acquisition-store/readers/model/samples/plane-data.js';
import { sendArray } from '../../array-body.js';
import { clientSignal } from '../../client-signal.js';
import type { Compute } from '../../compute.js';
import type { AppDependencies } from '../../dependencies.js';
import { holdUntilSent } from '../../held-memory.js';
import { asJsonList } from '../../long-json.js';
import { operation } from '../../operation.js';
import type { App } from '../../types.js';
import { pinPlane, toSessionPlane } from '../data.js';
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
    const data = await pinPlane(deps, toSessionPlane('channel', params, query), reply);
    const { axes } = deps.sessions.acquisition(params.sessionId).plane;
    const memory = ARRAY_ROWS.length * Float64Array.BYTES_PER_ELEMENT * placesAlong(lengthOf(points));
    await holdUntilSent(deps, reply, memory);
    const line = await compute(
      params.sessionId,
      clientSignal(reply, deps.stopping),
      measuredProfile(data, { points, width, axes }),
    );
    if (as === 'json') return toResponse(line);
    const shape = [ARRAY_ROWS.length, line.values.length];
    return sendArray(reply, toArray(line), { shape, as, type: 'float64' }) as never;
  });
}

/** @throws AcqError `region_out_of_range` for a line that is too long, before anything is computed */
function checkLine(points: readonly Vertex[], width: number): void {
  const length = lengthOf(points);
  if (length === 0) refuse('All points of the line are the same. A line has a length.');
  const { profilePlaces, profileSamples } = ANALYSIS_LIMITS;
  const places = placesAlong(length);
  // Far points have a length that is not a finite number.
  if (!(places <= profilePlaces)) {
    refuse(
      `The line has ${Number.isSafeInteger(places) ? grouped(places) : 'too many'} places, one for each pixel of its ` +
        `length and one more; the limit is ${grouped(profilePlaces)} (profilePlaces).`,
    );
  }
  if (places * width <= profileSamples) return;
  refuse(
    `The line has ${grouped(places)} places with ${grouped(width)} samples each (\`width\`); the limit is ` +
      `${grouped(profileSamples)} samples (profileSamples).`,
  );
}

function refuse(problem: string): never {
  throw new AcqError('region_out_of_range', problem);
}

interface MeasuredProfile extends Profile, Pick<ProfileResponse, 'unit'> {
  distance: Float64Array<ArrayBuffer>;
}

type Axes = readonly { step: number; unit: ProfileResponse['unit'] }[];

function* measuredProfile(
  data: PlaneData,
  { points, width, axes }: { points: readonly Vertex[]; width: number; axes: Axes },
): Generator<void, MeasuredProfile> {
  const line = yield* profile(data, points, width);
  yield;
  return { ...line, ...toDistances(line, axes) };
}

/** Returns distances along the line in the unit of both axes; in pixels when they have different ones. */
function toDistances({ rows, columns, spacing }: Profile, [y, x]: Axes): Pick<MeasuredProfile, 'unit' | 'distance'> {
  if (y!.unit !== x!.unit) return { unit: null, distance: rows.map((_, i) => i * spacing) };
  let sum = 0;
  const distance = rows.map((row, i) => {
    if (i > 0) sum += Math.hypot((row - rows[i - 1]!) * y!.step, (columns[i]! - columns[i - 1]!) * x!.step);
    return sum;
  });
  return { unit: y!.unit, distance };
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

const ARRAY_ROWS = ['distance', 'rows', 'columns', 'values'] as const;

function toArray(line: MeasuredProfile): Float64Array<ArrayBuffer> {
  const count = line.values.length;
  const array = new Float64Array(ARRAY_ROWS.length * count);
  for (const [i, name] of ARRAY_ROWS.entries()) array.set(line[name], i * count);
  return array;
}
