import { type Context, expectError } from '../context.js';
import { ensure, equal, Skipped, shorten } from '../failure.js';
import { FRAME } from '../files/kit-files.js';
import type { Answer } from '../target.js';
import type { Check } from '../types.js';

const ADDITION = { api: 'v2', level: 'additions' } as const;
const UPLOAD = 'This is not an image.';
const NOBODY = '/api/v2/sessions/0123456789abcdef0123456789abcdef';

/** A page is allowed to do what the token allows, so it is sent none. A server may ask for the token before it looks at the page. */
function expectRefused(answer: Answer): void {
  const isTokenMissing = answer.status === 401;
  expectError(answer, isTokenMissing ? 'unauthorized' : 'origin_not_allowed', isTokenMissing ? 401 : 403);
}

/** Skips a check of an operation that the server does not offer to this caller. */
async function requireWay({ server }: Context, way: string): Promise<void> {
  const { opening } = (await server.get('/api/v2/capabilities')).json();
  if (!Array.isArray(opening) || !opening.includes(way)) throw new Skipped(`the server does not offer ${way}`);
}

export const additionsOfHttp: readonly Check[] = [
  {
    ...ADDITION,
    id: 'http.statuses',
    title: 'each error code has its status',
    async run(context) {
      const { server, files } = context;
      const open = (json: object) => server.post('/api/v2/open', json);
      const { sessionId } = await context.openFrame({ channelIndices: [1] });
      const address = `/api/v2/sessions/${sessionId}`;
      expectError(await open({ path: files.missing }), 'path_not_found', 404);
      expectError(await open({ path: files.text }), 'unsupported_format', 415);
      expectError(await open({ path: files.frame, channelIndices: [99] }), 'channel_out_of_range', 422);
      expectError(await open({}), 'request_validation_failed', 422);
      expectError(await server.get(NOBODY), 'session_not_found', 404);
      expectError(await server.get(`${address}/channels/0/data`), 'channel_not_found', 404);
      expectError(await server.get(`${address}/channels/-1/data`), 'channel_out_of_range', 422);
      expectError(await server.get(`${address}/reference/channels/0/data`), 'reference_channel_not_found', 404);
    },
  },
  {
    ...ADDITION,
    id: 'http.not-found',
    title: 'an unknown address is not_found, another method method_not_allowed with Allow',
    async run({ server }) {
      expectError(await server.get('/api/v2/nothing'), 'not_found', 404);
      const answer = await server.ask('PUT', '/api/v2/open');
      expectError(answer, 'method_not_allowed', 405);
      const allow = answer.headers['allow'] ?? '';
      ensure(allow.split(/, */).includes('POST'), `\`Allow\` is ${shorten(allow)}; expected POST among them`);
    },
  },
  {
    ...ADDITION,
    id: 'http.body',
    title: 'a body that is not JSON is refused by its type or its content',
    async run({ server }) {
      const plain = { headers: { 'content-type': 'text/plain' }, text: '{"path":"/a.tif"}' };
      expectError(await server.ask('POST', '/api/v2/open', plain), 'unsupported_media_type', 415);
      const broken = { headers: { 'content-type': 'application/json' }, text: '{"path":' };
      expectError(await server.ask('POST', '/api/v2/open', broken), 'request_validation_failed', 422);
    },
  },
  {
    ...ADDITION,
    id: 'http.request-id',
    title: 'every answer has a request id and is not stored',
    async run({ server }) {
      const ids = new Set<string | undefined>();
      for (const path of ['/api/v2/health', '/api/v2/nothing']) {
        const { headers } = await server.get(path);
        ensure(/\S/.test(headers['x-request-id'] ?? ''), `\`x-request-id\` of GET ${path} is missing`);
        equal(headers['cache-control'], 'no-store', `\`Cache-Control\` of GET ${path}`);
        ids.add(headers['x-request-id']);
      }
      equal(ids.size, 2, 'the number of different request ids');
    },
  },
  {
    ...ADDITION,
    id: 'security.host',
    title: 'a foreign Host header is host_not_allowed',
    async run({ server }) {
      const answer = await server.get('/api/v2/health', { host: 'rebound.example' });
      expectError(answer, 'host_not_allowed', 403);
    },
  },
  {
    ...ADDITION,
    id: 'security.origin',
    title: 'pages of other sites may not open files or read planes',
    async run(context) {
      const headers = { origin: 'https://page.example' };
      const { sessionId } = await context.openFrame();
      const json = { path: context.files.frame };
      expectRefused(await context.server.ask('POST', '/api/v2/open', { headers, json, anonymous: true }));
      const address = `/api/v2/sessions/${sessionId}/channels/0/data`;
      expectRefused(await context.server.ask('GET', address, { headers, anonymous: true }));
    },
  },
  {
    ...ADDITION,
    id: 'security.null-origin',
    title: 'pages without an origin may not open by path',
    async run({ server, files }) {
      const request = { headers: { origin: 'null' }, json: { path: files.frame }, anonymous: true };
      expectRefused(await server.ask('POST', '/api/v2/open', request));
    },
  },
];

export const additionsOfFiles: readonly Check[] = [
  {
    ...ADDITION,
    id: 'files.folders',
    title: '`folders` lists what can be opened',
    async run(context) {
      await requireWay(context, 'folders');
      const { server, files } = context;
      const address = `/api/v2/folders?path=${encodeURIComponent(files.folder)}`;
      const { entries } = (await server.get(address)).expectStatus(200).json() as { entries?: { name: string }[] };
      const names = entries?.map(({ name }) => name) ?? [];
      ensure(names.includes(FRAME.name), `\`entries\` has ${shorten(names)}; expected ${FRAME.name} among them`);
      ensure(!names.includes('notes.txt'), '`entries` has notes.txt, which cannot be opened');
    },
  },
  {
    ...ADDITION,
    id: 'files.locate',
    title: '`locate` answers with a list of paths',
    async run(context) {
      await requireWay(context, 'locate');
      const { server } = context;
      const file = { name: FRAME.name, size: 1, modified: 1 };
      const { paths } = (await server.post('/api/v2/locate', file)).expectStatus(200).json();
      equal(paths, [], '`paths` of a file of another size');
    },
  },
  {
    ...ADDITION,
    id: 'files.uploads',
    title: 'a file that was sent to the server is read there, and can be deleted',
    async run(context) {
      await requireWay(context, 'upload');
      const { server } = context;
      const created = (await server.post('/api/v2/uploads', { name: FRAME.name, size: UPLOAD.length })).expectStatus(
        200,
        201,
      );
      const address = `/api/v2/uploads/${created.json()['uploadId']}`;
      const sent = { headers: { 'content-type': 'application/octet-stream' }, text: UPLOAD };
      (await server.ask('PUT', `${address}/files/${FRAME.name}`, sent)).expectStatus(200, 201, 204);
      // What was sent is not an image: the server must have read it to know.
      expectError(await server.post(`${address}/open`, {}), 'unsupported_format', 415);
      (await server.ask('DELETE', address)).expectStatus(200, 204);
      expectError(await server.post(`${address}/open`, {}), 'upload_not_found', 404);
    },
  },
];
