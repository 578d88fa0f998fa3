/** The thread of the first decode worker, started before the pool that uses it. */
import { resolve } from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startEarlyThread } from '../../packages/server/src/decode/early-thread.js';
import { DecodePool } from '../../packages/server/src/decode/pool.js';

const PLAIN = resolve('packages/server/warm-up/plain.tif');
/** Threads that were started, in order. */
const started: Worker[] = [];
const note = (worker: Worker) => started.push(worker);
const pools: DecodePool[] = [];

beforeEach(() => {
  started.length = 0;
  process.on('worker', note);
});
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
  process.off('worker', note);
});

function createPool(options: { heapMegabytes?: number } = {}) {
  const pool = new DecodePool({ workers: 1, queue: 8, ...options });
  pools.push(pool);
  return pool;
}

/** Opens a file with the worker of the pool. */
const open = (pool: DecodePool) =>
  pool.lease({ label: 'plain.tif', signal: new AbortController().signal }, (lease) =>
    lease.open({ located: { path: PLAIN }, selection: undefined, allowedExtensions: ['.tif'] }),
  );

describe('a thread that was started early', () => {
  it.each([0, 500])('is the first worker of a pool that comes %i ms later', async (milliseconds) => {
    startEarlyThread(2);
    await setTimeout(milliseconds);
    const pool = createPool();
    await pool.ready();
    const { view } = await open(pool);
    expect(view.scene.sizes.X).toBeGreaterThan(0);
    expect(started.length).toBe(1);
  });

  it('is taken once', async () => {
    startEarlyThread(2);
    startEarlyThread(2);
    await setImmediate();
    expect(started.length).toBe(1);
    const [first, second] = [createPool(), createPool()];
    await Promise.all([open(first), open(second)]);
    expect(started.length).toBe(2);
  });

  it('is not taken by a pool whose workers are others', async () => {
    startEarlyThread(2);
    await createPool({ heapMegabytes: 256 }).ready();
    expect(started.length).toBe(2);
    await createPool().ready();
    expect(started.length).toBe(2);
  });

  it('is replaced when it has ended by then', async () => {
    startEarlyThread(2);
    await setImmediate();
    await started[0]!.terminate();
    await open(createPool());
    expect(started.length).toBe(2);
  });

  it('ends with the pool', async () => {
    startEarlyThread(2);
    const pool = createPool();
    await setImmediate();
    const hasEnded = vi.fn();
    started[0]!.on('exit', hasEnded);
    await pool.close();
    expect(hasEnded).toHaveBeenCalledOnce();
  });
});

it('a single core has no thread to spare', async () => {
  startEarlyThread(1);
  await setImmediate();
  expect(started).toEqual([]);
});

describe('the warm-up of a worker', () => {
  it('stops while clients are at work, and goes on when they have gone', { timeout: 60_000 }, async () => {
    const pool = createPool();
    await pool.ready();
    const [worker] = started;
    const shareAtWork = async (milliseconds: number) => {
      const before = worker!.performance.eventLoopUtilization();
      await setTimeout(milliseconds);
      return worker!.performance.eventLoopUtilization(before).utilization;
    };
    await vi.waitFor(async () => expect(await shareAtWork(100)).toBeGreaterThan(0.3), 20_000);
    const noting = setInterval(() => pool.noteClient(), 20);
    await vi.waitFor(async () => expect(await shareAtWork(400)).toBeLessThan(0.2), 20_000);
    // Longer than the rest between the two parts of the warm-up.
    for (let i = 0; i < 9; i++) expect(await shareAtWork(500)).toBeLessThan(0.5);
    clearInterval(noting);
    await vi.waitFor(async () => expect(await shareAtWork(100)).toBeGreaterThan(0.3), 20_000);
  });
});
