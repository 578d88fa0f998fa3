import { Coordinates, PlaneTable } from '@acquisition-store/client/contract/coordinates.js';
import { channelOf } from '../context.js';
import { equal } from '../failure.js';
import { STACK } from '../files/kit-files.js';
import { matches } from '../schema.js';
import type { Check } from '../types.js';

const ADDITION = { api: 'v2', level: 'additions' } as const;

export const additionsOfCoordinates: readonly Check[] = [
  {
    ...ADDITION,
    id: 'coordinates.times',
    title: 'measured times make the step, and are served one by one',
    async run(context) {
      const { header, sessionId } = await context.open(context.files.stack);
      const [first, last] = STACK.seconds;
      equal(header.physicalUnits[1], last - first, 'the T step');
      equal(header.physicalUnitsLabels[1], 'seconds', 'the unit of T');
      equal(header.coordinates?.T?.unit, 'seconds', '`header.coordinates.T.unit`');
      const answer = (await context.server.get(`/api/v2/sessions/${sessionId}/coordinates`)).expectStatus(200);
      const coordinates: unknown = answer.json();
      matches(Coordinates, coordinates, 'the coordinates');
      equal(coordinates.axes.T?.values, [0, last - first], '`axes.T.values`');
    },
  },
  {
    ...ADDITION,
    id: 'coordinates.npy',
    title: '`as=npy` has the values of one axis in a NumPy file',
    async run(context) {
      const { sessionId } = await context.open(context.files.stack);
      const address = `/api/v2/sessions/${sessionId}/coordinates?as=npy&axis=T`;
      const { body } = (await context.server.get(address)).expectStatus(200);
      const [first, last] = STACK.seconds;
      equal(body.subarray(0, 6).toString('latin1'), '\x93NUMPY', 'the first bytes');
      equal([body.readDoubleLE(body.length - 16), body.readDoubleLE(body.length - 8)], [0, last - first], 'the values');
    },
  },
  {
    ...ADDITION,
    id: 'planes.table',
    title: 'the table of planes has a row for each of them',
    async run(context) {
      const { sessionId } = await context.open(context.files.stack);
      const address = `/api/v2/sessions/${sessionId}/planes?from=2&count=2`;
      const answer = (await context.server.get(address)).expectStatus(200);
      const table: unknown = answer.json();
      matches(PlaneTable, table, 'the table');
      const { total, columns } = table;
      const [first, last] = STACK.seconds;
      equal(total, STACK.times * STACK.sections, '`total`');
      equal(
        [columns.T, columns.Z, columns.C],
        [
          [0, 1],
          [2, 0],
          [0, 0],
        ],
        'the columns T, Z and C',
      );
      equal(columns.time, [0, last - first], '`columns.time`');
    },
  },
  {
    ...ADDITION,
    id: 'open.interpret',
    title: '`interpret` puts the planes on other axes',
    async run(context) {
      const interpret = { axes: { T: STACK.sections, C: STACK.times }, order: ['C', 'T'] };
      const opened = await context.open(context.files.stack, { interpret });
      equal(opened.header.sizes, { C: 2, T: 3, Y: STACK.rows, X: STACK.columns }, '`header.sizes`');
      equal(opened.interpret, interpret, '`interpret`');
      await context.expectPlane(`${channelOf(opened.channels, 1).dataUrl}?T=2`, STACK.plane(1, 2));
    },
  },
];
