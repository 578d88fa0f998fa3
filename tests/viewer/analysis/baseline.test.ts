import { describe, expect, it } from 'vitest';
import { baselineOf, baselineWords, isBaseline, relativeTo } from '../../../packages/viewer/src/analysis/baseline.ts';

const VALUES = Float32Array.of(10, 12, Number.NaN, 14, 40, 20);

describe('the baseline of a trace', () => {
  it('is the mean of the chosen values, without those that are not finite', () => {
    expect(baselineOf(VALUES, 'range 0 4')).toBe(12);
    expect(baselineOf(VALUES, 'range 2 3')).toBeNaN();
  });

  it('is a percentile as numpy computes it', () => {
    // numpy.percentile([10, 12, 14, 40, 20], [0, 10, 50, 100])
    const percentiles = ([0, 10, 50, 100] as const).map((percent) => baselineOf(VALUES, `p${percent}`));
    expect(percentiles).toEqual([10, 10.8, 14, 40]);
    expect(baselineOf([], 'p50')).toBeNaN();
  });

  it('is named for files', () => {
    const words = (['p20', 'p1', 'p12', 'mean', 'range 0 5', 'mark 2'] as const).map((baseline) =>
      baselineWords(baseline, 'time point', 1, (id) => `Region ${id}`),
    );
    expect(words).toEqual([
      '20th percentile of all time points',
      '1st percentile of all time points',
      '12th percentile of all time points',
      'mean of all time points',
      'mean of time point 1 to 5',
      'mean of Region 2',
    ]);
  });

  it('is refused when a link has something else', () => {
    expect(['p20', 'mean', 'range 0 5', 'mark 1'].every(isBaseline)).toBe(true);
    expect(['p101', 'range 5 5', 'mark ', 'median', 20].some(isBaseline)).toBe(false);
  });

  it('gives relative changes, and none when it is 0', () => {
    expect([...relativeTo([10, 15, 5], 10)]).toEqual([0, 0.5, -0.5]);
    expect([...relativeTo([0, 1], 0)].every(Number.isNaN)).toBe(true);
  });
});
