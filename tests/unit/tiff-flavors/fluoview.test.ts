import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  parseFluoViewText,
  parseMmHead,
  parsePrimaryDimensions,
} from '../../../packages/readers/src/formats/tiff/flavors/fluoview-header.js';
import { fitGrid } from '../../../packages/readers/src/formats/tiff/page-grid.js';
import { gridSize, planeNumber } from '../../../packages/readers/src/model/metadata/mixed-radix.js';
import { openAcquisition } from '../../../packages/server/src/open.js';
import { conformanceSuite } from '../../conformance/suite.js';
import { readNative } from '../../support/native.js';
import { tempFolder, writeTemp } from '../../support/temp.js';
import { acquisitionParameters, type FluoViewDimension, mmHead, primaryDimensions } from '../../writers/fluoview.js';
import { type TagSpec, writeTiff } from '../../writers/tiff.js';

const root = tempFolder();
const fresh = () => mkdtempSync(join(root, 'fluoview-'));

const dimension = (name: string, size: number, resolution = 1, unit = ''): FluoViewDimension => ({
  name,
  size,
  resolution,
  unit,
});
const X = dimension('X', 3, 0.25, 'um');
const Y = dimension('Y', 2, 0.5, 'um');

interface Spec {
  dimensions: FluoViewDimension[];
  pages: number;
  rows?: number;
  littleEndian?: boolean;
  /** Samples of a page differ. */
  counting?: boolean;
  tags?: TagSpec[];
}

/** Pages of 3 columns; the value of every pixel is the index of its page. */
function fluoview({ dimensions, pages, rows = 2, littleEndian = true, tags = [], counting = false }: Spec): Uint8Array {
  return writeTiff({
    littleEndian,
    pages: Array.from({ length: pages }, (_, page) => ({
      width: 3,
      height: rows,
      samples: new Uint16Array(3 * rows).map((_, i) => page + (counting ? i : 0)),
      tags: page === 0 ? [mmHead(dimensions, littleEndian), ...tags] : [],
    })),
  });
}

const open = (spec: Spec) => openAcquisition(writeTemp(fresh(), 'a.tif', fluoview(spec)));

async function sceneOf(spec: Spec) {
  const opened = await open(spec);
  opened.close();
  return opened.acquisition.info.scenes[0];
}

describe('FluoView dimensions', () => {
  it('reads the pages with the first listed dimension fastest', async () => {
    const opened = await open({
      dimensions: [X, Y, dimension('Ch', 2), dimension('Z', 3, 1.5, 'um'), dimension('T', 4, 250, 'ms')],
      pages: 24,
      tags: [acquisitionParameters(['Channel 1 Dye=EGFP', 'Channel 2 Dye=Cy5', 'Date=02-17-2004', 'Time=17:53:19'])],
    });
    expect(opened.acquisition.info.scenes).toEqual([
      {
        name: '',
        sampleType: 'uint16',
        channels: [{ name: 'EGFP' }, { name: 'Cy5' }],
        sizes: { T: 4, Z: 3, Y: 2, X: 3 },
        steps: {
          T: { step: 0.25, unit: 'seconds', origin: 'file' },
          Z: { step: 1.5, unit: 'micrometer', origin: 'file' },
          Y: { step: 0.5, unit: 'micrometer', origin: 'file' },
          X: { step: 0.25, unit: 'micrometer', origin: 'file' },
        },
        date: '20040217',
        time: '17:53:19',
        reference: null,
        warnings: [],
      },
    ]);
    // Page = channel + 2·(z + 3·t).
    expect((await readNative(opened, 0, { channel: 1, t: 2, z: 1 }))[0]).toBe(1 + 2 * (1 + 3 * 2));
    opened.close();
  });

  it('follows another order', async () => {
    const opened = await open({
      dimensions: [X, Y, dimension('TIME', 4, 1, 's'), dimension('WAVELENGTH', 2)],
      pages: 8,
    });
    expect((await readNative(opened, 0, { channel: 1, t: 2 }))[0]).toBe(2 + 4 * 1);
    opened.close();
  });

  it('has big-endian headers', async () => {
    const scene = await sceneOf({ dimensions: [X, Y, dimension('Z', 2, 2, 'um')], pages: 2, littleEndian: false });
    expect(scene?.sizes.Z).toBe(2);
    expect(scene?.steps.Z.step).toBe(2);
  });

  it('reads several positions as scenes', async () => {
    const opened = await open({ dimensions: [X, Y, dimension('Z', 2, 1, 'um'), dimension('XY', 3)], pages: 6 });
    expect(opened.acquisition.info.scenes.map(({ name }) => name)).toEqual(['Position 1', 'Position 2', 'Position 3']);
    expect((await readNative(opened, 2, { channel: 0, z: 1 }))[0]).toBe(5);
    opened.close();
  });

  it('shows a line scan as lines in time: T in the place of Y', async () => {
    const scene = await sceneOf({ dimensions: [X, dimension('T', 5, 2, 'ms'), dimension('Ch', 2)], pages: 2, rows: 5 });
    expect(scene?.sizes).toEqual({ T: 1, Z: 1, Y: 5, X: 3 });
    expect(scene?.channels).toHaveLength(2);
    expect(scene?.steps.Y).toEqual({ step: 0.002, unit: 'seconds', origin: 'file' });
    expect(scene?.warnings).toEqual([]);
  });

  it('shows a line scan as lines in time: as many rows as time points in one page', async () => {
    const dimensions = [X, dimension('Y', 1, 0.5, 'um'), dimension('T', 5, 2, 'ms')];
    const scene = await sceneOf({ dimensions, pages: 1, rows: 5 });
    expect(scene?.sizes).toEqual({ T: 1, Z: 1, Y: 5, X: 3 });
    expect(scene?.steps.Y).toEqual({ step: 0.002, unit: 'seconds', origin: 'file' });
  });

  it('does not take a time series of square frames for a line scan', async () => {
    const scene = await sceneOf({ dimensions: [X, Y, dimension('T', 2, 1, 's')], pages: 2 });
    expect(scene?.sizes).toEqual({ T: 2, Z: 1, Y: 2, X: 3 });
    expect(scene?.steps.Y.unit).toBe('micrometer');
  });

  it('shows an X × Z section in micrometers', async () => {
    const scene = await sceneOf({ dimensions: [X, dimension('Z', 5, 2, 'um')], pages: 1, rows: 5 });
    expect(scene?.steps.Y).toEqual({ step: 2, unit: 'micrometer', origin: 'file' });
    expect(scene).toMatchObject({
      rowAxis: 'z',
      warnings: ['This is an x–z scan: the rows are depths, so the Y axis runs along z.'],
    });
  });
});

describe('FluoView headers that the file belies', () => {
  it('keeps the complete time points of an interrupted recording', async () => {
    const scene = await sceneOf({ dimensions: [X, Y, dimension('Ch', 2), dimension('T', 10, 1, 's')], pages: 7 });
    expect(scene?.sizes.T).toBe(3);
    expect(scene?.channels).toHaveLength(2);
    expect(scene?.warnings[0]).toContain('Showing 3 of 10 along T. The last page, of an incomplete step, was skipped.');
  });

  it('shows every row that the page holds', async () => {
    const scene = await sceneOf({ dimensions: [X, dimension('T', 9, 2, 'ms')], pages: 1, rows: 5 });
    expect(scene?.sizes.Y).toBe(5);
    expect(scene?.steps.Y.step).toBe(0.002);
    expect(scene?.warnings).toEqual([
      'The FluoView header says 9 rows of 3 pixels, but the image has 5 rows of 3. Showing the image as stored.',
    ]);
  });

  it.each([
    ['4 billion', 0x7fffffff],
    ['a negative number of', -5],
    ['no', 0],
  ])('announces %s time points', async (_, size) => {
    const scene = await sceneOf({ dimensions: [X, Y, dimension('T', size, 1, 's')], pages: 3 });
    expect(scene?.sizes.T).toBe(3);
    expect(scene?.warnings).toHaveLength(1);
  });

  it.each([
    [Number.NaN, 'um'],
    [-0.25, 'um'],
    [Number.POSITIVE_INFINITY, 'um'],
    [0.25, 's'],
    [0.25, 'furlongs'],
  ])('step %d %s is not used, with a warning', async (resolution, unit) => {
    const scene = await sceneOf({ dimensions: [dimension('X', 3, resolution, unit), Y], pages: 1 });
    expect(scene?.steps.X).toEqual({ step: 1, unit: 'Pixels', origin: 'default' });
    expect(scene?.warnings).toHaveLength(1);
  });

  it('a header cut short is told', async () => {
    const bytes = writeTiff({
      pages: [
        {
          width: 3,
          height: 2,
          samples: new Uint8Array(6),
          tags: [{ code: 34361, type: 1, bytes: new Uint8Array(100) }],
        },
      ],
    });
    const opened = await openAcquisition(writeTemp(fresh(), 'a.tif', bytes));
    expect(opened.acquisition.info.scenes[0]?.warnings).toEqual([
      'The FluoView header has 100 bytes instead of 1,454 and was ignored.',
    ]);
    opened.close();
  });
});

describe('FluoView header values', () => {
  it('gives dimensions by name, Latin-1 units included', () => {
    const bytes = mmHead([dimension('X', 38, 0.284, 'µm'), dimension('T', 30000, 0.00117, 's')]).bytes as Uint8Array;
    expect(parseMmHead(bytes, true)).toEqual([
      { name: 'X', size: 38, resolution: 0.284, unit: 'µm' },
      { name: 'T', size: 30000, resolution: 0.00117, unit: 's' },
    ]);
    expect(parseMmHead(bytes.subarray(0, 1283), true)).toBeUndefined();
  });

  it('gives primary dimensions of the page name', () => {
    const tag = primaryDimensions([dimension('X', 0, 0.284, 'µm'), dimension('T', 0, 0.00117, 's')]);
    expect(parsePrimaryDimensions(tag.bytes as Uint8Array)).toEqual([
      { name: 'X', resolution: 0.284, unit: 'µm' },
      { name: 'T', resolution: 0.00117, unit: 's' },
    ]);
    expect(parsePrimaryDimensions(Buffer.from('Page 1'))).toBeUndefined();
  });

  it.each([
    ['11-02-2022', '12:30:15', '20221102', '12:30:15'],
    ['25-12-2022', '12:30:15', '20221225', '12:30:15'],
    ['03/04/2003', '17:01:02.345', '20030403', '17:01:02'],
    ['12/25/2003', '17:01:02', '20031225', '17:01:02'],
    ['nonsense', '17:01:02', '', ''],
  ])('date %s %s', (date, time, expectedDate, expectedTime) => {
    const { clock } = parseFluoViewText(`x\r\nDate=${date}\r\nTime=${time}\r\n`);
    expect(clock).toEqual({ date: expectedDate, time: expectedTime });
  });
});

describe('fitting described axes to pages', () => {
  it('finds pages with two axes of one kind', () => {
    const axes = [
      { kind: 'T', size: 2 },
      { kind: 'C', size: 3 },
      { kind: 'T', size: 4 },
    ] as const;
    expect(gridSize(axes, 'T')).toBe(8);
    expect(planeNumber(axes, { scene: 0, channel: 2, t: 5, z: 0 })).toBe(1 + 2 * (2 + 3 * 2));
  });

  it('keeps axes that match and drops axes of one step', () => {
    const described = [
      { kind: 'C', size: 2 },
      { kind: 'Z', size: 1 },
      { kind: 'T', size: 3 },
    ] as const;
    expect(fitGrid(described, 6)).toEqual({
      axes: [
        { kind: 'C', size: 2 },
        { kind: 'T', size: 3 },
      ],
    });
  });

  it('shows pages as time points when not even one set is complete', () => {
    const described = [
      { kind: 'C', size: 5 },
      { kind: 'T', size: 2 },
    ] as const;
    const { axes, note } = fitGrid(described, 3);
    expect(axes).toEqual([{ kind: 'T', size: 3 }]);
    expect(note).toMatch(/10 planes, but has 3 pages/);
  });
});

conformanceSuite(
  'fluoview',
  [
    {
      name: 'two channels in time',
      write: (folder) =>
        writeTemp(
          folder,
          'a.tif',
          fluoview({ dimensions: [X, Y, dimension('Ch', 2), dimension('T', 3, 1, 's')], pages: 6, counting: true }),
        ),
      format: 'tif',
      scenes: [{ sizes: { T: 3, Z: 1, Y: 2, X: 3 }, channels: ['CH1', 'CH2'], sampleType: 'uint16' }],
    },
  ],
  fresh,
);
