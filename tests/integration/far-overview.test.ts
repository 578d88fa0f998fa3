/** Overviews of planes that are not in memory: which of them read the file. */
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { OverviewGrid } from '../../packages/readers/src/derive/analysis/overview.js';
import { DecodePool } from '../../packages/server/src/decode/pool.js';
import type { DecodeLease, Decoder } from '../../packages/server/src/decode/types.js';
import type { PinnedPlane } from '../../packages/server/src/planes/plane-memory.js';
import { Overviews } from '../../packages/server/src/sessions/overviews.js';
import { SessionService } from '../../packages/server/src/sessions/service.js';
import { directGate } from '../support/gate.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { writeTiff } from '../writers/tiff.js';

const [ROWS, COLUMNS] = [70_000, 256];
const folder = tempFolder();
const samples = new Uint16Array(ROWS * COLUMNS).map((_, i) => (i * 31) & 1023);
samples[54_321 * COLUMNS + 17] = 65_000;
const path = join(folder, 'far.tif');
writeTemp(folder, 'far.tif', writeTiff({ pages: [{ width: COLUMNS, height: ROWS, samples }] }));

let reads = 0;
const counting = (decoder: Decoder): Decoder => {
  const counted = (lease: DecodeLease): DecodeLease => ({
    ...lease,
    get opened() {
      return lease.opened;
    },
    overview: (request, grid) => {
      reads += grid.cells?.count ?? grid.height;
      return lease.overview(request, grid);
    },
  });
  return {
    ready: () => decoder.ready(),
    letGo: (keep) => decoder.letGo(keep),
    close: () => decoder.close(),
    lease: (options, work) => decoder.lease(options, (lease) => work(counted(lease))),
    tryLease: (options, work) => decoder.tryLease(options, (lease) => work(counted(lease))),
  };
};
const sessions = new SessionService({
  decoder: counting(new DecodePool({ workers: 2, queue: 64, coldStart: true })),
  gate: directGate(),
  roots: [],
  allowedExtensions: ['.tif'],
  sessionTtlSeconds: 600,
  maxSessionTtlSeconds: 86_400,
  maxSessions: 64,
  memoryBudgetBytes: 2 ** 30,
  maxPlaneBytes: 2 ** 30,
  openTimeoutSeconds: 60,
});
const overviews = new Overviews(sessions);
afterAll(() => sessions.close());

const WHOLE: OverviewGrid = {
  window: { firstRow: 0, endRow: ROWS, firstColumn: 0, endColumn: COLUMNS },
  height: 100,
  width: 64,
};

async function open(): Promise<string> {
  const { sessionId } = await sessions.open({ path, picked: false, options: { decode: 'later' } });
  return sessionId;
}

function overview(sessionId: string, grid = WHOLE): Promise<PinnedPlane | undefined> {
  return overviews.far({ sessionId, kind: 'channel', channelIndex: 0 }, grid);
}

/** Returns the rows of cells that were read from the file meanwhile. */
async function readsOf(work: () => Promise<unknown>): Promise<number> {
  const before = reads;
  await work();
  return reads - before;
}

it('reads the file once for all clients that see a whole plane', async () => {
  const [first, second] = [await open(), await open()];
  const both = async () => {
    for (const plane of await Promise.all([overview(first), overview(second)])) plane!.release();
  };
  expect(await readsOf(both)).toBe(WHOLE.height);
  const kept = (await overview(second))!;
  expect(kept.data).toMatchObject({ rows: 300, columns: 64 });
  const cells = kept.data.segments.flatMap(({ samples: part }) => [...(part as Float32Array)]);
  expect(Math.max(...cells.slice(6400, 12_800))).toBe(65_000);
  expect(cells[6400 + 77 * 64 + 4]).toBe(65_000);
  kept.release();
  // Also when the plane itself has come, for its statistics.
  (await sessions.read({ sessionId: first, kind: 'channel', channelIndex: 0 }, 'served')).release();
  expect(await readsOf(async () => (await overview(second))!.release())).toBe(0);
  // For as long as a session is open.
  await sessions.delete(first);
  expect(await readsOf(async () => (await overview(second))!.release())).toBe(0);
  await sessions.delete(second);
  const third = await open();
  expect(await readsOf(async () => (await overview(third))!.release())).toBe(WHOLE.height);
  await sessions.delete(third);
});

it('reads a part of a plane again, and a file that has changed', async () => {
  const first = await open();
  (await overview(first))!.release();
  const part = { ...WHOLE, window: { ...WHOLE.window, firstRow: 30_000 }, height: 50 };
  expect(await readsOf(() => overview(first, part))).toBe(50);
  expect(await readsOf(() => overview(first, part))).toBe(50);
  expect(await readsOf(() => overview(first, { ...WHOLE, height: 80 }))).toBe(80);
  utimesSync(path, new Date(), new Date(Date.now() + 60_000));
  const second = await open();
  expect(await readsOf(async () => (await overview(second))!.release())).toBe(WHOLE.height);
});
