import { describe, expect, it } from 'vitest';
import {
  indexAtValue,
  isGapAfter,
  measuredText,
  toMeasuredAxes,
  toMeasuredAxis,
  valueAtIndex,
} from '../../../packages/viewer/src/model/measured-axis.ts';

const axisOf = (...values: number[]) => toMeasuredAxis(Float64Array.from(values))!;

describe('an axis of measured values', () => {
  it('places what is between two values, and what is beyond them', () => {
    const axis = axisOf(0, 0.1, 0.2, 5, 10, 15);
    expect(axis).toMatchObject({ uneven: true });
    expect(axis.typical).toBeCloseTo(4.8, 9);
    const pairs = [
      [-1, -4.8],
      [0, 0],
      [0.5, 0.05],
      [2, 0.2],
      [2.5, 2.6],
      [5, 15],
      [5.5, 17.4],
    ] as const;
    for (const [index, value] of pairs) {
      expect([index, valueAtIndex(axis, index)]).toEqual([index, expect.closeTo(value, 9)]);
      expect([value, indexAtValue(axis, value)]).toEqual([value, expect.closeTo(index, 9)]);
    }
  });

  it('fills what the file lacks, and keeps that it lacks it', () => {
    const axis = axisOf(Number.NaN, 0, Number.NaN, 4, 6, Number.NaN);
    expect([...axis.filled]).toEqual([-2, 0, 2, 4, 6, 8]);
    expect([...axis.values]).toEqual([Number.NaN, 0, Number.NaN, 4, 6, Number.NaN]);
    expect(axis.uneven).toBe(false);
  });

  it('may descend, as depths do', () => {
    const axis = axisOf(0, -1, -3);
    expect(valueAtIndex(axis, 1.5)).toBe(-2);
    expect(indexAtValue(axis, -2)).toBe(1.5);
    expect(indexAtValue(axis, axis.typical + -3)).toBe(3);
  });

  it('is none without two values, or when they go back and forth', () => {
    for (const values of [[], [1], [Number.NaN, 3], [2, 2, 2], [0, 2, 1]]) {
      expect([values, toMeasuredAxis(Float64Array.from(values))]).toEqual([values, null]);
    }
    expect(Object.keys(toMeasuredAxes({ T: Float64Array.of(0, 1), Z: Float64Array.of(1, 1) }))).toEqual(['T']);
  });

  it('has a gap where a wait is longer than those beside it, not where the interval changes', () => {
    const gaps = (...values: number[]) => values.flatMap((_, i) => (isGapAfter(axisOf(...values), i) ? [i] : []));
    expect(gaps(0, 1, 2, 60, 61, 62)).toEqual([2]);
    expect(gaps(0, 1, 2, 3, 60)).toEqual([3]);
    expect(gaps(0, 0.1, 0.2, 5, 10, 15)).toEqual([]);
    expect(gaps(0, 1)).toEqual([]);
  });

  it('is written with the decimals that tell its values apart', () => {
    const seconds = { unit: 's', factor: 1 };
    expect(measuredText(axisOf(0, 30.02, 60.01), 30.02, seconds)).toBe('30.02 s');
    expect(measuredText(axisOf(0, 30.021_234, 60.01), 60.01, seconds)).toBe('60.01 s');
    expect(measuredText(axisOf(0, 1, 2), 2, seconds)).toBe('2.0 s');
    expect(measuredText(axisOf(0, 1 / 3, 2 / 3), 1 / 3, seconds)).toBe('0.3333 s');
    expect(measuredText(axisOf(0, 0.0125, 0.025), 0.0125, { unit: 'ms', factor: 1000 })).toBe('12.5 ms');
    expect(measuredText(axisOf(0, -1, -2.5), -2.5, { unit: 'µm', factor: 1 })).toBe('−2.5 µm');
  });
});
