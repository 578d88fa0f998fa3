import { describe, expect, it } from 'vitest';
import { costOf, type Movement, placesAhead } from '../../../packages/viewer/src/stack/reach.ts';

const at = (T: number, Z = 0) => ({ T, Z });
const forward: Movement = { dim: 'T', sign: 1, size: 20, wraps: false };
const indices = (T: number, movement: Movement, count = 8) =>
  placesAhead(at(T), movement, count).map((place) => place.T);

describe('planes worth having', () => {
  it('are those ahead of the movement, then those behind it', () => {
    expect(indices(5, forward)).toEqual([6, 7, 8, 9, 10, 11, 4, 3]);
    expect(indices(5, { ...forward, sign: -1 })).toEqual([4, 3, 2, 1, 0, 6, 7]);
    expect(indices(19, forward)).toEqual([18, 17]);
  });

  it('go on at the other end in a loop', () => {
    expect(indices(18, { ...forward, wraps: true })).toEqual([19, 0, 1, 2, 3, 4, 17, 16]);
    expect(indices(0, { ...forward, size: 2, wraps: true }).every((T) => T === 1)).toBe(true);
  });

  it('are no more than there is room for', () => {
    expect(indices(5, forward, 2)).toEqual([6, 7]);
    expect(indices(5, forward, -3)).toEqual([]);
  });

  it('cost more the farther away they are, twice as much behind, and most in another section', () => {
    const cost = (T: number, Z = 0, movement = forward) => costOf(at(T, Z), at(10), movement);
    expect([cost(10), cost(13), cost(7), cost(10, 1) > cost(19)]).toEqual([0, 3, 6, true]);
    // In a loop, the first planes come soon after the last.
    expect(costOf(at(1), at(18), { ...forward, wraps: true })).toBe(3);
  });
});
