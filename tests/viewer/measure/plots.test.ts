import { describe, expect, it } from 'vitest';
import { lineMeasure } from '../../../packages/viewer/src/analysis/line.ts';
import { contrast, type Rgb, readableOn } from '../../../packages/viewer/src/measure/color.ts';
import { lineSummary } from '../../../packages/viewer/src/measure/summary.ts';
import { computeEnvelope, findRange } from '../../../packages/viewer/src/plot/envelope.ts';
import fc from '../../support/fast-check.js';

describe('the envelope of a profile', () => {
  it('keeps a spike of one sample in a hundred thousand', () => {
    const values = new Float32Array(100_000).fill(5);
    values[77_777] = 900;
    const { low, high } = computeEnvelope(values, 0, { from: 0, to: 100_000, pixels: 500 });
    expect(Math.max(...high)).toBe(900);
    expect(high.indexOf(900)).toBe(388);
    expect([Math.min(...low), Math.max(...low)]).toEqual([5, 5]);
  });

  it('shows one sample over many pixels at its position', () => {
    const { low, high } = computeEnvelope([1, 2, 3], 10, { from: 10, to: 12, pixels: 4 });
    expect([...low]).toEqual([1, 1, 2, 2]);
    expect([...high]).toEqual([1, 1, 2, 2]);
  });

  it('has gaps without samples, and ignores infinities', () => {
    const { low, high } = computeEnvelope([1, Number.NaN, Number.POSITIVE_INFINITY, 4], 0, {
      from: -1,
      to: 5,
      pixels: 6,
    });
    expect([...low]).toEqual([Number.NaN, 1, Number.NaN, Number.NaN, 4, Number.NaN]);
    expect([...high]).toEqual([...low]);
  });

  it('contains all visible values', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -99, max: 99 }), { minLength: 1, maxLength: 300 }),
        fc.integer({ min: 1, max: 90 }),
        (values, pixels) => {
          const { low, high } = computeEnvelope(values, 0, { from: 0, to: values.length, pixels });
          expect(Math.max(...high)).toBe(Math.max(...values));
          expect(Math.min(...low)).toBe(Math.min(...values));
        },
      ),
    );
  });

  it('has a range with a margin, also for constant or missing values', () => {
    const of = (...values: number[]) =>
      computeEnvelope(values, 0, { from: 0, to: values.length, pixels: values.length });
    expect(findRange([of(0, 10), of(20)])).toEqual([-1, 21]);
    expect(findRange([of(100)])).toEqual([95, 105]);
    expect(findRange([of(Number.NaN)])).toEqual([0, 1]);
  });
});

describe('colors of plots', () => {
  it('are readable on their background, and change only when needed', () => {
    const yellow: Rgb = [255, 255, 0];
    expect(readableOn(yellow, [0, 0, 0])).toEqual(yellow);
    expect(contrast(readableOn(yellow, [255, 255, 255]), [255, 255, 255])).toBeGreaterThanOrEqual(3);
    expect(contrast([0, 0, 0], [255, 255, 255])).toBeCloseTo(21, 10);
  });
});

describe('measurements as text', () => {
  it('show the velocity of a line on a kymograph', () => {
    const axes = [
      { arrayDimension: 0, name: 'Y', size: 100, step: 0.002, unit: 'seconds' as const },
      { arrayDimension: 1, name: 'X', size: 20, step: 0.5, unit: 'micrometer' as const },
    ];
    // 50 lines are 0.1 s, 10 pixels 5 µm.
    const measure = lineMeasure({ row: 60, column: 12 }, { row: 10, column: 2 }, axes);
    expect(lineSummary(measure)).toBe('50 µm/s');
    const pixels = axes.map((axis) => ({ ...axis, unit: 'Pixels' as const, step: 1 }));
    expect(lineSummary(lineMeasure({ row: 0, column: 0 }, { row: 3, column: -4 }, pixels))).toBe('3 × 4 px');
  });
});
