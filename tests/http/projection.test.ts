/** Sessions that are projections along a dimension, on a real server. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Statistics } from '../../packages/client/src/contract/analysis.js';
import { createClient } from '../../packages/client/src/index.js';
import { frames } from '../support/oif.js';
import { openOk, postOpen } from '../support/open.js';
import { createServer, type RunningServer } from '../support/server.js';
import { tempFolder } from '../support/temp.js';
import { writeOif } from '../writers/oif.js';

const folder = tempFolder();
/** Two channels, two times, three sections of 3 × 5 samples: 1000·c + 100·t + 20·z + i. */
const FRAMES = writeOif(join(folder, 'frames'), frames());
const plane = (start: number) => Array.from({ length: 15 }, (_, i) => start + i);
let server: RunningServer;
beforeAll(async () => {
  server = await createServer({ port: 0, decodeWorkers: 2, stateDir: folder });
});
afterAll(() => server.close());

async function read(address: string): Promise<number[]> {
  const response = await fetch(server.url + address);
  expect(response.status, await response.clone().text()).toBe(200);
  return [...new Float32Array(await response.arrayBuffer())];
}

async function refused(address: string): Promise<[status: number, error: string, message: string]> {
  const response = await fetch(server.url + address);
  const { error, message } = (await response.json()) as { error: string; message: string };
  return [response.status, error, message];
}

describe('a projection', () => {
  it.each(['now', 'later'] as const)('has the samples of all planes, decoded %s', async (decode) => {
    const { channels, selection, projection, header } = await openOk(server.url, {
      path: FRAMES,
      projection: { Z: 'max' },
      decode,
    });
    expect([selection, projection, header.sizes['Z']]).toEqual([{ T: 0 }, { Z: 'max' }, 3]);
    expect(await read(channels[0]!.dataUrl)).toEqual(plane(40));
    expect(await read(channels[1]!.dataUrl)).toEqual(plane(1040));
    expect(await read(`${channels[1]!.dataUrl}?T=1`)).toEqual(plane(1140));
  });

  it('can be the mean along time, in a section', async () => {
    const choice = { path: FRAMES, projection: { T: 'mean' as const }, selection: { Z: 1 }, channelIndices: [1] };
    const { channels, selection } = await openOk(server.url, choice);
    expect(selection).toEqual({ Z: 1 });
    expect(await read(channels[0]!.dataUrl)).toEqual(plane(1070));
    expect(await read(`${channels[0]!.dataUrl}?Z=2`)).toEqual(plane(1090));
  });

  it('has means between the numbers of the file, also when its planes are kept as integers', async () => {
    const { planes } = frames();
    // One more in all of the second time point.
    const odd = planes.map((each) => ({
      ...each,
      value: (y: number, x: number) => each.value(y, x) + (each.id.endsWith('T002') ? 1 : 0),
    }));
    const path = writeOif(join(folder, 'odd'), frames({ planes: odd }));
    const mean = await openOk(server.url, { path, projection: { T: 'mean' } });
    expect(await read(mean.channels[0]!.dataUrl)).toEqual(plane(50.5));
    const max = await openOk(server.url, { path, projection: { T: 'max' }, decode: 'later' });
    expect(await read(max.channels[0]!.dataUrl)).toEqual(plane(101));
  });

  it('is what analysis is about', async () => {
    const { sessionId } = await openOk(server.url, { path: FRAMES, projection: { Z: 'max' } });
    const base = `${server.url}/api/v2/sessions/${sessionId}/channels/0`;
    const statistics = (await (await fetch(`${base}/statistics`)).json()) as Statistics;
    expect([statistics.min, statistics.max]).toEqual([40, 54]);
    const response = await fetch(`${base}/traces`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ along: 'T', regions: [{}], statistic: 'max' }),
    });
    expect([...new Float32Array(await response.arrayBuffer())]).toEqual([54, 154]);
  });

  it('has no place along its dimension', async () => {
    const { channels } = await openOk(server.url, { path: FRAMES, projection: { Z: 'max' } });
    expect(await refused(`${channels[0]!.dataUrl}?Z=1`)).toEqual([
      422,
      'selection_out_of_range',
      '`Z=1`: the session is a projection along Z.',
    ]);
    const native = await refused(channels[0]!.dataUrl.replace(/data$/, 'window?type=native'));
    expect(native.slice(0, 2)).toEqual([422, 'request_validation_failed']);
    const response = await fetch(`${server.url}${channels[0]!.dataUrl.replace(/data$/, 'traces')}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ along: 'Z', regions: [{}] }),
    });
    expect([response.status, await response.json()]).toMatchObject([422, { error: 'selection_out_of_range' }]);
  });

  it.each([
    [{ projection: {} }, 'request_validation_failed'],
    [{ projection: { Z: 'max', T: 'max' } }, 'request_validation_failed'],
    [{ projection: { Z: 'min' } }, 'request_validation_failed'],
    [{ projection: { Y: 'max' } }, 'request_validation_failed'],
    [{ projection: { Z: 'max' }, selection: { Z: 1 } }, 'request_validation_failed'],
    [{ projection: { T: 'max' }, selection: { S: 1 } }, 'selection_out_of_range'],
  ])('is refused: %j', async (more, code) => {
    const [status, { error }] = await postOpen(server.url, { path: FRAMES, ...more });
    expect([status, error]).toEqual([422, code]);
  });

  it('is opened again by the client when its session has ended', async () => {
    const opened = await createClient({ baseUrl: server.url }).open({ path: FRAMES, projection: { Z: 'mean' } });
    await fetch(`${server.url}/api/v2/sessions/${opened.info.sessionId}`, { method: 'DELETE' });
    expect([...(await opened.plane(0))]).toEqual(plane(20));
  });
});
