import { describe, expect, it } from 'vitest';
import { PlaneCache } from '../../../packages/server/src/planes/plane-cache.js';
import { type PinnedPlane, PlaneArena, PlaneBuilder } from '../../../packages/server/src/planes/plane-memory.js';
import fc from '../../support/fast-check.js';
import { planeOf, samplesOf, takeSamples } from '../../support/planes.js';

const createCache = (budget: number) => new PlaneCache(new PlaneArena(budget));
const plane = () => Promise.resolve(planeOf([0]));
const ME = { claimant: 'me' };
const never = () => Promise.reject(new Error('must not be decoded'));
const valuesOf = (pinned: PinnedPlane) => [...takeSamples(pinned)];

/** A decode that the test ends. */
function controlled() {
  let resolve: (plane: PinnedPlane) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<PinnedPlane>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

/** Lets promises that are settled run their handlers. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('a plane of several sessions', () => {
  it('stays until the last of them ends, and counts once', async () => {
    const cache = createCache(100);
    cache.put('a', 10, plane(), { claimant: 'one' });
    cache.put('b', 10, plane(), { claimant: 'one' });
    (await cache.read('a', 10, never, { claimant: 'two' })).release();
    expect(cache.usedBytes).toBe(20);
    cache.drop('one');
    expect(cache.usedBytes).toBe(10);
    (await cache.read('a', 10, never, { claimant: 'two' })).release();
    cache.drop('two');
    cache.drop('two');
    expect(cache.usedBytes).toBe(0);
  });

  it('is claimed anew when it was dropped and decoded again', async () => {
    const cache = createCache(10);
    cache.put('a', 10, plane(), { claimant: 'one' });
    await turn();
    cache.makeRoom(10);
    (await cache.read('a', 10, plane, { claimant: 'two' })).release();
    cache.drop('one');
    expect(cache.usedBytes).toBe(10);
    cache.drop('two');
    expect(cache.usedBytes).toBe(0);
  });

  it('is found by those who do not decode it, also on its way', async () => {
    const cache = createCache(100);
    expect(cache.find('a', ME)).toBeUndefined();
    const decode = controlled();
    cache.put('a', 10, decode.promise, { claimant: 'one' });
    const found = cache.find('a', ME);
    cache.drop('one');
    decode.resolve(planeOf([4]));
    const pinned = await found!;
    expect(valuesOf(pinned)).toEqual([4]);
    expect(cache.usedBytes).toBe(10);
    cache.drop('me');
    expect(cache.usedBytes).toBe(0);
  });

  it('that was found last is dropped last', async () => {
    const cache = createCache(30);
    for (const key of ['a', 'b', 'c']) cache.put(key, 10, plane(), { claimant: 'one' });
    await turn();
    (await cache.find('a', ME))!.release();
    cache.makeRoom(20);
    expect([cache.find('a', ME) === undefined, cache.find('b', ME) === undefined]).toEqual([false, true]);
  });

  it('is decoded by a reader when the open that it was a part of fails', async () => {
    const cache = createCache(100);
    const decode = controlled();
    cache.put('a', 10, decode.promise, { claimant: 'one' });
    const reading = cache.read('a', 10, async () => planeOf([8]), ME);
    const leaving = new AbortController();
    const left = cache.read('a', 10, never, { claimant: 'third', signal: leaving.signal });
    leaving.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    decode.reject(new Error('client of the open left'));
    expect(valuesOf(await reading)).toEqual([8]);
    cache.drop('one');
    expect(cache.usedBytes).toBe(10);
    cache.drop('me');
    expect(cache.usedBytes).toBe(0);
  });

  it('is not held for a session that ended while it was waited for', async () => {
    const cache = createCache(100);
    const decode = controlled();
    cache.put('a', 10, decode.promise, { claimant: 'one' });
    const reading = cache.read('a', 10, async () => planeOf([8]), ME);
    cache.drop('me');
    decode.reject(new Error('failed'));
    expect(valuesOf(await reading)).toEqual([8]);
    expect(cache.usedBytes).toBe(0);
  });

  it('can be replaced by the plane of another open; all who claimed it have that one', async () => {
    const cache = createCache(100);
    cache.put('a', 10, Promise.resolve(planeOf([1])), { claimant: 'one' });
    const before = await cache.read('a', 10, never, { claimant: 'one' });
    cache.put('a', 10, Promise.resolve(planeOf([2])), { claimant: 'two' });
    expect(cache.usedBytes).toBe(20);
    expect(valuesOf(before)).toEqual([1]);
    expect(cache.usedBytes).toBe(10);
    cache.drop('two');
    expect(valuesOf(await cache.read('a', 10, never, { claimant: 'one' }))).toEqual([2]);
    cache.drop('one');
    expect(cache.usedBytes).toBe(0);
  });
});

describe('room for planes', () => {
  it('is made by dropping what was read longest ago', async () => {
    const cache = createCache(30);
    for (const key of ['a', 'b', 'c']) cache.put(key, 10, plane(), { claimant: 'me' });
    await turn();
    (await cache.read('a', 10, never, ME)).release();
    cache.makeRoom(10);
    cache.put('d', 10, plane(), { claimant: 'me' });
    expect(cache.usedBytes).toBe(30);
    (await cache.read('a', 10, never, ME)).release();
    (await cache.read('c', 10, never, ME)).release();
    await expect(cache.read('b', 10, never, ME)).rejects.toThrow('must not be decoded');
  });

  it('is not made of planes that are being decoded', async () => {
    const cache = createCache(30);
    const decode = controlled();
    cache.put('a', 20, decode.promise, { claimant: 'me' });
    cache.put('b', 10, plane(), { claimant: 'me' });
    await turn();
    expect(() => cache.makeRoom(11)).toThrow(expect.objectContaining({ code: 'capacity_exceeded' }));
    // It did not help, so nothing was dropped.
    (await cache.read('b', 10, never, ME)).release();
    decode.resolve(planeOf([1]));
    await turn();
    cache.makeRoom(30);
    expect(cache.usedBytes).toBe(0);
  });

  it('can be too little for ever', () => {
    const cache = createCache(30);
    expect(cache.fits(30)).toBe(true);
    expect(cache.fits(31)).toBe(false);
    expect(() => cache.makeRoom(31)).toThrow(
      expect.objectContaining({ code: 'plane_too_large', message: expect.stringContaining('Ask for fewer channels') }),
    );
  });
});

describe('a plane', () => {
  it('is decoded once for all who ask at the same time', async () => {
    const cache = createCache(100);
    const decode = controlled();
    let decodes = 0;
    const start = () => {
      decodes++;
      return decode.promise;
    };
    const readers = [cache.read('a', 10, start, ME), cache.read('a', 10, start, ME), cache.read('a', 10, start, ME)];
    decode.resolve(planeOf([1, 2, 3]));
    expect((await Promise.all(readers)).map(valuesOf)).toEqual([
      [1, 2, 3],
      [1, 2, 3],
      [1, 2, 3],
    ]);
    await cache.read('a', 10, start, ME);
    expect(decodes).toBe(1);
  });

  it('that failed is decoded anew for the next one', async () => {
    const cache = createCache(100);
    await expect(cache.read('a', 10, () => Promise.reject(new Error('disk gone')), ME)).rejects.toThrow('disk gone');
    expect(cache.usedBytes).toBe(0);
    expect(valuesOf(await cache.read('a', 10, async () => planeOf([7]), ME))).toEqual([7]);
  });

  it('that an open gave up is gone with its bytes', async () => {
    const cache = createCache(100);
    const decode = controlled();
    cache.put('a', 10, decode.promise, { claimant: 'me' });
    cache.remove('a');
    // The decode still runs, so its memory still counts.
    expect(cache.usedBytes).toBe(10);
    decode.reject(new Error('stopped'));
    await turn();
    expect(cache.usedBytes).toBe(0);
  });

  it('that is removed while it is decoded still reaches who waits for it', async () => {
    const cache = createCache(100);
    const decode = controlled();
    const reader = cache.read('a', 10, () => decode.promise, ME);
    cache.remove('a');
    decode.resolve(planeOf([5]));
    expect(valuesOf(await reader)).toEqual([5]);
    await turn();
    expect(cache.usedBytes).toBe(0);
  });

  it('goes on being decoded when one of two callers leaves', async () => {
    const cache = createCache(100);
    const decode = controlled();
    const leaving = new AbortController();
    let stopped = false;
    const start = (signal: AbortSignal) => {
      signal.addEventListener('abort', () => {
        stopped = true;
      });
      return decode.promise;
    };
    const first = cache.read('a', 10, start, { claimant: 'me', signal: leaving.signal });
    const second = cache.read('a', 10, start, ME);
    leaving.abort(new Error('left'));
    await expect(first).rejects.toThrow('left');
    expect(stopped).toBe(false);
    decode.resolve(planeOf([9]));
    expect(valuesOf(await second)).toEqual([9]);
  });

  it('stops being decoded when the last caller leaves, and the next one starts anew', async () => {
    const cache = createCache(100);
    const leaving = new AbortController();
    const start = (signal: AbortSignal) =>
      new Promise<PinnedPlane>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const reader = cache.read('a', 10, start, { claimant: 'me', signal: leaving.signal });
    leaving.abort(new Error('left'));
    await expect(reader).rejects.toThrow('left');
    expect(valuesOf(await cache.read('a', 10, async () => planeOf([1]), ME))).toEqual([1]);
    expect(cache.usedBytes).toBe(10);
  });

  it('is not even looked for when its caller has left already', async () => {
    const cache = createCache(100);
    await expect(
      cache.read('a', 10, never, { claimant: 'me', signal: AbortSignal.abort(new Error('left')) }),
    ).rejects.toThrow('left');
    expect(cache.usedBytes).toBe(0);
  });
});

describe('a plane that is taken', () => {
  it('is one in memory: nobody waits for a decode', async () => {
    const cache = createCache(100);
    expect(cache.take('a', ME)).toBeUndefined();
    const decode = controlled();
    cache.put('a', 10, decode.promise, { claimant: 'one' });
    expect(cache.take('a', ME)).toBeUndefined();
    cache.drop('me');
    decode.resolve(planeOf([4]));
    await turn();
    expect(valuesOf(cache.take('a', ME)!)).toEqual([4]);
  });

  it('stays until it is released, and is claimed', async () => {
    const cache = createCache(30);
    cache.put('a', 20, plane(), { claimant: 'one' });
    await turn();
    const taken = cache.take('a', ME)!;
    cache.drop('one');
    expect(() => cache.makeRoom(11)).toThrow(expect.objectContaining({ code: 'capacity_exceeded' }));
    taken.release();
    expect(cache.usedBytes).toBe(20);
    cache.drop('me');
    expect(cache.usedBytes).toBe(0);
  });

  it('is dropped last', async () => {
    const cache = createCache(30);
    for (const key of ['a', 'b', 'c']) cache.put(key, 10, plane(), { claimant: 'one' });
    await turn();
    cache.take('a', ME)!.release();
    cache.makeRoom(20);
    expect(['a', 'b', 'c'].map((key) => cache.holds(key))).toEqual([true, false, false]);
  });
});

describe('a plane that is being sent', () => {
  it('stays when room is needed, and counts', async () => {
    const cache = createCache(30);
    cache.put('a', 20, plane(), { claimant: 'me' });
    const pinned = await cache.read('a', 20, never, ME);
    expect(() => cache.makeRoom(11)).toThrow(expect.objectContaining({ code: 'capacity_exceeded' }));
    pinned.release();
    cache.makeRoom(11);
    expect(cache.usedBytes).toBe(0);
  });

  it('keeps its memory after its session has ended, until the last one has sent it', async () => {
    const arena = new PlaneArena(2 ** 24);
    const cache = new PlaneCache(arena);
    const bytes = 2 ** 20;
    const builder = new PlaneBuilder(arena, 1, bytes / 4);
    cache.put('a', bytes, builder.plane, { claimant: 'me' });
    await builder.fill({ first: 0, count: 1 }, async ({ blocks }) => {
      for (const { buffer } of blocks) new Float32Array(buffer).fill(5);
    });
    const [first, second] = await Promise.all([cache.read('a', bytes, never, ME), cache.read('a', bytes, never, ME)]);
    cache.remove('a');
    first.release();
    first.release();
    expect([arena.state.outBytes, arena.state.freeBytes, cache.usedBytes]).toEqual([bytes, 0, bytes]);
    // Another plane of the size does not get this memory.
    new Float32Array(arena.take(bytes).buffer).fill(9);
    expect(samplesOf(second.data).every((value) => value === 5)).toBe(true);
    second.release();
    expect([arena.state.outBytes, arena.state.freeBytes, cache.usedBytes]).toEqual([bytes, bytes, 0]);
  });
});

describe('memory that a decode takes beside its planes', () => {
  it('counts while the decode runs, and drops planes like planes do', async () => {
    const cache = createCache(30);
    cache.put('a', 20, plane(), { claimant: 'me' });
    await turn();
    await cache.withScratch(15, async () => {
      expect(cache.usedBytes).toBe(0);
      expect([cache.hasRoom(15), cache.hasRoom(16)]).toEqual([true, false]);
      expect(() => cache.makeRoom(16)).toThrow(expect.objectContaining({ code: 'capacity_exceeded' }));
    });
    expect(cache.hasRoom(30)).toBe(true);
    await expect(cache.withScratch(30, () => Promise.reject(new Error('damaged')))).rejects.toThrow('damaged');
    expect(cache.hasRoom(30)).toBe(true);
  });
});

describe('the account of bytes', () => {
  const step = fc.record({
    what: fc.constantFrom('put', 'finish', 'fail', 'remove', 'room'),
    which: fc.nat(9),
    size: fc.integer({ min: 1, max: 40 }),
  });

  it('is exact and within the budget, whatever happens', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const cache = createCache(100);
        /** Every decode that was started and its bytes, until it is known to have ended. */
        const decoding: { key: string; size: number; decode: ReturnType<typeof controlled> }[] = [];
        for (const [n, { what, which, size }] of steps.entries()) {
          const one = decoding[which % Math.max(1, decoding.length)];
          if (what === 'put') {
            try {
              cache.makeRoom(size);
              const decode = controlled();
              cache.put(`p${n}`, size, decode.promise, { claimant: 'me' });
              decoding.push({ key: `p${n}`, size, decode });
            } catch (error) {
              // Only what is being decoded can be in the way.
              const busy = decoding.reduce((sum, entry) => sum + entry.size, 0);
              expect(busy + size, String(error)).toBeGreaterThan(100);
            }
          } else if (what === 'room') {
            const busy = decoding.reduce((sum, entry) => sum + entry.size, 0);
            if (busy + size <= 100) cache.makeRoom(size);
          } else if (one && what === 'remove') {
            cache.remove(one.key);
          } else if (one) {
            decoding.splice(decoding.indexOf(one), 1);
            if (what === 'fail') one.decode.reject(new Error('failed'));
            else one.decode.resolve(planeOf([one.size]));
            await turn();
          }
          expect(cache.usedBytes).toBeGreaterThanOrEqual(decoding.reduce((sum, entry) => sum + entry.size, 0));
          expect(cache.usedBytes).toBeLessThanOrEqual(100);
        }
        for (const { decode } of decoding) decode.reject(new Error('failed'));
        await turn();
        cache.makeRoom(100);
        expect(cache.usedBytes).toBe(0);
      }),
      { numRuns: 300 },
    );
  });
});

describe('a plane that is decoded', () => {
  it('is counted before its decode makes room for what it takes beside it', async () => {
    const cache = createCache(30);
    const decode = (scratch: number) => () => cache.withScratch(scratch, plane);
    await expect(cache.read('a', 10, decode(21), ME)).rejects.toMatchObject({ code: 'capacity_exceeded' });
    (await cache.read('a', 10, decode(20), ME)).release();
    expect(cache.usedBytes).toBe(10);
  });
});

describe('a plane that is read ahead', () => {
  const ahead = (cache: PlaneCache, key: string, owner?: string) => {
    const decode = controlled();
    const signals: AbortSignal[] = [];
    const start = (signal: AbortSignal) => {
      signals.push(signal);
      signal.addEventListener('abort', () => decode.reject(signal.reason));
      return decode.promise;
    };
    const stop = new AbortController();
    const reader = { claimant: 'me', owner, signal: stop.signal, ahead: stop };
    const read = cache.mayReadAhead(key, 10, owner)
      ? cache.read(key, 10, start, reader).then(({ release }) => release())
      : undefined;
    read?.catch(() => {});
    return {
      ...decode,
      read,
      stop: () => stop.abort(new Error('not needed')),
      isStopped: () => signals.some(({ aborted }) => aborted),
    };
  };

  it('is decoded once, for all who ask for it meanwhile', async () => {
    const cache = createCache(100);
    const { resolve, read } = ahead(cache, 'a');
    const asked = [cache.read('a', 10, never, ME), cache.read('a', 10, never, { claimant: 'other' })];
    resolve(planeOf([3]));
    expect((await Promise.all(asked)).map(valuesOf)).toEqual([[3], [3]]);
    await read;
    expect(valuesOf(await cache.read('a', 10, never, ME))).toEqual([3]);
    for (const claimant of ['me', 'other']) cache.drop(claimant);
    expect(cache.usedBytes).toBe(0);
  });

  it('is not started when it is there or on its way, nor when another plane had to be dropped for it', async () => {
    const cache = createCache(29);
    cache.put('there', 10, plane(), ME);
    const coming = controlled();
    cache.put('coming', 10, coming.promise, ME);
    await turn();
    for (const key of ['there', 'coming', 'new']) expect(ahead(cache, key).read).toBeUndefined();
    coming.resolve(planeOf([0]));
    await turn();
    expect([cache.holds('there'), cache.holds('coming'), cache.usedBytes]).toEqual([true, true, 20]);
  });

  it('counts what others take beside planes, and the share of its owner', async () => {
    const cache = new PlaneCache(new PlaneArena(100), 20);
    cache.put('one', 10, plane(), { claimant: 'me', owner: 'ana' });
    const release = await cache.reserve(5, 'ana');
    expect(ahead(cache, 'two', 'ana').read).toBeUndefined();
    release();
    expect(ahead(cache, 'two', 'ana').read).toBeDefined();
    expect(ahead(cache, 'three', 'ana').read).toBeUndefined();
    expect(cache.hasRoom(81)).toBe(false);
    expect(cache.hasRoom(80)).toBe(true);
  });

  it('goes on when a client who waits for it leaves, and ends with who reads ahead unless a client waits', async () => {
    const cache = createCache(100);
    const first = ahead(cache, 'a');
    const client = new AbortController();
    const left = cache.read('a', 10, never, { ...ME, signal: client.signal });
    client.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    expect(first.isStopped()).toBe(false);
    first.stop();
    await expect(first.read!).rejects.toThrow();
    expect([first.isStopped(), cache.usedBytes]).toEqual([true, 0]);
    const second = ahead(cache, 'b');
    const asked = cache.read('b', 10, never, ME);
    second.stop();
    await turn();
    expect(second.isStopped()).toBe(false);
    second.resolve(planeOf([4]));
    expect(valuesOf(await asked)).toEqual([4]);
  });

  it('is decoded by a reader when it fails', async () => {
    const cache = createCache(100);
    const { reject } = ahead(cache, 'a');
    const asked = cache.read('a', 10, async () => planeOf([8]), ME);
    reject(new Error('no worker is free'));
    expect(valuesOf(await asked)).toEqual([8]);
  });

  it('gives way to who needs its memory, but not when somebody waits for it', async () => {
    const cache = createCache(40);
    const [first, second, third] = ['a', 'b', 'c'].map((key) => ahead(cache, key));
    const asked = cache.read('c', 10, never, ME);
    expect(valuesOf(await cache.read('d', 30, async () => planeOf([5]), { claimant: 'other' }))).toEqual([5]);
    expect([first, second, third].map((each) => each!.isStopped())).toEqual([true, true, false]);
    third!.resolve(planeOf([6]));
    expect(valuesOf(await asked)).toEqual([6]);
  });

  it('gives way to planes of its owner only where that is of use', async () => {
    const cache = new PlaneCache(new PlaneArena(100), 20);
    const [hers, his] = [ahead(cache, 'a', 'ana'), ahead(cache, 'b', 'ben')];
    const reader = { claimant: 'other', owner: 'ana' };
    (await cache.read('c', 20, async () => planeOf([5]), reader)).release();
    expect([hers.isStopped(), his.isStopped()]).toEqual([true, false]);
  });
});
