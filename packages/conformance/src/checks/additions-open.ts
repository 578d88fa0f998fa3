import { Capabilities, Health, Index } from '@acquisition-store/client/contract/common.js';
import { OpenResponse } from '@acquisition-store/client/contract/open.js';
import { type Context, channelOf, expectError } from '../context.js';
import { close, ensure, equal, shorten } from '../failure.js';
import { FRAME, SCAN, STACK } from '../files/kit-files.js';
import { matches, matchesExactly } from '../schema.js';
import type { Check } from '../types.js';
import { readStatus } from './session.js';

const ADDITION = { api: 'v2', level: 'additions' } as const;
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Opens a file and expects this error. */
async function refuse({ server, files }: Context, request: object, code: string, status: number) {
  return expectError(await server.post('/api/v2/open', { path: files.stack, ...request }), code, status);
}

export const additionsOfDiscovery: readonly Check[] = [
  {
    ...ADDITION,
    id: 'discovery.health-only',
    title: 'health has no other fields than ok and apiVersion',
    async run({ server }) {
      matchesExactly(Health, (await server.get('/api/v2/health')).expectStatus(200).json(), 'health');
    },
  },
  {
    ...ADDITION,
    id: 'discovery.links',
    title: 'GET /api/v2 links every address, and the links can be read',
    async run({ server }) {
      const body = (await server.get('/api/v2')).expectStatus(200).json();
      matches(Index, body, 'the index');
      for (const { href, method } of Object.values(body.links)) {
        if (method === 'GET') (await server.get(href)).expectStatus(200);
      }
    },
  },
  {
    ...ADDITION,
    id: 'discovery.opening',
    title: 'capabilities list the ways to open files',
    async run({ server }) {
      const body = (await server.get('/api/v2/capabilities')).expectStatus(200).json();
      matches(Capabilities, body, 'capabilities');
      const { opening } = body;
      ensure(opening.includes('path'), `\`opening\` is ${shorten(opening)}; expected "path" among them`);
    },
  },
  {
    ...ADDITION,
    id: 'discovery.formats',
    title: 'capabilities list the formats with the allowed extensions',
    async run({ server }) {
      const body = (await server.get('/api/v2/capabilities')).expectStatus(200).json();
      matches(Capabilities, body, 'capabilities');
      const listed = new Set(body.formats.flatMap(({ extensions }) => extensions));
      equal([...listed].sort(), [...new Set(body.allowedImportExtensions)].sort(), 'the extensions of `formats`');
    },
  },
];

export const additionsOfOpen: readonly Check[] = [
  {
    ...ADDITION,
    id: 'open.full-response',
    title: 'the open response has warnings, the origin of steps, and labels from the closed list',
    async run(context) {
      matches(OpenResponse, await context.openAsIs(context.files.frame), 'the open response');
    },
  },
  {
    ...ADDITION,
    id: 'open.units',
    title: 'calibrated images are in micrometers, and others in pixels',
    async run(context) {
      const frame = await context.openFrame();
      equal(frame.header.physicalUnitsLabels, ['Channels', 'micrometer', 'micrometer'], '`physicalUnitsLabels`');
      equal(frame.header.calibration, ['default', 'file', 'file'], '`header.calibration`');
      const { plane } = await context.open(context.files.floats);
      equal(
        plane.axes.map(({ step, unit }) => [step, unit]),
        [
          [1, 'Pixels'],
          [1, 'Pixels'],
        ],
        'steps without a calibration',
      );
    },
  },
  {
    ...ADDITION,
    id: 'open.names',
    title: 'channels have the names of the file',
    async run(context) {
      const { channels } = await context.openFrame();
      equal(
        channels.map(({ name }) => name),
        FRAME.channelNames,
        'the names of `channels`',
      );
    },
  },
  {
    ...ADDITION,
    id: 'open.dims',
    title: '`header.dims` has T and Z between the channels and the plane',
    async run(context) {
      const { header, selection } = await context.open(context.files.stack);
      equal(header.dims, ['C', 'T', 'Z', 'Y', 'X'], '`header.dims`');
      equal(header.shape, [1, STACK.times, STACK.sections, STACK.rows, STACK.columns], '`header.shape`');
      equal(selection, { T: 0, Z: 0 }, '`selection`');
    },
  },
  {
    ...ADDITION,
    id: 'open.line-scan',
    title: 'line scans have seconds along the rows, and the scanned path on the reference',
    async run(context) {
      const { plane, reference } = await context.openScan();
      equal(
        plane.axes.map(({ unit }) => unit),
        ['seconds', 'micrometer'],
        'the units of `plane.axes`',
      );
      close(plane.axes[0]?.step, SCAN.secondsPerLine, '`plane.axes[0].step`');
      close(plane.axes[1]?.step, SCAN.micrometersPerPixel, '`plane.axes[1].step`');
      equal(reference.scanPath, SCAN.path, '`reference.scanPath`');
      const { x, y } = SCAN.path;
      equal(reference.lineRoi, [x[0], y[0], x.at(-1), y.at(-1)], '`reference.lineRoi`');
    },
  },
  {
    ...ADDITION,
    id: 'open.selection',
    title: '`selection` opens another time point and section',
    async run(context) {
      const { selection, channels } = await context.open(context.files.stack, { selection: { T: 1, Z: 2 } });
      equal(selection, { T: 1, Z: 2 }, '`selection`');
      await context.expectPlane(channelOf(channels, 0).dataUrl, STACK.plane(1, 2));
    },
  },
  {
    ...ADDITION,
    id: 'open.selection-range',
    title: 'a selection outside the file is selection_out_of_range',
    async run(context) {
      await refuse(context, { selection: { T: STACK.times } }, 'selection_out_of_range', 422);
      await refuse(context, { selection: { S: 1 } }, 'selection_out_of_range', 422);
    },
  },
  {
    ...ADDITION,
    id: 'open.calibration',
    title: '`calibration` replaces the steps of the plane',
    async run(context) {
      const { plane } = await context.openFrame({ calibration: { Y: { step: 0.002, unit: 'seconds' } } });
      equal([plane.axes[0]?.step, plane.axes[0]?.unit], [0.002, 'seconds'], 'step and unit of the rows');
      close(plane.axes[1]?.step, FRAME.pixel.width, '`plane.axes[1].step`');
    },
  },
  {
    ...ADDITION,
    id: 'open.channel-indices',
    title: 'empty, repeated and negative channels are invalid_channel_indices',
    async run(context) {
      for (const channelIndices of [[], [0, 0], [-1]]) {
        await refuse(context, { channelIndices }, 'invalid_channel_indices', 422);
      }
    },
  },
  {
    ...ADDITION,
    id: 'open.strict',
    title: 'unknown fields and relative paths are refused, and details say where',
    async run(context) {
      const where = async (request: object) => {
        const { details } = await refuse(context, request, 'request_validation_failed', 422);
        const [first] = Array.isArray(details)
          ? (details as { location?: unknown; message?: unknown; type?: unknown }[])
          : [];
        const isText = typeof first?.message === 'string' && typeof first.type === 'string';
        ensure(isText, `\`details\` is ${shorten(details)}; expected location, message and type`);
        return first?.location;
      };
      equal(await where({ unknown: 1 }), ['body', 'unknown'], '`location` of an unknown field');
      equal(await where({ path: 'scan.tif' }), ['body', 'path'], '`location` of a relative path');
    },
  },
  {
    ...ADDITION,
    id: 'open.truncated',
    title: 'a truncated file is decode_failed',
    async run({ server, files }) {
      expectError(await server.post('/api/v2/open', { path: files.truncated }), 'decode_failed', 500);
    },
  },
  {
    ...ADDITION,
    id: 'open.later',
    title: '`decode: "later"` opens a session whose planes can be read',
    async run(context) {
      const { channels } = await context.openFrame({ decode: 'later' });
      await context.expectPlane(channelOf(channels, 1).dataUrl, FRAME.channels[1]!);
    },
  },
  {
    ...ADDITION,
    id: 'open.revision',
    title: '`source.revision` is the same for two opens of an unchanged file, and differs between files',
    async run(context) {
      const revision = async (path: string) => (await context.open(path)).source.revision;
      const { frame, floats } = context.files;
      const [first, second, other] = [await revision(frame), await revision(frame), await revision(floats)];
      ensure(first !== undefined, '`source.revision` is missing');
      equal(second, first, '`source.revision` of the second open');
      ensure(other !== first, '`source.revision` is the same for two files');
    },
  },
  {
    ...ADDITION,
    id: 'open.projection',
    title: '`projection` opens the largest samples along a dimension',
    async run(context) {
      const { channels, selection } = await context.open(context.files.stack, { projection: { Z: 'max' } });
      equal(selection, { T: 0 }, '`selection`');
      await context.expectPlane(channelOf(channels, 0).dataUrl, STACK.plane(0, STACK.sections - 1));
    },
  },
];

export const additionsOfSessions: readonly Check[] = [
  {
    ...ADDITION,
    id: 'session.order',
    title: 'the status lists channels in ascending order',
    async run(context) {
      const { sessionId } = await context.openFrame({ channelIndices: [1, 0] });
      equal((await readStatus(context, sessionId)).channelIndices, [0, 1], '`channelIndices`');
    },
  },
  {
    ...ADDITION,
    id: 'session.renew',
    title: 'renew starts the time-to-live again',
    async run(context) {
      const { sessionId } = await context.openFrame({ ttlSeconds: 60 });
      await pause(300);
      const before = (await readStatus(context, sessionId)).ttlSecondsRemaining;
      (await context.server.ask('POST', `/api/v2/sessions/${sessionId}/renew`)).expectStatus(200);
      const after = (await readStatus(context, sessionId)).ttlSecondsRemaining;
      ensure(after > before, `\`ttlSecondsRemaining\` is ${after} after a renewal; expected more than ${before}`);
    },
  },
  {
    ...ADDITION,
    id: 'session.expiry',
    title: 'a session ends at its `ttlSeconds`, also when it is read',
    async run(context) {
      const { sessionId, channels } = await context.openFrame({ ttlSeconds: 1 });
      await context.expectPlane(channelOf(channels, 0).dataUrl, FRAME.channels[0]!);
      await pause(1100);
      expectError(await context.server.get(`/api/v2/sessions/${sessionId}`), 'session_not_found', 404);
    },
  },
  {
    ...ADDITION,
    id: 'session.acquisition',
    title: 'the open response of a session can be read again',
    async run(context) {
      const opened = await context.openAsIs(context.files.frame, { channelIndices: [1] });
      const again = (await context.server.get(`/api/v2/sessions/${opened['sessionId']}/acquisition`)).expectStatus(200);
      equal(again.json(), opened, 'the acquisition of the session');
    },
  },
];
