import { describe, expect, it } from 'vitest';
import { dividerAfterKey, settleDivider } from '../../../viewer/src/image/split.ts';

describe('the divider', () => {
  it.each([
    // Of 960 px a part has at least 96, a tenth; below half of that it closes.
    [0.5, 0.5],
    [0.07, 0.1],
    [0.04, 0],
    [0.93, 0.9],
    [0.96, 1],
    [-3, 0],
    [7, 1],
  ])('at %d of 960 px stands at %d', (share, place) => expect(settleDivider(share, 960)).toBeCloseTo(place, 12));

  it('shows one part or half of each when both do not fit', () => {
    expect([0.2, 0.5, 0.8].map((share) => settleDivider(share, 150))).toEqual([0, 0.5, 1]);
  });

  const press = (key: string, share: number, shiftKey = false) => dividerAfterKey({ key, shiftKey }, share, 0.7, 960);

  it('moves by keys, closes at its end and opens again', () => {
    expect(press('ArrowUp', 0.5)).toBeCloseTo(0.48, 12);
    expect(press('ArrowDown', 0.5, true)).toBeCloseTo(0.6, 12);
    expect(press('ArrowUp', 0.11)).toBeCloseTo(0.1, 12);
    expect(press('ArrowUp', 0.1)).toBe(0);
    expect(press('ArrowDown', 0)).toBeCloseTo(0.1, 12);
    expect(press('ArrowDown', 0.9)).toBe(1);
    expect(press('ArrowUp', 1)).toBeCloseTo(0.9, 12);
    expect(press('Home', 0.5)).toBe(0);
    expect(press('End', 0.5)).toBe(1);
    expect(press('Enter', 0.5)).toBe(0);
    expect(press('Enter', 0)).toBe(0.7);
    expect(press('x', 0.5)).toBeNull();
  });
});
