/** OME-Zarr of sessions over HTTP, on a real server. */
import { readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as zarr from 'zarrita';
import type { OpenResponse } from '../../packages/client/src/contract/open.js';
import { ZARR_VERSIONS, type ZarrVersion } from '../../packages/readers/src/derive/zarr/versions.js';
import { openAcquisition } from '../../packages/server/src/index.js';
import { openOk } from '../support/open.js';
import { createServer, type RunningServer } from '../support/server.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { expectSameImages, readArray, readAttributes } from '../support/zarr-read.js';
import { writeCzi } from '../writers/czi.js';
import { stack } from '../writers/czi-kinds.js';
import { writeOir } from '../writers/oir.js';
import { lineScan } from '../writers/oir-kinds.js';
import { writeTiff } from '../writers/tiff.js';

const folder = tempFolder();
const SCAN = writeTemp(folder, 'scan.oir', writeOir(lineScan(2_100, 18, 64)));
const STACK = writeTemp(folder, 'stack.czi', writeCzi(stack(3, 2)));

let server: RunningServer;
beforeAll(async () => {
  server = await createServer({ port: 0, decodeWorkers: 1, stateDir: folder });
});
afterAll(() => server.close());

const open = (path: string, more: object = {}) => openOk(server.url, { path, decode: 'later', ...more });
const rootOf = ({ sessionId }: OpenResponse, version: ZarrVersion) =>
  `${server.url}/api/v2/sessions/${sessionId}/${version}.ome.zarr`;
const storeOf = (info: OpenResponse, version: ZarrVersion) => new zarr.FetchStore(rootOf(info, version)) as never;
const endSession = ({ sessionId }: OpenResponse) =>
  fetch(`${server.url}/api/v2/sessions/${sessionId}`, { method: 'DELETE' });

async function refusal(response: Response): Promise<[status: number, error: string]> {
  return [response.status, ((await response.json()) as { error: string }).error];
}

/** Sends a path as it is: `fetch` would resolve `..`. */
function rawStatus(path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(server.url);
    const sent = request({ hostname, port, path }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode!));
    });
    sent.on('error', reject).end();
  });
}

describe('a session as OME-Zarr', () => {
  it.each(ZARR_VERSIONS)('has every plane of every image in its own type for zarrita (%s)', async (version) => {
    for (const path of [SCAN, STACK]) {
      const opened = await openAcquisition(path);
      const info = await open(path);
      await expectSameImages(opened.acquisition, version, storeOf(info, version));
      opened.close();
    }
  });

  it('has the address of its scene in the open response', async () => {
    const info = await open(STACK);
    const { zarr: addresses, sessionId } = info;
    expect(addresses).toEqual({
      '0.4': `/api/v2/sessions/${sessionId}/0.4.ome.zarr/0`,
      '0.5': `/api/v2/sessions/${sessionId}/0.5.ome.zarr/0`,
    });
    expect((await fetch(`${server.url}${addresses?.['0.4']}/.zgroup`)).headers.get('content-type')).toBe(
      'application/json',
    );
    const again = (await (
      await fetch(`${server.url}/api/v2/sessions/${sessionId}/acquisition`)
    ).json()) as OpenResponse;
    expect(again.zarr).toEqual(addresses);
  });

  it('shows what the open request says about the steps', async () => {
    const info = await open(SCAN, { calibration: { Y: { step: 0.5, unit: 'seconds' } } });
    const { ome } = (await readAttributes(storeOf(info, '0.5'), '0.5', '0')) as never as {
      ome: { multiscales: never[] };
    };
    const [{ axes, datasets }] = ome.multiscales as never as [{ axes: object[]; datasets: never[] }];
    expect(axes[3]).toEqual({ name: 'y', type: 'space', unit: 'second' });
    expect(datasets[0]).toEqual({
      path: '0',
      coordinateTransformations: [{ type: 'scale', scale: [1, 1, 1, 0.5, info.plane.axes[1]?.step] }],
    });
  });

  it('has display ranges of the middle plane, computed when they are asked for', async () => {
    const samples = Float32Array.from({ length: 120 }, (_, i) => i / 10 - 3);
    const path = writeTemp(folder, 'float.tif', writeTiff({ pages: [{ width: 12, height: 10, samples }] }));
    const info = await open(path);
    const head = () => fetch(`${rootOf(info, '0.4')}/0/.zattrs`, { method: 'HEAD' });
    expect((await head()).headers.get('content-length')).toBeNull();
    const text = await (await fetch(`${rootOf(info, '0.4')}/0/.zattrs`)).text();
    const [channel] = JSON.parse(text).omero.channels;
    expect(channel.window).toEqual({ min: samples[0], max: samples[119], start: samples[0], end: samples[119] });
    expect(Number((await head()).headers.get('content-length'))).toBe(Buffer.byteLength(text));
    const metadata = JSON.parse(await (await fetch(`${rootOf(info, '0.4')}/.zmetadata`)).text()).metadata;
    expect(metadata['0/.zattrs']).toEqual(JSON.parse(text));
  });

  it('answers HEAD like GET, and a range with 206', async () => {
    const info = await open(SCAN);
    for (const [key, type] of [
      ['0/0/0/0/0/1/0', 'application/octet-stream'],
      ['0/1/0/0/0/0/0', 'application/octet-stream'],
      ['0/reference/0/0/0/0/0/0', 'application/octet-stream'],
      ['0/0/.zarray', 'application/json'],
      ['OME/METADATA.ome.xml', 'application/xml'],
    ] as const) {
      const address = `${rootOf(info, '0.4')}/${key}`;
      const whole = await fetch(address);
      const bytes = Buffer.from(await whole.arrayBuffer());
      const head = await fetch(address, { method: 'HEAD' });
      for (const { status, headers } of [whole, head]) {
        expect([status, headers.get('content-type'), headers.get('content-length')]).toEqual([
          200,
          type,
          `${bytes.length}`,
        ]);
        expect([headers.get('cache-control'), headers.get('accept-ranges')]).toEqual(['no-store', 'bytes']);
      }
      const part = await fetch(address, { headers: { range: 'bytes=5-20' } });
      expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 5-20/${bytes.length}`]);
      expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(5, 21)), key).toBe(true);
      const outside = await fetch(address, { headers: { range: `bytes=${bytes.length}-` } });
      expect([outside.status, outside.headers.get('content-range')]).toEqual([416, `bytes */${bytes.length}`]);
    }
  });
});

describe('an OME-Zarr address without a value', () => {
  it('is 404 for a key that no tree of the session has', async () => {
    const { sessionId } = await open(STACK);
    for (const key of [
      ...['zarr.json', '0/0/zarr.json', '0/0/c/0/0/0/0/0', '', '0', '1/.zgroup', '0/.zarray'],
      ...['0/0/3/0/0/0/0', '0/0/0/0/0/1/0', '0/0/00/0/0/0/0', '0/0/-1/0/0/0/0', '0/0/0/0/0/0/0/'],
      ...['../../../../0/.zattrs', '0/../0/.zattrs', '0/%2e%2e/0/.zattrs', '%2e%2e%2f0', '0%00/.zattrs'],
      ...['1'.repeat(10_000), '0/'.repeat(5_000)],
    ]) {
      expect(await rawStatus(`/api/v2/sessions/${sessionId}/0.4.ome.zarr/${key}`), key.slice(0, 40)).toBe(404);
    }
  });

  it('says what to open instead', async () => {
    const info = await open(STACK);
    const response = await fetch(`${rootOf(info, '0.5')}/0`);
    expect(await response.json()).toEqual({
      ok: false,
      error: 'not_found',
      message:
        'The OME-Zarr 0.5 of this session does not have the key "0". Open the address of a scene, which is in `zarr` of ' +
        'the open response, with a program that reads OME-Zarr.',
      details: null,
    });
  });

  it.each(ZARR_VERSIONS)('makes zarrita throw after the session has ended (%s)', async (version) => {
    const info = await open(STACK);
    const store = storeOf(info, version);
    const location = zarr.root(store as zarr.AsyncReadable).resolve('0/0');
    const array = await zarr.open(location, { kind: 'array' });
    const { data } = await zarr.get(array, [0, 0, 0, null, null]);
    expect(data).toHaveLength(35);
    await endSession(info);
    await expect(zarr.get(array, [1, 0, 0, null, null])).rejects.toThrow(/409/);
    await expect(readArray(store, version, '0/0')).rejects.toThrow(/409/);
  });

  it('is 409 for a session that ended or never existed, whatever the key', async () => {
    const info = await open(STACK);
    await endSession(info);
    for (const key of ['0/.zattrs', '0/0/0/0/0/0/0', 'nothing']) {
      expect(await refusal(await fetch(`${rootOf(info, '0.4')}/${key}`))).toEqual([409, 'session_ended']);
      expect((await fetch(`${rootOf(info, '0.4')}/${key}`, { method: 'HEAD' })).status).toBe(409);
    }
    expect(await refusal(await fetch(`${server.url}/api/v2/sessions/x/0.5.ome.zarr/zarr.json`))).toEqual([
      409,
      'session_ended',
    ]);
  });

  it('is 409 when the file changed between two chunks', async () => {
    const path = writeTemp(folder, 'changing.czi', readFileSync(STACK));
    const info = await open(path);
    const chunk = (t: number) => fetch(`${rootOf(info, '0.5')}/0/0/c/${t}/0/0/0/0`);
    expect((await chunk(0)).status).toBe(200);
    writeFileSync(path, readFileSync(STACK));
    utimesSync(path, 1, 1);
    expect(await refusal(await chunk(1))).toEqual([409, 'source_changed']);
    // Not 404: readers would take it for zeros.
    rmSync(path);
    expect((await refusal(await chunk(2)))[0]).toBe(409);
  });

  it('is 413 when a plane can never fit in memory, and 503 or right when it cannot for now', async () => {
    const samples = Uint16Array.from({ length: 6 * 64 * 64 }, (_, i) => (i * 7_919) % 65_521);
    const pages = Array.from({ length: 6 }, (_, page) => ({
      ...{ width: 64, height: 64, samples: samples.slice(page * 64 * 64, (page + 1) * 64 * 64) },
      tags: page === 0 ? [{ code: 270, type: 2, text: 'ImageJ=1.53t\nimages=6\nframes=6\n' }] : [],
    }));
    const path = writeTemp(folder, 'frames.tif', writeTiff({ littleEndian: true, pages }));
    const planeBytes = 2 * 64 * 64;
    const readAll = async (memoryBudgetBytes: number) => {
      const small = await createServer({ port: 0, decodeWorkers: 1, stateDir: folder, memoryBudgetBytes });
      try {
        const { sessionId } = await openOk(small.url, { path, decode: 'later' });
        const root = `${small.url}/api/v2/sessions/${sessionId}/0.5.ome.zarr/0/0`;
        const array = await zarr.open.v3(new zarr.FetchStore(root) as never, { kind: 'array' });
        const answers = await Promise.all(
          Array.from({ length: 64 }, async (_, i) => {
            const response = await fetch(`${root}/c/${i % 6}/0/0/0/0`);
            return { t: i % 6, status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
          }),
        );
        const chunk = await zarr.get(array, [0, 0, 0, null, null]).catch((error: unknown) => error);
        return { answers, chunk };
      } finally {
        await small.close();
      }
    };
    const never = await readAll(planeBytes - 1);
    expect(new Set(never.answers.map(({ status }) => status))).toEqual(new Set([413]));
    expect(never.chunk).toBeInstanceOf(Error);
    const tight = await readAll(2 * planeBytes);
    for (const { t, status, bytes } of tight.answers) {
      if (status === 503) continue;
      expect(status).toBe(200);
      expect(bytes.equals(Buffer.from(samples.buffer, t * planeBytes, planeBytes))).toBe(true);
    }
    expect(tight.answers.some(({ status }) => status === 200)).toBe(true);
  });

  it('is 500 for a corrupted plane, and only for its chunks', async () => {
    const samples = Uint16Array.from({ length: 64 * 64 }, (_, i) => (i * 7_919) % 65_521);
    const page = { width: 64, height: 64, samples, compression: 8 };
    const bytes = writeTiff({ pages: [page] });
    const info = await open(writeTemp(folder, 'corrupted.tif', bytes.fill(0xff, bytes.length / 4, bytes.length / 2)));
    const address = `${rootOf(info, '0.4')}/0/0/0/0/0/0/0`;
    expect(await refusal(await fetch(address))).toEqual([500, 'decode_failed']);
    const head = await fetch(address, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(64 * 64 * 2)]);
    const [channel] = (
      (await (await fetch(`${rootOf(info, '0.4')}/0/.zattrs`)).json()) as never as {
        omero: { channels: { window: object }[] };
      }
    ).omero.channels;
    expect(channel?.window).toEqual({ min: 0, max: 65_535, start: 0, end: 65_535 });
  });
});
