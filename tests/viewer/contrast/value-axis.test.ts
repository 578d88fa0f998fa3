import { describe, expect, it } from 'vitest';
import { autoRange } from '../../../packages/viewer/src/analysis/range.ts';
import { countStats } from '../../../packages/viewer/src/analysis/stats.ts';
import { dragged } from '../../../packages/viewer/src/contrast/handle-drag.ts';
import { gripAt, outline, toneCurve, toValue, toX } from '../../../packages/viewer/src/contrast/plot.ts';
import {
  around,
  barHeights,
  barsWithin,
  firstSpan,
  fullSpan,
  keyStep,
  minSpan,
  tidy,
  zoomSpan,
} from '../../../packages/viewer/src/contrast/value-axis.ts';

const counts = (data: ArrayLike<number>) => countStats(Float32Array.from(data));
const SIZE = { width: 200, height: 87 };

describe('the axis of values', () => {
  it('has whole numbers in the middle of their bars', async () => {
    const stats = await counts([3, 3, 4, 6]);
    expect(fullSpan(stats)).toEqual({ from: 2.5, to: 6.5 });
    const bars = barsWithin(stats, fullSpan(stats), 200);
    expect(bars).toMatchObject({ from: 2.5, width: 1 });
    expect([...bars.counts]).toEqual([2, 1, 0, 1]);
  });

  it('groups whole bins, so that equal data have equal bars at any zoom', async () => {
    const stats = await counts(Array.from({ length: 4096 }, (_, at) => at));
    for (const span of [fullSpan(stats), { from: 100.2, to: 1900.7 }, { from: 7, to: 700 }]) {
      const bars = barsWithin(stats, span, 200);
      expect(bars.counts.length).toBeLessThanOrEqual(200);
      expect(bars.counts.length).toBeGreaterThan(90);
      expect(bars.from).toBeLessThanOrEqual(span.from);
      expect(bars.from + bars.width * bars.counts.length).toBeGreaterThanOrEqual(Math.min(span.to, 4095.5));
      expect(Number.isInteger(bars.width)).toBe(true);
      const inner = bars.counts.slice(0, -1);
      expect(new Set(inner)).toEqual(new Set([bars.width]));
    }
  });

  it('keeps the bars in place while the axis moves', async () => {
    const stats = await counts(Array.from({ length: 4096 }, (_, at) => (at * at) % 4096));
    const before = barsWithin(stats, { from: 500, to: 1500 }, 100);
    const after = barsWithin(stats, { from: 523, to: 1523 }, 100);
    expect(after.width).toBe(before.width);
    const shift = (after.from - before.from) / before.width;
    expect(Number.isInteger(shift)).toBe(true);
    expect([...after.counts.slice(0, 50)]).toEqual([...before.counts.slice(shift, shift + 50)]);
  });

  it('counts every sample', async () => {
    const data = Array.from({ length: 10_000 }, (_, at) => Math.sin(at) * 3);
    const stats = await counts(data);
    const bars = barsWithin(stats, fullSpan(stats), 137);
    expect(bars.counts.reduce((sum, count) => sum + count, 0)).toBe(10_000);
  });

  it('starts without single outliers, in fine bars', async () => {
    const data = Array.from({ length: 50_000 }, (_, at) => (at % 500) / 500);
    data[3] = 1e6;
    const stats = await counts(data);
    const span = firstSpan(stats);
    expect(span.to).toBeLessThan(2);
    expect(span.from).toBe(0);
    expect(span.to).toBeGreaterThan(autoRange(stats).max);
    const inside = { from: span.from, to: 0.99 };
    expect(barsWithin(stats, inside, 200).counts.length).toBeGreaterThan(90);
  });

  it('starts with all samples of ordinary data', async () => {
    const stats = await counts(Array.from({ length: 1000 }, (_, at) => at % 100));
    expect(firstSpan(stats)).toEqual(fullSpan(stats));
  });

  it('is empty outside of the data', async () => {
    expect(barsWithin(await counts([1, 2]), { from: 50, to: 60 }, 100).counts).toHaveLength(0);
    expect(barsWithin(await counts([Number.NaN]), { from: 0, to: 1 }, 100).counts).toHaveLength(0);
  });

  it('has a width for a constant plane', async () => {
    for (const value of [5, 0.5]) {
      const { from, to } = fullSpan(await counts([value, value]));
      expect(from).toBeLessThan(value);
      expect(to).toBeGreaterThan(value);
    }
  });

  it('zooms at the pointer and never beyond the data', async () => {
    const full = { from: 0, to: 100 };
    expect(zoomSpan(full, 25, 2, full, 1)).toEqual({ from: 12.5, to: 62.5 });
    expect(zoomSpan({ from: 80, to: 90 }, 90, 0.5, full, 1)).toEqual({ from: 70, to: 90 });
    expect(zoomSpan({ from: 80, to: 90 }, 80, 0.2, full, 1)).toEqual({ from: 50, to: 100 });
    expect(zoomSpan({ from: 80, to: 90 }, 80, 0.01, full, 1)).toEqual(full);
    expect(zoomSpan({ from: 10, to: 11 }, 10, 1000, full, 0.5)).toEqual({ from: 10, to: 10.5 });
    expect(minSpan(await counts([0, 4095]))).toBe(8);
  });

  it('zooms to a range, also outside of the data', () => {
    const full = { from: 0, to: 100 };
    expect(around({ min: 40, max: 60 }, 0.1, full)).toEqual({ from: 38, to: 62 });
    expect(around({ min: 0, max: 60 }, 0.1, full)).toEqual({ from: 0, to: 66 });
    expect(around({ min: 150, max: 160 }, 0.1, full)).toEqual({ from: 149, to: 160 });
  });
});

describe('the heights of bars', () => {
  const bars = { from: 0, width: 1, counts: Float64Array.from([0, 1, 9, 999]) };

  it('are counts or their logarithms, and every sample is visible', () => {
    const [none, one, nine, most] = barHeights(bars, true);
    expect([none, most]).toEqual([0, 1]);
    expect(one).toBeCloseTo(Math.log(2) / Math.log(1000), 12);
    expect(nine).toBeCloseTo(Math.log(10) / Math.log(1000), 12);
    expect([...barHeights(bars, false)]).toEqual([0, 0.015, 0.015, 1]);
  });

  it('start at the bottom of the counts', () => {
    const heights = Float64Array.from([1, 0.5]);
    const path = outline({ from: 0, width: 1, counts: Float64Array.of(2, 1) }, heights, { from: 0, to: 2 }, SIZE);
    expect(path).toBe('M0 80V2H100V41H200V80');
  });
});

describe('the handles', () => {
  const span = { from: 0, to: 1000 };
  const range = { min: 200, max: 600 };

  it('are grabbed when near, both from between them, the nearer one from outside', () => {
    expect([40, 44, 34, 10].map((x) => gripAt(x, range, span, SIZE))).toEqual(['min', 'min', 'min', 'min']);
    expect([80, 100].map((x) => gripAt(x, range, span, SIZE))).toEqual(['both', 'both']);
    expect([114, 125, 199].map((x) => gripAt(x, range, span, SIZE))).toEqual(['max', 'max', 'max']);
  });

  it('are grabbed at the edge when they are outside of the visible range', () => {
    expect(gripAt(2, { min: -500, max: 600 }, span, SIZE)).toBe('min');
    expect(gripAt(198, { min: 0, max: 5000 }, span, SIZE)).toBe('max');
  });

  it('are chosen by the side of the pointer when they overlap', () => {
    expect(gripAt(98, { min: 500, max: 500.1 }, span, SIZE)).toBe('min');
    expect(gripAt(103, { min: 500, max: 500.1 }, span, SIZE)).toBe('max');
  });

  it('move to the value under the pointer without passing each other', async () => {
    const stats = await counts([0, 1000]);
    const place = { stats, span: { from: -0.5, to: 1000.5 }, size: SIZE };
    expect(dragged('min', range, { at: 40, to: 60 }, place)).toEqual({ min: 300, max: 600 });
    expect(dragged('max', range, { at: 120, to: 0 }, place)).toEqual({ min: 200, max: 205 });
    expect(dragged('both', range, { at: 100, to: 120 }, place)).toEqual({ min: 300, max: 700 });
  });

  it('have values with the resolution of a pixel', async () => {
    const stats = await counts([0.1, 2.7]);
    expect(tidy(1.234_567, stats, 0.013)).toBe(1.23);
    expect(tidy(-0.004_2, stats, 0.013)).toBe(0);
    expect(tidy(123_456.789, stats, 52)).toBe(123_460);
    expect(tidy(17.4, await counts([0, 4095]), 0.2)).toBe(17);
  });

  it('move in round steps by keys', async () => {
    const whole = await counts([0, 4095]);
    expect(keyStep({ from: 0, to: 4096 }, whole)).toBe(20);
    expect(keyStep({ from: 0, to: 50 }, whole)).toBe(1);
    expect(keyStep({ from: 0, to: 1 }, await counts([0, 0.5]))).toBeCloseTo(0.005, 12);
  });

  it('convert positions to values and back', () => {
    expect(toX(250, span, SIZE)).toBe(50);
    expect(toValue(50, span, SIZE)).toBe(250);
  });
});

describe('the curve of brightness', () => {
  it('goes from the bottom at min to the top at max', () => {
    const display = {
      lut: 'grey',
      invert: false,
      min: 0,
      max: 1000,
      scale: 'linear' as const,
      gamma: 1,
      visible: true,
      opacity: 1,
    };
    expect(toneCurve(display, { from: 0, to: 1000 }, SIZE)).toBe('M0 80L0 80L200 2H200');
    expect(toneCurve({ ...display, gamma: 2 }, { from: 0, to: 1000 }, SIZE)).toContain('L100 60.5L');
    // At a 16th of the range: log10(1 + 999 · 0.5^4) / 3 = 0.601.
    expect(toneCurve({ ...display, scale: 'log' }, { from: 0, to: 1000 }, SIZE)).toContain('L12.5 33.1L');
  });
});
