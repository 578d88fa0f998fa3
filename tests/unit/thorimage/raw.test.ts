import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SceneInfo } from '../../../packages/readers/src/model/acquisition.js';
import { openAcquisition } from '../../../packages/server/src/open.js';
import { openBytes, openFolder, samplesOf } from '../../support/memory.js';
import { readNative } from '../../support/native.js';
import { type ThorRawSpec, thorRawValue, writeThor, writeThorRaw } from '../../writers/thorimage.js';

type Change = (files: Record<string, Uint8Array | string>) => void;
const bytesOf = (content: Uint8Array | string) =>
  typeof content === 'string' ? new TextEncoder().encode(content) : content;

function open(spec: ThorRawSpec = {}, name?: string, change: Change = () => {}) {
  const files = writeThorRaw(spec);
  change(files);
  const all = Object.fromEntries(Object.entries(files).map(([file, content]) => [file, bytesOf(content)]));
  if (name === undefined) return openFolder('run', new Map(Object.entries(all)));
  const { [name]: opened, ...beside } = all;
  return openBytes(name, opened!, beside);
}

async function sceneOf(spec: ThorRawSpec, change?: Change): Promise<SceneInfo> {
  return (await open(spec, 'Experiment.xml', change)).info.scenes[0]!;
}

/** The samples of a plane of the writer's values. */
const plane = (at: Record<'channel' | 't' | 'z', number>, site = 0) =>
  Array.from({ length: 12 }, (_, i) => thorRawValue({ ...at, row: Math.floor(i / 4), column: i % 4 }, site));

describe('a raw file of ThorImage', () => {
  it.each([undefined, 'Experiment.xml', 'Image_001_001.raw'])('opens by %s', async (name) => {
    const opened = await open({ T: 3 }, name);
    const [scene] = opened.info.scenes;
    expect(scene).toMatchObject({
      channels: [{ name: 'ChanA', gain: 20 }, { name: 'ChanC' }],
      sampleType: 'uint16',
      sizes: { T: 3, Z: 1, Y: 3, X: 4 },
      steps: {
        T: { step: 1 / 30, unit: 'seconds', origin: 'file' },
        Y: { step: 0.5, unit: 'micrometer' },
        X: { step: 0.5, unit: 'micrometer' },
      },
      instrument: { pixelDwellSeconds: 8e-8, bidirectional: true, start: '2019-11-21T10:15:18Z' },
      date: '20191121',
      warnings: [],
    });
    for (const t of [0, 1, 2]) {
      for (const channel of [0, 1]) {
        expect([...(await samplesOf(opened, { channel, t }))]).toEqual(plane({ channel, t, z: 0 }));
      }
    }
    expect(opened.info.named).toEqual(name?.endsWith('.raw') ? { scene: 0, t: 0, z: 0 } : undefined);
  });

  it('has the sections of fast Z, without the frames in which the objective returns', async () => {
    const opened = await open({ Z: 2, flyback: 1 });
    expect(opened.info.scenes[0]).toMatchObject({
      sizes: { T: 2, Z: 2 },
      steps: { T: { step: 0.1, unit: 'seconds' }, Z: { step: 5, unit: 'micrometer' } },
      warnings: [],
    });
    expect([...(await samplesOf(opened, { channel: 1, t: 1, z: 1 }))]).toEqual(plane({ channel: 1, t: 1, z: 1 }));
  });

  it('has no depth when the stage was left over', async () => {
    const scene = await sceneOf({ T: 4, settings: { ZStage: 'steps="53" stepSizeUM="5" enable="1"' } });
    expect(scene.sizes).toMatchObject({ T: 4, Z: 1 });
  });

  it('has all four detectors where the settings say so, of which the enabled ones are shown', async () => {
    const opened = await open({ channels: 'BD', stored: 'all', settings: { Streaming: 'rawData="1"' } });
    expect(opened.info.scenes[0]).toMatchObject({
      channels: [{ name: 'ChanB' }, { name: 'ChanD' }],
      sizes: { T: 2 },
      warnings: [],
    });
    expect([...(await samplesOf(opened, { channel: 1, t: 1 }))]).toEqual(plane({ channel: 1, t: 1, z: 0 }));
  });

  it('of one detector is always alone', async () => {
    const opened = await open({ channels: 'C', settings: { RawData: 'onlyEnabledChannels="0"' } });
    expect(opened.info.scenes[0]).toMatchObject({ channels: [{ name: 'ChanC' }], sizes: { T: 2 }, warnings: [] });
    expect([...(await samplesOf(opened, { t: 1 }))]).toEqual(plane({ channel: 0, t: 1, z: 0 }));
  });

  it.each(['onlyEnabledChannels="1"', ''])(
    'with the size of four channels and %s has four, and says so',
    async (RawData) => {
      const opened = await open({ channels: 'AB', stored: 'all', settings: { RawData } });
      expect(opened.info.scenes[0]?.warnings).toEqual([
        'The size of the file is that of 4 channels, not of the 2 enabled ones. The others were skipped.',
      ]);
      expect([...(await samplesOf(opened, { channel: 1, t: 1 }))]).toEqual(plane({ channel: 1, t: 1, z: 0 }));
    },
  );

  it('that ends early lacks the last volume, and says so', async () => {
    const cut: Change = (files) => {
      files['Image_001_001.raw'] = (files['Image_001_001.raw'] as Uint8Array).slice(0, -10);
    };
    const scene = await sceneOf({ Z: 2, flyback: 1 }, cut);
    expect(scene.sizes.T).toBe(1);
    expect(scene.warnings).toEqual([
      'The last volume is incomplete (134 of 144 bytes) and was skipped.',
      'ThorImage planned 6 frames, but the file has 5. Showing these.',
    ]);
    const none: Change = (files) => {
      files['Image_001_001.raw'] = new Uint8Array(20);
    };
    await expect(open({}, undefined, none)).rejects.toMatchObject({
      code: 'decode_failed',
      message: 'Image_001_001.raw: the file has 20 bytes, but the first frame of 2 channels needs 48.',
    });
  });

  it('that was stopped says so, and shows the zeros at its end', async () => {
    const settings = { Streaming: 'frames="100" rawData="1"', ExperimentStatus: 'value="Stopped"' };
    const scene = await sceneOf({ T: 9, zeros: 4, settings });
    expect(scene.sizes.T).toBe(9);
    expect(scene.warnings).toEqual([
      'ThorImage planned 100 frames, but the file has 9. Showing these. The recording was stopped early.',
      'The last 4 of 9 frames are zeros: the recording seems to have been stopped, or to be running. They are shown.',
    ]);
  });

  it('has its frames averaged', async () => {
    const scene = await sceneOf({ lsm: 'averageMode="1" averageNum="6"' });
    expect(scene.steps.T).toMatchObject({ step: 0.2, unit: 'seconds' });
    const leftOver = await sceneOf({ lsm: 'averageMode="0" averageNum="6"' });
    expect(leftOver.steps.T.step).toBe(1 / 30);
  });

  it('has its sites as scenes', async () => {
    const opened = await open({ sites: 2 }, 'Image_002_001.raw');
    expect(opened.info.scenes.map(({ name }) => name)).toEqual(['Position 1', 'Position 2']);
    expect(opened.info.named).toEqual({ scene: 1, t: 0, z: 0 });
    expect([...(await samplesOf(opened, { scene: 1, channel: 1 }))]).toEqual(plane({ channel: 1, t: 0, z: 0 }, 1));
  });

  it('has the times that the program measured', async () => {
    const timing = (text: string) => (files: Record<string, Uint8Array | string>) => {
      files['timing.txt'] = text;
    };
    const opened = await open({ Z: 2, flyback: 1 }, 'Experiment.xml', timing('0.5\n0.6\n0.7\n0.9\n1.0\n1.1\n'));
    expect(opened.info.scenes[0]?.steps.T).toEqual({
      step: expect.closeTo(0.4, 12),
      unit: 'seconds',
      origin: 'sidecar',
    });
    expect(opened.info.scenes[0]?.warnings.join()).toContain('says 0.1 s, but the times in timing.txt are 0.4 s apart');
    const { time } = (await opened.readPlaneColumns?.(0)) ?? {};
    expect([...time!]).toEqual([0.5, 0.5, 0.6, 0.6, 0.9, 0.9, 1, 1]);
    const other = await sceneOf({ T: 3 }, timing('0\n1\n'));
    expect(other.warnings).toEqual(['timing.txt has 2 times for 3 frames; it was ignored.']);
  });

  it('of another mode than streaming has no time step', async () => {
    const scene = await sceneOf({ settings: { CaptureMode: 'mode="3"' } });
    expect(scene.steps.T.unit).toBe('Frames');
    expect(scene.warnings.join()).toContain('The mode of the recording is 3, not streaming');
  });

  it('of a camera has the pixels of the camera', async () => {
    const settings = {
      Modality: 'primaryDetectorType="0"',
      Camera: 'left="10" right="14" top="5" bottom="2" pixelSizeUM="6.66"',
      LSM: 'pixelX="512" pixelY="512" frameRate="30" pixelSizeUM="1"',
    };
    const scene = await sceneOf({ channels: 'A', settings });
    expect(scene).toMatchObject({
      channels: [{ name: 'ChanA', exposureSeconds: 0.02 }],
      sizes: { T: 2, Y: 3, X: 4 },
      steps: { X: { step: 0.3, unit: 'micrometer', origin: 'derived' }, T: { unit: 'Frames' } },
    });
  });

  it('of three photons has its planes below each other', async () => {
    const scene = await sceneOf({ rows: 6, lsm: 'ThreePhotonEnable="1" NumberOfPlanes="2"', settings: {} }, (files) => {
      files['Experiment.xml'] = (files['Experiment.xml'] as string).replace('pixelY="6"', 'pixelY="3"');
    });
    expect(scene.sizes).toMatchObject({ T: 2, Y: 6 });
    expect(scene.warnings.join()).toContain('Each frame has 2 planes below each other.');
  });
});

describe('the line scan of a raw file', () => {
  it.each([2, 3, 4])('of area mode %i has the rows of all frames in one plane', async (mode) => {
    const opened = await open({ T: 5, lsm: `areaMode="${mode}"` }, undefined, (files) => {
      files['Experiment.xml'] = (files['Experiment.xml'] as string).replace('areaMode="0" ', '');
    });
    const [scene] = opened.info.scenes;
    expect(scene).toMatchObject({
      sizes: { T: 1, Z: 1, Y: 15, X: 4 },
      steps: { Y: { step: 1 / 90, unit: 'seconds', origin: 'derived' }, X: { step: 0.5, unit: 'micrometer' } },
    });
    expect(scene?.warnings).toEqual([
      'The rows are the lines of a line scan. Their period was assumed to be the frame period divided by the 3 rows.',
    ]);
    expect([...(await samplesOf(opened, { channel: 1 }))]).toEqual(
      [0, 1, 2, 3, 4].flatMap((t) => plane({ channel: 1, t, z: 0 })),
    );
  });

  const lines = (more: string): ThorRawSpec => ({
    T: 5,
    settings: { LSM: `areaMode="3" channel="5" pixelX="4" pixelY="3" pixelSizeUM="0.5" frameRate="30" ${more}` },
  });

  it('contradicts a planned duration', async () => {
    const scene = await sceneOf(lines('timeBasedLineScan="1" tbLineScanTimeMS="300"'));
    expect(scene.steps.Y.step).toBe(1 / 90);
    expect(scene.warnings.join()).toContain('LSM frameRate says 0.01111 s, but LSM tbLineScanTimeMS says 0.02 s');
    const agreeing = await sceneOf(lines('timeBasedLineScan="1" tbLineScanTimeMS="166.7"'));
    expect(agreeing.warnings).toHaveLength(1);
  });

  it('that was averaged keeps its frames', async () => {
    const scene = await sceneOf(lines('averageMode="1" averageNum="2"'));
    expect(scene).toMatchObject({ sizes: { T: 5, Y: 3 }, steps: { T: { step: 2 / 30 }, Y: { unit: 'seconds' } } });
  });

  it('with fast Z is an x–z scan', async () => {
    const spec = lines('');
    const settings = {
      ...spec.settings,
      Streaming: 'frames="5" rawData="1" zFastEnable="1" flybackFrames="2"',
      ZStage: 'steps="6" stepSizeUM="2"',
    };
    const scene = await sceneOf({ ...spec, settings });
    expect(scene).toMatchObject({
      rowAxis: 'z',
      sizes: { T: 5, Z: 1, Y: 3 },
      steps: { T: { step: 1 / 30 }, Y: { step: 4, unit: 'micrometer', origin: 'derived' } },
    });
  });
});

describe('a folder of ThorImage', () => {
  const both = (name: string | undefined, raw = 1) =>
    open({ settings: { Streaming: `rawData="${raw}"` }, channels: 'AB' }, name, (files) => {
      for (const [file, content] of Object.entries(writeThor())) if (file.endsWith('.tif')) files[file] = content;
    });

  it('with raw files and TIFFs shows what was opened, or what the settings say', async () => {
    const shapeOf = async (name?: string, raw?: number) => {
      const [scene] = (await both(name, raw)).info.scenes;
      expect(scene!.warnings.join()).toContain('which are not shown. Open one of them to see these.');
      return [scene!.sizes.T, scene!.sizes.Z];
    };
    expect(await shapeOf()).toEqual([2, 1]);
    expect(await shapeOf(undefined, 0)).toEqual([3, 3]);
    expect(await shapeOf('Image_001_001.raw', 0)).toEqual([2, 1]);
    expect(await shapeOf('ChanA_0001_0001_0001_0001.tif')).toEqual([3, 3]);
  });

  it.each([
    ['Image_scan_1_region_2.raw', 'several regions in one recording'],
    ['Image_0001_0001.tif', 'describes "Image_0001_0001.tif", which has all planes. Open that file.'],
    ['readme.txt', 'is missing from'],
  ])('with only %s is refused', async (name, message) => {
    const only: Change = (files) => {
      delete files['Image_001_001.raw'];
      files[name] = 'x';
    };
    await expect(open({}, 'Experiment.xml', only)).rejects.toThrow(message);
  });

  it('without its settings, or with those of another vendor, is refused', async () => {
    const without: Change = (files) => {
      delete files['Experiment.xml'];
    };
    await expect(open({}, 'Image_001_001.raw', without)).rejects.toMatchObject({ code: 'companion_missing' });
    const other: Change = (files) => {
      files['Experiment.xml'] = '<Experiment/>';
    };
    await expect(open({}, 'Image_001_001.raw', other)).rejects.toMatchObject({ code: 'unsupported_format' });
    await expect(open({}, 'Experiment.xml', other)).rejects.toMatchObject({ code: 'unsupported_format' });
  });

  it.each([
    ['ROIMask.raw', 'is the mask of the regions'],
    ['scan.raw', 'contains samples without a description'],
    ['ThorRealTimeDataSettings.xml', 'describes the lines that ThorSync recorded'],
  ])('has %s, which is no image', async (name, message) => {
    const text = '<?xml version="1.0"?>\n<RealTimeDataSettings>';
    await expect(openBytes(name, new TextEncoder().encode(text))).rejects.toThrow(message);
  });

  it('has a date in the order that agrees with its clock', async () => {
    const scene = await sceneOf({ settings: { Date: 'date="03/02/2024 01:00:00" uTime="1706918400"' } });
    expect([scene.date, scene.time]).toEqual(['20240203', '01:00:00']);
    const utc = await sceneOf({ settings: { Date: 'uTime="1706918400"' } });
    expect([utc.date, utc.time]).toEqual(['20240203', '00:00:00']);
  });
});

const real = resolve(import.meta.dirname, '../../../../shared/samples-next');

describe.skipIf(!existsSync(real))('real ThorImage recordings (need shared/samples-next)', () => {
  // Sums are those of numpy.fromfile; the last frames are those of the previews, by tifffile.
  it('have the samples of their raw file', async () => {
    const opened = await openAcquisition(join(real, 'thor/raw_Untitled_001'));
    expect(opened.acquisition.info.scenes[0]).toMatchObject({
      channels: [{ name: 'ChanA' }, { name: 'ChanB' }],
      sizes: { T: 5, Z: 1, Y: 256, X: 256 },
      steps: { T: { step: 1 / 1.426 }, X: { step: 2.345 }, Y: { step: 2.345 } },
      date: '20200505',
      time: '17:14:26',
      warnings: [],
    });
    for (const [channel, name] of ['ChanA', 'ChanB'].entries()) {
      const preview = await openAcquisition(join(real, `thor/raw_Untitled_001/${name}_Preview.tif`));
      expect(await readNative(opened, 0, { channel, t: 4 })).toEqual(await readNative(preview, 0, { channel: 0 }));
      preview.close();
    }
    const raw = readFileSync(join(real, 'thor/raw_Untitled_001/Image_0001_0001.raw'));
    const words = new Uint16Array(raw.buffer, raw.byteOffset, raw.length / 2);
    const frame = 256 * 256;
    expect(await readNative(opened, 0, { channel: 1, t: 2 })).toEqual(words.slice(5 * frame, 6 * frame));
    opened.close();
  });

  it('agree with the vector of fast Z', async () => {
    const opened = await openAcquisition(join(real, 'vectors/thor_fastz'));
    const [scene] = opened.acquisition.info.scenes;
    expect(scene).toMatchObject({
      channels: [{ name: 'ChanA' }, { name: 'ChanC' }],
      sizes: { T: 2, Z: 2, Y: 3, X: 4 },
      steps: { T: { step: 0.1 }, Z: { step: 5 }, X: { step: 0.523 } },
      instrument: { start: '2024-03-14T09:49:55Z' },
    });
    const plane = await readNative(opened, 0, { channel: 1, t: 1, z: 1 });
    expect(plane[11]).toBe(11_111);
    opened.close();
  });
});
