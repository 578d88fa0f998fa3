import { describe, expect, it } from 'vitest';
import {
  type GridAxis,
  gridSize,
  planeNumber,
  toDigits,
  toIndices,
  toLinear,
} from '../../../packages/readers/src/model/metadata/mixed-radix.js';

const AXES: GridAxis[] = [
  { kind: 'C', size: 2 },
  { kind: 'Z', size: 3 },
  { kind: 'T', size: 4 },
];
const TWO_TIME_AXES: GridAxis[] = [
  { kind: 'T', size: 2 },
  { kind: 'Z', size: 3 },
  { kind: 'T', size: 5 },
];

describe('mixed-radix index', () => {
  it('counts the first axis fastest', () => {
    expect(toLinear(AXES, { C: 1 })).toBe(1);
    expect(toLinear(AXES, { Z: 1 })).toBe(2);
    expect(toLinear(AXES, { T: 1 })).toBe(6);
    expect(toLinear(AXES, { C: 1, Z: 2, T: 3 })).toBe(23);
    expect(planeNumber(AXES, { scene: 0, channel: 1, t: 2, z: 0 })).toBe(13);
  });

  it('counts the first of two axes of one kind faster', () => {
    // T 0 and 1 are neighbors; T 2 follows after all three sections of both.
    expect([0, 1, 2, 3, 4].map((T) => toLinear(TWO_TIME_AXES, { T }))).toEqual([0, 1, 6, 7, 12]);
    expect(toIndices(TWO_TIME_AXES, 9)).toEqual({ S: 0, C: 0, T: 3, Z: 1 });
  });

  it.each([
    ['one axis of each kind', AXES],
    ['two axes of one kind', TWO_TIME_AXES],
  ])('finds every plane again at its indices: %s', (_, axes) => {
    const numbers = Array.from({ length: gridSize(axes) }, (_, linear) => linear);
    const indices = numbers.map((linear) => toIndices(axes, linear));
    expect(indices.map((each) => toLinear(axes, each))).toEqual(numbers);
    expect(new Set(indices.map((each) => JSON.stringify(each))).size).toBe(numbers.length);
  });

  it('has one plane when there are no axes', () => {
    expect(gridSize([])).toBe(1);
    expect(toLinear([], { T: 7 })).toBe(0);
    expect(toIndices([], 0)).toEqual({ S: 0, C: 0, T: 0, Z: 0 });
  });

  it('splits a number into one index for each axis, slowest first', () => {
    expect(toDigits([4, 3, 2], 0)).toEqual([0, 0, 0]);
    expect(toDigits([4, 3, 2], 23)).toEqual([3, 2, 1]);
    expect(toDigits([4, 3, 2], 7)).toEqual([1, 0, 1]);
    expect(toDigits([], 0)).toEqual([]);
  });

  it('multiplies the sizes of one kind, or of all axes', () => {
    expect(gridSize(TWO_TIME_AXES, 'T')).toBe(10);
    expect(gridSize(TWO_TIME_AXES, 'C')).toBe(1);
    expect(gridSize(TWO_TIME_AXES)).toBe(30);
  });
});
