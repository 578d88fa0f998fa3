import {
  copyFileSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenResponse } from '../../packages/client/src/contract/open.js';
import {
  AcqError,
  createServer,
  Float32Target,
  openAcquisition,
  type RunningServer,
  type ServerOptions,
} from '../../packages/server/src/index.js';
import { chooseExtensions } from '../../packages/server/src/server/check-options.js';
import { describeWithSamples, samplesRoot } from '../support/samples.js';
import { fakePicker, REPOSITORY } from '../support/test-app.js';

/** The sample that ships: 2 channels, 4000 lines of 96 pixels. */
const PLANE_BYTES = 4000 * 96 * 4;
const SAMPLE = resolve(REPOSITORY, 'examples/vessel-kymograph.ome.tif');
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'end-to-end-')));
afterAll(() => rmSync(folder, { recursive: true }));

const picker = fakePicker();
const start = (options: Partial<ServerOptions> = {}) =>
  createServer({ port: 0, decodeWorkers: 1, stateDir: folder, ...options }, { picker });

async function post(url: string, body: object): Promise<{ status: number; json: OpenResponse & { error: string } }> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: response.status, json: (await response.json()) as never };
}

describe('the whole server on a real file', () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await start();
  });
  afterAll(() => server.close());
  const open = (body: object) => post(`${server.url}/api/v2/open`, body);

  it('lists its sample, opens it, serves its planes and deletes the session', async () => {
    const { examples } = (await (await fetch(`${server.url}/api/v2/examples`)).json()) as {
      examples: { path: string }[];
    };
    expect(examples.map(({ path }) => path)).toEqual([SAMPLE]);
    const { status, json } = await open({ path: SAMPLE });
    expect(status, JSON.stringify(json)).toBe(200);
    const { plane, channels, sessionId, header } = json;
    expect(header.dims).toEqual(['C', 'Y', 'X']);
    expect(plane.axes.map(({ unit }) => unit)).toEqual(['seconds', 'micrometer']);
    expect(plane.shape).toEqual([4000, 96]);
    const [rows, columns] = plane.shape as [number, number];
    for (const { dataUrl, byteLength } of channels) {
      expect(byteLength).toBe(rows * columns * 4);
      const response = await fetch(server.url + dataUrl);
      expect(response.headers.get('content-length')).toBe(String(byteLength));
      const samples = new Float32Array(await response.arrayBuffer());
      expect(samples.length).toBe(rows * columns);
      expect(samples.some((value) => value > 0)).toBe(true);
      const tail = await fetch(server.url + dataUrl, { headers: { range: 'bytes=-8' } });
      expect(tail.status).toBe(206);
      expect(new Float32Array(await tail.arrayBuffer())).toEqual(samples.slice(-2));
    }
    const state = await fetch(`${server.url}/api/v2/sessions/${sessionId}`);
    expect(await state.json()).toMatchObject({ channelIndices: [0, 1], totalBytes: 2 * rows * columns * 4 });
    expect((await fetch(`${server.url}/api/v2/sessions/${sessionId}`, { method: 'DELETE' })).status).toBe(200);
    expect((await fetch(server.url + channels[0]?.dataUrl)).status).toBe(404);
  });

  it('keeps the channel order of the request', async () => {
    const { json } = await open({ path: SAMPLE, channelIndices: [1, 0] });
    expect(json.channels.map(({ index }) => index)).toEqual([1, 0]);
    expect(json.source.numChannels).toBe(2);
    const status = await fetch(`${server.url}/api/v2/sessions/${json.sessionId}`);
    expect(await status.json()).toMatchObject({ channelIndices: [0, 1], referenceChannelIndices: [] });
  });

  it('reads the same samples through the library', async () => {
    const { json } = await open({ path: SAMPLE, channelIndices: [1] });
    const served = new Float32Array(await (await fetch(server.url + json.channels[0]?.dataUrl)).arrayBuffer());
    const opened = await openAcquisition(SAMPLE);
    const [rows, columns] = json.plane.shape as [number, number];
    const target = new Float32Target(rows, columns);
    await opened.acquisition.readPlane({ scene: 0, channel: 1, t: 0, z: 0 }, target);
    opened.close();
    expect(Buffer.compare(Buffer.from(served.buffer), Buffer.from(target.data.buffer))).toBe(0);
  });

  const damaged = join(folder, 'damaged.tif');
  const text = join(folder, 'text.tif');
  it.each([
    ['nothing there', { path: join(folder, 'none.tif') }, 404, 'path_not_found'],
    ['an unknown extension', { path: '/etc/hostname' }, 415, 'unsupported_format'],
    ['a device', { path: '/dev/null' }, 403, 'path_not_allowed'],
    ['a folder', { path: folder }, 415, 'unsupported_format'],
    ['text with a wrong name', { path: text }, 415, 'unsupported_format'],
    ['half a file', { path: damaged }, 500, 'decode_failed'],
    ['no channels', { path: SAMPLE, channelIndices: [] }, 422, 'invalid_channel_indices'],
    ['a channel twice', { path: SAMPLE, channelIndices: [0, 0] }, 422, 'invalid_channel_indices'],
    ['a negative channel', { path: SAMPLE, channelIndices: [-1] }, 422, 'invalid_channel_indices'],
    ['a channel too many', { path: SAMPLE, channelIndices: [2] }, 422, 'channel_out_of_range'],
    ['a huge channel', { path: SAMPLE, channelIndices: [1e300] }, 422, 'channel_out_of_range'],
    ['a dimension that is not there', { path: SAMPLE, selection: { T: 1 } }, 422, 'selection_out_of_range'],
    ['a negative selection', { path: SAMPLE, selection: { Z: -1 } }, 422, 'selection_out_of_range'],
  ])('refuses %s', async (_name, body, status, code) => {
    copyFileSync(SAMPLE, damaged);
    writeFileSync(text, 'hello');
    truncateSync(damaged, 100_000);
    const answer = await open(body);
    expect([answer.status, answer.json.error], JSON.stringify(answer.json)).toEqual([status, code]);
  });

  it('opens a file that the user picked', async () => {
    picker.next = { status: 'ok', path: SAMPLE };
    const { status, json } = await post(`${server.url}/api/v2/pick-and-open`, { channelIndices: [0] });
    expect([status, json.channels.length]).toEqual([200, 1]);
    expect(picker.requests.at(-1)?.extensions).toContain('.ome.tif');
  });

  it('lists the format table in its capabilities', async () => {
    const found = (await (await fetch(`${server.url}/api/v2/capabilities`)).json()) as Record<string, string[]>;
    expect(found['supportedImportExtensions']).toEqual(expect.arrayContaining(['.tif', '.tiff', '.ome.tif']));
    expect(found['allowedImportExtensions']).toEqual(found['supportedImportExtensions']);
  });
});

describe('restrictions of the operator', () => {
  it('confine paths to roots, also through links, but not the choices of the user', async () => {
    const copy = join(folder, 'copy.ome.tif');
    copyFileSync(SAMPLE, copy);
    const link = join(folder, 'link.ome.tif');
    symlinkSync(SAMPLE, link);
    const server = await start({ roots: [folder] });
    const open = (path: string) => post(`${server.url}/api/v2/open`, { path });
    expect((await open(copy)).status).toBe(200);
    for (const path of [SAMPLE, link, `${folder}/../${folder.split('/').at(-1)}x/a.tif`, '/etc/none.tif']) {
      const { status, json } = await open(path);
      expect([status, json.error], path).toEqual([403, 'path_not_allowed']);
    }
    expect(((await (await fetch(`${server.url}/api/v2/examples`)).json()) as { examples: [] }).examples).toEqual([]);
    picker.next = { status: 'ok', path: SAMPLE };
    expect((await post(`${server.url}/api/v2/pick-and-open`, {})).status).toBe(200);
    await server.close();
  });

  it('limit the extensions that can be opened', async () => {
    const server = await start({ allowExtensions: ['.TIFF'] });
    const { status, json } = await post(`${server.url}/api/v2/open`, { path: SAMPLE });
    expect([status, json.error]).toEqual([415, 'unsupported_format']);
    const found = (await (await fetch(`${server.url}/api/v2/capabilities`)).json()) as Record<string, string[]>;
    expect(found['allowedImportExtensions']).toEqual(['.tiff']);
    await server.close();
    expect(() => chooseExtensions(['.docx'], ['.tif'])).toThrow(
      '--allow-ext .docx: not the extension of a supported format. To list them, run `acqstore formats`.',
    );
    expect(chooseExtensions([], ['.tif', '.oir'])).toEqual(['.tif', '.oir']);
  });

  it('limit sessions, time and plane size', async () => {
    const server = await start({ maxSessions: 1, sessionTtlSeconds: 2, maxPlaneBytes: 2 ** 30 });
    const open = () => post(`${server.url}/api/v2/open`, { path: SAMPLE });
    const first = await open();
    expect(first.status).toBe(200);
    const second = await open();
    expect([second.status, second.json.error]).toEqual([503, 'capacity_exceeded']);
    await expect
      .poll(async () => (await fetch(`${server.url}/api/v2/sessions/${first.json.sessionId}`)).status)
      .toBe(404);
    expect((await open()).status).toBe(200);
    await server.close();
    const small = await start({ maxPlaneBytes: 1000 });
    const { status, json } = await post(`${small.url}/api/v2/open`, { path: SAMPLE });
    expect([status, json.error]).toEqual([413, 'plane_too_large']);
    await small.close();
  });

  it('do not read a file again that changed', async () => {
    const path = join(folder, 'changing.ome.tif');
    copyFileSync(SAMPLE, path);
    // Room for one plane of 16 bits and what it is sent through: the second session takes the memory of the first.
    const server = await start({ memoryBudgetBytes: 0.9 * PLANE_BYTES });
    const open = (index: number) => post(`${server.url}/api/v2/open`, { path, channelIndices: [index] });
    const first = (await open(0)).json.channels[0];
    const second = (await open(1)).json.channels[0];
    const again = await fetch(`${server.url}${first?.dataUrl}`);
    expect([again.status, (await again.arrayBuffer()).byteLength]).toEqual([200, PLANE_BYTES]);
    utimesSync(path, 1, 1);
    const head = await fetch(`${server.url}${second?.dataUrl}`, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(PLANE_BYTES)]);
    const changed = await fetch(`${server.url}${second?.dataUrl}`);
    expect([changed.status, ((await changed.json()) as { error: string }).error]).toEqual([409, 'source_changed']);
    await server.close();
  });

  it.each([
    [{ port: 70_000 }, 'option port'],
    [{ allowOrigins: ['*'] }, 'option allowOrigins/0'],
    [{ allowOrigins: ['https://lab.example/'] }, 'option allowOrigins/0'],
    [{ sessionTtlSeconds: 0 }, 'option sessionTtlSeconds'],
    [{ host: '0.0.0.0' }, '--token or --tokens-file and --root DIR'],
  ])('refuse the invalid options %j', async (options, message) => {
    const failure = await start(options).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AcqError);
    expect((failure as AcqError).message).toContain(message);
  });
});

describeWithSamples('a kymograph of 30,000 lines, by path over HTTP', () => {
  it('serve every line and every count, in seconds and micrometers', async () => {
    const server = await start();
    const path = join(samplesRoot as string, 'tiff-olympus-kymograph/mapmanager+kymflow/Capillary1_0001.tif');
    const { status, json } = await post(`${server.url}/api/v2/open`, { path });
    expect(status, JSON.stringify(json)).toBe(200);
    expect(json.header).toMatchObject({
      shape: [1, 30_000, 38],
      dims: ['C', 'Y', 'X'],
      dtype: 'uint16',
      numChannels: 1,
    });
    expect(json.plane.axes).toMatchObject([
      { name: 'Y', size: 30_000, unit: 'seconds' },
      { name: 'X', size: 38, unit: 'micrometer', step: 0.284 },
    ]);
    // 35100.000 ms for 30000 lines, says the text file beside it.
    expect(json.plane.axes[0]?.step).toBeCloseTo(35.1 / 30_000, 12);
    const response = await fetch(server.url + json.channels[0]?.dataUrl);
    const samples = new Float32Array(await response.arrayBuffer());
    // Counts of an independent reader.
    expect([samples.length, samples[0], samples[15_000 * 38 + 19]]).toEqual([30_000 * 38, 159, 188]);
    expect(samples.reduce((sum, value) => sum + value, 0)).toBe(239_139_704);
    expect([samples.reduce((a, b) => Math.min(a, b)), samples.reduce((a, b) => Math.max(a, b))]).toEqual([105, 400]);
    const gone = await fetch(`${server.url}/api/v2/sessions/${json.sessionId}`, { method: 'DELETE' });
    expect(await gone.json()).toEqual({ ok: true, sessionId: json.sessionId, deleted: true });
    await server.close();
  });
});
