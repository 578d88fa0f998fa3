import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PlaneCache } from '../../../src/sessions/plane-cache.js';

const plane = (length: number) => Promise.resolve(new Uint8Array(length));
const never = () => Promise.reject(new Error('must not be decoded'));

/** A decode that the test ends. */
function controlled() {
  let resolve: (bytes: Uint8Array) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<Uint8Array>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

/** Lets promises that are settled run their handlers. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('room for planes', () => {
  it('is made by dropping what was read longest ago', async () => {
    const cache = new PlaneCache(30);
    for (const key of ['a', 'b', 'c']) cache.put(key, 10, plane(10));
    await turn();
    await cache.read('a', 10, never);
    cache.makeRoom(10);
    cache.put('d', 10, plane(10));
    expect(cache.usedBytes).toBe(30);
    await cache.read('a', 10, never);
    await cache.read('c', 10, never);
    await expect(cache.read('b', 10, never)).rejects.toThrow('must not be decoded');
  });

  it('is not made of planes that are being decoded', async () => {
    const cache = new PlaneCache(30);
    const decode = controlled();
    cache.put('a', 20, decode.promise);
    cache.put('b', 10, plane(10));
    await turn();
    expect(() => cache.makeRoom(11)).toThrow(expect.objectContaining({ code: 'capacity_exceeded' }));
    // It did not help, so nothing was dropped.
    await cache.read('b', 10, never);
    decode.resolve(new Uint8Array(20));
    await turn();
    cache.makeRoom(30);
    expect(cache.usedBytes).toBe(0);
  });

  it('can be too little for ever', () => {
    const cache = new PlaneCache(30);
    expect(cache.fits(30)).toBe(true);
    expect(cache.fits(31)).toBe(false);
    expect(() => cache.makeRoom(31)).toThrow('Ask for fewer channels');
  });
});

describe('a plane', () => {
  it('is decoded once for all who ask at the same time', async () => {
    const cache = new PlaneCache(100);
    const decode = controlled();
    let decodes = 0;
    const start = () => {
      decodes++;
      return decode.promise;
    };
    const readers = [cache.read('a', 10, start), cache.read('a', 10, start), cache.read('a', 10, start)];
    decode.resolve(Uint8Array.of(1, 2, 3));
    expect((await Promise.all(readers)).map((bytes) => [...bytes])).toEqual([
      [1, 2, 3],
      [1, 2, 3],
      [1, 2, 3],
    ]);
    await cache.read('a', 10, start);
    expect(decodes).toBe(1);
  });

  it('that failed is decoded anew for the next one', async () => {
    const cache = new PlaneCache(100);
    await expect(cache.read('a', 10, () => Promise.reject(new Error('disk gone')))).rejects.toThrow('disk gone');
    expect(cache.usedBytes).toBe(0);
    expect([...(await cache.read('a', 10, async () => Uint8Array.of(7)))]).toEqual([7]);
  });

  it('that an open gave up is gone with its bytes', async () => {
    const cache = new PlaneCache(100);
    const decode = controlled();
    cache.put('a', 10, decode.promise);
    cache.remove('a');
    // The decode still runs, so its memory still counts.
    expect(cache.usedBytes).toBe(10);
    decode.reject(new Error('stopped'));
    await turn();
    expect(cache.usedBytes).toBe(0);
  });

  it('that is removed while it is decoded still reaches who waits for it', async () => {
    const cache = new PlaneCache(100);
    const decode = controlled();
    const reader = cache.read('a', 10, () => decode.promise);
    cache.remove('a');
    decode.resolve(Uint8Array.of(5));
    expect([...(await reader)]).toEqual([5]);
    await turn();
    expect(cache.usedBytes).toBe(0);
  });

  it('goes on being decoded when one of two callers leaves', async () => {
    const cache = new PlaneCache(100);
    const decode = controlled();
    const leaving = new AbortController();
    let stopped = false;
    const start = (signal: AbortSignal) => {
      signal.addEventListener('abort', () => {
        stopped = true;
      });
      return decode.promise;
    };
    const first = cache.read('a', 10, start, leaving.signal);
    const second = cache.read('a', 10, start);
    leaving.abort(new Error('left'));
    await expect(first).rejects.toThrow('left');
    expect(stopped).toBe(false);
    decode.resolve(Uint8Array.of(9));
    expect([...(await second)]).toEqual([9]);
  });

  it('stops being decoded when the last caller leaves, and the next one starts anew', async () => {
    const cache = new PlaneCache(100);
    const leaving = new AbortController();
    const start = (signal: AbortSignal) =>
      new Promise<Uint8Array>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const reader = cache.read('a', 10, start, leaving.signal);
    leaving.abort(new Error('left'));
    await expect(reader).rejects.toThrow('left');
    expect([...(await cache.read('a', 10, async () => Uint8Array.of(1)))]).toEqual([1]);
    expect(cache.usedBytes).toBe(10);
  });

  it('is not even looked for when its caller has left already', async () => {
    const cache = new PlaneCache(100);
    await expect(cache.read('a', 10, never, AbortSignal.abort(new Error('left')))).rejects.toThrow('left');
    expect(cache.usedBytes).toBe(0);
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
        const cache = new PlaneCache(100);
        /** Every decode that was started and its bytes, until it is known to have ended. */
        const decoding: { key: string; size: number; decode: ReturnType<typeof controlled> }[] = [];
        for (const [n, { what, which, size }] of steps.entries()) {
          const one = decoding[which % Math.max(1, decoding.length)];
          if (what === 'put') {
            try {
              cache.makeRoom(size);
              const decode = controlled();
              cache.put(`p${n}`, size, decode.promise);
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
            else one.decode.resolve(new Uint8Array(one.size));
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
