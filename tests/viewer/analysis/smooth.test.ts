import { describe, expect, it } from 'vitest';
import { gaussianWeights, smoothPlane } from '../../../packages/viewer/src/analysis/smooth.ts';
import type { Smoothing } from '../../../packages/viewer/src/model/display.ts';

const gaussian = (sigma: number): Smoothing => ({ kind: 'gaussian', sigma });
const MEDIAN: Smoothing = { kind: 'median', sigma: 1 };

/** Two-dimensional sums over all samples, which need no trick. */
function naiveGaussian(data: ArrayLike<number>, [rows, columns]: readonly [number, number], sigma: number): number[] {
  const reach = Math.ceil(3 * sigma);
  return Array.from({ length: rows * columns }, (_, at) => {
    if (!Number.isFinite(data[at])) return data[at] as number;
    const [row, column] = [Math.floor(at / columns), at % columns];
    let [sum, weight] = [0, 0];
    for (let y = Math.max(0, row - reach); y <= Math.min(rows - 1, row + reach); y++) {
      for (let x = Math.max(0, column - reach); x <= Math.min(columns - 1, column + reach); x++) {
        const value = data[y * columns + x] as number;
        if (!Number.isFinite(value)) continue;
        const share = Math.exp(-((y - row) ** 2 + (x - column) ** 2) / (2 * sigma * sigma));
        sum += share * value;
        weight += share;
      }
    }
    return sum / weight;
  });
}

function naiveMedian(data: ArrayLike<number>, [rows, columns]: readonly [number, number]): number[] {
  return Array.from({ length: rows * columns }, (_, at) => {
    const middle = data[at] as number;
    if (!Number.isFinite(middle)) return middle;
    const [row, column] = [Math.floor(at / columns), at % columns];
    const nine = [-1, 0, 1].flatMap((y) =>
      [-1, 0, 1].map((x) => {
        const inside = row + y >= 0 && row + y < rows && column + x >= 0 && column + x < columns;
        const value = inside ? (data[(row + y) * columns + column + x] as number) : middle;
        return Number.isFinite(value) ? value : middle;
      }),
    );
    return nine.sort((a, b) => a - b)[4] as number;
  });
}

/** Different values in no order. */
const noise = (count: number) => Float32Array.from({ length: count }, (_, i) => ((i * 7919) % 1009) - 300);

describe('a smoothed plane', () => {
  const shape = [70, 9] as const;
  const holes = noise(630);
  holes[5] = Number.NaN;
  holes[300] = Number.POSITIVE_INFINITY;
  for (let i = 400; i < 409; i++) holes[i] = Number.NaN;

  it.each([0.5, 1, 2.5, 10])('has the weighted mean of all samples near, σ %d', async (sigma) => {
    const smoothed = await smoothPlane(holes, shape, gaussian(sigma));
    naiveGaussian(holes, shape, sigma).forEach((expected, at) => {
      if (Number.isFinite(expected)) expect(smoothed[at], `sample ${at}`).toBeCloseTo(expected, 3);
      else expect(smoothed[at]).toBe(expected);
    });
  });

  it('has the median of nine samples', async () => {
    expect([...(await smoothPlane(holes, shape, MEDIAN))]).toEqual(naiveMedian(holes, shape));
  });

  it('leaves neighboring pixels of a line alone when it is smoothed along time only', async () => {
    const [rows, columns] = shape;
    const means = await smoothPlane(holes, shape, { ...gaussian(1.5), alongTime: true });
    const medians = await smoothPlane(holes, shape, { ...MEDIAN, alongTime: true });
    for (let column = 0; column < columns; column++) {
      const values = Array.from({ length: rows }, (_, row) => holes[row * columns + column]!);
      naiveGaussian(values, [rows, 1], 1.5).forEach((expected, row) => {
        if (Number.isFinite(expected)) expect(means[row * columns + column]).toBeCloseTo(expected, 3);
      });
      values.forEach((middle, row) => {
        const three = [-1, 0, 1].map((step) => values[row + step] ?? middle);
        const finite = three.map((value) => (Number.isFinite(value) ? value : middle)).sort((a, b) => a - b);
        if (Number.isFinite(middle)) expect(medians[row * columns + column]).toBe(finite[1]);
      });
    }
  });

  it('is the same in blocks as in one piece', async () => {
    const [rows, columns] = [32, 4096];
    const data = noise(rows * columns);
    const smoothed = await smoothPlane(data, [rows, columns], gaussian(2));
    const part = naiveGaussian(data.subarray(10 * columns, 24 * columns), [14, columns], 2).slice(
      6 * columns,
      7 * columns,
    );
    for (let column = 0; column < columns; column += 97) {
      expect(smoothed[16 * columns + column]).toBeCloseTo(part[column] as number, 2);
    }
  });

  it('keeps a constant exactly, and the sum of a spot', async () => {
    const constant = await smoothPlane(
      Float32Array.from({ length: 100 }, () => 0.1),
      [10, 10],
      gaussian(1),
    );
    expect(new Set(constant)).toEqual(new Set([Math.fround(0.1)]));
    const spot = new Float32Array(21 * 21);
    spot[10 * 21 + 10] = 1000;
    const smoothed = await smoothPlane(spot, [21, 21], gaussian(1));
    expect([...smoothed].reduce((sum, value) => sum + value, 0)).toBeCloseTo(1000, 1);
    const total = gaussianWeights(1).reduce((sum, weight, k) => sum + (k === 0 ? weight : 2 * weight), 0);
    expect(smoothed[10 * 21 + 10]).toBeCloseTo(1000 / total ** 2, 3);
    expect(Math.max(...(await smoothPlane(spot, [21, 21], MEDIAN)))).toBe(0);
  });

  it('leaves the samples as they are, and their type for a median', async () => {
    const data = Uint16Array.from([1, 2, 65_535, 4, 5, 6, 7, 8, 9]);
    const smoothed = await smoothPlane(data, [3, 3], MEDIAN);
    expect(smoothed).toEqual(Uint16Array.from(naiveMedian(data, [3, 3])));
    expect([...data]).toEqual([1, 2, 65_535, 4, 5, 6, 7, 8, 9]);
    expect(await smoothPlane(data, [3, 3], gaussian(1))).toBeInstanceOf(Float32Array);
  });

  it('stops when it is no longer wanted', async () => {
    const ending = new AbortController();
    const running = smoothPlane(noise(1 << 20), [1024, 1024], gaussian(2), ending.signal);
    ending.abort(new Error('another plane'));
    await expect(running).rejects.toThrow('another plane');
  });
});
