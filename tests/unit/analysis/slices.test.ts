import { describe, expect, it } from 'vitest';
import { Lanes } from '../../../src/analysis/lanes.js';
import { inSlices } from '../../../src/analysis/slices.js';

describe('a computation in slices', () => {
  it('lets others run between two slices, and returns its result', async () => {
    const order: string[] = [];
    function* slices(): Generator<void, string> {
      for (const name of ['first', 'second']) {
        order.push(name);
        yield;
      }
      return 'result';
    }
    setImmediate(() => order.push('another'));
    expect(await inSlices(slices())).toBe('result');
    expect(order).toEqual(['first', 'another', 'second']);
  });

  it('stops at the next slice when its client leaves', async () => {
    const controller = new AbortController();
    let slices = 0;
    function* endless(): Generator<void, never> {
      for (;;) {
        slices++;
        if (slices === 3) controller.abort(new Error('left'));
        yield;
      }
    }
    await expect(inSlices(endless(), controller.signal)).rejects.toThrow('left');
    expect(slices).toBe(3);
  });
});

describe('lanes', () => {
  it('run what waits when another computation ends or fails, unless its client has left', async () => {
    const lanes = new Lanes(1);
    const { signal } = new AbortController();
    const left = new AbortController();
    let fail: (error: Error) => void = () => {};
    const first = lanes.run(
      signal,
      () =>
        new Promise((_, reject) => {
          fail = reject;
        }),
    );
    const ran: string[] = [];
    const second = lanes.run(left.signal, async () => ran.push('second'));
    const third = lanes.run(signal, async () => ran.push('third'));
    left.abort(new Error('left'));
    fail(new Error('broken'));
    await expect(first).rejects.toThrow('broken');
    await expect(second).rejects.toThrow('left');
    await third;
    expect(ran).toEqual(['third']);
  });
});
