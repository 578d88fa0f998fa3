import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient, type NativeSamples, type OpenedAcquisition } from '../../packages/client/src/index.js';
import { createServer, type RunningServer } from '../support/server.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { writeTiff } from '../writers/tiff.js';

const [ROWS, COLUMNS] = [50, 8];
const folder = tempFolder();
const plane = Float32Array.from({ length: ROWS * COLUMNS }, (_, i) => (i * 37) % 101);
const FILE = writeTemp(folder, 'scan.tif', writeTiff({ pages: [{ width: COLUMNS, height: ROWS, samples: plane }] }));
let server: RunningServer;
let scan: OpenedAcquisition;
beforeAll(async () => {
  server = await createServer({ port: 0, decodeWorkers: 1, stateDir: folder });
  scan = await createClient({ baseUrl: server.url }).open({ path: FILE });
});
afterAll(() => server.close());

describe('analysis with the client', () => {
  it('reads windows with their shape', async () => {
    const whole = await scan.window(0);
    expect(whole).toEqual({ shape: [ROWS, COLUMNS], samples: plane });
    const part = await scan.window(0, { rows: [10, 20], columns: [2, 8], every: [5, 3] });
    expect(part.shape).toEqual([2, 2]);
    expect([...part.samples]).toEqual([82, 85, 122, 125].map((i) => plane[i]));
  });

  it('reads windows in the type of the file', async () => {
    const samples = BigUint64Array.of(1n, 2n ** 64n - 1n);
    const path = writeTemp(folder, 'big.tif', writeTiff({ pages: [{ width: 2, height: 1, samples }] }));
    const big = await createClient({ baseUrl: server.url }).open({ path });
    expect(await big.nativeWindow(0)).toEqual({ shape: [1, 2], samples });
    expect(await scan.nativeWindow(0, { rows: [0, 1] })).toEqual({
      shape: [1, COLUMNS],
      samples: plane.slice(0, COLUMNS),
    });
  });

  it('reads whole planes in the type of the file, and shows them while they arrive', async () => {
    const samples = Int16Array.from({ length: 300 * 400 }, (_, i) => (i % 65_536) - 32_768);
    const path = writeTemp(folder, 'signed.tif', writeTiff({ pages: [{ width: 400, height: 300, samples }] }));
    const signed = await createClient({ baseUrl: server.url }).open({ path });
    const started: NativeSamples[] = [];
    const received: number[] = [];
    const data = await signed.nativePlane(0, {
      onStart: (array) => started.push(array),
      onProgress: (progress) => received.push(progress.received),
    });
    expect(Buffer.from(data.buffer).equals(Buffer.from(samples.buffer))).toBe(true);
    expect(started).toHaveLength(1);
    expect(started[0]).toBe(data);
    expect(received.at(-1)).toBe(2 * 300 * 400);
    await expect(signed.nativePlane(3)).rejects.toMatchObject({ code: 'channel_not_found' });
  });

  it('reads an overview, statistics, a profile and traces', async () => {
    const { shape, samples } = await scan.overview(0, { height: 1, width: 1, rows: [0, 10] });
    const part = [...plane.subarray(0, 80)];
    expect(shape).toEqual([3, 1, 1]);
    expect([...samples.subarray(0, 2)]).toEqual([Math.min(...part), Math.max(...part)]);
    const statistics = await scan.statistics(0, { percentiles: [0, 100], bins: 2, range: [0, 100] });
    expect(statistics.percentiles.map(({ value }) => value)).toEqual([statistics.min, statistics.max]);
    expect(statistics.histogram?.edges).toEqual([0, 50, 100]);
    expect((await scan.statistics(0)).histogram).toBeNull();
    const line = await scan.profile(0, {
      points: [
        [3, 0],
        [3, 7],
      ],
    });
    expect(line.values).toEqual([...plane.subarray(24, 32)]);
    const arrays = await scan.profileArrays(0, {
      points: [
        [3, 0],
        [3, 8],
      ],
    });
    expect([...arrays.values]).toEqual([...plane.subarray(24, 32), Number.NaN]);
    expect([...arrays.columns]).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect([...arrays.rows]).toEqual(new Array(9).fill(3));
    expect([...arrays.distance]).toEqual([...arrays.columns]);
    const traces = await scan.traces(0, { along: 'Y', regions: [{ columns: [1, 2] }], every: 50, statistic: 'max' });
    expect(traces.shape).toEqual([1, 1]);
    expect(traces.samples[0]).toBe(Math.max(...plane.filter((_, i) => i % COLUMNS === 1)));
  });

  it('explains what is refused', async () => {
    await expect(scan.window(0, { rows: [0, 51] })).rejects.toMatchObject({ code: 'region_out_of_range', status: 422 });
    await expect(scan.statistics(3)).rejects.toMatchObject({ code: 'channel_not_found' });
    await expect(scan.overview(0, {}, { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('opens the file again when the session has ended', async () => {
    const before = scan.info.sessionId;
    await fetch(`${server.url}/api/v2/sessions/${before}`, { method: 'DELETE' });
    expect((await scan.statistics(0)).samples).toBe(ROWS * COLUMNS);
    expect(scan.info.sessionId).not.toBe(before);
  });
});
