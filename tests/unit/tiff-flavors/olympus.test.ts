import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AcqError } from '../../../packages/readers/src/base/errors.js';
import type { SceneInfo } from '../../../packages/readers/src/model/acquisition.js';
import { openAcquisition } from '../../../packages/server/src/open.js';
import { conformanceSuite } from '../../conformance/suite.js';
import { readNative } from '../../support/native.js';
import { describeWithSamples, samplesRoot } from '../../support/samples.js';
import { tempFolder, writeTemp } from '../../support/temp.js';
import { acquisitionParameters, EXPORT_SOFTWARE, mmHead, primaryDimensions } from '../../writers/fluoview.js';
import { kymographSections, olympusText } from '../../writers/olympus.js';
import { type PageSpec, writeTiff } from '../../writers/tiff.js';

const root = tempFolder();
const fresh = () => mkdtempSync(join(root, 'olympus-'));

type Sections = Record<string, Record<string, string>>;

/** Pixels of the fact sheet's vector: base + 10·y + x. */
const pixels = (base: number, rows = 6, columns = 4) =>
  Uint16Array.from({ length: rows * columns }, (_, i) => base + 10 * Math.floor(i / columns) + (i % columns));

function tiff(base: number, page: Partial<PageSpec> = {}, rows = 6, pages = 1): Uint8Array {
  const spec = { width: 4, height: rows, rowsPerStrip: 4, ...page };
  return writeTiff({
    pages: Array.from({ length: pages }, (_, i) => ({ ...spec, samples: pixels(base + i * 100, rows) })),
  });
}

interface Files {
  [name: string]: Uint8Array | string;
}

function folderWith(files: Files): string {
  const folder = fresh();
  for (const [name, bytes] of Object.entries(files)) writeTemp(folder, name, bytes);
  return folder;
}

const text = (sections: Sections = kymographSections()) => olympusText({ sections });

function changed(section: string, key: string, value: string | undefined): Sections {
  const sections = kymographSections();
  const pairs = { ...sections[section] };
  if (value === undefined) delete pairs[key];
  else pairs[key] = value;
  return { ...sections, [section]: pairs };
}

const pair = (sections?: Sections): Files => ({
  'kymo_C001T001.tif': tiff(1000),
  'kymo_C002T001.tif': tiff(2000),
  'kymo.txt': text(sections),
});

const oneChannel = (sections = kymographSections()): Sections => ({
  ...sections,
  Dimensions: { ...sections['Dimensions'], 'Channel Dimension': '1 [Ch]' },
});

const single = (sections?: Sections, page?: Partial<PageSpec>): Files => ({
  'kymo.tif': tiff(1000, page),
  'kymo.txt': text(oneChannel(sections)),
});

async function open(files: Files, name: string): Promise<{ scene: SceneInfo; planes: number[][] }> {
  return openAt(join(folderWith(files), name));
}

async function openAt(path: string): Promise<{ scene: SceneInfo; planes: number[][] }> {
  const opened = await openAcquisition(path);
  const scene = opened.acquisition.info.scenes[0] as SceneInfo;
  const planes: number[][] = [];
  for (let channel = 0; channel < scene.channels.length; channel++) {
    planes.push([...(await readNative(opened, 0, { channel }))] as number[]);
  }
  opened.close();
  return { scene, planes };
}

const failure = (files: Files, name: string): Promise<AcqError> =>
  open(files, name).then(
    () => expect.unreachable('opened'),
    (error: AcqError) => error,
  );

const SECONDS = { step: 0.002, unit: 'seconds', origin: 'sidecar' };
const MICROMETERS = { step: 0.25, unit: 'micrometer', origin: 'sidecar' };
const PIXELS = { step: 1, unit: 'Pixels', origin: 'default' };

describe('Olympus kymograph with text file', () => {
  it.each(['kymo_C001T001.tif', 'kymo_C002T001.tif'])('%s opens both channels', async (name) => {
    const { scene, planes } = await open(pair(), name);
    expect(scene).toEqual({
      name: '',
      sampleType: 'uint16',
      channels: [{ name: 'RNDD1' }, { name: 'RNDD2' }],
      sizes: { T: 1, Z: 1, Y: 6, X: 4 },
      steps: {
        T: { step: 1, unit: 'Frames', origin: 'default' },
        Z: { step: 1, unit: 'Planes', origin: 'default' },
        Y: SECONDS,
        X: MICROMETERS,
      },
      date: '20221102',
      time: '00:30:15',
      reference: null,
      warnings: [],
    });
    expect(planes).toEqual([[...pixels(1000)], [...pixels(2000)]]);
  });

  it('variant 1: without the second file, the first is shown alone and the missing one is named', async () => {
    const { 'kymo_C002T001.tif': _, ...files } = pair();
    const { scene, planes } = await open(files, 'kymo_C001T001.tif');
    expect(scene.channels).toEqual([{ name: 'RNDD1' }]);
    expect(scene.steps).toMatchObject({ Y: SECONDS, X: MICROMETERS });
    expect(planes).toEqual([[...pixels(1000)]]);
    expect(scene.warnings).toHaveLength(1);
    expect(scene.warnings[0]).toContain('kymo_C002T001.tif is missing');
  });

  it('variant 1: the second file alone keeps its own name', async () => {
    const { 'kymo_C001T001.tif': _, ...files } = pair();
    const { scene, planes } = await open(files, 'kymo_C002T001.tif');
    expect(scene.channels).toEqual([{ name: 'RNDD2' }]);
    expect(planes).toEqual([[...pixels(2000)]]);
    expect(scene.warnings[0]).toContain('kymo_C001T001.tif is missing');
  });

  it('variant 2: one channel without numbers in its name', async () => {
    const { scene } = await open(single(), 'kymo.tif');
    expect(scene).toMatchObject({ channels: [{ name: 'RNDD1' }], sizes: { Y: 6, X: 4 }, warnings: [] });
    expect(scene.steps).toMatchObject({ Y: SECONDS, X: MICROMETERS });
  });

  it('variant 3: shortened lines', async () => {
    const short = ['"Channel Dimension" 1 1', '"X Dimension" 0 0 0 0 0 0.125', '"Image Size" "4" x "6" y'];
    const files = { 'kymo.tif': tiff(1000), 'kymo.txt': [...short, '"T Dimension" 0 0 0 0.6'].join('\n') };
    const { scene } = await open(files, 'kymo.tif');
    expect(scene.steps.Y).toEqual({ step: 0.6 / 6, unit: 'seconds', origin: 'sidecar' });
    expect(scene.steps.X).toEqual({ step: 0.125, unit: 'micrometer', origin: 'sidecar' });
    expect(scene.channels).toEqual([{ name: 'CH1' }]);
  });

  it('variant 4: the period from the time of the last line', async () => {
    const { scene } = await open(single(changed('Image', 'Image Size(Unit Converted)', undefined)), 'kymo.tif');
    expect(scene.steps.Y).toEqual(SECONDS);
  });

  it.each([
    ['no X Dimension', changed('Dimensions', 'X Dimension', undefined), 'X Dimension'],
    ['an X step of zero', changed('Dimensions', 'X Dimension', '4, 0 - 1 [um], 0.000 [um/pixel]'), 'X Dimension'],
    ['an X step that is NaN', changed('Dimensions', 'X Dimension', '4, 0 - 1 [um], NaN [um/pixel]'), 'X Dimension'],
    ['a negative X step', changed('Dimensions', 'X Dimension', '4, 0 - 1 [um], -0.25 [um/pixel]'), 'X Dimension'],
    ['no image size', changed('Image', 'Image Size', undefined), 'the image size'],
    ['zero lines', changed('Image', 'Image Size', '4 * 0 [pixel]'), 'T Dimension'],
  ])('variant 5: %s leaves the image uncalibrated and says why', async (_, sections, lacking) => {
    const { scene, planes } = await open(single(sections), 'kymo.tif');
    expect(scene.steps).toMatchObject({ Y: PIXELS, X: PIXELS });
    expect(scene.date).toBe('');
    expect(planes).toEqual([[...pixels(1000)]]);
    expect(scene.warnings[0]).toContain(lacking);
  });

  it('variant 6: frames get no seconds per line', async () => {
    const sections = oneChannel({
      ...kymographSections(),
      General: { 'Scan Mode': 'XYT' },
      Image: { 'Primary Dimensions': 'X * Y', 'Image Size': '4 * 6 [pixel]' },
    });
    sections['Dimensions'] = { ...sections['Dimensions'], 'Y Dimension': '6, 0.0 - 1.500 [um], 0.300 [um/pixel]' };
    const { scene } = await open(single(sections), 'kymo.tif');
    expect(scene.steps.Y).toEqual({ step: 0.3, unit: 'micrometer', origin: 'sidecar' });
    expect(scene.steps.X).toEqual(MICROMETERS);
  });

  it('variant 7: channels of different shapes are an error that names both', async () => {
    const error = await failure({ ...pair(), 'kymo_C002T001.tif': tiff(2000, {}, 5) }, 'kymo_C001T001.tif');
    expect(error.code).toBe('decode_failed');
    expect(error.message).toContain('kymo_C002T001.tif has 5 × 4 pixels of type uint16');
    expect(error.message).toContain('kymo_C001T001.tif has 6 × 4 pixels of type uint16');
  });

  it('shows every line of the image when the text announces another number', async () => {
    const { scene, planes } = await open(single(changed('Image', 'Image Size', '4 * 12 [pixel]')), 'kymo.tif');
    expect(scene.sizes).toMatchObject({ Y: 6, X: 4 });
    expect(scene.steps.Y.step).toBe(0.001);
    expect(planes[0]).toHaveLength(24);
    expect(scene.warnings).toEqual([
      'kymo.txt: says 12 lines of 4 pixels, but the image has 6 lines of 4. ' +
        'Showing the image as stored, with the line period and pixel size from the text file',
    ]);
  });

  it('gives a rotated copy no steps: its rows are not the lines', async () => {
    const rotated = writeTiff({ pages: [{ width: 6, height: 4, samples: new Uint16Array(24) }] });
    const { scene } = await open({ ...single(), 'kymo.tif': rotated }, 'kymo.tif');
    expect(scene.sizes).toMatchObject({ Y: 4, X: 6 });
    expect(scene.steps).toMatchObject({ Y: PIXELS, X: PIXELS });
    expect(scene.warnings[0]).toContain('The image was rotated');
  });

  it('shows an X × Z section in micrometers along z', async () => {
    const sections = changed('Dimensions', 'Z Dimension', '6, 0.0 - 3.000 [um], 0.500 [um/slice]');
    sections['Image'] = { 'Primary Dimensions': 'X * Z', 'Image Size': '4 * 6 [pixel]' };
    const { scene } = await open({ 'a.tif': tiff(1000), 'a.txt': text(oneChannel(sections)) }, 'a.tif');
    expect(scene).toMatchObject({
      sizes: { Z: 1, Y: 6 },
      steps: { Y: { step: 0.5, unit: 'micrometer' } },
      rowAxis: 'z',
    });
    expect(scene.warnings).toContain('This is an x–z scan: the rows are depths, so the Y axis runs along z.');
  });

  it('never takes the resolution of the TIFF for a pixel size', async () => {
    const resolution = [
      { code: 282, type: 5, values: [327680000, 32768] },
      { code: 283, type: 5, values: [327680000, 32768] },
      { code: 296, type: 3, values: [3] },
    ];
    const { scene } = await open(single(undefined, { tags: resolution }), 'kymo.tif');
    expect(scene.steps.X).toEqual(MICROMETERS);
    const files = { 'kymo.tif': tiff(1000, { tags: [...resolution, EXPORT_SOFTWARE] }) };
    const alone = await open(files, 'kymo.tif');
    expect(alone.scene.steps).toMatchObject({ Y: PIXELS, X: PIXELS });
    expect(alone.scene.warnings[0]).toContain('Copy the text file');
  });

  it('finds names in other case, for members of a set', async () => {
    const files = {
      'Cell 05.v1_C001T001.TIF': tiff(1000),
      'cell 05.v1_c002t001.tif': tiff(2000),
      'CELL 05.V1.Txt': text(),
    };
    const { scene, planes } = await open(files, 'Cell 05.v1_C001T001.TIF');
    expect(scene.warnings).toEqual([]);
    expect(planes).toEqual([[...pixels(1000)], [...pixels(2000)]]);
  });

  it('takes the text file of the same name when the one of the set is missing', async () => {
    const files = { 'kymo_C001T001.tif': tiff(1000), 'kymo_C001T001.txt': text(oneChannel()) };
    const { scene } = await open(files, 'kymo_C001T001.tif');
    expect(scene.steps.Y).toEqual(SECONDS);
  });

  it('names a line scan of one file with two pages by channel', async () => {
    const files = { 'kymo.tif': tiff(1000, {}, 6, 2), 'kymo.txt': text() };
    const { scene, planes } = await open(files, 'kymo.tif');
    expect(scene.channels).toEqual([{ name: 'RNDD1' }, { name: 'RNDD2' }]);
    expect(planes).toEqual([[...pixels(1000)], [...pixels(1100)]]);
  });

  it('gathers the time points and sections of a frame scan from their files', async () => {
    const sections = oneChannel({
      ...kymographSections(),
      General: { 'Scan Mode': 'XYZT' },
      Image: { 'Primary Dimensions': 'X * Y', 'Image Size': '4 * 6 [pixel]' },
      Dimensions: {
        'X Dimension': '4, 0.0 - 1.000 [um], 0.250 [um/pixel]',
        'Z Dimension': '2, 0.0 - 1.500 [um], 1.50 [um/slice]',
        'T Dimension': '3, 0.000 - 4.000 [s], Interval FreeRun',
      },
    });
    const files: Files = { 'a.txt': text(sections) };
    for (const t of [1, 2, 3]) {
      for (const z of [1, 2]) files[`a_C001Z00${z}T00${t}.tif`] = tiff(1000 * t + 100 * z);
    }
    const folder = folderWith(files);
    const opened = await openAcquisition(join(folder, 'a_C001Z002T002.tif'));
    const [scene] = opened.acquisition.info.scenes;
    expect(scene?.sizes).toEqual({ T: 3, Z: 2, Y: 6, X: 4 });
    expect(scene?.steps.T).toEqual({ step: 2, unit: 'seconds', origin: 'sidecar' });
    expect(scene?.steps.Z).toEqual({ step: 1.5, unit: 'micrometer', origin: 'sidecar' });
    expect((await readNative(opened, 0, { channel: 0, t: 2, z: 1 }))[0]).toBe(3200);
    rmSync(join(folder, 'a_C001Z001T001.tif'));
    await expect(readNative(opened, 0, { channel: 0, t: 0, z: 0 })).rejects.toMatchObject({
      code: 'companion_missing',
    });
    opened.close();
  });
});

describe('Olympus text files that are not what they seem', () => {
  it("leaves somebody's notes alone", async () => {
    const { scene } = await open({ 'kymo.tif': tiff(1000), 'kymo.txt': 'remember to feed the mice\n' }, 'kymo.tif');
    expect(scene.warnings).toEqual([]);
    expect(scene.steps.Y).toEqual(PIXELS);
  });

  it('does not read a text file of 1 GB', async () => {
    const folder = folderWith({ 'kymo.tif': tiff(1000), 'kymo.txt': '' });
    truncateSync(join(folder, 'kymo.txt'), 2 ** 30);
    const { scene } = await openAt(join(folder, 'kymo.tif'));
    expect(scene.warnings).toEqual([
      'kymo.txt was ignored because it has 1,073,741,824 bytes; the limit is 16,777,216',
    ]);
  });

  it('does not follow a link out of the folder', async () => {
    const outside = folderWith({ 'secret.txt': text() });
    const folder = folderWith({ 'kymo.tif': tiff(1000) });
    symlinkSync(join(outside, 'secret.txt'), join(folder, 'kymo.txt'));
    const { scene } = await openAt(join(folder, 'kymo.tif'));
    expect(scene.steps.Y).toEqual(PIXELS);
    expect(scene.warnings[0]).toContain('kymo.txt was ignored');
  });

  it('opens without a text file that may not be read', async () => {
    const folder = folderWith(single());
    chmodSync(join(folder, 'kymo.txt'), 0);
    const { scene } = await openAt(join(folder, 'kymo.tif'));
    const readable = process.getuid?.() === 0;
    expect(scene.steps.Y).toEqual(readable ? SECONDS : PIXELS);
  });

  it('takes no part in a folder called like the text file', async () => {
    const folder = folderWith({ 'kymo.tif': tiff(1000) });
    mkdirSync(join(folder, 'kymo.txt'));
    const { scene } = await openAt(join(folder, 'kymo.tif'));
    expect(scene.steps.Y).toEqual(PIXELS);
  });

  it.each([
    ['4000000000 [Ch]', 1],
    ['999999999 [Ch]', 1],
    ['0 [Ch]', 1],
    ['-3 [Ch]', 1],
  ])('%s is bounded', async (value, channels) => {
    const { scene } = await open(pair(changed('Dimensions', 'Channel Dimension', value)), 'kymo_C001T001.tif');
    expect(scene.channels).toHaveLength(channels);
  });

  it('is bounded for absurd numbers of frames and sections', async () => {
    const sections = changed('Dimensions', 'Z Dimension', '999999999, 0 - 1 [um], 1.00 [um/slice]');
    sections['Image'] = { 'Primary Dimensions': 'X * Y' };
    sections['Dimensions'] = { ...sections['Dimensions'], 'T Dimension': '999999999, 0.0 - 5.0 [s], Interval FreeRun' };
    const { scene } = await open({ 'a_C001Z001T001.tif': tiff(1000), 'a.txt': text(sections) }, 'a_C001Z001T001.tif');
    expect(scene.sizes).toMatchObject({ T: 1, Z: 1 });
    expect(scene.warnings).toHaveLength(1);
  });

  it('is bounded for any bytes', async () => {
    const noise = Uint8Array.from({ length: 200_000 }, (_, i) => (i * 2654435761) >>> 24);
    const { scene } = await open({ 'kymo.tif': tiff(1000), 'kymo.txt': noise }, 'kymo.tif');
    expect(scene.steps.Y).toEqual(PIXELS);
  });
});

describe('FluoView export without its text file', () => {
  const X = { name: 'X', size: 4, resolution: 0.284, unit: '\u00b5m' };
  // As written for 35.1 s over 30,000 lines: duration ÷ (lines − 1).
  const T = { name: 'T', size: 6, resolution: 0.012 / 5, unit: 's' };
  const parameters = acquisitionParameters([
    'Channel 1=Fluorescence',
    'Channel 1 Dye=FITC',
    'Date=11-02-2022',
    'Time=12:30:15',
  ]);

  it('takes the calibration of its own header', async () => {
    const files = { 'kymo.tif': tiff(1000, { tags: [EXPORT_SOFTWARE, mmHead([X, T]), parameters] }) };
    const { scene } = await open(files, 'kymo.tif');
    expect(scene.steps.Y.unit).toBe('seconds');
    expect(scene.steps.Y.origin).toBe('file');
    expect(scene.steps.Y.step).toBeCloseTo(0.002, 15);
    expect(scene.steps.X).toEqual({ step: 0.284, unit: 'micrometer', origin: 'file' });
    expect(scene).toMatchObject({ channels: [{ name: 'FITC' }], date: '20221102', time: '12:30:15', warnings: [] });
  });

  it('takes the rounded one of its page name without a header', async () => {
    const files = { 'kymo.tif': tiff(1000, { tags: [EXPORT_SOFTWARE, primaryDimensions([X, T])] }) };
    const { scene } = await open(files, 'kymo.tif');
    expect(scene.steps.Y).toEqual({ step: 0.0024, unit: 'seconds', origin: 'file' });
    expect(scene.steps.X).toEqual({ step: 0.284, unit: 'micrometer', origin: 'file' });
  });

  it('falls back on its own header when the text file is unusable', async () => {
    const sections = changed('Dimensions', 'X Dimension', undefined);
    const { scene } = await open(single(sections, { tags: [EXPORT_SOFTWARE, mmHead([X, T])] }), 'kymo.tif');
    expect(scene.steps.Y.step).toBeCloseTo(0.002, 15);
    expect(scene.steps.Y.origin).toBe('file');
    expect(scene.warnings[0]).toContain('kymo.txt');
  });
});

conformanceSuite(
  'olympus',
  [
    {
      name: 'split channels',
      silentlyAbsent: true,
      write: (folder) => {
        for (const [name, bytes] of Object.entries(pair())) writeFileSync(join(folder, name), bytes);
        return join(folder, 'kymo_C001T001.tif');
      },
      format: 'tif',
      scenes: [{ sizes: { T: 1, Z: 1, Y: 6, X: 4 }, channels: ['RNDD1', 'RNDD2'], sampleType: 'uint16' }],
    },
  ],
  fresh,
);

describeWithSamples('real Olympus kymographs', () => {
  const folder = join(samplesRoot ?? '', 'tiff-olympus-kymograph/mapmanager+kymflow');
  it.each([
    ['Capillary1_0001.tif', 30000, 38, 0.00117, 0.284, 'sidecar', '20221102', '12:30:15', 'RNDD2', 239139704],
    [
      '28d AngII/20250722/20250722_A89_0002.tif',
      30000,
      19,
      0.001134,
      0.45,
      'sidecar',
      '20250722',
      '12:13:14',
      'RNDD2',
      103559460,
    ],
    [
      '28d AngII/20250722/20250722_A89_0005.tif',
      30000,
      7,
      0.00111,
      0.829,
      'sidecar',
      '20250722',
      '12:16:55',
      'RNDD2',
      160840188,
    ],
    ['Capillary2_no_txt.tif', 30000, 25, 0.001146, 0.331, 'file', undefined, undefined, undefined, 114169916],
  ])('%s', async (name, rows, columns, period, x, origin, date, time, channel, sum) => {
    const { scene, planes } = await openAt(join(folder, name));
    expect(scene.sizes).toEqual({ T: 1, Z: 1, Y: rows, X: columns });
    expect(scene.steps.Y).toEqual({ step: period, unit: 'seconds', origin });
    expect(scene.steps.X).toEqual({ step: x, unit: 'micrometer', origin });
    const names = scene.channels.map(({ name }) => name);
    if (date) expect([scene.date, scene.time, names]).toEqual([date, time, [channel]]);
    expect(planes[0]?.reduce((total, value) => total + value, 0)).toBe(sum);
    expect(scene.warnings).toEqual([]);
  });
});
