/** API v1, which is frozen: every field and status of it is part of the contract. */
import { V1Error, V1Health, V1OpenSuccess } from '@acquisition-store/client/contract/v1.js';
import { type Context, expectSamples } from '../context.js';
import { close, ensure, equal, Skipped, shorten } from '../failure.js';
import { FRAME, SCAN } from '../files/kit-files.js';
import { toParts } from '../parts.js';
import { matchesExactly } from '../schema.js';
import type { Answer } from '../target.js';
import type { Check, Refusal } from '../types.js';
import { presence } from './presence.js';

const V1 = { api: 'v1', level: 'contract' } as const;
const UNKNOWN_SESSION = '0123456789abcdef0123456789abcdef';

/** Opens the two-channel image. */
function openFrame(context: Context, request: object = {}): Promise<V1OpenSuccess> {
  return open(context, context.files.frame, request);
}

async function open({ server }: Context, path: string, request: object = {}): Promise<V1OpenSuccess> {
  return toOpened((await server.post('/api/v1/open', { path, ...request })).expectStatus(200));
}

function toOpened(answer: Answer): V1OpenSuccess {
  return toParts(V1OpenSuccess, answer.json(), 'the open response');
}

/** Opens the line scan. Skips the check where the server does not read OIF. */
async function openScan(context: Context): Promise<NonNullable<V1OpenSuccess['reference']>> {
  const { reference } = toOpened(await askForScan(context));
  ensure(reference !== null, '`reference` is null for a line scan with an overview image');
  return reference;
}

async function askForScan(context: Context): Promise<Answer> {
  const answer = await context.server.post('/api/v1/open', { path: context.files.scan });
  if (answer.status !== 200 && answer.json()['error'] === 'unsupported_format') {
    throw new Skipped(`the server does not open ${SCAN.extension} files`);
  }
  return answer.expectStatus(200);
}

function refusal(id: string, [code, status]: [string, number], title: string, ask: Refusal['ask']): Refusal {
  const run = async (context: Context) => {
    const answer = await ask(context);
    equal([answer.json()['error'], answer.status], [code, status], `error and status of ${answer.what}`);
  };
  return { ...V1, id: `v1.${id}`, title, ask, run };
}

const opening: readonly Check[] = [
  presence('v1.api', 'v1'),
  {
    ...V1,
    id: 'v1.health',
    title: 'GET /api/v1/health has exactly its fields',
    async run({ server }) {
      matchesExactly(V1Health, (await server.get('/api/v1/health')).expectStatus(200).json(), 'health');
    },
  },
  {
    ...V1,
    id: 'v1.open',
    title: 'POST /api/v1/open has exactly its fields',
    async run({ server, files }) {
      for (const path of [files.frame, files.floats]) {
        const opened = (await server.post('/api/v1/open', { path })).expectStatus(200).json();
        matchesExactly(V1OpenSuccess, opened, 'the open response');
      }
    },
  },
  {
    ...V1,
    id: 'v1.source',
    title: '`source` has the path, the last extension and the size',
    async run(context) {
      const { source } = await openFrame(context);
      const { path, ...rest } = source;
      ensure(path.endsWith(FRAME.name), `\`source.path\` is ${shorten(path)}; expected …${FRAME.name}`);
      const expected = { format: 'tif', numChannels: 2, width: FRAME.columns, height: FRAME.rows, dtype: 'float32' };
      equal(rest, expected, '`source`');
    },
  },
  {
    ...V1,
    id: 'v1.channels',
    title: 'channel 0 is calcium and channel 1 vessels, with lengths and addresses',
    async run(context) {
      const { channels, sessionId } = await openFrame(context);
      for (const [index, role] of (['calcium', 'vessels'] as const).entries()) {
        const channel = channels[role];
        ensure(channel !== undefined, `\`channels\` has no ${role}`);
        const { height, width, byteLength, url, name } = channel;
        equal([channel.index, channel.role, name], [index, role, `CH${index + 1}`], `index, role and name of ${role}`);
        equal([height, width], [FRAME.rows, FRAME.columns], `the size of ${role}`);
        equal(byteLength, 4 * FRAME.rows * FRAME.columns, `\`byteLength\` of ${role}`);
        equal(url, `/api/v1/session/${sessionId}/channel/${role}`, `\`url\` of ${role}`);
      }
    },
  },
  {
    ...V1,
    id: 'v1.calibration',
    title: '`calibration` has the steps of the file, and milliseconds of the row step',
    async run(context) {
      const { calibration } = await openFrame(context);
      close(calibration.dim_0_step, FRAME.pixel.height, '`dim_0_step`');
      close(calibration.dim_1_step, FRAME.pixel.width, '`dim_1_step`');
      close(calibration.msPerLine, 1000 * FRAME.pixel.height, '`msPerLine`');
      close(calibration.umPerPixel, FRAME.pixel.width, '`umPerPixel`');
    },
  },
  {
    ...V1,
    id: 'v1.no-calibration',
    title: 'a file without a calibration has step 1 in Pixels',
    async run(context) {
      const { calibration } = await open(context, context.files.floats);
      equal([calibration.dim_0_step, calibration.dim_1_step], [1, 1], 'the steps');
      equal([calibration.dim_0_units, calibration.dim_1_units], ['Pixels', 'Pixels'], 'the units');
    },
  },
  {
    ...V1,
    id: 'v1.roles',
    title: '`calciumChannel` and `vesselChannel` choose channels by index',
    async run(context) {
      const { channels } = await openFrame(context, { calciumChannel: 1, vesselChannel: 0 });
      equal([channels.calcium.index, channels.vessels?.index], [1, 0], 'the indices of the roles');
      expectSamples(await context.server.get(channels.calcium.url), FRAME.channels[1]!);
    },
  },
  {
    ...V1,
    id: 'v1.one-channel',
    title: '`vessels` is missing when it is null, or the channel of calcium, or not in the file',
    async run(context) {
      const opens = [
        await openFrame(context, { vesselChannel: null }),
        await openFrame(context, { calciumChannel: 1, vesselChannel: 1 }),
        await open(context, context.files.floats),
      ];
      for (const { channels } of opens) equal(Object.keys(channels), ['calcium'], 'the names of `channels`');
    },
  },
  {
    ...V1,
    id: 'v1.lenient',
    title: 'channels may be text, fractions or booleans, and further fields are ignored',
    async run(context) {
      for (const calciumChannel of ['1', 1.9, true]) {
        const { channels } = await openFrame(context, { calciumChannel, vesselChannel: null, further: {} });
        equal(channels.calcium.index, 1, `the channel for ${JSON.stringify(calciumChannel)}`);
      }
    },
  },
  {
    ...V1,
    id: 'v1.content-type',
    title: 'a body without a content type is accepted',
    async run({ server, files }) {
      const answer = await server.ask('POST', '/api/v1/open', { text: JSON.stringify({ path: files.frame }) });
      equal(toOpened(answer.expectStatus(200)).ok, true, '`ok`');
    },
  },
];

const reading: readonly Check[] = [
  {
    ...V1,
    id: 'v1.reference-fields',
    title: 'the open response of a line scan has exactly its fields, with its reference image',
    async run(context) {
      const opened = (await askForScan(context)).json();
      matchesExactly(V1OpenSuccess, opened, 'the open response');
      ensure(opened.reference !== null, '`reference` is null for a line scan with an overview image');
    },
  },
  {
    ...V1,
    id: 'v1.samples',
    title: 'planes are little-endian float32, row by row, with exactly the samples of the file',
    async run(context) {
      const { channels } = await openFrame(context);
      await context.expectPlane(channels.calcium.url, FRAME.channels[0]!);
      await context.expectPlane(channels.vessels?.url ?? '', FRAME.channels[1]!);
    },
  },
  {
    ...V1,
    id: 'v1.headers',
    title: 'planes are octet streams that are not stored',
    async run(context) {
      const { channels } = await openFrame(context);
      const answer = (await context.server.get(channels.calcium.url)).expectStatus(200);
      equal(answer.type, 'application/octet-stream', 'the content type of a plane');
      equal(answer.headers['cache-control'], 'no-store', '`Cache-Control` of a plane');
    },
  },
  {
    ...V1,
    id: 'v1.reference',
    title: '`reference` has its sizes, the scanned line and the scanned path',
    async run(context) {
      const { rows, columns } = SCAN.reference;
      const reference = await openScan(context);
      equal([reference.numChannels, reference.height, reference.width], [1, rows, columns], 'channels and size');
      const { x, y } = SCAN.path;
      equal(reference.scanPath, SCAN.path, '`scanPath`');
      equal(reference.lineRoi, [x[0], y[0], x.at(-1), y.at(-1)], '`lineRoi`');
    },
  },
  {
    ...V1,
    id: 'v1.reference-samples',
    title: 'reference planes have exactly the samples of the file',
    async run(context) {
      const { channels } = await openScan(context);
      await context.expectPlane(channels[0]?.url ?? '', SCAN.reference.samples);
    },
  },
  {
    ...V1,
    id: 'v1.no-reference',
    title: '`reference` is null for a file without a reference image',
    async run(context) {
      equal((await openFrame(context)).reference, null, '`reference`');
    },
  },
  {
    ...V1,
    id: 'v1.whole-number',
    title: 'a reference channel that is not a number has status 422 and `detail`',
    async run({ server }) {
      const answer = await server.get(`/api/v1/session/${UNKNOWN_SESSION}/reference/channel/first`);
      const { detail } = answer.expectStatus(422).json();
      ensure(Array.isArray(detail) && detail.length > 0, `\`detail\` is ${shorten(detail)}; expected a list`);
    },
  },
  {
    ...V1,
    id: 'v1.demo',
    title: 'GET /demo/ is a page',
    async run({ server }) {
      const answer = (await server.get('/demo/', { accept: 'text/html' })).expectStatus(200);
      equal(answer.type, 'text/html', 'the content type of /demo/');
    },
  },
];

const NOT_FOUND: [string, number] = ['path_not_found', 404];
const OUT_OF_RANGE: [string, number] = ['channel_out_of_range', 422];

const refusals: readonly Refusal[] = [
  refusal('path', NOT_FOUND, 'a path without a file is path_not_found', ({ server, files }) =>
    server.post('/api/v1/open', { path: files.missing }),
  ),
  refusal('no-path', NOT_FOUND, 'an open without a path is path_not_found', ({ server }) =>
    server.post('/api/v1/open', {}),
  ),
  refusal('body', NOT_FOUND, 'an open whose body is not JSON is path_not_found', ({ server }) =>
    server.ask('POST', '/api/v1/open', { text: '{' }),
  ),
  refusal('format', ['unsupported_format', 422], 'a text file is unsupported_format with 422', ({ server, files }) =>
    server.post('/api/v1/open', { path: files.text }),
  ),
  refusal('channel-range', OUT_OF_RANGE, 'an index above the channels is channel_out_of_range', ({ server, files }) =>
    server.post('/api/v1/open', { path: files.frame, calciumChannel: 9 }),
  ),
  refusal('channel-type', OUT_OF_RANGE, 'a channel that is not a number is channel_out_of_range', ({ server, files }) =>
    server.post('/api/v1/open', { path: files.frame, calciumChannel: null }),
  ),
  refusal(
    'pick-body',
    ['unsupported_format', 422],
    'pick-and-open refuses a list without showing a dialog',
    ({ server }) => server.post('/api/v1/pick-and-open', []),
  ),
  refusal('role', OUT_OF_RANGE, 'a role other than calcium and vessels is channel_out_of_range', ({ server }) =>
    server.get(`/api/v1/session/${UNKNOWN_SESSION}/channel/other`),
  ),
  refusal('session', NOT_FOUND, 'a plane of an unknown session is path_not_found', ({ server }) =>
    server.get(`/api/v1/session/${UNKNOWN_SESSION}/channel/calcium`),
  ),
  refusal('no-role', NOT_FOUND, 'a role that the session does not have is path_not_found', async (context) => {
    const { sessionId } = await openFrame(context, { vesselChannel: null });
    return context.server.get(`/api/v1/session/${sessionId}/channel/vessels`);
  }),
  refusal('reference-plane', NOT_FOUND, 'a reference plane that does not exist is path_not_found', async (context) => {
    const { sessionId } = await openFrame(context);
    return context.server.get(`/api/v1/session/${sessionId}/reference/channel/0`);
  }),
  refusal('negative', OUT_OF_RANGE, 'a negative reference channel is channel_out_of_range', ({ server }) =>
    server.get(`/api/v1/session/${UNKNOWN_SESSION}/reference/channel/-1`),
  ),
];

const errors: Check = {
  ...V1,
  id: 'v1.error-response',
  title: 'errors have exactly three fields',
  async run(context) {
    for (const { ask } of refusals) {
      const answer = await ask(context);
      matchesExactly(V1Error, answer.json(), `the error of ${answer.what}`);
    }
  },
};

export const v1: readonly Check[] = [...opening, ...reading, errors, ...refusals];
