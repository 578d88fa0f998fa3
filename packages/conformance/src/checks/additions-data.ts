import { ProfileResponse, Statistics } from '@acquisition-store/client/contract/analysis.js';
import { type Context, channelOf, expectError, expectSamples } from '../context.js';
import { close, ensure, equal } from '../failure.js';
import { FRAME, STACK } from '../files/kit-files.js';
import { matches } from '../schema.js';
import type { Check } from '../types.js';

const ADDITION = { api: 'v2', level: 'additions' } as const;
const [FIRST] = FRAME.channels as [Uint16Array];
const BYTES = 4 * FIRST.length;

async function frameAddress(context: Context): Promise<string> {
  return channelOf((await context.openFrame()).channels, 0).dataUrl;
}

/** Returns the address of an operation on channel 0. */
async function operation(context: Context, name: string): Promise<string> {
  return (await frameAddress(context)).replace(/data$/, name);
}

export const additionsOfData: readonly Check[] = [
  {
    ...ADDITION,
    id: 'data.places',
    title: '`?T=1&Z=2` reads other planes of the session',
    async run(context) {
      const { channels } = await context.open(context.files.stack);
      const { dataUrl } = channelOf(channels, 0);
      await context.expectPlane(`${dataUrl}?T=1&Z=2`, STACK.plane(1, 2));
      await context.expectPlane(`${dataUrl}?Z=1`, STACK.plane(0, 1));
      await context.expectPlane(dataUrl, STACK.plane(0, 0));
    },
  },
  {
    ...ADDITION,
    id: 'data.places-range',
    title: 'a plane outside the file is selection_out_of_range, another parameter is refused',
    async run(context) {
      const { channels } = await context.open(context.files.stack);
      const { dataUrl } = channelOf(channels, 0);
      expectError(await context.server.get(`${dataUrl}?T=${STACK.times}`), 'selection_out_of_range', 422);
      expectError(await context.server.get(`${dataUrl}?Q=0`), 'request_validation_failed', 422);
    },
  },
  {
    ...ADDITION,
    id: 'data.head',
    title: 'HEAD of a plane tells its length',
    async run(context) {
      const answer = (await context.server.ask('HEAD', await frameAddress(context))).expectStatus(200);
      equal(answer.headers['content-length'], String(BYTES), '`Content-Length`');
      equal(answer.body.length, 0, 'the length of the body');
    },
  },
  {
    ...ADDITION,
    id: 'data.range',
    title: '`Range` reads a part of a plane',
    async run(context) {
      const answer = await context.server.get(await frameAddress(context), { range: 'bytes=4-11' });
      answer.expectStatus(206);
      equal(answer.headers['content-range'], `bytes 4-11/${BYTES}`, '`Content-Range`');
      expectSamples(answer, FIRST.subarray(1, 3));
    },
  },
  {
    ...ADDITION,
    id: 'data.range-outside',
    title: 'a range outside the plane has status 416',
    async run(context) {
      const answer = await context.server.get(await frameAddress(context), { range: `bytes=${BYTES}-` });
      expectError(answer, 'range_not_satisfiable', 416);
    },
  },
];

export const additionsOfAnalysis: readonly Check[] = [
  {
    ...ADDITION,
    id: 'analysis.window',
    title: '`window` is a part of a plane',
    async run(context) {
      const address = await operation(context, 'window?rows=1:3&columns=2:4');
      const answer = await context.expectPlane(
        address,
        [7, 8, 12, 13].map((i) => FIRST[i]!),
      );
      equal(answer.headers['x-array-shape'], '2,2', '`X-Array-Shape`');
      equal(answer.headers['x-array-dtype'], '<f4', '`X-Array-Dtype`');
    },
  },
  {
    ...ADDITION,
    id: 'analysis.native-window',
    title: '`window` with `type=native` has the samples in the type of the file',
    async run(context) {
      const answer = await context.server.get(await operation(context, 'window?rows=0:1&type=native'));
      answer.expectStatus(200);
      equal(answer.headers['x-array-dtype'], '<u2', '`X-Array-Dtype`');
      const row = Array.from({ length: answer.body.length >> 1 }, (_, i) => answer.body.readUInt16LE(2 * i));
      equal(row, [...FIRST.subarray(0, FRAME.columns)], 'the first row');
    },
  },
  {
    ...ADDITION,
    id: 'analysis.window-range',
    title: 'a window outside the plane is region_out_of_range',
    async run(context) {
      const address = await operation(context, `window?rows=0:${FRAME.rows + 1}`);
      expectError(await context.server.get(address), 'region_out_of_range', 422);
    },
  },
  {
    ...ADDITION,
    id: 'analysis.overview',
    title: '`overview` has the smallest, largest and mean sample of each cell',
    async run(context) {
      const mean = FIRST.reduce((sum, sample) => sum + sample, 0) / FIRST.length;
      const address = await operation(context, 'overview?height=1&width=1');
      await context.expectPlane(address, [FIRST[0]!, FIRST.at(-1)!, mean]);
    },
  },
  {
    ...ADDITION,
    id: 'analysis.statistics',
    title: '`statistics` counts every sample',
    async run(context) {
      const address = await operation(context, 'statistics?percentiles=50&bins=2');
      const body = (await context.server.get(address)).expectStatus(200).json();
      matches(Statistics, body, 'statistics');
      const found = body;
      equal([found.samples, found.finite], [FIRST.length, FIRST.length], '`samples` and `finite`');
      equal([found.min, found.max], [FIRST[0], FIRST.at(-1)], '`min` and `max`');
      equal(found.percentiles[0]?.value, [...FIRST].sort((a, b) => a - b)[FIRST.length >> 1], 'the median');
      equal(
        found.histogram?.counts.reduce((a, b) => a + b),
        FIRST.length,
        'the sum of `histogram.counts`',
      );
    },
  },
  {
    ...ADDITION,
    id: 'analysis.profile',
    title: '`profile` has the samples along a line',
    async run(context) {
      const line = {
        points: [
          [0, 0],
          [0, FRAME.columns - 1],
        ],
      };
      const body = (await context.server.post(await operation(context, 'profile'), line)).expectStatus(200).json();
      matches(ProfileResponse, body, 'the profile');
      const { values, length } = body;
      equal(values, [...FIRST.subarray(0, FRAME.columns)], '`values`');
      close(length, FRAME.columns - 1, '`length`');
    },
  },
  {
    ...ADDITION,
    id: 'analysis.traces',
    title: '`traces` follows columns along the rows',
    async run(context) {
      const request = { along: 'Y', regions: [{ columns: [1, 2] }] };
      const answer = await context.server.post(await operation(context, 'traces'), request);
      answer.expectStatus(200);
      equal(answer.headers['x-array-shape'], `1,${FRAME.rows}`, '`X-Array-Shape`');
      expectSamples(
        answer,
        Array.from({ length: FRAME.rows }, (_, row) => FIRST[row * FRAME.columns + 1]!),
      );
    },
  },
];

export const additionsOfZarr: readonly Check[] = [
  {
    ...ADDITION,
    id: 'zarr.chunks',
    title: 'the opened scene is an OME-Zarr with the samples of the file',
    async run(context) {
      const { zarr } = await context.openFrame();
      ensure(zarr !== undefined, '`zarr` is missing');
      const array = (await context.server.get(`${zarr['0.4']}/0/.zarray`)).expectStatus(200).json();
      equal(array['shape'], [1, 2, 1, FRAME.rows, FRAME.columns], '`shape` of the array');
      equal(array['dtype'], '<u2', '`dtype` of the array');
      for (const address of [`${zarr['0.4']}/0/0/1/0/0/0`, `${zarr['0.5']}/0/c/0/1/0/0/0`]) {
        const { what, body } = (await context.server.get(address)).expectStatus(200);
        const samples = Array.from({ length: body.length >> 1 }, (_, i) => body.readUInt16LE(2 * i));
        equal(samples, [...FRAME.channels[1]!], `the samples of ${what}`);
      }
    },
  },
  {
    ...ADDITION,
    id: 'zarr.ended',
    title: 'keys of a session that ended are session_ended, so that readers do not see zeros',
    async run(context) {
      const { zarr, sessionId } = await context.openFrame();
      ensure(zarr !== undefined, '`zarr` is missing');
      (await context.server.ask('DELETE', `/api/v2/sessions/${sessionId}`)).expectStatus(200);
      expectError(await context.server.get(`${zarr['0.4']}/0/0/0/0/0/0`), 'session_ended', 409);
    },
  },
];
