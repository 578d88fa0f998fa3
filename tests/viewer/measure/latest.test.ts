import { describe, expect, it } from 'vitest';
import { createLatest } from '../../../packages/viewer/src/measure/latest.ts';

const settled = () => new Promise((resolve) => setTimeout(resolve));

/** Work that ends when the test says so. */
function byHand() {
  const begun: number[] = [];
  const done: number[] = [];
  const ends: (() => void)[] = [];
  const work = (input: number, signal: AbortSignal) => {
    begun.push(input);
    return new Promise<void>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
      ends.push(() => {
        done.push(input);
        resolve();
      });
    });
  };
  return { begun, done, work, end: () => ends.at(-1)?.() };
}

describe('work for the newest input', () => {
  it('finishes running work, skips outdated inputs, and ends with the newest', async () => {
    const hand = byHand();
    const latest = createLatest(hand.work, () => 0);
    for (const input of [1, 2, 3, 4]) latest.request(input);
    expect(hand.begun).toEqual([1]);
    hand.end();
    await settled();
    expect(hand.begun).toEqual([1, 4]);
    hand.end();
    await settled();
    latest.request(5);
    hand.end();
    await settled();
    expect(hand.done).toEqual([1, 4, 5]);
  });

  it('aborts long work only for a newer input', async () => {
    const hand = byHand();
    let time = 0;
    const latest = createLatest(hand.work, () => time);
    latest.request(1);
    time = 100;
    latest.request(2);
    await settled();
    expect(hand.begun).toEqual([1]);
    time = 200;
    latest.request(3);
    await settled();
    expect(hand.begun).toEqual([1, 3]);
    hand.end();
    await settled();
    expect(hand.done).toEqual([3]);
  });

  it('does nothing after it was stopped', async () => {
    const hand = byHand();
    const latest = createLatest(hand.work, () => 0);
    latest.request(1);
    latest.request(2);
    latest.stop();
    await settled();
    expect(hand.begun).toEqual([1]);
  });
});
