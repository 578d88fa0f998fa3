import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MetadataList } from '../../../packages/readers/src/model/metadata-list.js';
import { NativeTarget } from '../../../packages/readers/src/model/samples/plane-target.js';
import { openAcquisition } from '../../../packages/server/src/open.js';
import { openBytes, samplesOf } from '../../support/memory.js';
import { readNative } from '../../support/native.js';
import { writeHdf5 } from '../../writers/hdf5.js';
import { characters, type MescUnit, writeMesc } from '../../writers/mesc.js';

const MOVIE: MescUnit = { shape: [3, 4, 5], methodType: 1, pixel: 0.5, third: { title: 't', unit: 'ms', scale: 16 } };
const open = (units: Record<string, MescUnit>, name = 'a.mesc') => openBytes(name, writeMesc({ units }));
const one = async (unit: MescUnit) => (await open({ 'MSession_0/MUnit_0': unit })).info.scenes[0]!;
const lines: MescUnit = {
  shape: [1, 6, 4],
  methodType: 6,
  value: (channel, index) => 100 * channel + 10 * Math.floor(index / 4) + (index % 4),
  cycleMs: 2.5,
  lines: { columns: [[0, 1], [2, 3]], pixelSize: 0.25 }, // biome-ignore format: one line
};

describe('a MESc file', () => {
  it('has a scene for each unit, by number, whatever the file is called', async () => {
    const units = {
      'MSession_1/MUnit_0': MOVIE,
      'MSession_0/MUnit_10': MOVIE,
      'MSession_0/MUnit_2': { ...MOVIE, names: ['UG', 'UR'] },
    };
    for (const name of ['a.mesc', 'a.h5', 'a']) {
      const { info } = await open(units, name);
      expect(info.format).toBe('mesc');
      const found = info.scenes.map((scene) => [scene.name, scene.channels.map((channel) => channel.name)]);
      expect(found).toEqual([
        ['MSession_0/MUnit_2', ['UG', 'UR']],
        ['MSession_0/MUnit_10', ['UG']],
        ['MSession_1/MUnit_0', ['UG']],
      ]);
    }
  });

  it('has times in milliseconds and lengths in micrometers', async () => {
    const { sizes, steps, warnings } = await one(MOVIE);
    expect(sizes).toEqual({ T: 3, Z: 1, Y: 4, X: 5 });
    expect(steps.T).toEqual({ step: 0.016, unit: 'seconds', origin: 'file' });
    expect(steps.Y).toEqual({ step: 0.5, unit: 'micrometer', origin: 'file' });
    expect(steps.X).toEqual(steps.Y);
    expect(warnings).toEqual([]);
    const { sizes: stack, steps: stackSteps } = await one({ ...MOVIE, methodType: 2, third: { title: 'z', scale: 2 } });
    expect(stack).toEqual({ T: 1, Z: 3, Y: 4, X: 5 });
    expect(stackSteps.Z).toEqual({ step: 2, unit: 'micrometer', origin: 'file' });
  });

  it.each<[string, Partial<MescUnit>, 'T' | 'Z']>([
    ['title', { third: { title: 'z', unit: 'µm', scale: 1 }, methodType: 2 }, 'Z'],
    ['unit', { third: { unit: 'µm', scale: 1 } }, 'Z'],
    ['role', { third: { role: 3 } }, 'Z'],
    ['kind', { third: {}, methodType: 2 }, 'Z'],
    ['title before all others', { third: { title: 't', unit: 'ms', scale: 1 } }, 'T'],
  ])('tells time from depth by the %s of the third axis', async (_, unit, axis) => {
    const scene = await one({ ...MOVIE, methodType: 0, ...unit });
    expect(scene.sizes[axis]).toBe(3);
    expect(scene.warnings).toEqual([]);
  });

  it('says when the file contradicts itself about the third axis, or does not say what it is', async () => {
    const both = await one({ ...MOVIE, methodType: 2 });
    expect(both.warnings).toEqual([
      'By the title the third axis is time (T), but by its kind of recording it is depth (Z). Shown as time (T).',
    ]);
    const unknown = await one({ shape: [3, 4, 5] });
    expect(unknown.steps.T.unit).toBe('Frames');
    expect(unknown.axisWarnings?.planes).toEqual(unknown.warnings);
    expect(unknown.warnings[0]).toMatch(/does not say whether its 3 frames are time points or sections/);
  });

  it('says when frames or channels that it announces are missing', async () => {
    const attrs = { ZDim: BigUint64Array.of(4953n), VecChannelsSize: Uint32Array.of(2) };
    expect((await one({ ...MOVIE, attrs })).warnings).toEqual([
      'The recording was planned with 4,953 frames and has 3 along its third axis.',
      'The file announces 2 channels and has 1.',
    ]);
  });

  it('serves stored samples, and says how MESc converts them', async () => {
    const scene = await one({ ...MOVIE, names: ['UG', 'UR'], offsets: [-786, -1170] });
    expect(scene.warnings).toEqual([
      'In MESc, UG is the sample − 786, UR is the sample − 1170. Samples are shown as stored.',
    ]);
  });

  it('has the displayed range in stored values, and the color, of a channel', async () => {
    const attrs = {
      Channel_0_LUT_VecBounds: Float64Array.of(0, 1200),
      Channel_0_LUT_VecColors: Uint32Array.of(0, 0x00ff00),
    };
    const { channels } = await one({ ...MOVIE, offsets: [-786], attrs });
    expect(channels).toEqual([{ name: 'UG', window: { start: 786, end: 1986 }, color: '#00FF00' }]);
  });

  it('has its clock in UTC, and where the stage was', async () => {
    const axis = (id: string, value: number) =>
      `<axis id="${id}" attribute="AttributePosition" value="${value} \xb5m"/>`;
    const xml = `<Task Type="TaskResonantCommon"><p>${axis('VirtX', -180)}${axis('VirtZ', 20.5)}${axis('SlowX', 7)}</p></Task>`;
    const scene = await one({ ...MOVIE, seconds: 1_790_000_000.5, attrs: { MeasurementParamsXML: characters(xml) } });
    expect([scene.date, scene.time]).toEqual(['20260921', '14:13:20']);
    expect(scene.instrument).toEqual({ start: '2026-09-21T14:13:20.500Z', stage: { x: -180, z: 20.5 } });
    expect(scene.warnings).toEqual([
      'The recording time 14:13:20 is UTC: the file does not contain the local time zone.',
    ]);
  });

  it('has the channels to the length of the shortest', async () => {
    const more = { data: Uint16Array.from({ length: 80 }, (_, i) => i), shape: [4, 4, 5] };
    const scene = await one({ ...MOVIE, members: { Channel_1: more } });
    expect(scene.sizes.T).toBe(3);
    expect(scene.channels.map(({ name }) => name)).toEqual(['UG', 'CH2']);
    expect(scene.warnings).toEqual(['The channels have 3, 4 frames. Showing the 3 that all have.']);
  });

  it('skips units without channels, and says which could not be read', async () => {
    const bad = { data: { compound: 1 }, shape: [1] };
    const units = {
      'MSession_0/MUnit_0': { ...MOVIE, members: { Channel_0: bad } },
      'MSession_0/MUnit_1': { ...MOVIE, names: [] },
      'MSession_0/MUnit_2': MOVIE,
    };
    const { info } = await open(units);
    expect(info.scenes.map(({ name }) => name)).toEqual(['MSession_0/MUnit_2']);
    expect(info.scenes[0]!.warnings).toEqual([expect.stringMatching(/^MSession_0\/MUnit_0 was skipped: /)]);
    await expect(open({ 'MSession_0/MUnit_1': { ...MOVIE, names: [] } })).rejects.toThrow('contains no recording');
  });

  it('is not any HDF5 file', async () => {
    const file = writeHdf5({ members: { image: { data: Uint8Array.of(1, 2), shape: [1, 2] } } });
    await expect(openBytes('a.mesc', file)).rejects.toThrow('is not a MESc file but a general HDF5 file with /image');
  });

  it('lists its texts and numbers, then its documents', async () => {
    const attrs = {
      Comment: characters('area 1'),
      ExperimenterSetupID: Int16Array.from([...Buffer.from('SETUP'), 0]),
      GeomTransTransl: Float64Array.of(0, 0, -26_967),
      MeasurementParamsXML: characters('<Task Type="TaskResonantCommon"><Gain>3</Gain></Task>'),
    };
    const { listMetadata } = await open({ 'MSession_0/MUnit_0': { ...MOVIE, attrs } });
    const list = new MetadataList();
    await listMetadata!(0, list);
    const entries = Object.fromEntries(list.result().entries.map(({ name, value }) => [name, value]));
    expect(entries).toMatchObject({
      MethodType: '1',
      Comment: 'area 1',
      ExperimenterSetupID: 'SETUP',
      GeomTransTransl: '[0,0,-26967]',
      'MeasurementParamsXML/Type': 'TaskResonantCommon',
      'MeasurementParamsXML/Gain': '3',
    });
  });
});

describe('a line scan of a MESc file', () => {
  it('has a scene for each line, with a row for each cycle', async () => {
    const opened = await open({ 'MSession_0/MUnit_0': { ...lines, names: ['UG', 'UR'] } });
    const { scenes } = opened.info;
    expect(scenes.map(({ name }) => name)).toEqual(['MSession_0/MUnit_0/line 1', 'MSession_0/MUnit_0/line 2']);
    for (const { sizes, steps, warnings } of scenes) {
      expect(sizes).toEqual({ T: 1, Z: 1, Y: 6, X: 2 });
      expect(steps.Y).toEqual({ step: 0.0025, unit: 'seconds', origin: 'file' });
      expect(steps.X).toEqual({ step: 0.25, unit: 'micrometer', origin: 'file' });
      expect(warnings).toEqual([]);
    }
    expect([...(await samplesOf(opened, { scene: 1, channel: 1 }))].slice(-2)).toEqual([152, 153]);
    expect([...(await samplesOf(opened, { scene: 0 }))].slice(0, 4)).toEqual([0, 1, 10, 11]);
  });

  it.each([undefined, [1, 5, 3]])('of bands has a frame for each cycle, in chunks %s', async (chunks) => {
    const bands: MescUnit = {
      ...lines,
      shape: [1, 7, 4],
      lines: { columns: [[0, 0], [1, 3]], rows: 2, pixelSize: [0.5, 1] }, // biome-ignore format: one line
      ...(chunks ? { chunks, filters: ['gzip'] } : {}),
    };
    const opened = await open({ 'MSession_0/MUnit_0': bands });
    const { sizes, steps, warnings } = opened.info.scenes[1]!;
    expect(sizes).toEqual({ T: 3, Z: 1, Y: 2, X: 3 });
    expect([steps.T.step, steps.X.step, steps.Y.unit]).toEqual([0.0025, 1, 'Pixels']);
    expect(warnings).toEqual(['The last 1 row of the page do not make a whole cycle, and were skipped.']);
    expect([...(await samplesOf(opened, { scene: 1, t: 2 }))]).toEqual([41, 42, 43, 51, 52, 53]);
  });

  it('has the picture that its lines were drawn on', async () => {
    const units = {
      'MSession_0/MUnit_0': { ...lines, background: '/MSession_1/MUnit_0' },
      'MSession_1/MUnit_0': { ...MOVIE, names: ['UG', 'UR'] },
    };
    const { info, readReference } = await open(units);
    const { reference } = info.scenes[1]!;
    expect(reference).toMatchObject({ sizes: { Y: 4, X: 5 }, lineRoi: null, steps: { X: { step: 0.5 } } });
    const target = new NativeTarget('uint16', 4, 5);
    await readReference!(1, 1, target);
    expect([...target.data]).toEqual(Array.from({ length: 20 }, (_, i) => 1000 + i));
    const without = await open({ 'MSession_0/MUnit_0': { ...lines, background: '/MSession_1/MUnit_0' } });
    expect(without.info.scenes[0]!.warnings).toEqual([
      'The reference image cannot be read: /MSession_1/MUnit_0 is missing',
    ]);
  });

  it.each<[string, MescUnit['lines']]>([
    ['beyond the page', { columns: [[0, 4]] }],
    ['none', { columns: [] }],
  ])('whose lines are %s is the page as it is stored', async (_, described) => {
    const scene = await one({ ...lines, third: { title: 't' }, lines: described! });
    expect(scene.sizes).toEqual({ T: 1, Z: 1, Y: 6, X: 4 });
    expect(scene.steps.Y.unit).toBe('Pixels');
    expect(scene.warnings).toEqual([expect.stringMatching(/does not describe lines in the page/)]);
  });

  it('says that light paths alternate, and that the period is missing', async () => {
    const { cycleMs: _, ...rest } = lines;
    const curve = { attrs: { Name: characters('DichroSw_AO1') } };
    const { warnings, steps } = await one({ ...rest, methodType: 7, members: { Curve_3: curve } });
    expect(steps.Y.unit).toBe('Pixels');
    expect(warnings[0]).toMatch(/light path alternates between cycles/);
    expect(warnings[1]).toMatch(/does not state the period of the lines \(`TStepInMs`\)/);
  });
});

const VECTOR = resolve('../shared/samples-next/vectors/tiny.mesc');

describe.runIf(existsSync(VECTOR))('the file of h5py', () => {
  it('has what h5py and mesc-io read from it', async () => {
    const opened = await openAcquisition(VECTOR);
    const { scenes } = opened.acquisition.info;
    expect(scenes.map(({ name, sizes }) => [name, sizes])).toEqual([
      ['MSession_0/MUnit_0', { T: 3, Z: 1, Y: 4, X: 5 }],
      ['MSession_0/MUnit_2/line 1', { T: 1, Z: 1, Y: 6, X: 2 }],
      ['MSession_0/MUnit_2/line 2', { T: 1, Z: 1, Y: 6, X: 2 }],
      ['MSession_0/MUnit_10', { T: 1, Z: 2, Y: 2, X: 2 }],
    ]);
    const [movie, , second, stack] = scenes;
    expect([movie?.steps.T.step, movie?.steps.X.step, stack?.steps.Z.step]).toEqual([0.016, 0.5, 2]);
    expect(movie?.instrument?.start).toBe('2026-09-21T14:13:20.500Z');
    expect(second?.steps.Y.step).toBe(0.0025);
    expect([...(await readNative(opened, 0, { channel: 0 }))].slice(0, 5)).toEqual([800, 801, 802, 803, 804]);
    expect([...(await readNative(opened, 2, { channel: 0 }))].slice(-2)).toEqual([52, 53]);
    expect(second?.reference?.channels.map(({ name }) => name)).toEqual(['UG', 'UR']);
    opened.close();
  });
});
