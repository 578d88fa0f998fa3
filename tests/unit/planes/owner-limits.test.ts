import { describe, expect, it } from 'vitest';
import { PlaneCache } from '../../../packages/server/src/planes/plane-cache.js';
import { PlaneArena } from '../../../packages/server/src/planes/plane-memory.js';
import fc from '../../support/fast-check.js';
import { planeOf } from '../../support/planes.js';

const BUDGET = 1000;
const LIMIT = 30;
const createCache = () => new PlaneCache(new PlaneArena(BUDGET), LIMIT);
const ana = (claimant: string) => ({ claimant, owner: 'ana' });
const ben = (claimant: string) => ({ claimant, owner: 'ben' });

/** Counts the decodes of each plane; all planes have 10 bytes. */
function reads(cache: PlaneCache) {
  const decodes: string[] = [];
  const read = async (key: string, reader: { claimant: string; owner?: string }) => {
    const decode = () => {
      decodes.push(key);
      return Promise.resolve(planeOf([0]));
    };
    (await cache.read(key, 10, decode, reader)).release();
  };
  return { read, decodes };
}

describe('the memory of each user', () => {
  it('counts a plane once for all sessions of the user', async () => {
    const cache = createCache();
    const { read, decodes } = reads(cache);
    for (const claimant of ['one', 'two', 'three', 'four', 'five']) await read('a', ana(claimant));
    for (const key of ['b', 'c', 'a', 'b', 'c']) await read(key, ana('one'));
    expect(decodes).toEqual(['a', 'b', 'c']);
    for (const claimant of ['two', 'three', 'four', 'five']) cache.drop(claimant);
    await read('d', ana('one'));
    // Only the plane that was read longest ago went.
    expect(['a', 'b', 'c', 'd'].map((key) => cache.holds(key))).toEqual([false, true, true, true]);
  });

  it('makes one user give up planes that only this user has, and nobody else', async () => {
    const cache = createCache();
    const { read, decodes } = reads(cache);
    for (const key of ['x', 'y', 'z']) await read(key, ben('his'));
    for (const key of ['a', 'b', 'c', 'd', 'e', 'f']) await read(key, ana('hers'));
    expect(cache.usedBytes).toBe(60);
    await Promise.all(['x', 'y', 'z'].map((key) => read(key, ben('his'))));
    expect(decodes).toEqual(['x', 'y', 'z', 'a', 'b', 'c', 'd', 'e', 'f']);
  });

  it('leaves a plane to the others who have it', async () => {
    const cache = createCache();
    const { read, decodes } = reads(cache);
    await read('shared', ana('hers'));
    await read('shared', ben('his'));
    for (const key of ['a', 'b', 'c']) await read(key, ana('hers'));
    expect([cache.holds('shared'), cache.usedBytes]).toEqual([true, 40]);
    await read('shared', ben('his'));
    expect(decodes).toEqual(['shared', 'a', 'b', 'c']);
    // She has no claim to it any more: it goes with his session.
    cache.drop('his');
    expect([cache.holds('shared'), cache.usedBytes]).toEqual([false, 30]);
  });

  it('counts a plane that somebody else has decoded', async () => {
    const cache = createCache();
    const { read } = reads(cache);
    for (const key of ['x', 'y']) await read(key, ben('his'));
    for (const key of ['a', 'b', 'x', 'y']) await read(key, ana('hers'));
    expect(['a', 'b', 'x', 'y'].map((key) => cache.holds(key))).toEqual([false, true, true, true]);
  });

  it('refuses more than the user may have, and names the limit', async () => {
    const cache = createCache();
    expect(() => cache.makeRoom(31, 'ana')).toThrow(
      'This needs 31 bytes of memory; the limit of each user is 30 (--memory-per-owner). Ask for fewer channels, or raise the limit.',
    );
    expect(cache.fits(31)).toBe(true);
    expect(() => cache.makeRoom(1001, 'ana')).toThrow('the limit is 1,000 (--memory-budget)');
    const { read } = reads(cache);
    const held = await cache.read('held', 10, () => Promise.resolve(planeOf([0])), ana('hers'));
    await read('a', ana('hers'));
    expect(() => cache.makeRoom(30, 'ana')).toThrow(
      'the limit of each user is 30 (--memory-per-owner), and other planes of yours are being decoded or sent.',
    );
    // Nothing is dropped for what cannot be done.
    expect(cache.holds('a')).toBe(true);
    cache.makeRoom(30, 'ben');
    held.release();
    cache.makeRoom(30, 'ana');
    expect([cache.holds('held'), cache.holds('a')]).toEqual([false, false]);
  });

  it('counts what is reserved beside planes until it is released, and once', async () => {
    const cache = createCache();
    const releases = [await cache.reserve(12, 'ana'), await cache.reserve(8, 'ana')];
    await cache.reserve(30, 'ben');
    cache.makeRoom(10, 'ana');
    expect(() => cache.makeRoom(11, 'ana')).toThrow('other planes of yours are being decoded or sent');
    await expect(cache.reserve(11, 'ana')).rejects.toMatchObject({ code: 'capacity_exceeded' });
    releases[0]!();
    releases[0]!();
    cache.makeRoom(22, 'ana');
    expect(() => cache.makeRoom(23, 'ana')).toThrow('other planes of yours');
    releases[1]!();
    cache.makeRoom(30, 'ana');
    expect(() => cache.makeRoom(1, 'ben')).toThrow('other planes of yours');
  });

  it('refuses to share a plane with a user who has no room for it', async () => {
    const cache = createCache();
    const { read } = reads(cache);
    await read('x', ben('his'));
    const decode = () => Promise.resolve(planeOf([0]));
    const held = await Promise.all(['a', 'b', 'c'].map((key) => cache.read(key, 10, decode, ana('hers'))));
    await expect(cache.find('x', ana('hers'))).rejects.toMatchObject({ code: 'capacity_exceeded' });
    held[0]!.release();
    (await cache.find('x', ana('hers')))!.release();
    expect([cache.holds('a'), cache.holds('x')]).toEqual([false, true]);
  });

  it('leaves it to the one who waits to make room for a plane that cannot be taken', async () => {
    const cache = createCache();
    const { read, decodes } = reads(cache);
    await read('x', ben('his'));
    const decode = () => Promise.resolve(planeOf([0]));
    const held = await Promise.all(['a', 'b', 'c'].map((key) => cache.read(key, 10, decode, ana('hers'))));
    expect(cache.take('x', ana('hers'))).toBeUndefined();
    await expect(read('x', ana('hers'))).rejects.toMatchObject({ code: 'capacity_exceeded' });
    held[0]!.release();
    cache.take('x', ana('hers'))!.release();
    expect([cache.holds('a'), cache.holds('x'), decodes]).toEqual([false, true, ['x']]);
  });

  it('refuses to wait for the plane of an open for a user who has no room for it', async () => {
    const cache = createCache();
    const decode = () => Promise.resolve(planeOf([0]));
    await Promise.all(['a', 'b', 'c'].map((key) => cache.read(key, 10, decode, ana('hers'))));
    cache.put('x', 10, new Promise(() => {}), ben('his'));
    const never = () => Promise.reject(new Error('must not be decoded'));
    await expect(cache.read('x', 10, never, ana('hers'))).rejects.toMatchObject({ code: 'capacity_exceeded' });
  });

  it('is never exceeded by a session, and is free again when all sessions have ended', async () => {
    const step = fc.record({
      owner: fc.constantFrom('ana', 'ben', 'cem'),
      session: fc.integer({ min: 0, max: 2 }),
      key: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
      ends: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const cache = createCache();
        const { read } = reads(cache);
        const sessions = new Set<string>();
        for (const { owner, session, key, ends } of steps) {
          const claimant = `${owner}-${session}`;
          if (ends) cache.drop(claimant);
          else await read(key, { claimant, owner });
          sessions.add(claimant);
          expect(cache.heldFor(claimant).bytes).toBeLessThanOrEqual(LIMIT);
        }
        for (const claimant of sessions) cache.drop(claimant);
        expect(cache.usedBytes).toBe(0);
      }),
    );
  });
});
