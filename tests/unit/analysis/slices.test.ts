import { describe, expect, it } from 'vitest';
import { inSlices } from '../../../packages/readers/src/derive/analysis/slices.js';

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
