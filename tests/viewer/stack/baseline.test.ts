import { describe, expect, it } from 'vitest';
import { baselineOf, relativeTo } from '../../../viewer/src/stack/baseline.ts';

const VALUES = Float32Array.of(10, 12, Number.NaN, 14, 40, 20);

describe('the baseline of a trace', () => {
  it('is the mean of the chosen values, without those that are not finite', () => {
    expect(baselineOf(VALUES, { kind: 'range', from: 0, to: 4 })).toBe(12);
    expect(baselineOf(VALUES, { kind: 'range', from: 2, to: 3 })).toBeNaN();
  });

  it('is a percentile as numpy computes it', () => {
    // numpy.percentile([10, 12, 14, 40, 20], [0, 10, 50, 100])
    const percentiles = [0, 10, 50, 100].map((percent) => baselineOf(VALUES, { kind: 'percentile', percent }));
    expect(percentiles).toEqual([10, 10.8, 14, 40]);
    expect(baselineOf([], { kind: 'percentile', percent: 50 })).toBeNaN();
  });

  it('gives relative changes, and none when it is 0', () => {
    expect([...relativeTo([10, 15, 5], 10)]).toEqual([0, 0.5, -0.5]);
    expect([...relativeTo([0, 1], 0)].every(Number.isNaN)).toBe(true);
  });
});
