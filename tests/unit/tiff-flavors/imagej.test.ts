import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { arrangeAxes } from '../../../packages/readers/src/formats/tiff/flavors/imagej.js';
import { readImageJMetadata } from '../../../packages/readers/src/formats/tiff/flavors/imagej-items.js';
import { imageJLabels, namesFromLabels } from '../../../packages/readers/src/formats/tiff/flavors/imagej-labels.js';
import { parseImageJText } from '../../../packages/readers/src/formats/tiff/flavors/imagej-text.js';
import { MemorySource } from '../../../packages/readers/src/io/byte-source.js';
import type { SceneInfo } from '../../../packages/readers/src/model/acquisition.js';
import { openTiff } from '../../../packages/readers/src/tiff/parse.js';
import { openAcquisition } from '../../../packages/server/src/open.js';
import { conformanceSuite } from '../../conformance/suite.js';
import { describeWithSamples, samplePath } from '../../support/samples.js';
import { tempFolder, writeTemp } from '../../support/temp.js';
import {
  countingPage,
  countingSamples,
  description,
  firstSample,
  summary,
  withFixture,
} from '../../support/tiff-cases.js';
import { imageJTags } from '../../writers/imagej.js';
import { type TagSpec, writeTiff } from '../../writers/tiff.js';

const root = tempFolder();

/** The hyperstack of the fact sheet: two channels, three frames, one IFD. */
const HYPERSTACK = String.raw`ImageJ=1.53t
images=6
channels=2
frames=3
hyperstack=true
mode=composite
unit=\u00B5m
finterval=0.5
spacing=1.0
loop=false
min=0.0
max=71.0
`;
const resolution = (x: [number, number], y = x): TagSpec[] => [
  { code: 282, type: 5, values: x },
  { code: 283, type: 5, values: y },
  { code: 296, type: 3, values: [1] },
];
const SCALE = resolution([5_000_000, 1_000_000]);

function singleIfd(text: string, planes: number, tags = SCALE): Uint8Array {
  const extraPlanes = Array.from({ length: planes - 1 }, (_, i) => countingSamples(i + 1));
  return writeTiff({ littleEndian: false, pages: [{ ...countingPage(0, [description(text), ...tags]), extraPlanes }] });
}

function perPage(text: string, planes: number, tags = SCALE): Uint8Array {
  const first = countingPage(0, [description(text), ...tags]);
  return writeTiff({ pages: [first, ...Array.from({ length: planes - 1 }, (_, i) => countingPage(i + 1))] });
}

const open = (bytes: Uint8Array, use: Parameters<typeof withFixture>[2]) => withFixture(root, { 'a.tif': bytes }, use);
const scene = (bytes: Uint8Array) =>
  open(bytes, async ({ acquisition }) => summary(acquisition.info.scenes[0])) as Promise<ReturnType<typeof summary>>;

describe('ImageJ hyperstack', () => {
  it.each([
    ['one IFD for all planes, big-endian', singleIfd(HYPERSTACK, 6)],
    ['an IFD for every plane', perPage(HYPERSTACK, 6)],
  ])('%s', async (_, bytes) => {
    await open(bytes, async (opened) => {
      expect(summary(opened.acquisition.info.scenes[0])).toEqual({
        sizes: { T: 3, Z: 1, Y: 3, X: 4 },
        channels: ['CH1', 'CH2'],
        steps: {
          X: [0.2, 'micrometer', 'file'],
          Y: [0.2, 'micrometer', 'file'],
          Z: [1, 'micrometer', 'file'],
          T: [0.5, 'seconds', 'file'],
        },
        warnings: [],
      });
      expect(await firstSample(opened, { channel: 0, t: 0 })).toBe(0);
      expect(await firstSample(opened, { channel: 1, t: 0 })).toBe(12);
      expect(await firstSample(opened, { channel: 0, t: 1 })).toBe(24);
      expect(await firstSample(opened, { channel: 1, t: 2 })).toBe(60);
    });
  });

  it('shows what the file holds when the text claims more, and says so', async () => {
    await open(
      singleIfd(HYPERSTACK.replace('frames=3', 'frames=500').replace('images=6', 'images=1000'), 5),
      async (opened) => {
        const { sizes, warnings } = summary(opened.acquisition.info.scenes[0]);
        expect(sizes).toEqual({ T: 3, Z: 1, Y: 3, X: 4 });
        expect(warnings).toHaveLength(1);
        expect(warnings[0]).toContain('says 1,000 images');
        expect(warnings[0]).toContain('but the file has 5');
        expect(await firstSample(opened, { channel: 0, t: 2 })).toBe(48);
        expect(await firstSample(opened, { channel: 1, t: 2 })).toBe(0);
      },
    );
  });

  it('takes pages, not text, when another program cut the stack', async () => {
    const { sizes, warnings } = await scene(perPage('ImageJ=1.53t\nimages=100\nframes=100\n', 4));
    expect(sizes.T).toBe(4);
    expect(warnings).toHaveLength(1);
  });

  it.each(['last', 'end'] as const)('does not take its own IFD and description for planes (%s)', async (ifds) => {
    const text = `ImageJ=1.53t\nimages=600\nslices=600\ninfo=${'of the microscope '.repeat(10)}\n`;
    const pages = [countingPage(0, [description(text), ...SCALE])];
    await open(writeTiff({ pages, ifds }), async ({ acquisition }) => {
      const [scene] = acquisition.info.scenes;
      expect(scene?.sizes).toMatchObject({ T: 1, Z: 1 });
      expect(scene?.warnings[0]).toContain('but the file has 1 plane.');
    });
  });

  it('does not take bytes of a second IFD for planes', async () => {
    const { sizes } = await scene(perPage('ImageJ=1.53t\nimages=3\nslices=3\n', 2));
    expect(sizes.Z).toBe(2);
  });

  it('names the samples of colour planes', async () => {
    const rgb = { width: 2, height: 1, samples: [0, 1, 2].map((s) => Uint8Array.of(s, s)) };
    const bytes = writeTiff({ pages: [{ ...rgb, tags: [description('ImageJ=1.53t\nimages=2\nslices=2\n')] }, rgb] });
    const { channels, sizes } = await scene(bytes);
    expect(channels).toEqual(['R', 'G', 'B']);
    expect(sizes.Z).toBe(2);
  });

  it.each([
    ['interleaved', 'images=3\nchannels=3\nmode=composite\n', 1],
    ['in planes', 'images=3\nchannels=3\nmode=composite\n', 2],
    ['without a count of images', 'channels=3\n', 1],
  ])('takes a 48-bit RGB image for one page of three samples, %s', async (_, text, planar) => {
    const samples = [0, 1, 2].map((s) => Uint16Array.of(1000 * s, 1000 * s + 1));
    const tags = [description(`ImageJ=1.53t\n${text}`)];
    const page = { width: 2, height: 1, samples, photometric: 2, planar: planar === 2, tags };
    await open(writeTiff({ pages: [page] }), async (opened) => {
      const { channels, sizes, warnings } = summary(opened.acquisition.info.scenes[0]);
      expect([channels, sizes, warnings]).toEqual([['R', 'G', 'B'], { T: 1, Z: 1, Y: 1, X: 2 }, []]);
      expect(await firstSample(opened, { channel: 2 })).toBe(2000);
    });
  });

  it.each([
    ['c0=-32768.0\nc1=1.0\n', '-32768 + 1 × stored value; the stored'],
    ['cf=0\nc0=1\nc1=2\nvunit=nM\n', '1 + 2 × stored value (nM)'],
    ['cf=2\nc0=1\nc1=2\nc2=3\nc3=4\n', '1 + 2 × stored value + 3 × stored value² + 4 × stored value³'],
    ['cf=7\nc0=1\nc1=2\nc2=3\nc3=4\n', 'a function (Rodbard) with the coefficients 1, 2, 3, 4'],
    ['cf=21\nvunit=OD\n', 'uncalibrated optical density (OD)'],
  ])('warns of a density calibration and serves stored values: %j', async (text, warning) => {
    await open(perPage(`ImageJ=1.53t\n${text}`, 1), async (opened) => {
      expect(summary(opened.acquisition.info.scenes[0]).warnings[0]).toContain(warning);
      expect(await firstSample(opened)).toBe(0);
    });
  });
});

describe('ImageJ axes', () => {
  const axes = (text: string, count: number) => {
    const arranged = arrangeAxes(parseImageJText(`ImageJ=1.53t\n${text}`), count);
    const order = arranged.axes.map(({ kind, size }) => `${kind}${size}`).join(' ');
    return { order, warnings: arranged.note === undefined ? 0 : 1 };
  };

  it.each([
    ['', 'C2 Z3 T4'],
    ['order=czct\n', 'C2 Z3 T4'],
    ['order=ctz\n', 'C2 T4 Z3'],
    ['order=zct\n', 'Z3 C2 T4'],
    ['order=ztc\n', 'Z3 T4 C2'],
    ['order=tcz\n', 'T4 C2 Z3'],
    ['order=tzc\n', 'T4 Z3 C2'],
  ])('%s', (order, expected) => {
    expect(axes(`images=24\nchannels=2\nslices=3\nframes=4\n${order}`, 24)).toEqual({ order: expected, warnings: 0 });
  });

  it('takes planes without counts for slices', () => {
    expect(axes('images=7\n', 7)).toEqual({ order: 'Z7', warnings: 0 });
  });

  it('goes on with the slowest axis when there are more planes than the text knows of', () => {
    expect(axes('images=6\nchannels=2\nframes=3\n', 9)).toEqual({ order: 'C2 Z1 T4', warnings: 1 });
    expect(axes('images=2\nchannels=2\n', 3)).toEqual({ order: 'Z3', warnings: 1 });
  });

  it('drops counts that do not multiply to the planes', () => {
    expect(axes('images=7\nchannels=2\nslices=3\n', 7)).toEqual({ order: 'Z7', warnings: 1 });
    expect(axes('images=4000000000\nchannels=4000000000\n', 2)).toEqual({ order: 'C2 Z1 T1', warnings: 1 });
  });
});

describe('ImageJ steps', () => {
  const sceneInfo = (text: string, tags = SCALE) =>
    open(perPage(`ImageJ=1.53t\n${text}`, /frames=2/.test(text) ? 2 : 1, tags), async ({ acquisition }) => {
      return acquisition.info.scenes[0] as SceneInfo;
    }) as Promise<SceneInfo>;
  const steps = async (text: string, tags = SCALE) => (await scene(perPage(`ImageJ=1.53t\n${text}`, 1, tags))).steps;

  it('reads decimal commas and a negative spacing', async () => {
    expect((await steps('unit=um\nfinterval=0,25\nspacing=-0,5\n'))['T']).toEqual([0.25, 'seconds', 'file']);
    expect((await steps('unit=um\nspacing=-0,5\n'))['Z']).toEqual([0.5, 'micrometer', 'file']);
    expect((await steps('finterval=0\n'))['T']).toEqual([1, 'Frames', 'default']);
  });

  it('is uncalibrated without a unit, whatever the resolution says', async () => {
    const tags = [...resolution([300, 1]).slice(0, 2), { code: 296, type: 3, values: [2] }];
    expect((await steps('images=1\n', tags))['X']).toEqual([1, 'Pixels', 'default']);
    expect((await steps('unit=pixel\n', SCALE))['X']).toEqual([1, 'Pixels', 'default']);
  });

  it.each([
    ['finterval=5\ntunit=min\n', 300],
    ['finterval=20\ntunit=ms\n', 0.02],
    ['finterval=20\ntunit=\\u00b5sec\n', 2e-5],
    ['finterval=2\ntunit=sec\nfps=7\n', 2],
  ])('reads the frame interval in its unit: %j', async (text, seconds) => {
    const { step, unit } = (await sceneInfo(`frames=2\n${text}`)).steps.T;
    expect(step).toBeCloseTo(seconds, 12);
    expect(unit).toBe('seconds');
  });

  it.each([
    ['a playback rate', 'fps=20\n', 'only a playback rate (fps=20)'],
    ['an unknown unit', 'finterval=2\ntunit=moons\n', 'the unit "moons" is not a known unit of time'],
  ])('takes no frame interval from %s, and says so', async (_, text, warning) => {
    const { steps: found, warnings } = await sceneInfo(`frames=2\n${text}`);
    expect(found.T).toEqual({ step: 1, unit: 'Frames', origin: 'default' });
    expect(warnings.join()).toContain(warning);
  });

  it.each([
    ['um in centimeters, as ImageJ reads it', 'um', 3, [50_000, 1], 0.2, 'is cm: a pixel is 0.00002 or 0.2 µm wide'],
    ['micron in inches', 'micron', 2, [127_000, 1], 0.2, 'is inch: a pixel is 0.000007874 or 0.2 µm wide'],
    ['centimeters that cannot be', 'micron', 3, [5, 1], 0.2, 'a pixel is 0.2 or 2000 µm wide. Showing 0.2 µm'],
    ['neither that can be', 'nm', 3, [5, 1], 2000, 'a pixel is 0.0002 or 2000 µm wide. Showing 2000 µm'],
    ['centimeters twice', 'cm', 3, [50_000, 1], 0.2, undefined],
    ['no ResolutionUnit', 'micron', 1, [5, 1], 0.2, undefined],
  ])('weighs the unit against ResolutionUnit: %s', async (_, unit, tag, perUnit, expected, warning) => {
    const tags = [...resolution(perUnit as [number, number]).slice(0, 2), { code: 296, type: 3, values: [tag] }];
    const { steps: found, warnings } = await sceneInfo(`unit=${unit}\n`, tags);
    for (const step of [found.X, found.Y]) {
      expect(step.unit).toBe('micrometer');
      expect(step.step).toBeCloseTo(expected, 9);
    }
    expect(warnings).toHaveLength(warning === undefined ? 0 : 1);
    expect(warnings.join()).toContain(warning ?? '');
  });

  it('is uncalibrated at a print resolution, and says so', async () => {
    const tags = [...resolution([72, 1]).slice(0, 2), { code: 296, type: 3, values: [2] }];
    const { steps: found, warnings } = await sceneInfo('unit=micron\n', tags);
    expect(found.X).toEqual({ step: 1, unit: 'Pixels', origin: 'default' });
    expect(warnings).toEqual([expect.stringContaining('resolution is that of prints (72 per inch)')]);
  });

  it.each([
    ['its own unit for X', 'unit=micron\nxunit=ms\n', 0.00025],
    ['the unit for X alone', 'unit=sec\nyunit=micron\n', 0.25],
  ])('keeps the seconds of columns, with %s', async (_, text, seconds) => {
    const { steps: found, warnings } = await sceneInfo(text, resolution([4, 1], [5, 1]));
    expect(found.X).toEqual({ step: seconds, unit: 'seconds', origin: 'file' });
    expect(found.Y).toEqual({ step: 0.2, unit: 'micrometer', origin: 'file' });
    expect(warnings).toEqual([expect.stringContaining('The columns are times')]);
  });

  it('has seconds along Y for a line scan', async () => {
    const tags = resolution([4, 1], [500, 1]);
    const { X, Y } = await steps('unit=micron\nyunit=sec\n', tags);
    expect(X).toEqual([0.25, 'micrometer', 'file']);
    expect(Y).toEqual([0.002, 'seconds', 'file']);
  });

  it('warns of a unit that means nothing', async () => {
    const { steps: found, warnings } = await scene(perPage('ImageJ=1.53t\nunit=furlong\n', 1));
    expect(found['X']).toEqual([1, 'Pixels', 'default']);
    expect(warnings.length).toBeGreaterThan(0);
  });
});

/** SCIFIO writes 10,000 / scale as the resolution and cm as its unit, whatever the unit of the scale is. */
describe('SCIFIO', () => {
  const text = (more: string) =>
    `SCIFIO=0.46.0\naxes=X,Y,Z,Time\nlengths=4,3,2,3\nimages=6\nslices=2\nframes=3\n${more}`;
  const cm = (value: number, ofRows = value): TagSpec[] => [
    ...resolution([Math.trunc(10_000_000 / value), 1000], [Math.trunc(10_000_000 / ofRows), 1000]).slice(0, 2),
    { code: 296, type: 3, values: [3] },
  ];
  const micro = String.raw`\u00B5m`;

  it('has its scales in their units', async () => {
    const units = `units=${micro},${micro},${micro},ms\nunit=${micro}\n`;
    const found = await scene(perPage(text(`scales=0.2,0.2,2.0,500\n${units}`), 6, cm(0.2)));
    expect(found).toMatchObject({ sizes: { T: 3, Z: 2 }, warnings: [] });
    expect(found.steps).toEqual({
      X: [0.2, 'micrometer', 'file'],
      Y: [0.2, 'micrometer', 'file'],
      Z: [2, 'micrometer', 'file'],
      T: [0.5, 'seconds', 'file'],
    });
  });

  it('does not count centimeters, whatever the unit is', async () => {
    const nm = await scene(perPage(text('scales=200,200,1,1\nunits=nm,nm,null,null\n'), 6, cm(200)));
    expect(nm.steps['X']).toEqual([0.2, 'micrometer', 'file']);
    const old = await scene(perPage(text(`unit=${micro}\n`), 6, cm(0.5)));
    expect(old.steps['X']).toEqual([0.5, 'micrometer', 'file']);
  });

  it('without scales has the resolution of columns in X, and that of rows in Y', async () => {
    const { steps } = await scene(perPage(text(`unit=${micro}\n`), 6, cm(0.5, 0.2)));
    expect([steps['X'], steps['Y']]).toEqual([
      [0.5, 'micrometer', 'file'],
      [0.2, 'micrometer', 'file'],
    ]);
  });

  it('names a scale without a unit, and one that its resolution contradicts', async () => {
    const none = await scene(perPage(text('scales=0.2,0.2,1,1\nunits=null,null,null,null\n'), 6, cm(0.2)));
    expect(none.steps['X']).toEqual([1, 'Pixels', 'default']);
    expect(none.warnings.join()).toContain('SCIFIO X scale: 0.2 has no unit');
    const other = await scene(perPage(text('scales=0.2,0.2,1,1\nunits=um,um,um,sec\n'), 6, cm(0.4)));
    expect(other.steps['X']).toEqual([0.2, 'micrometer', 'file']);
    expect(other.warnings.join()).toContain('says 0.2, but the resolution 0.4');
  });

  it('orders the pages by its axes', async () => {
    const swapped = text('').replace('Z,Time', 'Time,Z').replace('2,3\n', '3,2\n');
    await open(perPage(swapped, 6, []), async (opened) => {
      expect(opened.acquisition.info.scenes[0]?.sizes).toMatchObject({ T: 3, Z: 2 });
      expect(await firstSample(opened, { t: 1, z: 0 })).toBe(12);
      expect(await firstSample(opened, { t: 0, z: 1 })).toBe(36);
    });
  });
});

/** Tags 50838 and 50839 with one label per plane. */
describe('ImageJ slice labels', () => {
  it.each([true, false])('name the channels (little-endian: %s)', async (littleEndian) => {
    const tags = imageJTags({ labels: ['DAPI', 'GFP', 'DAPI', 'GFP'] }, littleEndian);
    const first = countingPage(0, [description('ImageJ=1.53t\nimages=4\nchannels=2\nframes=2\n'), ...tags]);
    const bytes = writeTiff({ littleEndian, pages: [first, countingPage(1), countingPage(2), countingPage(3)] });
    expect((await scene(bytes)).channels).toEqual(['DAPI', 'GFP']);
  });

  it('are passed over when they name slices', () => {
    const channelOf = (plane: number) => plane % 2;
    expect(namesFromLabels(['a', 'b', 'c', 'd'], 2, channelOf)).toEqual([]);
    expect(namesFromLabels(['a', 'a', 'a', 'a'], 2, channelOf)).toEqual([]);
    expect(namesFromLabels(['a', 'b', 'a', 'b'], 2, channelOf)).toEqual(['a', 'b']);
  });

  it('that lie about their counts are none', () => {
    const [lengths, metadata] = imageJTags({ labels: ['a', 'b'] }, true) as [TagSpec, TagSpec];
    const bytes = metadata.bytes?.slice() as Uint8Array;
    new DataView(bytes.buffer).setUint32(8, 4_000_000_000, true);
    const tags = [lengths, { ...metadata, bytes }];
    const file = openTiff(new MemorySource('a.tif', writeTiff({ pages: [countingPage(0, tags)] })));
    expect(imageJLabels(readImageJMetadata(file.page(0)), 10)).toEqual([]);
  });
});

describeWithSamples('ImageJ files of others', () => {
  it('have their calibration', async () => {
    const path = samplePath('tiff-imagej/swharden+ScanAGator/TSeries-03022023-1227-2098-2ch.tif');
    const opened = await openAcquisition(path);
    const found = summary(opened.acquisition.info.scenes[0]);
    opened.close();
    expect(found.sizes).toEqual({ T: 1, Z: 24, Y: 95, X: 102 });
    expect(found.steps['X']?.[0]).toBeCloseTo(1.178795, 5);
    expect(found.steps['X']?.slice(1)).toEqual(['micrometer', 'file']);
    expect(found.channels).toHaveLength(2);
  });
});

const write = (bytes: Uint8Array) => (folder: string) => writeTemp(folder, 'a.tif', bytes);
const scenes = [{ sizes: { T: 3, Z: 1, Y: 3, X: 4 }, channels: ['CH1', 'CH2'], sampleType: 'uint16' }];
conformanceSuite(
  'ImageJ',
  [
    { name: 'one IFD', write: write(singleIfd(HYPERSTACK, 6)), format: 'tif', scenes },
    { name: 'many IFDs', write: write(perPage(HYPERSTACK, 6)), format: 'tif', scenes },
  ],
  () => mkdtempSync(join(root, 'suite-')),
);
