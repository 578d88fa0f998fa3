import { describe, expect, it } from 'vitest';
import { findDocuments } from '../../../packages/readers/src/formats/oir/documents.js';
import { type BandBlock, layoutPlane } from '../../../packages/readers/src/formats/oir/layout.js';
import { BandNames } from '../../../packages/readers/src/formats/oir/parse.js';
import { parsePartName } from '../../../packages/readers/src/formats/oir/parts.js';

const ID = '6f3c0d1e-0000-4000-8000-00000000000a';

describe('the name of a band', () => {
  it.each([
    [`t001_0_1_${ID}_0`, { t: 1, lambda: 0, z: 0, number: 0 }],
    [`l002z001_0_1_${ID}_17`, { t: 0, lambda: 2, z: 1, number: 17 }],
    [`t12561z003_0_1_${ID}_4`, { t: 12561, lambda: 0, z: 3, number: 4 }],
    [`z003t1000l7_0_1_${ID}_123`, { t: 1000, lambda: 7, z: 3, number: 123 }],
    [`_0_1_${ID}_2`, { t: 0, lambda: 0, z: 0, number: 2 }],
  ])('is parsed: %s', (name, axes) => {
    expect(new BandNames().parse(name)).toEqual({ reference: undefined, otherAxes: '', channel: ID, ...axes });
  });

  it('is parsed for a reference image', () => {
    expect(new BandNames().parse(`REF_LSM0_${ID}_1`)).toEqual({
      reference: 'LSM0',
      otherAxes: '',
      channel: ID,
      t: 0,
      lambda: 0,
      z: 0,
      number: 1,
    });
  });

  it('is the same when others with the same beginning were parsed before', () => {
    const names = new BandNames();
    const list = Array.from({ length: 200 }, (_, i) => `t${(i % 70) + 1}_0_1_${ID}_${i}`);
    for (const _ of [1, 2]) {
      expect(list.map((name) => names.parse(name))).toEqual(list.map((name) => new BandNames().parse(name)));
    }
    expect(names.parse('t1_0_1_x')).toBeUndefined();
  });

  it('keeps unknown axes apart', () => {
    expect(new BandNames().parse(`p002t001_0_1_${ID}_0`)).toMatchObject({ t: 1, otherAxes: 'p002' });
  });

  it.each([
    '',
    'thumbnail',
    't001',
    't001_0_1_',
    `t001_0_1_${ID}`,
    `t001_0_1_${ID}_x`,
    `REF_LSM0_${ID}`,
    `t${'9'.repeat(30)}_0_1_a_0`,
  ])('is not accepted when it is %j', (name) => expect(new BandNames().parse(name)).toBeUndefined());
});

describe('the name of a continuation', () => {
  it.each([
    ['rec_00001', { stem: 'rec', number: 1 }],
    ['a_b_00042.oir', { stem: 'a_b', number: 42 }],
    ['rec_00001.OIR', { stem: 'rec', number: 1 }],
    ['rec_0001.oir', undefined],
    ['rec_00000', undefined],
    ['rec_000001', undefined],
    ['_00001', undefined],
    ['rec_00001.tif', undefined],
  ])('is distinguished from other names: %s', (name, part) => expect(parsePartName(name)).toEqual(part));
});

describe('the layout of a plane', () => {
  const band = (planeOffset: number, length: number, number: number, more: Partial<BandBlock> = {}): BandBlock => ({
    file: 0,
    offset: 1000 + number * 100,
    length,
    stated: length,
    planeOffset,
    number,
    ...more,
  });
  const summary = (bands: BandBlock[]) => {
    const { bands: ordered, bytes, span } = layoutPlane(bands);
    return [ordered.map(({ number }) => number), bytes, span];
  };

  it.each([
    ['follows the offsets of bands', [band(10, 10, 1), band(0, 10, 0), band(20, 4, 2)], [[0, 1, 2], 24, 24]],
    ['ends at a gap', [band(0, 10, 0), band(20, 10, 2), band(30, 5, 3)], [[0], 10, 35]],
    ['is empty when the start is missing', [band(10, 10, 1)], [[], 0, 20]],
    ['ends at a truncated band', [band(0, 10, 0, { length: 7 }), band(10, 10, 1)], [[0], 7, 20]],
    [
      'follows the numbers of bands when all offsets are 0',
      [band(0, 10, 1), band(0, 10, 0), band(0, 4, 2)],
      [[0, 1, 2], 24, 24],
    ],
    ['ends at a gap in the numbers', [band(0, 10, 0), band(0, 10, 2)], [[0], 10, 20]],
    [
      'follows the numbers when offsets start again',
      [band(0, 8, 0), band(8, 8, 1), band(0, 8, 2)],
      [[0, 1, 2], 24, 24],
    ],
    ['follows the order of the file when numbers repeat', [band(0, 8, 0), band(0, 6, 0)], [[0, 0], 14, 14]],
    ['contains a band once that was written twice', [band(0, 8, 0), band(8, 8, 1), band(0, 8, 0)], [[0, 1], 16, 16]],
    [
      'continues with a second file whose offsets start again',
      [band(0, 8, 0), band(8, 8, 1), band(0, 8, 0, { file: 1 }), band(8, 8, 1, { file: 1 })],
      [[0, 1, 0, 1], 32, 32],
    ],
    ['is empty without bands', [], [[], 0, 0]],
  ] as [string, BandBlock[], [number[], number, number]][])('%s', (_, bands, expected) => {
    expect(summary(bands)).toEqual(expected);
  });
});

describe('the documents of a block', () => {
  const bytes = (text: string) => new TextEncoder().encode(text);

  it('are found by their declaration, with and without a length before them', () => {
    const one = '<?xml version="1.0"?><a:imageProperties xmlns:a="a"/>';
    const two = '<?xml version="1.0"?>\r\n<lsmframe:frameProperties/>';
    const found = findDocuments(bytes(`junk${one}\0\0\0${two}\0trailing`));
    expect(found.map(({ root }) => root)).toEqual(['imageProperties', 'frameProperties']);
    expect(found[0]?.text).toBe(one);
    expect(found[1]?.text).toBe(two);
  });

  it('are skipped when they are of other kinds', () => {
    expect(findDocuments(bytes('<?xml version="1.0"?><a:annotationStore/><?xml?><overlay:contents/>'))).toEqual([]);
  });

  it('are found in linear time even when many begin', () => {
    // Quadratic work on two megabytes would run into the time limit of the test.
    expect(findDocuments(bytes('<?xml'.repeat(400_000)))).toEqual([]);
  });
});
