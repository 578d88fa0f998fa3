import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { planeAxes } from '../../../packages/readers/src/formats/tiff/flavors/stk-axes.js';
import { openAcquisition } from '../../../packages/server/src/open.js';
import { conformanceSuite } from '../../conformance/suite.js';
import { expectContradictionsSaid } from '../../support/contradiction.js';
import { readNative } from '../../support/native.js';
import { describeWithSamples, samplePath } from '../../support/samples.js';
import { tempFolder, writeTemp } from '../../support/temp.js';
import { type StkPlane, type StkSpec, writeStk } from '../../writers/stk.js';
import { type PageSpec, writeTiff } from '../../writers/tiff.js';

const root = tempFolder();
const fresh = () => mkdtempSync(join(root, 'stk-'));

/** Planes of 3 × 2 pixels; the value of every pixel is the number of the plane. */
function stk(planes: StkPlane[], more: Partial<StkSpec> = {}, counting = false): Uint8Array {
  return writeStk({
    width: 3,
    height: 2,
    planes: planes.map((info, index) => ({
      samples: new Uint16Array(6).map((_, i) => index + (counting ? i : 0)),
      info,
    })),
    ...more,
  });
}

const open = (bytes: Uint8Array, name = 'a.stk') => openAcquisition(writeTemp(fresh(), name, bytes));

async function sceneOf(bytes: Uint8Array, name?: string) {
  const opened = await open(bytes, name);
  opened.close();
  return opened.acquisition.info.scenes[0];
}

const CALIBRATION = { x: [65, 100], y: [13, 20], units: 'um' } satisfies StkSpec['calibration'];
/** 2018-08-24, 12:57:47.727. */
const CREATED: [number, number] = [2458354, 46667727];
const START = '2018-08-24T12:57:47.727';
const repeat = (count: number, plane: (index: number) => StkPlane) => Array.from({ length: count }, (_, i) => plane(i));

describe('MetaMorph STK', () => {
  it('is a Z stack when the planes are apart', async () => {
    const planes = repeat(4, (i) => ({ z: [3, 2] as [number, number], created: [CREATED[0], CREATED[1] + i * 45] }));
    const opened = await open(stk(planes, { calibration: CALIBRATION }));
    expect(opened.acquisition.info).toEqual({
      format: 'stk',
      scenes: [
        {
          name: '',
          sampleType: 'uint16',
          channels: [{ name: 'CH1' }],
          sizes: { T: 1, Z: 4, Y: 2, X: 3 },
          steps: {
            T: { step: 1, unit: 'Frames', origin: 'default' },
            Z: { step: 1.5, unit: 'micrometer', origin: 'file' },
            Y: { step: 0.65, unit: 'micrometer', origin: 'file' },
            X: { step: 0.65, unit: 'micrometer', origin: 'file' },
          },
          date: '20180824',
          time: '12:57:47',
          instrument: { start: START },
          reference: null,
          warnings: [],
        },
      ],
    });
    for (let z = 0; z < 4; z++) expect([...(await readNative(opened, 0, { channel: 0, z }))]).toEqual(Array(6).fill(z));
    opened.close();
  });

  it('is a time series when they are not, with the mean distance of its times', async () => {
    const planes = repeat(3, (i) => ({
      created: [CREATED[0] + (i === 2 ? 1 : 0), 86_399_000 + (i === 1 ? 500 : 0)] as [number, number],
    }));
    planes[2] = { created: [CREATED[0] + 1, 0] };
    const scene = await sceneOf(stk(planes));
    expect(scene?.sizes).toEqual({ T: 3, Z: 1, Y: 2, X: 3 });
    expect(scene?.steps.T).toEqual({ step: 0.5, unit: 'seconds', origin: 'derived' });
  });

  it.each([
    ['interleaved', [450, 525, 450, 525], [0, 1, 2, 3]],
    ['in blocks', [450, 450, 525, 525], [0, 2, 1, 3]],
  ])('has wavelengths %s as channels', async (_, wavelengths, order) => {
    const opened = await open(stk(wavelengths.map((wavelength) => ({ wavelength, z: [1, 1] }))));
    const [scene] = opened.acquisition.info.scenes;
    expect(scene?.channels).toEqual([{ name: '450 nm' }, { name: '525 nm' }]);
    expect(scene?.sizes.Z).toBe(2);
    const seen: unknown[] = [];
    for (const z of [0, 1]) {
      for (const channel of [0, 1]) seen.push((await readNative(opened, 0, { channel, z }))[0]);
    }
    expect(seen).toEqual(order);
    opened.close();
  });

  it('names channels by their illumination setting', async () => {
    const planes = ['Laser405', 'Laser488'].map((illumination, i) => ({ wavelength: 450 + i, illumination }));
    const scene = await sceneOf(stk(planes));
    expect(scene?.channels).toEqual([{ name: 'Laser405' }, { name: 'Laser488' }]);
  });

  it('puts wavelengths without order into one axis', () => {
    const byWavelength = (values: number[]) =>
      planeAxes(values.length, [{ kind: 'C', values, what: 'wavelength' }], 'Z');
    const mixed = byWavelength([450, 525, 525, 450]);
    expect(mixed.axes).toEqual([{ kind: 'Z', size: 4 }]);
    expect(mixed.notes.join()).toContain('2 wavelengths over 4 planes');
    expect(byWavelength([1, 2, 1]).axes).toEqual([{ kind: 'Z', size: 3 }]);
    expect(byWavelength([Number.NaN, 2])).toEqual({ axes: [{ kind: 'Z', size: 2 }], notes: [] });
  });

  it('is not calibrated when the calibration is off, or in pixels', async () => {
    const off = await sceneOf(stk([{}, {}], { calibration: { ...CALIBRATION, on: false } }));
    const pixels = await sceneOf(stk([{}, {}], { calibration: { ...CALIBRATION, units: 'pixel' } }));
    for (const scene of [off, pixels]) expect(scene?.steps.X).toEqual({ step: 1, unit: 'Pixels', origin: 'default' });
  });

  it('converts the unit of the calibration', async () => {
    const scene = await sceneOf(stk([{ z: [500, 1] }, {}], { calibration: { x: [65, 1], y: [65, 1], units: 'nm' } }));
    expect(scene?.steps.X.step).toBeCloseTo(0.065, 15);
    expect(scene?.steps.Z.step).toBeCloseTo(0.5, 15);
  });

  it('reads strips that do not divide the height', async () => {
    const opened = await open(
      stk(
        repeat(3, () => ({})),
        { rowsPerStrip: 1 },
      ),
    );
    expect((await readNative(opened, 0, { channel: 0, t: 2 }))[5]).toBe(2);
    opened.close();
  });

  it('opens one plane with a date', async () => {
    const scene = await sceneOf(stk([{ created: CREATED }], { calibration: CALIBRATION }));
    expect(scene).toMatchObject({ sizes: { T: 1, Z: 1 }, date: '20180824', steps: { X: { step: 0.65 } } });
  });
});

describe('STK stage positions', () => {
  const places = [
    [0, 0],
    [-250_000, 0],
    [0, 300_000],
    [90_000, -70_000],
  ] as const;
  const at = (index: number): StkPlane => ({ stage: [...places[index % 4]!], created: [CREATED[0], 1000 * index] });

  it.each([false, true])('are scenes with their labels (in UIC1: %s)', async (positionsInUic1) => {
    const planes = repeat(4, (i) => ({ ...at(i), label: `well ${i}`, focus: [10 * i, 1] as [number, number] }));
    const opened = await open(stk(planes, { calibration: CALIBRATION, positionsInUic1 }));
    const { scenes } = opened.acquisition.info;
    expect(scenes.map(({ name, sizes }) => [name, sizes.T, sizes.Z])).toEqual([
      ['well 0', 1, 1],
      ['well 1', 1, 1],
      ['well 2', 1, 1],
      ['well 3', 1, 1],
    ]);
    expect(scenes.map(({ time }) => time)).toEqual(['00:00:00', '00:00:01', '00:00:02', '00:00:03']);
    expect(scenes[1]?.instrument?.stage).toEqual({ x: -250, y: 0, z: 10 });
    expect(scenes[0]?.warnings).toEqual([]);
    for (let scene = 0; scene < 4; scene++) {
      expect((await readNative(opened, scene, { channel: 0 }))[0]).toBe(scene);
    }
    opened.close();
  });

  it('have their focus in the unit of the calibration', async () => {
    const planes = repeat(4, (i) => ({ ...at(i), label: `well ${i}`, focus: [4500 + i, 1] as [number, number] }));
    const opened = await open(stk(planes, { calibration: { x: [650, 1], y: [650, 1], units: 'nm' } }));
    expect(opened.acquisition.info.scenes[1]?.instrument?.stage?.z).toBe(4.501);
    expect((await opened.acquisition.readPlaneColumns?.(1))?.z).toEqual(Float64Array.of(4.501));
    opened.close();
  });

  it('without labels are scenes, each with its times and their own steps', async () => {
    const opened = await open(stk(repeat(12, at), { calibration: CALIBRATION }));
    const { scenes } = opened.acquisition.info;
    expect(scenes.map(({ name }) => name)).toEqual(['Position 1', 'Position 2', 'Position 3', 'Position 4']);
    expect(scenes[2]?.sizes).toMatchObject({ T: 3, Z: 1 });
    expect(scenes[2]?.steps.T).toEqual({ step: 4, unit: 'seconds', origin: 'derived' });
    expect(scenes[2]?.warnings).toEqual([expect.stringContaining('The stage was at 4 positions')]);
    expect((await readNative(opened, 2, { channel: 0, t: 1 }))[0]).toBe(6);
    const columns = await opened.acquisition.readPlaneColumns?.(2);
    expect(columns?.x).toEqual(Float64Array.of(0, 0, 0));
    expect(columns?.y).toEqual(Float64Array.of(300, 300, 300));
    expect(columns?.time?.[1]).toBe((columns?.time?.[0] ?? 0) + 4);
    opened.close();
  });

  it.each([
    ['drifts a little', (i: number): [number, number] => [i * 20, 0]],
    ['follows something', (i: number): [number, number] => [i * 400, i * i * 100]],
  ])('are one scene if the stage %s', async (_, stage) => {
    const scene = await sceneOf(
      stk(
        repeat(5, (i) => ({ stage: stage(i) })),
        { calibration: CALIBRATION },
      ),
    );
    expect(scene?.sizes).toMatchObject({ T: 5, Z: 1 });
    expect(scene?.warnings).toEqual([]);
  });

  it('that do not repeat regularly stay along T, with a warning', async () => {
    const order = [0, 1, 1, 0];
    const scene = await sceneOf(stk(repeat(4, (i) => ({ label: `well ${order[i]}` }))));
    expect(scene?.sizes.T).toBe(4);
    expect(scene?.warnings.join()).toContain('2 stage labels over 4 planes do not repeat regularly');
  });

  it('that run into the end of the file are ignored', async () => {
    const whole = stk(
      repeat(4, (i) => ({ ...at(i), label: `well ${i}` })),
      { positionsInUic1: true },
    );
    for (let cut = 1; cut < 60; cut += 7)
      expect((await sceneOf(whole.subarray(0, whole.length - cut)))?.sizes.Y).toBe(2);
  });
});

describe('STK focus', () => {
  const focus = (at: readonly number[], z?: [number, number]): StkPlane[] =>
    at.map((value) => ({ focus: [Math.round(value * 1000), 1000], ...(z ? { z } : {}) }));

  it('gives the depths, and beats the distance that was set', async () => {
    const scene = await sceneOf(stk(focus([100, 102, 104], [10, 1]), { calibration: CALIBRATION }));
    expect(scene?.steps.Z).toEqual({ step: 2, unit: 'micrometer', origin: 'file' });
    expect(scene?.coordinates?.Z?.values).toEqual(Float64Array.of(0, 2, 4));
    expect(scene?.warnings).toEqual([
      'Z step: Z distance says 10 µm, but the focus positions (AbsoluteZ) are 2 µm apart. Showing 2 µm.',
    ]);
  });

  it('that is marked as invalid is ignored', async () => {
    const planes = focus([100, 102, 104], [10, 1]).map((plane) => ({ ...plane, isFocusValid: false }));
    const scene = await sceneOf(stk(planes, { calibration: CALIBRATION }));
    expect(scene?.steps.Z).toEqual({ step: 10, unit: 'micrometer', origin: 'file' });
    expect(scene?.warnings).toEqual([]);
  });

  it('that repeats leaves the rest to time', async () => {
    const planes = focus([5, 6, 7, 5, 6, 7], [1, 1]).map((plane, i) => ({
      ...plane,
      created: [CREATED[0], 1000 * Math.floor(i / 3)] as [number, number],
    }));
    const scene = await sceneOf(stk(planes));
    expect(scene?.sizes).toMatchObject({ T: 2, Z: 3 });
    expect([scene?.steps.T.step, scene?.steps.Z.step]).toEqual([1, 1]);
  });

  it('of a time series that is kept in focus makes no depths', async () => {
    const scene = await sceneOf(stk(focus([100, 100.02, 99.99, 100.01])));
    expect(scene?.sizes).toMatchObject({ T: 4, Z: 1 });
  });

  it.each([
    ['before', [0, 1, 3]],
    ['after', [1, 3, 0]],
  ])('follows from distances to the plane %s that differ, with a warning', async (_, distances) => {
    const scene = await sceneOf(stk(distances.map((distance) => ({ z: [distance, 1] }))));
    expect(scene?.coordinates?.Z?.values).toEqual(Float64Array.of(0, 1, 4));
    expect(scene?.steps.Z.step).toBe(2);
    expect(scene?.warnings.join()).toContain('The sections are 1 µm to 3 µm apart');
  });

  it('is in micrometers if the pixels have no unit, with a warning', async () => {
    const pixels = { ...CALIBRATION, units: 'pixel' };
    const scene = await sceneOf(stk(focus([100, 102, 104], [2, 1]), { calibration: pixels }));
    expect(scene?.steps.Z).toEqual({ step: 2, unit: 'micrometer', origin: 'file' });
    expect(scene?.warnings).toEqual([expect.stringContaining('was assumed to be micrometers')]);
  });

  it('is contradicted with a warning, whatever was set', async () => {
    await expectContradictionsSaid(
      (nominal, at) => {
        const z: [number, number] = [Math.round(nominal * 1e6), 1_000_000];
        return open(stk(focus(at, z), { calibration: CALIBRATION }));
      },
      { axis: 'Z' },
    );
  });
});

describe('STK tags that lie', () => {
  it('does not take a Prairie View TIFF for a stack', async () => {
    const tags = [{ code: 305, type: 2, text: 'Prairie View 5.3.64.400' }];
    const scene = await sceneOf(stk([{}], { tags, claimed: 7 }), 'a.tif');
    expect(scene?.sizes).toEqual({ T: 1, Z: 1, Y: 2, X: 3 });
    const resaved = { calibration: { x: [99, 1], y: [99, 1], units: 'microns' }, name: 'Gattaca' } as const;
    const dateless = await sceneOf(stk([{}], resaved as unknown as Partial<StkSpec>), 'b.tif');
    expect(dateless?.steps.X.unit).toBe('Pixels');
    const named = await sceneOf(stk([{ wavelength: 525 }], { ...(resaved as unknown as Partial<StkSpec>) }), 'c.tif');
    expect(named?.channels).toEqual([{ name: 'CH1' }]);
  });

  it('keeps the calibration, name and wavelength of a single plane without a date', async () => {
    const plane = { wavelength: 525, magnification: '20x Plan Apo' };
    const text = 'Exposure: 20 ms\r\nBinning: 8';
    const scene = await sceneOf(
      stk([plane], { calibration: CALIBRATION, name: 'cells', tags: [{ code: 270, type: 2, text }] }),
      'a.tif',
    );
    expect(scene).toMatchObject({
      name: 'cells',
      channels: [{ name: '525 nm', exposureSeconds: 0.02 }],
      steps: { X: { step: 0.65, unit: 'micrometer' }, Y: { step: 0.65 } },
      instrument: { objective: { name: '20x Plan Apo', magnification: 20 } },
    });
  });

  it('shows the planes that are there of 4 billion', async () => {
    const scene = await sceneOf(
      stk(
        repeat(5, () => ({ z: [1, 1] })),
        { claimed: 0xffffffff },
      ),
    );
    expect(scene?.warnings[0]).toMatch(/says 4,294,967,295 planes, but has space for \d+/);
    expect((scene?.sizes.Z ?? 0) * (scene?.sizes.T ?? 0)).toBeLessThan(100);
  });

  it('refuses compressed stacks by name', async () => {
    await expect(open(stk([{}, {}], { compression: 5 }))).rejects.toMatchObject({ code: 'unsupported_format' });
  });

  it('survives calibrations at offsets behind the end, and numbers over zero', async () => {
    const broken = stk([{}, {}], { calibration: { x: [1, 0], y: [0, 1], units: 'um' } });
    const scene = await sceneOf(broken);
    expect(scene?.steps).toMatchObject({ X: { unit: 'Pixels' }, Y: { unit: 'Pixels' } });
    expect(scene?.warnings).toHaveLength(2);
    const tags = [{ code: 33628, type: 4, count: 2, bytes: new Uint8Array(16).fill(0xff) }];
    expect((await sceneOf(stk([{}, {}], { tags })))?.steps.X.unit).toBe('Pixels');
  });

  it('survives a UIC1 of 4 billion pairs', async () => {
    const tags = [{ code: 33628, type: 4, count: 0xffffffff, bytes: new Uint8Array(16) }];
    expect((await sceneOf(stk([{}, {}], { tags })))?.sizes.T).toBe(2);
  });

  it('shows no date that is none', async () => {
    const scene = await sceneOf(stk([{ created: [0xffffffff, 0xffffffff] }, {}]));
    expect(scene).toMatchObject({ date: '', time: '' });
    expect(scene?.instrument).toBeUndefined();
  });
});

describe('MetaSeries TIFF', () => {
  const xml = (props: Record<string, string>) =>
    `<MetaData><PlaneInfo>${Object.entries(props)
      .map(([id, value]) => `<prop id="${id}" type="x" value="${value}"/>`)
      .join('')}</PlaneInfo></MetaData>`;
  const PROPS = {
    'spatial-calibration-state': 'on',
    'spatial-calibration-x': '1.6125',
    'spatial-calibration-y': '1.6125',
    'spatial-calibration-units': 'um',
    'acquisition-time-local': '20110517 12:33:30.123',
    wavelength: '525',
  };
  const page = (index: number, props: Record<string, string>): PageSpec => ({
    width: 3,
    height: 2,
    samples: new Uint16Array(6).fill(index),
    tags: [{ code: 270, type: 2, text: xml(props) }],
  });

  it('has its calibration, date and wavelength in XML', async () => {
    const scene = await sceneOf(writeTiff({ pages: [page(0, PROPS)] }), 'a.tif');
    const step = { step: 1.6125, unit: 'micrometer', origin: 'file' };
    expect(scene).toMatchObject({
      channels: [{ name: '525 nm' }],
      steps: { Y: step, X: step },
      date: '20110517',
      time: '12:33:30',
      instrument: { start: '2011-05-17T12:33:30.123' },
    });
  });

  it('stacks pages at different heights along Z, others along T', async () => {
    const z = [10, 12.5].map((height, i) => page(i, { ...PROPS, 'z-position': String(height) }));
    const stacked = await sceneOf(writeTiff({ pages: z }), 'a.tif');
    expect(stacked?.sizes).toMatchObject({ T: 1, Z: 2 });
    expect(stacked?.steps.Z).toEqual({ step: 2.5, unit: 'micrometer', origin: 'file' });
    const inTime = await sceneOf(writeTiff({ pages: [page(0, PROPS), page(1, PROPS)] }), 'a.tif');
    expect(inTime?.sizes).toMatchObject({ T: 2, Z: 1 });
  });

  const clock = (seconds: number) => `20110517 ${new Date(1000 * seconds).toISOString().slice(11, 23)}`;

  it('times pages by their stamps, and says that they are uneven', async () => {
    const at = [86_340, 86_341, 86_342, 86_343.5, 86_399];
    const pages = at.map((seconds, i) => page(i, { ...PROPS, 'acquisition-time-local': clock(seconds) }));
    const opened = await open(writeTiff({ pages }), 'a.tif');
    const [scene] = opened.acquisition.info.scenes;
    expect(scene?.steps.T).toEqual({ step: 14.75, unit: 'seconds', origin: 'file' });
    expect(scene?.coordinates?.T?.values).toEqual(Float64Array.of(0, 1, 2, 3.5, 59));
    expect(scene?.warnings.join()).toContain('The time points are 1 s to 55.5 s apart (median 1.25 s)');
    opened.close();
  });

  it('tells channels, positions, depths and times apart', async () => {
    const planes = [0, 1].flatMap((t) =>
      [0, 1].flatMap((s) => [0, 1, 2].flatMap((z) => ['DAPI', 'GFP'].map((channel) => ({ t, s, z, channel })))),
    );
    const pages = planes.map(({ t, s, z, channel }, i) =>
      page(i, {
        ...PROPS,
        _IllumSetting_: channel,
        _MagSetting_: '40X Oil',
        _MagNA_: '1.3',
        'stage-label': `well ${s}`,
        'stage-position-x': String(100 * s),
        'stage-position-y': '7',
        'z-position': String(50 + 2 * z),
        'acquisition-time-local': clock(60 * t),
        Description: `Exposure: ${channel === 'DAPI' ? 20 : 50} ms&#13;&#10;Binning: 1`,
      }),
    );
    const opened = await open(writeTiff({ pages }), 'a.tif');
    const { scenes } = opened.acquisition.info;
    expect(scenes.map(({ name }) => name)).toEqual(['well 0', 'well 1']);
    expect(scenes[1]).toMatchObject({
      sizes: { T: 2, Z: 3 },
      channels: [
        { name: 'DAPI', exposureSeconds: 0.02 },
        { name: 'GFP', exposureSeconds: 0.05 },
      ],
      steps: { T: { step: 60, unit: 'seconds' }, Z: { step: 2, unit: 'micrometer' } },
      instrument: {
        objective: { name: '40X Oil', magnification: 40, numericalAperture: 1.3 },
        stage: { x: 100, y: 7, z: 50 },
      },
      warnings: [],
    });
    for (const [i, { t, s, z, channel }] of planes.entries()) {
      const address = { channel: channel === 'DAPI' ? 0 : 1, t, z };
      expect((await readNative(opened, s, address))[0]).toBe(i);
    }
    const columns = await opened.acquisition.readPlaneColumns?.(1);
    expect(columns?.exposure?.slice(0, 3)).toEqual(Float64Array.of(0.02, 0.05, 0.02));
    expect(columns?.z?.slice(0, 4)).toEqual(Float64Array.of(50, 50, 52, 52));
    expect(columns?.x?.every((x) => x === 100)).toBe(true);
    opened.close();
  });

  it('reads some pages of many', async () => {
    const pages = Array.from({ length: 200 }, (_, i) => page(i, { ...PROPS, 'acquisition-time-local': clock(2 * i) }));
    const { acquisition, close } = await open(writeTiff({ pages }), 'a.tif');
    const [scene] = acquisition.info.scenes;
    expect(scene?.sizes).toMatchObject({ T: 200, Z: 1 });
    expect(scene?.steps.T).toEqual({ step: 2, unit: 'seconds', origin: 'file' });
    expect(scene?.coordinates?.T).toMatchObject({ isLater: true, values: new Float64Array() });
    const { time = Float64Array.of() } = (await acquisition.readPlaneColumns?.(0)) ?? {};
    expect(Array.from(time, (seconds) => Math.round(1000 * (seconds - time[0]!)))).toEqual(
      pages.map((_, i) => 2000 * i),
    );
    close();
  });

  it('calibrates a stack that has no calibration of its own', async () => {
    const tags = [{ code: 270, type: 2, text: xml(PROPS) }];
    const scene = await sceneOf(stk([{}, {}], { tags }));
    expect(scene?.steps.X).toEqual({ step: 1.6125, unit: 'micrometer', origin: 'file' });
    expect(scene?.date).toBe('20110517');
  });

  it.each([
    ['switched off', { ...PROPS, 'spatial-calibration-state': 'off' }, 0],
    ['NaN', { ...PROPS, 'spatial-calibration-x': 'NaN', 'spatial-calibration-y': '-1' }, 2],
  ])('calibration %s is not used', async (_, props, warnings) => {
    const scene = await sceneOf(writeTiff({ pages: [page(0, props)] }), 'a.tif');
    expect(scene?.steps).toMatchObject({ X: { unit: 'Pixels' }, Y: { unit: 'Pixels' } });
    expect(scene?.warnings).toHaveLength(warnings);
  });

  it('survives XML that ends early', async () => {
    const text = xml(PROPS).slice(0, 200);
    const pages = [{ ...page(0, PROPS), tags: [{ code: 270, type: 2, text }] }];
    const scene = await sceneOf(writeTiff({ pages }), 'a.tif');
    expect(scene?.sizes).toEqual({ T: 1, Z: 1, Y: 2, X: 3 });
  });
});

conformanceSuite(
  'stk',
  [
    {
      name: 'Z stack',
      write: (folder) =>
        writeTemp(
          folder,
          'a.stk',
          stk(
            repeat(4, () => ({ z: [1, 1], created: CREATED })),
            { calibration: CALIBRATION },
            true,
          ),
        ),
      format: 'stk',
      scenes: [{ sizes: { T: 1, Z: 4, Y: 2, X: 3 }, channels: ['CH1'], sampleType: 'uint16' }],
    },
  ],
  fresh,
);

describeWithSamples('real STK', () => {
  it('test.stk', async () => {
    const opened = await openAcquisition(samplePath('stk/scifio+scifio/test.stk'));
    const [scene] = opened.acquisition.info.scenes;
    expect(scene).toMatchObject({
      sizes: { T: 1, Z: 5, Y: 64, X: 64 },
      channels: [{ name: 'Laser4054BD4BP' }],
      date: '20180824',
      time: '12:57:47',
      // DatetimeCreated of tifffile.
      instrument: { start: START },
      warnings: [],
    });
    expect(scene?.steps.X).toEqual({ step: 3.6260623, unit: 'micrometer', origin: 'file' });
    expect(scene?.steps.Z).toEqual({ step: 10, unit: 'micrometer', origin: 'file' });
    let sum = 0;
    for (let z = 0; z < 5; z++)
      for (const value of await readNative(opened, 0, { channel: 0, z })) sum += Number(value);
    expect(sum).toBe(290637838);
    opened.close();
  });
});
