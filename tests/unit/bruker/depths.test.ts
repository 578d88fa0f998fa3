/** When and at which depth the planes of a Prairie View series were taken: times and positions of its frames count. */
import { mkdtempSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SceneInfo } from '../../../packages/readers/src/model/acquisition.js';
import { type OpenedAcquisition, openAcquisition } from '../../../packages/server/src/open.js';
import { planeName, RASTER, series } from '../../support/bruker.js';
import { expectContradictionsSaid } from '../../support/contradiction.js';
import { readNative, sceneOf } from '../../support/native.js';
import { tempFolder } from '../../support/temp.js';
import { type BrukerSequence, type BrukerSpec, type BrukerState, writeBruker } from '../../writers/bruker.js';

const root = tempFolder();
const folder = () => mkdtempSync(join(root, 'depths-'));

const { micronsPerPixel, ...WITHOUT_SCALE } = RASTER;
const stage = (z: number, more: Record<string, number> = {}): BrukerState => ({
  positionCurrent: { XAxis: { 0: 7 }, YAxis: { 0: 8 }, ZAxis: { 0: z, ...more } },
});

/** Planes of one channel whose samples all are `10 × depth + 1`; a cycle for each list of depths. */
function volumes(depths: readonly (readonly number[])[], change: Partial<BrukerSequence> = {}): BrukerSpec {
  const name = 'TSeries-1';
  const sequences = depths.map((own, t) => ({
    type: 'TSeries ZSeries Element',
    cycle: t + 1,
    frames: own.map((z, i) => ({
      relativeTime: 0.1 * i,
      absoluteTime: 10 * t + 0.1 * i,
      state: stage(z),
      files: [{ channel: 1, file: planeName(t + 1, 1, i + 1, name) }],
    })),
    ...change,
  }));
  const planes = depths.flatMap((own, t) =>
    own.map((z, i) => ({ file: planeName(t + 1, 1, i + 1, name), rows: 2, columns: 2, value: () => 10 * z + 1 })),
  );
  const state = { ...RASTER, linesPerFrame: 2, pixelsPerLine: 2 };
  return { name, state, sequences, planes };
}

async function open(spec: BrukerSpec): Promise<OpenedAcquisition> {
  return openAcquisition(writeBruker(folder(), spec));
}

async function sceneFrom(spec: BrukerSpec): Promise<SceneInfo> {
  const opened = await open(spec);
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

describe('a Z series that is scanned back and forth', () => {
  const UP = [0, 5, 10, 15];
  const DOWN = [15, 10, 5, 0];

  it('has each section at one depth', async () => {
    const opened = await open(volumes([UP, DOWN, UP, DOWN], { bidirectionalZ: true }));
    const scene = sceneOf(opened, 0);
    expect(scene.warnings).toEqual([
      'The stage positions of 2 of 4 time points, the first T = 1 run in another order. Their planes were put in the order of ' +
        'the first time point.',
    ]);
    expect(scene.steps).toMatchObject({ Z: { step: 5, unit: 'micrometer' }, T: { step: 10, unit: 'seconds' } });
    expect(await values(opened)).toEqual([UP, DOWN, UP, DOWN].map(() => [1, 51, 101, 151]));
  });

  it('keeps the order of its first time point when that runs down', async () => {
    const opened = await open(volumes([DOWN, UP]));
    expect(await values(opened)).toEqual([
      [151, 101, 51, 1],
      [151, 101, 51, 1],
    ]);
  });

  it('was stopped on its way back: the planes that it has are at their depths', async () => {
    const opened = await open(volumes([UP, [15, 10]]));
    expect(await values(opened)).toEqual([
      [1, 51, 101, 151],
      [0, 0, 101, 151],
    ]);
  });

  it('opens at the section of the plane that is named', async () => {
    const at = folder();
    writeBruker(at, volumes([UP, DOWN]));
    const opened = await openAcquisition(join(at, planeName(2, 1, 1, 'TSeries-1')));
    expect(opened.acquisition.info.named).toEqual({ scene: 0, t: 1, z: 3 });
    opened.close();
  });

  it('has a warning when the way back is at other depths', async () => {
    const opened = await open(volumes([UP, [19, 14, 9, 4]]));
    expect(sceneOf(opened, 0).warnings).toEqual([
      expect.stringContaining('The stage positions of T = 1 run in another order'),
      expect.stringMatching(/at other depths at other time points: .* Z = 3 at T = 1 is 4 µm from/),
    ]);
    expect((await values(opened))[1]).toEqual([41, 91, 141, 191]);
  });

  it('has a warning when its depths are unknown', async () => {
    const still = [3, 3, 3];
    const scene = await sceneFrom(volumes([still, still], { bidirectionalZ: true }));
    expect(scene.warnings).toEqual([expect.stringContaining('may be in the opposite order')]);
    expect((await sceneFrom(volumes([still, still]))).warnings).toEqual([]);
  });
});

describe('readings of a stage', () => {
  it.each([
    [
      'that jitter',
      [
        [0, 0.04],
        [0.05, 0.01],
      ],
    ],
    [
      'that are not numbers',
      [
        [Number.NaN, Number.NaN],
        [Number.NaN, 1],
      ],
    ],
    [
      'that repeat',
      [
        [0, 0, 5],
        [5, 0, 0],
      ],
    ],
  ])('%s do not change the order', async (_, depths) => {
    const opened = await open(volumes(depths));
    expect(sceneOf(opened, 0).warnings.filter((text) => text.includes('another order'))).toEqual([]);
    expect(await values(opened)).toEqual(depths.map((own) => own.map((z) => Math.trunc(10 * z + 1) || 0)));
  });
});

describe('the Z step of Prairie View', () => {
  const stack = (change: (spec: BrukerSpec) => BrukerSpec, depths: readonly number[] = [0, 2, 4, 6]) => {
    const spec = change(series('ZSeries', depths.length, 1, [1]));
    const sequences = spec.sequences.map((sequence) => ({
      ...sequence,
      frames: sequence.frames.map((frame, i) => ({ ...frame, state: { ...frame.state, ...stage(depths[i]!) } })),
    }));
    return { ...spec, sequences };
  };

  it('follows from the positions, with a warning when micronsPerPixel contradicts them', async () => {
    const scene = await sceneFrom(stack((spec) => spec));
    expect(scene.steps.Z).toEqual({ step: 2, unit: 'micrometer', origin: 'file' });
    expect(scene.coordinates?.Z).toMatchObject({ source: 'stage positions', values: Float64Array.of(0, 2, 4, 6) });
    expect(scene.warnings).toEqual([
      'Z step: micronsPerPixel says 5 µm, but the stage positions are 2 µm apart. Showing 2 µm.',
    ]);
  });

  it('is that of the positions in version 4.3, which has no other', async () => {
    const scene = await sceneFrom({ ...stack((spec) => ({ ...spec, state: WITHOUT_SCALE })), style: 'nested' });
    expect(scene.steps.Z).toEqual({ step: 2, unit: 'micrometer', origin: 'file' });
    const keys = stack((spec) => spec);
    const sequences = keys.sequences.map((sequence) => ({
      ...sequence,
      frames: sequence.frames.map((frame, i) => ({
        ...frame,
        state: { ...WITHOUT_SCALE, positionCurrent: { ZAxis: -3 * i } },
      })),
    }));
    const { state: _, ...old } = { ...keys, sequences, style: 'keys' as const };
    expect((await sceneFrom(old)).steps.Z).toEqual({ step: 3, unit: 'micrometer', origin: 'file' });
  });

  it('is the sum of all devices: the stage, and a piezo that moves with it', async () => {
    const spec = series('ZSeries', 3, 1, [1]);
    const sequences = spec.sequences.map((sequence) => ({
      ...sequence,
      frames: sequence.frames.map((frame, i) => ({ ...frame, state: stage(100 + i, { 1: 7 * i }) })),
    }));
    const scene = await sceneFrom({ ...spec, sequences });
    expect(scene.steps.Z).toEqual({ step: 8, unit: 'micrometer', origin: 'derived' });
  });

  it('is micronsPerPixel when nothing moves', async () => {
    const scene = await sceneFrom(stack((spec) => spec, [4, 4, 4]));
    expect(scene.steps.Z.step).toBe(micronsPerPixel.ZAxis);
    expect(scene.warnings).toEqual([]);
  });

  it('never contradicts the positions without a warning', async () => {
    await expectContradictionsSaid(
      (nominal, at) =>
        open(
          stack(
            (spec) => ({ ...spec, state: { ...RASTER, micronsPerPixel: { XAxis: 1, YAxis: 1, ZAxis: nominal } } }),
            at,
          ),
        ),
      { axis: 'Z', runs: 8 },
    );
  });
});

describe('the times of a Prairie View series', () => {
  const timed = (times: readonly (number | undefined)[], state: BrukerState = RASTER) => {
    const spec = series('TSeries Timed Element', times.length, 1, [1]);
    const sequences = spec.sequences.map((sequence) => ({
      ...sequence,
      frames: sequence.frames.map(({ files }, i) => ({ files, relativeTime: times[i] ?? Number.NaN })),
    }));
    return { ...spec, state, sequences };
  };

  it('put the last frame where it was, and show a pause', async () => {
    const scene = await sceneFrom(timed([0, 1, 2, 33]));
    expect(scene.steps.T).toEqual({ step: 11, unit: 'seconds', origin: 'file' });
    expect(scene.coordinates?.T).toMatchObject({ uneven: true, values: Float64Array.of(0, 1, 2, 33) });
    expect(scene.warnings).toEqual([expect.stringContaining('the longest interval follows T = 2')]);
  });

  it('beat a frame period that is too long for them', async () => {
    const scene = await sceneFrom(timed([0, 0.01, 0.02]));
    expect(scene.steps.T.step).toBe(0.01);
    expect(scene.warnings).toEqual([
      'T step: framePeriod says 0.02 s, but the frame times are 0.01 s apart. Showing 0.01 s.',
    ]);
  });

  it.each([
    ['missing', [undefined, undefined, undefined], 0.02],
    ['backwards', [3, 2, 1], 0.02],
    ['all zero', [0, 0, 0], 0.02],
  ])('are replaced by the frame period when they are %s', async (_, times, step) => {
    expect((await sceneFrom(timed(times))).steps.T).toEqual({ step, unit: 'seconds', origin: 'file' });
  });

  it('are clocks of the cycles, also past midnight', async () => {
    const spec = volumes([[0], [0], [0]]);
    const clocks = ['23:59:30', '00:00:00', '00:00:30'];
    const sequences = spec.sequences.map((sequence, t) => ({
      ...sequence,
      time: clocks[t]!,
      frames: sequence.frames.map((frame) => ({ ...frame, absoluteTime: Number.NaN })),
    }));
    expect((await sceneFrom({ ...spec, sequences })).steps.T).toEqual({ step: 30, unit: 'seconds', origin: 'file' });
  });
});

describe('images that the XML of a Prairie View recording does not name', () => {
  it('before the end of the recording are named, and the recording was not stopped', async () => {
    const spec = series('TSeries Timed Element', 4, 1, [1, 2]);
    const sequences = spec.sequences.map((sequence) => ({
      ...sequence,
      frames: sequence.frames.map((frame, i) => (i === 1 ? { ...frame, files: frame.files.slice(0, 1) } : frame)),
    }));
    expect((await sceneFrom({ ...spec, sequences })).warnings).toEqual([
      'The XML does not name 1 image of frames before the end, the first in cycle 1, frame 2, channel Ch2. They are shown as ' +
        'zeros.',
    ]);
  });
});

describe('what a Prairie View recording says of planes and the microscope', () => {
  it('lists the time and the position of every plane, in the order of the sections', async () => {
    const opened = await open(
      volumes([
        [0, 5],
        [5, 0],
      ]),
    );
    const columns = await opened.acquisition.readPlaneColumns?.(0);
    expect(columns).toEqual({
      time: Float64Array.of(0, 0.1, 10.1, 10),
      x: Float64Array.of(7, 7, 7, 7),
      y: Float64Array.of(8, 8, 8, 8),
      z: Float64Array.of(0, 5, 0, 5),
    });
    opened.close();
  });

  it.each(['nested', 'keys'] as const)('names objective, zoom, dwell time and position (%s)', async (style) => {
    const spec = series('TSeries Timed Element', 2, 1, [1]);
    const state = {
      ...RASTER,
      objectiveLens: '40X LUMPlanFL/IR',
      objectiveLensMag: 40,
      objectiveLensNA: 0.8,
      opticalZoom: 4,
      dwellTime: 7.2,
      laserWavelength: { 0: 920 },
    };
    const sequences = spec.sequences.map((sequence) => ({
      ...sequence,
      frames: sequence.frames.map((frame) => ({ ...frame, ...(style === 'keys' && { state }) })),
    }));
    const scene = await sceneFrom({ ...spec, sequences, style, ...(style === 'nested' && { state }) });
    expect(scene.instrument).toEqual({
      objective: { name: '40X LUMPlanFL/IR', magnification: 40, numericalAperture: 0.8 },
      zoom: 4,
      pixelDwellSeconds: expect.closeTo(7.2e-6, 12),
      linePeriodSeconds: 0.00214,
      start: '2024-01-02T16:03:16',
    });
    expect(scene.channels).toEqual([{ name: 'Ch1', excitationNm: 920 }]);
  });
});

it('a Prairie View folder with names in NFD opens from its plane, whatever the spelling', async () => {
  const at = folder();
  const [nfc, nfd] = ['Größe', 'Größe'.normalize('NFD')];
  const spec = series('TSeries Timed Element', 2, 1, [1]);
  const rename = (file: string) => file.replace(/^.*(?=_Cycle)/, nfc);
  const path = writeBruker(at, {
    ...spec,
    name: nfc,
    sequences: spec.sequences.map((sequence) => ({
      ...sequence,
      frames: sequence.frames.map((frame) => ({
        ...frame,
        files: frame.files.map((entry) => ({ ...entry, file: rename(entry.file) })),
      })),
    })),
    planes: spec.planes.map((plane) => ({ ...plane, file: rename(plane.file) })),
  });
  const second = planeName(1, 1, 2, nfc);
  renameSync(join(at, second), join(at, second.normalize('NFD')));
  renameSync(join(at, planeName(1, 1, 1, nfc)), join(at, planeName(1, 1, 1, nfd)));
  // Another recording, whose planes are missing.
  writeFileSync(join(at, 'other.xml'), readFileSync(path));
  const mixed = await openAcquisition(at);
  expect(sceneOf(mixed, 0).sizes.T).toBe(2);
  mixed.close();
  renameSync(path, path.normalize('NFD'));
  for (const [name, t] of [
    [planeName(1, 1, 2, nfd), 1],
    [planeName(1, 1, 1, nfc), 0],
  ] as const) {
    const opened = await openAcquisition(join(at, name));
    expect(opened.acquisition.info).toMatchObject({ format: 'xml', named: { scene: 0, t, z: 0 } });
    opened.close();
  }
});
