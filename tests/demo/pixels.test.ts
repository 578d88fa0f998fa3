import { describe, expect, it } from 'vitest';
import { describeAxis, readPosition, scaleOf, ticks } from '../../viewer/demo/axis.js';
import { autoContrast, extent, noiseOf, percentiles, reduce, toGrey } from '../../viewer/demo/pixels.js';

describe('contrast', () => {
  it('takes percentiles of counts exactly', () => {
    // 0 … 1000: a fraction p lies at rank p·1000, which is the value itself.
    const plane = Float32Array.from({ length: 1001 }, (_, i) => (i * 373) % 1001);
    expect(percentiles(plane, [0, 0.01, 0.5, 0.995, 1])).toEqual([0, 10, 500, 995, 1000]);
    expect(autoContrast(plane)).toEqual({ black: 10, white: 995 });
  });

  it('takes percentiles of real numbers to a 65536th of their range', () => {
    const plane = Float32Array.from({ length: 10_001 }, (_, i) => i / 10_000);
    const [median] = percentiles(plane, [0.5]);
    expect(Math.abs(median - 0.5)).toBeLessThan(2 / 65_536);
  });

  it('ignores what is not a number', () => {
    const plane = Float32Array.from([Number.NaN, 3, Number.POSITIVE_INFINITY, 1, 2]);
    expect(extent(plane)).toEqual({ low: 1, high: 3, whole: true });
    expect(percentiles(plane, [0, 1])).toEqual([1, 3]);
    expect(extent(Float32Array.from([Number.NaN]))).toEqual({ low: 0, high: 0, whole: true });
  });

  it('keeps a flat plane displayable', () => {
    expect(autoContrast(new Float32Array(8).fill(7))).toEqual({ black: 7, white: 8 });
  });

  it('maps to grey with clipping', () => {
    const contrast = { black: 100, white: 200 };
    expect([50, 100, 150, 200, 300].map((value) => toGrey(value, contrast))).toEqual([0, 0, 128, 255, 255]);
  });
});

describe('reduction to the screen', () => {
  it('shows every sample where there is room, also transposed', () => {
    const plane = Float32Array.from([1, 2, 3, 4, 5, 6]);
    expect(reduce(plane, [2, 3], false, 100, 100)).toEqual({ width: 3, height: 2, values: plane });
    expect(reduce(plane, [2, 3], true, 100, 100)).toEqual({
      width: 2,
      height: 3,
      values: Float32Array.from([1, 4, 2, 5, 3, 6]),
    });
  });

  it('never hides a spike of one line among 30,000', () => {
    const plane = new Float32Array(30_000 * 4).fill(10);
    plane[12_345 * 4 + 2] = 900;
    plane[20_001 * 4 + 1] = -50;
    const { width, height, values } = reduce(plane, [30_000, 4], true, 600, 100);
    expect([width, height]).toEqual([600, 4]);
    // 50 lines to a pixel: line 12,345 is in column 246, line 20,001 in column 400.
    expect(values[2 * 600 + 246]).toBe(900);
    expect(values[1 * 600 + 400]).toBe(-50);
    expect(values.filter((value) => value !== 10)).toHaveLength(2);
  });

  it('averages noise, and lets a spike above it through', () => {
    const plane = Float32Array.from({ length: 1000 }, (_, i) => (i % 2 ? 99 : 101));
    plane[500] = 120;
    const { values } = reduce(plane, [1000, 1], true, 10, 1);
    expect([...values]).toEqual([100, 100, 100, 100, 100, 120, 100, 100, 100, 100]);
  });

  it('leaves out samples that are not numbers', () => {
    const { values } = reduce(Float32Array.from([1, Number.NaN, Number.NaN, Number.NaN]), [4, 1], true, 2, 1);
    expect([...values]).toEqual([1, Number.NaN]);
  });

  it('measures noise by the median difference of neighbouring lines', () => {
    // Differences of 2 everywhere: 2 / (0.6745 · √2) = 2.0967
    const plane = Float32Array.from({ length: 100 }, (_, i) => (i % 2 ? 2 : 0));
    expect(noiseOf(plane, 100, 1)).toBeCloseTo(2.0967, 3);
    expect(noiseOf(plane, 1, 100)).toBe(0);
  });
});

describe('axes', () => {
  it('chooses units in which numbers read well', () => {
    expect(scaleOf(35.1, 'seconds')).toEqual([1, 's']);
    expect(scaleOf(0.05, 'seconds')).toEqual([1e3, 'ms']);
    expect(scaleOf(10.8, 'micrometer')).toEqual([1, 'µm']);
    expect(scaleOf(1500, 'micrometer')).toEqual([1e-3, 'mm']);
    expect(scaleOf(38, 'Pixels')).toEqual([1, 'px']);
  });

  it('puts ticks at round values', () => {
    expect(ticks(35.1, 9).map(({ text }) => text)).toEqual(['0', '5', '10', '15', '20', '25', '30', '35']);
    expect(ticks(0.47, 5).map(({ text }) => text)).toEqual(['0.0', '0.1', '0.2', '0.3', '0.4']);
  });

  it('describes an axis in its physical unit', () => {
    const axis = { name: 'Y', size: 30_000, step: 0.00117, unit: 'seconds' };
    const { title, marks } = describeAxis(axis, 900, 90);
    expect(title).toBe('time (s)');
    expect(marks.at(-1)?.text).toBe('35');
    expect(marks.at(-1)?.place).toBeCloseTo(35 / 35.1, 9);
    expect(readPosition(axis, 10_000)).toBe('11.7000 s');
    expect(readPosition({ ...axis, unit: 'Pixels' }, 5)).toBe('');
  });
});
