import { dirname, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { OpenResponse } from '../../packages/client/src/contract/open.js';
import { defaultOptions } from '../../packages/server/src/options.js';
import { createSessions } from '../../packages/server/src/sessions/create.js';
import { conformity } from '../support/conforms.js';
import fc from '../support/fast-check.js';
import { directGate } from '../support/gate.js';
import { type Ask, HOST, REPOSITORY, testApp } from '../support/test-app.js';

/**
 * Whatever is asked, the answer is one that the OpenAPI document describes, never a crash. The suite always asks the
 * same; FUZZ_SEED and FUZZ_FACTOR (times as many runs) ask something else.
 */
const SEED = Number(process.env['FUZZ_SEED'] ?? 1);
const FACTOR = Number(process.env['FUZZ_FACTOR'] ?? 0.25);
const runs = (numRuns: number) => ({ seed: SEED, numRuns: Math.ceil(numRuns * FACTOR) });

const { ask, app, picker } = await testApp({ token: 'secret' });
afterAll(() => app.close());
const judge = conformity((await ask('GET', '/openapi.json')).json());
const { sessionId } = (await ask('POST', '/api/v2/open', { body: { path: '/a' } })).json();

const FORESEEN_5XX = ['decode_failed', 'load_timeout', 'capacity_exceeded', 'picker_unavailable'];
/** Failures of an open; the fake has them on paths of these names. */
const OPEN_FAILURES = [
  'invalid_channel_indices',
  'channel_out_of_range',
  'selection_out_of_range',
  'path_not_found',
  'path_not_allowed',
  'path_not_readable',
  'unsupported_format',
  'decode_failed',
  'load_timeout',
  'plane_too_large',
  'capacity_exceeded',
];

async function probe(method: string, url: string, more: Ask): Promise<void> {
  const response = await ask(method, url, more);
  judge.check(method, url, response);
  if (response.statusCode >= 500) expect(FORESEEN_5XX).toContain(response.json().error);
}

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', '\0', '~/a', '/a/b.tif', '../x', 'é', '😀'),
);
const path = fc.oneof(
  text,
  text.map((tail) => `/${tail}`),
  fc.constantFrom(...OPEN_FAILURES).map((code) => `/${code}`),
);
const number = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(0, 1, -1, 2 ** 31, 2 ** 53, 1e308, -0));
const odd = fc.oneof(fc.jsonValue(), number, text, fc.constant(null));
const maybe = <T>(good: fc.Arbitrary<T>) => fc.oneof({ weight: 4, arbitrary: good }, { weight: 1, arbitrary: odd });
const step = fc.record({ step: maybe(number), unit: maybe(fc.constantFrom('seconds', 'micrometer', 'Pixels')) });
const openBody = fc.record(
  {
    path: maybe(path),
    channelIndices: maybe(fc.array(maybe(fc.nat(5)))),
    selection: maybe(fc.record({ S: maybe(number), T: maybe(number), Z: maybe(number) }, { requiredKeys: [] })),
    calibration: maybe(fc.record({ Y: maybe(step), X: maybe(step) }, { requiredKeys: [] })),
    extensions: maybe(fc.array(maybe(fc.constantFrom('.tif', 'tif', '.a/b', '.')))),
    surprise: odd,
  },
  { requiredKeys: [] },
);

describe('random requests', () => {
  it('get a valid answer for random bodies of open and pick-and-open', async () => {
    picker.next = { status: 'ok', path: '/picked.tif' };
    const url = fc.constantFrom('/api/v2/open', '/api/v2/pick-and-open');
    await fc.assert(
      fc.asyncProperty(url, maybe(openBody), async (at, body) => probe('POST', at, { body })),
      runs(1500),
    );
  });

  it('get a valid answer for bodies that are not JSON', async () => {
    const url = fc.constantFrom('/api/v2/open', '/api/v2/pick-and-open', `/api/v2/sessions/${sessionId}/renew`);
    const type = fc.constantFrom('application/json', 'application/json; charset=utf-8', 'text/plain', '', 'x/y;');
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((all) => Buffer.from(all)),
      fc.json().map((json) => Buffer.from(json.slice(0, -1))),
      fc.nat(65_000).map((depth) => Buffer.alloc(depth, '[')),
    );
    await fc.assert(
      fc.asyncProperty(url, type, bytes, async (at, contentType, payload) =>
        probe('POST', at, { headers: { 'content-type': contentType }, payload }),
      ),
      runs(500),
    );
  });

  it('get a valid answer for random addresses and methods', async () => {
    const method = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE', 'PROPFIND');
    const part = fc.oneof(
      fc.constantFrom(sessionId, 'sessions', 'channels', 'reference', 'data', 'renew', 'api', 'v2', 'open', 'health'),
      fc.integer().map(String),
      text.map((raw) => encodeURIComponent(raw)),
      fc.constantFrom('%ff', '%', '%00', '%2f', '..', '.', '%2e%2e', ''),
    );
    const known = fc.oneof(
      fc.tuple(part).map(([id]) => `/api/v2/sessions/${id}`),
      fc.tuple(part).map(([id]) => `/api/v2/sessions/${id}/renew`),
      fc.tuple(part, part).map(([id, channel]) => `/api/v2/sessions/${id}/channels/${channel}/data`),
      part.map((channel) => `/api/v2/sessions/${sessionId}/reference/channels/${channel}/data`),
      fc.constantFrom(
        '/',
        '/api/v2',
        '/docs',
        '/openapi.json',
        '/demo/v2/',
        '/api/v2/examples',
        '/api/v2/capabilities',
      ),
    );
    const free = fc.array(part, { maxLength: 9 }).map((parts) => `/${parts.join('/')}`);
    const query = fc.oneof(
      fc.constant(''),
      text.map((raw) => `?${encodeURIComponent(raw)}=1`),
      fc.constant('?a=%ff&a[]=1'),
    );
    await fc.assert(
      fc.asyncProperty(method, fc.oneof(known, free), query, async (verb, at, tail) => {
        // The session that the addresses name must outlive the run.
        if (verb === 'DELETE' && at.includes(sessionId)) return;
        await probe(verb, at + tail, {});
      }),
      runs(1500),
    );
  });

  it('get a valid answer for random headers', async () => {
    const value = fc.oneof(
      fc.string({ unit: fc.constantFrom(...Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i))) }),
      fc.string({ unit: fc.constantFrom('\u00e9', '\u00ff', 'a', ':', '/', ',') }),
      fc.constantFrom(
        'null',
        'http://localhost:1',
        'https://evil.example',
        HOST,
        'Bearer secret',
        'Bearer x',
        'cross-site',
      ),
      fc.constantFrom(
        'bytes=0-3',
        'bytes=-',
        'bytes=9999999999999999999-',
        'bytes=0-99999999999999999999',
        'bytes=0-1,2-3',
      ),
    );
    const name = fc.constantFrom(
      'host',
      'origin',
      'authorization',
      'content-type',
      'content-encoding',
      'range',
      'if-range',
      'accept',
      'expect',
      'cookie',
      'sec-fetch-site',
      'sec-fetch-mode',
      'access-control-request-method',
      'access-control-request-headers',
      'access-control-request-private-network',
      'accept-version',
      'x-forwarded-host',
      'x-http-method-override',
      '__proto__',
    );
    const target = fc.constantFrom<[string, string]>(
      ['GET', '/api/v2/health'],
      ['POST', '/api/v2/open'],
      ['OPTIONS', '/api/v2/open'],
      ['OPTIONS', '/nothing'],
      ['GET', '/'],
      ['GET', `/api/v2/sessions/${sessionId}/channels/0/data`],
      ['HEAD', `/api/v2/sessions/${sessionId}/channels/0/data`],
    );
    await fc.assert(
      fc.asyncProperty(target, fc.dictionary(name, value, { maxKeys: 5 }), async ([method, url], headers) =>
        probe(method, url, { headers: { ...headers } }),
      ),
      runs(1500),
    );
  });
});

describe('a random open of a real file', () => {
  const options = { ...defaultOptions(), decodeWorkers: 1, coldStart: true };
  const real = createSessions(options, ['.tif', '.ome.tif'], directGate());
  afterAll(() => real.sessions.close());
  const sample = resolve(REPOSITORY, 'examples/vessel-kymograph.ome.tif');
  const rarely = <T>(good: fc.Arbitrary<T>, bad: fc.Arbitrary<unknown>) =>
    fc.oneof({ weight: 12, arbitrary: good }, { weight: 1, arbitrary: bad });
  const goodStep = fc.record({ step: fc.double({ min: 1e-9, max: 1e9 }), unit: fc.constantFrom('seconds', 'Pixels') });
  const body = fc.record(
    {
      path: rarely(
        fc.constant(sample),
        text.map((name) => `${dirname(sample)}/${name}`),
      ),
      channelIndices: rarely(fc.constantFrom([0], [1], [1, 0]), fc.array(number, { maxLength: 4 })),
      // The sample has no dimension to select from: naming one is refused.
      selection: rarely(fc.constant({}), fc.record({ S: number, T: number, Z: number }, { requiredKeys: [] })),
      calibration: fc.record({ Y: rarely(goodStep, step), X: rarely(goodStep, step) }, { requiredKeys: [] }),
    },
    { requiredKeys: ['path'] },
  );

  it('succeeds or returns an error of the contract', async () => {
    const { ask: askReal } = await testApp({}, real);
    let opened = 0;
    await fc.assert(
      fc.asyncProperty(body, async (request) => {
        const response = await askReal('POST', '/api/v2/open', { body: request });
        judge.check('POST', '/api/v2/open', response);
        expect([200, 403, 404, 415, 422]).toContain(response.statusCode);
        if (response.statusCode !== 200) return;
        opened++;
        const { channels, sessionId: own } = response.json() as OpenResponse;
        const data = await askReal('GET', channels[0]?.dataUrl as string);
        expect(data.rawPayload.length).toBe(channels[0]?.byteLength);
        await askReal('DELETE', `/api/v2/sessions/${own}`);
      }),
      runs(120),
    );
    expect(opened).toBeGreaterThan(50 * FACTOR);
  });
});
