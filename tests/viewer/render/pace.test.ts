import { effect } from '@preact/signals';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Pace } from '../../../packages/viewer/src/render/pace.ts';

describe('coarse pictures during a movement', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** A card whose pictures take `full` milliseconds in full; `move` changes what it shows. */
  function card(full: number) {
    const pace = new Pace();
    const target = {};
    let key = 0;
    const drawn: number[] = [];
    const draw = () => {
      const coarseness = pace.begin(target, String(key));
      const cost = full / coarseness ** 2;
      vi.advanceTimersByTime(cost);
      drawn.push(coarseness);
      pace.end(target, cost);
    };
    return {
      drawn,
      draw,
      move: () => {
        key++;
        draw();
      },
    };
  }

  it('draw fast pictures always in full', () => {
    const { move, drawn } = card(10);
    for (let i = 0; i < 5; i++) move();
    expect(drawn).toEqual([1, 1, 1, 1, 1]);
  });

  it('start with a full picture and get coarser the slower it was', () => {
    for (const [full, coarse] of [
      [30, 2],
      [300, 4],
    ] as const) {
      const { move, drawn } = card(full);
      for (let i = 0; i < 3; i++) move();
      vi.advanceTimersByTime(5000);
      for (let i = 0; i < 3; i++) move();
      expect(drawn).toEqual([1, coarse, coarse, 1, coarse, coarse]);
    }
  });

  it('end with a full picture when the movement stops, by the signal that was read', () => {
    const { draw, move, drawn } = card(100);
    move();
    const forget = effect(move);
    vi.advanceTimersByTime(100);
    expect(drawn).toEqual([1, 4]);
    forget();
    const again = effect(draw);
    expect(drawn).toEqual([1, 4, 4]); // nothing moved, but it has not rested yet
    vi.advanceTimersByTime(320);
    expect(drawn).toEqual([1, 4, 4, 1]);
    vi.advanceTimersByTime(1000);
    expect(drawn.length).toBe(4);
    again();
  });

  it('are independent for each target', () => {
    const pace = new Pace();
    const [a, b] = [{}, {}];
    pace.begin(a, '1');
    pace.end(a, 500);
    expect(pace.begin(a, '2')).toBe(4);
    expect(pace.begin(b, '1')).toBe(1);
  });
});
