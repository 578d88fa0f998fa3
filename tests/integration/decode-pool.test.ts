import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { AcqError } from '../../packages/readers/src/base/errors.js';
import { DecodePool } from '../../packages/server/src/decode/pool.js';
import type { DecodeLease, Decoder, LeaseOptions } from '../../packages/server/src/decode/types.js';
import { memoryOf } from '../support/planes.js';

/** Pools of the test that runs. */
const pools: Decoder[] = [];

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

/**
 * A worker that does as the path says: the pool's side of the conversation is tested without any format. It answers
 * planes with one number, that of the calls that it has answered.
 */
const SCRIPTED = `
import { parentPort, workerData } from 'node:worker_threads';
let calls = 0;
let closes = 0;
let isStuck = false;
parentPort.on('message', ({ id, kind, given, memory }) => {
  const blocks = memory?.blocks ?? [];
  const done = (value) => parentPort.postMessage({ kind: 'done', id, value, blocks }, blocks.map((block) => block.memory));
  if (kind === 'close' || kind === 'release') {
    if (isStuck) for (;;);
    closes++;
    return done(kind === 'close' ? [] : undefined);
  }
  calls++;
  const path = given?.located?.path ?? '';
  if (given?.plane?.channel === 99) for (;;);
  if (path === 'hang') for (;;);
  if (path === 'stuck') isStuck = true;
  if (path === 'wait') return setTimeout(() => done({ path }), 100);
  if (path === 'throw') throw new TypeError('not foreseen');
  if (path === 'later') return setTimeout(() => { throw new TypeError('not foreseen, later'); });
  if (path === 'exit') process.exit(3);
  if (path === 'memory') { const all = []; for (;;) all.push(new Array(1e5).fill(all.length)); }
  if (path === 'refuse') {
    return parentPort.postMessage({ kind: 'failed', id, blocks, error: { code: 'decode_failed', message: 'page 7 is cut', details: null } });
  }
  if (path === 'bug') {
    const error = { code: 'internal_error', message: 'unforeseen', details: null };
    return parentPort.postMessage({ kind: 'failed', id, blocks, error, stack: 'TypeError: x is undefined at secret.js:1' });
  }
  if (path === 'closes') return done({ path: closes });
  if (path === 'isFirst') return done({ path: workerData.isFirst });
  if (kind === 'open') return done({ path });
  new Float32Array(blocks[0].memory)[0] = calls;
  done();
});
parentPort.postMessage({ kind: 'ready' });
`;

function toModule(source: string): URL {
  return new URL(`data:text/javascript,${encodeURIComponent(source)}`);
}

function scriptedPool(options: Partial<ConstructorParameters<typeof DecodePool>[0]> = {}): Decoder {
  const pool = new DecodePool({ workers: 1, queue: 8, workerCode: toModule(SCRIPTED), ...options });
  pools.push(pool);
  return pool;
}

const opening = (path: string) => (lease: DecodeLease) =>
  lease.open({ located: { path }, selection: undefined, allowedExtensions: [] });

/** Asks a worker how many calls it has answered: 1 in a new one. */
const callsOf = async (lease: DecodeLease) => {
  const memory = memoryOf(new ArrayBuffer(4));
  await lease.plane({ kind: 'reference', scene: 0, channel: 0, type: 'float32' }, memory);
  return new Float32Array(memory.blocks[0]!.buffer)[0];
};

const leaseOf = (label: string, signal = new AbortController().signal) => ({ label, signal });

/** Runs `action` and returns what it rejects with. */
const failureOf = (action: Promise<unknown>): Promise<AcqError> =>
  action.then(
    () => {
      throw new Error('it did not fail');
    },
    (error: AcqError) => error,
  );

/** A signal that aborts like a deadline. */
function deadline(milliseconds: number): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(new AcqError('load_timeout', 'too slow')), milliseconds);
  return controller.signal;
}

/** Threads of this process, where the system tells. */
const threads = () => (process.platform === 'linux' ? readdirSync('/proc/self/task').length : 0);

describe('a worker', () => {
  it('lives on from lease to lease', async () => {
    const pool = scriptedPool();
    expect(await pool.lease(leaseOf('a'), callsOf)).toBe(1);
    expect(await pool.lease(leaseOf('b'), callsOf)).toBe(2);
  });

  it('prepares at once when the first open gets it, and only then', async () => {
    for (const workers of [1, 3]) {
      const pool = scriptedPool({ workers });
      const labels = ['a', 'b', 'c'].slice(0, workers);
      const opened = await Promise.all(labels.map((label) => pool.lease(leaseOf(label), opening('isFirst'))));
      expect(opened).toMatchObject([true, false, false].slice(0, workers).map((path) => ({ path })));
    }
    const pool = scriptedPool({ workers: 1 });
    await failureOf(pool.lease(leaseOf('d'), opening('exit')));
    expect(await pool.lease(leaseOf('e'), opening('isFirst'))).toMatchObject({ path: false });
  });

  it('starts alone, and a spare one a moment later', async () => {
    const pool = new DecodePool({ workers: 4, queue: 8, workerCode: toModule(SCRIPTED) });
    pools.push(pool);
    await pool.ready();
    expect(pool.occupancy).toMatchObject({ busy: 0, idle: 1 });
    await vi.waitFor(() => expect(pool.occupancy).toMatchObject({ busy: 0, idle: 2 }), 15_000);
  });

  it('is told to close a file once, by its lease or after it', async () => {
    const pool = scriptedPool();
    const closes = () => pool.lease(leaseOf('a'), opening('closes'));
    await pool.lease(leaseOf('a'), async (lease) => {
      await opening('x')(lease);
      await lease.close();
    });
    expect(await closes()).toEqual({ path: 1 });
    // That lease closed nothing itself.
    expect(await closes()).toEqual({ path: 2 });
  });

  it('has the memory of a plane while it decodes, and gives it back', async () => {
    const given = new ArrayBuffer(4, { maxByteLength: 8 });
    const memory = memoryOf(given);
    await scriptedPool().lease(leaseOf('a'), (lease) =>
      lease.plane({ kind: 'reference', scene: 0, channel: 0, type: 'float32' }, memory),
    );
    expect(given.byteLength).toBe(0);
    const { buffer } = memory.blocks[0]!;
    expect([...new Float32Array(buffer)]).toEqual([1]);
    expect([buffer.resizable, buffer.maxByteLength]).toEqual([true, 8]);
  });

  it('takes the memory of a plane with it when it is killed', async () => {
    const memory = memoryOf(new ArrayBuffer(4));
    const stop = new AbortController();
    const failure = failureOf(
      scriptedPool().lease(leaseOf('a', stop.signal), (lease) =>
        lease.plane({ kind: 'reference', scene: 0, channel: 99, type: 'float32' }, memory),
      ),
    );
    // The worker has it.
    await expect.poll(() => memory.blocks[0]!.buffer.byteLength).toBe(0);
    stop.abort(new AcqError('load_timeout', 'too slow'));
    expect((await failure).code).toBe('load_timeout');
    expect(memory.blocks[0]!.buffer.byteLength).toBe(0);
  });

  it('passes an error of the reader on, and lives', async () => {
    const pool = scriptedPool();
    const error = await failureOf(pool.lease(leaseOf('a'), opening('refuse')));
    expect(error).toBeInstanceOf(AcqError);
    expect([error.code, error.message, error.details]).toEqual(['decode_failed', 'page 7 is cut', null]);
    expect(await pool.lease(leaseOf('b'), callsOf)).toBe(2);
  });

  it('keeps the stack of what nobody foresaw for the log', async () => {
    const error = await failureOf(scriptedPool().lease(leaseOf('scan.tif'), opening('bug')));
    expect(error.code).toBe('internal_error');
    expect(error.message).toContain('scan.tif');
    expect(error.message).not.toContain('secret.js');
    expect((error.cause as Error).stack).toContain('secret.js:1');
  });

  it.each(['throw', 'later', 'exit'])('that breaks down (%s) costs the file, not the pool', async (how) => {
    const pool = scriptedPool();
    const error = await failureOf(pool.lease(leaseOf('bad.tif'), opening(how)));
    expect(error.code).toBe('decode_failed');
    expect(error.message).toContain('bad.tif');
    expect(await pool.lease(leaseOf('good.tif'), callsOf)).toBe(1);
  });

  it('that needs too much memory is ended, and says so', async () => {
    const pool = scriptedPool({ heapMegabytes: 32 });
    const error = await failureOf(pool.lease(leaseOf('bomb.tif'), opening('memory')));
    expect(error.code).toBe('decode_failed');
    expect(error.message).toContain('bomb.tif: reading the file takes more than 32 MiB');
    expect(await pool.lease(leaseOf('good.tif'), callsOf)).toBe(1);
  });

  it('that is killed before it has started is replaced, and does not fail the start', async () => {
    const pool = scriptedPool();
    const client = new AbortController();
    const failure = failureOf(pool.lease(leaseOf('a', client.signal), callsOf));
    client.abort(new AcqError('load_timeout', 'too slow'));
    expect((await failure).code).toBe('load_timeout');
    await pool.ready();
    expect(await pool.lease(leaseOf('b'), callsOf)).toBe(1);
    const closing = scriptedPool();
    const ready = failureOf(closing.ready());
    await closing.close();
    expect((await ready).code).toBe('internal_error');
  });

  it('that cannot start is an error of the server, for every lease anew', async () => {
    const pool = scriptedPool({ workerCode: toModule('throw new Error("broken build")') });
    for (let i = 0; i < 3; i++) {
      const error = await failureOf(pool.lease(leaseOf('a'), callsOf));
      expect([error.code, (error.cause as Error).message]).toEqual(['internal_error', 'broken build']);
    }
  });
});

describe('a system without threads to give', () => {
  it('costs the lease, not the server', async () => {
    // The constructor of a worker throws for such an address as it does when there is no thread left.
    const pool = scriptedPool({ workerCode: new URL('http://localhost/worker.js') });
    const error = await failureOf(pool.lease(leaseOf('a'), callsOf));
    expect(error.code).toBe('internal_error');
    expect((error.cause as NodeJS.ErrnoException).code).toBe('ERR_INVALID_URL_SCHEME');
    expect(pool.tryLease(leaseOf('b'), callsOf)).toBeUndefined();
  });
});

describe('a deadline', () => {
  it('ends an endless loop, and the thread with it', async () => {
    const pool = scriptedPool();
    await pool.lease(leaseOf('warm'), callsOf);
    const before = threads();
    const error = await failureOf(pool.lease(leaseOf('slow.tif', deadline(50)), opening('hang')));
    expect([error.code, error.message]).toEqual(['load_timeout', 'too slow']);
    // The replacement is a new thread: it has answered nothing yet.
    expect(await pool.lease(leaseOf('good.tif'), callsOf)).toBe(1);
    await expect.poll(threads, { timeout: 10_000 }).toBe(before);
  });

  it('leaves a worker alive that had nothing to do', async () => {
    const pool = scriptedPool();
    const controller = new AbortController();
    const work = pool.lease(leaseOf('a', controller.signal), async (lease) => {
      await callsOf(lease);
      controller.abort(new Error('client left'));
      return callsOf(lease);
    });
    await expect(work).rejects.toThrow('client left');
    expect(await pool.lease(leaseOf('b'), callsOf)).toBe(2);
  });

  it('that is over already starts nothing', async () => {
    const work = scriptedPool().lease(leaseOf('a', AbortSignal.abort(new Error('client left'))), callsOf);
    await expect(work).rejects.toThrow('client left');
  });
});

describe('more work than workers', () => {
  it('waits in line', async () => {
    const pool = scriptedPool();
    const order: string[] = [];
    const run = (name: string) => pool.lease(leaseOf(name), opening('wait')).then(() => order.push(name));
    await Promise.all([run('a'), run('b'), run('c')]);
    expect(order).toEqual(['a', 'b', 'c']);
  });

  it('is refused when the line is full, and the line goes on', async () => {
    const pool = scriptedPool({ queue: 1 });
    const first = pool.lease(leaseOf('a'), opening('wait'));
    const second = pool.lease(leaseOf('b'), opening('wait'));
    const error = await failureOf(pool.lease(leaseOf('c.tif'), callsOf));
    expect(error.code).toBe('capacity_exceeded');
    expect(error.message).toBe(
      'c.tif: the server is busy. It is reading 1 file (--workers), and 1 other already waits (--queue). ' +
        'Try again in a few seconds.',
    );
    await Promise.all([first, second]);
    expect(await pool.lease(leaseOf('d'), callsOf)).toBe(3);
  });

  it('waits in turns of parties, and of their sessions', async () => {
    const pool = scriptedPool();
    const order: string[] = [];
    const names = ['a1v', 'a1w', 'a1x', 'a2y', 'b1z'];
    const run = (name: string) => {
      const who = { party: name.slice(0, 1), session: name.slice(0, 2) };
      return pool.lease({ ...leaseOf(name), who }, opening('wait')).then(() => order.push(name));
    };
    await Promise.all(names.map(run));
    expect(order).toEqual(['a1v', 'a1w', 'b1z', 'a2y', 'a1x']);
  });

  it('of another party gets a place in a full line, that of the last one of who has most', async () => {
    const pool = scriptedPool({ queue: 3 });
    const run = (party: string, name: string) =>
      pool.lease({ ...leaseOf(name), who: { party, session: party } }, opening('wait')).then(
        () => 'done',
        ({ code, message }: AcqError) => `${code} ${message.slice(0, 5)}`,
      );
    const all = ['a.tif', 'b.tif', 'c.tif', 'd.tif'].map((name) => run('a', name));
    const [other, another] = [run('b', 'x.tif'), run('b', 'y.tif')];
    expect(await Promise.all([...all, other, another])).toEqual([
      ...['done', 'done', 'done', 'capacity_exceeded d.tif'],
      ...['done', 'capacity_exceeded y.tif'],
    ]);
  });

  it('can leave the line', async () => {
    const pool = scriptedPool({ queue: 1 });
    const first = pool.lease(leaseOf('a'), opening('wait'));
    const stop = new AbortController();
    const second = failureOf(pool.lease(leaseOf('b', stop.signal), callsOf));
    stop.abort(new AcqError('load_timeout', 'too slow'));
    expect((await second).code).toBe('load_timeout');
    const third = pool.lease(leaseOf('c'), callsOf);
    await first;
    expect(await third).toBe(2);
  });

  it('reaches the replacement of a worker that was killed', async () => {
    const pool = scriptedPool();
    const first = failureOf(pool.lease(leaseOf('a', deadline(50)), opening('hang')));
    const second = pool.lease(leaseOf('b'), callsOf);
    expect((await first).code).toBe('load_timeout');
    expect(await second).toBe(1);
  });

  it('runs on several workers at the same time', async () => {
    const pool = scriptedPool({ workers: 3 });
    let here = 0;
    let meet: () => void = () => {};
    const meeting = new Promise<void>((resolve) => {
      meet = resolve;
    });
    // Nobody can leave before all three have a worker of their own.
    const work = () =>
      pool.lease(leaseOf('a'), async (lease) => {
        if (++here === 3) meet();
        await meeting;
        return callsOf(lease);
      });
    expect(await Promise.all([work(), work(), work()])).toEqual([1, 1, 1]);
  });
});

describe('a free worker', () => {
  it('can be had without waiting, or not at all', async () => {
    const pool = scriptedPool();
    const first = pool.tryLease(leaseOf('a'), callsOf);
    expect(pool.tryLease(leaseOf('b'), callsOf)).toBeUndefined();
    expect(await first).toBe(1);
    expect(await pool.tryLease(leaseOf('c'), callsOf)).toBe(2);
    expect(pool.tryLease(leaseOf('d', AbortSignal.abort()), callsOf)).toBeUndefined();
  });
});

describe('a file that a lease leaves open', () => {
  const keeping = (keep: string, signal?: AbortSignal): LeaseOptions => ({ ...leaseOf(keep, signal), keep });
  /** Opens a file, unless it is open. Returns which of both, and the number of the call to its worker. */
  const use = async (lease: DecodeLease) => {
    const { opened } = lease;
    if (!opened) await opening('x')(lease);
    return [opened ? 'found' : 'opened', await callsOf(lease)];
  };
  const closes = (pool: Decoder) => pool.lease(leaseOf('count'), opening('closes'));

  /** From here on, nothing ends because time passes. */
  const stopClock = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  afterEach(() => void vi.useRealTimers());

  it('is found by the next lease of its name, and by no other', async () => {
    stopClock();
    const pool = scriptedPool({ workers: 2 });
    expect(await pool.lease(keeping('a'), use)).toEqual(['opened', 2]);
    expect(await pool.lease(keeping('a'), use)).toEqual(['found', 3]);
    expect(await pool.lease(keeping('b'), use)).toEqual(['opened', 2]);
    expect(await pool.lease(keeping('a'), use)).toEqual(['found', 4]);
    expect(await pool.lease(keeping('b'), use)).toEqual(['found', 3]);
  });

  it('is found by who takes a worker only if one is free, who leaves it open too', async () => {
    stopClock();
    const pool = scriptedPool({ workers: 1 });
    await pool.lease(keeping('a'), use);
    expect(await pool.tryLease(keeping('a'), use)).toEqual(['found', 3]);
    expect(await pool.lease(keeping('a'), use)).toEqual(['found', 4]);
    expect(pool.tryLease(keeping('b'), use)).toBeUndefined();
    await pool.tryLease(keeping('a'), async () => pool.letGo('a'));
    expect(await pool.lease(keeping('a'), use)).toEqual(['opened', 6]);
  });

  it('is closed when nobody comes', async () => {
    stopClock();
    const pool = scriptedPool();
    await pool.lease(keeping('a'), use);
    await pool.lease(keeping('a'), use);
    vi.advanceTimersByTime(299);
    expect(await pool.lease(keeping('a'), use)).toEqual(['found', 4]);
    vi.advanceTimersByTime(300);
    expect(await pool.lease(keeping('a'), use)).toEqual(['opened', 6]);
    expect(await closes(pool)).toEqual({ path: 2 });
  });

  it('is closed at once for who waits for a worker, even if nobody may wait', async () => {
    stopClock();
    const pool = scriptedPool({ queue: 0 });
    await pool.lease(keeping('a'), use);
    expect(await closes(pool)).toEqual({ path: 1 });
    expect(await pool.lease(keeping('a'), use)).toEqual(['opened', 5]);
  });

  it('leaves its worker to those who help an open', async () => {
    stopClock();
    const pool = scriptedPool({ workers: 2 });
    await pool.lease(keeping('a'), use);
    await pool.lease(leaseOf('open'), async (lease) => {
      await opening('wait')(lease);
      expect(await pool.tryLease(leaseOf('help'), opening('closes'))).toEqual({ path: 1 });
    });
  });

  it('is handed to those who wait for it, but not before others again and again', async () => {
    stopClock();
    const pool = scriptedPool({ queue: 64 });
    const order: unknown[] = [];
    const first = pool.lease(keeping('a'), use);
    const other = pool.lease(leaseOf('other'), opening('y')).then(() => order.push('other'));
    const more = Array.from({ length: 6 }, async () => order.push((await pool.lease(keeping('a'), use))[0]));
    await Promise.all([first, other, ...more]);
    expect(order).toEqual(['found', 'found', 'found', 'found', 'other', 'opened', 'found']);
  });

  it('is closed when it is let go, also while it is read', async () => {
    stopClock();
    const pool = scriptedPool();
    await pool.lease(keeping('a'), use);
    pool.letGo('b');
    expect(await pool.lease(keeping('a'), use)).toEqual(['found', 3]);
    pool.letGo('a');
    expect(await pool.lease(keeping('a'), use)).toEqual(['opened', 5]);
    await pool.lease(keeping('a'), async () => pool.letGo('a'));
    expect(await pool.lease(keeping('a'), use)).toEqual(['opened', 7]);
    expect(await closes(pool)).toEqual({ path: 3 });
  });

  it('is closed when the lease fails', async () => {
    stopClock();
    const pool = scriptedPool();
    await pool.lease(keeping('a'), use);
    await expect(pool.lease(keeping('a'), () => Promise.reject(new Error('damaged')))).rejects.toThrow('damaged');
    expect(await pool.lease(keeping('a'), use)).toEqual(['opened', 4]);
  });

  it('is opened by another worker when its own is killed for one of those who read it', async () => {
    stopClock();
    const pool = scriptedPool();
    await pool.lease(keeping('a'), use);
    const client = new AbortController();
    const hanging = pool.lease(keeping('a', client.signal), (lease) =>
      lease.plane({ kind: 'reference', scene: 0, channel: 99, type: 'float32' }, memoryOf(new ArrayBuffer(4))),
    );
    const waiting = [1, 2].map(() => pool.lease(keeping('a'), use));
    client.abort(new Error('client left'));
    await expect(hanging).rejects.toThrow('client left');
    expect(await Promise.all(waiting)).toEqual([
      ['opened', 2],
      ['found', 3],
    ]);
  });

  it('is not kept by a worker that may hang', async () => {
    stopClock();
    const pool = scriptedPool();
    const suspicion = new AbortController();
    await pool.lease({ ...keeping('a'), suspect: suspicion.signal }, async (lease) => {
      await use(lease);
      suspicion.abort();
    });
    expect(await pool.lease(keeping('a'), use)).toEqual(['opened', 2]);
  });

  it('that cannot be closed costs a worker, not the others', async () => {
    const pool = scriptedPool();
    await pool.lease(keeping('a'), async (lease) => {
      await opening('stuck')(lease);
    });
    expect(await pool.lease(leaseOf('b'), callsOf)).toBe(1);
  });
});

describe('a lease that ends', () => {
  it('with a call unanswered takes the worker with it', async () => {
    const pool = scriptedPool();
    const work = pool.lease(leaseOf('a'), async (lease) => {
      opening('hang')(lease).catch(() => {});
      // The call is on its way when the work fails for a reason of its own.
      await new Promise((resolve) => setTimeout(resolve, 20));
      throw new Error('changed my mind');
    });
    await expect(work).rejects.toThrow('changed my mind');
    expect(await pool.lease(leaseOf('b'), callsOf)).toBe(1);
  });
});

describe('closing', () => {
  it('ends running and waiting work, and every thread', async () => {
    const before = threads();
    const pool = scriptedPool({ workers: 2 });
    const work = ['a', 'b', 'c'].map((name) => failureOf(pool.lease(leaseOf(name), opening('hang'))));
    await pool.close();
    expect((await Promise.all(work)).map(({ code }) => code)).toEqual(Array(3).fill('capacity_exceeded'));
    expect((await failureOf(pool.lease(leaseOf('d'), callsOf))).code).toBe('capacity_exceeded');
    expect(pool.tryLease(leaseOf('e'), callsOf)).toBeUndefined();
    await expect.poll(threads, { timeout: 10_000 }).toBe(before);
  });

  it('is not needed for the process to end', () => {
    const script = `
      import { DecodePool } from ${JSON.stringify(resolve(import.meta.dirname, '../../packages/server/dist/decode/pool.js'))};
      new DecodePool({ workers: 2, queue: 1 });
      console.log('started');
    `;
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
      timeout: 30_000,
    });
    expect(output).toBe('started\n');
  });
});
