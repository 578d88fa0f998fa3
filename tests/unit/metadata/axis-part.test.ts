import { describe, expect, it } from 'vitest';
import type { AxisCoordinates, Step } from '../../../packages/readers/src/model/acquisition.js';
import { partOfAxes, stepOfTimes } from '../../../packages/readers/src/model/metadata/axis-part.js';

const seconds = (step: number): Step => ({ step, unit: 'seconds', origin: 'file' });
const micrometers = (step: number): Step => ({ step, unit: 'micrometer', origin: 'file' });
const pixels: Step = { step: 1, unit: 'Pixels', origin: 'default' };
const times = (...values: number[]): AxisCoordinates => ({
  ...{ unit: 'seconds', source: 'frame times', uneven: true, values: Float64Array.from(values) },
});
const all = (count: number) => ({ start: 0, end: count });

describe('the axes of a part', () => {
  const steps = { T: seconds(3), Z: micrometers(2), Y: pixels, X: pixels };

  it('have the values of the part, whose zero stays, and their mean as step', () => {
    const part = partOfAxes({ steps, coordinates: { T: times(0, 1, 2, 9) } }, { T: { start: 1, end: 4 }, Z: all(1) });
    expect([...part.coordinates!.T!.values]).toEqual([1, 2, 9]);
    expect([part.steps.T, part.steps.Z, part.coordinates!.T!.uneven]).toEqual([seconds(4), micrometers(2), true]);
    const even = partOfAxes({ steps, coordinates: { T: times(0, 1, 2, 9) } }, { T: { start: 0, end: 3 }, Z: all(1) });
    expect([even.steps.T, even.coordinates!.T!.uneven]).toEqual([seconds(1), false]);
  });

  it('keep the step of the file when the mean agrees with it, or is not known', () => {
    const part = (values: number[], start: number, end: number) =>
      partOfAxes({ steps, coordinates: { T: times(...values) } }, { T: { start, end }, Z: all(1) }).steps.T;
    expect(part([0, 3.000_001, 6, 9], 0, 2)).toEqual(seconds(3));
    expect(part([0, 3, 6, 9], 2, 3)).toEqual(seconds(3));
    expect(part([0, Number.NaN, 6, 9], 0, 2)).toEqual(seconds(3));
    expect(part([0, Number.NaN, 8, 9], 0, 3)).toEqual(seconds(4));
  });

  it('are those of the file for all of it, and when they have no values', () => {
    const coordinates = { T: times(0, 1, 2, 9) };
    expect(partOfAxes({ steps, coordinates }, { T: all(4), Z: all(1) })).toEqual({ steps, coordinates });
    expect(partOfAxes({ steps }, { T: { start: 1, end: 2 }, Z: all(1) })).toEqual({ steps });
  });

  it('along Z descend with a positive step', () => {
    const Z: AxisCoordinates = { ...times(0, -2, -6), unit: 'micrometer' };
    const part = partOfAxes({ steps, coordinates: { Z } }, { T: all(1), Z: { start: 1, end: 3 } });
    expect([part.steps.Z, [...part.coordinates!.Z!.values]]).toEqual([micrometers(4), [-2, -6]]);
  });
});

describe('the step of some time points', () => {
  it('is the mean by their times, also across those that are missing', () => {
    expect(stepOfTimes(seconds(1), Float64Array.of(10, 12, 16))).toEqual(seconds(3));
    expect(stepOfTimes(seconds(1), Float64Array.of(Number.NaN, 12, Number.NaN, 16))).toEqual(seconds(2));
  });

  it('is that of the file when any time is before the one before it, or only one is known', () => {
    expect(stepOfTimes(seconds(1), Float64Array.of(12, 10, 16))).toEqual(seconds(1));
    expect(stepOfTimes(seconds(1), Float64Array.of(10, 16, 12))).toEqual(seconds(1));
    expect(stepOfTimes(seconds(1), Float64Array.of(10, Number.NaN))).toEqual(seconds(1));
    expect(stepOfTimes(seconds(1), Float64Array.of(10, 10))).toEqual(seconds(1));
  });

  it('is that of the file when it is not a time', () => {
    const frames: Step = { step: 1, unit: 'Frames', origin: 'default' };
    expect(stepOfTimes(frames, Float64Array.of(10, 12))).toEqual(frames);
  });
});
