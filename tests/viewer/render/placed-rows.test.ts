import { describe, expect, it } from 'vitest';
import { toMeasuredAxis } from '../../../packages/viewer/src/model/measured-axis.ts';
import { gapAt, placeAtRow, rowLayout } from '../../../packages/viewer/src/model/row-layout.ts';
import { leastPerPixel, placeRows, planRows } from '../../../packages/viewer/src/render/placed-rows.ts';

/** 600 rows of 10 ms, 2 s without any, and 400 more: 1,200 places. */
const COUNT = 1000;
const times = Float64Array.from({ length: COUNT }, (_, i) => i * 0.01 + (i >= 600 ? 2 : 0));
const layout = rowLayout(toMeasuredAxis(times)!)!;

const planned = (start: number, length: number, pixels: number, factor = 1, flipped = false) => {
  const view = { samples: layout.length, start, length, pixels, flipped };
  const placed = placeRows(layout, view, [0, COUNT], COUNT);
  return { placed, ...planRows(placed, factor) };
};

describe('rows at measured times', () => {
  it.each([
    ['larger than a pixel', 580, 260, 1300],
    ['smaller than a pixel', 0, 1200, 400],
    ['about as large as a pixel', 100, 1000, 999],
  ])('%s are where their times are, within a pixel', (_, start, length, pixels) => {
    const { bounds, cells, map } = planned(start, length, pixels);
    expect(bounds).toHaveLength(cells + 1);
    const unit = pixels / length;
    map.forEach((cell, pixel) => {
      const place = start + (pixel + 0.5) / unit;
      // Half a pixel beside an edge of a gap, either is right.
      if ([-0.5, 0.5].some((off) => (gapAt(layout, place + off / unit) === null) !== (gapAt(layout, place) === null)))
        return;
      expect(cell < 0).toBe(gapAt(layout, place) !== null);
      if (cell < 0) return;
      const [from, to] = [placeAtRow(layout, bounds[cell]!), placeAtRow(layout, bounds[cell + 1]! - 1e-6)];
      expect(Math.max(from - place, place - to)).toBeLessThan(1 / unit);
    });
  });

  it('belong to one cell each, and none is left out', () => {
    for (const [pixels, factor] of [
      [400, 1],
      [37, 16],
      [1200, 1],
      [5000, 1],
    ] as const) {
      const { bounds, cells, map } = planned(0, layout.length, pixels, factor);
      const blocks = Math.ceil(COUNT / factor);
      expect([bounds[0], bounds[cells]]).toEqual([0, blocks]);
      expect(bounds.every((bound, i) => i === 0 || bound > bounds[i - 1]!)).toBe(true);
      expect(new Set(map.filter((cell) => cell >= 0)).size).toBe(cells);
    }
  });

  it('stay in their cells while the view moves by pixels', () => {
    const at = (pixel: number) => {
      const { bounds, map } = planned(3 * pixel, 600, 200);
      return Array.from(map, (cell) => (cell < 0 ? 'gap' : `${bounds[cell]}–${bounds[cell + 1]}`));
    };
    expect(at(7).slice(0, 193)).toEqual(at(0).slice(7));
  });

  it('are upside down where the last one is at the top', () => {
    const flat = planned(0, layout.length, 400);
    expect(Array.from(planned(0, layout.length, 400, 1, true).map)).toEqual(Array.from(flat.map).reverse());
  });

  it('tell the fewest of a pixel, for the level, without those at the edges of gaps', () => {
    expect(leastPerPixel(planned(0, 1200, 400).placed)).toBeCloseTo(3, 6);
    expect(leastPerPixel(planned(610, 100, 400).placed)).toBe(1);
  });

  it('of a part of the plane are entries of its texture', () => {
    // 100 entries for the rows 500 to 700.
    const view = { samples: layout.length, start: 500, length: 400, pixels: 400, flipped: false };
    const { bounds, map, cells } = planRows(placeRows(layout, view, [500, 700], 100), 1);
    expect(bounds[cells]).toBe(100);
    expect([map[0], bounds[map[0]!]]).toEqual([0, 0]);
    expect(map.slice(101, 299).every((cell) => cell === -1)).toBe(true);
    expect(bounds[map[302]!]).toBe(51);
  });
});
