import { deflateRawSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { decodeView, encodeView } from '../../../packages/viewer/src/app/view-state.ts';
import { undoChange } from '../../../packages/viewer/src/image/pane-state.ts';
import {
  type AcquisitionDocument,
  MAX_MARKS,
  MAX_POINTS,
  type Mark,
  type Pane,
} from '../../../packages/viewer/src/model/document.ts';
import { markRoi, roiMarks } from '../../../packages/viewer/src/rois/mark-rois.ts';
import { addRois, isRoiFile, roiFile } from '../../../packages/viewer/src/rois/roi-files.ts';
import { RoiError, readRoi } from '../../../packages/viewer/src/rois/roi-format.ts';
import fc from '../../support/fast-check.js';
import { type RoiSpec, roiBytes } from '../../writers/imagej-roi.js';
import { writeZip } from '../../writers/zip.js';
import { testPane } from '../image/test-pane.ts';

const at = (row: number, column: number) => ({ row, column });
const marksOf = (spec: RoiSpec, sizes = {}) => roiMarks(readRoi(roiBytes(spec)), sizes).marks;
const file = (name: string, bytes: Uint8Array<ArrayBuffer>) => new File([bytes], name);
const document = {
  info: { peek: () => ({ header: { sizes: { C: 2, Z: 3, T: 5 } } }) },
} as unknown as AcquisitionDocument;

describe('ROIs of ImageJ as marks', () => {
  it.each([
    ['a rectangle', { type: 1, bounds: [4, 3, 24, 13] }, { kind: 'region', from: at(4, 3), to: at(24, 13) }],
    ['an oval', { type: 2, bounds: [2, 1, 9, 10] }, { kind: 'ellipse', from: at(2, 1), to: at(9, 10) }],
    [
      'a rectangle between pixels',
      { type: 1, bounds: [4, 3, 24, 13], floats: [3.25, 4.5, 10.5, 20.25], options: 128 },
      { kind: 'region', from: at(4.5, 3.25), to: at(24.75, 13.75) },
    ],
    // Whole numbers are centers of pixels in lines and points, corners in areas.
    [
      'a line',
      { type: 3, bounds: [0, 0, 0, 0], floats: [1, 2, 11.5, 22] },
      { kind: 'line', from: at(2.5, 1.5), to: at(22.5, 12) },
    ],
    [
      'a polygon',
      {
        type: 0,
        bounds: [10, 20, 40, 50],
        points: [
          [0, 0],
          [30, 0],
          [30, 30],
        ],
      },
      { kind: 'polygon', from: at(10, 20), via: [at(10, 50)], to: at(40, 50) },
    ],
    [
      'a polyline between pixels',
      {
        type: 5,
        bounds: [10, 20, 40, 50],
        fine: [
          [20.25, 10.5],
          [50, 10.5],
          [50, 40],
        ],
      },
      { kind: 'polyline', from: at(11, 20.75), via: [at(11, 50.5)], to: at(40.5, 50.5) },
    ],
    [
      'a freehand line of an image above 32,767 pixels',
      {
        type: 4,
        bounds: [40_000 - 65_536, 0, 40_010 - 65_536, 9],
        points: [
          [0, 0],
          [9, 9],
        ],
      },
      { kind: 'freeline', from: at(40_000.5, 0.5), to: at(40_009.5, 9.5) },
    ],
    [
      'a traced outline that repeats its first point',
      {
        type: 8,
        bounds: [0, 0, 9, 9],
        points: [
          [0, 0],
          [9, 0],
          [9, 9],
          [0, 0],
        ],
      },
      { kind: 'freehand', from: at(0, 0), via: [at(0, 9)], to: at(9, 9) },
    ],
    [
      'a point',
      { type: 10, bounds: [6, 5, 6, 5], points: [[0, 0]] },
      { kind: 'point', from: at(6.5, 5.5), to: at(6.5, 5.5) },
    ],
  ] as [string, RoiSpec, object][])('has %s', (_name, spec, expected) => {
    expect(marksOf(spec)).toEqual([expected]);
  });

  it('has names, widths and positions, and a mark for each of several points', () => {
    const second = { name: 'Zellé 1', c: 2, t: 4, width: 5 };
    const line = { type: 3, bounds: [0, 0, 0, 0], floats: [1, 2, 3, 4], second } as const;
    expect(marksOf(line)).toMatchObject([{ name: 'Zellé 1', width: 5, plane: { c: 2, t: 4 } }]);
    const points = {
      type: 10,
      bounds: [5, 5, 9, 9],
      points: [
        [0, 0],
        [1, 2],
      ],
      position: 9,
      second: { name: 'p' },
    } as const;
    const sizes = { C: 2, Z: 3, T: 5 };
    // Plane 9: channel 1 of section 2 at time 2.
    expect(marksOf(points, sizes)).toMatchObject([
      { name: 'p', from: at(5.5, 5.5), plane: { c: 1, z: 2, t: 2 } },
      { name: 'p', from: at(7.5, 6.5), plane: { c: 1, z: 2, t: 2 } },
    ]);
    expect(marksOf(points, { T: 30 })).toMatchObject([{ plane: { t: 9 } }, {}]);
    expect(marksOf(points, { T: 3 })[0]).not.toHaveProperty('plane');
  });

  it('says what it cannot have', () => {
    const refused = (spec: Partial<RoiSpec>) => () => readRoi(roiBytes({ type: 1, bounds: [0, 0, 9, 9], ...spec }));
    expect(refused({ subtype: 1 })).toThrow('text');
    expect(refused({ subtype: 4 })).toThrow('image');
    expect(refused({ shapeSize: 26 })).toThrow('composite');
    expect(refused({ type: 6 })).toThrow('of an unknown type');
    expect(refused({ bounds: [5, 5, 5, 9] })).toThrow('empty');
    expect(refused({ type: 0, count: 9_000 })).toThrow('with 9000 points');
    expect(refused({ type: 0, count: 900 })).toThrow('truncated');
    expect(refused({ type: 3, floats: [1, Number.NaN, 2, 3] })).toThrow('not numbers');
    expect(() => readRoi(new Uint8Array(100))).toThrow('not a ROI of ImageJ');
    const curve = {
      type: 5,
      bounds: [0, 0, 9, 9],
      points: [
        [0, 0],
        [9, 9],
      ],
      options: 1,
    } as const;
    expect(roiMarks(readRoi(roiBytes(curve)), {}).change).toBe('straight pieces instead of a curve');
    expect(roiMarks(readRoi(roiBytes({ type: 1, bounds: [0, 0, 9, 9], arc: 4 })), {}).change).toBe(
      'corners not rounded',
    );
  });

  it('leaves out points that a mark has no room for, those of straight pieces first', () => {
    // A staircase with 300 steps, each of ten points.
    const stairs = Array.from(
      { length: 3000 },
      (_, i) =>
        [Math.floor(i / 20) * 10 + Math.min(i % 20, 10), Math.floor(i / 20) * 10 + Math.max(0, (i % 20) - 10)] as const,
    );
    const staircase = { type: 7, bounds: [0, 0, 1500, 1500], points: stairs } as const;
    const { marks, change } = roiMarks(readRoi(roiBytes(staircase)), {});
    expect(change).toBe('');
    expect(marks[0]!.via!.length).toBeLessThan(302);
    const wild = Array.from(
      { length: 2000 },
      (_, i) => [Math.round(500 + 499 * Math.sin(i * i)), Math.round(500 + 499 * Math.cos(i * 1.7))] as const,
    );
    const curly = roiMarks(readRoi(roiBytes({ type: 7, bounds: [0, 0, 999, 999], points: wild })), {});
    expect(curly.change).toMatch(/^\d+ of 2,000 points$/);
    expect(curly.marks[0]!.via!.length + 2).toBeLessThanOrEqual(MAX_POINTS);
  });

  it('never reads beyond a corrupted file', () => {
    const good = roiBytes({
      type: 7,
      bounds: [0, 0, 9, 9],
      fine: [
        [1, 2],
        [3, 4],
        [5, 9],
      ],
      second: { name: 'abc' },
    });
    const change = fc.record({ at: fc.nat(good.length - 1), value: fc.nat(255) });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 8 }), fc.nat(good.length), (changes, length) => {
        const bytes = good.slice(0, length);
        for (const { at, value } of changes) if (at < length) bytes[at] = value;
        try {
          for (const mark of roiMarks(readRoi(bytes), { T: 3 }).marks) expect(Number.isFinite(mark.to.row)).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(RoiError);
        }
      }),
    );
  });
});

describe('marks as ROIs of ImageJ', () => {
  const marks: readonly Mark[] = [
    { id: '1', kind: 'region', from: at(2.3, 4.4), to: at(12.6, 20.1), name: 'a/b', plane: { c: 2, z: 3, t: 4 } },
    { id: '2', kind: 'ellipse', from: at(20, 10), to: at(3, 30) },
    { id: '3', kind: 'polygon', from: at(4.25, 5.5), via: [at(4.25, 20.75), at(18.5, 22.125)], to: at(30.875, 3.25) },
    { id: '4', kind: 'freehand', from: at(4.25, 5.5), via: [at(4.25, 20.75)], to: at(30.875, 3.25) },
    { id: '5', kind: 'line', from: at(2.5, 3.5), to: at(22.75, 31.25), width: 5 },
    { id: '6', kind: 'polyline', from: at(2.5, 3.5), via: [at(10.5, 3.5)], to: at(22.75, 31.25) },
    { id: '7', kind: 'freeline', from: at(2.5, 3.5), via: [at(10.5, 3.5)], to: at(22.75, 31.25) },
    { id: '8', kind: 'point', from: at(7.5, 9.5), to: at(7.5, 9.5) },
    { id: '9', kind: 'region', from: at(100_000, 4), to: at(150_000, 20) },
  ];

  it('are the same after reading them again, with whole samples for boxes', () => {
    const back = marks.map((mark) => roiMarks(readRoi(markRoi(mark)), {}).marks[0]!);
    expect(back[0]).toEqual({
      ...{ kind: 'region', from: at(2, 4), to: at(13, 21) },
      name: 'a/b',
      plane: { c: 2, z: 3, t: 4 },
    });
    expect(back[1]).toEqual({ kind: 'ellipse', from: at(3, 10), to: at(20, 30), name: 'Ellipse 2' });
    for (const i of [2, 3, 4, 5, 6, 7, 8]) {
      const { id: _, ...rest } = marks[i]!;
      expect(back[i]).toEqual({ ...rest, name: expect.any(String) });
    }
  });

  it('are one file, or a ZIP file of entries with different names', async () => {
    const one = new Uint8Array(await roiFile(marks.slice(1, 2)).arrayBuffer());
    expect(readRoi(one)).toMatchObject({ type: 'oval', name: 'Ellipse 2' });
    const twice = [...marks, { ...marks[0]!, id: '10' }];
    const set = new File([roiFile(twice)], 'RoiSet.zip');
    expect(await isRoiFile(set)).toBe(true);
    const pane = testPane({ shape: [200_000, 50], y: [1, 'Pixels'], x: [1, 'Pixels'] });
    expect(await addRois([set], document, pane)).toBe('Added 10 ROIs.');
    expect(pane.marks.value.map(({ kind }) => kind)).toEqual(twice.map(({ kind }) => kind));
    undoChange(pane);
    expect(pane.marks.value).toEqual([]);
  });
});

describe('files of ROIs', () => {
  let pane: Pane;
  beforeEach(() => {
    pane = testPane({ shape: [50, 50], y: [1, 'Pixels'], x: [1, 'Pixels'] });
  });
  const rectangle = roiBytes({ type: 1, bounds: [0, 0, 9, 9] });

  it('says which were added, skipped and changed', async () => {
    const text = roiBytes({ type: 1, bounds: [0, 0, 9, 9], subtype: 1 });
    const curve = roiBytes({
      type: 5,
      bounds: [0, 0, 9, 9],
      points: [
        [0, 0],
        [9, 9],
      ],
      options: 1,
    });
    const files = [file('cell.roi', rectangle), file('label.roi', text), file('path.ROI', curve)];
    expect(await addRois(files, document, pane)).toBe(
      'Added 2 ROIs. Skipped label.roi (text). Not exactly as in ImageJ: path (straight pieces instead of a curve).',
    );
    expect(pane.marks.value.map(({ name }) => name)).toEqual(['cell', 'path']);
  });

  it('has as many marks as links have room for', async () => {
    const files = Array.from({ length: MAX_MARKS + 2 }, (_, i) => file(`${i}.roi`, rectangle));
    expect(await addRois(files, document, pane)).toContain(`Added ${MAX_MARKS} ROIs. 2 more were skipped`);
    const long = roiBytes({
      type: 7,
      bounds: [0, 0, 99, 99],
      points: Array.from({ length: 500 }, (_, i) => [(i * 7) % 99, (i * 13) % 98] as const),
    });
    const other = testPane({ shape: [50, 50], y: [1, 'Pixels'], x: [1, 'Pixels'] });
    await addRois(
      Array.from({ length: 40 }, (_, i) => file(`${i}.roi`, long)),
      document,
      other,
    );
    expect(other.marks.value.length).toBe(24);
  });

  it('fits into a link with as many marks and points as it may have', async () => {
    const fine = Array.from(
      { length: 47 },
      (_, i) => [10_000.1234 + Math.sin(i), 9_000.9876 + Math.cos(i * i)] as const,
    );
    const outline = roiBytes({
      type: 7,
      bounds: [0, 0, 99, 99],
      fine,
      second: { name: 'a name that somebody gave it' },
    });
    await addRois(
      Array.from({ length: MAX_MARKS }, (_, i) => file(`${i}.roi`, outline)),
      document,
      pane,
    );
    const marks = pane.marks.value;
    expect(marks.length).toBeGreaterThan(250);
    const view = encodeView({ source: { views: {}, displays: {}, toggles: {}, marks } });
    const back = decodeView(view)?.source.marks ?? [];
    expect(back.map(({ via }) => via)).toEqual(marks.map(({ via }) => via));
  });

  it('reads deflated entries, and stops at those that are too large or corrupted', async () => {
    const zeros = new Uint8Array(8 << 20);
    const bomb = new Uint8Array(
      writeZip([
        { name: 'a.roi', bytes: rectangle, deflate: true },
        { name: 'b.roi', bytes: zeros, deflate: true },
      ]),
    );
    expect(deflateRawSync(zeros).length).toBeLessThan(10_000);
    expect(await addRois([file('set.zip', bomb)], document, pane)).toBe(
      'Added 1 ROI. Skipped the rest of set.zip (b.roi is too large).',
    );
    const cut = bomb.slice();
    cut.fill(0xff, 30, 60);
    expect(await addRois([file('cut.zip', cut)], document, pane)).toContain('Skipped the rest of cut.zip');
    expect(
      await isRoiFile(file('other.zip', new Uint8Array(writeZip([{ name: 'zarr.json', bytes: rectangle }])))),
    ).toBe(false);
    expect(await isRoiFile(file('other.zip', rectangle))).toBe(false);
  });
});
