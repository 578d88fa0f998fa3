/** Times and positions as they were measured, of the scene of a session. */
import type { Static } from 'typebox';
import type { AxisCoordinates, SceneInfo } from '../../acquisition.js';
import { API_VERSION } from '../../contract/common.js';
import { Coordinates, CoordinatesQuery, MAX_COORDINATES } from '../../contract/coordinates.js';
import { SessionParams } from '../../contract/session.js';
import { toIsoClock } from '../../metadata/dates.js';
import { untilStopped } from '../client-signal.js';
import type { AppDependencies } from '../dependencies.js';
import { asJsonList } from '../long-json.js';
import { operation } from '../operation.js';
import type { App } from '../types.js';
import { READ_ERRORS } from './data.js';

type Query = Static<typeof CoordinatesQuery>;

export function coordinateRoutes(app: App, { sessions, stopping }: AppDependencies): void {
  app.get(
    '/api/v2/sessions/:sessionId/coordinates',
    operation({
      id: 'getCoordinates',
      tag: 'Sessions',
      summary: 'Measured times and positions of the axes',
      description:
        'The values of the axes that `header.coordinates` lists. An axis that is not listed is known by its step alone.',
      params: SessionParams,
      query: CoordinatesQuery,
      ok: Coordinates,
      access: 'consent',
      errors: ['session_not_found', 'session_store_unavailable', ...READ_ERRORS],
    }),
    async ({ params: { sessionId }, query }) => {
      const { selection } = sessions.acquisition(sessionId);
      const info = await untilStopped(stopping, () => sessions.acquisitionInfo(sessionId));
      return toCoordinates(info.scenes[selection?.S ?? 0]!, query);
    },
  );
}

function toCoordinates({ coordinates = {}, date, time }: SceneInfo, { axis, ...part }: Query): Coordinates {
  const listed = Object.entries(coordinates).filter(([name]) => axis === undefined || name === axis);
  return {
    ok: true,
    apiVersion: API_VERSION,
    start: date && time ? toIsoClock({ date, time }) : null,
    axes: Object.fromEntries(listed.map(([name, measured]) => [name, toValues(measured, part)])),
  };
}

function toValues({ values, ...axis }: AxisCoordinates, { from = 0, count = MAX_COORDINATES }: Omit<Query, 'axis'>) {
  return { ...axis, values: asJsonList(values.subarray(from, from + count)) };
}
