import { describe, expect, it } from 'vitest';
import { CanvasPlane } from '../../../packages/viewer/src/render/canvas-plane.ts';
import { createCells, reduceCells } from '../../../packages/viewer/src/render/cells.ts';
import { FloatMedians, IntegerMedians } from '../../../packages/viewer/src/render/medians.ts';
import { expectedRange, shownValues } from '../../../packages/viewer/src/render/shown-value.ts';
import { planView } from '../../../packages/viewer/src/render/view-plan.ts';
import { random as randomNumbers } from '../../support/differential.js';

/** Cells of `rows` × `columns` samples each. */
function cellsOf(samples: number[][], rows: number, columns: number) {
  const [height, width] = [samples.length, (samples[0] ?? []).length];
  const cells = createCells(Math.ceil(height / rows), Math.ceil(width / columns));
  const bounds = (count: number, step: number, end: number) =>
    Int32Array.from({ length: count + 1 }, (_, i) => Math.min(end, i * step));
  const along = { rows: bounds(cells.rows, rows, height), columns: bounds(cells.columns, columns, width) };
  reduceCells({ samples: Float32Array.from(samples.flat()), columns: width }, along, cells, 0, cells.rows);
  return cells;
}

describe('cells', () => {
  const samples = [
    [1, 2, 3],
    [4, NaN, 6],
    [7, 8, Infinity],
  ];

  it('have the extremes, mean and number of their finite samples', () => {
    const { low, high, mean, count } = cellsOf(samples, 2, 2);
    expect([...low]).toEqual([1, 3, 7, Infinity]);
    expect([...high]).toEqual([4, 6, 8, -Infinity]);
    expect([...mean]).toEqual([Math.fround(7 / 3), 4.5, 7.5, 0]);
    expect([...count]).toEqual([3, 2, 2, 0]);
  });

  it('are the same when reduced from cells as from samples', () => {
    const fine = cellsOf(samples, 1, 1);
    const coarse = createCells(1, 1);
    const all = Int32Array.of(0, 3);
    reduceCells(fine, { rows: all, columns: all }, coarse, 0, 1);
    expect(coarse).toEqual(cellsOf(samples, 3, 3));
    expect([coarse.low[0], coarse.high[0], coarse.count[0]]).toEqual([1, 8, 7]);
    expect(coarse.mean[0]).toBe(Math.fround(31 / 7));
  });

  it('have an exact mean with a large offset', () => {
    const { mean } = cellsOf(
      Array.from({ length: 1000 }, () => [16_000_001]),
      1000,
      1,
    );
    expect(mean[0]).toBe(16_000_001);
  });
});

describe('a cell', () => {
  const flat = (value: number) => Array.from({ length: 12 }, () => Array<number>(12).fill(value));
  const shown = (samples: number[][]) => {
    const cells = cellsOf(samples, 4, 4);
    return [...shownValues(cells, cells.rows)];
  };
  const changed = (samples: number[][], row: number, column: number, value: number) => {
    (samples[row] as number[])[column] = value;
    return samples;
  };

  it('shows the mean when no sample stands out', () => {
    const board = flat(0).map((line, r) => line.map((_, c) => ((r + c) % 2) * 10));
    expect(shown(board)).toEqual(Array(9).fill(5));
  });

  it('shows a spike or a gap of one sample, in the middle and in a corner', () => {
    expect(shown(changed(flat(7), 5, 6, 90))).toEqual([7, 7, 7, 7, 90, 7, 7, 7, 7]);
    expect(shown(changed(flat(7), 0, 0, 1))).toEqual([1, 7, 7, 7, 7, 7, 7, 7, 7]);
  });

  it('shows the larger of a spike and a gap', () => {
    expect(shown(changed(changed(flat(50), 5, 5, 90), 6, 6, 20))[4]).toBe(90);
    expect(shown(changed(changed(flat(50), 5, 5, 70), 6, 6, 20))[4]).toBe(20);
  });

  it('shows a line with the width of one sample in any direction', () => {
    const across = flat(0).map((line, r) => line.map(() => (r === 5 ? 9 : 0)));
    expect(shown(across)).toEqual([0, 0, 0, 9, 9, 9, 0, 0, 0]);
    const down = flat(0).map((line) => line.map((_, c) => (c === 5 ? 9 : 0)));
    expect(shown(down)).toEqual([0, 9, 0, 0, 9, 0, 0, 9, 0]);
  });

  it('keeps an edge smooth', () => {
    const edge = flat(0).map((line) => line.map((_, c) => (c < 5 ? 0 : 8)));
    expect(shown(edge)).toEqual([0, 6, 8, 0, 6, 8, 0, 6, 8]);
  });

  it('averages deviations up to three standard deviations beyond the usual range', () => {
    // Each cell of 16 samples ranges from 0 to 10: 10 / d₂(16) = 2.83 is one standard deviation, 10 + 8.5 the limit.
    const board = flat(0).map((line, r) => line.map((_, c) => ((r + c) % 2) * 10));
    expect(shown(changed(structuredClone(board), 5, 5, 18))[4]).toBeCloseTo(5 + 18 / 16);
    expect(shown(changed(structuredClone(board), 5, 5, 19))[4]).toBe(19);
  });

  it('shows NaN without finite samples, and ignores such neighbors', () => {
    const hole = flat(3).map((line, r) => line.map((value, c) => (r < 4 && c < 4 ? NaN : value)));
    expect(shown(hole)).toEqual([NaN, 3, 3, 3, 3, 3, 3, 3, 3]);
    const island = flat(NaN);
    island[5] = island[5]?.map((_, c) => (c < 4 || c > 7 ? NaN : c)) as number[];
    expect(shown(island)[4]).toBe(7); // 4, 5, 6, 7 with nothing to compare: the farther of equally far, the higher
  });

  // d₂ of control charts (ASTM manual on presentation of data).
  it.each([
    [2, 1.128],
    [3, 1.693],
    [5, 2.326],
    [10, 3.078],
    [25, 3.931],
    [100, 5.015],
  ])('the range of %i normal samples is %f standard deviations', (count, range) => {
    expect(Math.abs(expectedRange(count) / range - 1)).toBeLessThan(0.03);
  });
});

describe('planes of integers', () => {
  const [rows, columns] = [90, 70];
  const random = randomNumbers(7);
  /** Noise with samples that stand out, at both ends of what 16 bits hold. */
  const noise = (low: number, high: number) =>
    Float64Array.from({ length: rows * columns }, () => {
      const dice = random();
      return dice < 0.01 ? high : dice > 0.99 ? low : Math.floor((low + high) / 2 + 40 * random());
    });

  const shownOf = (samples: Float32Array | Uint16Array | Int16Array | Uint8Array | Int8Array) => {
    const plane = new CanvasPlane(samples, [rows, columns], undefined, () => undefined);
    const view = { x: 0, y: 0, width: columns, height: rows };
    const orientation = { transposed: false, upward: false };
    return plane.shown(planView(plane, { width: 23, height: 31, view, orientation }), false).values;
  };

  it.each([
    ['uint16', Uint16Array, 0, 65_535],
    ['int16', Int16Array, -32_768, 32_767],
    ['uint8', Uint8Array, 0, 255],
    ['int8', Int8Array, -128, 127],
  ])('of %s show the same as planes of float32', (_name, Type, low, high) => {
    const values = noise(low, high);
    const [integers, floats] = [shownOf(Type.from(values)), shownOf(Float32Array.from(values))];
    expect(integers).toHaveLength(23 * 31);
    expect(new Set(floats).size).toBeGreaterThan(50);
    for (const [i, value] of floats.entries()) expect(integers[i]).toBeCloseTo(value, 2);
  });

  it('are not what planes of fractions are taken for', () => {
    const values = noise(0, 60_000);
    const fractions = shownOf(Float32Array.from(values, (value) => value / 60_000));
    for (const [i, value] of shownOf(Uint16Array.from(values)).entries()) {
      expect(60_000 * fractions[i]!).toBeCloseTo(value, 0);
    }
  });

  it('have the medians of nine cells around each', () => {
    const cells = Float32Array.from({ length: 12 * 9 }, () => (random() < 0.2 ? Infinity : Math.floor(9 * random())));
    const around = (row: number, column: number) => {
      const near = [-1, 0, 1].flatMap((down) =>
        [-1, 0, 1].map((along) => {
          const [r, c] = [Math.min(11, Math.max(0, row + down)), Math.min(8, Math.max(0, column + along))];
          return cells[r * 9 + c]!;
        }),
      );
      return near.sort((a, b) => a - b)[4]!;
    };
    const [floats, integers] = [new FloatMedians(cells, 12, 9), new IntegerMedians(cells, 12, 9)];
    for (let row = 0; row < 12; row++) {
      const expected = Array.from({ length: 9 }, (_, column) => around(row, column));
      expect([...floats.around(row)]).toEqual(expected);
      expect([...integers.around(row)]).toEqual(expected.map((value) => Math.min(value, 65_536)));
    }
  });
});
