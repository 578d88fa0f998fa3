import { afterEach, describe, expect, it, vi } from 'vitest';
import { DecodePool } from '../../packages/server/src/decode/pool.js';
import { packagedWorker } from '../../packages/server/src/package-files.js';
import { PlaneArena } from '../../packages/server/src/planes/plane-memory.js';
import { SessionService } from '../../packages/server/src/sessions/service.js';
import type { SessionServiceOptions } from '../../packages/server/src/sessions/service-options.js';
import { directGate } from '../support/gate.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { writeTiff } from '../writers/tiff.js';

const MIB = 2 ** 20;
const REST_AFTER_MS = 50;
/** For what comes, on a busy machine. */
const WAIT_MS = 15_000;
/** Several times as long: a rest that should not come would have come. */
const LONGER_MS = 300;

const folder = tempFolder();
const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** 600 × 500 samples of 16 bits: more than the smallest piece of memory that is kept. */
function tiff(name: string): string {
  const samples = [Uint16Array.from({ length: 300_000 }, (_, i) => i % 1000)];
  return writeTemp(folder, name, writeTiff({ pages: [{ width: 600, height: 500, samples }] }));
}

function start(options: Partial<SessionServiceOptions>) {
  const decoder = new DecodePool({ workers: 2, queue: 8, coldStart: true });
  const sessions = new SessionService({
    decoder,
    gate: directGate(),
    roots: [],
    allowedExtensions: ['.tif'],
    sessionTtlSeconds: 600,
    maxSessionTtlSeconds: 86_400,
    maxSessions: 64,
    memoryBudgetBytes: 2 ** 30,
    maxPlaneBytes: 2 ** 30,
    openTimeoutSeconds: 60,
    restAfterMs: { grown: REST_AFTER_MS, always: WAIT_MS * 4 },
    residentBytes: growing(),
    ...options,
  });
  ends.push(() => sessions.close());
  const open = async (path: string, more: { isWarmUp?: boolean } = {}) => {
    const opened = await sessions.open({ path, options: {}, picked: false, ...more });
    return () => sessions.delete(opened.sessionId);
  };
  return { open, close: () => sessions.close() };
}

/** The memory of a process that has always grown enough for a rest. */
function growing(): () => number {
  let bytes = 0;
  return () => (bytes += 2 ** 30);
}

/** A step of a rest that is counted. */
function counted() {
  return vi.fn(async () => {});
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

describe('when the last session has ended', () => {
  it('the memory of planes and of threads goes back, once', async () => {
    // By this clock no memory is ever old enough to be given back otherwise.
    const arena = new PlaneArena(2 ** 30, { now: () => 0, keptBytes: 0 });
    const step = counted();
    const { open } = start({ arena, rest: [step] });
    const close = await open(tiff('last.tif'));
    expect(arena.state.outBytes).toBeGreaterThan(0);
    await close();
    expect(arena.state.freeBytes).toBeGreaterThan(0);
    await vi.waitFor(() => expect([arena.state.freeBytes, step.mock.calls.length]).toEqual([0, 1]), WAIT_MS);
    await pause(LONGER_MS);
    expect(step).toHaveBeenCalledTimes(1);
  });

  it('but not while another one is open', async () => {
    const step = counted();
    const { open } = start({ rest: [step] });
    const path = tiff('another.tif');
    const [first, second] = [await open(path), await open(path)];
    await first();
    await pause(LONGER_MS);
    expect(step).not.toHaveBeenCalled();
    await second();
    await vi.waitFor(() => expect(step).toHaveBeenCalledTimes(1), WAIT_MS);
  });

  it('threads collect nothing again until the process has grown', async () => {
    const step = counted();
    let resident = 200 * MIB;
    const arena = new PlaneArena(2 ** 30, { keptBytes: 64 * MIB });
    // Free memory of planes goes back by itself.
    const { open } = start({ arena, rest: [step], residentBytes: () => resident + arena.state.freeBytes });
    const path = tiff('grown.tif');
    const visit = async () => (await open(path))();
    await visit();
    await vi.waitFor(() => expect(step).toHaveBeenCalledTimes(1), WAIT_MS);
    resident += 11 * MIB;
    arena.give(arena.take(20 * MIB));
    await visit();
    await pause(LONGER_MS);
    expect(step).toHaveBeenCalledTimes(1);
    resident += 2 * MIB;
    await visit();
    await vi.waitFor(() => expect(step).toHaveBeenCalledTimes(2), WAIT_MS);
  });

  it('threads collect a little, too, when nobody has come for longer', async () => {
    const restedAt: number[] = [];
    const step = vi.fn(async () => {
      restedAt.push(performance.now());
    });
    const always = 8 * REST_AFTER_MS;
    const { open } = start({
      rest: [step],
      residentBytes: () => 200 * MIB,
      restAfterMs: { grown: always / 2, always },
    });
    const path = tiff('longer.tif');
    await (await open(path))();
    await vi.waitFor(() => expect(step).toHaveBeenCalledTimes(1), WAIT_MS);
    let left = 0;
    for (let visit = 0; visit < 2; visit++) {
      const close = await open(path);
      left = performance.now();
      await close();
      // Long enough for the first of the two waits, too short for the second.
      await pause(0.6 * always);
    }
    const restsSince = () => restedAt.filter((time) => time > left);
    await vi.waitFor(() => expect(restsSince()).toHaveLength(1), WAIT_MS);
    // Timers may be a millisecond early.
    expect(restsSince()[0]! - left).toBeGreaterThan(always - 3);
    await pause(2 * always);
    expect(restsSince()).toHaveLength(1);
  });

  it('memory goes back although the server warms up', async () => {
    const step = counted();
    // The end of the warm-up is a rest in any case: it leaves much behind, little by little.
    const { open } = start({ rest: [step], residentBytes: () => 200 * MIB });
    const path = tiff('warm.tif');
    const endWarmUp = await open(path, { isWarmUp: true });
    await (await open(path))();
    await vi.waitFor(() => expect(step).toHaveBeenCalledTimes(1), WAIT_MS);
    await endWarmUp();
    await vi.waitFor(() => expect(step).toHaveBeenCalledTimes(2), WAIT_MS);
  });

  it('or an open has failed, memory goes back', async () => {
    const step = counted();
    const { open } = start({ rest: [step] });
    await expect(open(writeTemp(folder, 'bad.tif', new Uint8Array(100)))).rejects.toThrow();
    await vi.waitFor(() => expect(step).toHaveBeenCalledTimes(1), WAIT_MS);
  });

  it('a server that stops does nothing more', async () => {
    const step = counted();
    const { open, close } = start({ rest: [step] });
    await open(tiff('stopping.tif'));
    await close();
    await pause(LONGER_MS);
    expect(step).not.toHaveBeenCalled();
  });

  it('memory stops going back as soon as another one begins', async () => {
    const later = counted();
    let reopened: Promise<unknown> | undefined;
    const path = tiff('again.tif');
    const { open } = start({
      rest: [
        async () => {
          reopened ??= open(path);
          await reopened;
        },
        later,
      ],
    });
    await (await open(path))();
    await vi.waitFor(() => expect(reopened).toBeDefined(), WAIT_MS);
    await reopened;
    await pause(LONGER_MS);
    expect(later).not.toHaveBeenCalled();
  });
});

describe('a pool that rests', () => {
  /** A worker of the package that tells when its thread has collected all garbage. */
  const watched = () => {
    const code = packagedWorker('decode/worker.js');
    if (!(code instanceof URL)) throw new Error('the package is not on the disk');
    return new URL(
      `data:text/javascript,${encodeURIComponent(`
        import { constants, PerformanceObserver } from 'node:perf_hooks';
        import { threadId } from 'node:worker_threads';
        const channel = new BroadcastChannel('collections');
        new PerformanceObserver((list) => {
          const isWhole = ({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR;
          if (list.getEntries().some(isWhole)) channel.postMessage(threadId);
        }).observe({ entryTypes: ['gc'] });
        channel.unref();
        await import(${JSON.stringify(code.href)});
      `)}`,
    );
  };

  it('collects the garbage of each idle worker, and of no other', async () => {
    const pool = new DecodePool({ workers: 2, queue: 8, coldStart: true, workerCode: watched() });
    ends.push(() => pool.close());
    const collected = new Set<number>();
    const channel = new BroadcastChannel('collections');
    channel.onmessage = ({ data }: MessageEvent) => collected.add(data);
    ends.push(() => channel.close());
    const path = tiff('pool.tif');
    const lease = <T>(work: () => Promise<T>) =>
      pool.lease({ label: 'pool.tif', signal: new AbortController().signal }, async (worker) => {
        await worker.open({ located: { path }, selection: undefined, allowedExtensions: ['.tif'] });
        return work();
      });

    await lease(() => lease(async () => undefined));
    collected.clear();
    const goesOn = vi.fn(() => false);
    await pool.rest(goesOn);
    expect(goesOn).toHaveBeenCalledTimes(1);
    await lease(async () => {
      await pool.rest(() => true);
      expect(pool.occupancy).toMatchObject({ busy: 1, idle: 1 });
      await vi.waitFor(() => expect(collected.size).toBe(1), WAIT_MS);
    });
    await pool.rest(() => true);
    await vi.waitFor(() => expect(collected.size).toBe(2), WAIT_MS);
    expect(pool.occupancy).toMatchObject({ busy: 0, idle: 2 });
  });
});
