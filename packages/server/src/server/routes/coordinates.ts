/** Times and positions as they were measured, of the scene of a session: along its axes, and plane by plane. */

import {
  Coordinates,
  CoordinatesQuery,
  MAX_COORDINATES,
  PlaneTable,
  PlaneTableQuery,
} from '@acquisition-store/client/contract/coordinates.js';
import { SessionParams } from '@acquisition-store/client/contract/session.js';
import { API_VERSION } from '@acquisition-store/client/contract/values.js';
import { invalidRequest } from '@acquisition-store/readers/base/errors.js';
import type { AxisCoordinates, SceneInfo } from '@acquisition-store/readers/model/acquisition.js';
import { asServed } from '@acquisition-store/readers/model/calibration.js';
import { startOf } from '@acquisition-store/readers/model/metadata/instrument.js';
import {
  countPlanes,
  laterAxes,
  type PlaneTable as Table,
  withLaterAxes,
} from '@acquisition-store/readers/model/metadata/plane-table.js';
import type { FastifyReply } from 'fastify';
import type { Static } from 'typebox';
import { asJsonList } from '../../long-lists.js';
import { sendArray } from '../array-body.js';
import type { AppDependencies } from '../dependencies.js';
import { operation } from '../operation.js';
import { READ_ERRORS } from '../operation-errors.js';
import { clientSignal, holdUntilSent, untilStopped } from '../request-life.js';
import type { App } from '../types.js';

type Query = Static<typeof CoordinatesQuery>;

const SESSION = '/api/v2/sessions/:sessionId';
const PARTS = {
  tag: 'Sessions',
  params: SessionParams,
  access: 'consent',
  errors: ['session_not_found', 'session_store_unavailable', ...READ_ERRORS],
} as const;
/** Columns of a table: T, Z, C, and what was measured. */
const MAX_COLUMNS = 8;

export function coordinateRoutes(app: App, deps: AppDependencies): void {
  coordinates(app, deps);
  planeTable(app, deps);
}

function coordinates(app: App, deps: AppDependencies): void {
  const options = operation({
    ...PARTS,
    id: 'getCoordinates',
    summary: 'Measured times and positions of the axes',
    description:
      'The values of the axes that `header.coordinates` lists. An axis that is not listed is known by its step alone.',
    query: CoordinatesQuery,
    ok: Coordinates,
    alsoArray: true,
  });
  app.get(`${SESSION}/coordinates`, options, async ({ params: { sessionId }, query }, reply) => {
    const { axis, as = 'json' } = query;
    const { header } = deps.sessions.acquisition(sessionId);
    const served = asServed(await sceneOf(deps, sessionId), header);
    const scene = await withAllValues(deps, sessionId, served, { axis, reply });
    if (as === 'json') return toCoordinates(scene, query);
    const values = valuesOf(scene, axis, query);
    await holdUntilSent(deps, reply, values.byteLength);
    return sendArray(reply, values, { shape: [values.length], as, type: 'float64' }) as never;
  });
}

function planeTable(app: App, deps: AppDependencies): void {
  const options = operation({
    ...PARTS,
    id: 'getPlaneTable',
    summary: 'Times, exposures and positions of single planes',
    description:
      'What the file says of each plane of the open scene, in columns. They are read from the file now; opening it did not ' +
      'wait for them.',
    query: PlaneTableQuery,
    ok: PlaneTable,
  });
  app.get(`${SESSION}/planes`, options, async ({ params: { sessionId }, query }, reply) => {
    const { from = 0, count = MAX_COORDINATES } = query;
    const scene = await sceneOf(deps, sessionId);
    const total = countPlanes(scene);
    const rows = Math.max(0, Math.min(count, total - from));
    await holdUntilSent(deps, reply, rows * MAX_COLUMNS * Float64Array.BYTES_PER_ELEMENT);
    const signal = clientSignal(reply, deps.stopping);
    const table = await untilStopped(deps.stopping, deps.sources.planeTable(sessionId, { from, count: rows }, signal));
    const { first, ...columns } = table;
    return {
      ok: true,
      apiVersion: API_VERSION,
      start: startOf(scene, first),
      total,
      columns: toLists(columns),
    } as const;
  });
}

async function sceneOf({ sessions, sources, stopping }: AppDependencies, sessionId: string): Promise<SceneInfo> {
  const { selection } = sessions.acquisition(sessionId);
  const info = await untilStopped(stopping, sources.info(sessionId));
  return info.scenes[selection?.S ?? 0]!;
}

/** Reads the values that an open did not wait for. */
async function withAllValues(
  deps: AppDependencies,
  sessionId: string,
  scene: SceneInfo,
  { axis, reply }: { axis: Query['axis']; reply: FastifyReply },
): Promise<SceneInfo> {
  const later = laterAxes(scene).filter((name) => (axis ?? name) === name);
  if (later.length === 0) return scene;
  const count = countPlanes(scene);
  await holdUntilSent(deps, reply, count * MAX_COLUMNS * Float64Array.BYTES_PER_ELEMENT);
  const signal = clientSignal(reply, deps.stopping);
  const table = await untilStopped(deps.stopping, deps.sources.planeTable(sessionId, { from: 0, count }, signal));
  return withLaterAxes(scene, later, table);
}

function toCoordinates(scene: SceneInfo, { axis, ...part }: Query): Coordinates {
  const listed = Object.entries(scene.coordinates ?? {}).filter(([name]) => axis === undefined || name === axis);
  return {
    ok: true,
    apiVersion: API_VERSION,
    start: startOf(scene, (scene.coordinates?.T ?? scene.coordinates?.Y)?.first),
    axes: Object.fromEntries(
      listed.map(([name, { values, first: _, ...described }]) => [
        name,
        { ...described, values: asJsonList(partOf(values, part)) },
      ]),
    ),
  };
}

/** @throws AcqError `request_validation_failed` without an axis, and for one that has no measured values */
function valuesOf({ coordinates: measured = {} }: SceneInfo, axis: Query['axis'], part: Query) {
  const refuse = (problem: string) => invalidRequest(['query', 'axis'], `\`axis\` ${problem}`, 'not_measured');
  if (axis === undefined) throw refuse('is missing: an array has the values of one axis');
  const found: AxisCoordinates | undefined = measured[axis];
  if (!found) throw refuse(`is ${axis}, which is known by its step alone`);
  return Float64Array.from(partOf(found.values, part));
}

function partOf(values: Float64Array, { from = 0, count = MAX_COORDINATES }: Omit<Query, 'axis'>): Float64Array {
  return values.subarray(from, from + count);
}

function toLists(table: Table): PlaneTable['columns'] {
  const lists = Object.entries(table).map(([name, values]) => [name, asJsonList(values as Float64Array)]);
  return Object.fromEntries(lists) as PlaneTable['columns'];
}
