import { describe, expect, it } from 'vitest';
import { rowTicks } from '../../../packages/viewer/src/image/row-ticks.ts';
import { toMeasuredAxis } from '../../../packages/viewer/src/model/measured-axis.ts';
import { placeAtTime, rowLayout } from '../../../packages/viewer/src/model/row-layout.ts';

const layoutOf = (times: ArrayLike<number>) => rowLayout(toMeasuredAxis(Float64Array.from(times))!)!;
const room = (label: string) => 16 + 6 * label.length;

describe('the ticks of rows at measured times', () => {
  it('are at round times, also in a pause that is to scale', () => {
    const rows = layoutOf(Array.from({ length: 100 }, (_, i) => i * 0.1 + (i >= 60 ? 2 : 0)));
    const { major } = rowTicks(rows, [0, rows.length], { unit: 'seconds', pixels: 600, room });
    expect(major.map(({ value }) => value)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    expect(placeAtTime(rows, major[8]!.value)).toBeCloseTo(80, 9);
  });

  it('are only where there are rows when a pause is shortened, and do not touch', () => {
    // Bursts of 1 s at 0, 100.3 and 200.6 s.
    const rows = layoutOf(Array.from({ length: 30 }, (_, i) => (i % 10) / 10 + 100.3 * Math.floor(i / 10)));
    expect(rows.gaps.every(({ isShortened }) => isShortened)).toBe(true);
    for (const pixels of [90, 150, 300, 2000]) {
      const { major, scale } = rowTicks(rows, [0, rows.length], { unit: 'seconds', pixels, room });
      expect(scale.unit).toBe('s');
      const at = major.map(({ value, label }) => {
        expect(rows.gaps.some(({ from, to }) => value > from + 1e-6 && value < to - 1e-6)).toBe(false);
        return { middle: (placeAtTime(rows, value) / rows.length) * pixels, half: room(label) / 2 };
      });
      expect(
        at.every(({ middle, half }, i) => i === 0 || middle - half >= at[i - 1]!.middle + at[i - 1]!.half - 1e-6),
      ).toBe(true);
      if (pixels >= 300) expect(major.filter(({ value }) => value > 100 && value < 102).length).toBeGreaterThan(0);
    }
  });

  it('are at some of the rows when there are more bursts than labels', () => {
    const rows = layoutOf(Array.from({ length: 4000 }, (_, i) => (i % 4) / 10 + 10 * Math.floor(i / 4)));
    const { major, minor } = rowTicks(rows, [0, rows.length], { unit: 'seconds', pixels: 600, room });
    expect(major.length).toBeGreaterThan(5);
    expect(major.length).toBeLessThan(20);
    expect(minor).toEqual([]);
  });
});
