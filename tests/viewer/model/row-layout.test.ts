import { describe, expect, it } from 'vitest';
import { toMeasuredAxis } from '../../../packages/viewer/src/model/measured-axis.ts';
import {
  gapAt,
  placeAtRow,
  placeAtTime,
  rowAtPlace,
  rowAtTime,
  rowLayout,
  timeAtPlace,
  timeAtRow,
} from '../../../packages/viewer/src/model/row-layout.ts';
import fc from '../../support/fast-check.js';

const layoutOf = (times: readonly number[]) => rowLayout(toMeasuredAxis(Float64Array.from(times))!)!;
/** 10 rows of 0.5 s, with 2 s missing after the sixth. */
const paused = layoutOf(Array.from({ length: 10 }, (_, i) => 20 + i * 0.5 + (i > 5 ? 2 : 0)));

describe('rows with a pause between them', () => {
  it('lie at their times, and the pause between them', () => {
    // Rows of 0.5 s: 6 of them, 2 s, and 4 more.
    expect(paused.length).toBeCloseTo(6 + 4 + 4, 9);
    expect(paused.gaps).toMatchObject([{ after: 5, from: 23, to: 25, start: 6, end: 10, isShortened: false }]);
    expect([0, 1.5, 5.5, 6, 6.25, 9, 10].map((row) => placeAtRow(paused, row))).toEqual([
      0, 1.5, 5.5, 10, 10.25, 13, 14,
    ]);
    expect([0, 5.5, 6, 8, 9.999, 10, 13.5, 14].map((place) => rowAtPlace(paused, place))).toEqual([
      0, 5.5, 6, 6, 6, 6, 9.5, 10,
    ]);
    expect([5.9, 6, 9.9, 10].map((place) => gapAt(paused, place)?.after)).toEqual([undefined, 5, 5, undefined]);
    expect([6, 8, 10, 14].map((place) => timeAtPlace(paused, place))).toEqual([23, 24, 25, 27]);
    expect([-1, 0, 5.5, 6, 10, 11].map((row) => timeAtRow(paused, row))).toEqual([19.5, 20, 22.75, 25, 27, 27.5]);
  });

  it('have no layout where they are even, or their values descend', () => {
    expect(rowLayout(toMeasuredAxis(Float64Array.of(0, 1, 2, 3.05))!)).toBeNull();
    expect(rowLayout(toMeasuredAxis(Float64Array.of(9, 3, 2, 1))!)).toBeNull();
  });

  it('are as high as they are long, where the interval changes for good', () => {
    const changed = layoutOf([0, 1, 2, 3, 4, 9, 14, 19]);
    expect(changed.gaps).toEqual([]);
    expect([0, 4, 5, 6, 7, 8].map((row) => placeAtRow(changed, row))).toEqual([0, 4, 9, 14, 19, 24]);
  });

  it('are half of an axis when pauses would be more than three quarters of it', () => {
    // 8 s in bursts of 2 s; pauses of 1.5, 59 and 100 s: the two long ones share what is left.
    const bursts = layoutOf([0, 1, 3.5, 4.5, 64.5, 65.5, 166.5, 167.5]);
    expect(bursts.gaps.map(({ from, to }) => [from, to])).toEqual([
      [2, 3.5],
      [5.5, 64.5],
      [66.5, 166.5],
    ]);
    expect(bursts.gaps.map(({ start, end }) => end - start)).toEqual([1.5, 3.25, 3.25]);
    expect(bursts.gaps.map(({ isShortened }) => isShortened)).toEqual([false, true, true]);
    expect(bursts.length).toBe(16);
    expect(timeAtPlace(bursts, placeAtTime(bursts, 100))).toBeCloseTo(100, 9);
    // Just within three quarters, every pause is to scale.
    expect(layoutOf([0, 1, 13.9, 14.9]).gaps[0]).toMatchObject({ isShortened: false });
    expect(layoutOf([0, 1, 14.1, 15.1]).gaps[0]).toMatchObject({ isShortened: true });
  });

  it('keep places, rows and times apart and in order, whatever the intervals are', () => {
    const intervals = fc.array(
      fc.oneof(fc.double({ min: 0.01, max: 1, noNaN: true }), fc.integer({ min: 2, max: 5000 })),
      {
        minLength: 4,
        maxLength: 40,
      },
    );
    fc.assert(
      fc.property(intervals, fc.double({ min: 0, max: 1, noNaN: true }), (waits, share) => {
        let time = 0;
        const times = [0, ...waits.map((wait) => (time += wait))];
        const axis = toMeasuredAxis(Float64Array.from(times))!;
        const layout = rowLayout(axis);
        if (layout === null) return;
        const close = (a: number, b: number) => expect(Math.abs(a - b)).toBeLessThan(1e-6 * Math.max(1, Math.abs(a)));
        const row = share * times.length;
        close(rowAtTime(layout, timeAtRow(layout, row)), row);
        close(rowAtPlace(layout, placeAtRow(layout, row)), row);
        const place = share * layout.length;
        close(placeAtTime(layout, timeAtPlace(layout, place)), place);
        const starts = times.map((_, i) => placeAtRow(layout, i));
        expect(starts.every((start, i) => i === 0 || start > starts[i - 1]!)).toBe(true);
        expect(starts.at(-1)!).toBeLessThan(layout.length);
        for (const { start, end } of layout.gaps) expect(end).toBeGreaterThan(start);
      }),
    );
  });
});
