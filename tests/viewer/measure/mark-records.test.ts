import { beforeEach, describe, expect, it } from 'vitest';
import { percentile } from '../../../packages/viewer/src/analysis/baseline.ts';
import { pathMean } from '../../../packages/viewer/src/analysis/path-samples.ts';
import { planeAxes } from '../../../packages/viewer/src/image/plane-axes.ts';
import type { VelocityResult } from '../../../packages/viewer/src/measure/follow-velocity.ts';
import { areaUnit, markArea } from '../../../packages/viewer/src/measure/mark-area.ts';
import { markMeans } from '../../../packages/viewer/src/measure/mark-means.ts';
import { fromPosition, markSpan, sideTitle, toPosition } from '../../../packages/viewer/src/measure/mark-positions.ts';
import { marksJson, marksText } from '../../../packages/viewer/src/measure/mark-records.ts';
import { markDetails } from '../../../packages/viewer/src/measure/mark-table.ts';
import { addMark, removeMark } from '../../../packages/viewer/src/measure/marks.ts';
import { valuesAt } from '../../../packages/viewer/src/measure/values-at.ts';
import { goodVelocities } from '../../../packages/viewer/src/measure/velocity-values.ts';
import type { Pane } from '../../../packages/viewer/src/model/document.ts';
import { toMeasuredAxis } from '../../../packages/viewer/src/model/measured-axis.ts';
import { testPane } from '../image/test-pane.ts';

const at = (row: number, column: number) => ({ row, column });
const go = new AbortController().signal;

/** 10 lines of 4 pixels; the value of a sample is 10 · line + pixel. */
function kymograph(): Pane {
  const pane = testPane({ shape: [10, 4], y: [0.5, 'seconds'], x: [2, 'micrometer'], channels: 1 });
  pane.channels[0]!.data.value = Float32Array.from({ length: 40 }, (_, i) => 10 * Math.floor(i / 4) + (i % 4));
  return pane;
}

describe('marks as rows', () => {
  let pane: Pane;
  beforeEach(() => {
    pane = kymograph();
    addMark(pane, { kind: 'region', from: at(2, 0.5), to: at(4, 2) });
    addMark(pane, { kind: 'line', from: at(0, 0), to: at(4, 3), name: 'fast', comment: '=1+1, "x"' });
    addMark(pane, { kind: 'point', from: at(5.5, 3.5), to: at(5.5, 3.5) });
  });

  const meansOf = async (baseline: Parameters<typeof markMeans>[2]) =>
    new Map(
      await Promise.all(
        pane.marks.value.map(async (mark) => [mark.id, await markMeans(mark, pane, baseline, go)] as const),
      ),
    );

  it('have positions in seconds and µm, velocities, means and ΔF/F₀', async () => {
    const means = await meansOf('mean');
    // Region: lines 2 and 3, pixels 0 and 1: 20, 21, 30, 31. The same pixels over all lines: 45.5.
    expect(means.get('1')).toMatchObject([{ mean: 25.5, dff: (25.5 - 45.5) / 45.5 }]);
    // The sample of line 5, pixel 3; over all lines 48.
    expect(means.get('3')).toMatchObject([{ mean: 53, dff: 5 / 48 }]);
    const name = pane.channels[0]!.name;
    expect(marksText(pane.marks.value, pane, means, '\t', null).split('\n')).toEqual([
      ['id', 'name', 'kind', 'time (s) from', 'time (s) to', 'position (µm) from', 'position (µm) to']
        .concat(
          'velocity (µm/s)',
          'width (px)',
          'area (px)',
          `${name} mean`,
          `${name} ΔF/F₀ (F₀: 20th percentile of all lines)`,
          'color',
          'comment',
        )
        .join('\t'),
      ['1', 'Region 1', 'region', 1, 2, 0, 4, '', '', 4, 25.5, -0.43956044, '#5cc8ff', ''].join('\t'),
      expect.stringMatching(/^2\tfast\tline\t0\t2\t0\t6\t3\t/),
      ['3', 'Point 3', 'point', 2.75, 2.75, 7, 7, '', '', '', 53, 0.104166667, '#3ddc97', ''].join('\t'),
      '',
    ]);
  });

  it('have the mean of the pixels whose centers are in a shape, and its area in µm² of an image', async () => {
    addMark(pane, { kind: 'polygon', from: at(1, 0), via: [at(1, 4), at(5, 4)], to: at(5, 0) });
    addMark(pane, { kind: 'ellipse', from: at(0, 0), to: at(4, 4) });
    addMark(pane, { kind: 'freeline', from: at(0.5, 0.5), via: [at(2.5, 0.5)], to: at(2.5, 3.5) });
    const means = await meansOf('mean');
    // Lines 1 to 4 of all pixels; the ellipse lacks the four corners of lines 0 to 3.
    expect(means.get('4')![0]!.mean).toBe(26.5);
    expect(means.get('5')![0]!.mean).toBe(16.5);
    const rows = marksText(pane.marks.value, pane, means, ',', null).split('\n').slice(4, 7);
    expect(rows.map((row) => row.split(',').slice(1, 10).join(' '))).toEqual([
      'Polygon 4 polygon 0.5 2.5 0 8   16',
      'Ellipse 5 ellipse 0 2 0 8   12',
      'Freehand line 6 freehand line 0.25 1.25 1 7 6 1 ',
    ]);
    const image = testPane({ shape: [10, 10], y: [0.5, 'micrometer'], x: [0.2, 'micrometer'] });
    expect(markArea({ id: '1', kind: 'ellipse', from: at(0, 0), to: at(4, 4) }, image)).toBeCloseTo(1.2, 12);
    expect([areaUnit(image), areaUnit(pane)]).toEqual(['µm²', 'px']);
  });

  it('average across a wide line of an image as many samples as it is wide, and say so', async () => {
    const image = testPane({ shape: [10, 4], y: [1, 'Pixels'], x: [1, 'Pixels'] });
    expect(image.lineScan).toBe(false);
    image.channels[0]!.data.value = pane.channels[0]!.data.value;
    // Along pixel 0 from line 2 to 8: samples are 10 · line + pixel, and pixel −1 does not exist.
    const mark = addMark(image, { kind: 'line', from: at(2.5, 0.5), to: at(8.5, 0.5), width: 3 });
    const means = await markMeans(mark, image, 'mean', go);
    expect(means[0]!.mean).toBeCloseTo(50.5, 12);
    const [titles = '', row = ''] = marksText([mark], image, new Map(), ',', null).split('\n');
    expect(row.split(',')[titles.split(',').indexOf('width (px)')]).toBe('3');
    expect(row.split(',')[titles.split(',').indexOf('length (px)')]).toBe('6');
    const source = { source: { path: '/a.oir' } } as Parameters<typeof marksJson>[3];
    const [record] = JSON.parse(marksJson([mark], image, new Map(), source, null)).marks;
    expect(record).toMatchObject({ length: 6, lengthUnit: 'px' });
    expect(Object.keys(record)).not.toContain('velocity');
  });

  it('are less the background of the same lines, which files name', async () => {
    const dark = addMark(pane, { kind: 'region', from: at(7, 2), to: at(9, 4), name: 'dark' });
    pane.background.value = dark.id;
    const means = await meansOf('mean');
    // Lines 2 and 3: pixels 0 and 1 less pixels 2 and 3, and so over all lines.
    expect(means.get('1')).toMatchObject([{ mean: -2, dff: 0 }]);
    // Line 5: pixel 3 less pixels 2 and 3.
    expect(means.get('3')).toMatchObject([{ mean: 0.5, dff: 0 }]);
    // The background itself: lines 7 and 8.
    expect(means.get(dark.id)).toMatchObject([{ mean: 77.5 }]);
    const [titles = ''] = marksText(pane.marks.value, pane, means, ',', null).split('\n');
    expect(titles).toContain(`${pane.channels[0]!.name} mean − dark`);
    const source = { source: { path: '/a.oir' } } as Parameters<typeof marksJson>[3];
    expect(JSON.parse(marksJson(pane.marks.value, pane, means, source, null)).background).toBe('dark');
    removeMark(pane, dark.id);
    expect((await meansOf('mean')).get('1')).toMatchObject([{ mean: 25.5 }]);
    expect(JSON.parse(marksJson(pane.marks.value, pane, means, source, null)).background).toBe('none');
  });

  it('have the times that were measured, and velocities from them', () => {
    pane.rowTimes.value = toMeasuredAxis(Float64Array.of(0, 0.5, 1, 1.5, 12, 12.5, 13, 13.5, 14, 14.5));
    const rows = marksText(pane.marks.value, pane, new Map(), ',', null).split('\n');
    expect(rows.slice(1, 4).map((row) => row.split(',').slice(3, 5))).toEqual([
      // Lines 2 and 3 end when the pause begins, as long after line 3 as line 3 is after line 2.
      ['1', '2'],
      ['0', '12'],
      ['12.75', '12.75'],
    ]);
    // 6 µm in 12 s.
    const source = { source: { path: '/a.oir' } } as Parameters<typeof marksJson>[3];
    expect(JSON.parse(marksJson(pane.marks.value, pane, new Map(), source, null)).marks[1].velocity).toBe(0.5);
    expect(fromPosition(planeAxes(pane).row, 12, 'line')).toBe(4);
    const [region] = JSON.parse(marksJson(pane.marks.value, pane, new Map(), source, null)).marks;
    expect(region.points.map((point: Record<string, number>) => point['time (s)'])).toEqual([1, 2]);
    expect(markDetails(pane.marks.value[0]!, pane)[0]?.value).toBe('2–3: 2 = 1 s');
    // From one line to the next: 2 µm in 0.5 s, in windows that end at the pause, begin after it, and end with the scan.
    const windows = { starts: [0, 4, 6], lines: 4, slopes: Float64Array.of(1, 1, 1), qualities: new Float64Array(3) };
    const velocities = goodVelocities(windows as unknown as VelocityResult, pane, 0);
    expect([...velocities].map((velocity) => Number(velocity.toFixed(9)))).toEqual([4, 4, 4]);
    expect(valuesAt(pane, at(4.9, 3.1))?.split('\n')[1]?.split('\t')[2]).toBe('12');
  });

  it('have values at a point, with the middle of its sample', () => {
    const name = pane.channels[0]!.name;
    expect(valuesAt(pane, { row: 5.9, column: 3.1 })).toBe(
      `line\tpixel\ttime (s)\tposition (µm)\t${name}\n5\t3\t2.75\t7\t53`,
    );
    expect(valuesAt(pane, { row: -1, column: 3 })).toBeNull();
  });

  it('never hand a comment to a spreadsheet as a formula', async () => {
    const [, , line = ''] = marksText(pane.marks.value, pane, new Map(), ',', null).split('\n');
    expect(line.endsWith(`,"'=1+1, ""x"""`)).toBe(true);
  });

  it('compare with a percentile over time or with a region', async () => {
    // Means of pixels 0 and 1: 0.5, 10.5, …, 90.5; the 20th percentile is 18.5.
    expect((await meansOf('p20')).get('1')![0]!.dff).toBeCloseTo((25.5 - 18.5) / 18.5, 12);
    expect((await meansOf('mark 1')).get('3')![0]!.dff).toBeCloseTo((53 - 25.5) / 25.5, 12);
    expect((await meansOf('mark 9')).get('3')![0]!.dff).toBeNaN();
    expect(percentile([4, 1, Number.NaN, 3, 2], 0.5)).toBe(2.5);
  });

  it('are JSON with their points in samples and units', () => {
    const source = { source: { path: '/data/a.oir' } } as never;
    const { marks, axes } = JSON.parse(marksJson(pane.marks.value, pane, new Map(), source, null));
    expect(axes.map(({ title }: { title: string }) => title)).toEqual(['time (s)', 'position (µm)']);
    expect(marks[1]).toMatchObject({ name: 'fast', velocity: 3, velocityUnit: 'µm/s' });
    expect(marks[1].points[1]).toEqual({ row: 4, column: 3, 'time (s)': 2, 'position (µm)': 6 });
  });

  it('count samples from their middle where nothing is calibrated', () => {
    const plain = testPane({ shape: [100, 4], y: [1, 'Pixels'], x: [1, 'Pixels'] });
    expect([sideTitle(plain, 'row'), sideTitle(plain, 'column')]).toEqual(['line', 'pixel']);
    const { row } = planeAxes(plain);
    expect([toPosition(row, 5.5, 'point'), fromPosition(row, 5, 'point'), toPosition(row, 5, 'region')]).toEqual([
      5, 5.5, 5,
    ]);
    const scan = testPane({ shape: [4000, 4], y: [0.00117, 'seconds'], x: [1, 'Pixels'] });
    expect(1.17 / 0.00117).toBeLessThan(1000);
    expect(fromPosition(planeAxes(scan).row, 1.17, 'region')).toBe(1000);
    const region = { id: '1', kind: 'region', from: at(2, 0.5), to: at(4, 2) } as const;
    expect(markSpan(region, plain, 'row')).toEqual([2, 3]);
  });
});

describe('the mean along a path', () => {
  it('is interpolated between samples', () => {
    const data = Float32Array.from({ length: 40 }, (_, i) => 10 * Math.floor(i / 4) + (i % 4));
    // A plane that is linear has the value of the middle of a line as mean: row 5, column 2 lie half a sample further.
    expect(pathMean(data, [10, 4], [at(3, 1), at(7, 3)])).toBeCloseTo(10 * 4.5 + 1.5, 9);
    expect(pathMean(data, [10, 4], [at(9.9, 3.9)])).toBe(93);
    expect(pathMean(data, [10, 4], [at(3, 1), at(7, 3), at(3, 1)])).toBeCloseTo(46.5, 9);
  });
});
