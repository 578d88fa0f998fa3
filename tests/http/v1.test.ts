import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { V1OpenSuccess } from '../../packages/client/src/contract/v1.js';
import { lineScan, referencePlane } from '../support/oif.js';
import { createServer, type RunningServer } from '../support/server.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { fakePicker, REPOSITORY } from '../support/test-app.js';
import { countingPage } from '../support/tiff-cases.js';
import { expectV1Error, openV1, planeV1, postV1 } from '../support/v1.js';
import { roiText, writeOib } from '../writers/oif.js';
import { writeTiff } from '../writers/tiff.js';

const folder = tempFolder();
const picker = fakePicker();
let server: RunningServer;
let url = '';
beforeAll(async () => {
  server = await createServer(
    { port: 0, decodeWorkers: 1, stateDir: folder },
    { picker, logFile: '/var/log/a/server.log' },
  );
  url = server.url;
});
afterAll(() => server.close());
beforeEach(() => {
  picker.requests.length = 0;
});

/** Two channels of 6 lines × 4 pixels at 2 ms and 0.25 µm, on a reference of 4 × 4 pixels of 0.5 µm × 0.25 µm. */
const SCAN = writeTemp(
  folder,
  'Scan.OIB',
  writeOib(
    lineScan({
      roi: roiText(4, [0, 2, 3], [3, 1, 0]),
      references: [{ ...referencePlane('C001-R001', 500), pixel: { width: 0.25, height: 0.5, heightUnit: 'um' } }],
    }),
  ),
);
const UNCALIBRATED = writeTemp(folder, 'plain.TIFF', writeTiff({ pages: [countingPage(1)] }));
const DAMAGED = writeTemp(folder, 'damaged.oib', writeOib(lineScan()).slice(0, 3000));
const NO_FILE = join(folder, 'absent.tif');
const get = (path: string, init?: RequestInit) => fetch(url + path, init);
const open = (body: object | string | Uint8Array<ArrayBuffer>, headers?: Record<string, string>) =>
  postV1(url, 'open', body, headers);

describe('endpoints of v1', () => {
  it('GET health has exactly its fields', async () => {
    const response = await get('/api/v1/health');
    const { version, ...rest } = (await response.json()) as Record<string, unknown>;
    expect(rest).toEqual({
      ok: true,
      app: 'acqstore_server',
      bind: `127.0.0.1:${server.port}`,
      docs: '/docs',
      demo: '/demo/',
      logFile: '/var/log/a/server.log',
    });
    expect(version).toMatch(/^\d+\.\d+\.\d+/);
  });

  it('health tells a page without an origin only the name of the log', async () => {
    const response = await get('/api/v1/health', { headers: { origin: 'null' } });
    expect(response.headers.get('access-control-allow-origin')).toBe('null');
    expect(await response.json()).toMatchObject({ ok: true, logFile: 'server.log' });
  });

  it('/ is the index of v2 for programs: v1 does not take it away', async () => {
    expect(await (await get('/')).json()).toEqual(await (await get('/api/v2')).json());
  });

  it.each([
    ['/api/v1/session/0123/reference/plane', 404, 'not_found'],
    ['/api/v1/sessions/0123', 404, 'not_found'],
    ['/api/v1/capabilities', 404, 'not_found'],
    ['/api/v1', 404, 'not_found'],
    ['/api/v1/open', 405, 'method_not_allowed'],
    ['/api/v1/%ff', 422, 'path_not_found'],
  ])('GET %s answers %i in the body of v1', async (path, status, code) => {
    const response = await get(path);
    const json = await response.json();
    if (code === 'path_not_found') expectV1Error({ status: response.status, json }, 404, code);
    else expectV1Error({ status: response.status, json }, status, code);
  });

  it('has no way to delete a session, and no HEAD', async () => {
    const { channels } = await openV1(url, { path: SCAN });
    expect((await get(channels.calcium.url, { method: 'DELETE' })).status).toBe(405);
    expect((await get(channels.calcium.url, { method: 'HEAD' })).status).toBe(405);
  });
});

describe('files that v1 cannot open', () => {
  it('a format without a reader is unsupported_format with 422', async () => {
    expectV1Error(await open({ path: writeTemp(folder, 'a.txt', 'x') }), 422, 'unsupported_format');
    expectV1Error(await open({ path: writeTemp(folder, 'a.czi', 'not a CZI') }), 422, 'unsupported_format');
  });

  it('a damaged file is decode_failed with 500', async () => {
    expectV1Error(await open({ path: DAMAGED }), 500, 'decode_failed');
  });

  it('an open that takes too long is load_timeout with 504, and names the seconds and the path', async () => {
    const hasty = await createServer({ port: 0, decodeWorkers: 1, stateDir: folder, openTimeoutSeconds: 0.00001 });
    try {
      // Finding the file has the same limit.
      const answer = await postV1(hasty.url, 'open', { path: SCAN });
      expectV1Error(answer, 504, 'load_timeout');
      expect(answer.json.message).toBe(`Open/decode exceeded 1e-05s for path: ${SCAN}`);
    } finally {
      await hasty.close();
    }
  });
});

describe('OpenSuccess', () => {
  it('of two channels with a reference has every field, with the units of rows and columns as v1 named them', async () => {
    const opened = await openV1(url, { path: SCAN });
    const { sessionId } = opened;
    expect(sessionId).toMatch(/^[0-9a-f]{32}$/);
    const plane = { encoding: 'raw-f32-le', layout: 'row-major', height: 6, width: 4, byteLength: 96 } as const;
    const image = { encoding: 'raw-f32-le', layout: 'row-major', height: 4, width: 4, byteLength: 64 } as const;
    const steps = { dx: 0.5, dy: 0.25, xUnit: 'micrometer', yUnit: 'micrometer' };
    const expected: V1OpenSuccess = {
      ok: true,
      sessionId,
      source: { path: SCAN, format: 'oib', numChannels: 2, width: 4, height: 6, dtype: 'float32' },
      calibration: {
        msPerLine: 2,
        umPerPixel: 0.25,
        stepYSeconds: 0.002,
        stepXUm: 0.25,
        unitsSource: 'acqimage',
        dim_0_step: 0.002,
        dim_1_step: 0.25,
        dim_0_units: 'seconds',
        dim_1_units: 'micrometer',
      },
      channels: {
        calcium: {
          index: 0,
          name: 'CH1',
          role: 'calcium',
          ...plane,
          url: `/api/v1/session/${sessionId}/channel/calcium`,
        },
        vessels: {
          index: 1,
          name: 'CH2',
          role: 'vessels',
          ...plane,
          url: `/api/v1/session/${sessionId}/channel/vessels`,
        },
      },
      reference: {
        numChannels: 1,
        ...image,
        channels: [{ index: 0, ...image, url: `/api/v1/session/${sessionId}/reference/channel/0`, ...steps }],
        lineRoi: [0, 3, 3, 0],
        scanPath: { x: [0, 2, 3], y: [3, 1, 0] },
        ...steps,
      },
    };
    expect(opened).toEqual(expected);
  });

  it('of an uncalibrated file has step 1 in Pixels, and the milliseconds that follow from it', async () => {
    const { calibration, reference, channels, source } = await openV1(url, { path: UNCALIBRATED });
    expect(calibration).toEqual({
      msPerLine: 1000,
      umPerPixel: 1,
      stepYSeconds: 1,
      stepXUm: 1,
      unitsSource: 'acqimage',
      dim_0_step: 1,
      dim_1_step: 1,
      dim_0_units: 'Pixels',
      dim_1_units: 'Pixels',
    });
    expect(reference).toBeNull();
    expect(Object.hasOwn(channels, 'vessels')).toBe(false);
    expect(source).toMatchObject({ path: UNCALIBRATED, format: 'tif', numChannels: 1 });
  });

  it('names channels by their index, not by the file', async () => {
    const { channels } = await openV1(url, { path: SCAN, calciumChannel: 1, vesselChannel: 0 });
    expect([channels.calcium.name, channels.vessels?.name]).toEqual(['CH2', 'CH1']);
  });
});

describe('planes of v1', () => {
  it('are the samples of the channels of each role, and of the reference', async () => {
    const { channels, reference } = await openV1(url, { path: SCAN, calciumChannel: 1, vesselChannel: 0 });
    const expected = (c: number) =>
      Array.from({ length: 24 }, (_, i) => 100 * (c + 1) + 10 * Math.floor(i / 4) + (i % 4));
    expect([...(await planeV1(url, channels.calcium))]).toEqual(expected(1));
    expect([...(await planeV1(url, channels.vessels!))]).toEqual(expected(0));
    const image = Array.from({ length: 16 }, (_, i) => 500 + 10 * Math.floor(i / 4) + (i % 4));
    expect([...(await planeV1(url, reference!.channels[0]!))]).toEqual(image);
  });

  it('have their headers, and ignore Range', async () => {
    const { channels } = await openV1(url, { path: SCAN });
    const response = await get(channels.calcium.url, { headers: { range: 'bytes=0-3' } });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/octet-stream');
    expect(response.headers.get('content-length')).toBe('96');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.has('server-timing')).toBe(false);
    expect(response.headers.has('accept-ranges')).toBe(false);
    expect((await response.arrayBuffer()).byteLength).toBe(96);
  });

  it('have an error for each wrong address', async () => {
    const { sessionId } = await openV1(url, { path: UNCALIBRATED });
    const answer = async (path: string) => {
      const response = await get(`/api/v1/session/${path}`);
      return { status: response.status, json: (await response.json()) as never };
    };
    expectV1Error(await answer(`${sessionId}/channel/calcium2`), 422, 'channel_out_of_range');
    expectV1Error(await answer(`${sessionId}/channel/0`), 422, 'channel_out_of_range');
    expectV1Error(await answer('nothing/channel/other'), 422, 'channel_out_of_range');
    expectV1Error(await answer(`${sessionId}/channel/vessels`), 404, 'path_not_found');
    expectV1Error(await answer(`${'0'.repeat(32)}/channel/calcium`), 404, 'path_not_found');
    expectV1Error(await answer(`${sessionId}/reference/channel/-1`), 422, 'channel_out_of_range');
    expectV1Error(await answer(`${sessionId}/reference/channel/0`), 404, 'path_not_found');
    expectV1Error(await answer(`nothing/reference/channel/0`), 404, 'path_not_found');
    const { status, json } = await answer(`${sessionId}/reference/channel/first`);
    expect(status).toBe(422);
    expect(json).toMatchObject({ detail: [{ loc: ['path', 'channel'], type: 'int_parsing', input: 'first' }] });
  });

  it('end with the session, at a fixed time after the open', async () => {
    const brief = await createServer({ port: 0, decodeWorkers: 1, stateDir: folder, sessionTtlSeconds: 2 });
    try {
      const { channels } = await openV1(brief.url, { path: SCAN });
      expect((await fetch(brief.url + channels.calcium.url)).status).toBe(200);
      // Reading does not extend it.
      await expect.poll(async () => (await fetch(brief.url + channels.calcium.url)).status).toBe(404);
      const response = await fetch(brief.url + channels.calcium.url);
      expectV1Error({ status: response.status, json: (await response.json()) as never }, 404, 'path_not_found');
    } finally {
      await brief.close();
    }
  });
});

describe('v1 beside v2', () => {
  it('each finds only its own sessions', async () => {
    const v1 = await openV1(url, { path: SCAN });
    const response = await get('/api/v2/open', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ path: SCAN }),
    });
    const v2 = (await response.json()) as { sessionId: string; channels: { dataUrl: string }[] };
    expect((await get(`/api/v2/sessions/${v1.sessionId}`)).status).toBe(404);
    expect((await get(`/api/v2/sessions/${v1.sessionId}`, { method: 'DELETE' })).status).toBe(404);
    expect((await get(`/api/v2/sessions/${v1.sessionId}/channels/0/data`)).status).toBe(404);
    expect((await get(`/api/v1/session/${v2.sessionId}/channel/calcium`)).status).toBe(404);
    expect((await get(`/api/v1/session/${v2.sessionId}/reference/channel/0`)).status).toBe(404);
    expect((await get(v2.channels[0]!.dataUrl)).status).toBe(200);
    expect((await get(v1.channels.calcium.url)).status).toBe(200);
  });

  it('many at once get their own planes', async () => {
    const expected = new Map([
      ['v1', 200],
      ['v2', 100],
    ]);
    const first = async (version: string) => {
      if (version === 'v1') {
        const { channels } = await openV1(url, { path: SCAN, calciumChannel: 1, vesselChannel: null });
        return (await planeV1(url, channels.calcium))[0];
      }
      const response = await get('/api/v2/open', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ path: SCAN, channelIndices: [0] }),
      });
      const { channels } = (await response.json()) as { channels: { dataUrl: string }[] };
      return new Float32Array(await (await get(channels[0]!.dataUrl)).arrayBuffer())[0];
    };
    const versions = Array.from({ length: 40 }, (_, i) => (i % 3 === 0 ? 'v1' : 'v2'));
    const samples = await Promise.all(versions.map(first));
    expect(samples).toEqual(versions.map((version) => expected.get(version)));
  });

  it('the OpenAPI document of v2 has no v1, and that of v1 describes its answers', async () => {
    const paths = ((await (await get('/openapi.json')).json()) as { paths: object }).paths;
    expect(Object.keys(paths).filter((path) => path.includes('v1'))).toEqual([]);
    const document = (await (await get('/api/v1/openapi.json')).json()) as { paths: Record<string, object> };
    expect(Object.keys(document.paths)).toEqual([
      '/api/v1/health',
      '/api/v1/open',
      '/api/v1/pick-and-open',
      '/api/v1/session/{sessionId}/channel/{role}',
      '/api/v1/session/{sessionId}/reference/channel/{n}',
    ]);
    const ajv = new Ajv2020({ strict: false });
    (addFormats as unknown as (target: Ajv2020) => void)(ajv);
    ajv.addFormat('binary', true);
    ajv.addSchema(document, 'v1');
    const check = (name: string, value: unknown) => {
      const validate = ajv.compile({ $ref: `v1#/components/schemas/${name}` });
      expect(validate(value), JSON.stringify(validate.errors)).toBe(true);
      expect(validate({})).toBe(false);
    };
    check('Health', await (await get('/api/v1/health')).json());
    check('OpenSuccess', await openV1(url, { path: SCAN }));
    check('OpenSuccess', await openV1(url, { path: UNCALIBRATED }));
    check('Error', (await open({ path: NO_FILE })).json);
  });

  it('opens the sample of the package', async () => {
    const { calibration, channels } = await openV1(url, {
      path: join(REPOSITORY, 'examples/vessel-kymograph.ome.tif'),
    });
    expect([channels.calcium.height, channels.calcium.width]).toEqual([4000, 96]);
    expect(calibration.dim_0_units).toBe('seconds');
  });
});

describe('security of v1', () => {
  it.each([
    ['a page of another site', { origin: 'https://evil.example' }, 403, 'origin_not_allowed'],
    ['a page without an origin', { origin: 'null' }, 403, 'origin_not_allowed'],
    [
      'a form of another site',
      { 'sec-fetch-site': 'cross-site', 'content-type': 'text/plain' },
      403,
      'origin_not_allowed',
    ],
  ])('open refuses %s, whatever the content type', async (_name, headers, status, code) => {
    const answer = await open({ path: SCAN }, headers);
    expectV1Error(answer, status, code);
  });

  it('a preflight of a page without an origin may announce pick-and-open, but not open', async () => {
    const preflight = (path: string) =>
      get(path, { method: 'OPTIONS', headers: { origin: 'null', 'access-control-request-method': 'POST' } });
    expect((await preflight('/api/v1/pick-and-open')).status).toBe(204);
    expect((await preflight('/api/v1/open')).status).toBe(403);
  });

  it('a server with a token asks for it, in the body of v1', async () => {
    const guarded = await createServer({
      port: 0,
      decodeWorkers: 1,
      stateDir: folder,
      token: 'secret',
      allowHosts: ['lab'],
    });
    try {
      // fetch cannot set Host: a proxy's header makes the server ask for the token, too.
      const answer = await postV1(guarded.url, 'open', { path: SCAN }, { via: '1.1 lab' });
      expectV1Error(answer, 401, 'unauthorized');
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      const allowed = await postV1(
        guarded.url,
        'open',
        { path: SCAN },
        { via: '1.1 lab', authorization: 'Bearer secret' },
      );
      expect(allowed.status).toBe(200);
      const health = await fetch(`${guarded.url}/api/v1/health`, { headers: { via: '1.1 lab' } });
      expect(health.status).toBe(200);
    } finally {
      await guarded.close();
    }
  });
});
