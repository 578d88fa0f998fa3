/** What API v1 accepts, on a real server with real files: each leniency is one test. */
import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AcqError } from '../../packages/readers/src/base/errors.js';
import { lineScan, referencePlane } from '../support/oif.js';
import { createServer, type RunningServer } from '../support/server.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { fakePicker } from '../support/test-app.js';
import { countingPage } from '../support/tiff-cases.js';
import { expectV1Error, openV1, postV1 } from '../support/v1.js';
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
const pick = (body?: object | string | Uint8Array<ArrayBuffer>) => postV1(url, 'pick-and-open', body);

describe('the body of open', () => {
  it.each([
    ['nothing', ''],
    ['text that is not JSON', '{'],
    ['bytes that are not UTF-8', new Uint8Array([0x7b, 0xff, 0x7d])],
    ['a list', '[]'],
    ['a text', '"/a.tif"'],
    ['null', 'null'],
  ])('%s is refused with path_not_found', async (_name, body) => {
    const answer = await open(body);
    expectV1Error(answer, 404, 'path_not_found');
    expect(answer.json.message).toBe('JSON body object required');
  });

  it.each([
    ['no path', {}],
    ['a blank path', { path: ' \t' }],
    ['a number as path', { path: 1 }],
    ['null as path', { path: null }],
  ])('%s is refused with path_not_found', async (_name, body) => {
    const answer = await open(body);
    expectV1Error(answer, 404, 'path_not_found');
    expect(answer.json.message).toBe('JSON body must include string "path"');
  });

  it.each([undefined, 'text/plain', 'application/x-www-form-urlencoded', 'application/json', 'image/png'])(
    'is read with the content type %s',
    async (type) => {
      const { status, text } = await open({ path: SCAN }, type === undefined ? {} : { 'content-type': type });
      expect(status, text).toBe(200);
    },
  );

  it('may have unknown fields', async () => {
    expect((await openV1(url, { path: SCAN, channelIndices: 'x', more: 1 })).ok).toBe(true);
  });

  it('may have a byte order mark', async () => {
    expect((await open(`\ufeff${JSON.stringify({ path: SCAN })}`)).status).toBe(200);
  });

  it('is at most 64 KiB, and not compressed', async () => {
    expectV1Error(await open({ path: SCAN, more: 'x'.repeat(70_000) }), 413, 'payload_too_large');
    expectV1Error(await open({ path: SCAN }, { 'content-encoding': 'gzip' }), 415, 'unsupported_media_type');
  });
});

describe('channel numbers of v1', () => {
  const channelsOf = async (fields: string) => {
    const { status, json, text } = await open(`{"path": ${JSON.stringify(SCAN)}, ${fields}}`);
    expect(status, text).toBe(200);
    return [json.channels.calcium.index, json.channels.vessels?.index];
  };

  it.each([
    ['"more": 0', 0, 1],
    ['"calciumChannel": "1", "vesselChannel": "0"', 1, 0],
    ['"calciumChannel": " +1 ", "vesselChannel": "0_0"', 1, 0],
    ['"calciumChannel": 1.9, "vesselChannel": 0.9', 1, 0],
    ['"calciumChannel": true, "vesselChannel": false', 1, 0],
    ['"calciumChannel": -0.9', 0, 1],
    ['"calciumChannel": 1e0, "vesselChannel": null', 1, undefined],
    ['"calciumChannel": 1', 1, undefined],
    ['"vesselChannel": 0', 0, undefined],
  ])('{%s} loads calcium %s and vessels %s', async (fields, calcium, vessels) => {
    expect(await channelsOf(fields)).toEqual([calcium, vessels]);
  });

  it.each([
    '"calciumChannel": null',
    '"calciumChannel": "1.5"',
    '"calciumChannel": ""',
    '"calciumChannel": " "',
    '"calciumChannel": "1__0"',
    '"calciumChannel": "one"',
    '"calciumChannel": []',
    '"calciumChannel": {}',
    '"calciumChannel": NaN',
    '"vesselChannel": ""',
    '"vesselChannel": "x"',
    '"vesselChannel": [1]',
    '"vesselChannel": NaN',
  ])('{%s} is refused, before the file is looked for', async (fields) => {
    const answer = await open(`{"path": ${JSON.stringify(NO_FILE)}, ${fields}}`);
    expectV1Error(answer, 422, 'channel_out_of_range');
  });

  it.each(['1e999', '-1e999', 'Infinity', '-Infinity'])('%s was an error that v1 did not catch', async (value) => {
    const answer = await open(`{"path": ${JSON.stringify(SCAN)}, "calciumChannel": ${value}}`);
    expect([answer.status, answer.text]).toEqual([500, 'Internal Server Error']);
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  });

  it('constants inside texts stay texts', async () => {
    const answer = await open(`{"path": "/nowhere/NaN \\" Infinity.tif", "calciumChannel": 0}`);
    expect(answer.json.message).toBe('File not found: /nowhere/NaN " Infinity.tif');
  });

  it.each([
    { calciumChannel: -1 },
    { calciumChannel: '-1' },
    { vesselChannel: -1 },
    { calciumChannel: -1, vesselChannel: null },
  ])('%j is refused after the file was found', async (fields) => {
    expectV1Error(await open({ path: NO_FILE, ...fields }), 404, 'path_not_found');
    expectV1Error(await open({ path: DAMAGED, ...fields }), 422, 'channel_out_of_range');
  });

  it.each([{ calciumChannel: 2 }, { vesselChannel: 2 }, { calciumChannel: '9'.repeat(400) }])(
    '%j is refused after the file was opened',
    async (fields) => {
      expectV1Error(await open({ path: DAMAGED, ...fields }), 500, 'decode_failed');
      expectV1Error(await open({ path: SCAN, ...fields }), 422, 'channel_out_of_range');
    },
  );

  it('does not check the vessel channel of a file with one channel', async () => {
    const { channels } = await openV1(url, { path: UNCALIBRATED, vesselChannel: 7 });
    expect(Object.keys(channels)).toEqual(['calcium']);
  });
});

describe('paths of v1', () => {
  it.each([
    ['relative to the working directory', relative(process.cwd(), SCAN), SCAN],
    ['with dots', `${join(folder, 'x')}/../Scan.OIB`, SCAN],
  ])('may be %s', async (_name, path, real) => {
    expect((await openV1(url, { path })).source.path).toBe(real);
  });

  it('expand the home folder', async () => {
    for (const path of ['~/no such file.tif', '~']) {
      const answer = await open({ path });
      expectV1Error(answer, 404, 'path_not_found');
      expect(answer.json.message).toBe(`File not found: ${path.replace('~', homedir())}`);
    }
  });

  it('must lead to a regular file: a folder is not found, even an OME-Zarr', async () => {
    mkdirSync(join(folder, 'image.ome.zarr'), { recursive: true });
    for (const path of [folder, join(folder, 'image.ome.zarr'), '/dev/null', `${SCAN}/x`, NO_FILE]) {
      const answer = await open({ path });
      expectV1Error(answer, 404, 'path_not_found');
      expect(answer.json.message).toBe(`File not found: ${path}`);
    }
  });

  it.each([
    ['with a NUL', '/a\0b.tif'],
    ['that are too long', `/${'x'.repeat(5000)}.tif`],
  ])('%s are not found', async (_name, path) => {
    expectV1Error(await open({ path }), 404, 'path_not_found');
  });

  it('are confined to the roots, and do not reveal what is outside', async () => {
    const inside = join(folder, 'inside');
    mkdirSync(inside, { recursive: true });
    const confined = await createServer({ port: 0, decodeWorkers: 1, stateDir: folder, roots: [inside] }, { picker });
    try {
      for (const path of [SCAN, NO_FILE])
        expectV1Error(await postV1(confined.url, 'open', { path }), 403, 'path_not_allowed');
      picker.next = { status: 'ok', path: SCAN };
      expect((await postV1(confined.url, 'pick-and-open')).status).toBe(200);
    } finally {
      await confined.close();
    }
  });
});

describe('pick-and-open of v1', () => {
  beforeEach(() => {
    picker.next = { status: 'ok', path: SCAN };
  });

  it.each([
    ['no body', ''],
    ['text that is not JSON', '{"calciumChannel": 1'],
    ['null', 'null'],
    ['an empty object', '{}'],
  ])('takes %s as all defaults', async (_name, body) => {
    const { status, json } = await pick(body);
    expect(status).toBe(200);
    expect([json.channels.calcium.index, json.channels.vessels?.index]).toEqual([0, 1]);
    expect(picker.requests[0]?.kind).toBe('file');
    expect(picker.requests[0]?.extensions).toContain('.oib');
  });

  it('opens what its client sends, and answers like open', async () => {
    const { json } = await pick({ calciumChannel: 0, vesselChannel: 1 });
    const { sessionId, ...rest } = await openV1(url, { path: SCAN });
    const replaced = JSON.parse(JSON.stringify(json).replaceAll(json.sessionId, sessionId));
    expect(replaced).toEqual({ sessionId, ...rest });
  });

  it.each(['[]', '"x"', '1'])('refuses %s with unsupported_format', async (body) => {
    const answer = await pick(body);
    expectV1Error(answer, 422, 'unsupported_format');
    expect(answer.json.message).toBe('JSON body object required');
    expect(picker.requests).toEqual([]);
  });

  it('refuses extensions that are not a list', async () => {
    expectV1Error(await pick({ extensions: '.tif' }), 422, 'unsupported_format');
  });

  it('normalizes the extensions for the dialog', async () => {
    await pick({ extensions: [' TIF ', '.Oir', 7, true, null] });
    expect(picker.requests[0]?.extensions).toEqual(['.tif', '.oir', '.7', '.true', '.none']);
  });

  it('offers the usual extensions for an empty list, and never what a file name cannot end with', async () => {
    await pick({ extensions: [] });
    await pick({ extensions: ['', 'a/b', 'x'.repeat(40), '.tif | rm'] });
    for (const { extensions } of picker.requests) expect(extensions).toContain('.oib');
  });

  it('checks channel types before the dialog, and the rest after it', async () => {
    expectV1Error(await pick({ calciumChannel: 'x' }), 422, 'channel_out_of_range');
    expect(picker.requests).toEqual([]);
    expectV1Error(await pick({ calciumChannel: -1 }), 422, 'channel_out_of_range');
    expectV1Error(await pick({ calciumChannel: 5 }), 422, 'channel_out_of_range');
    expect(picker.requests).toHaveLength(2);
  });

  it('answers a closed dialog with 200 and cancelled', async () => {
    picker.next = { status: 'cancelled', reason: 'user' };
    expectV1Error(await pick(), 200, 'cancelled');
  });

  it('answers a dialog that fails with decode_failed', async () => {
    picker.next = new AcqError('picker_unavailable', 'There is no display.');
    const answer = await pick();
    expectV1Error(answer, 500, 'decode_failed');
    expect(answer.json.message).toBe('There is no display.');
  });

  it('makes pages without an origin wait after a closed dialog, together with v2', async () => {
    picker.next = { status: 'cancelled', reason: 'user' };
    expectV1Error(await postV1(url, 'pick-and-open', '', { origin: 'null' }), 200, 'cancelled');
    const next = await postV1(url, 'pick-and-open', '', { origin: 'null' });
    expectV1Error(next, 409, 'picker_busy');
    expect(Number(next.headers.get('retry-after'))).toBeGreaterThan(0);
    const v2 = await get('/api/v2/pick-and-open', { method: 'POST', headers: { origin: 'null' } });
    expect(v2.status).toBe(409);
    // Programs are not slowed down.
    expectV1Error(await pick(), 200, 'cancelled');
  });
});
