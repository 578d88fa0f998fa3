import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { planeAxes } from '../../../src/formats/tiff/flavors/stk-axes.js';
import { openAcquisition } from '../../../src/open.js';
import { conformanceSuite } from '../../conformance/suite.js';
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
    const mixed = planeAxes(4, [450, 525, 525, 450], 'T');
    expect(mixed.axes).toEqual([{ kind: 'T', size: 4 }]);
    expect(mixed.note).toContain('2 wavelengths over 4 planes');
    expect(planeAxes(3, [1, 2, 1], 'Z').axes).toEqual([{ kind: 'Z', size: 3 }]);
    expect(planeAxes(2, [Number.NaN, 2], 'Z')).toEqual({ axes: [{ kind: 'Z', size: 2 }] });
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

describe('STK tags that lie', () => {
  it('does not take a Prairie View TIFF for a stack', async () => {
    const tags = [{ code: 305, type: 2, text: 'Prairie View 5.3.64.400' }];
    const scene = await sceneOf(stk([{}], { tags, claimed: 7 }), 'a.tif');
    expect(scene?.sizes).toEqual({ T: 1, Z: 1, Y: 2, X: 3 });
    const dateless = await sceneOf(stk([{}], { calibration: CALIBRATION }), 'b.tif');
    expect(dateless?.steps.X.unit).toBe('Pixels');
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
    });
  });

  it('stacks pages at different heights along Z, others along T', async () => {
    const z = [10, 12.5].map((height, i) => page(i, { ...PROPS, 'z-position': String(height) }));
    const stacked = await sceneOf(writeTiff({ pages: z }), 'a.tif');
    expect(stacked?.sizes).toMatchObject({ T: 1, Z: 2 });
    expect(stacked?.steps.Z).toEqual({ step: 2.5, unit: 'micrometer', origin: 'derived' });
    const inTime = await sceneOf(writeTiff({ pages: [page(0, PROPS), page(1, PROPS)] }), 'a.tif');
    expect(inTime?.sizes).toMatchObject({ T: 2, Z: 1 });
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
