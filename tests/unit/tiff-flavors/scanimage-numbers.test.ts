/** Where the frames of a ScanImage file belong: their numbers and time stamps count, not their order and the settings. */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reader } from '../../../packages/readers/src/formats/tiff/index.js';
import type { OpenInput, SceneInfo } from '../../../packages/readers/src/model/acquisition.js';
import { type OpenedAcquisition, openAcquisition } from '../../../packages/server/src/open.js';
import { openFileSource } from '../../../packages/server/src/platform-node/file-source.js';
import { folderOnDisk } from '../../../packages/server/src/platform-node/files.js';
import { expectContradictionsSaid } from '../../support/contradiction.js';
import { CountingSource } from '../../support/counting-source.js';
import { readNative, sceneOf } from '../../support/native.js';
import { tempFolder, writeTemp } from '../../support/temp.js';
import { type FrameSpec, type HeaderValues, scanimageFrames } from '../../writers/scanimage.js';

const root = tempFolder();

const SINGLE: HeaderValues = {
  'hChannels.channelSave': 1,
  'hRoiManager.scanFramePeriod': 0.05,
  'hRoiManager.linePeriod': 0.02,
  'hStackManager.enable': 'false',
};
const FAST: HeaderValues = {
  ...SINGLE,
  'hStackManager.enable': 'true',
  'hStackManager.stackMode': "'fast'",
  'hStackManager.actualNumSlices': 3,
  'hStackManager.numFramesPerVolume': 3,
  'hStackManager.framesPerSlice': 1,
  'hStackManager.actualStackZStepSize': 10,
  'hRoiManager.scanVolumeRate': 1 / 0.15,
};
const FLYBACK: HeaderValues = {
  ...FAST,
  'hStackManager.numFramesPerVolumeWithFlyback': 4,
  'hRoiManager.scanVolumeRate': 5,
};
const SLOW: HeaderValues = {
  ...SINGLE,
  'hStackManager.enable': 'true',
  'hStackManager.stackMode': "'slow'",
  'hStackManager.actualNumSlices': 3,
  'hStackManager.framesPerSlice': 4,
  'hStackManager.actualStackZStepSize': 10,
};

/** Frames with these numbers. @param slice value of a frame: 1-based slice */
const frames = (numbers: readonly number[], slice: (place: number) => number): FrameSpec[] =>
  numbers.map((number) => ({ number, value: slice(number - 1) }));
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

async function open(bytes: Uint8Array): Promise<OpenedAcquisition> {
  return openAcquisition(writeTemp(mkdtempSync(join(root, 'si-')), 'a_00002.tif', bytes));
}

async function sceneFrom(bytes: Uint8Array): Promise<SceneInfo> {
  const opened = await open(bytes);
  opened.close();
  return sceneOf(opened, 0);
}

/** Returns the first sample of every plane: a row for each T, with a value for each Z. */
async function values(opened: OpenedAcquisition): Promise<number[][]> {
  const { T, Z } = sceneOf(opened, 0).sizes;
  const rows: number[][] = [];
  for (let t = 0; t < T; t++) {
    const row: number[] = [];
    for (let z = 0; z < Z; z++) row.push(Number((await readNative(opened, 0, { channel: 0, t, z }))[0]));
    rows.push(row);
  }
  opened.close();
  return rows;
}

describe('a file of a split ScanImage recording', () => {
  it.each<[string, Parameters<typeof scanimageFrames>[2]]>([
    ['of 5.2 and later', {}],
    ['as BigTIFF', { big: true }],
  ])('%s begins inside a volume: the slices keep their depths', async (_, options) => {
    const opened = await open(
      scanimageFrames(
        FAST,
        frames(range(11, 18), (place) => 1 + (place % 3)),
        options,
      ),
    );
    expect(sceneOf(opened, 0).warnings).toEqual([
      'The file begins inside a volume, with frame 11 of the recording. Its first 2 frames, up to the next volume, were skipped.',
    ]);
    expect(await values(opened)).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
  });

  it('of version 4 begins inside a volume', async () => {
    const header = { channelsSave: 1, scanFrameRate: 20, fastZEnable: 1, stackNumSlices: 3, fastZNumDiscardFrames: 0 };
    const bytes = scanimageFrames(
      header,
      frames(range(3, 8), (place) => 1 + (place % 3)),
      { style: 'spaced' },
    );
    const opened = await open(bytes);
    expect(sceneOf(opened, 0).sizes).toMatchObject({ T: 1, Z: 3 });
    expect(await values(opened)).toEqual([[1, 2, 3]]);
  });

  it('shows no flyback frame as a slice', async () => {
    const opened = await open(
      scanimageFrames(
        FLYBACK,
        frames(range(11, 24), (place) => 1 + (place % 4)),
      ),
    );
    expect(sceneOf(opened, 0).warnings).toEqual([
      expect.stringContaining('Its first 2 frames, up to the next volume'),
      'Skipped 1 of 4 frames of each volume, recorded during the flyback of the objective.',
    ]);
    expect(await values(opened)).toEqual([
      [1, 2, 3],
      [1, 2, 3],
      [1, 2, 3],
    ]);
  });

  it('without a complete volume shows the slices that it has, and opens at the first frame', async () => {
    const opened = await open(
      scanimageFrames(
        SLOW,
        frames(range(7, 12), (place) => 1 + Math.floor(place / 4)),
      ),
    );
    expect(sceneOf(opened, 0).warnings).toEqual([
      'The file has no complete volume: it begins with frame 7 of the recording, at slice 2 of 3. ' +
        'Planes that are not in this file are shown as zeros.',
    ]);
    expect(opened.acquisition.info.named).toEqual({ scene: 0, t: 2, z: 1 });
    expect(await values(opened)).toEqual([
      [0, 0, 3],
      [0, 0, 3],
      [0, 2, 3],
      [0, 2, 3],
    ]);
  });

  it('with frames of a single slice is a time series', async () => {
    const opened = await open(
      scanimageFrames(
        SLOW,
        frames(range(5, 8), (place) => place),
      ),
    );
    expect(sceneOf(opened, 0).warnings).toEqual([
      'All frames of this file are of slice 2 of 3. Showing them as time points.',
    ]);
    expect(await values(opened)).toEqual([[4], [5], [6], [7]]);
  });

  it('with parts of two volumes shows both', async () => {
    const opened = await open(
      scanimageFrames(
        FAST,
        frames([3, 4, 5], (place) => 1 + (place % 3)),
      ),
    );
    expect(await values(opened)).toEqual([
      [0, 0, 3],
      [1, 2, 0],
    ]);
  });

  it('of a loop starts each acquisition with a new volume', async () => {
    const spec = [1, 2, 3, 4, 1, 2, 3].map((inAcquisition, i) => ({
      number: 21 + i,
      inAcquisition,
      acquisition: i < 4 ? 5 : 6,
      value: 1 + ((inAcquisition - 1) % 3),
    }));
    const opened = await open(scanimageFrames(FAST, spec));
    expect(sceneOf(opened, 0).warnings).toContainEqual(expect.stringContaining('2 frames are missing'));
    expect(await values(opened)).toEqual([
      [1, 2, 3],
      [1, 0, 0],
      [1, 2, 3],
    ]);
  });
});

describe('a slow ScanImage stack', () => {
  it('is a stack in versions that could not switch it off', async () => {
    const { 'hStackManager.enable': _, 'hStackManager.stackMode': __, ...header } = SLOW;
    const opened = await open(
      scanimageFrames(
        header,
        frames(range(1, 12), (place) => Math.floor(place / 4)),
      ),
    );
    expect(sceneOf(opened, 0).sizes).toMatchObject({ T: 4, Z: 3 });
    expect(await values(opened)).toEqual([0, 1, 2, 3].map(() => [0, 1, 2]));
  });
});

it('a ScanImage clock that was not set counts as none', async () => {
  const header = { ...SINGLE, 'internal.triggerTimeString': "'4/13/2023 17:45:02.164'" };
  const opened = await open(scanimageFrames(header, [{ number: 1, value: 0, epoch: '[1601 1 1 0 0 25.045]' }]));
  expect(sceneOf(opened, 0)).toMatchObject({ date: '20230413', time: '17:45:02' });
  opened.close();
});

describe('a ScanImage file that lacks frames', () => {
  it('shows zeros in their place, and all other planes where they belong', async () => {
    const opened = await open(
      scanimageFrames(
        FAST,
        frames([1, 2, 3, 4, 6, 7, 8, 9], (place) => 1 + (place % 3)),
      ),
    );
    expect(sceneOf(opened, 0).warnings).toEqual([
      'By the frame numbers, 1 frame is missing, the first after frame 4 of the recording. ' +
        'Its plane is shown as zeros.',
    ]);
    expect(await values(opened)).toEqual([
      [1, 2, 3],
      [1, 0, 3],
      [1, 2, 3],
    ]);
  });

  it('is a time series as it is, with the times of its frames', async () => {
    const scene = await sceneFrom(
      scanimageFrames(
        SINGLE,
        frames([1, 2, 3, 5, 6], () => 0),
      ),
    );
    expect(scene.sizes).toMatchObject({ T: 5, Z: 1 });
    expect(Array.from(scene.coordinates?.T?.values ?? [], (seconds) => Number(seconds.toFixed(6)))).toEqual([
      0, 0.05, 0.1, 0.2, 0.25,
    ]);
    expect(scene.warnings).toEqual([
      'By the frame numbers, 1 frame is missing, the first after T = 2. The 5 frames that are there are ' +
        'shown one after the other.',
      expect.stringContaining('the longest interval follows T = 2'),
      expect.stringContaining(
        'T step: scanFramePeriod says 0.05 s, but the time stamps (frameTimestamps) are 0.0625 s',
      ),
    ]);
  });

  it('is a time series when most of the frames of a stack are missing', async () => {
    const scene = await sceneFrom(
      scanimageFrames(
        FAST,
        frames([1, 11, 21, 31], () => 0),
      ),
    );
    expect(scene.sizes).toMatchObject({ T: 4, Z: 1 });
    expect(scene.warnings[0]).toContain('27 frames of the stack are missing, more than are there');
  });

  it.each([
    ['do not ascend', [5, 4, 3, 2, 1, 6], /do not ascend between frames 1 and 6 of the file/],
    ['have one twice and lack another', [1, 2, 3, 4, 4, 6], /do not ascend between frames 4 and 5 of the file/],
    ['are all the same', [7, 7, 7, 7, 7, 7], undefined],
  ])('keeps the order of the file when its numbers %s', async (_, numbers, warning) => {
    const scene = await sceneFrom(
      scanimageFrames(
        FAST,
        frames(numbers, () => 0),
      ),
    );
    expect(scene.sizes.T * scene.sizes.Z * scene.channels.length).toBe(6);
    if (warning) expect(scene.warnings).toContainEqual(expect.stringMatching(warning));
  });

  it.each([1e12, Number.MAX_SAFE_INTEGER])('opens with the number %d', async (number) => {
    const scene = await sceneFrom(
      scanimageFrames(
        FAST,
        frames([1, 2, 3, number], () => 0),
      ),
    );
    expect(scene.sizes.T * scene.sizes.Z).toBeLessThanOrEqual(4);
  });

  it('puts every frame at the depth of its number, wherever gaps are', async () => {
    const dropped = fc.uniqueArray(fc.integer({ min: 2, max: 19 }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(dropped, fc.integer({ min: 0, max: 50 }), async (gaps, before) => {
        const numbers = range(1, 20).filter((number) => !gaps.includes(number));
        const spec = numbers.map((number) => ({ number: number + before, value: 1 + ((number + before - 1) % 3) }));
        const opened = await open(scanimageFrames(FAST, spec));
        for (const row of await values(opened)) {
          for (const [z, value] of row.entries()) expect([0, z + 1]).toContain(value);
        }
      }),
      { numRuns: 10 },
    );
  });
});

describe('time stamps of a ScanImage file', () => {
  const stamped = (seconds: readonly number[]) =>
    seconds.map((at, i): FrameSpec => ({ number: i + 1, value: 0, seconds: at }));

  it('beat the frame period of the header, with a warning', async () => {
    const scene = await sceneFrom(scanimageFrames(SINGLE, stamped([0, 0.1, 0.2, 0.3])));
    expect(scene.steps.T).toMatchObject({ unit: 'seconds', origin: 'file' });
    expect(scene.steps.T.step).toBeCloseTo(0.1, 9);
    expect(scene.warnings).toEqual([
      'T step: scanFramePeriod says 0.05 s, but the time stamps (frameTimestamps) are 0.1 s apart. Showing 0.1 s.',
    ]);
  });

  it.each(['camel', 'json', 'spaced'] as const)('are read in the style %s', async (style) => {
    const header = style !== 'spaced' ? SINGLE : { channelsSave: 1, scanFrameRate: 20 };
    const scene = await sceneFrom(scanimageFrames(header, stamped([0, 0.5, 1]), { style }));
    expect(scene.steps.T.step).toBeCloseTo(0.5, 9);
  });

  it('are those of the first slice of each volume', async () => {
    const spec = frames(range(1, 9), () => 0).map((frame, i) => ({ ...frame, seconds: 0.1 * i }));
    const scene = await sceneFrom(scanimageFrames(FAST, spec));
    expect(scene.steps.T.step).toBeCloseTo(0.3, 9);
    expect(scene.coordinates?.T?.values).toHaveLength(3);
  });

  it('give a slow stack that is repeated its interval', async () => {
    const header = { ...SLOW, 'hStackManager.framesPerSlice': 1 };
    const spec = frames(range(1, 9), () => 0).map((frame, i) => ({ ...frame, seconds: 2 * i }));
    expect((await sceneFrom(scanimageFrames(header, spec))).steps.T).toEqual({
      step: 6,
      unit: 'seconds',
      origin: 'file',
    });
  });

  it('of long recordings are sampled, and a pause is found', async () => {
    const times = range(0, 299).map((i) => 0.05 * i + (i >= 210 ? 30 : 0));
    const scene = await sceneFrom(scanimageFrames(SINGLE, stamped(times)));
    expect(scene.coordinates?.T).toEqual({
      unit: 'seconds',
      source: 'time stamps (frameTimestamps)',
      uneven: true,
      values: new Float64Array(),
      isLater: true,
    });
    expect(scene.warnings).toContainEqual(
      expect.stringMatching(/not evenly spaced, judging by \d+ of their 300 .*: 30\.05 s follow T = 209\. /),
    );
  });

  it('of one recording of lines show a pause, so that its frames are not joined', async () => {
    const header = { ...SINGLE, 'hRoiManager.scanAngleMultiplierSlow': 0, 'hRoiManager.linePeriod': 0.025 };
    expect((await sceneFrom(scanimageFrames(header, stamped([0, 0.05, 0.1])))).sizes.Y).toBe(6);
    const scene = await sceneFrom(scanimageFrames(header, stamped([0, 0.05, 0.1, 0.5])));
    expect(scene.sizes).toMatchObject({ T: 4, Y: 2 });
    expect(scene.warnings).toContainEqual(expect.stringContaining('Time passed between the frames of this line scan'));
  });

  it.each([
    ['run backwards', [3, 2, 1, 0]],
    ['are all zero', [0, 0, 0, 0]],
    ['are absurd', [1e300, -1e300, 5, 1e300]],
  ])('are ignored when they %s', async (_, seconds) => {
    const scene = await sceneFrom(scanimageFrames(SINGLE, stamped(seconds)));
    expect(scene.steps.T).toEqual({ step: 0.05, unit: 'seconds', origin: 'file' });
  });

  it('never contradict the header without a warning', async () => {
    await expectContradictionsSaid(
      (nominal, at) => open(scanimageFrames({ ...SINGLE, 'hRoiManager.scanFramePeriod': nominal }, stamped(at))),
      { runs: 8 },
    );
  });
});

describe('positions of the slices of a ScanImage stack', () => {
  const stack = (more: HeaderValues) =>
    scanimageFrames(
      { ...FAST, ...more },
      frames(range(1, 6), () => 0),
    );

  it('beat a Z step that was left over', async () => {
    const scene = await sceneFrom(stack({ 'hStackManager.zs': '[0 25 50]' }));
    expect(scene.steps.Z).toEqual({ step: 25, unit: 'micrometer', origin: 'file' });
    expect(scene.coordinates?.Z?.values).toEqual(Float64Array.of(0, 25, 50));
    expect(scene.warnings).toEqual([
      'Z step: actualStackZStepSize says 10 µm, but the slice positions (zs) are 25 µm apart. Showing 25 µm.',
    ]);
  });

  it('are listed once for each repeat of a slice, before averaging', async () => {
    const header = {
      ...SLOW,
      'hStackManager.framesPerSlice': 4,
      'hStackManager.numFramesPerVolume': 12,
      'hScan2D.logAverageFactor': 2,
      'hStackManager.zs': '[0 0 0 0 4 4 4 4 8 8 8 8]',
    };
    const numbers = [2, 4, 6, 8, 10, 12];
    const scene = await sceneFrom(
      scanimageFrames(
        header,
        frames(numbers, () => 0),
      ),
    );
    expect(scene.sizes).toMatchObject({ T: 2, Z: 3 });
    expect(scene.steps.Z.step).toBe(4);
    expect(scene.steps.T.step).toBeCloseTo(0.1, 9);
  });

  it('never contradict the header without a warning', async () => {
    await expectContradictionsSaid(
      (nominal, at) => {
        const listed = {
          'hStackManager.actualNumSlices': at.length,
          'hStackManager.numFramesPerVolume': at.length,
          'hStackManager.actualStackZStepSize': nominal,
          'hStackManager.zs': `[${at.join(' ')}]`,
        };
        return open(
          scanimageFrames(
            { ...FAST, ...listed },
            frames(range(1, at.length), () => 0),
          ),
        );
      },
      { axis: 'Z', runs: 8 },
    );
  });

  it('are said to be uneven', async () => {
    const scene = await sceneFrom(stack({ 'hStackManager.zs': '[0;5;20]' }));
    expect(scene.warnings).toContainEqual(expect.stringContaining('The sections are 5 µm to 15 µm apart'));
  });

  it('are the arbitrary ones only where these are in use', async () => {
    const listed = { 'hStackManager.arbitraryZs': '[0 7 14]' };
    expect((await sceneFrom(stack(listed))).steps.Z.step).toBe(10);
    const scene = await sceneFrom(stack({ ...listed, 'hStackManager.stackDefinition': "'arbitrary'" }));
    expect(scene.steps.Z.step).toBe(7);
  });

  it('of a fast stack of 2015 to 2018 are those of the user where these are in use', async () => {
    const { 'hStackManager.actualNumSlices': _, 'hStackManager.enable': __, ...older } = FAST;
    const header = {
      ...older,
      'hStackManager.numSlices': 11,
      'hStackManager.slicesPerAcq': 3,
      'hFastZ.enable': 'true',
      'hFastZ.userZs': '[0 30 60]',
    };
    const bytes = (more: HeaderValues) =>
      scanimageFrames(
        { ...header, ...more },
        frames(range(1, 6), () => 0),
      );
    expect((await sceneFrom(bytes({}))).steps.Z.step).toBe(10);
    const scene = await sceneFrom(bytes({ 'hFastZ.useArbitraryZs': 'true' }));
    expect(scene.sizes).toMatchObject({ T: 2, Z: 3 });
    expect(scene.steps.Z.step).toBe(30);
  });

  it('that run back and forth have no step', async () => {
    const scene = await sceneFrom(stack({ 'hStackManager.zs': '[0 50 25]' }));
    expect(scene.steps.Z.unit).toBe('Planes');
    expect(scene.warnings).toContainEqual(expect.stringContaining('run back and forth'));
  });

  it('of another number are ignored, with a warning', async () => {
    const scene = await sceneFrom(stack({ 'hStackManager.zs': '[0 50]' }));
    expect(scene.steps.Z.step).toBe(10);
    expect(scene.warnings).toContainEqual(expect.stringContaining('2 slice positions (zs) for 3 sections'));
  });
});

describe('what a ScanImage file says of planes and the microscope', () => {
  it('lists the time and the depth of every plane, also of many', async () => {
    const opened = await open(
      scanimageFrames(
        { ...FAST, 'hStackManager.zs': '[0 10 20]' },
        frames([1, 2, 3, 4, 6, ...range(7, 240)], () => 0),
      ),
    );
    expect(sceneOf(opened, 0).coordinates?.T?.isLater).toBe(true);
    const { time, z, ...others } = (await opened.acquisition.readPlaneColumns?.(0)) ?? {};
    expect(others).toEqual({});
    expect(Array.from(time?.slice(0, 6) ?? [], (seconds) => Number(seconds.toFixed(6)))).toEqual([
      0,
      0.05,
      0.1,
      0.15,
      Number.NaN,
      0.25,
    ]);
    expect(time).toHaveLength(240);
    expect(time?.at(-1)).toBeCloseTo(0.05 * 239, 6);
    expect(z?.slice(0, 6)).toEqual(Float64Array.of(0, 10, 20, 0, Number.NaN, 20));
    opened.close();
  });

  it('names zoom, dwell time, line period, direction, position, power and the detector of a channel', async () => {
    const scene = await sceneFrom(
      scanimageFrames(
        {
          ...SINGLE,
          'hChannels.channelSave': 2,
          'hRoiManager.scanZoomFactor': 2.5,
          'hScan2D.scanPixelTimeMean': 1e-7,
          'hScan2D.bidirectional': 'true',
          'hMotors.samplePosition': '[10 -20 30.5]',
          'hBeams.powers': 12.5,
          'hPmts.names': "{'PMT1' 'PMT2'}",
          'hPmts.gains': '[0.5 0.7]',
        },
        frames([1, 2], () => 0),
      ),
    );
    expect(scene.instrument).toEqual({
      zoom: 2.5,
      pixelDwellSeconds: 1e-7,
      linePeriodSeconds: 0.02,
      bidirectional: true,
      stage: { x: 10, y: -20, z: 30.5 },
    });
    expect(scene.channels).toEqual([{ name: 'Channel 2', laserPower: 12.5, detector: 'PMT2', gain: 0.7 }]);
  });

  it('assigns none of several beams to a channel', async () => {
    const scene = await sceneFrom(
      scanimageFrames(
        { ...SINGLE, 'hBeams.powers': '[5 50]' },
        frames([1], () => 0),
      ),
    );
    expect(scene.channels).toEqual([{ name: 'Channel 1' }]);
  });
});

it('an open of 2,000 frames reads the descriptions of a few', async () => {
  const spec = range(11, 2010).map((number) => ({ number, value: 0 }));
  const path = writeTemp(mkdtempSync(join(root, 'si-')), 'a.tif', scanimageFrames(FAST, spec));
  const source = new CountingSource(openFileSource(path));
  const probe: OpenInput['probe'] = {
    name: 'a.tif',
    kind: 'file',
    head: source.read(0, 64),
    entries: [],
    size: source.size,
  };
  const folder = folderOnDisk(root);
  const { info } = await reader.open({ probe, source, folder });
  expect(info.scenes[0]?.sizes).toMatchObject({ T: 666, Z: 3 });
  // The chain of pages is walked in any case, with a read for each page.
  expect(source.reads).toBeLessThan(2000 + 40);
  folder.close();
  source.close();
});
