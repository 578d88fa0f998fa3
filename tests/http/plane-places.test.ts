/** Planes of one session at other time points and sections, on a real server. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Statistics } from '../../packages/client/src/contract/analysis.js';
import type { OpenResponse } from '../../packages/client/src/contract/open.js';
import { createClient } from '../../packages/client/src/index.js';
import { frames, lineScan } from '../support/oif.js';
import { openOk } from '../support/open.js';
import { createServer, type RunningServer } from '../support/server.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { countingPage } from '../support/tiff-cases.js';
import { writeOib, writeOif } from '../writers/oif.js';
import { writeTiff } from '../writers/tiff.js';

/** Planes of 3 × 5 samples. */
const value = (c: number, t: number, z: number) => (_: unknown, i: number) => 1000 * c + 100 * t + 20 * z + i;
const plane = (c: number, t: number, z: number) => Array.from({ length: 15 }, value(c, t, z));

const folder = tempFolder();
/** Two channels, two times, three sections: each plane is in a file of its own. */
const FRAMES = writeOif(join(folder, 'frames'), frames());
const LINES = writeTemp(folder, 'lines.oib', writeOib(lineScan()));

let server: RunningServer;
beforeAll(async () => {
  server = await createServer({ port: 0, decodeWorkers: 1, stateDir: folder });
});
afterAll(() => server.close());

async function channelOf(path: string, more: object = {}): Promise<string> {
  const { channels } = await openOk(server.url, { path, ...more });
  return server.url + channels[0]!.dataUrl.replace(/\/data$/, '');
}

async function read(address: string): Promise<number[]> {
  const response = await fetch(address);
  expect(response.status, await response.clone().text()).toBe(200);
  return [...new Float32Array(await response.arrayBuffer())];
}

async function refused(response: Response): Promise<[status: number, error: string, message: string]> {
  const { error, message } = (await response.json()) as { error: string; message: string };
  return [response.status, error, message];
}

const post = (address: string, body: object) =>
  fetch(address, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

describe('a plane of a session', () => {
  it('can be at any time point and section; the opened one without them', async () => {
    const channel = await channelOf(FRAMES, { channelIndices: [1], selection: { T: 1, Z: 1 } });
    expect(await read(`${channel}/data`)).toEqual(plane(1, 1, 1));
    for (const t of [0, 1]) {
      for (const z of [0, 1, 2]) expect(await read(`${channel}/data?T=${t}&Z=${z}`)).toEqual(plane(1, t, z));
    }
    expect(await read(`${channel}/data?T=0`)).toEqual(plane(1, 0, 1));
    expect(await read(`${channel}/data?Z=2`)).toEqual(plane(1, 1, 2));
  });

  it('has the headers of the opened one, also for HEAD and Range', async () => {
    const channel = await channelOf(FRAMES);
    const head = await fetch(`${channel}/data?T=1`, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '60']);
    const part = await fetch(`${channel}/data?T=1&Z=2`, { headers: { range: 'bytes=8-15' } });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 8-15/60']);
    expect([...new Float32Array(await part.arrayBuffer())]).toEqual([142, 143]);
  });

  it.each(['T=2', 'Z=3', 'T=0&Z=7'])('with %s is refused, and the message says what the file has', async (query) => {
    const channel = await channelOf(FRAMES);
    for (const method of ['GET', 'HEAD']) {
      const response = await fetch(`${channel}/data?${query}`, { method });
      expect(response.status).toBe(422);
      if (method === 'HEAD') continue;
      const [, error, message] = await refused(response);
      expect(error).toBe('selection_out_of_range');
      expect(message).toMatch(/the file has [TZ] 0 to [12]\.$/);
    }
  });

  it('of a file without times and sections takes neither', async () => {
    const channel = await channelOf(LINES);
    for (const query of ['T=0', 'Z=0']) {
      const [status, error, message] = await refused(await fetch(`${channel}/data?${query}`));
      expect([status, error]).toEqual([422, 'selection_out_of_range']);
      expect(message).toContain('has no dimension');
    }
  });

  it.each(['T=-1', 'T=1.5', 'T=x', 'T=', 'T=0&T=1', 't=1', 'S=0', `T=${'9'.repeat(40)}`])(
    'refuses the query %s',
    async (query) => {
      const channel = await channelOf(FRAMES);
      expect((await refused(await fetch(`${channel}/data?${query}`))).slice(0, 2)).toEqual([
        422,
        'request_validation_failed',
      ]);
    },
  );

  it('is decoded again when it was dropped from memory', async () => {
    const small = await createServer({ port: 0, decodeWorkers: 1, stateDir: folder, memoryBudgetBytes: 8_000 });
    try {
      const { channels } = await openOk(small.url, { path: FRAMES });
      const address = small.url + channels[0]!.dataUrl;
      for (let round = 0; round < 40; round++) {
        const [t, z] = [round % 2, round % 3];
        expect(await read(`${address}?T=${t}&Z=${z}`)).toEqual(plane(0, t, z));
      }
    } finally {
      await small.close();
    }
  });

  it('is refused when a file changed after it was first read', async () => {
    const path = writeOif(join(folder, 'changing'), frames());
    const small = await createServer({ port: 0, decodeWorkers: 1, stateDir: folder, memoryBudgetBytes: 300 });
    try {
      const { channels } = await openOk(small.url, { path, channelIndices: [0] });
      const address = small.url + channels[0]!.dataUrl;
      expect(await read(`${address}?T=1&Z=1`)).toEqual(plane(0, 1, 1));
      writeFileSync(join(`${path}.files`, 's_C001Z002T002.tif'), new Uint8Array(10));
      // Still in memory; the others would be of another state of the acquisition.
      expect(await read(`${address}?T=1&Z=1`)).toEqual(plane(0, 1, 1));
      const [status, error, message] = await refused(await fetch(`${address}?T=0&Z=2`));
      expect([status, error]).toEqual([409, 'source_changed']);
      expect(message).toContain('s_C001Z002T002.tif');
    } finally {
      await small.close();
    }
  });
});

describe('analysis of other planes', () => {
  it('takes the same T and Z', async () => {
    const channel = await channelOf(FRAMES);
    expect(await read(`${channel}/window?T=1&Z=2&rows=1:2&columns=2:4`)).toEqual([147, 148]);
    const statistics = (await (await fetch(`${channel}/statistics?T=1&Z=2`)).json()) as Statistics;
    expect([statistics.min, statistics.max]).toEqual([140, 154]);
    expect((await read(`${channel}/overview?T=1&height=1&width=1`)).slice(0, 2)).toEqual([100, 114]);
    const profile = await post(`${channel}/profile?Z=1`, {
      points: [
        [0, 0],
        [0, 2],
      ],
    });
    expect(((await profile.json()) as { values: number[] }).values).toEqual([20, 21, 22]);
    expect((await refused(await fetch(`${channel}/statistics?T=5`))).slice(0, 2)).toEqual([
      422,
      'selection_out_of_range',
    ]);
  });

  it('follows regions along time points and sections', async () => {
    const channel = await channelOf(FRAMES);
    const regions = [{ rows: [0, 1], columns: [0, 2] }, {}];
    const along = async (axis: string, query = '', more = {}) => {
      const response = await post(`${channel}/traces${query}`, { along: axis, regions, ...more });
      expect(response.status, await response.clone().text()).toBe(200);
      return [response.headers.get('x-array-shape'), [...new Float32Array(await response.arrayBuffer())]];
    };
    expect(await along('T')).toEqual(['2,2', [0.5, 100.5, 7, 107]]);
    expect(await along('Z', '?T=1', { statistic: 'max' })).toEqual(['2,3', [101, 121, 141, 114, 134, 154]]);
    expect(await along('Z', '', { every: 2 })).toEqual(['2,2', [10.5, 40.5, 17, 47]]);
  });

  it('listens for the end of the request once, however many planes it reads', async () => {
    const pages = Array.from({ length: 20 }, (_, i) => countingPage(i));
    const channel = await channelOf(writeTemp(folder, 'long.tif', writeTiff({ pages })));
    const warnings: string[] = [];
    const note = (warning: Error) => warnings.push(warning.name);
    process.on('warning', note);
    const statuses = await Promise.all(
      ['T', 'Z'].map(async (along) => (await post(`${channel}/traces`, { along, regions: [{}] })).status),
    );
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', note);
    // The pages are one of the two.
    expect(statuses.sort()).toEqual([200, 422]);
    expect(warnings).toEqual([]);
  });

  it('refuses a dimension that the file does not have, and rows along the rows', async () => {
    const channel = await channelOf(LINES);
    const send = async (body: object) => (await refused(await post(`${channel}/traces`, body))).slice(0, 2);
    expect(await send({ along: 'T', regions: [{}] })).toEqual([422, 'selection_out_of_range']);
    expect(await send({ along: 'Y', regions: [{ rows: [0, 1] }] })).toEqual([422, 'region_out_of_range']);
  });
});

describe('the client', () => {
  it('reads planes and analysis at other places', async () => {
    const stack = await createClient({ baseUrl: server.url }).open({ path: FRAMES });
    expect([...(await stack.plane(1, { t: 1, z: 2 }))]).toEqual(plane(1, 1, 2));
    expect([...(await stack.plane(1))]).toEqual(plane(1, 0, 0));
    expect((await stack.statistics(0, { t: 1 })).min).toBe(100);
    expect(
      (
        await stack.profile(0, {
          z: 2,
          points: [
            [0, 0],
            [0, 1],
          ],
        })
      ).values,
    ).toEqual([40, 41]);
    const { shape, samples } = await stack.traces(0, { along: 'Z', t: 1, regions: [{}], statistic: 'min' });
    expect([shape, [...samples]]).toEqual([
      [1, 3],
      [100, 120, 140],
    ]);
    await expect(stack.plane(0, { t: 9 })).rejects.toMatchObject({ code: 'selection_out_of_range' });
    const info: OpenResponse = stack.info;
    expect(info.header.sizes).toMatchObject({ T: 2, Z: 3 });
  });
});
