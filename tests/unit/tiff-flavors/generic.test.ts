import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tiffLabel } from '../../../packages/readers/src/formats/tiff/label.js';
import { Float32Target } from '../../../packages/readers/src/model/samples/plane-target.js';
import { conformanceSuite } from '../../conformance/suite.js';
import { tempFolder, writeTemp } from '../../support/temp.js';
import { countingPage, firstSample, openCounted, summary, withFixture } from '../../support/tiff-cases.js';
import { type PageSpec, type TagSpec, type TiffSpec, writeTiff } from '../../writers/tiff.js';

const root = tempFolder();
const open = <T>(spec: TiffSpec, use: Parameters<typeof withFixture<T>>[2]) =>
  withFixture(root, { 'a.tif': writeTiff(spec) }, use);
const scenes = (pages: PageSpec[]) =>
  open({ pages }, async ({ acquisition }) => acquisition.info.scenes.map((scene) => summary(scene)));

const subfile = (value: number): TagSpec => ({ code: 254, type: 4, values: [value] });
const resolution = (perUnit: number, unit: number, ofRows = perUnit): TagSpec[] => [
  { code: 282, type: 5, values: [perUnit * 100, 100] },
  { code: 283, type: 5, values: [ofRows * 100, 100] },
  { code: 296, type: 3, values: [unit] },
];
const small: PageSpec = { width: 2, height: 1, samples: Uint8Array.of(7, 8) };

describe('pages without a flavor', () => {
  it('of one shape are a stack along Z', async () => {
    await open({ pages: [0, 1, 2].map((i) => countingPage(i)) }, async (opened) => {
      const [scene] = opened.acquisition.info.scenes;
      expect(opened.acquisition.info.format).toBe('tif');
      expect(summary(scene)).toEqual({
        sizes: { T: 1, Z: 3, Y: 3, X: 4 },
        channels: ['CH1'],
        steps: {
          X: [1, 'Pixels', 'default'],
          Y: [1, 'Pixels', 'default'],
          Z: [1, 'Planes', 'default'],
          T: [1, 'Frames', 'default'],
        },
        warnings: [
          'The file does not say what its 3 pages are: channels, time points (T) or sections (Z). They are shown as Z sections.',
        ],
      });
      expect(await firstSample(opened, { z: 2 })).toBe(24);
    });
  });

  it('of different shapes are scenes, in the order of the file', async () => {
    await open({ pages: [countingPage(0), small, countingPage(1)] }, async (opened) => {
      const found = opened.acquisition.info.scenes;
      expect(found.map(({ name, sizes, sampleType }) => [name, sizes.Z, sampleType])).toEqual([
        ['Series 1', 2, 'uint16'],
        ['Series 2', 1, 'uint8'],
      ]);
      expect(await firstSample(opened, { scene: 0, z: 1 })).toBe(12);
      expect(await firstSample(opened, { scene: 1 })).toBe(7);
    });
  });

  it('leave out reduced pages and masks, unless there is nothing else', async () => {
    const pages = [countingPage(0), countingPage(1, [subfile(1)]), countingPage(2, [subfile(4)])];
    expect((await scenes(pages)).map(({ sizes }) => sizes.Z)).toEqual([1]);
    expect((await scenes(pages.slice(1))).map(({ sizes }) => sizes.Z)).toEqual([2]);
  });

  it('take level 0 of a pyramid in SubIFDs', async () => {
    const pages = [
      { ...countingPage(0), subIfds: [small] },
      { ...countingPage(1), subIfds: [small] },
    ];
    expect((await scenes(pages)).map(({ sizes }) => sizes.Z)).toEqual([2]);
  });

  it('take SubIFDs of the size of their page for pages', async () => {
    const pages = [{ ...countingPage(0), subIfds: [countingPage(1), small] }, countingPage(2)];
    await open({ pages }, async (opened) => {
      expect(opened.acquisition.info.scenes.map(({ sizes }) => sizes.Z)).toEqual([3]);
      expect(await firstSample(opened, { z: 1 })).toBe(12);
      expect(await firstSample(opened, { z: 2 })).toBe(24);
    });
  });

  it('say so when such a SubIFD cannot be read, as pages after it change their place', async () => {
    const broken: PageSpec = { ...countingPage(1), tags: [{ code: 256, type: 4, values: [0] }] };
    const [scene] = await scenes([{ ...countingPage(0), subIfds: [broken] }, countingPage(2)]);
    expect(scene?.sizes.Z).toBe(2);
    expect(scene?.warnings.join()).toMatch(/a SubIFD of page 1 cannot be read\. .* the pages after it move up/);
  });

  it.each([
    ['RGB', 2, 3, ['R', 'G', 'B']],
    ['RGBA', 2, 4, ['R', 'G', 'B', 'A']],
    ['CMYK', 5, 4, ['C', 'M', 'Y', 'K']],
    ['grey with alpha', 1, 2, ['CH1', 'CH2']],
    ['five bands', 2, 5, ['CH1', 'CH2', 'CH3', 'CH4', 'CH5']],
  ])('name the samples of %s', async (_, photometric, count, names) => {
    const samples = Array.from({ length: count }, (__, s) => Uint8Array.of(s));
    const [scene] = await scenes([{ width: 1, height: 1, samples, photometric }]);
    expect(scene?.channels).toEqual(names);
  });

  it('leave out a damaged page and say so', async () => {
    const broken: PageSpec = { ...countingPage(1), tags: [{ code: 256, type: 4, values: [0] }] };
    const [scene] = await scenes([countingPage(0), broken, countingPage(2)]);
    expect(scene?.sizes.Z).toBe(2);
    expect(scene?.warnings[0]).toContain(
      'a.tif: the file has an unreadable page (2), which was skipped, so the pages after it move up:',
    );
  });

  const prairie = { code: 305, type: 2, text: 'Prairie View 5.6.64.200' };

  it.each([
    ['LineScan-08092022-1225-528-Cycle00001_Ch2Source.tif', 'Ch2'],
    ['LineScan-08092022-1225-528-Cycle00002-Ch1-16bit-Reference.tif', 'Ch1'],
    ['LineScan-03312014-1456-682-Cycle00001_ImageWindow1Ch1-LinescanReference.tif', 'Ch1'],
    ['TSeries-001_Cycle00001_Ch3_000001.tif', 'Ch3'],
    ['Ch2 of my own.tif', 'CH1'],
  ])('of Prairie View have the channel of their name: %s', async (name, channel) => {
    const files = { [name]: writeTiff({ pages: [countingPage(0, [prairie])] }) };
    const channels = await withFixture(root, files, async ({ acquisition }) => acquisition.info.scenes[0]?.channels);
    expect(channels).toEqual([{ name: channel }]);
  });

  it.each([
    ['LineScan-08092022-1225-528-Cycle00001_Ch2Source.tif', 'Ch2'],
    ['LineScan-08092022-1225-528-Cycle00002-Ch1-16bit-Reference.tif', 'Ch1'],
    ['cell_Ch2Source.tif', 'CH1'],
    ['TSeries-001_Cycle00001_Ch3_000001.tif', 'CH1'],
  ])('saved by another program have it only when the name is one of Prairie View: %s', async (name, channel) => {
    const files = { [name]: writeTiff({ pages: [countingPage(0)] }) };
    const channels = await withFixture(root, files, async ({ acquisition }) => acquisition.info.scenes[0]?.channels);
    expect(channels).toEqual([{ name: channel }]);
  });

  it('of Prairie View have no date of 2008-01-01', async () => {
    const tags = [prairie, { code: 306, type: 2, text: '2008:01:01 00:00:00' }];
    await open({ pages: [countingPage(0, tags)] }, async ({ acquisition }) => {
      expect(acquisition.info.scenes[0]).toMatchObject({ date: '', time: '' });
    });
  });

  it('have the date of their DateTime', async () => {
    const tags = [{ code: 306, type: 2, text: '2022:08:09 16:03:28' }];
    await open({ pages: [countingPage(0, tags)] }, async ({ acquisition }) => {
      const [scene] = acquisition.info.scenes;
      expect([scene?.date, scene?.time]).toEqual(['20220809', '16:03:28']);
    });
  });
});

describe('resolution tags', () => {
  const step = async (perUnit: number, unit: number) =>
    (await scenes([countingPage(0, resolution(perUnit, unit))]))[0]?.steps['X'];

  it('are micrometers per pixel', async () => {
    expect(await step(50_800, 2)).toEqual([0.5, 'micrometer', 'file']);
    expect(await step(20_000, 3)).toEqual([0.5, 'micrometer', 'file']);
    expect(await step(1_500, 3)).toEqual([10_000 / 1_500, 'micrometer', 'file']);
  });

  it('of columns and rows are each their own, and nothing when one of them says nothing', async () => {
    const steps = async (columns: number, rows: number) => {
      const [scene] = await scenes([countingPage(0, resolution(columns, 3, rows))]);
      return [scene?.steps['X'], scene?.steps['Y']];
    };
    expect(await steps(20_000, 5_000)).toEqual([
      [0.5, 'micrometer', 'file'],
      [2, 'micrometer', 'file'],
    ]);
    const nothing = [1, 'Pixels', 'default'];
    expect(await steps(20_000, 10_000)).toEqual([nothing, nothing]);
    expect(await steps(10_000, 20_000)).toEqual([nothing, nothing]);
  });

  it.each([
    [72, 2],
    [96, 2],
    [150, 2],
    [300, 2],
    [600, 2],
    [1, 2],
    [1, 3],
    [28.35, 3],
    [118.11, 3],
    [10_000, 3],
    [20_000, 1],
    [0, 3],
  ])('of %d per unit %d say nothing', async (perUnit, unit) => {
    expect(await step(perUnit, unit)).toEqual([1, 'Pixels', 'default']);
  });
});

describe('very long files', () => {
  const page: PageSpec = { width: 4, height: 1, samples: Uint16Array.of(1, 2, 3, 4) };
  const other: PageSpec = { width: 2, height: 1, samples: Uint16Array.of(1, 2) };
  const COUNT = 12_000;

  it('open by a look at some pages, and read one plane by its own bytes', async () => {
    const bytes = writeTiff({ pages: new Array<PageSpec>(COUNT).fill(page) });
    const { acquisition, source } = await openCounted(bytes);
    const [scene] = acquisition.info.scenes;
    expect(scene?.sizes.Z).toBe(COUNT);
    expect(scene?.warnings[0]).toContain('has 12,000 pages');
    // The chain has to be followed once; the pages are not parsed on top of it.
    expect(source.bytes).toBeLessThan(bytes.length * 1.5);
    source.reset();
    const target = new Float32Target(1, 4);
    await acquisition.readPlane({ scene: 0, channel: 0, t: 0, z: COUNT - 1 }, target);
    expect([...target.data]).toEqual([1, 2, 3, 4]);
    expect(source.bytes).toBeLessThan(8_192);
  });

  it('refuse the one page that is different when it is read', async () => {
    const pages = new Array<PageSpec>(COUNT).fill(page);
    pages[5_001] = other;
    const { acquisition } = await openCounted(writeTiff({ pages }));
    const read = (z: number) => acquisition.readPlane({ scene: 0, channel: 0, t: 0, z }, new Float32Target(1, 4));
    await read(5_000);
    await expect(read(5_001)).rejects.toMatchObject({
      code: 'decode_failed',
      message: expect.stringContaining('page 5002') as string,
    });
  });

  it('are sorted page by page when thumbnails alternate with images', async () => {
    const thumbnail = { ...other, tags: [subfile(1)] };
    const pages = Array.from({ length: COUNT }, (_, i) => (i % 2 ? thumbnail : page));
    const { acquisition } = await openCounted(writeTiff({ pages }));
    expect(acquisition.info.scenes.map(({ sizes }) => sizes.Z)).toEqual([COUNT / 2]);
  });
});

describe('format label', () => {
  it.each([
    ['a.tif', 'tif'],
    ['a.TIFF', 'tif'],
    ['a.btf', 'tif'],
    ['a.ome.tiff', 'ome.tif'],
    ['a.OME.TIF', 'ome.tif'],
    ['a.ome.tf8', 'ome.tif'],
    ['a.companion.ome', 'ome.tif'],
    ['a.stk', 'stk'],
  ])('of %s is %s', (name, label) => expect(tiffLabel(name)).toBe(label));
});

const size = { T: 1, Y: 3, X: 4 };
conformanceSuite(
  'TIFF pages',
  [
    {
      name: 'stack, big-endian BigTIFF',
      write: (folder) => {
        const pages = [0, 1, 2].map((i) => countingPage(i));
        return writeTemp(folder, 'a.btf', writeTiff({ pages, big: true, littleEndian: false }));
      },
      format: 'tif',
      scenes: [{ sizes: { ...size, Z: 3 }, channels: ['CH1'], sampleType: 'uint16' }],
    },
    {
      name: 'two series',
      write: (folder) => writeTemp(folder, 'a.tif', writeTiff({ pages: [countingPage(0), small], ifds: 'end' })),
      format: 'tif',
      scenes: [
        { sizes: { ...size, Z: 1 }, channels: ['CH1'], sampleType: 'uint16' },
        { sizes: { T: 1, Z: 1, Y: 1, X: 2 }, channels: ['CH1'], sampleType: 'uint8' },
      ],
    },
  ],
  () => mkdtempSync(join(root, 'suite-')),
);
