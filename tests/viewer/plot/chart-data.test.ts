import { describe, expect, it } from 'vitest';
import { toMeasuredAxis } from '../../../packages/viewer/src/model/measured-axis.ts';
import { rowLayout } from '../../../packages/viewer/src/model/row-layout.ts';
import {
  chartData,
  chooseMode,
  toSample,
  toValue,
  valueAt,
  visibleValues,
} from '../../../packages/viewer/src/plot/chart-data.ts';

const axis = { unit: 'seconds', step: 0.5, origin: 0, title: () => 'time (s)' };
const curve = (values: number[], first = 0) => ({ label: 'Ca', color: 'rgb(1 2 3)', first, values, band: null });

describe('a chart', () => {
  it('has two points per pixel, so that a spike is drawn up and down again', () => {
    const values = [1, 1, 9, 1, 1, 1, 1, 1];
    const { x, lines, ranges } = chartData([curve(values)], axis, { from: 0, to: 8 }, 4, 'shared');
    expect(x).toEqual([0.5, 0.5, 1.5, 1.5, 2.5, 2.5, 3.5, 3.5]);
    expect(lines).toEqual([[1, 1, 1, 9, 1, 1, 1, 1]]);
    expect(ranges).toEqual([[0.6, 9.4]]);
  });

  it('has gaps where a curve has no values', () => {
    const { lines } = chartData([curve([5, Number.NaN], 1)], axis, { from: 0, to: 4 }, 4, 'shared');
    expect(lines).toEqual([[null, null, 5, 5, null, null, null, null]]);
  });

  it('does not flatten a weak curve beside a strong one', () => {
    const weak = curve([1, 2]);
    const strong = curve([1000, 3000]);
    const of = (mode: 'shared' | 'own' | 'relative') => chartData([weak, strong], axis, { from: 0, to: 2 }, 2, mode);
    expect(of('shared').ranges).toEqual([
      [expect.closeTo(-148.95, 9), expect.closeTo(3149.95, 9)],
      [expect.closeTo(-148.95, 9), expect.closeTo(3149.95, 9)],
    ]);
    expect(of('own').ranges).toEqual([
      [0.95, 2.05],
      [900, 3100],
    ]);
    const relative = of('relative');
    expect(relative.ranges).toEqual([
      [0, 100],
      [0, 100],
    ]);
    for (const line of relative.lines) {
      expect(line[0]).toBeCloseTo(100 * (0.05 / 1.1), 9);
      expect(line[3]).toBeCloseTo(100 * (1.05 / 1.1), 9);
    }
    expect([chooseMode(1, true), chooseMode(2, true), chooseMode(3, true), chooseMode(3, false)]).toEqual([
      'shared',
      'own',
      'relative',
      'shared',
    ]);
  });

  it('has its samples at their measured times, and a break in a gap', () => {
    const measured = toMeasuredAxis(Float64Array.of(0, 1, 2, 60, 61, 62));
    const timed = { ...axis, origin: 0.5, measured };
    const values = curve([1, 2, 3, 4, Number.NaN, 6]);
    const { x, lines } = chartData([values], timed, { from: 0, to: 6 }, 200, 'shared');
    const points = x.map((at, i) => [at, lines[0]![i]]).filter((_, i) => i % 2 === 0);
    expect(points).toEqual([
      [0, 1],
      [1, 2],
      [2, 3],
      [2, null],
      [60, 4],
      [61, null],
      [62, 6],
    ]);
    expect(visibleValues(timed, { from: 0, to: 6 })).toEqual([-0.5, 62.5]);
    // The cursor of time point 4 is at its time.
    expect(toValue(timed, 3.5)).toBe(60);
    expect(toSample(timed, 60)).toBe(3.5);
  });

  it('breaks in a gap between rows, also in one that is narrower than a pixel', () => {
    const measured = toMeasuredAxis(Float64Array.from({ length: 40 }, (_, i) => i + (i >= 20 ? 4 : 0)))!;
    const rows = rowLayout(measured)!;
    const lying = { ...axis, step: 1, rows };
    const at = (pixels: number) => {
      const { x, lines } = chartData([curve(Array(40).fill(5))], lying, { from: 0, to: rows.length }, pixels, 'shared');
      return x.flatMap((place, i) => (lines[0]![i] === null ? [place] : []));
    };
    // 44 places; the gap is 20 to 24.
    expect([...new Set(at(44))]).toEqual([20.5, 21.5, 22.5, 23.5]);
    expect(at(4)).toHaveLength(1);
    expect([visibleValues(lying, { from: 3, to: 9 }), toValue(lying, 25), toSample(lying, 29)]).toEqual([
      [3, 9],
      29,
      25,
    ]);
    expect(toSample(lying, 22)).toBeNaN();
  });

  it('keeps every spike of measured samples that share a pixel, and runs from left to right', () => {
    const measured = toMeasuredAxis(Float64Array.from({ length: 1000 }, (_, i) => -i));
    const values = Float64Array.from({ length: 1000 }, (_, i) => (i === 501 ? 9 : 1));
    const { x, lines, ranges } = chartData(
      [{ ...curve([]), values }],
      { ...axis, origin: 0.5, measured },
      { from: 0, to: 1000 },
      10,
      'shared',
    );
    expect(x.length).toBe(20);
    expect(x.every((at, i) => i === 0 || at >= x[i - 1]!)).toBe(true);
    expect(lines[0]!.filter((value) => value === 9).length).toBe(1);
    expect(ranges).toEqual([[0.6, 9.4]]);
  });

  it('has the middle of the first sample at 0 where the axis counts samples', () => {
    const counted = { ...axis, step: 1, origin: 0.5 };
    expect(toValue(counted, 0.5)).toBe(0);
    expect(toSample(counted, 7)).toBe(7.5);
    expect([valueAt(curve([4, 5], 3), 4.9), valueAt(curve([4, 5], 3), 5)]).toEqual([5, Number.NaN]);
  });
});
