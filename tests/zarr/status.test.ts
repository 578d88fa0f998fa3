/** What readers are told when a key cannot be answered: sessions are faked. */
import { afterAll, describe, expect, it } from 'vitest';
import { AcqError, type ErrorCode } from '../../packages/readers/src/base/errors.js';
import type { SourcePlane } from '../../packages/server/src/sessions/source-order.js';
import { fakeServices, fakeSessions } from '../support/fake-sessions.js';
import { expectError, testApp } from '../support/test-app.js';
import { acquisition, lineScan, reference } from './scenes.js';

const sessions = fakeSessions();
const { windows, asked } = {
  windows: { start: 0, end: 1 },
  asked: [] as (SourcePlane & { sessionId: string; form: string })[],
};
const info = acquisition(
  lineScan({ reference, channels: [{ name: 'CH1', window: windows }], sizes: { T: 3, Z: 1, Y: 3_000, X: 38 } }),
);
const renewed: string[] = [];
let failure: AcqError | undefined;
let reading = Promise.resolve();
let signal: AbortSignal | undefined;
const { app, ask, stopping } = await testApp(
  {},
  {
    sessions: {
      ...sessions,
      renew(id) {
        renewed.push(id);
        return sessions.renew(id);
      },
    },
    sources: {
      ...fakeServices().sources,
      info: async () => {
        if (failure?.code === 'path_not_found') throw failure;
        return info;
      },
      async plane(sessionId, plane, form, asking) {
        asked.push({ sessionId, ...plane, form });
        signal = asking;
        await reading;
        if (failure) throw failure;
        sessions.pinned++;
        const columns = form === 'native' ? 38 : 1;
        const samples = new Uint16Array(form === 'native' ? 3_000 * 38 : 1_500 * 19 + 750 * 10).fill(7);
        const rows = samples.length / columns;
        return {
          data: { sampleType: 'uint16', rows, columns, segments: [{ firstRow: 0, rowCount: rows, samples }] },
          release: () => sessions.pinned--,
        };
      },
    },
  },
);
afterAll(() => app.close());
const { sessionId } = await sessions.open({ path: '/scan.tif', options: {}, picked: false });
const tree = `/api/v2/sessions/${sessionId}/0.4.ome.zarr`;

describe('a chunk inside of its array', () => {
  it.each<[ErrorCode, ErrorCode]>([
    ['decode_failed', 'decode_failed'],
    ['unsupported_format', 'unsupported_format'],
    ['companion_missing', 'companion_missing'],
    ['source_changed', 'source_changed'],
    ['load_timeout', 'load_timeout'],
    ['capacity_exceeded', 'capacity_exceeded'],
    ['storage_unavailable', 'storage_unavailable'],
    ['plane_too_large', 'plane_too_large'],
    // Readers take 403 and 404 for missing, which is zeros.
    ['session_not_found', 'session_ended'],
    ['path_not_found', 'source_changed'],
    ['path_not_allowed', 'source_changed'],
    ['path_not_readable', 'source_changed'],
  ])('is never missing: %s is answered as %s', async (code, expected) => {
    failure = new AcqError(code, 'scan.tif: a reason');
    try {
      const response = await ask('GET', `${tree}/0/0/0/0/0/0/0`);
      expectError(response, expected);
      expect([403, 404, 410]).not.toContain(response.statusCode);
      expect(response.json().message).toBe('scan.tif: a reason');
      const isTemporary = ['capacity_exceeded', 'storage_unavailable'].includes(code);
      expect(response.headers['retry-after'] !== undefined).toBe(isTemporary);
    } finally {
      failure = undefined;
    }
  });

  it('is read from the plane, or from one run of its levels, which are released once sent', async () => {
    asked.length = 0;
    for (const key of ['0/0/2/0/0/1/0', '0/2/1/0/0/0/0', '0/reference/0/0/0/0/0/1']) {
      const { statusCode, rawPayload } = await ask('GET', `${tree}/${key}`);
      expect([statusCode, rawPayload[0]]).toEqual([200, 7]);
    }
    const address = { sessionId, scene: 0, channelIndex: 0, z: 0 };
    expect(asked).toEqual([
      { ...address, kind: 'channel', t: 2, form: 'native' },
      { ...address, kind: 'channel', t: 1, form: 'levels' },
      { ...address, kind: 'reference', t: 0, form: 'native' },
    ]);
    expect(sessions.pinned).toBe(0);
  });

  it('waits when a reader asks for many at once, instead of being refused', async () => {
    asked.length = 0;
    let go = () => {};
    reading = new Promise((resolve) => (go = resolve));
    const answers = Array.from({ length: 64 }, (_, i) => ask('GET', `${tree}/0/0/${i % 3}/0/0/${i % 2}/0`));
    while (asked.length < 8) await new Promise((resolve) => setImmediate(resolve));
    for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
    expect(asked).toHaveLength(8);
    go();
    for (const { statusCode, rawPayload } of await Promise.all(answers))
      expect([statusCode, rawPayload[0]]).toEqual([200, 7]);
    expect(sessions.pinned).toBe(0);
  });

  it('tells its length without reading anything', async () => {
    asked.length = 0;
    const { headers, statusCode } = await ask('HEAD', `${tree}/0/1/0/0/0/1/0`);
    expect([statusCode, headers['content-length'], asked.length]).toEqual([200, String(1_024 * 19 * 2), 0]);
  });
});

describe('the addresses of an OME-Zarr', () => {
  it('restart the time-to-live of their session', async () => {
    renewed.length = 0;
    await ask('GET', `${tree}/0/.zattrs`);
    await ask('HEAD', `${tree}/0/0/0/0/0/0/0`);
    await ask('GET', `/api/v2/sessions/${sessionId}`);
    expect(renewed).toEqual([sessionId, sessionId]);
  });

  it('answer GET and HEAD, and other methods with 405', async () => {
    for (const key of ['0/.zattrs', 'a', '0/0/0/0/0/0/0']) {
      for (const method of ['POST', 'DELETE', 'PUT']) {
        const response = await ask(method, `${tree}/${key}`);
        expectError(response, 'method_not_allowed');
        expect(response.headers['allow']).toBe('HEAD, GET, OPTIONS');
      }
    }
    expect((await ask('OPTIONS', `${tree}/0/.zattrs`)).headers['allow']).toBe('HEAD, GET, OPTIONS');
    expectError(await ask('POST', tree), 'not_found');
  });

  it('answer the preflight of a page on this computer', async () => {
    const { statusCode, headers } = await ask('OPTIONS', `${tree}/0/0/0/0/0/0/0`, {
      headers: {
        origin: 'http://localhost:3000',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'range',
        'access-control-request-private-network': 'true',
      },
    });
    expect([statusCode, headers['access-control-allow-methods'], headers['access-control-allow-origin']]).toEqual([
      204,
      'HEAD, GET',
      'http://localhost:3000',
    ]);
    expect(headers['access-control-allow-private-network']).toBe('true');
  });

  it('serve pages like planes do: those without an origin, not those of other sites', async () => {
    const from = (origin: string) => ask('GET', `${tree}/.zgroup`, { headers: { origin } });
    expect((await from('null')).statusCode).toBe(200);
    expectError(await from('https://neuroglancer-demo.appspot.com'), 'origin_not_allowed');
  });
});

it('a session whose file is gone is not missing, either', async () => {
  failure = new AcqError('path_not_found', 'scan.tif: there is no such file');
  expectError(await ask('GET', `${tree}/0/.zattrs`), 'source_changed');
  failure = undefined;
});

// Nothing is answered after it.
it('a chunk is not read further when the server stops', async () => {
  let go = () => {};
  reading = new Promise((resolve) => (go = resolve));
  const answer = ask('GET', `${tree}/0/0/0/0/0/0/0`);
  while (!signal || asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
  stopping.abort();
  expect(signal.aborted).toBe(true);
  failure = new AcqError('load_timeout', 'stopped');
  go();
  expectError(await answer, 'capacity_exceeded');
});
