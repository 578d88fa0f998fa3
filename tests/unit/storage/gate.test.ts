import { afterEach, describe, expect, it, vi } from 'vitest';
import type { AcqError } from '../../../packages/readers/src/base/errors.js';
import { StorageGate } from '../../../packages/server/src/storage/gate.js';
import { LookupThreads } from '../../../packages/server/src/storage/lookup-threads.js';
import type { LookupReply, LookupRequest } from '../../../packages/server/src/storage/protocol.js';
import type { TIMES } from '../../../packages/server/src/storage/storage.js';

const POLICY = { roots: [], allowedExtensions: ['.tif'], platform: 'linux' as const };
const locatedAt = (path: string): LookupReply => ({ kind: 'done', value: { path, ino: '1' } });

/** Until look-ups that do not answer make place for others. */
const SLOW_MS = 50;

/** A machine with a local disk, and a network drive at /nas that can hang. `/link/…` leads to it. */
class Machine {
  isHung = false;
  /** Milliseconds that a thread takes to begin. */
  startMs = 0;
  threads = 0;
  /** Threads end instead of answering. */
  fails = false;
  /** Look-ups that wait for the drive. */
  readonly hanging: (() => void)[] = [];
  readonly asked: string[] = [];
  readonly reported: string[] = [];
  readonly gate: StorageGate;

  constructor(maxStuck = 4, times: Partial<typeof TIMES> = {}) {
    this.gate = new StorageGate(
      {
        maxStuck,
        times,
        platform: 'linux',
        mountPoints: () => ['/', '/nas'],
        report: (what) => this.reported.push(what.message),
      },
      new LookupThreads(() => {
        this.threads++;
        return {
          run: async (request, onBegin) => {
            if (this.fails) throw new Error('no thread');
            if (this.startMs > 0) await new Promise((resolve) => setTimeout(resolve, this.startMs));
            onBegin();
            return this.answer(request);
          },
          close: async () => {},
        };
      }),
    );
  }

  locate(path: string, signal = new AbortController().signal) {
    return this.gate.locate(path, POLICY, false, signal);
  }

  /** The drive answers again. */
  wake(): void {
    this.isHung = false;
    for (const go of this.hanging.splice(0)) go();
  }

  private async answer({ lookup, admitted }: LookupRequest): Promise<LookupReply> {
    const { path } = lookup;
    this.asked.push(`${lookup.kind} ${path}`);
    if (path.startsWith('/link') && !admitted.includes('/nas')) return { kind: 'crossing', storage: '/nas' };
    const isRemote = path.startsWith('/nas') || path.startsWith('/link');
    if (isRemote && this.isHung) await new Promise<void>((resolve) => this.hanging.push(resolve));
    return locatedAt(path.replace('/link', '/nas'));
  }
}

const failureOf = (action: Promise<unknown>): Promise<AcqError> =>
  action.then(
    () => {
      throw new Error('it did not fail');
    },
    (error: AcqError) => error,
  );

const start = (maxStuck?: number) => {
  vi.useFakeTimers();
  return new Machine(maxStuck);
};
/** Lets time pass, and everything that waits for it. */
const pass = async (milliseconds: number) => {
  await vi.advanceTimersByTimeAsync(milliseconds);
  // Immediates of the last timers: the clock of the tests runs them a millisecond later.
  await vi.advanceTimersByTimeAsync(1);
};

afterEach(() => vi.useRealTimers());

describe('a storage that answers', () => {
  it('is looked at, by way of links too', async () => {
    const machine = start();
    expect(await machine.locate('/data/a.tif')).toEqual({ path: '/data/a.tif', ino: '1' });
    expect(await machine.locate('/link/a.tif')).toEqual({ path: '/nas/a.tif', ino: '1' });
    expect(machine.threads).toBe(1);
  });
});

describe('threads for look-ups', () => {
  it('are two while the system answers at once', async () => {
    const machine = start();
    machine.isHung = true;
    const all = Array.from({ length: 40 }, (_, i) => machine.locate(`/nas/${i}.tif`));
    for (let left = 40; left > 0; left--) {
      await pass(1);
      expect(machine.hanging).toHaveLength(Math.min(left, 2));
      machine.hanging.shift()?.();
    }
    await Promise.all(all);
    expect(machine.threads).toBe(2);
  });

  it('are more while a look-up takes long, until it has ended', async () => {
    const machine = start();
    machine.isHung = true;
    const slow = [machine.locate('/nas/1.tif'), machine.locate('/nas/2.tif')];
    await pass(1);
    const quick = machine.locate('/data/3.tif');
    await pass(1);
    expect(machine.asked).not.toContain('locate /data/3.tif');
    await pass(SLOW_MS);
    expect(await quick).toMatchObject({ path: '/data/3.tif' });
    expect(await machine.locate('/data/4.tif')).toMatchObject({ path: '/data/4.tif' });
    expect(machine.threads).toBe(3);
    machine.wake();
    await Promise.all(slow);
  });

  it('are more while two take long to start', async () => {
    const machine = start();
    machine.startMs = 3_000;
    const slow = [machine.locate('/data/1.tif'), machine.locate('/data/2.tif')];
    await pass(0);
    machine.startMs = 0;
    const third = vi.fn();
    const quick = machine.locate('/data/3.tif').then(third);
    await pass(990);
    expect(third).not.toHaveBeenCalled();
    await pass(10);
    expect(third).toHaveBeenCalled();
    await pass(2_000);
    await Promise.all([quick, ...slow]);
  });

  it('end with a look-up that fails, and serve who waits', async () => {
    const machine = start();
    machine.fails = true;
    const all = ['1', '2', '3'].map((name) => failureOf(machine.locate(`/data/${name}.tif`)));
    await pass(1);
    expect((await Promise.all(all)).map(({ message }) => message)).toEqual(Array(3).fill('no thread'));
    expect(machine.threads).toBe(3);
  });
});

describe('lists and searches', () => {
  it('run two at a time, and leave the other look-ups to those who open files', async () => {
    const machine = start();
    machine.isHung = true;
    const { signal } = new AbortController();
    const lists = ['1', '2', '3'].map((name) =>
      machine.gate.lookups.run({ kind: 'list', path: `/nas/list-${name}`, policy: POLICY }, signal),
    );
    const opens = ['4', '5', '6'].map((name) => machine.locate(`/nas/${name}.tif`));
    await pass(SLOW_MS);
    expect(machine.asked).toEqual(['list /nas/list-1', 'list /nas/list-2', 'locate /nas/4.tif', 'locate /nas/5.tif']);
    machine.hanging.pop()?.();
    await pass(1);
    expect(machine.asked.slice(4)).toEqual(['locate /nas/6.tif']);
    machine.wake();
    await Promise.all([...lists, ...opens]);
    expect(machine.asked.slice(5)).toEqual(['list /nas/list-3']);
  });
});

describe('look-ups of several', () => {
  it('take turns', async () => {
    const machine = start();
    machine.isHung = true;
    const { signal } = new AbortController();
    const of = (party: string, ...names: string[]) =>
      names.map((name) => machine.gate.locate(`/nas/${name}`, POLICY, false, signal, { party, session: '' }));
    const all = [...of('a', '1', '2', '3', '4', '5', '6', '7'), ...of('b', '8', '9')];
    await pass(1);
    machine.isHung = false;
    machine.wake();
    await Promise.all(all);
    const order = machine.asked.map((asked) => asked.at(-1));
    expect(order).toEqual(['1', '2', '3', '4', '5', '8', '6', '9', '7']);
  });
});

describe('a machine that is busy', () => {
  it('starts threads slowly, which says nothing about the storage', async () => {
    const machine = start();
    machine.startMs = 20_000;
    const admitted = machine.locate('/nas/a.tif');
    await pass(19_998);
    expect(machine.reported).toEqual([]);
    await pass(1);
    expect(await admitted).toMatchObject({ path: '/nas/a.tif' });
    const suspect = vi.fn();
    const work = machine.gate.watch('/nas/a.tif', new AbortController().signal, (watch) => {
      watch.suspect.addEventListener('abort', suspect);
      return new Promise((resolve) => setTimeout(() => resolve('done'), 60_000));
    });
    await pass(60_000);
    expect(await work).toBe('done');
    expect(suspect).not.toHaveBeenCalled();
    expect(machine.reported).toEqual([]);
  });

  it('reads answers late, which says nothing about the storage', async () => {
    vi.useRealTimers();
    const machine = new Machine(4, { hung: 500, probe: 5_000, watch: 5_000, suspect: 5_000 });
    const { port1, port2 } = new MessageChannel();
    machine.isHung = true;
    port1.onmessage = () => machine.wake();
    const admitted = machine.locate('/nas/a.tif');
    await vi.waitFor(() => expect(machine.hanging).toHaveLength(1), { interval: 1 });
    // The answer is there in time, but the event loop is busy.
    port2.postMessage('answer');
    const end = performance.now() + 1_000;
    while (performance.now() < end);
    expect(await admitted).toMatchObject({ path: '/nas/a.tif' });
    expect(machine.reported).toEqual([]);
    port1.close();
  });
});

describe('a storage that hangs', () => {
  it('is closed after five seconds; what comes later is refused at once, what lies elsewhere opens', async () => {
    const machine = start();
    machine.isHung = true;
    const first = failureOf(machine.locate('/nas/a.tif'));
    await pass(4_998);
    expect(machine.reported).toEqual([]);
    expect(await machine.locate('/data/b.tif')).toMatchObject({ path: '/data/b.tif' });
    await pass(1);
    const error = await first;
    expect([error.code, error.status, error.retryAfterSeconds]).toEqual(['storage_unavailable', 503, 5]);
    expect(error.message).toMatch(/^a\.tif: the storage at \/nas does not answer/);
    const before = machine.asked.length;
    expect((await failureOf(machine.locate('/nas/c.tif'))).code).toBe('storage_unavailable');
    // The link itself is local; nothing beyond it is asked.
    expect((await failureOf(machine.locate('/link/c.tif'))).code).toBe('storage_unavailable');
    expect(machine.asked.slice(before)).toEqual(['locate /link/c.tif']);
    expect(await machine.locate('/data/b.tif')).toMatchObject({ path: '/data/b.tif' });
    expect(machine.reported).toEqual(['the storage at /nas does not answer; it is closed until it does']);
  });

  it('has four look-ups at a time; further ones wait, and fail with it', async () => {
    const machine = start();
    machine.isHung = true;
    const failures = Array.from({ length: 20 }, (_, i) => failureOf(machine.locate(`/nas/${i}.tif`)));
    await pass(SLOW_MS);
    expect(machine.hanging).toHaveLength(4);
    await pass(5_000);
    expect((await Promise.all(failures)).map(({ code }) => code)).toEqual(Array(20).fill('storage_unavailable'));
    // Four look-ups, and one thread for others.
    expect(await machine.locate('/data/b.tif')).toMatchObject({ path: '/data/b.tif' });
    expect(machine.threads).toBeLessThanOrEqual(5);
  });

  it('opens again when it answers', async () => {
    const machine = start();
    machine.isHung = true;
    const failed = failureOf(machine.locate('/nas/a.tif'));
    await pass(5_000);
    await failed;
    // One question is asked, and waits with the look-up; it is not asked again and again.
    await pass(20_000);
    expect(machine.asked.filter((what) => what === 'probe /nas')).toHaveLength(1);
    machine.wake();
    await pass(2_000);
    expect(await machine.locate('/nas/a.tif')).toMatchObject({ path: '/nas/a.tif' });
    expect(machine.reported).toEqual([
      'the storage at /nas does not answer; it is closed until it does',
      'the storage at /nas answers again',
    ]);
  });

  it('lets those who wait for it leave', async () => {
    const machine = start();
    machine.isHung = true;
    const leaving = new AbortController();
    const failures = Array.from({ length: 6 }, () => failureOf(machine.locate('/nas/a.tif', leaving.signal)));
    await pass(100);
    leaving.abort(new Error('left'));
    for (const failure of failures) expect((await failure).message).toBe('left');
  });
});

describe('work that reads from a storage', () => {
  /** Work as a decode is: it ends when it is told to. */
  const decode = (machine: Machine, path = '/nas/a.tif') => {
    const seen = { suspect: 0 };
    let kill: (ended: Promise<unknown>) => void = () => {};
    const failure = failureOf(
      machine.gate.watch(path, new AbortController().signal, ({ signal, suspect, onKill }) => {
        kill = onKill;
        suspect.addEventListener('abort', () => seen.suspect++);
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      }),
    );
    return { failure, seen, kill: (ended: Promise<unknown>) => kill(ended) };
  };

  it('that is short asks nothing', async () => {
    const machine = start();
    await machine.gate.watch('/nas/a.tif', new AbortController().signal, async () => 'done');
    await pass(10_000);
    expect(machine.asked).toEqual([]);
  });

  it('goes on while the storage answers', async () => {
    const machine = start();
    const { seen } = decode(machine);
    await pass(60_000);
    expect(machine.asked.length).toBeGreaterThan(20);
    expect([seen.suspect, machine.reported]).toEqual([0, []]);
  });

  it('is suspected within a second when the storage hangs, and ends with it', async () => {
    const machine = start();
    machine.isHung = true;
    const { failure, seen } = decode(machine);
    await pass(700);
    expect(seen.suspect).toBe(1);
    await pass(5_000);
    const error = await failure;
    expect([error.code, error.message]).toEqual([
      'storage_unavailable',
      expect.stringMatching(/^a\.tif: the storage at \/nas does not answer/),
    ]);
  });

  it('counts as stuck only until the storage answers', async () => {
    const machine = start(2);
    machine.isHung = true;
    const [first] = [decode(machine), decode(machine)];
    await pass(700);
    expect((await failureOf(machine.locate('/nas/b.tif'))).message).toMatch(
      /2 reads from the storage at \/nas did not/,
    );
    machine.wake();
    await pass(0);
    expect(await machine.locate('/nas/b.tif')).toMatchObject({ path: '/nas/b.tif' });
    // It hangs again, and is noticed again.
    machine.isHung = true;
    await pass(3_000);
    expect((await failureOf(machine.locate('/nas/b.tif'))).message).toMatch(
      /2 reads from the storage at \/nas did not/,
    );
    expect(first.seen.suspect).toBe(1);
  });

  it('leaves finding a file to the worker only while the last answer is recent, and nothing hangs', async () => {
    const machine = start();
    const isLeft = () => machine.gate.locateElsewhere('/nas/a.tif', POLICY, false) !== undefined;
    expect(isLeft()).toBe(false);
    await machine.locate('/nas/a.tif');
    expect(isLeft()).toBe(true);
    await pass(5_000);
    expect(isLeft()).toBe(false);
    await machine.locate('/nas/a.tif');
    machine.isHung = true;
    const read = decode(machine);
    await pass(700);
    // A read hangs, half a second after the last answer.
    expect(isLeft()).toBe(false);
    await pass(5_000);
    await read.failure;
    // An answer from memory does not open a storage that is closed.
    machine.wake();
    expect(isLeft()).toBe(false);
    await pass(2_000);
    expect(isLeft()).toBe(true);
  });

  it('reads the mounts again when the worker has been asked, and takes an older list until then', async () => {
    const order: string[] = [];
    const mountPoints = (maxAgeMs?: number) => {
      order.push(`mounts ${maxAgeMs ?? 'of now'}`);
      return ['/'];
    };
    const gate = new StorageGate({ maxStuck: 4, platform: 'linux', mountPoints, report: () => {} });
    order.length = 0;
    const { signal } = new AbortController();
    const who = { party: '', session: '' };
    const asked = { path: '/data/a.tif', policy: POLICY, isPicked: false, isFree: true, signal, who };
    const found = await gate.withAcquisition(asked, async (located) => {
      order.push('work');
      return located;
    });
    expect(order).toEqual(['mounts 5000', 'work', 'mounts of now']);
    expect(found).toMatchObject({ path: '/data/a.tif', admitted: ['/'] });
    await gate.close(10);
  });

  it('that does not come back counts, and is not joined by ever more', async () => {
    const machine = start(2);
    machine.isHung = true;
    const [first, second] = [decode(machine), decode(machine)];
    await pass(700);
    // Look-ups may be answered from memory while reads hang: the count holds all the same.
    expect((await failureOf(machine.locate('/nas/b.tif'))).message).toMatch(
      /2 reads from the storage at \/nas did not/,
    );
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    await pass(5_000);
    for (const { failure, kill } of [first, second]) {
      await failure;
      kill(ended);
    }
    await pass(600);
    machine.wake();
    await pass(2_000);
    expect((await failureOf(machine.locate('/nas/b.tif'))).code).toBe('storage_unavailable');
    expect(await machine.gate.close(10)).toBe(false);
    end();
    await pass(0);
    expect(await machine.locate('/nas/b.tif')).toMatchObject({ path: '/nas/b.tif' });
  });

  it('does not count a long look-up as hung while the system answers its requests', async () => {
    vi.useFakeTimers();
    let begin = () => {};
    let answer: (reply: LookupReply) => void = () => {};
    const reported: string[] = [];
    const gate = new StorageGate(
      {
        maxStuck: 4,
        platform: 'linux',
        mountPoints: () => ['/'],
        report: ({ message }) => reported.push(message),
      },
      new LookupThreads(() => ({
        run: (_, onBegin) => {
          begin = onBegin;
          onBegin();
          return new Promise((resolve) => {
            answer = resolve;
          });
        },
        close: async () => {},
      })),
    );
    const listing = { path: '/many', parent: '/', entries: [], truncated: false };
    const list = () => gate.lookups.run({ kind: 'list', path: '/many', policy: POLICY }, new AbortController().signal);
    const listed = list();
    await pass(4_000);
    begin();
    await pass(4_000);
    answer({ kind: 'done', value: listing });
    expect(await listed).toEqual(listing);
    const stuck = failureOf(list());
    await pass(4_000);
    begin();
    await pass(6_000);
    expect((await stuck).code).toBe('storage_unavailable');
    expect(reported).toEqual(['the storage at / does not answer; it is closed until it does']);
  });
});
