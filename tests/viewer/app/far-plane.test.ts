/** What the page gets of a plane that stays on the server, against the same from its samples. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createClient, type OpenedAcquisition } from '../../../packages/client/src/index.js';
import { profileAt, profileOver } from '../../../packages/viewer/src/analysis/profile.ts';
import { regionStats } from '../../../packages/viewer/src/analysis/region-stats.ts';
import { countStats } from '../../../packages/viewer/src/analysis/stats.ts';
import { openFarPlane } from '../../../packages/viewer/src/app/far-plane.ts';
import type { FarPlane } from '../../../packages/viewer/src/model/far-plane.ts';
import type { Samples } from '../../../packages/viewer/src/model/samples.ts';
import { isCells } from '../../../packages/viewer/src/render/cells.ts';
import { createServer, type RunningServer } from '../../support/server.js';
import { tempFolder, writeTemp } from '../../support/temp.js';
import { writeTiff } from '../../writers/tiff.js';

const SHAPE = [9000, 600] as const;
const LENGTH = SHAPE[0] * SHAPE[1];
const REGION = { rows: [100, 900], columns: [7, 40] } as const;
/** The machine may be busy. */
const WAIT = { timeout: 30_000 };
const folder = tempFolder();
const never = new AbortController().signal;

let server: RunningServer;
/** Requests for parts of planes. */
const asked: string[] = [];
beforeAll(async () => {
  server = await createServer({ port: 0, decodeWorkers: 1, stateDir: folder });
});
afterAll(() => server.close());

const kinds: [string, Samples][] = [
  ['int16', Int16Array.from({ length: LENGTH }, (_, i) => ((i * 7919) % 3001) - 1000)],
  ['float32', Float32Array.from({ length: LENGTH }, (_, i) => ((i * 7919) % 3001) / 7 - 100)],
];

async function open(name: string, samples: Samples): Promise<{ scan: OpenedAcquisition; far: FarPlane }> {
  const path = writeTemp(folder, `${name}.tif`, writeTiff({ pages: [{ width: SHAPE[1], height: SHAPE[0], samples }] }));
  const client = createClient({
    baseUrl: server.url,
    fetch: (input, init) => {
      asked.push(String(input).replace(/.*\/channels\/0\//, ''));
      return fetch(input, init);
    },
  });
  const scan = await client.open({ path });
  return { scan, far: await openFarPlane(scan, { kind: 'source', channel: 0 }, SHAPE, never) };
}

describe.each(kinds)('a far plane of %s', (name, samples) => {
  let far: FarPlane;
  let scan: OpenedAcquisition;
  beforeAll(async () => {
    ({ far, scan } = await open(name, samples));
  });
  afterAll(() => scan.close());
  afterEach(() => {
    asked.length = 0;
  });

  it('has an overview of every sample, and asks for nothing else', () => {
    const [base] = far.parts.value;
    expect(base).toMatchObject({ rows: [0, SHAPE[0]], columns: [0, SHAPE[1]] });
    if (!base || !isCells(base.data)) throw new Error('no cells');
    expect(base.shape[0] * base.shape[1]).toBeLessThanOrEqual(1 << 20);
    expect([Math.min(...base.data.low.subarray(0, 99_999)), base.data.count[0]]).toEqual([
      Math.min(...samples.subarray(0, 99_999)),
      Math.round(LENGTH / base.data.low.length),
    ]);
    expect(asked.filter((one) => /window|data/.test(one))).toEqual([]);
  });

  it('has the statistics of all samples', async () => {
    const [stats, expected] = [await far.stats(never), await countStats(samples)];
    const { count, nonFinite, min, max } = expected;
    expect(stats).toMatchObject({ count, nonFinite, min, max });
    expect(stats.mean).toBeCloseTo(expected.mean, 8);
    expect(stats.standardDeviation).toBeCloseTo(expected.standardDeviation, 8);
    expect(stats.bins.reduce((sum, n) => sum + n, 0)).toBe(count);
    // One bin of the server's histogram.
    const bin = name === 'int16' ? 0 : (max - min) / 8192;
    for (const share of [0.0035, 0.5, 0.9965, 1]) {
      expect(Math.abs(stats.percentile(share) - expected.percentile(share))).toBeLessThanOrEqual(bin);
    }
    if (name === 'int16') expect(stats.countAbove(3)).toBe(expected.countAbove(3));
  });

  it('has profiles and statistics of regions, and whole lines', async () => {
    const region = await far.regionStats(REGION, never);
    const near = await regionStats(samples, SHAPE, REGION);
    expect([region.n, region.min, region.max, region.median]).toEqual([near.n, near.min, near.max, near.median]);
    expect([region.mean, region.sd, region.sum / near.sum].map((value) => value.toPrecision(9))).toEqual(
      [near.mean, near.sd, 1].map((value) => value.toPrecision(9)),
    );
    for (const along of ['row', 'column'] as const) {
      const profile = await far.profile(REGION, along, never);
      const expected = await profileOver(samples, SHAPE, REGION, along);
      expect([profile.first, [...profile.min], [...profile.max]]).toEqual([
        expected.first,
        [...expected.min],
        [...expected.max],
      ]);
      // The server sends means as float32.
      const errors = profile.mean.map((mean, i) => Math.abs(mean / expected.mean[i]! - 1));
      expect(Math.max(...errors)).toBeLessThan(2e-7);
      expect([...(await far.line(along, 33, never))]).toEqual([...profileAt(samples, SHAPE, along, 33)]);
    }
  });

  it('fetches samples when few are looked at, once, and keeps a few parts', async () => {
    const look = (row: number) => far.look({ rows: [row, row + 200], columns: [0, 600] }, { rows: 1000, columns: 600 });
    look(4000);
    await expect.poll(() => far.exact.value, WAIT).toBe(true);
    expect(far.sampleAt(4123, 45)).toBe(samples[4123 * 600 + 45]);
    look(4010);
    look(3990);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatch(name === 'int16' ? /^window\?rows=.*type=native/ : /^window\?rows=/);
    for (const row of [0, 1000, 2000, 5000, 6000, 7000, 8000]) {
      look(row);
      await expect.poll(() => isCells(far.best({ rows: [row, row + 200], columns: [0, 600] }).data), WAIT).toBe(false);
    }
    expect(far.parts.value.length).toBe(5);
  });

  it('reads a single sample where it has only an overview', async () => {
    const at = [8999, 599] as const;
    await expect.poll(() => far.sampleAt(...at), WAIT).toBe(samples.at(-1));
  });
});
