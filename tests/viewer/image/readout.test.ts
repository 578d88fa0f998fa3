import { describe, expect, it } from 'vitest';
import { axisTitle, planeAxes } from '../../../packages/viewer/src/image/plane-axes.ts';
import { cursorSample, formatAxisValue, paneHeading, sampleAt } from '../../../packages/viewer/src/image/readout.ts';
import { toMeasuredAxis } from '../../../packages/viewer/src/model/measured-axis.ts';
import { testPane } from './test-pane.ts';

describe('a position', () => {
  it.each([
    // 30,000 lines of 1.17 ms are 35.1 s: told in s, with three digits of the step: 0.00117 s.
    [3 * 0.00117, 'seconds', 0.00117, 30_000, '0.00351 s'],
    [3 * 0.00117, 'seconds', 0.00117, 100, '3.51 ms'],
    [19 * 0.284, 'micrometer', 0.284, 38, '5.396 µm'],
    [7, 'Pixels', 1, 38, '7'],
  ])('%d %s', (value, unit, step, size, text) => expect(formatAxisValue(value, { unit, step, size })).toBe(text));

  it('is that of the sample around it', () => {
    expect(sampleAt({ row: 4.999, column: 0 }, [5, 3])).toEqual({ row: 4, column: 0 });
    expect(sampleAt({ row: 5, column: 0 }, [5, 3])).toBeNull();
    expect(sampleAt({ row: -0.001, column: 0 }, [5, 3])).toBeNull();
  });
});

describe('a heading', () => {
  it.each([
    [[30_000, 38], 'seconds', 0.00117, 'micrometer', 0.284, '30,000 lines × 38 px · 1.17 ms/line × 0.284 µm/px'],
    [[512, 512], 'micrometer', 0.284, 'micrometer', 0.284, '512 × 512 px · 0.284 µm/px'],
    [[512, 256], 'micrometer', 0.5, 'micrometer', 0.284, '256 × 512 px · 0.284 µm/px × 0.5 µm/px'],
    [[512, 256], 'Pixels', 1, 'Pixels', 1, '256 × 512 px · no calibration'],
    [[5120, 25], 'seconds', 0.0000623, 'Pixels', 1, '5,120 lines × 25 px · 62.3 µs/line × no calibration'],
  ] as const)('%j', (shape, yUnit, yStep, xUnit, xStep, text) => {
    expect(paneHeading(testPane({ shape, y: [yStep, yUnit], x: [xStep, xUnit] }))).toBe(text);
  });
});

it('says how much was not recorded, and the median of uneven periods', () => {
  const pane = testPane({ shape: [20, 38], y: [0.2, 'seconds'], x: [0.284, 'micrometer'] });
  pane.rowTimes.value = toMeasuredAxis(Float64Array.from({ length: 20 }, (_, i) => i / 10 + (i > 9 ? 2 : 0)));
  const { plane, shape, rowTimes } = pane;
  const text = '20 lines × 38 px · median 100 ms/line × 0.284 µm/px · 2 s not recorded';
  expect(paneHeading({ plane, shape, rowTimes, lineScan: true })).toBe(text);
});

describe('the cursor', () => {
  const pane = testPane({ shape: [400, 38], y: [0.00117, 'seconds'], x: [0.284, 'micrometer'], channels: 2 });

  it('has no sample until it is set', () => {
    expect(cursorSample(pane)).toBeNull();
    pane.cursor.value = { row: 400, column: 3 };
    expect(cursorSample(pane)).toBeNull();
  });

  it('has line, pixel, time, position and the value of each channel', () => {
    const data = new Float32Array(400 * 38);
    // Line 5, pixel 12 is sample 5 · 38 + 12 = 202; its middle is at 5.5 × 1.17 ms and 12.5 × 0.284 µm.
    data[202] = 1234;
    pane.channels[0]!.data.value = data;
    pane.cursor.value = { row: 5.99, column: 12.01 };
    expect(cursorSample(pane)).toEqual({
      row: 5,
      column: 12,
      position: 'line 5 · pixel 12',
      calibrated: '6.43 ms · 3.550 µm',
      values: [
        { index: 0, name: 'Channel 0', value: '1,234' },
        { index: 1, name: 'Channel 1', value: null },
      ],
    });
  });

  it('counts x and y in an image', () => {
    const image = testPane({ shape: [64, 64], y: [1, 'Pixels'], x: [1, 'Pixels'] });
    image.cursor.value = { row: 3, column: 4 };
    expect(cursorSample(image)).toMatchObject({ position: 'y 3 · x 4', calibrated: '' });
    const calibrated = testPane({ shape: [64, 64], y: [0.5, 'micrometer'], x: [0.25, 'micrometer'] });
    calibrated.cursor.value = { row: 3, column: 5 };
    expect(cursorSample(calibrated)?.calibrated).toBe('y 1.750 µm · x 1.375 µm');
  });

  it('counts z in an x–z scan, however tall it is', () => {
    const section = testPane({ shape: [640, 64], y: [0.5, 'micrometer', 'z'], x: [0.25, 'micrometer'] });
    section.cursor.value = { row: 3, column: 5 };
    expect(cursorSample(section)).toMatchObject({ position: 'z 3 · x 5', calibrated: 'z 1.750 µm · x 1.375 µm' });
    const unknown = testPane({ shape: [640, 64], y: [1, 'Pixels', 'z'], x: [0.25, 'micrometer'] });
    expect(unknown.lineScan).toBe(false);
    const title = (pane: typeof section) => axisTitle(planeAxes(pane).row, 320);
    expect([title(section), title(unknown)]).toEqual(['z (µm)', 'z (pixel)']);
  });
});
