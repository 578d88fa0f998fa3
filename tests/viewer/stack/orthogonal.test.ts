import { describe, expect, it } from 'vitest';
import { toMeasuredAxis } from '../../../packages/viewer/src/model/measured-axis.ts';
import { toOrthogonal } from '../../../packages/viewer/src/model/orthogonal.ts';
import { CrossSectionLines } from '../../../packages/viewer/src/orthogonal/cross-section-lines.ts';
import { alongOf } from '../../../packages/viewer/src/orthogonal/cross-section-pane.ts';
import { depthOf, placePictures } from '../../../packages/viewer/src/orthogonal/layout.ts';
import { rowRuns } from '../../../packages/viewer/src/orthogonal/not-read.ts';
import { LatestReading, nearest, readNearest } from '../../../packages/viewer/src/orthogonal/reading.ts';
import { cutColumns, cutRows, maxOfPlanes } from '../../../packages/viewer/src/orthogonal/slices.ts';
import {
  indexAt,
  isTooDeep,
  rowOf,
  slabAround,
  thirdAxis,
  thirdDim,
} from '../../../packages/viewer/src/orthogonal/third-axis.ts';

const header = (sizes: Record<string, number>) => ({ header: { sizes } as never, selection: { T: 0, Z: 0 } });

describe('the third axis', () => {
  it('is the sections, else the time points, unless the other one is chosen', () => {
    expect(thirdDim(header({ T: 4, Z: 3 }), null)).toBe('Z');
    expect(thirdDim(header({ T: 4, Z: 3 }), 'T')).toBe('T');
    expect(thirdDim(header({ T: 4, Z: 1 }), 'Z')).toBe('T');
    expect(thirdDim(header({ T: 1, Z: 1 }), null)).toBeNull();
    // A projected dimension cannot be chosen.
    expect(thirdDim({ ...header({ T: 4, Z: 3 }), selection: { T: 0 } }, 'Z')).toBe('T');
  });

  it('has the middle of a section at its depth, and counts from 1 without a step', () => {
    const even = thirdAxis({ dim: 'Z', size: 4, step: 2, unit: 'micrometer', measured: null });
    expect(even).toMatchObject({ rows: 4, step: 2, start: -1, uneven: false });
    expect([0, 1, 2, 3].map((index) => rowOf(even, index))).toEqual([0.5, 1.5, 2.5, 3.5]);
    const counted = thirdAxis({ dim: 'Z', size: 4, step: null, unit: 'Pixels', measured: null });
    expect(counted).toMatchObject({ unit: 'Pixels', step: 1, start: 1 });
    expect(thirdAxis({ dim: 'T', size: 4, step: 0.5, unit: 'seconds', measured: null })).toMatchObject({ start: 0 });
  });

  it('draws measured sections where they are, half way to their neighbors', () => {
    const measured = toMeasuredAxis(Float64Array.of(10, 11, 13, 17));
    const third = thirdAxis({ dim: 'Z', size: 4, step: 2, unit: 'micrometer', measured });
    expect(third.uneven).toBe(true);
    // Edges at 9.5, 10.5, 12, 15 and 19.
    expect(third.start).toBe(9.5);
    expect(third.rows * third.step).toBeCloseTo(9.5, 9);
    const heights = [0, 1, 2, 3].map((index) => (third.end[index]! - third.from[index]!) * third.step);
    for (const [i, height] of [1, 1.5, 3, 4].entries()) expect(heights[i]).toBeCloseTo(height, 0);
    expect(third.indexOf[Math.floor((14.9 - 9.5) / third.step)]).toBe(2);
    expect(third.indexOf[Math.floor((15.3 - 9.5) / third.step)]).toBe(3);
    expect(indexAt(third, 1e9)).toBe(3);
    expect(indexAt(third, -5)).toBe(0);
  });

  it('shows descending depths from the lowest one', () => {
    const even = toMeasuredAxis(Float64Array.of(30, 20, 10));
    const third = thirdAxis({ dim: 'Z', size: 3, step: 10, unit: 'micrometer', measured: even });
    expect([...third.indexOf]).toEqual([2, 1, 0]);
    expect(third).toMatchObject({ start: 5, step: 10 });
    const uneven = toMeasuredAxis(Float64Array.of(17, 13, 11, 10));
    const turned = thirdAxis({ dim: 'Z', size: 4, step: 2, unit: 'micrometer', measured: uneven });
    expect(turned.indexOf[0]).toBe(3);
    expect(turned.indexOf.at(-1)).toBe(0);
  });

  it('has a limit', () => {
    expect(isTooDeep({ rows: 32_768 }, [512, 512])).toBe(false);
    expect(isTooDeep({ rows: 32_769 }, [512, 400])).toBe(true);
  });

  it('has slabs around a sample that end at its ends', () => {
    expect(slabAround(5, 1, 10)).toEqual([5, 6]);
    expect(slabAround(5, 5, 10)).toEqual([3, 8]);
    expect(slabAround(5, 4, 10)).toEqual([4, 8]);
    expect(slabAround(0, 5, 10)).toEqual([0, 3]);
    expect(slabAround(9, 5, 10)).toEqual([7, 10]);
  });
});

describe('slices', () => {
  const plane = Uint16Array.of(1, 9, 3, 7, 2, 8, 4, 5, 6);
  it('are the maximum of some rows or columns', () => {
    const out = new Uint16Array(8);
    cutRows(plane, [3, 3], [1, 2], out, 2);
    expect([...out]).toEqual([0, 0, 7, 2, 8, 0, 0, 0]);
    cutRows(plane, [3, 3], [0, 3], out, 2);
    expect([...out]).toEqual([0, 0, 7, 9, 8, 0, 0, 0]);
    cutColumns(plane, [3, 3], [2, 3], out, 5);
    expect([...out.subarray(5)]).toEqual([3, 8, 6]);
    cutColumns(plane, [3, 3], [0, 2], out, 5);
    expect([...out.subarray(5)]).toEqual([9, 7, 5]);
  });

  it('ignore NaN unless all are', () => {
    const some = Float32Array.of(Number.NaN, 2, Number.NaN, 4);
    const out = new Float32Array(2);
    cutRows(some, [2, 2], [0, 2], out, 0);
    expect([...out]).toEqual([Number.NaN, 4]);
    cutColumns(some, [2, 2], [0, 2], out, 0);
    expect([...out]).toEqual([2, 4]);
    expect([...maxOfPlanes([some, Float32Array.of(1, 1, Number.NaN, 9)])]).toEqual([1, 2, Number.NaN, 9]);
  });

  it('keep lines by index and fill the rows of a section', () => {
    const measured = toMeasuredAxis(Float64Array.of(0, 1, 4));
    const third = thirdAxis({ dim: 'Z', size: 3, step: 2, unit: 'micrometer', measured });
    const lines = new CrossSectionLines(third, 2);
    lines.begin('here');
    expect(lines.samples(0)).toBeNull();
    lines.put(0, 2, plane, (out, at) => out.set([5, 6], at));
    lines.begin('here');
    expect(lines.missing([0])).toEqual([0, 1]);
    const samples = lines.samples(0)!;
    expect(samples).toBeInstanceOf(Uint16Array);
    const rows = Array.from({ length: third.rows }, (_, row) => [...samples.subarray(2 * row, 2 * row + 2)].join());
    expect(new Set(rows.slice(third.from[2], third.end[2]))).toEqual(new Set(['5,6']));
    expect(new Set(rows.slice(0, third.from[2]))).toEqual(new Set(['0,0']));
    expect([lines.sampleAt(0, 2, 1), lines.sampleAt(0, 1, 1)]).toEqual([6, undefined]);
    expect(rowRuns(third, lines.missing([0]))).toEqual([[0, third.end[1]]]);
    lines.begin('there');
    expect(lines.missing([0])).toEqual([0, 1, 2]);
  });
});

describe('the layout', () => {
  const margins = { caption: 24, left: 52, right: 10, top: 4, bottom: 24, ticks: 6, gap: 8 };
  const shape = { across: 400, down: 300, fit: 1.5, rows: 20, depth: 2.5 };

  it('has one scale, inside the room, with images in line', () => {
    const { plane, right, below, whole, scale } = placePictures({ width: 1000, height: 680 }, shape, margins);
    const image = { width: plane.width - 62, height: plane.height - 24 - 4 - 6 };
    expect(image.width / 400).toBeCloseTo(scale, 9);
    expect(image.height / (300 * 1.5)).toBeCloseTo(scale, 9);
    expect((right.width - 16) / (20 * 2.5)).toBeCloseTo(scale, 2);
    expect((below.height - 52) / (20 * 2.5)).toBeCloseTo(scale, 2);
    expect(right.height - 52).toBeCloseTo(image.height, 9);
    expect(below).toMatchObject({ x: 0, width: plane.width });
    expect(whole.width).toBeLessThanOrEqual(1000);
    expect(whole.height).toBeLessThanOrEqual(680 + 1e-9);
    expect(Math.min(1000 - whole.width, 680 - whole.height)).toBeCloseTo(0, 6);
  });

  it('scrolls rather than vanish', () => {
    const { scale, whole } = placePictures({ width: 120, height: 100 }, shape, margins);
    expect(scale * 450).toBeCloseTo(80, 9);
    expect(whole.width).toBeGreaterThan(120);
  });

  it('draws z to scale, a section without a step one sample high, and time points in a part of the plane', () => {
    const across = { unit: 'micrometer', step: 0.2, calibrated: true };
    const plane = { width: 300, height: 200 };
    const z = { dim: 'Z', rows: 10, unit: 'micrometer', step: 0.5 } as const;
    expect(depthOf(z, across, plane)).toBe(2.5);
    expect(depthOf({ ...z, unit: 'Pixels', step: 1 }, across, plane)).toBe(1);
    expect(depthOf(z, { unit: 'Pixels', step: 1, calibrated: false }, plane)).toBe(1);
    const times = (rows: number) => rows * depthOf({ dim: 'T', rows, unit: 'seconds', step: 1 }, across, plane);
    expect([times(10), times(100), times(5000)].map(Math.round)).toEqual([50, 100, 150]);
  });

  it('shares the axis of the plane on screen', () => {
    expect([alongOf('below', { transposed: false }), alongOf('right', { transposed: false })]).toEqual([
      'column',
      'row',
    ]);
    expect([alongOf('below', { transposed: true }), alongOf('right', { transposed: true })]).toEqual(['row', 'column']);
  });
});

describe('reading', () => {
  it('takes the nearest first, two at a time, and ends with the first failure', async () => {
    expect(nearest([0, 1, 2, 3, 4, 5], 3, 3)).toEqual([3, 2, 4]);
    const begun: number[] = [];
    let running = 0;
    let most = 0;
    const read = async (index: number) => {
      begun.push(index);
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      running -= 1;
    };
    await readNearest([0, 1, 2, 3, 4], 2, read, new AbortController().signal);
    expect(begun).toEqual([2, 1, 3, 0, 4]);
    expect(most).toBe(2);
    begun.length = 0;
    const fail = (index: number) => {
      begun.push(index);
      return Promise.reject(new Error(`no ${index}`));
    };
    await expect(readNearest([0, 1, 2, 3, 4], 0, fail, new AbortController().signal)).rejects.toThrow('no 0');
    await Promise.resolve();
    expect(begun).toEqual([0, 1]);
  });

  it('is replaced by one with another key only', async () => {
    const stopped: string[] = [];
    const failures: unknown[] = [];
    const reading = new LatestReading();
    const begin = (key: string) =>
      reading.start(
        key,
        (signal) =>
          new Promise((_, reject) => {
            signal.addEventListener('abort', () => {
              stopped.push(key);
              reject(key);
            });
          }),
        (error) => failures.push(error),
      );
    begin('a');
    begin('a');
    begin('b');
    reading.stop();
    await Promise.resolve();
    expect(stopped).toEqual(['a', 'b']);
    expect(failures).toEqual([]);
  });
});

it('a link may say only what the page offers', () => {
  expect(toOrthogonal({ shown: true, along: 'T', slab: 5 })).toEqual({
    orthogonal: { shown: true, along: 'T', slab: 5 },
  });
  expect(toOrthogonal({ shown: true, along: 'X', slab: 1e9 })).toEqual({
    orthogonal: { shown: true, along: null, slab: 1 },
  });
  for (const value of [null, 3, {}, { shown: 1 }]) expect(toOrthogonal(value)).toEqual({});
});
