import { expect, it } from 'vitest';
import { type OpenedAcquisition, openAcquisition } from '../../packages/server/src/open.js';
import { ArrayFacts, interleave, readNative, sceneOf } from '../support/native.js';
import {
  describeWithSamples,
  type ExpectedFile,
  type ExpectedImage,
  expectedFiles,
  samplePath,
} from '../support/samples.js';

const files = expectedFiles('czi/').filter(([path]) => path.endsWith('.czi'));
const LATTICE = ['LatticeLightsheet 1-T1', 'LatticeLightsheet 2-T2'];
const AIRY = ['ChA-T1', 'ChA-T2', 'ChA-T3', 'ChA-T4'];
const CELLS = 'czi/sebi06+czitools/CellDivision_T3_Z5_CH2_X240_Y170';

/**
 * The whole array in the order of the independent reader's axes. Its H is our scenes; channels that a scene lacks are
 * zeros there.
 */
async function factsOf(opened: OpenedAcquisition, scene: number, image: ExpectedImage): Promise<ArrayFacts> {
  const size = (letter: string) => image.shape[image.axes.indexOf(letter)] ?? 1;
  const facts = new ArrayFacts();
  expect(image.axes).toMatch(/^(T?C?Z?|HC)YXS?$/);
  for (let h = 0; h < (image.axes.includes('H') ? size('H') : 1); h++) {
    const info = sceneOf(opened, scene + h);
    for (let t = 0; t < (image.axes.includes('T') ? size('T') : 1); t++) {
      for (let c = 0; c < (image.axes.includes('C') ? size('C') : 1); c++) {
        for (let z = 0; z < (image.axes.includes('Z') ? size('Z') : 1); z++) {
          const samples = image.axes.endsWith('S') ? size('S') : 1;
          const parts = [];
          for (let s = 0; s < samples; s++) {
            const there = c * samples + s < info.channels.length;
            const zeros = new Uint16Array(info.sizes.Y * info.sizes.X);
            parts.push(there ? await readNative(opened, scene + h, { channel: c * samples + s, t, z }) : zeros);
          }
          facts.add(samples > 1 ? interleave(parts) : (parts[0] as Uint16Array), info.sampleType);
        }
      }
    }
  }
  return facts;
}

describeWithSamples('CZI samples equal an independent reader', () => {
  it.each(files)('%s', async (path, expected: ExpectedFile) => {
    const opened = await openAcquisition(samplePath(path));
    const images = expected.images ?? [];
    const phases = images[0]?.axes.includes('H') ? (images[0].shape[0] as number) : 1;
    expect(opened.acquisition.info.scenes).toHaveLength(images.length * phases);
    for (const [scene, image] of images.entries()) {
      const { sizes, sampleType } = sceneOf(opened, scene);
      const [rows, columns] = image.shape.slice(image.axes.indexOf('Y'), image.axes.indexOf('Y') + 2);
      expect([sizes.Y, sizes.X, sampleType]).toEqual([rows, columns, image.dtype]);
      const facts = await factsOf(opened, scene, image);
      expect([facts.min, facts.max, facts.sum]).toEqual([image.min, image.max, image.sum]);
      expect(facts.digest(), `pixels of scene ${scene}`).toBe(image.sha256_le_c);
    }
    opened.close();
  });

  /** Read out of the XML and the time stamps of the files. */
  it.each([
    [`${CELLS}.czi`, 0, ['LED555', 'LED470'], '20160212 10:41:02', [59.9954, 0.32, 0.0905767, 0.0905767]],
    ['czi/sebi06+czitools/LLS7_small.czi', 0, LATTICE, '20191123 14:27:18', [90.038, 0.144992, 0.144992, 0.144992]],
    ['czi/sebi06+czitools/LSM880_AiryScan.czi', 31, AIRY, '20230322 10:58:51', [1, 0.1594518, 0.035298, 0.035298]],
    ['czi/sebi06+czitools/DAPI_GFP.czi', 0, ['DAPI', 'GFP'], '20161201 16:13:46', [1, 1, 1, 1]],
    [
      'czi/AllenCellModeling+aicspylibczi/tiles_z.czi',
      0,
      ['Ch1', 'T PMT'],
      '20201215 10:25:00',
      [1, 4, 0.8302658, 0.8302658],
    ],
    [
      'czi/AllenCellModeling+aicspylibczi/RGB-8bit.czi',
      0,
      ['R', 'G', 'B'],
      '20191206 16:56:03',
      [1, 1, 1.0833333, 1.0833333],
    ],
  ] as const)('%s scene %i: names, date, steps', async (path, index, names, clock, steps) => {
    const opened = await openAcquisition(samplePath(path));
    const scene = sceneOf(opened, index);
    expect(scene.channels.map(({ name }) => name)).toEqual(names);
    expect(`${scene.date} ${scene.time}`).toBe(clock);
    const { T, Z, Y, X } = scene.steps;
    for (const [i, { step }] of [T, Z, Y, X].entries()) expect(step / (steps[i] as number)).toBeCloseTo(1, 5);
    opened.close();
  });

  it('names the scenes of a plate and of tile regions', async () => {
    for (const [file, names] of [
      ['WellD6-7_S2.czi', ['D6', 'D7']],
      ['S3_1Pos_2Mosaic_T1_Z1_CH1.czi', ['TR1', 'P1', 'TR2']],
    ] as const) {
      const opened = await openAcquisition(samplePath(`czi/sebi06+czitools/${file}`));
      expect(opened.acquisition.info.scenes.map(({ name }) => name)).toEqual(names);
      opened.close();
    }
  });

  it('shows one recording, stored raw and with Zstd', async () => {
    const digests = [];
    for (const path of [`${CELLS}.czi`, `${CELLS}_comp1.czi`]) {
      const opened = await openAcquisition(samplePath(path));
      const facts = new ArrayFacts();
      for (let t = 0; t < 3; t++) {
        for (let channel = 0; channel < 2; channel++) {
          for (let z = 0; z < 5; z++) facts.add(await readNative(opened, 0, { channel, t, z }), 'uint16');
        }
      }
      digests.push(facts.digest());
      opened.close();
    }
    expect(digests).toEqual(Array(2).fill('cb16baba42c7039e96d79c6d7d4f799906a69877a115975d39d192279578f005'));
  });
});
