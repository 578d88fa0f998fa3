import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sortFrames } from '../../../packages/readers/src/formats/tiff/flavors/scanimage-frames.js';
import { FramePlaces } from '../../../packages/readers/src/formats/tiff/flavors/scanimage-numbers.js';
import type { SceneInfo } from '../../../packages/readers/src/model/acquisition.js';
import { openAcquisition } from '../../../packages/server/src/open.js';
import { conformanceSuite } from '../../conformance/suite.js';
import { readNative } from '../../support/native.js';
import { describeWithSamples, samplePath } from '../../support/samples.js';
import { tempFolder, writeTemp } from '../../support/temp.js';
import {
  asciiTag,
  fixedHeader,
  frameText,
  type HeaderValues,
  scanimage3Text,
  scanimageText,
} from '../../writers/scanimage.js';
import { type TagSpec, writeTiff } from '../../writers/tiff.js';

const root = tempFolder();
const fresh = () => mkdtempSync(join(root, 'si-'));
const SOFTWARE = 305;
const DESCRIPTION = 270;

/** Frames of 2 lines × 4 pixels; the value of every pixel is 10 × page − 5. */
interface Spec {
  pages: number;
  /** Tags of a page. */
  tags: (page: number) => TagSpec[];
  big?: boolean;
  /** Samples of a page differ. */
  counting?: boolean;
  fixed?: Uint8Array;
}

function scanimage({ pages, tags, big = false, fixed, counting = false }: Spec): Uint8Array {
  const bytes = writeTiff({
    big,
    headerGap: fixed?.length ?? 0,
    pages: Array.from({ length: pages }, (_, page) => ({
      width: 4,
      height: 2,
      samples: new Int16Array(8).map((_, i) => 10 * page - 5 + (counting ? i : 0)),
      tags: tags(page),
    })),
  });
  if (fixed) bytes.set(fixed, 16);
  return bytes;
}

const open = (spec: Spec) => openAcquisition(writeTemp(fresh(), 'a.tif', scanimage(spec)));

async function sceneOf(spec: Spec): Promise<SceneInfo> {
  const opened = await open(spec);
  opened.close();
  return opened.acquisition.info.scenes[0] as SceneInfo;
}

/** A header in the Software tag of every page. */
const software = (values: HeaderValues, channels = 1, period = 0.05) => ({
  tags: (page: number) => {
    const frame = Math.floor(page / channels);
    return [
      asciiTag(SOFTWARE, scanimageText(values)),
      asciiTag(DESCRIPTION, frameText(1 + frame, frame * period, 300)),
    ];
  },
});

const VALUES: HeaderValues = {
  'hChannels.channelSave': '[1;3]',
  'hChannels.channelName': "{'Green' 'Off' 'Red' 'IR'}",
  'hRoiManager.linePeriod': 0.02,
  'hRoiManager.scanFramePeriod': 0.05,
  'hRoiManager.linesPerFrame': 2,
  'hRoiManager.pixelsPerLine': 4,
  'hRoiManager.imagingFovUm': '[-10 -5;10 -5;10 5;-10 5]',
  'hRoiManager.scanAngleMultiplierSlow': 1,
  // Left over from an earlier stack, as in real files.
  'hStackManager.enable': 'false',
  'hStackManager.numSlices': 41,
  'hStackManager.framesPerSlice': 54000,
  'hFastZ.enable': 'false',
};
const ONE: HeaderValues = { ...VALUES, 'hChannels.channelSave': 1 };

describe('ScanImage frames', () => {
  const expected = {
    name: '',
    sampleType: 'int16',
    channels: [{ name: 'Green' }, { name: 'Red' }],
    sizes: { T: 3, Z: 1, Y: 2, X: 4 },
    steps: {
      T: { step: 0.05, unit: 'seconds', origin: 'file' },
      Z: { step: 1, unit: 'Planes', origin: 'default' },
      Y: { step: 5, unit: 'micrometer', origin: 'file' },
      X: { step: 5, unit: 'micrometer', origin: 'file' },
    },
    instrument: { linePeriodSeconds: 0.02, start: '2023-04-13T17:45:02' },
    date: '20230413',
    time: '17:45:02',
    reference: null,
    warnings: [],
  };

  const coordinates = {
    T: {
      unit: 'seconds',
      source: 'time stamps (frameTimestamps)',
      uneven: false,
      values: Float64Array.of(0, 0.05, 0.1),
    },
  };

  it('of 2016 and later: fixed header of a BigTIFF', async () => {
    const opened = await open({
      pages: 6,
      big: true,
      fixed: fixedHeader(scanimageText(VALUES), '{"RoiGroups":{"imagingRoiGroup":{"rois":{"zs":0}}}}'),
      tags: (page) => [asciiTag(DESCRIPTION, frameText(1 + Math.floor(page / 2), Math.floor(page / 2) * 0.05, 300))],
    });
    expect(opened.acquisition.info).toEqual({ format: 'tif', scenes: [{ ...expected, coordinates }] });
    // Channel fastest; signed.
    expect((await readNative(opened, 0, { channel: 0, t: 0 }))[0]).toBe(-5);
    expect((await readNative(opened, 0, { channel: 1, t: 2 }))[0]).toBe(45);
    opened.close();
  });

  it('of 5.2: header in the Software tag', async () => {
    expect(await sceneOf({ pages: 6, ...software(VALUES, 2) })).toEqual({ ...expected, coordinates });
  });

  it('of 5.0: header in the description', async () => {
    const text = (page: number) =>
      `Frame Number = ${1 + Math.floor(page / 2)}\n${scanimageText(VALUES, 'scanimage.SI.')}`;
    const scene = await sceneOf({ pages: 6, tags: (page) => [asciiTag(DESCRIPTION, text(page))] });
    expect(scene).toEqual({ ...expected, instrument: { linePeriodSeconds: 0.02 }, date: '', time: '' });
  });

  it('of version 4', async () => {
    const values = {
      channelsSave: '[1 2]',
      scanFrameRate: 20,
      scanLinePeriod: 0.02,
      stackNumSlices: 1,
      scanAngleMultiplierSlow: 1,
    };
    const scene = await sceneOf({
      pages: 4,
      tags: () => [asciiTag(DESCRIPTION, scanimageText(values, 'scanimage.SI4.'))],
    });
    expect(scene.channels).toEqual([{ name: 'Channel 1' }, { name: 'Channel 2' }]);
    expect(scene.sizes.T).toBe(2);
    expect(scene.steps.T).toEqual({ step: 0.05, unit: 'seconds', origin: 'file' });
    expect(scene.steps.Y).toEqual({ step: 1, unit: 'Pixels', origin: 'default' });
  });

  it('of version 3', async () => {
    const values = {
      'acq.numberOfChannelsSave': 2,
      'acq.frameRate': 20,
      'acq.msPerLine': 25,
      'acq.linescan': 0,
      'acq.numberOfZSlices': 1,
      'acq.numberOfFrames': 3,
      'internal.triggerTimeString': "'4/13/2023 17:45:02.164'",
    };
    const scene = await sceneOf({ pages: 6, tags: () => [asciiTag(DESCRIPTION, scanimage3Text(values))] });
    expect(scene).toMatchObject({
      channels: [{ name: 'Channel 1' }, { name: 'Channel 2' }],
      sizes: { T: 3, Z: 1, Y: 2, X: 4 },
      date: '20230413',
      time: '17:45:02',
    });
    expect(scene.steps.T.step).toBe(0.05);
    expect(scene.steps.Y.unit).toBe('Pixels');
  });

  it('counts averaged frames once', async () => {
    const scene = await sceneOf({ pages: 2, ...software({ ...ONE, 'hScan2D.logAverageFactor': 4 }, 1, 0.2) });
    expect(scene.steps.T.step).toBe(0.2);
  });

  it('takes degrees and the resolution of the objective where micrometers are missing', async () => {
    const values: HeaderValues = {
      ...ONE,
      'hRoiManager.imagingFovUm': '[]',
      'hRoiManager.imagingFovDeg': '[-1 -1;1 -1;1 1;-1 1]',
      objectiveResolution: 15,
    };
    const scene = await sceneOf({ pages: 1, ...software(values) });
    expect(scene.steps.X).toEqual({ step: 7.5, unit: 'micrometer', origin: 'file' });
    expect(scene.steps.Y).toEqual({ step: 15, unit: 'micrometer', origin: 'file' });
  });

  it('shows several regions of interest whole, without a pixel size', async () => {
    const json = '{"RoiGroups":{"imagingRoiGroup":{"rois":[{},{},{}]}}}';
    const tags = (page: number) => [...software(ONE).tags(page), asciiTag(315, json)];
    const scene = await sceneOf({ pages: 1, tags });
    expect(scene.steps).toMatchObject({ X: { unit: 'Pixels' }, Y: { unit: 'Pixels' } });
    expect(scene.warnings[0]).toContain('3 regions of interest');
    const off = await sceneOf({
      pages: 1,
      tags: (p) => [asciiTag(SOFTWARE, scanimageText({ ...ONE, 'hRoiManager.mroiEnable': 0 })), ...tags(p).slice(1)],
    });
    expect(off.steps.X.unit).toBe('micrometer');
  });
});

describe('ScanImage stacks', () => {
  const FAST: HeaderValues = {
    ...ONE,
    'hStackManager.enable': 'true',
    'hStackManager.actualNumSlices': 3,
    'hStackManager.numFramesPerVolume': 3,
    'hStackManager.numFramesPerVolumeWithFlyback': 4,
    'hStackManager.actualStackZStepSize': -2,
    'hStackManager.framesPerSlice': 1,
    'hFastZ.enable': 'true',
    'hRoiManager.scanVolumeRate': 5,
  };

  it('fast: slices of a volume, then flyback frames, then the next volume', async () => {
    const opened = await open({ pages: 8, ...software(FAST) });
    const scene = opened.acquisition.info.scenes[0] as SceneInfo;
    expect(scene.sizes).toEqual({ T: 2, Z: 3, Y: 2, X: 4 });
    expect(scene.steps.T).toEqual({ step: 0.2, unit: 'seconds', origin: 'file' });
    expect(scene.steps.Z).toEqual({ step: 2, unit: 'micrometer', origin: 'file' });
    expect(scene.warnings).toEqual([
      'Skipped 1 of 4 frames of each volume, recorded during the flyback of the objective.',
    ]);
    expect((await readNative(opened, 0, { channel: 0, t: 1, z: 2 }))[0]).toBe(10 * 6 - 5);
    opened.close();
  });

  it('slow: repeats of a slice, then the next slice', async () => {
    const values: HeaderValues = {
      ...ONE,
      'hStackManager.enable': 'true',
      'hStackManager.stackMode': "'slow'",
      'hStackManager.numSlices': 3,
      'hStackManager.framesPerSlice': 2,
      'hStackManager.stackZStepSize': 1.5,
    };
    const opened = await open({ pages: 6, ...software(values) });
    const scene = opened.acquisition.info.scenes[0] as SceneInfo;
    expect(scene.sizes).toMatchObject({ T: 2, Z: 3 });
    expect(scene.steps).toMatchObject({ T: { step: 0.05 }, Z: { step: 1.5 } });
    expect((await readNative(opened, 0, { channel: 0, t: 1, z: 2 }))[0]).toBe(10 * 5 - 5);
    opened.close();
  });

  it('does not believe slice counts of a stack that was not enabled', async () => {
    expect((await sceneOf({ pages: 6, ...software(ONE) })).sizes).toMatchObject({ T: 6, Z: 1 });
  });

  it('leaves out the last volume when it was interrupted', async () => {
    const scene = await sceneOf({ pages: 9, ...software(FAST) });
    expect(scene.sizes).toMatchObject({ T: 2, Z: 3 });
    expect(scene.warnings[0]).toBe('The last volume or slice is incomplete; 1 frame skipped.');
  });

  it.each([
    // slices, repeats, flyback, frames → T, Z, index of (last t, last z)
    [3, 1, 1, 7, 2, 3, 6],
    [3, 1, 1, 8, 2, 3, 6],
    [3, 2, 0, 5, 2, 2, 3],
    [3, 2, 0, 12, 4, 3, 11],
    [3, 5, 0, 4, 4, 1, 3],
    [1, 1, 0, 4, 4, 1, 3],
    [1e9, 1e9, 0, 10, 10, 1, 9],
  ])('%i slices × %i repeats + %i: %i frames are T %i, Z %i', (slices, repeats, flyback, count, T, Z, last) => {
    const frames = sortFrames({ slices, repeats, flyback }, new FramePlaces(count));
    expect([frames.T, frames.Z, frames.index(T - 1, Z - 1)]).toEqual([T, Z, last]);
  });
});

describe('ScanImage line scans', () => {
  const v3 = { 'acq.numberOfChannelsSave': 2, 'acq.frameRate': 250, 'acq.msPerLine': 2, 'acq.linescan': 1 };

  it('of version 3 are one recording: all frames of a channel below each other', async () => {
    const opened = await open({ pages: 6, tags: () => [asciiTag(DESCRIPTION, scanimage3Text(v3))] });
    const scene = opened.acquisition.info.scenes[0] as SceneInfo;
    expect(scene.sizes).toEqual({ T: 1, Z: 1, Y: 6, X: 4 });
    expect(scene.steps.Y).toEqual({ step: 0.002, unit: 'seconds', origin: 'file' });
    expect(scene.steps.X).toEqual({ step: 1, unit: 'Pixels', origin: 'default' });
    const lines = await readNative(opened, 0, { channel: 1 });
    expect([0, 1, 2, 3, 4, 5].map((row) => lines[row * 4])).toEqual([5, 5, 25, 25, 45, 45]);
    opened.close();
  });

  it('are one recording when no time passes between the frames', async () => {
    const values = { ...ONE, 'hRoiManager.scanAngleMultiplierSlow': 0, 'hRoiManager.linePeriod': 0.025 };
    const scene = await sceneOf({ pages: 3, ...software(values) });
    expect(scene.sizes).toEqual({ T: 1, Z: 1, Y: 6, X: 4 });
    expect(scene.steps.Y).toEqual({ step: 0.025, unit: 'seconds', origin: 'file' });
    expect(scene.steps.X).toEqual({ step: 5, unit: 'micrometer', origin: 'file' });
  });

  it('are time points when the mirror flew back between the frames', async () => {
    const scene = await sceneOf({ pages: 3, ...software({ ...ONE, 'hRoiManager.scanAngleMultiplierSlow': 0 }) });
    expect(scene.sizes).toEqual({ T: 3, Z: 1, Y: 2, X: 4 });
    expect(scene.steps.Y).toEqual({ step: 0.02, unit: 'seconds', origin: 'file' });
    expect(scene.warnings[0]).toContain('0.0100 s apart');
  });

  it.each([
    ['milliseconds', 25, 0.025],
    ['microseconds', 25000, 0.025],
  ])('a line period in %s is told by the frame period', async (_, linePeriod, step) => {
    const values = { ...ONE, 'hRoiManager.scanAngleMultiplierSlow': 0, 'hRoiManager.linePeriod': linePeriod };
    const scene = await sceneOf({ pages: 1, ...software(values) });
    expect(scene.steps.Y.step).toBeCloseTo(step, 15);
    expect(scene.warnings).toHaveLength(1);
  });

  it('have no seconds without a usable period', async () => {
    const values = { ...ONE, 'hRoiManager.scanAngleMultiplierSlow': 0, 'hRoiManager.linePeriod': 'NaN' };
    const scene = await sceneOf({ pages: 1, ...software(values) });
    expect(scene.steps.Y).toEqual({ step: 1, unit: 'Pixels', origin: 'default' });
  });
});

describe('ScanImage files that are not as announced', () => {
  it('leaves out a last frame that lacks a channel', async () => {
    const scene = await sceneOf({ pages: 5, ...software(VALUES, 2) });
    expect(scene.sizes.T).toBe(2);
    expect(scene.warnings).toEqual([
      'The last frame has 1 of 2 channels and is not shown. The recording was probably interrupted.',
    ]);
  });

  it('shows the only channel of a first frame that lacks the others', async () => {
    const scene = await sceneOf({ pages: 1, ...software(VALUES, 2) });
    expect(scene.channels).toEqual([{ name: 'Green' }]);
    expect(scene.warnings).toHaveLength(1);
  });

  it('counts channels by frame numbers when the header names another number', async () => {
    const scene = await sceneOf({ pages: 6, ...software(ONE, 2) });
    expect(scene.channels).toHaveLength(2);
    expect(scene.sizes.T).toBe(3);
    expect(scene.warnings[0]).toBe(
      'The ScanImage header says that 1 channel was saved, but 2 pages have the same frame number. Showing 2 channels.',
    );
  });

  it('shows the pages behind a chain that broke because pointers overflowed', async () => {
    const bytes = scanimage({ pages: 9, ...software(ONE) });
    breakChain(bytes, 3);
    const opened = await openAcquisition(writeTemp(fresh(), 'a.tif', bytes));
    const scene = opened.acquisition.info.scenes[0] as SceneInfo;
    expect(scene.sizes.T).toBe(9);
    expect(scene.warnings.some((warning) => warning.includes('5 more follow'))).toBe(true);
    for (const t of [0, 3, 4, 8]) expect((await readNative(opened, 0, { channel: 0, t }))[0]).toBe(10 * t - 5);
    opened.close();
  });

  it('keeps to the chain when there are no pages where they would have to be', async () => {
    const bytes = scanimage({ pages: 9, ...software(ONE) });
    const at = breakChain(bytes, 3);
    bytes.fill(0, at + 200);
    const opened = await openAcquisition(writeTemp(fresh(), 'a.tif', bytes));
    expect(opened.acquisition.info.scenes[0]?.sizes.T).toBe(4);
    opened.close();
  });

  it.each<[string, HeaderValues]>([
    [
      'absurd counts',
      { 'hStackManager.enable': 'true', 'hStackManager.numSlices': 4e9, 'hStackManager.framesPerSlice': 4e9 },
    ],
    ['negative periods', { 'hRoiManager.scanFramePeriod': -1, 'hRoiManager.linePeriod': -1 }],
    ['zero everywhere', { 'hRoiManager.scanFramePeriod': 0, 'hRoiManager.imagingFovUm': '[0 0;0 0]' }],
    ['Inf and NaN', { 'hRoiManager.scanFramePeriod': 'Inf', 'hRoiManager.imagingFovUm': '[NaN NaN;Inf Inf]' }],
    ['no value', { 'hRoiManager.scanFramePeriod': '', 'hChannels.channelSave': '' }],
    ['a matrix of text', { 'hRoiManager.imagingFovUm': "{'a' 'b'}" }],
    ['brackets without end', { 'hChannels.channelSave': '[[[[[[' }],
  ])('opens with %s', async (_, values) => {
    const scene = await sceneOf({ pages: 3, ...software({ 'hChannels.channelSave': 1, ...values }) });
    expect(scene.sizes.T * scene.sizes.Z).toBe(3);
    for (const { step } of Object.values(scene.steps)) expect(Number.isFinite(step) && step > 0).toBe(true);
  });

  it('does not believe a fixed header longer than the file', async () => {
    const fixed = fixedHeader(scanimageText(VALUES), '{}');
    new DataView(fixed.buffer).setUint32(8, 0xffffffff, true);
    const scene = await sceneOf({ pages: 2, big: true, fixed, ...software(ONE) });
    expect(scene.channels).toEqual([{ name: 'Green' }]);
  });
});

/** Lets the next-IFD pointer of a page point behind the file; returns where that IFD ends. */
function breakChain(bytes: Uint8Array, page: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let ifd = view.getUint32(4, true);
  for (let index = 0; ; index++) {
    const pointer = ifd + 2 + 12 * view.getUint16(ifd, true);
    if (index === page) {
      view.setUint32(pointer, 0xfffffff0, true);
      return pointer + 4;
    }
    ifd = view.getUint32(pointer, true);
  }
}

conformanceSuite(
  'scanimage',
  [
    {
      name: 'two channels in time',
      write: (folder) => writeTemp(folder, 'a.tif', scanimage({ pages: 6, counting: true, ...software(VALUES, 2) })),
      format: 'tif',
      scenes: [{ sizes: { T: 3, Z: 1, Y: 2, X: 4 }, channels: ['Green', 'Red'], sampleType: 'int16' }],
    },
  ],
  fresh,
);

describeWithSamples('real ScanImage file', () => {
  it('has two channels of three frames, whatever its header says', async () => {
    const opened = await openAcquisition(samplePath('tiff-scanimage/rhayman+ScanImageTiffIO/test_file1.tif'));
    const scene = opened.acquisition.info.scenes[0] as SceneInfo;
    expect(scene).toMatchObject({
      sampleType: 'int16',
      channels: [{ name: 'Channel 1' }, { name: 'Channel 2' }],
      sizes: { T: 3, Z: 1, Y: 512, X: 512 },
      date: '20230413',
      time: '17:45:02',
    });
    // The stamps of the frames are 0, 0.0333527 and 0.0667039 s; scanFramePeriod says 0.0333571 s.
    expect(scene.steps.T).toEqual({ step: 0.03335195, unit: 'seconds', origin: 'file' });
    expect(scene.steps.X).toEqual({ step: 168.75 / 512, unit: 'micrometer', origin: 'file' });
    expect(scene.steps.Y).toEqual({ step: 168.75 / 512, unit: 'micrometer', origin: 'file' });
    let sum = 0;
    for (let t = 0; t < 3; t++) {
      for (const channel of [0, 1]) {
        const plane = await readNative(opened, 0, { channel, t });
        for (const value of plane) sum += Number(value);
        // First, centre and last value by an independent reader: pages 0, 3 and 5.
        if (t === 0 && channel === 0) expect(plane[0]).toBe(-665);
        if (t === 1 && channel === 1) expect(plane[256 * 512 + 256]).toBe(4);
        if (t === 2 && channel === 1) expect(plane[512 * 512 - 1]).toBe(-6);
      }
    }
    expect(sum).toBe(-415284594);
    expect(scene.warnings).toHaveLength(1);
    opened.close();
  });
});
