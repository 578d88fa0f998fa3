import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sniff } from '../../../packages/readers/src/formats/deltavision/magic.js';
import { openAcquisition } from '../../../packages/server/src/open.js';
import { openBytes, samplesOf } from '../../support/memory.js';
import { readNative } from '../../support/native.js';
import { type DeltaVisionSpec, writeDeltaVision } from '../../writers/deltavision.js';

const SPEC: DeltaVisionSpec = {
  type: 'int16',
  size: [3, 2, 2],
  samples: [-1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, -32_768],
};
const open = (spec: Partial<DeltaVisionSpec>) => openBytes('a.dv', writeDeltaVision({ ...SPEC, ...spec }));
const sceneOf = async (spec: Partial<DeltaVisionSpec>) => (await open(spec)).info.scenes[0]!;
const probe = (head: Uint8Array) => ({ name: 'a.dv', kind: 'file' as const, head, entries: [], size: head.length });

/** One sample for each plane: its number. */
const numbered = (planes: number): Pick<DeltaVisionSpec, 'type' | 'size' | 'samples'> => ({
  type: 'uint16',
  size: [1, 1, planes],
  samples: Array.from({ length: planes }, (_, i) => i),
});
const NUMBERED = numbered(24);
const SIXTEEN = numbered(16);

describe('a DeltaVision file', () => {
  it.each([false, true])('has its samples in either byte order: big-endian %s', async (bigEndian) => {
    for (const type of ['uint8', 'int16', 'uint16', 'int32', 'float32'] as const) {
      const opened = await open({ type, bigEndian });
      expect(opened.info.scenes[0]!.sampleType).toBe(type);
      const read = await samplesOf(opened, { z: 1 });
      expect([...read]).toEqual([...new (read.constructor as typeof Int16Array)((SPEC.samples as number[]).slice(6))]);
    }
  });

  // The fastest first: sections, waves, time points, panels.
  it.each([
    [0, 'ZTW', 4, 12],
    [1, 'WZT', 2 * 4, 1],
    [2, 'ZWT', 4 * 2, 4],
  ])('has its planes in the order %i, %s', async (sequence, _, ofTime, ofWave) => {
    const opened = await open({ ...NUMBERED, waves: 2, times: 3, sequence });
    expect(opened.info.scenes[0]!.sizes).toMatchObject({ T: 3, Z: 4 });
    const ofSection = sequence === 1 ? 2 : 1;
    for (const [t, z, channel] of [
      [2, 1, 1],
      [1, 3, 0],
      [0, 0, 1],
    ] as const) {
      expect([...(await samplesOf(opened, { t, z, channel }))]).toEqual([
        ofTime * t + ofSection * z + ofWave * channel,
      ]);
    }
  });

  // Two of each.
  it.each([
    [3, 'ZPWT', { Z: 1, P: 2, C: 4, T: 8 }],
    [7, 'PWTZ', { P: 1, C: 2, T: 4, Z: 8 }],
    [13, 'TWPZ', { T: 1, C: 2, P: 4, Z: 8 }],
    // Orders of older files say nothing of panels.
    [2, 'ZWT and panels', { Z: 1, C: 2, T: 4, P: 8 }],
  ])('has a scene for each panel, in the order %i, %s', async (sequence, _, of) => {
    const opened = await open({ ...SIXTEEN, waves: 2, times: 2, sequence, newer: { panels: 2 } });
    expect(opened.info.scenes.map(({ name, sizes }) => [name, sizes.T, sizes.Z])).toEqual([
      ['Panel 1', 2, 2],
      ['Panel 2', 2, 2],
    ]);
    const planeAt = async (address: object) => [...(await samplesOf(opened, address))];
    expect(await planeAt({ scene: 1, t: 1, z: 0, channel: 1 })).toEqual([of.P + of.T + of.C]);
    expect(await planeAt({ scene: 0, t: 0, z: 1, channel: 0 })).toEqual([of.Z]);
  });

  it('has more time points than 16 bits count, and the clock of newer files', async () => {
    const { sizes, instrument } = await sceneOf({
      ...NUMBERED,
      times: 65_535,
      newer: { times: 24, seconds: 1_700_000_000.5 },
    });
    expect(sizes).toMatchObject({ T: 24, Z: 1 });
    expect(instrument).toEqual({ start: '2023-11-14T22:13:20.500Z' });
  });

  it('has steps of the header, and measured times and depths', async () => {
    const sections = [0, 1, 2, 3].map((i) => ({
      time: 0.5 + 2 * i,
      z: 100 + 0.3 * i,
      x: 7,
      exposure: 0.05,
      excitation: 488,
    }));
    const files = { size: [3, 1, 4], samples: SPEC.samples, cell: [0.1, 0.2, 0.3], sections } as const;
    const timed = await open({ ...files, size: [3, 1, 4], cell: [0.1, 0.2, 0.3], times: 4, wavelengths: [525] });
    const [scene] = timed.info.scenes;
    expect(scene!.steps.T).toEqual({ step: 2, unit: 'seconds', origin: 'file' });
    expect([scene!.steps.X.step, scene!.steps.Y.step]).toEqual([0.1, 0.2]);
    expect(scene!.channels).toEqual([{ name: '525 nm', emissionNm: 525, excitationNm: 488, exposureSeconds: 0.05 }]);
    expect(scene!.instrument).toEqual({ stage: { x: 7, y: 0, z: 100 } });
    const columns = await timed.readPlaneColumns!(0);
    expect([...columns.time!]).toEqual([0.5, 2.5, 4.5, 6.5]);
    expect(Object.keys(columns).sort()).toEqual(['exposure', 'time', 'x', 'z']);
    const stack = await sceneOf({ ...files, size: [3, 1, 4], cell: [0.1, 0.2, 0.3], sections });
    expect(stack.steps.Z.step).toBeCloseTo(0.3, 5);
    expect(stack.warnings).toEqual([]);
    const wrong = await sceneOf({ ...files, size: [3, 1, 4], cell: [0.1, 0.2, 0.6], sections });
    expect(wrong.steps.Z.step).toBeCloseTo(0.3, 5);
    expect(wrong.warnings.join()).toMatch(/Z step: the header says 0\.6 µm, but .*stage positions/);
  });

  it('has the values of every plane of a long recording, in any order', async () => {
    const sections = Array.from({ length: 1000 }, (_, i) => ({ time: i / 4 }));
    const opened = await open({ ...numbered(1000), times: 1000, sections, bigEndian: true });
    const { time } = await opened.readPlaneColumns!(0);
    expect([...time!]).toEqual(sections.map(({ time: at }) => at));
    expect(opened.info.scenes[0]!.steps.T).toEqual({ step: 0.25, unit: 'seconds', origin: 'file' });
    // Waves change slowest: their values are far apart.
    const waves = await open({ ...numbered(1000), times: 500, waves: 2, sections });
    const told = (await waves.readPlaneColumns!(0)).time!;
    expect([told[0], told[1], told[2], told[999]]).toEqual([0, 125, 0.25, 249.75]);
  });

  it('takes the lengths of a volume by its samples', async () => {
    const { steps } = await sceneOf({ cell: [6, 5, 8], sampling: [3, 2, 2] });
    expect([steps.X.step, steps.Y.step, steps.Z.step]).toEqual([2, 2.5, 4]);
  });

  it('has no values of planes where the extended header is empty, whatever it says', async () => {
    const opened = await open({ isExtendedEmpty: true });
    expect(await opened.readPlaneColumns!(0)).toEqual({});
    expect([...(await samplesOf(opened))]).toEqual((SPEC.samples as number[]).slice(0, 6));
  });

  it('says what it assumes, refuses, and lacks', async () => {
    expect((await sceneOf({ sequence: 99 })).warnings).toEqual([]);
    const told = await sceneOf({ ...NUMBERED, waves: 2, times: 3, sequence: 99 });
    expect(told.warnings.join()).toContain('The order of planes has the unknown number 99');
    await expect(open({ pixelType: 4 })).rejects.toThrow('a.dv: pixel type 4 (complex floats) is not supported');
    await expect(open({ waves: 3 })).rejects.toThrow('2 planes, which cannot be divided among 3 waves × 1 time points');
    // A thousand bytes must not become scenes and channels without end.
    const many = { ...SPEC, size: [1, 1, 6_000_000] as [number, number, number], samples: [1] };
    for (const [panels, waves] of [
      [100_000, 60],
      [2 ** 31 - 1, 1],
      [3, 32_767],
    ] as const) {
      await expect(open({ ...many, waves, newer: { panels } })).rejects.toThrow('the limit is 65,536');
    }
    await expect(open({ ...many, size: [1, 1, 2 ** 31 - 1] })).rejects.toThrow('planes; the limit is 6,000,000');
    const cut = await openBytes('a.dv', writeDeltaVision(SPEC).subarray(0, 1024 + 13));
    expect(cut.info.scenes[0]!.warnings).toEqual(['The file ends after 1 of 2 planes. Copy it again.']);
  });

  it('is recognized by its number and sizes; maps of MRC2014 and TIFFs are not', () => {
    const file = writeDeltaVision(SPEC);
    expect(sniff(probe(file))).toBe('sure');
    expect(sniff(probe(writeDeltaVision({ ...SPEC, bigEndian: true })))).toBe('sure');
    const map = file.slice();
    map.set(new TextEncoder().encode('MAP '), 208);
    expect(sniff(probe(map))).toBe(false);
    const tiff = file.slice();
    tiff.set([0x49, 0x49, 42, 0, 8, 0, 0, 0], 0);
    expect(sniff({ ...probe(tiff), size: 2 ** 40 })).toBe(false);
    expect(sniff(probe(file.subarray(0, 1000)))).toBe(false);
  });
});

const real = resolve(import.meta.dirname, '../../../../shared/samples-next');

describe.skipIf(!existsSync(real))('real DeltaVision files (need shared/samples-next)', () => {
  // Values of the Python package mrc 0.4; Bio-Formats 6 finds the same sums.
  it('has the planes, sizes and waves of a stack', async () => {
    const opened = await openAcquisition(join(real, 'dv/toxo.dv'));
    const [scene] = opened.acquisition.info.scenes;
    expect(scene).toMatchObject({
      sampleType: 'uint16',
      sizes: { T: 1, Z: 17, Y: 128, X: 128 },
      channels: [
        { name: '525 nm', emissionNm: 525 },
        { name: '632 nm', emissionNm: 632 },
      ],
      warnings: [],
    });
    expect([scene!.steps.X.step, scene!.steps.Z.step]).toEqual([0.13262, 0.3]);
    const plane = await readNative(opened, 0, { channel: 0, z: 0, t: 0 });
    expect([...plane.slice(0, 6)]).toEqual([124, 121, 114, 115, 119, 110]);
    const sums = [0, 0];
    for (const channel of [0, 1]) {
      for (let z = 0; z < 17; z++) {
        for (const value of await readNative(opened, 0, { channel, z, t: 0 })) sums[channel]! += Number(value);
      }
    }
    expect(sums).toEqual([43_003_905, 107_919_533]);
    opened.close();
  });

  it.each(['dv_order0_ZTW', 'dv_order1_WZT_be', 'dv_order2_ZWT'])('has every plane of the vector %s', async (name) => {
    const opened = await openBytes(`${name}.dv`, readFileSync(join(real, 'vectors', `${name}.dv`)));
    for (const [t, z, channel] of [
      [1, 1, 0],
      [1, 0, 1],
      [0, 1, 1],
    ] as const) {
      const first = 10 * z + 100 * channel + 1000 * t;
      expect([...(await samplesOf(opened, { t, z, channel }))]).toEqual([0, 1, 2, 3, 4, 5].map((i) => first + i));
    }
    const { time = [] } = await opened.readPlaneColumns!(0);
    expect([...time].sort((a, b) => a - b)).toEqual([0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5]);
  });
});
