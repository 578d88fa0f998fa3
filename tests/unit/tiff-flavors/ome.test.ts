import { mkdtempSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openAcquisition } from '../../../packages/server/src/open.js';
import { conformanceSuite } from '../../conformance/suite.js';
import { describeWithSamples, samplePath } from '../../support/samples.js';
import { tempFolder, writeTemp } from '../../support/temp.js';
import { countingPage, description, firstSample, summary, withFixture } from '../../support/tiff-cases.js';
import { type OmeImageSpec, omeXml, tiffData } from '../../writers/ome.js';
import { type PageSpec, type TagSpec, writeTiff } from '../../writers/tiff.js';

const root = tempFolder();
const SIZE = { X: 4, Y: 3 };

/** A file of `planes` counting pages with OME-XML at the first. */
function omeTiff(xml: string, planes: number): Uint8Array {
  const pages = Array.from({ length: planes }, (_, i) => countingPage(i, i === 0 ? [description(xml)] : []));
  return writeTiff({ pages });
}

const single = (image: OmeImageSpec, planes: number) => omeTiff(omeXml({ images: [image] }), planes);
const open = <T>(bytes: Uint8Array, use: Parameters<typeof withFixture<T>>[2]) =>
  withFixture(root, { 'a.ome.tif': bytes }, use);
const scene = (bytes: Uint8Array) => open(bytes, async ({ acquisition }) => summary(acquisition.info.scenes[0]));

/** The file of the fact sheet: two channels, two frames, nanometers and milliseconds. */
const SHEET = single(
  {
    name: 'cells',
    date: ['AcquisitionDate', '2024-05-06T07:08:09.5'],
    sizes: { ...SIZE, C: 2, T: 2 },
    pixels: {
      PhysicalSizeX: 200,
      PhysicalSizeXUnit: 'nm',
      PhysicalSizeY: 200,
      PhysicalSizeYUnit: 'nm',
      TimeIncrement: 2.5,
      TimeIncrementUnit: 'ms',
    },
    children: ['<Channel ID="Channel:0" Name="DAPI"/><Channel ID="Channel:1" Fluor="GFP"/>', '<TiffData/>'],
  },
  4,
);

describe('planes of Prairie View without the XML of the recording', () => {
  const image: OmeImageSpec = {
    name: 'Sequence:1',
    sizes: SIZE,
    pixels: { PhysicalSizeX: 0.25, PhysicalSizeY: 0.25 },
    children: ['<TiffData/>'],
  };
  const software = { code: 305, type: 2, text: 'Prairie View 5.6.64.20' };
  const page = countingPage(0, [description(omeXml({ images: [image] })), software]);
  const named = (name: string) =>
    withFixture(root, { [name]: writeTiff({ pages: [page] }) }, async ({ acquisition }) => acquisition.info.scenes[0]);

  it('have no date of 2008-01-01, which is a placeholder, but that of the TIFF', async () => {
    const dated = (more: TagSpec[]) => {
      const xml = omeXml({ images: [{ ...image, date: ['AcquisitionDate', '2008-01-01T00:00:00'] }] });
      return writeTiff({ pages: [countingPage(0, [description(xml), ...more])] });
    };
    const stamp = { code: 306, type: 2, text: '2022:08:09 16:03:14' };
    const clock = (more: TagSpec[]) =>
      withFixture(root, { 'TSeries.ome.tif': dated(more) }, async ({ acquisition }) => {
        const [scene] = acquisition.info.scenes;
        return [scene?.date, scene?.time, scene?.instrument?.start];
      });
    expect(await clock([software, stamp])).toEqual(['20220809', '16:03:14', undefined]);
    expect(await clock([software])).toEqual(['', '', undefined]);
    // Others may have recorded on that day.
    expect(await clock([])).toEqual(['20080101', '00:00:00', '2008-01-01T00:00:00']);
  });

  it('have lines in time for rows when they are a line scan: their step is not known', async () => {
    const lines = await named('LineScan-08092022-1225-528_Cycle00001_Ch1_000001.ome.tif');
    expect(lines?.steps.Y).toEqual({ step: 1, unit: 'Pixels', origin: 'default' });
    expect(lines?.steps.X).toEqual({ step: 0.25, unit: 'micrometer', origin: 'file' });
    expect(lines?.warnings).toEqual([expect.stringMatching(/lines of a Prairie View line scan.*Copy the \.xml/)]);
  });

  it('have the size of a pixel otherwise', async () => {
    const frames = await named('TSeries-08092022-1225-528_Cycle00001_Ch1_000001.ome.tif');
    expect(frames?.steps.Y).toEqual({ step: 0.25, unit: 'micrometer', origin: 'file' });
    expect(frames?.warnings).toEqual([]);
  });
});

describe('OME-TIFF', () => {
  it('has names, steps and date', async () => {
    await open(SHEET, async (opened) => {
      const { info } = opened.acquisition;
      expect(info.format).toBe('ome.tif');
      const [first] = info.scenes;
      expect([first?.name, first?.date, first?.time]).toEqual(['cells', '20240506', '07:08:09']);
      expect(first?.instrument).toEqual({ start: '2024-05-06T07:08:09.5' });
      expect(summary(first)).toEqual({
        sizes: { T: 2, Z: 1, Y: 3, X: 4 },
        channels: ['DAPI', 'GFP'],
        steps: {
          X: [0.2, 'micrometer', 'file'],
          Y: [0.2, 'micrometer', 'file'],
          Z: [1, 'Planes', 'default'],
          T: [0.0025, 'seconds', 'file'],
        },
        warnings: [],
      });
      expect(await firstSample(opened, { channel: 1, t: 0 })).toBe(12);
      expect(await firstSample(opened, { channel: 0, t: 1 })).toBe(24);
    });
  });

  it.each([
    ['AcquisitionDate', '2024-05-06T07:08:09.25+02:00', '2024-05-06T07:08:09.25+02:00'],
    ['AcquiredDate', '2024-05-06T07:08:09Z', '2024-05-06T07:08:09Z'],
    ['AcquisitionDate', '2024-05-06', undefined],
    ['AcquisitionDate', '2024-13-06T07:08:09', undefined],
    ['AcquisitionDate', '6.5.2024 07:08', undefined],
    // It is the date of the file.
    ['CreationDate', '2024-05-06T07:08:09', undefined],
  ])('starts when %s %s says: %s', async (name, text, start) => {
    const image: OmeImageSpec = { sizes: SIZE, date: [name, text], children: ['<TiffData/>'] };
    await open(single(image, 1), async ({ acquisition }) => {
      expect(acquisition.info.scenes[0]?.instrument?.start).toBe(start);
    });
  });

  // Pages from one plane to the next along Z (2 of them), C (3) and T (4).
  it.each([
    ['XYZCT', 1, 2, 6],
    ['XYZTC', 1, 8, 2],
    ['XYCZT', 3, 1, 6],
    ['XYCTZ', 12, 1, 3],
    ['XYTZC', 4, 8, 1],
    ['XYTCZ', 12, 4, 1],
  ])('%s orders the pages', async (order, z, c, t) => {
    await open(single({ order, sizes: { ...SIZE, Z: 2, C: 3, T: 4 } }, 24), async (opened) => {
      expect(await firstSample(opened, { z: 1 })).toBe(z * 12);
      expect(await firstSample(opened, { channel: 1 })).toBe(c * 12);
      expect(await firstSample(opened, { t: 1 })).toBe(t * 12);
      expect(await firstSample(opened, { z: 1, channel: 2, t: 3 })).toBe(23 * 12);
    });
  });

  it('follows TiffData wherever it points', async () => {
    const children = [
      tiffData({ IFD: 3, FirstT: 0, PlaneCount: 2 }),
      tiffData({ IFD: 0, FirstT: 2 }),
      tiffData({ IFD: 1, FirstT: 3, NumPlanes: 2 }),
    ];
    await open(single({ sizes: { ...SIZE, T: 5 }, children }, 5), async (opened) => {
      const samples = [];
      for (let t = 0; t < 5; t++) samples.push((await firstSample(opened, { t })) / 12);
      expect(samples).toEqual([3, 4, 0, 1, 2]);
      expect(opened.acquisition.info.scenes[0]?.warnings).toEqual([]);
    });
  });

  it('makes scenes of images', async () => {
    const image = (name: string, ifd: number) => ({ name, sizes: SIZE, children: [tiffData({ IFD: ifd })] });
    await open(omeTiff(omeXml({ images: [image('left', 1), image('right', 0)] }), 2), async (opened) => {
      expect(opened.acquisition.info.scenes.map(({ name }) => name)).toEqual(['left', 'right']);
      expect(await firstSample(opened, { scene: 0 })).toBe(12);
      expect(await firstSample(opened, { scene: 1 })).toBe(0);
    });
  });
});

describe('OME channels', () => {
  const rgb = (tag?: string): PageSpec => ({
    width: 2,
    height: 1,
    samples: [5, 6, 7].map((value) => Uint8Array.of(value, value)),
    ...(tag === undefined ? {} : { tags: [description(tag)] }),
  });
  const colour = (image: Partial<OmeImageSpec>, pages = 1) => {
    const xml = omeXml({ images: [{ type: 'uint8', sizes: { X: 2, Y: 1 }, ...image }] });
    return writeTiff({ pages: Array.from({ length: pages }, (_, i) => rgb(i === 0 ? xml : undefined)) });
  };

  it('of an RGB page are three', async () => {
    const children = ['<Channel ID="Channel:0" SamplesPerPixel="3"/>', '<TiffData/>'];
    const { channels, warnings } = await scene(colour({ sizes: { X: 2, Y: 1, C: 3 }, children }));
    expect(channels).toEqual(['R', 'G', 'B']);
    expect(warnings).toEqual([]);
    const bytes = colour({ sizes: { X: 2, Y: 1, C: 6 } }, 2);
    expect((await scene(bytes)).channels).toEqual(['CH1 R', 'CH1 G', 'CH1 B', 'CH2 R', 'CH2 G', 'CH2 B']);
    await open(bytes, async (opened) => expect(await firstSample(opened, { channel: 5 })).toBe(7));
  });

  it('are those of the pages when SizeC does not know of samples', async () => {
    const { channels, warnings } = await scene(colour({ sizes: { X: 2, Y: 1, C: 1 } }));
    expect(channels).toEqual(['R', 'G', 'B']);
    expect(warnings).toHaveLength(1);
  });
});

describe('OME sizes and the truth of the bytes', () => {
  it('ends an interrupted recording where it ends', async () => {
    const { sizes, warnings } = await scene(single({ sizes: { ...SIZE, C: 2, T: 1000 } }, 6));
    expect(sizes).toEqual({ T: 3, Z: 1, Y: 3, X: 4 });
    expect(warnings).toEqual(['The OME-XML says SizeT=1000, but the file has 3. Showing 3.']);
  });

  it('shows frames behind the described ones', async () => {
    await open(single({ sizes: { ...SIZE, C: 2, T: 2 } }, 7), async (opened) => {
      const { sizes, warnings } = summary(opened.acquisition.info.scenes[0]);
      expect(sizes.T).toBe(3);
      expect(warnings).toEqual(['The OME-XML describes 4 planes, but the file has 7 pages. Showing all 3 frames.']);
      expect(await firstSample(opened, { channel: 1, t: 2 })).toBe(60);
    });
  });

  it('does not take a thumbnail behind them for a frame', async () => {
    const xml = omeXml({ images: [{ sizes: SIZE }] });
    const small = { width: 2, height: 1, samples: new Uint16Array(2) };
    const { sizes, warnings } = await scene(writeTiff({ pages: [countingPage(0, [description(xml)]), small] }));
    expect(sizes.T).toBe(1);
    expect(warnings).toEqual([
      'The OME-XML describes 1 plane, but the file has 2 pages. The other pages are not shown.',
    ]);
  });

  it('takes size and type from the pages', async () => {
    const { sizes, warnings } = await scene(single({ type: 'int8', sizes: { X: 40, Y: 30 } }, 1));
    expect(sizes).toEqual({ T: 1, Z: 1, Y: 3, X: 4 });
    expect(warnings).toHaveLength(2);
  });

  it('shows planes without a page as zeros and says so', async () => {
    const children = [tiffData({ IFD: 0, FirstT: 0 }), tiffData({ IFD: 1, FirstT: 2 })];
    await open(single({ sizes: { ...SIZE, T: 3 }, children }, 2), async (opened) => {
      expect(opened.acquisition.info.scenes[0]?.warnings).toEqual([
        'The OME image has no page for 1 plane. Showing it as zeros.',
      ]);
      expect(await firstSample(opened, { t: 1 })).toBe(0);
      expect(await firstSample(opened, { t: 2 })).toBe(12);
    });
  });

  it.each([
    ['SizeT', { T: 4_000_000_000 }],
    ['SizeZ', { Z: 4_000_000_000 }],
    ['everything', { Z: 999_999_999_999, C: 2, T: 999_999_999_999 }],
  ])('is not impressed by a %s of billions', async (_, sizes) => {
    const found = await scene(single({ sizes: { ...SIZE, ...sizes } }, 2));
    expect(found.sizes.T * found.sizes.Z).toBeLessThanOrEqual(2);
    expect(found.warnings.length).toBeGreaterThan(0);
  });

  it('goes on to plain pages when the channels cannot be', async () => {
    const { sizes, warnings } = await scene(single({ sizes: { ...SIZE, C: 4_000_000_000 } }, 2));
    expect(sizes).toEqual({ T: 1, Z: 2, Y: 3, X: 4 });
    expect(warnings[0]).toContain('4,000,000,000 channels');
  });

  it('counts planes of TiffData that claims billions', async () => {
    const children = [tiffData({ IFD: 0, PlaneCount: 4_000_000_000 }), tiffData({ IFD: 4_000_000_000, FirstT: 1 })];
    const { sizes, warnings } = await scene(single({ sizes: { ...SIZE, T: 9 }, children }, 2));
    expect(sizes.T).toBe(2);
    expect(warnings.length).toBeGreaterThan(0);
  });
});

describe('OME sizes of pixels and sections', () => {
  it('in a unit that means nothing are ignored, with a warning that says in what the axis is', async () => {
    const pixels = { PhysicalSizeX: 2, PhysicalSizeXUnit: 's', PhysicalSizeZ: 2, PhysicalSizeZUnit: 'moons' };
    const { steps, warnings } = await scene(single({ sizes: { ...SIZE, Z: 2 }, pixels, children: ['<TiffData/>'] }, 2));
    expect([steps['X'], steps['Z']]).toEqual([
      [1, 'Pixels', 'default'],
      [1, 'Planes', 'default'],
    ]);
    expect(warnings.sort()).toEqual([
      'OME PhysicalSizeX: the unit "s" is not a known unit of length; the axis is in Pixels',
      'OME PhysicalSizeZ: the unit "moons" is not a known unit of length; the axis is in Planes',
    ]);
  });
});

describe('OME positions of sections without a unit', () => {
  const stack = async (distance: number, set?: number) => {
    const planes = [0, 1, 2].map((z) => `<Plane TheZ="${z}" TheC="0" TheT="0" PositionZ="${100 + z * distance}"/>`);
    const pixels = set === undefined ? {} : { PhysicalSizeZ: set };
    const xml = single({ sizes: { ...SIZE, Z: 3 }, pixels, children: ['<TiffData/>', ...planes] }, 3);
    return open(xml, async ({ acquisition }) => {
      const { steps, coordinates, warnings } = acquisition.info.scenes[0]!;
      return { step: steps.Z.step, unit: steps.Z.unit, depths: coordinates?.Z && [...coordinates.Z.values], warnings };
    });
  };

  it('are micrometers when they agree with the step to one percent', async () => {
    expect(await stack(5, 5)).toMatchObject({ step: 5, unit: 'micrometer', depths: [0, 5, 10], warnings: [] });
    expect((await stack(5.04, 5)).depths).toHaveLength(3);
    expect((await stack(-4.96, 5)).depths).toHaveLength(3);
  });

  it.each([
    [5.06, 5],
    [4.94, 5],
    [0.5, undefined],
  ])('are ignored with a warning when they are %d apart and the step is %d', async (distance, set) => {
    const { unit, depths, warnings } = await stack(distance, set);
    expect([unit, depths]).toEqual([set === undefined ? 'Planes' : 'micrometer', undefined]);
    expect(warnings).toEqual([
      `The positions (PositionZ) have no unit and are ${distance} apart, so they were ignored for the Z step.`,
    ]);
  });
});

describe('OME time', () => {
  const timed = (children: string[], pixels = {}) =>
    scene(single({ sizes: { ...SIZE, T: 4 }, pixels, children: ['<TiffData/>', ...children] }, 4));
  const planes = (times: number[], unit = '') =>
    times.map((time, t) => `<Plane TheZ="0" TheC="0" TheT="${t}" DeltaT="${time}"${unit}/>`);

  it('comes from the planes without a TimeIncrement', async () => {
    expect((await timed(planes([0, 2, 4.5, 6.5]))).steps['T']).toEqual([6.5 / 3, 'seconds', 'file']);
    expect((await timed(planes([0, 20, 40, 60], ' DeltaTUnit="ms"'))).steps['T']).toEqual([0.02, 'seconds', 'file']);
    expect((await timed(planes([0, 2, 4, 6]), { TimeIncrement: 0 })).steps['T']).toEqual([2, 'seconds', 'file']);
  });

  it.each([
    ['DeltaT', planes([0, 2, 4, 6], ' DeltaTUnit="moons"'), {}, 'time'],
    ['TimeIncrement', [], { TimeIncrement: 2, TimeIncrementUnit: 'µm' }, 'time'],
  ])('in a unit that means nothing is ignored with a warning: %s', async (what, children, pixels, kind) => {
    const { steps, warnings } = await timed(children, pixels);
    expect(steps['T']).toEqual([1, 'Frames', 'default']);
    expect(warnings.join()).toMatch(
      new RegExp(`^OME ${what}: the unit ".*" is not a known unit of ${kind}; its values`),
    );
  });

  it('passes over other channels and planes without a time', async () => {
    const [first, , third] = planes([1, 0, 4]) as [string, string, string];
    const other = '<Plane TheZ="0" TheC="1" TheT="1" DeltaT="900"/><Plane TheZ="0" TheC="0" TheT="3"/>';
    expect((await timed([first, other, third])).steps['T']).toEqual([1.5, 'seconds', 'file']);
  });

  it('is unknown when it stands still', async () => {
    expect((await timed(planes([5, 5, 5, 5]))).steps['T']).toEqual([1, 'Frames', 'default']);
  });

  it('runs along Y when frames are single lines', async () => {
    const page = (value: number, tags: PageSpec['tags'] = []): PageSpec => ({
      width: 2,
      height: 1,
      samples: Uint16Array.of(value, value + 1),
      tags,
    });
    const image = {
      sizes: { X: 2, Y: 1, T: 3, C: 2 },
      pixels: { PhysicalSizeX: 0.25, TimeIncrement: 1.2, TimeIncrementUnit: 'ms' },
    };
    const pages = Array.from({ length: 6 }, (_, i) =>
      page(i * 10, i ? [] : [description(omeXml({ images: [image] }))]),
    );
    await open(writeTiff({ pages }), async (opened) => {
      const found = summary(opened.acquisition.info.scenes[0]);
      expect(found.sizes).toEqual({ T: 1, Z: 1, Y: 3, X: 2 });
      expect(found.steps['X']).toEqual([0.25, 'micrometer', 'file']);
      expect(found.steps['Y']?.[0]).toBeCloseTo(0.0012, 12);
      expect(found.steps['Y']?.slice(1)).toEqual(['seconds', 'file']);
      const rows: number[] = [];
      const put = {
        rows: 3,
        columns: 2,
        put: (block: { samples: ArrayLike<unknown>; offset: number }) =>
          void rows.push(Number(block.samples[block.offset])),
      };
      await opened.acquisition.readPlane({ scene: 0, channel: 1, t: 0, z: 0 }, put);
      expect(rows).toEqual([10, 30, 50]);
    });
  });
});

describe('OME-TIFF sets', () => {
  const A = { name: 'a.ome.tif', uuid: 'urn:uuid:a' };
  const B = { name: 'b.ome.tif', uuid: 'urn:uuid:b' };
  const set = (files: { name?: string; uuid?: string }[]) => [
    { sizes: { ...SIZE, Z: 2 }, children: files.map((file, z) => tiffData({ IFD: 0, FirstZ: z }, file)) },
  ];
  const member = (index: number, xml: string) => writeTiff({ pages: [countingPage(index, [description(xml)])] });
  const a = () => member(1, omeXml({ uuid: A.uuid, images: set([A, B]) }));
  const b = () => member(2, omeXml({ uuid: B.uuid, images: set([A, B]) }));

  const both = async (files: Record<string, Uint8Array | string>) =>
    withFixture(root, files, async (opened) => ({
      z: [await firstSample(opened, { z: 0 }), await firstSample(opened, { z: 1 })],
      warnings: opened.acquisition.info.scenes[0]?.warnings,
    }));

  it.each([
    ['by its first file', { 'a.ome.tif': a(), 'b.ome.tif': b() }],
    ['by its second file', { 'b.ome.tif': b(), 'a.ome.tif': a() }],
    ['in other letters', { 'A.OME.TIF': a(), 'B.ome.TIF': b() }],
    ['with the opened file renamed', { 'renamed.ome.tif': a(), 'b.ome.tif': b() }],
    ['with all files renamed', { 'x.ome.tif': a(), 'y.ome.tif': b() }],
  ])('open %s', async (_, files) => {
    expect(await both(files)).toEqual({ z: [12, 24], warnings: [] });
  });

  it('name missing files, and fail for their planes only', async () => {
    await withFixture(root, { 'a.ome.tif': a() }, async (opened, folder) => {
      expect(await firstSample(opened, { z: 0 })).toBe(12);
      expect(opened.acquisition.info.scenes[0]?.warnings).toEqual([
        'Missing from the folder: b.ome.tif. The planes in it cannot be read.',
      ]);
      await expect(firstSample(opened, { z: 1 })).rejects.toMatchObject({
        code: 'companion_missing',
        message: `a.ome.tif: "b.ome.tif", a file of this set, is missing from ${folder}. Copy it there.`,
      });
    });
  });

  it('say which file is damaged when its plane is read', async () => {
    const files = { 'a.ome.tif': a(), 'b.ome.tif': new Uint8Array() };
    await withFixture(root, files, async (opened) => {
      expect(await firstSample(opened, { z: 0 })).toBe(12);
      await expect(firstSample(opened, { z: 1 })).rejects.toMatchObject({ code: 'decode_failed' });
    });
  });

  it('never leave their folder', async () => {
    const folder = mkdtempSync(join(root, 'outside-'));
    writeTemp(root, 'secret.ome.tif', member(9, omeXml({ images: [] })));
    const outside = { name: '../secret.ome.tif', uuid: 'urn:uuid:s' };
    const path = writeTemp(folder, 'a.ome.tif', member(1, omeXml({ uuid: A.uuid, images: set([A, outside]) })));
    const opened = await openAcquisition(path);
    await expect(firstSample(opened, { z: 1 })).rejects.toMatchObject({ code: 'companion_missing' });
    expect(opened.acquisition.info.scenes[0]?.warnings[0]).toContain('Missing from the folder: ../secret.ome.tif');
    expect(opened.fingerprints()).toHaveLength(1);
    opened.close();
  });

  it('take a path of another computer for a name', async () => {
    const far = { name: 'D:\\data\\b.ome.tif', uuid: B.uuid };
    const files = { 'a.ome.tif': member(1, omeXml({ uuid: A.uuid, images: set([A, far]) })), 'b.ome.tif': b() };
    expect((await both(files)).z).toEqual([12, 24]);
  });

  it('is one file when the metadata refer to one only, whatever its name was', async () => {
    const children = [tiffData({ IFD: 0 }, { name: 'old.ome.tif', uuid: 'urn:uuid:old' })];
    await open(single({ sizes: SIZE, children }, 1), async (opened) => {
      expect(opened.acquisition.info.scenes[0]?.warnings).toEqual([]);
    });
  });

  const binaryOnly = (uuid: string) =>
    `<OME UUID="${uuid}"><BinaryOnly MetadataFile="set.companion.ome" UUID="urn:uuid:c"/></OME>`;
  const companion = omeXml({ images: set([A, B]) });
  const members = { 'a.ome.tif': member(1, binaryOnly(A.uuid)), 'b.ome.tif': member(2, binaryOnly(B.uuid)) };

  it('are found through a companion file', async () => {
    expect(await both({ ...members, 'set.companion.ome': companion })).toEqual({ z: [12, 24], warnings: [] });
  });

  it.each([
    ['UTF-8', companion],
    ['UTF-16', new Uint8Array(Buffer.from(`\ufeff${companion}`, 'utf16le'))],
  ])('open by the companion file in %s', async (_, text) => {
    await withFixture(root, { 'set.companion.ome': text, ...members }, async (opened) => {
      expect(opened.acquisition.info.format).toBe('ome.tif');
      expect(await firstSample(opened, { z: 1 })).toBe(24);
      expect(opened.fingerprints().map(({ path }) => path.split('/').at(-1))).toContain('b.ome.tif');
    });
  });

  it('show the plain pages when the companion is missing', async () => {
    await withFixture(root, members, async (opened) => {
      const found = summary(opened.acquisition.info.scenes[0]);
      expect(found.sizes).toEqual({ T: 1, Z: 1, Y: 3, X: 4 });
      expect(found.warnings[0]).toContain('set.companion.ome');
    });
  });

  it.each([
    ['no images', omeXml({ images: [] }), 'unsupported_format'],
    ['files that are not there', companion, 'companion_missing'],
    ['cut XML', companion.slice(0, -40), 'decode_failed'],
  ])('fail to open by a companion with %s', async (_, text, code) => {
    await expect(withFixture(root, { 'a.companion.ome': text }, async () => {})).rejects.toMatchObject({ code });
  });

  it('notice a file that vanishes after the open', async () => {
    const files = { 'a.ome.tif': a(), 'b.ome.tif': b() };
    await withFixture(root, files, async (opened, folder) => {
      renameSync(join(folder, 'b.ome.tif'), join(folder, 'gone'));
      await expect(firstSample(opened, { z: 1 })).rejects.toMatchObject({ code: 'companion_missing' });
    });
  });

  it('stop at metadata that refer to each other', async () => {
    const xml = (other: string) => `<OME><BinaryOnly MetadataFile="${other}" UUID="urn:uuid:c"/></OME>`;
    const files = { 'a.ome.tif': member(1, xml('b.ome.tif')), 'b.ome.tif': member(2, xml('a.ome.tif')) };
    await withFixture(root, files, async (opened) => {
      expect(opened.acquisition.info.scenes[0]?.warnings[0]).toContain('refers to another metadata file');
    });
  });
});

describe('OME-XML of old schemas', () => {
  it('2003: pixel sizes at the image, CreationDate, PixelType', async () => {
    const xml = `<OME xmlns="http://www.openmicroscopy.org/XMLschemas/OME/FC/ome.xsd"><Image Name="old" PixelSizeX="0.5"
      PixelSizeY="0.5"><CreationDate>2006-05-04T18:13:51.0Z</CreationDate><ChannelInfo Name="red"/><ChannelInfo
      Name="green"/><Pixels DimensionOrder="XYCTZ" PixelType="Uint16" SizeC="2" SizeT="1" SizeX="4" SizeY="3"
      SizeZ="1"><TiffData/></Pixels></Image></OME>`;
    await open(omeTiff(xml, 2), async (opened) => {
      const [first] = opened.acquisition.info.scenes;
      expect([first?.date, first?.time]).toEqual(['20060504', '18:13:51']);
      expect(summary(first).channels).toEqual(['red', 'green']);
      expect(summary(first).steps['X']).toEqual([0.5, 'micrometer', 'file']);
      expect(first?.warnings).toEqual([]);
    });
  });
});

describe('OME-XML that cannot be used', () => {
  const xml = omeXml({ images: [{ sizes: { ...SIZE, T: 2 } }] });

  it.each([
    ['cut short', xml.slice(0, -30)],
    ['without an image', '<OME></OME>'],
    ['too deep', `<OME>${'<a>'.repeat(1000)}</OME>`],
    ['without pixels', '<OME><Image/></OME>'],
  ])('%s: the pages are shown with a warning', async (_, text) => {
    const { sizes, warnings } = await scene(omeTiff(text, 2));
    expect(sizes).toEqual({ T: 1, Z: 2, Y: 3, X: 4 });
    expect(warnings[0]).toContain('The OME metadata cannot be used');
  });

  it('survives control characters and Latin-1', async () => {
    const dirty = xml
      .replace('<Image', '<Image Note="\u0001"')
      .replace('SizeX', 'PhysicalSizeX="2" PhysicalSizeXUnit="\u00b5m" SizeX');
    const bytes = Uint8Array.from([...dirty].map((c) => c.charCodeAt(0)).concat(0));
    const tag = { code: 270, type: 2, bytes };
    const found = await scene(writeTiff({ pages: [countingPage(0, [tag]), countingPage(1)] }));
    expect(found.sizes.T).toBe(2);
    expect(found.steps['X']).toEqual([2, 'micrometer', 'file']);
  });

  it('a description that lies outside the file does not matter', async () => {
    const tag = { code: 270, type: 2, text: 'x', count: 4_000_000_000 };
    const { sizes } = await scene(writeTiff({ pages: [countingPage(0, [tag])] }));
    expect(sizes.Z).toBe(1);
  });
});

describeWithSamples('OME-TIFF files of others', () => {
  const open = async (path: string) => {
    const opened = await openAcquisition(samplePath(`tiff-ome/${path}`));
    opened.close();
    return opened.acquisition.info.scenes;
  };

  it('give the whole set by any member', async () => {
    for (const z of [1, 3, 5]) {
      const [found] = await open(
        `ome+bioformats/2015-01/set-1-meta-companion-gray/18x24y5z1t1c8b-text-split-Z${z}.ome.tiff`,
      );
      expect(found?.sizes).toEqual({ T: 1, Z: 5, Y: 24, X: 18 });
      expect(found?.warnings).toEqual([]);
      expect(found?.date).toBe('20100302');
    }
  });

  it('keep the stored channels of a lifetime image', async () => {
    const [found] = await open('ome+bioformats/2013-06/FLIM-modulo-sample.ome.tif');
    expect(found?.channels).toHaveLength(16);
    expect(found?.sizes).toEqual({ T: 1, Z: 1, Y: 150, X: 180 });
  });

  it('have sizes, names and dates', async () => {
    const [found] = await open('AllenCellModeling+aicsimageio/s_1_t_1_c_1_z_1.ome.tiff');
    expect(found?.channels).toMatchObject([{ name: 'Bright', color: '#FFFFFF', role: 'transmitted' }]);
    expect(found?.steps.X).toEqual({ step: 1.0833333333333333, unit: 'micrometer', origin: 'file' });
    expect([found?.date, found?.time]).toEqual(['20190627', '18:33:40']);
  });
});

const write = (bytes: Uint8Array) => (folder: string) => writeTemp(folder, 'a.ome.tif', bytes);
conformanceSuite(
  'OME-TIFF',
  [
    {
      name: 'one file',
      write: write(SHEET),
      format: 'ome.tif',
      scenes: [{ sizes: { T: 2, Z: 1, Y: 3, X: 4 }, channels: ['DAPI', 'GFP'], sampleType: 'uint16' }],
    },
    {
      name: 'set with companion',
      write: (folder) => {
        const file = (z: number) => ({ name: `${z}.ome.tif`, uuid: `urn:uuid:${z}` });
        const children = [0, 1, 2].map((z) => tiffData({ IFD: 0, FirstZ: z }, file(z)));
        writeFileSync(join(folder, 'x.companion.ome'), omeXml({ images: [{ sizes: { ...SIZE, Z: 3 }, children }] }));
        const paths = [0, 1, 2].map((z) => {
          const xml = `<OME UUID="urn:uuid:${z}"><BinaryOnly MetadataFile="x.companion.ome" UUID="urn:uuid:x"/></OME>`;
          return writeTemp(folder, `${z}.ome.tif`, writeTiff({ pages: [countingPage(z, [description(xml)])] }));
        });
        return paths[1] as string;
      },
      format: 'ome.tif',
      scenes: [{ sizes: { T: 1, Z: 3, Y: 3, X: 4 }, channels: ['CH1'], sampleType: 'uint16' }],
    },
  ],
  () => mkdtempSync(join(root, 'suite-')),
);
