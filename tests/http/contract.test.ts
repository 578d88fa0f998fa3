import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AcqError, type ErrorCode } from '../../packages/readers/src/base/errors.js';
import { conformity } from '../support/conforms.js';
import { ramp } from '../support/fake-sessions.js';
import { expectError, REPOSITORY, type TestApp, testApp } from '../support/test-app.js';

const { ask: inject, sessions, picker } = await testApp({ sessionTtlSeconds: 600 });
const judge = conformity((await inject('GET', '/openapi.json')).json());

/** Every answer of this suite is also one that the OpenAPI document describes. */
const ask: TestApp['ask'] = async (method, url, more) => {
  const response = await inject(method, url, more);
  judge.check(method, url, response);
  return response;
};

const { version } = JSON.parse(readFileSync(resolve(REPOSITORY, 'packages/server/package.json'), 'utf8'));

async function open(path = '/a/b.tif') {
  const response = await ask('POST', '/api/v2/open', { body: { path } });
  expect(response.statusCode, response.body).toBe(200);
  return response.json();
}

describe('discovery', () => {
  it('answers health with exactly two fields', async () => {
    const response = await ask('GET', '/api/v2/health');
    expect(response.statusCode).toBe(200);
    expect(response.body).toBe('{"ok":true,"apiVersion":"v2"}');
  });

  it('links every address from the index, and every link answers', async () => {
    const response = await ask('GET', '/api/v2');
    const { links, ...rest } = response.json();
    expect(rest).toEqual({
      ok: true,
      apiVersion: 'v2',
      description: 'Acquisition Store Server',
      serverVersion: version,
    });
    expect(
      Object.fromEntries(Object.entries(links).map(([name, link]) => [name, (link as { href: string }).href])),
    ).toEqual({
      health: '/api/v2/health',
      capabilities: '/api/v2/capabilities',
      open: '/api/v2/open',
      pickAndOpen: '/api/v2/pick-and-open',
      openapi: '/openapi.json',
      docs: '/docs',
      demo: '/demo/v2/',
    });
    for (const { href, method, description } of Object.values(links) as Record<string, string>[]) {
      expect(description).toMatch(/\S/);
      if (method === 'GET' && href !== '/demo/v2/')
        expect((await ask('GET', href as string)).statusCode, href).toBe(200);
    }
  });

  it('lists formats, encoding and session lifetime in the capabilities', async () => {
    expect((await ask('GET', '/api/v2/capabilities')).json()).toEqual({
      ok: true,
      apiVersion: 'v2',
      supportedImportExtensions: ['.tif', '.tiff', '.ome.tif'],
      allowedImportExtensions: ['.tif', '.ome.tif'],
      formats: [
        {
          name: 'TIFF (plain, OME, ImageJ, Olympus, ScanImage, MetaMorph, Micro-Manager)',
          group: 'TIFF and OME',
          extensions: ['.tif', '.ome.tif'],
          opensFolders: false,
        },
        {
          name: 'NDTiff (Micro-Manager 2, Pycro-Manager)',
          group: 'Micro-Manager',
          extensions: ['.tif'],
          opensFolders: true,
        },
        { name: 'ThorImage', group: 'Thorlabs ThorImage', extensions: ['.tif'], opensFolders: true },
      ],
      binary: {
        servedDtype: 'float32',
        encoding: 'raw-f32-le',
        layout: 'row-major',
        mediaType: 'application/octet-stream',
      },
      sessionTtlSeconds: 600,
      opening: ['path', 'picker', 'folders', 'locate'],
    });
  });

  it('answers / with the index for programs and the viewer for browsers', async () => {
    expect((await ask('GET', '/')).json()).toEqual((await ask('GET', '/api/v2')).json());
    const page = await ask('GET', '/', { headers: { accept: 'text/html,application/xhtml+xml' } });
    expect([page.statusCode, page.headers.location]).toEqual([302, 'demo/v2/']);
    const bare = await ask('GET', '/demo/v2');
    expect([bare.statusCode, bare.headers.location]).toEqual([302, 'v2/']);
  });
});

describe('open', () => {
  it('passes the request to the session service and its answer to the client', async () => {
    const body = {
      path: '/data/scan.tif',
      channelIndices: [1, 0],
      selection: { S: 1, T: 2, Z: 3 },
      calibration: { Y: { step: 0.002, unit: 'seconds' } },
    };
    const response = await ask('POST', '/api/v2/open', { body });
    expect(response.statusCode).toBe(200);
    const { path, ...options } = body;
    expect(sessions.opened.at(-1)).toMatchObject({ path, options, picked: false });
    const opened = response.json();
    expect(opened.channels[1].dataUrl).toBe(`/api/v2/sessions/${opened.sessionId}/channels/1/data`);
    expect(Object.keys(opened)).toEqual([
      'ok',
      'apiVersion',
      'sessionId',
      'source',
      'header',
      'plane',
      'channels',
      'reference',
      'warnings',
    ]);
  });

  it('expands ~/ to the home folder', async () => {
    await open('~/scan.tif');
    expect(sessions.opened.at(-1)?.path).toBe(`${process.env['HOME']}/scan.tif`);
  });

  const refusals: [name: string, body: unknown, details: [location: string, type: string][]][] = [
    ['nothing', undefined, [['body', 'missing']]],
    ['null', null, [['body', 'missing']]],
    ['an array', [], [['body', 'dict_type']]],
    ['text', 'x', [['body', 'dict_type']]],
    ['no path', {}, [['body.path', 'missing']]],
    ['an empty path', { path: '' }, [['body.path', 'string_too_short']]],
    ['a number as path', { path: 1 }, [['body.path', 'string_type']]],
    ['null as path', { path: null }, [['body.path', 'string_type']]],
    ['a relative path', { path: 'a.tif' }, [['body.path', 'path_not_absolute']]],
    ['the home of another', { path: '~root/a.tif' }, [['body.path', 'path_not_absolute']]],
    ['a NUL', { path: '/a\0.tif' }, [['body.path', 'path_nul']]],
    ['an unknown field', { path: '/a', extra: 1 }, [['body.extra', 'extra_forbidden']]],
    ['a field of another operation', { path: '/a', extensions: ['.tif'] }, [['body.extensions', 'extra_forbidden']]],
    ['channels that are no list', { path: '/a', channelIndices: 0 }, [['body.channelIndices', 'list_type']]],
    ['null channels', { path: '/a', channelIndices: null }, [['body.channelIndices', 'list_type']]],
    ['a channel as text', { path: '/a', channelIndices: ['0'] }, [['body.channelIndices.0', 'int_type']]],
    ['half a channel', { path: '/a', channelIndices: [0, 1.5] }, [['body.channelIndices.1', 'int_from_float']]],
    ['a boolean channel', { path: '/a', channelIndices: [true] }, [['body.channelIndices.0', 'int_type']]],
    ['an unknown dimension', { path: '/a', selection: { Q: 0 } }, [['body.selection.Q', 'extra_forbidden']]],
    ['a selection as text', { path: '/a', selection: { T: '1' } }, [['body.selection.T', 'int_type']]],
    [
      'a step of 0',
      { path: '/a', calibration: { Y: { step: 0, unit: 'seconds' } } },
      [['body.calibration.Y.step', 'greater_than']],
    ],
    [
      'an unknown unit',
      { path: '/a', calibration: { X: { step: 1, unit: 'miles' } } },
      [['body.calibration.X.unit', 'literal_error']],
    ],
    ['a step without unit', { path: '/a', calibration: { X: { step: 1 } } }, [['body.calibration.X.unit', 'missing']]],
    [
      'two mistakes',
      { path: 1, extra: 1 },
      [
        ['body.path', 'string_type'],
        ['body.extra', 'extra_forbidden'],
      ],
    ],
    [
      'a dozen mistakes, with each of them listed',
      {
        path: 'scan.oir',
        extra: 1,
        more: 2,
        channelIndices: ['0', '1', '2', '3'],
        selection: { Q: 0, T: 1.5 },
        calibration: { Y: { step: -1, unit: 'miles' }, X: {} },
      },
      [
        ['body.path', 'path_not_absolute'],
        ['body.extra', 'extra_forbidden'],
        ['body.more', 'extra_forbidden'],
        ['body.channelIndices.0', 'int_type'],
        ['body.channelIndices.1', 'int_type'],
        ['body.channelIndices.2', 'int_type'],
        ['body.channelIndices.3', 'int_type'],
        ['body.selection.Q', 'extra_forbidden'],
        ['body.selection.T', 'int_from_float'],
        ['body.calibration.Y.step', 'greater_than'],
        ['body.calibration.Y.unit', 'literal_error'],
        ['body.calibration.X.step', 'missing'],
        ['body.calibration.X.unit', 'missing'],
      ],
    ],
  ];
  it.each(refusals)('refuses %s', async (_name, body, details) => {
    const payload = body === undefined ? '' : JSON.stringify(body);
    const before = sessions.opened.length;
    const response = await ask('POST', '/api/v2/open', { headers: { 'content-type': 'application/json' }, payload });
    expectError(response, 'request_validation_failed');
    const found = response
      .json()
      .details.map((d: { location: string[]; type: string }) => [d.location.join('.'), d.type]);
    expect(found.sort()).toEqual(details.sort());
    expect(sessions.opened.length).toBe(before);
  });

  const texts: [message: string, url: string, body: unknown][] = [
    ['The body is missing. Send a JSON object', 'open', null],
    ['The body must be a JSON object', 'open', []],
    ['`path` is required', 'open', {}],
    ['`path` must not be empty', 'open', { path: '' }],
    ['`path` must be text', 'open', { path: 1 }],
    ['`path` must be absolute, for example /data/scan.oir', 'open', { path: 'scan.oir' }],
    ['`channelIndices` must be a list', 'open', { path: '/a', channelIndices: 0 }],
    [
      '`channelIndices[1]` must be a whole number, without a fraction',
      'open',
      { path: '/a', channelIndices: [0, 1.5] },
    ],
    [
      '`selection.Q` is not a field of this request. Valid fields: `S`, `T` and `Z`',
      'open',
      { path: '/a', selection: { Q: 0 } },
    ],
    [
      '`calibration.Y.step` must be greater than 0',
      'open',
      { path: '/a', calibration: { Y: { step: 0, unit: 'seconds' } } },
    ],
    [
      '`calibration.Y.unit` must be "seconds", "micrometer" or "Pixels"',
      'open',
      { path: '/a', calibration: { Y: { step: 1, unit: 'miles' } } },
    ],
    [
      '`extensions[0]` must start with a dot and have no spaces or slashes, for example ".tif"',
      'pick-and-open',
      { extensions: ['tif'] },
    ],
    ['`extensions[0]` must have at most 32 characters', 'pick-and-open', { extensions: [`.${'x'.repeat(40)}`] }],
    ['`kind` must be "file" or "folder"', 'pick-and-open', { kind: 'x' }],
    ['`path` is required (and 1 more problem, see `details`)', 'open', { channelIndices: ['0'] }],
    ['`path` is required (and 2 more problems, see `details`)', 'open', { selection: { T: '0' }, calibration: 1 }],
  ];
  it.each(texts)('explains a fault of a request: %s', async (message, url, body) => {
    const response = await ask('POST', `/api/v2/${url}`, {
      headers: { 'content-type': 'application/json' },
      payload: JSON.stringify(body),
    });
    const found = response.json();
    expect(found.message).toBe(message);
    for (const detail of found.details) expect(detail.message).not.toMatch(/body\.|should|pattern/);
  });

  it('lists hundreds of faults of one body in details', async () => {
    const channelIndices = Array.from({ length: 300 }, () => 'x');
    const response = await ask('POST', '/api/v2/open', { body: { path: '/a', channelIndices } });
    expect(response.json().details).toHaveLength(300);
  });

  it('describes each fault with exactly three fields', async () => {
    const response = await ask('POST', '/api/v2/open', { body: { path: '/a', channelIndices: ['x'] } });
    expect(response.json().details).toEqual([
      {
        location: ['body', 'channelIndices', '0'],
        message: '`channelIndices[0]` must be a whole number',
        type: 'int_type',
      },
    ]);
  });

  it.each([
    ['cut off', '{"path":'],
    ['an infinite step', '{"path":"/a","calibration":{"Y":{"step":1e999,"unit":"seconds"}}}'],
    ['a prototype', '{"path":"/a","__proto__":{"x":1}}'],
    ['not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['UTF-16', Buffer.from('{"path":"/a"}', 'utf16le')],
  ])('refuses JSON that is %s', async (_name, payload) => {
    const response = await ask('POST', '/api/v2/open', { headers: { 'content-type': 'application/json' }, payload });
    expectError(response, 'request_validation_failed');
  });

  const passed: ErrorCode[] = [
    'invalid_channel_indices',
    'channel_out_of_range',
    'selection_out_of_range',
    'path_not_found',
    'path_not_allowed',
    'path_not_readable',
    'unsupported_format',
    'decode_failed',
    'companion_missing',
    'load_timeout',
    'plane_too_large',
    'capacity_exceeded',
  ];
  it.each(passed)('answers the error %s with its status', async (code) => {
    const response = await ask('POST', '/api/v2/open', { body: { path: `/${code}` } });
    expectError(response, code);
    expect(response.headers['retry-after']).toBe(code === 'capacity_exceeded' ? '5' : undefined);
  });

  it('does not show the client the cause of an unexpected error', async () => {
    const response = await ask('POST', '/api/v2/open', { body: { path: '/crash' } });
    expectError(response, 'internal_error');
    expect(response.body).not.toContain('secret');
    expect(response.body).toContain(response.headers['x-request-id']);
  });

  it('does not send a response that breaks the contract', async () => {
    expectError(await ask('POST', '/api/v2/open', { body: { path: '/lie' } }), 'internal_error');
  });

  it('answers capacity_exceeded while the server stops', async () => {
    const other = await testApp();
    const answer = other.ask('POST', '/api/v2/open', { body: { path: '/wait' } });
    await expect.poll(() => other.sessions.opened.length).toBe(1);
    other.stopping.abort();
    expectError(await answer, 'capacity_exceeded');
  });
});

describe('pick-and-open', () => {
  it.each([
    ['nothing', {}],
    ['an empty body', { headers: { 'content-type': 'application/json' }, payload: '' }],
    ['{}', { body: {} }],
  ])('accepts %s', async (_name, more) => {
    const response = await ask('POST', '/api/v2/pick-and-open', more);
    expect(response.json().source.path).toBe('/picked.tif');
    expect(sessions.opened.at(-1)).toMatchObject({ path: '/picked.tif', options: {}, picked: true });
    expect(picker.requests.at(-1)?.extensions).toEqual(['.tif', '.ome.tif']);
  });

  it('passes extensions to the dialog and the rest to the session', async () => {
    await ask('POST', '/api/v2/pick-and-open', { body: { extensions: ['.OIR'], channelIndices: [0] } });
    expect(picker.requests.at(-1)?.extensions).toEqual(['.OIR']);
    expect(sessions.opened.at(-1)?.options).toEqual({ channelIndices: [0] });
  });

  it.each([[['tif']], [['.t/f']], [[1]], ['.tif']])('refuses the extensions %j', async (extensions) => {
    expectError(await ask('POST', '/api/v2/pick-and-open', { body: { extensions } }), 'request_validation_failed');
  });

  it('refuses a path', async () => {
    expectError(await ask('POST', '/api/v2/pick-and-open', { body: { path: '/a' } }), 'request_validation_failed');
  });

  it('answers 200 with cancelled for a closed dialog', async () => {
    picker.next = { status: 'cancelled', reason: 'user' };
    const response = await ask('POST', '/api/v2/pick-and-open');
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({
      ok: false,
      error: 'cancelled',
      message: 'No file was chosen.',
      details: null,
    });
  });

  it.each([
    ['picker_busy', '10'],
    ['picker_unavailable', undefined],
  ] as const)('answers %s', async (code, retryAfter) => {
    picker.next = new AcqError(code, 'fake');
    const response = await ask('POST', '/api/v2/pick-and-open');
    expectError(response, code);
    expect(response.headers['retry-after']).toBe(retryAfter);
  });

  it.each([
    [{}, 'Acquisition Store: open a file for a program on this computer'],
    [{ origin: 'http://127.0.0.1:8767' }, 'Acquisition Store: open a file'],
    [{ origin: 'http://localhost:5173' }, 'Acquisition Store: open a file for http://localhost:5173'],
    [{ origin: 'null' }, 'Acquisition Store: open a file for a local HTML file or a page without an address'],
  ])('names the requester with headers %j in the title of the dialog', async (headers, title) => {
    picker.next = { status: 'cancelled', reason: 'user' };
    await ask('POST', '/api/v2/pick-and-open', { headers });
    expect(picker.requests.at(-1)?.title).toBe(title);
  });
});

describe('sessions', () => {
  it('report their status, can be renewed and can be deleted', async () => {
    const { sessionId } = await open();
    const url = `/api/v2/sessions/${sessionId}`;
    const status = {
      ok: true,
      sessionId,
      ttlSecondsRemaining: 600,
      channelIndices: [0, 1],
      referenceChannelIndices: [0],
      totalBytes: 180,
    };
    expect((await ask('GET', url)).json()).toEqual(status);
    expect((await ask('POST', `${url}/renew`)).json()).toEqual(status);
    expect((await ask('POST', `${url}/renew`, { body: {} })).json()).toEqual(status);
    expectError(await ask('POST', `${url}/renew`, { body: { ttl: 1 } }), 'request_validation_failed');
    expect((await ask('DELETE', url)).json()).toEqual({ ok: true, sessionId, deleted: true });
    for (const [method, path] of [
      ['GET', url],
      ['POST', `${url}/renew`],
      ['DELETE', url],
      ['GET', `${url}/channels/0/data`],
    ]) {
      expectError(await ask(method as string, path as string), 'session_not_found');
    }
  });

  it.each(['x', 'a'.repeat(5000), '%00', '..%2f..', '😀'])(
    'answer session_not_found for the unknown id %s',
    async (id) => {
      expectError(await ask('GET', `/api/v2/sessions/${encodeURI(id)}`), 'session_not_found');
    },
  );
});

describe('planes', () => {
  it.each(['channels/1', 'reference/channels/0'])('are sent with their headers from %s', async (part) => {
    const { sessionId } = await open();
    const response = await ask('GET', `/api/v2/sessions/${sessionId}/${part}/data`);
    expect(response.statusCode).toBe(200);
    expect(response.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': '60',
      'cache-control': 'no-store',
      'accept-ranges': 'bytes',
    });
    expect(response.headers['content-encoding']).toBeUndefined();
    expect(response.rawPayload.equals(ramp(60, part === 'channels/1' ? 1 : 2))).toBe(true);
  });

  it('have their headers in HEAD, which decodes nothing', async () => {
    const { sessionId } = await open();
    const before = sessions.decodes;
    const response = await ask('HEAD', `/api/v2/sessions/${sessionId}/channels/0/data`, {
      headers: { range: 'bytes=0-3' },
    });
    expect(response.statusCode).toBe(200);
    expect(response.rawPayload.length).toBe(0);
    expect(response.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': '60',
      'accept-ranges': 'bytes',
      'cache-control': 'no-store',
    });
    expect(sessions.decodes).toBe(before);
    expect((await ask('HEAD', `/api/v2/sessions/${sessionId}/channels/9/data`)).statusCode).toBe(404);
  });

  it.each(['/api/v2', '/api/v2/health', '/api/v2/capabilities', '/api/v2/examples', '/openapi.json', '/docs'])(
    'answers HEAD %s with the length of GET',
    async (url) => {
      const [get, head] = [await ask('GET', url), await ask('HEAD', url)];
      expect(head.statusCode).toBe(200);
      expect(head.headers['content-length']).toBe(String(get.rawPayload.length));
      expect(head.body).toBe('');
    },
  );

  it.each([
    ['bytes=0-0', 0, 0],
    ['bytes=4-7', 4, 7],
    ['bytes=56-', 56, 59],
    ['bytes=56-1000000', 56, 59],
    ['bytes=-4', 56, 59],
    ['bytes=-1000', 0, 59],
    ['BYTES=1-2', 1, 2],
  ])('sends a part for the range %s', async (range, start, end) => {
    const { sessionId } = await open();
    const response = await ask('GET', `/api/v2/sessions/${sessionId}/channels/0/data`, { headers: { range } });
    expect(response.statusCode).toBe(206);
    expect(response.headers['content-range']).toBe(`bytes ${start}-${end}/60`);
    expect(response.headers['content-length']).toBe(String(end - start + 1));
    expect(response.rawPayload.equals(ramp(60, 0).subarray(start, end + 1))).toBe(true);
  });

  it.each(['bytes=60-', 'bytes=60-70', 'bytes=-0'])('answers 416 for the range %s', async (range) => {
    const { sessionId } = await open();
    const before = sessions.decodes;
    const response = await ask('GET', `/api/v2/sessions/${sessionId}/channels/0/data`, { headers: { range } });
    expectError(response, 'range_not_satisfiable');
    expect(response.headers['content-range']).toBe('bytes */60');
    expect(sessions.decodes).toBe(before);
  });

  it.each(['bytes=0-1,4-5', 'bytes=5-2', 'bytes=', 'bytes=-', 'bytes=a-b', 'lines=0-1', 'bytes 0-1', '0-1'])(
    'ignores the range %s',
    async (range) => {
      const { sessionId } = await open();
      const response = await ask('GET', `/api/v2/sessions/${sessionId}/channels/0/data`, { headers: { range } });
      expect([response.statusCode, response.rawPayload.length]).toEqual([200, 60]);
      expect(response.headers['content-range']).toBeUndefined();
    },
  );

  it('sends the whole plane for If-Range, which never matches', async () => {
    const { sessionId } = await open();
    const headers = { range: 'bytes=0-1', 'if-range': '"x"' };
    const response = await ask('GET', `/api/v2/sessions/${sessionId}/channels/0/data`, { headers });
    expect([response.statusCode, response.rawPayload.length]).toEqual([200, 60]);
  });

  it('answers channel_not_found for channels that do not exist', async () => {
    const { sessionId } = await open();
    const at = (part: string) => ask('GET', `/api/v2/sessions/${sessionId}/${part}/data`);
    expectError(await at('channels/2'), 'channel_not_found');
    expectError(await at('channels/999999999999999'), 'channel_not_found');
    expectError(await at('reference/channels/1'), 'reference_channel_not_found');
    expectError(await at('channels/-1'), 'channel_out_of_range');
    expectError(await at('reference/channels/-1'), 'channel_out_of_range');
    for (const bad of ['x', '1.5', '1e0', '0x1', '%20', '+1', '9'.repeat(40)]) {
      const response = await at(`channels/${bad}`);
      expectError(response, 'request_validation_failed');
      expect(response.json().details).toEqual([
        {
          location: ['path', 'channelIndex'],
          message: '`channelIndex` in the address must be a whole number',
          type: 'int_parsing',
        },
      ]);
    }
  });
});

describe('an address or method that does not exist', () => {
  it.each([
    '/api/v2/nothing',
    '/api/v2/nothing/',
    '/api/v3/health',
    '/favicon.ico',
    '/api/v2/sessions',
    '/docs/../package.json',
    '/demo/v2/%2e%2e/%2e%2e/package.json',
    '/docs/docs.js/',
  ])('answers 404 for %s', async (url) => expectError(await ask('GET', url), 'not_found'));

  it.each([
    ['PUT', '/api/v2/health', 'GET, HEAD, OPTIONS'],
    ['GET', '/api/v2/open', 'POST, OPTIONS'],
    ['POST', '/api/v2/sessions/x', 'GET, HEAD, DELETE, OPTIONS'],
    ['DELETE', '/api/v2/sessions/x/renew', 'POST, OPTIONS'],
    ['POST', '/api/v2/sessions/x/channels/0/data', 'GET, HEAD, OPTIONS'],
    ['PROPFIND', '/api/v2', 'GET, HEAD, OPTIONS'],
    ['POST', '/openapi.json', 'GET, HEAD, OPTIONS'],
  ])('answers 405 for %s %s', async (method, url, allow) => {
    const response = await ask(method, url);
    expectError(response, 'method_not_allowed');
    expect((response.headers.allow as string).split(', ').sort()).toEqual(allow.split(', ').sort());
  });

  it('answers OPTIONS with the methods of the address', async () => {
    const response = await ask('OPTIONS', '/api/v2/open');
    expect([response.statusCode, response.headers.allow]).toEqual([204, 'POST, OPTIONS']);
  });

  it.each(['/%ff', '/%', '/api/v2/sessions/%zz', '/%c3%28'])(
    'refuses the address %s, which is not valid text',
    async (url) => {
      expectError(await ask('GET', url), 'request_validation_failed');
    },
  );

  it('refuses a body above 64 KiB', async () => {
    const headers = { 'content-type': 'application/json' };
    const payload = (bytes: number) => '{"path":"/a"}'.padEnd(bytes);
    expect((await ask('POST', '/api/v2/open', { headers, payload: payload(65_536) })).statusCode).toBe(200);
    expectError(await ask('POST', '/api/v2/open', { headers, payload: payload(65_537) }), 'payload_too_large');
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/json; charset=utf-16',
    'json',
    ',',
  ])('answers 415 for the content type %s', async (type) => {
    const response = await ask('POST', '/api/v2/open', { headers: { 'content-type': type }, payload: '{"path":"/a"}' });
    expectError(response, 'unsupported_media_type');
  });

  it('answers 415 for a compressed body and for one without a content type', async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    expectError(await ask('POST', '/api/v2/open', { headers, payload: 'x' }), 'unsupported_media_type');
    expectError(await ask('POST', '/api/v2/open', { headers: {}, payload: '{}' }), 'unsupported_media_type');
  });

  it.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"'])(
    'accepts the content type %s',
    async (type) => {
      const response = await ask('POST', '/api/v2/open', {
        headers: { 'content-type': type },
        payload: '{"path":"/a"}',
      });
      expect(response.statusCode).toBe(200);
    },
  );
});

it('sends every answer with its request id and no-store', async () => {
  for (const url of ['/api/v2/health', '/nothing', '/%ff']) {
    const { headers } = await ask('GET', url);
    expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['referrer-policy']).toBe('no-referrer');
  }
});
