import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openAcquisition } from '../../../packages/server/src/open.js';
import { expectContradictionsSaid } from '../../support/contradiction.js';
import { readNative } from '../../support/native.js';
import { tempFolder, writeTemp } from '../../support/temp.js';
import { type ThorSpec, thorValue, writeThor } from '../../writers/thorimage.js';

const root = tempFolder();
const MEMBER = 'ChanA_0001_0001_0001_0001.tif';

async function open(spec: ThorSpec = {}, name = MEMBER, change?: (files: ReturnType<typeof writeThor>) => void) {
  const folder = mkdtempSync(join(root, 'thor-'));
  const files = writeThor(spec);
  change?.(files);
  for (const [file, bytes] of Object.entries(files)) writeTemp(folder, file, bytes);
  return { ...(await openAcquisition(join(folder, name))), folder };
}

async function sceneOf(spec: ThorSpec, change?: (files: ReturnType<typeof writeThor>) => void) {
  const opened = await open(spec, MEMBER, change);
  opened.close();
  return opened.acquisition.info.scenes[0]!;
}

describe('ThorImage TIFF series', () => {
  it.each([
    [MEMBER, { t: 0, z: 0 }],
    ['ChanA_0001_0001_0002_0003.tif', { t: 2, z: 1 }],
    ['ChanB_0001_0001_0003_0002.tif', { t: 1, z: 2 }],
  ])('open as a whole at the plane of %s', async (name, plane) => {
    const opened = await open({}, name);
    const { scenes, named } = opened.acquisition.info;
    expect(named).toEqual({ scene: 0, ...plane });
    expect(scenes[0]).toMatchObject({
      channels: [
        { name: 'ChanA', gain: 20 },
        { name: 'ChanB', gain: 30 },
      ],
      sizes: { T: 3, Z: 3, Y: 3, X: 4 },
      steps: {
        T: { step: 2, unit: 'seconds', origin: 'file' },
        Z: { step: 15, unit: 'micrometer', origin: 'file' },
        Y: { step: 0.593, unit: 'micrometer', origin: 'file' },
        X: { step: 0.593, unit: 'micrometer', origin: 'file' },
      },
      instrument: {
        objective: { name: '20X OLY', magnification: 22.2 },
        start: '2019-11-21T10:15:18Z',
        bidirectional: false,
      },
      date: '20191121',
      time: '11:15:18',
      warnings: [],
    });
    for (const channel of [0, 1]) {
      for (const z of [0, 1, 2]) {
        for (const t of [0, 1, 2]) {
          expect((await readNative(opened, 0, { channel, z, t }))[0]).toBe(thorValue(0, channel, z, t));
        }
      }
    }
    const columns = await opened.acquisition.readPlaneColumns?.(0);
    expect(columns?.time?.slice(0, 7)).toEqual(Float64Array.of(0, 0, 0, 0, 0, 0, 2));
    opened.close();
  });

  it('have their sites as scenes', async () => {
    const opened = await open({ sites: 2, T: 1 }, 'ChanB_0002_0001_0001_0001.tif');
    expect(opened.acquisition.info.scenes.map(({ name }) => name)).toEqual(['Position 1', 'Position 2']);
    expect(opened.acquisition.info.named?.scene).toBe(1);
    expect((await readNative(opened, 1, { channel: 1, z: 2 }))[0]).toBe(thorValue(1, 1, 2, 0));
    opened.close();
  });

  it('show zeros for a file that is missing, and an error for one that goes', async () => {
    const opened = await open({}, MEMBER, (files) => {
      delete files['ChanB_0001_0001_0002_0002.tif'];
    });
    expect(opened.acquisition.info.scenes[0]?.warnings).toEqual([
      '1 file is missing from the set. Showing zeros in their place.',
    ]);
    expect((await readNative(opened, 0, { channel: 1, z: 1, t: 1 }))[0]).toBe(0);
    rmSync(join(opened.folder, 'ChanB_0001_0001_0003_0003.tif'));
    await expect(readNative(opened, 0, { channel: 1, z: 2, t: 2 })).rejects.toMatchObject({
      code: 'companion_missing',
    });
    opened.close();
  });

  it('that ended early say so', async () => {
    const scene = await sceneOf({ settings: { Timelapse: 'timepoints="10" intervalSec="0"' } });
    expect(scene.sizes.T).toBe(3);
    expect(scene.warnings).toEqual(['ThorImage planned 10 time points, but the folder has 3. Showing these.']);
  });

  it('name two files of one plane', async () => {
    const scene = await sceneOf({}, (files) => {
      files['ChanA_001_001_001_001.tif'] = files[MEMBER]!;
    });
    expect(scene.warnings.join()).toContain('A plane has the time point, section and channel of another one');
  });

  it('contradict a set interval with their time stamps', async () => {
    await expectContradictionsSaid((interval, at) => open({ Z: 1, T: at.length, interval, stamps: (t) => at[t]! }), {
      runs: 8,
    });
  });

  it.each([
    ['NaN', () => 'NaN', undefined],
    ['backwards', (t: number) => 10 - t, 'not in ascending order'],
  ])('with time stamps that are %s open', async (_, stamps, warning) => {
    const scene = await sceneOf({ Z: 1, stamps });
    expect(scene.steps.T).toEqual({ step: 1, unit: 'Frames', origin: 'default' });
    expect(scene.warnings.join()).toContain(warning ?? '');
  });

  it('of many time points make the step of some', async () => {
    const late = (t: number) => 2 * t + (t > 16 ? 60 : 0);
    const { acquisition, close } = await open({ channels: ['ChanA'], Z: 1, T: 40, stamps: late });
    const [scene] = acquisition.info.scenes;
    expect(scene?.steps.T.step).toBeCloseTo(late(39) / 39, 12);
    expect(scene?.warnings.join()).toContain('not evenly spaced, judging by 16 of their 40 time stamps (DeltaT)');
    expect(scene?.coordinates?.T?.isLater).toBe(true);
    const { time } = (await acquisition.readPlaneColumns?.(0)) ?? {};
    expect(Array.from(time ?? [])).toEqual(Array.from({ length: 40 }, (_, t) => late(t)));
    close();
  });

  it('say that the pixel size contradicts the field', async () => {
    const scene = await sceneOf({ settings: { LSM: 'pixelX="4" pixelY="3" pixelSizeUM="0.6" widthUM="4.8"' } });
    expect(scene.steps.X.step).toBe(0.6);
    expect(scene.warnings.join()).toContain(
      'LSM pixelSizeUM says 0.6 µm, but widthUM ÷ pixelX says 1.2 µm. Showing 0.6 µm.',
    );
  });

  it('of lines have their period', async () => {
    const scene = await sceneOf({ settings: { LSM: 'areaMode="2" pixelY="3" pixelSizeUM="0.6" frameRate="50"' } });
    expect(scene.steps.Y).toEqual({ step: 1 / 150, unit: 'seconds', origin: 'derived' });
    expect(scene.warnings.join()).toContain('The rows are the lines of a line scan');
  });

  it.each([
    ['of another vendor', '<Experiment/>'],
    ['without channels', '<ThorImageExperiment/>'],
    ['that ends early', '<ThorImageExperiment><Wavelengths><Wavelength name="Ch'],
  ])('with settings %s open otherwise', async (_, text) => {
    const scene = await sceneOf({}, (files) => {
      files['Experiment.xml'] = text;
    });
    expect(scene.sizes).toMatchObject({ Y: 3, X: 4 });
  });
});

const real = resolve(import.meta.dirname, '../../../../shared/samples-next/thor');

describe.skipIf(!existsSync(real))('real ThorImage series (need shared/samples-next)', () => {
  // Sums are those of tifffile for the single files.
  it('has the planes of its files', async () => {
    const opened = await openAcquisition(join(real, 'tz_tif/ChanB_0001_0001_0003_0002.tif'));
    const { scenes, named } = opened.acquisition.info;
    expect(named).toEqual({ scene: 0, t: 1, z: 2 });
    expect(scenes[0]).toMatchObject({
      sizes: { T: 3, Z: 3, Y: 128, X: 128 },
      steps: { T: { step: 1.97109, unit: 'seconds' }, Z: { step: 15 }, X: { step: 0.593 } },
      warnings: [],
    });
    const sum = async (channel: number, z: number, t: number) =>
      [...(await readNative(opened, 0, { channel, z, t }))].reduce<number>((total, value) => total + Number(value), 0);
    expect([await sum(0, 0, 0), await sum(0, 1, 2), await sum(1, 1, 2), await sum(1, 2, 1)]).toEqual([
      3168309, 7284111, 1411881, 1197361,
    ]);
    opened.close();
  });
});
