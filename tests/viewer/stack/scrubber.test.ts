import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Place } from '../../../packages/viewer/src/stack/place.ts';
import { createScrubber } from '../../../packages/viewer/src/stack/scrubber.ts';

const at = (T: number): Place => ({ T, Z: 0 });

/** A server that answers when the test says so. */
function byHand({ ahead = 0 }: { ahead?: number } = {}) {
  const loaded = new Set<number>();
  const shown: number[] = [];
  const failures: number[] = [];
  const aborted: number[] = [];
  const requests: number[] = [];
  const running = new Map<number, { finish: () => void; fail: () => void }>();
  const scrubber = createScrubber({
    isLoaded: ({ T }) => loaded.has(T),
    show: ({ T }) => shown.push(T),
    fail: ({ T }) => failures.push(T),
    neighbors: ({ T }) => Array.from({ length: ahead }, (_, i) => at(T + i + 1)),
    load: ({ T }, signal) =>
      new Promise<void>((resolve, reject) => {
        requests.push(T);
        const finish = () => {
          running.delete(T);
          loaded.add(T);
          resolve();
        };
        const fail = () => {
          running.delete(T);
          reject(new Error('corrupted'));
        };
        running.set(T, { finish, fail });
        signal.addEventListener('abort', () => {
          running.delete(T);
          aborted.push(T);
          reject(signal.reason);
        });
      }),
  });
  const settle = () => vi.advanceTimersByTimeAsync(0);
  return {
    ...{ scrubber, loaded, shown, failures, aborted, requests, running },
    want: (T: number) => scrubber.want(at(T)),
    async finish(T: number) {
      running.get(T)?.finish();
      await settle();
    },
    async fail(T: number) {
      running.get(T)?.fail();
      await settle();
    },
  };
}

describe('scrubbing', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('shows planes that came while the slider moves on, and ends with the newest', async () => {
    const hand = byHand();
    for (const T of [1, 2, 3, 4, 5]) hand.want(T);
    expect(hand.requests).toEqual([1, 2]);
    await hand.finish(1);
    expect(hand.shown).toEqual([1]);
    expect(hand.requests).toEqual([1, 2, 5]);
    await hand.finish(2);
    await hand.finish(5);
    expect(hand.shown).toEqual([1, 2, 5]);
    expect(hand.aborted).toEqual([]);
  });

  it('never goes back to a plane that was wanted earlier', async () => {
    const hand = byHand();
    hand.want(1);
    hand.want(2);
    await hand.finish(2);
    await hand.finish(1);
    expect(hand.shown).toEqual([2]);
    // It is there for the next time.
    hand.want(1);
    expect(hand.shown).toEqual([2, 1]);
    expect(hand.requests).toEqual([1, 2]);
  });

  it('gives up a slow request for the newest place, but finishes one in any case', async () => {
    const hand = byHand();
    for (const T of [1, 2, 3]) hand.want(T);
    await vi.advanceTimersByTimeAsync(1499);
    expect(hand.aborted).toEqual([]);
    await vi.advanceTimersByTimeAsync(2);
    expect(hand.aborted).toEqual([2]);
    expect(hand.requests).toEqual([1, 2, 3]);
    await vi.advanceTimersByTimeAsync(5000);
    for (const T of [4, 5, 6]) {
      hand.want(T);
      await vi.advanceTimersByTimeAsync(1600);
    }
    expect(hand.aborted).not.toContain(1);
    expect(hand.running.has(6)).toBe(true);
    await hand.finish(1);
    await hand.finish(6);
    expect(hand.shown).toEqual([1, 6]);
  });

  it('reads neighbors ahead, one at a time beside the wanted plane', async () => {
    const hand = byHand({ ahead: 3 });
    hand.want(1);
    expect(hand.requests).toEqual([1, 2, 3]);
    await hand.finish(2);
    expect(hand.shown).toEqual([]);
    expect(hand.requests).toEqual([1, 2, 3, 4]);
    await hand.finish(1);
    expect(hand.shown).toEqual([1]);
    hand.want(2);
    expect(hand.shown).toEqual([1, 2]);
    // What is read ahead already is not requested twice.
    hand.want(3);
    await hand.finish(3);
    expect(hand.shown).toEqual([1, 2, 3]);
    expect(hand.requests.filter((T) => T === 3).length).toBe(1);
  });

  it('finishes what it reads ahead when the slider jumps, unless that takes long', async () => {
    const hand = byHand({ ahead: 3 });
    hand.want(1);
    expect(hand.requests).toEqual([1, 2, 3]);
    hand.want(50);
    expect(hand.running.has(50)).toBe(true);
    expect(hand.aborted).toEqual([]);
    await hand.finish(1);
    await vi.advanceTimersByTimeAsync(1500);
    hand.want(80);
    expect(hand.aborted).toEqual([2, 3]);
    expect(hand.running.has(80)).toBe(true);
  });

  it('aborts nothing and reads hardly anything in vain while the slider moves fast', async () => {
    const hand = byHand({ ahead: 3 });
    hand.want(0);
    for (const T of [1, 2, 3]) await hand.finish(T);
    await hand.finish(0);
    for (let T = 10; T < 200; T += 10) {
      hand.want(T);
      // Two frames of the slider for each plane that comes.
      if (T % 20 === 0) await hand.finish([...hand.running.keys()][0] ?? -1);
    }
    for (let i = 0; i < 5; i++) await hand.finish([...hand.running.keys()][0] ?? -1);
    expect(hand.aborted).toEqual([]);
    expect(hand.shown.at(-1)).toBe(190);
    const inVain = hand.requests.filter((T) => T > 3 && T < 190 && !hand.shown.includes(T));
    // The neighbors of the first plane, when nothing tells yet how fast the slider moves.
    expect(inVain).toEqual([11, 12]);
    expect(hand.shown.length).toBeGreaterThan(8);
  });

  it('reads nothing ahead while the slider outruns the planes, and does so again when it rests', async () => {
    const hand = byHand({ ahead: 2 });
    hand.want(10);
    for (const T of [10, 11, 12]) await hand.finish(T);
    for (let T = 20; T < 50; T += 3) {
      hand.want(T);
      // The next position comes before the plane of this one.
      await hand.finish(T - 3);
    }
    // The neighbors of the first jump, when nothing tells yet how fast the slider moves.
    for (const T of [21, 22]) await hand.finish(T);
    expect(hand.requests.filter((T) => T > 22 && T % 3 !== 2)).toEqual([]);
    await hand.finish(47);
    expect(hand.shown.at(-1)).toBe(47);
    expect([...hand.running.keys()]).toEqual([48, 49]);
  });

  it('reports a wanted plane that cannot be read, and reads it again on request', async () => {
    const hand = byHand();
    hand.want(1);
    await hand.fail(1);
    expect(hand.failures).toEqual([1]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(hand.requests).toEqual([1]);
    hand.scrubber.retry();
    await hand.finish(1);
    expect(hand.shown).toEqual([1]);
  });

  it('does not try a neighbor that cannot be read again and again', async () => {
    const hand = byHand({ ahead: 1 });
    hand.want(1);
    await hand.fail(2);
    await hand.finish(1);
    expect(hand.requests).toEqual([1, 2]);
    expect(hand.failures).toEqual([]);
    hand.want(2);
    expect(hand.requests).toEqual([1, 2, 2, 3]);
  });

  it('aborts everything when it stops', async () => {
    const hand = byHand({ ahead: 1 });
    hand.want(1);
    hand.scrubber.stop();
    await vi.advanceTimersByTimeAsync(1000);
    expect(hand.aborted).toEqual([1, 2]);
    expect(hand.shown).toEqual([]);
    expect(hand.failures).toEqual([]);
  });
});
