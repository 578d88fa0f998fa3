import { describe, expect, it } from 'vitest';
import type { SceneInfo } from '../../../packages/readers/src/model/acquisition.js';
import type { OpenedAcquisition } from '../../../packages/server/src/open.js';
import { evenStamps, frames, lineScan } from '../../support/lsm.js';
import { expectedPlane, expectSamePlane, openFiles, servedPlane } from '../../support/open-files.js';
import { tempFolder } from '../../support/temp.js';
import {
  dataChannels,
  type LsmInfoSpec,
  type LsmSpec,
  recording,
  type ScanEntry,
  writeLsm,
} from '../../writers/lsm.js';
import { type PageSpec, writeTiff } from '../../writers/tiff.js';

const folder = tempFolder();
const open = (spec: LsmSpec) => openFiles(folder, { 'scan.lsm': writeLsm(spec) });

async function sceneOf(spec: LsmSpec): Promise<SceneInfo> {
  const opened = await open(spec);
  opened.close();
  return opened.acquisition.info.scenes[0] as SceneInfo;
}

/** Asserts that every plane is the one of the image that `image` names. */
async function expectPlanes(
  opened: OpenedAcquisition,
  spec: LsmSpec,
  image: (place: { scene: number; t: number; z: number }) => number,
): Promise<void> {
  for (const [scene, info] of opened.acquisition.info.scenes.entries()) {
    for (let t = 0; t < info.sizes.T; t++) {
      for (let z = 0; z < info.sizes.Z; z++) {
        for (let channel = 0; channel < info.channels.length; channel++) {
          const at = image({ scene, t, z });
          const expected = expectedPlane(info.sizes.Y, info.sizes.X, (y, x) =>
            spec.value({ image: at, channel, y, x }),
          );
          expectSamePlane(await servedPlane(opened, { scene, channel, t, z }), expected);
        }
      }
    }
  }
}

describe('LSM scan types', () => {
  const kinds = [
    { type: 0, name: 'stack', T: 1, Z: 4, sizes: { T: 1, Z: 4 }, y: 'micrometer', image: (_t: number, z: number) => z },
    { type: 1, name: 'section', T: 1, Z: 3, sizes: { T: 1, Z: 1 }, y: 'depth', image: () => 0 },
    { type: 2, name: 'line scan', T: 3, Z: 1, sizes: { T: 1, Z: 1 }, y: 'seconds', image: () => 0 },
    { type: 3, name: 'series', T: 4, Z: 1, sizes: { T: 4, Z: 1 }, y: 'micrometer', image: (t: number) => t },
    { type: 4, name: 'series of sections', T: 2, Z: 3, sizes: { T: 2, Z: 1 }, y: 'depth', image: (t: number) => t },
    { type: 5, name: 'means of regions', T: 3, Z: 1, sizes: { T: 1, Z: 1 }, y: 'seconds', image: () => 0 },
    {
      type: 6,
      name: 'series of stacks',
      T: 2,
      Z: 3,
      sizes: { T: 2, Z: 3 },
      y: 'micrometer',
      image: (t: number, z: number) => 3 * t + z,
    },
    {
      type: 7,
      name: 'spline scan',
      T: 2,
      Z: 2,
      sizes: { T: 2, Z: 2 },
      y: 'micrometer',
      image: (t: number, z: number) => 2 * t + z,
    },
    { type: 8, name: 'spline section', T: 1, Z: 3, sizes: { T: 1, Z: 1 }, y: 'depth', image: () => 0 },
    {
      type: 9,
      name: 'series of spline sections',
      T: 4,
      Z: 3,
      sizes: { T: 4, Z: 1 },
      y: 'depth',
      image: (t: number) => t,
    },
    { type: 10, name: 'points', T: 3, Z: 1, sizes: { T: 1, Z: 1 }, y: 'seconds', image: () => 0 },
  ];
  const STEPS = {
    micrometer: { step: 0.2, unit: 'micrometer', origin: 'file' },
    depth: { step: 1, unit: 'micrometer', origin: 'file' },
    seconds: { step: 2.5, unit: 'seconds', origin: 'file' },
  } as const;

  it.each(kinds)('include $type: $name', async ({ type, T, Z, sizes, y, image }) => {
    // Every page has three rows: lines, depths or time points.
    const spec = frames({
      images: sizes.T * sizes.Z,
      info: { scanType: type, T, Z, Y: y === 'micrometer' ? 3 : 1, stamps: evenStamps(T, 2.5, 1000) },
    });
    const opened = await open(spec);
    const scene = opened.acquisition.info.scenes[0] as SceneInfo;
    expect(scene.sizes).toEqual({ ...sizes, Y: 3, X: 5 });
    expect(scene.steps.Y).toEqual(STEPS[y as keyof typeof STEPS]);
    if (sizes.T > 1) expect(scene.steps.T).toEqual(STEPS.seconds);
    if (sizes.Z > 1) expect(scene.steps.Z).toEqual(STEPS.depth);
    if (type === 5) {
      expect(scene.steps.X).toEqual({ step: 1, unit: 'Pixels', origin: 'default' });
      expect(scene.warnings).toEqual([
        'The columns are means of regions, which have no pixel size, so X is in pixels.',
      ]);
    } else {
      expect(scene.steps.X).toEqual(STEPS.micrometer);
      expect(scene.warnings).toEqual(
        y === 'depth' ? ['This is an x–z scan: the rows are depths, so the Y axis runs along z.'] : [],
      );
    }
    expect(scene.rowAxis).toBe(y === 'depth' ? 'z' : undefined);
    await expectPlanes(opened, spec, ({ t, z }) => image(t, z));
    opened.close();
  });

  it('that are unknown are shown as frames, with a warning', async () => {
    const scene = await sceneOf(frames({ info: { scanType: 77 } }));
    expect(scene.sizes).toEqual({ T: 2, Z: 3, Y: 3, X: 5 });
    expect(scene.warnings).toEqual(['Scan type 77 is unknown. The pages are assumed to be frames.']);
  });
});

describe('LSM positions and tiles', () => {
  it('are scenes with their own times and depths, tiles slower than positions', async () => {
    const spec = frames({ info: { P: 3, M: 2 } });
    const opened = await open(spec);
    const { scenes } = opened.acquisition.info;
    expect(scenes.map(({ name }) => name)).toEqual([
      'Position 1, Tile 1',
      'Position 2, Tile 1',
      'Position 3, Tile 1',
      'Position 1, Tile 2',
      'Position 2, Tile 2',
      'Position 3, Tile 2',
    ]);
    for (const { sizes, warnings } of scenes) {
      expect(sizes).toEqual({ T: 2, Z: 3, Y: 3, X: 5 });
      expect(warnings).toEqual([]);
    }
    await expectPlanes(opened, spec, ({ scene, t, z }) => (scene * 2 + t) * 3 + z);
    opened.close();
  });

  const columnsOf = async (info: Partial<LsmInfoSpec>, scene: number) => {
    const opened = await open(frames({ info }));
    const columns = await opened.acquisition.readPlaneColumns?.(scene);
    opened.close();
    return columns;
  };

  it('have the place of the stage', async () => {
    const positions = [
      [0, 0, 0],
      [1.5e-4, -2.5e-5, 1e-6],
    ] as const;
    const columns = await columnsOf({ P: 2, positions, origin: [1e-3, 0, 0] }, 1);
    expect(Object.keys(columns ?? {})).toEqual(['x', 'y']);
    expect(new Set(columns?.x)).toEqual(new Set([1150]));
    expect(new Set(columns?.y)).toEqual(new Set([-25]));
    expect(columns?.x).toHaveLength(2 * 3 * 2);
    expect(new Set((await columnsOf({ P: 2, positions }, 0))?.x)).toEqual(new Set([0]));
  });

  it.each<[string, Partial<LsmInfoSpec>]>([
    ['none was stored', { P: 1, positions: [[0, 0, 0]] }],
    ['there are more or fewer', { P: 2, positions: [[1, 1, 1]] }],
    ['there are tiles', { P: 1, M: 2, positions: [[1, 1, 1]] }],
    ['they fall outside the file', { P: 2, offsets: { 376: 2 ** 31 } }],
    ['they are not numbers', { P: 1, positions: [[Number.NaN, Number.NaN, 0]] }],
  ])('have no place where %s', async (_, info) => {
    expect(await columnsOf(info, 0)).toEqual({});
  });

  it('are those that a stopped recording reached', async () => {
    const spec = frames({ images: 7, info: { P: 4, T: 1 } });
    const opened = await open(spec);
    expect(opened.acquisition.info.scenes.map(({ name }) => name)).toEqual(['Position 1', 'Position 2']);
    expect(opened.acquisition.info.scenes[0]?.warnings).toEqual([
      'The header says 12 planes, but the file has 7. Showing 2 positions × 1 time point × 3 depths. ' +
        'Skipped the last plane, from an incomplete set.',
    ]);
    await expectPlanes(opened, spec, ({ scene, z }) => scene * 3 + z);
    opened.close();
  });

  it('have no step from the time stamps of several positions', async () => {
    const scene = await sceneOf(frames({ info: { P: 2, stamps: [0, 1, 10, 11], interval: 10 } }));
    expect(scene.steps.T).toEqual({ step: 10, unit: 'seconds', origin: 'file' });
  });
});

describe('an LSM header that does not match the pages', () => {
  it('leaves every line of a line scan, with a warning', async () => {
    const spec = lineScan({ rows: 9 });
    const opened = await open(spec);
    const [scene] = opened.acquisition.info.scenes;
    expect(scene?.sizes.Y).toBe(9);
    expect(scene?.steps.Y.step).toBe(0.002);
    expect(scene?.warnings).toEqual([
      'The header says 6 lines, but the file has 9. Showing 9.',
      '3 of 9 time stamps are missing or not numbers.',
    ]);
    await expectPlanes(opened, spec, () => 0);
    opened.close();
  });

  it('leaves the complete time points of a stopped series', async () => {
    const spec = frames({ images: 5, info: { T: 10 } });
    const opened = await open(spec);
    const [scene] = opened.acquisition.info.scenes;
    expect(scene?.sizes).toEqual({ T: 1, Z: 3, Y: 3, X: 5 });
    expect(scene?.warnings).toEqual([
      'The header says 30 planes, but the file has 5. Showing 1 position × 1 time point × 3 depths. ' +
        'Skipped the last 2 planes, from an incomplete set.',
    ]);
    await expectPlanes(opened, spec, ({ z }) => z);
    opened.close();
  });

  it('leaves the depths of a stopped stack', async () => {
    const scene = await sceneOf(frames({ images: 2, info: { scanType: 0, T: 1, Z: 9 } }));
    expect(scene.sizes).toEqual({ T: 1, Z: 2, Y: 3, X: 5 });
    expect(scene.warnings).toHaveLength(1);
  });

  it('gives axes to the pages that the scan type lacks, when they fit', async () => {
    const spec = frames({ images: 6, info: { scanType: 3, T: 2, Z: 3 } });
    const opened = await open(spec);
    expect(opened.acquisition.info.scenes[0]?.sizes).toEqual({ T: 2, Z: 3, Y: 3, X: 5 });
    expect(opened.acquisition.info.scenes[0]?.warnings[0]).toMatch(/^The header says 2 planes, but the file has 6\. /);
    await expectPlanes(opened, spec, ({ t, z }) => 3 * t + z);
    opened.close();
  });

  it('leaves the pages as time points when nothing fits', async () => {
    const spec = frames({ images: 5, info: { scanType: 0, T: 1, Z: 1, P: 2 } });
    const opened = await open(spec);
    expect(opened.acquisition.info.scenes).toHaveLength(1);
    expect(opened.acquisition.info.scenes[0]?.sizes).toEqual({ T: 5, Z: 1, Y: 3, X: 5 });
    expect(opened.acquisition.info.scenes[0]?.warnings).toEqual([
      'The header says 2 planes, but the file has 5. Showing all as time points, because their positions, times and ' +
        'depths are unknown.',
      '3 of 5 time stamps are missing or not numbers.',
    ]);
    await expectPlanes(opened, spec, ({ t }) => t);
    opened.close();
  });

  it('skips pages at the end that were never written', async () => {
    const spec = frames({
      info: { T: 4 },
      page: (page, image) => (image < 6 ? page : { ...page, sparse: [0, 1] }),
    });
    const opened = await open(spec);
    const [scene] = opened.acquisition.info.scenes;
    expect(scene?.sizes).toEqual({ T: 2, Z: 3, Y: 3, X: 5 });
    expect(scene?.warnings[0]).toBe('6 of 12 images were never written and skipped.');
    await expectPlanes(opened, spec, ({ t, z }) => 3 * t + z);
    opened.close();
  });

  it('has an error for a page in the middle that was never written', async () => {
    const opened = await open(frames({ page: (page, image) => (image === 2 ? { ...page, sparse: [1] } : page) }));
    await expect(servedPlane(opened, { z: 2, channel: 1 })).rejects.toMatchObject({
      code: 'decode_failed',
      message: expect.stringMatching(/page 5 .*strip 2 was never written/),
    });
    opened.close();
  });

  it('has an error for an image that does not match the first', async () => {
    const opened = await open(frames({ page: (page, image) => (image === 1 ? { ...page, compression: 5 } : page) }));
    await expect(servedPlane(opened, { z: 1 })).rejects.toMatchObject({ code: 'decode_failed' });
    opened.close();
  });

  it('leaves the lines of a truncated line scan that all channels have', async () => {
    const spec = lineScan({ interleaved: true });
    const whole = writeLsm(spec);
    const view = new DataView(whole.buffer);
    const ifd = view.getUint32(4, true);
    let pixels = 0;
    for (let at = ifd + 2; at < ifd + 2 + 12 * view.getUint16(ifd, true); at += 12) {
      if (view.getUint16(at, true) === 273) pixels = view.getUint32(at + 8, true);
    }
    // 16 bytes a line.
    const opened = await openFiles(folder, { 'cut.lsm': whole.slice(0, pixels + 4 * 16 + 7) });
    const [scene] = opened.acquisition.info.scenes;
    expect(scene?.sizes.Y).toBe(4);
    expect(scene?.warnings.at(-1)).toMatch(/^The file is truncated at byte [\d,]+: it contains only 4 of 6 lines/);
    const expected = expectedPlane(4, 4, (y, x) => 2000 + 10 * y + x);
    expectSamePlane(await servedPlane(opened, { channel: 1 }), expected);
    opened.close();
  });
});

describe('LSM steps', () => {
  it('are the spacing of the settings, in µm, without a voxel size', async () => {
    const scan = recording(
      { id: 0x1000001c, real: 0.11 },
      { id: 0x1000001d, real: 0.12 },
      { id: 0x1000001e, real: 0.5 },
    );
    const scene = await sceneOf(frames({ info: { voxel: [0, 0, 0], scan } }));
    expect(scene.steps.X).toEqual({ step: 0.11, unit: 'micrometer', origin: 'file' });
    expect(scene.steps.Y).toEqual({ step: 0.12, unit: 'micrometer', origin: 'file' });
    expect(scene.steps.Z).toEqual({ step: 0.5, unit: 'micrometer', origin: 'file' });
  });

  it('are in Pixels, Planes and Frames without any calibration', async () => {
    const { steps } = await sceneOf(frames({ info: { voxel: [0, -1, Number.NaN], stamps: [] } }));
    expect([steps.X.unit, steps.Y.unit, steps.Z.unit, steps.T.unit]).toEqual(['Pixels', 'Pixels', 'Planes', 'Frames']);
    expect([steps.X.step, steps.Y.step, steps.Z.step, steps.T.step]).toEqual([1, 1, 1, 1]);
  });

  it('are the line period of the settings last, with a warning', async () => {
    const scan = recording({ id: 0x10000061, real: 0.00117 });
    const scene = await sceneOf(lineScan({ info: { stamps: [], interval: 0, scan } }));
    expect(scene.steps.Y).toEqual({ step: 0.00117, unit: 'seconds', origin: 'file' });
    expect(scene.warnings).toEqual([
      'The file contains neither time stamps nor an interval. ' +
        'The line period is from the scan settings, assumed to be in seconds.',
    ]);
  });

  it('are the median of time stamps, which a pause does not change', async () => {
    const stamps = [50, 50.002, 50.004, 51.004, 51.006, 51.008];
    const scene = await sceneOf(lineScan({ info: { stamps, interval: 0 } }));
    expect(scene.steps.Y.step).toBeCloseTo(0.002, 12);
    expect(scene.warnings).toEqual([expect.stringContaining('0.002 s to 1 s apart (median 0.002 s)')]);
    expect(scene.coordinates?.Y?.values[5]).toBeCloseTo(1.008, 12);
  });

  it('come from the time stamps, not from the interval, when these differ', async () => {
    const scene = await sceneOf(lineScan({ info: { stamps: evenStamps(6, 0.0023), interval: 0.002 } }));
    expect(scene.steps.Y.step).toBeCloseTo(0.0023, 12);
    expect(scene.warnings).toEqual([expect.stringContaining('the interval in the header says 0.002 s')]);
  });

  it('ignore time stamps that a stopped scan left at 0', async () => {
    const scene = await sceneOf(lineScan({ info: { stamps: [...evenStamps(4, 0.003), 0, 0], interval: 0 } }));
    expect(scene.steps.Y.step).toBeCloseTo(0.003, 12);
    expect(scene.warnings).toEqual(['2 of 6 time stamps are missing or not numbers.']);
  });

  it('come from the interval when the block of time stamps is corrupted', async () => {
    const scene = await sceneOf(lineScan({ info: { stampCount: 7 } }));
    expect(scene.steps.Y.step).toBe(0.002);
    expect(scene.warnings).toEqual([expect.stringMatching(/^The block of time stamps at offset 8 is corrupted/)]);
  });
});

describe('LSM channel names and dates', () => {
  it('come from the acquired data channels without a color table', async () => {
    const scan = recording(
      { id: 0x20000000 },
      { id: 0x40000000 },
      ...dataChannels({ name: 'Ch1-T1', acquired: false }, { name: 'Ch2-T1', acquired: true }),
      { id: 0xffffffff },
      { id: 0x40000000 },
      ...dataChannels({ name: 'ChS1-T2', acquired: true }),
      { id: 0xffffffff },
      { id: 0xffffffff },
    );
    const scene = await sceneOf(frames({ info: { names: [], scan } }));
    expect(scene.channels).toEqual([{ name: 'Ch2-T1' }, { name: 'ChS1-T2' }]);
  });

  it('have the detector of the settings, and the laser of a track with one', async () => {
    const end = { id: 0xffffffff };
    const detection = (name: string, acquired: number, dye: string) => [
      { id: 0x70000000 },
      { id: 0x7000000c, text: name },
      { id: 0x7000000b, long: acquired },
      { id: 0x70000026, text: dye },
      { id: 0x70000022, real: 500 },
      { id: 0x70000023, real: 550 },
      { id: 0x70000003, real: 700 },
      { id: 0x70000009, real: 40 },
      end,
    ];
    const laser = (nm: number, acquired: number) => [
      { id: 0x90000000 },
      { id: 0x90000003, real: nm },
      { id: 0x90000002, real: 5 },
      { id: 0x90000004, long: acquired },
      end,
    ];
    const track = (...parts: ScanEntry[][]) => [
      { id: 0x40000000 },
      { id: 0x40000019, real: 1.5 },
      ...parts.flat(),
      end,
    ];
    const scan = recording(
      { id: 0x10000004, text: 'C-Apochromat 40x/1.20 W Korr' },
      { id: 0x10000016, real: 2 },
      ...track(detection('Pmt1', 1, 'FITC'), detection('Pmt2', 0, 'none'), laser(488, 1), laser(561, 0)),
      ...track(detection('Pmt3', 1, ''), laser(561, 1), laser(633, 1)),
    );
    const scene = await sceneOf(frames({ info: { names: ['A', 'B'], scan } }));
    const band = { emissionNm: [500, 550], gain: 700, pinholeUm: 40 };
    expect(scene.channels.map(({ color: _, ...channel }) => channel)).toEqual([
      { name: 'A', ...band, detector: 'Pmt1', fluorophore: 'FITC', excitationNm: 488, laserPower: 5 },
      { name: 'B', ...band, detector: 'Pmt3' },
    ]);
    const objective = { magnification: 40, numericalAperture: 1.2, immersion: 'Water' };
    expect(scene.instrument).toEqual({
      objective: { name: 'C-Apochromat 40x/1.20 W Korr', ...objective },
      zoom: 2,
      pixelDwellSeconds: 1.5e-6,
    });
  });

  it('are numbers when there are more or fewer names than channels', async () => {
    const scene = await sceneOf(frames({ info: { names: ['green', 'red', 'blue'] } }));
    expect(scene.channels).toEqual([{ name: 'CH1' }, { name: 'CH2' }]);
    expect(scene.warnings).toEqual(['The file names 3 channels but has 2. They are numbered.']);
  });

  it('come from settings longer than the first read', async () => {
    const notes = { id: 0x10000003, text: 'x'.repeat(100_000) };
    const scene = await sceneOf(
      frames({ blocks: 'end', info: { scan: recording(notes, { id: 0x10000036, real: 41_732.6559837963 }) } }),
    );
    expect([scene.date, scene.time]).toEqual(['20140403', '15:44:37']);
  });

  it('are empty for a date before 1970', async () => {
    const scene = await sceneOf(frames({ info: { scan: recording({ id: 0x10000036, real: 25_568 }) } }));
    expect([scene.date, scene.time]).toEqual(['', '']);
  });
});

describe('LSM file names', () => {
  const plain = { width: 5, height: 3, samples: new Uint16Array(15).fill(9) };

  it.each([true, false])('let a plain TIFF called .lsm open as a TIFF (little-endian: %s)', async (littleEndian) => {
    const opened = await openFiles(folder, { 'plain.lsm': writeTiff({ littleEndian, pages: [plain] }) });
    expectSamePlane(await servedPlane(opened), new Float32Array(15).fill(9));
    opened.close();
  });

  it('let a file called .LSM open with its first page anywhere', async () => {
    const spec = lineScan({ rows: 600, info: { T: 600, stamps: evenStamps(600) } });
    const opened = await openFiles(folder, { 'LONG.LSM': writeLsm(spec) });
    expect(opened.acquisition.info.format).toBe('lsm');
    expect(opened.acquisition.info.scenes[0]?.sizes.Y).toBe(600);
    opened.close();
  });
});

describe('LSM pixels', () => {
  it.each([
    ['LZW with the byte counts of the pixels', { lzw: 'closed' }],
    ['LZW without end codes', { lzw: 'open' }],
    ['LZW with a predictor', { lzw: 'open', predictor: 2 }],
    ['interleaved samples', { interleaved: true }],
    ['interleaved LZW with a predictor', { interleaved: true, lzw: 'closed', predictor: 2 }],
    ['8 bits', { bits: 8, value: ({ image, channel, y, x }) => 40 * image + 20 * channel + 5 * y + x }],
    ['float', { bits: 32, value: ({ image, channel, y, x }) => image / 8 - channel + y / 4 + x * 1000 }],
    ['files without thumbnails', { bare: true }],
  ] satisfies [string, Partial<LsmSpec>][])('are read from %s', async (_, over) => {
    const spec = frames(over);
    const opened = await open(spec);
    expect(opened.acquisition.info.scenes[0]?.sizes).toEqual({ T: 2, Z: 3, Y: 3, X: 5 });
    expect(opened.acquisition.info.scenes[0]?.warnings).toEqual([]);
    await expectPlanes(opened, spec, ({ t, z }) => 3 * t + z);
    opened.close();
  });

  it.each([
    ['plain', {}],
    ['LZW', { lzw: 'closed' }],
    ['interleaved', { interleaved: true }],
  ] satisfies [string, Partial<LsmSpec>][])(
    'are read from several strips per channel, as other programs save them: %s',
    async (_, over) => {
      // Rows 0–1 and row 2 of the three; byte counts that do not fit are not used.
      const spec = frames({ ...over, page: (page) => ({ ...page, rowsPerStrip: 2, omit: [339] }) });
      const opened = await open(spec);
      expect(opened.acquisition.info.scenes[0]?.warnings).toEqual([]);
      await expectPlanes(opened, spec, ({ t, z }) => 3 * t + z);
      opened.close();
    },
  );

  it('are read from one strip per channel without PlanarConfiguration', async () => {
    const spec = frames({ page: (page) => ({ ...page, omit: [278, 284, 339] }) });
    const opened = await open(spec);
    await expectPlanes(opened, spec, ({ t, z }) => 3 * t + z);
    opened.close();
  });

  it('are refused when strips of channels overlap', async () => {
    // The header says 16 bits a sample, the strips of 15 samples follow each other 15 bytes apart.
    const bits = { code: 258, type: 3, values: [16, 16] };
    const spec = frames({ bits: 8, value: () => 7, page: (page) => ({ ...page, tags: [...(page.tags ?? []), bits] }) });
    const opened = await open(spec);
    await expect(servedPlane(opened)).rejects.toMatchObject({
      code: 'decode_failed',
      message: expect.stringMatching(/page 1 .*strips 1 and 2 overlap/),
    });
    opened.close();
  });

  it('of LZW images are read beside an image with a corrupted list of strips', async () => {
    const broken = { code: 273, type: 4, values: [0], count: 1_000_000 };
    const spec = frames({
      lzw: 'closed',
      page: (page, image) => (image === 1 ? { ...page, tags: [...(page.tags ?? []), broken] } : page),
    });
    const opened = await open(spec);
    await expect(servedPlane(opened, { z: 1 })).rejects.toMatchObject({ code: 'decode_failed' });
    for (const z of [0, 2]) {
      const expected = expectedPlane(3, 5, (y, x) => spec.value({ image: z, channel: 1, y, x }));
      expectSamePlane(await servedPlane(opened, { z, channel: 1 }), expected);
    }
    opened.close();
  });

  it('of channels of different depths have the type of the deepest', async () => {
    const eight = Uint8Array.from({ length: 24 }, (_, i) => 200 + i);
    const sixteen = Uint16Array.from({ length: 24 }, (_, i) => 4000 + i);
    let strip = 0;
    const page = (original: PageSpec): PageSpec => ({
      ...original,
      encode: () => (strip++ % 2 === 0 ? eight : new Uint8Array(sixteen.buffer)),
      tags: [...(original.tags ?? []), { code: 258, type: 3, values: [8, 12] }],
    });
    const opened = await open(lineScan({ page, info: { dataType: 0 } }));
    expect(opened.acquisition.info.scenes[0]?.sampleType).toBe('uint16');
    const expected = (base: number) => expectedPlane(6, 4, (y, x) => base + 4 * y + x);
    expectSamePlane(await servedPlane(opened, { channel: 0 }), expected(200));
    expectSamePlane(await servedPlane(opened, { channel: 1 }), expected(4000));
    opened.close();
  });

  it('have the depths of the data types for channels missing from BitsPerSample', async () => {
    const eight = Uint8Array.from({ length: 24 }, (_, i) => 100 + i);
    const float = Float32Array.from({ length: 24 }, (_, i) => i / 2);
    let strip = 0;
    const page = (original: PageSpec): PageSpec => ({
      ...original,
      encode: () => (strip++ % 2 === 0 ? eight : new Uint8Array(float.buffer)),
      tags: [...(original.tags ?? []), { code: 258, type: 3, values: [8] }],
    });
    const opened = await open(lineScan({ page, info: { dataType: 0, dataTypes: [1, 5] } }));
    expect(opened.acquisition.info.scenes[0]?.sampleType).toBe('float32');
    expectSamePlane(
      await servedPlane(opened, { channel: 1 }),
      expectedPlane(6, 4, (y, x) => (4 * y + x) / 2),
    );
    opened.close();
  });

  it('come from the pages that the tags say when images and thumbnails do not alternate', async () => {
    // Of the first image, the thumbnail is marked as an image of another size; of the second, there is none.
    const spec = frames({
      images: 2,
      info: { scanType: 3, T: 2, Z: 1 },
      thumbnail: (page, image) => (image === 1 ? { ...page, width: 5, height: 3, ...threeRows() } : page),
    });
    const opened = await open(spec);
    const [scene] = opened.acquisition.info.scenes;
    expect(scene?.sizes.T).toBe(3);
    expect(scene?.warnings[0]).toBe(
      'Images and thumbnails do not alternate. According to their tags, 3 of 4 pages are images.',
    );
    await expect(servedPlane(opened, { t: 2 })).rejects.toMatchObject({ code: 'decode_failed' });
    opened.close();
  });
});

/** A thumbnail of the size of an image, not marked as one. */
function threeRows(): Pick<PageSpec, 'samples' | 'tags'> {
  return {
    samples: [new Uint8Array(15), new Uint8Array(15), new Uint8Array(15)],
    tags: [{ code: 254, type: 4, values: [0] }],
  };
}
