import { describe, expect, it } from 'vitest';
import type { AcqError } from '../../../packages/readers/src/base/errors.js';
import type { SceneInfo } from '../../../packages/readers/src/model/acquisition.js';
import { expectContradictionsSaid } from '../../support/contradiction.js';
import { openNwbBytes, scenePlane } from '../../support/hdf5.js';
import type { H5Node } from '../../writers/hdf5.js';
import {
  images,
  imagingPlane,
  movie,
  type NwbSpec,
  type SeriesSpec,
  series,
  typed,
  writeNwb,
} from '../../writers/nwb.js';

const open = (spec: NwbSpec) => openNwbBytes(writeNwb(spec));

async function sceneOf(one: SeriesSpec, planes: NwbSpec['planes'] = {}): Promise<SceneInfo> {
  const acquisition = await open({ acquisition: { S: series(one) }, planes });
  return acquisition.info.scenes[0] as SceneInfo;
}

const UNCERTAIN = /does not say whether/;

describe('image series', () => {
  const plane0 = imagingPlane({ spacing: [5e-7, 2.5e-7], channels: ['Green'] });

  it('is served with steps, times, date and the name of the optical channel', async () => {
    const spec: SeriesSpec = { data: movie(2, 4, 3), dimension: [4, 3], rate: 10, plane: 'plane0' };
    const acquisition = await open({ acquisition: { TwoPhotonSeries: series(spec) }, planes: { plane0 } });
    expect(acquisition.info).toEqual({
      format: 'nwb',
      scenes: [
        {
          name: 'TwoPhotonSeries',
          sampleType: 'uint16',
          channels: [{ name: 'Green' }],
          sizes: { T: 2, Z: 1, Y: 3, X: 4 },
          steps: {
            T: { step: 0.1, unit: 'seconds', origin: 'file' },
            Z: { step: 1, unit: 'Planes', origin: 'default' },
            Y: { step: 0.25, unit: 'micrometer', origin: 'file' },
            X: { step: 0.5, unit: 'micrometer', origin: 'file' },
          },
          instrument: { start: '2024-03-05T14:18:23.000000-05:00' },
          date: '20240305',
          time: '14:18:23',
          reference: null,
          warnings: [],
        },
      ],
    });
    expect(await scenePlane(acquisition, 0, { t: 1 })).toEqual([
      100, 101, 102, 103, 110, 111, 112, 113, 120, 121, 122, 123,
    ]);
  });

  it('starts when its first entry was taken, after what the times of the file count from', async () => {
    const startOf = async (spec: Partial<SeriesSpec>, file: Pick<NwbSpec, 'start' | 'reference'> = {}) => {
      const S = series({ data: movie(3, 4, 3), dimension: [4, 3], ...spec });
      const [scene] = (await open({ acquisition: { S }, ...file })).info.scenes;
      return [scene?.instrument?.start, scene?.date, scene?.time];
    };
    const session = ['20240305', '14:18:23'];
    expect(await startOf({ rate: 10, startingTime: 612.25 })).toEqual(['2024-03-05T14:28:35.25-05:00', ...session]);
    expect(await startOf({ timestamps: [61.5, 62, 62.5] })).toEqual(['2024-03-05T14:19:24.5-05:00', ...session]);
    const reference = '2024-03-05T14:00:00.5-05:00';
    expect(await startOf({ timestamps: [60, 61, 62] }, { reference })).toEqual([
      '2024-03-05T14:01:00.5-05:00',
      ...session,
    ]);
    // In milliseconds, as the stamps say.
    expect(await startOf({ timestamps: [60_000, 60_500, 61_000], stampUnit: 'ms' })).toEqual([
      '2024-03-05T14:19:23-05:00',
      ...session,
    ]);
    // A plane that is alone, with a rate.
    expect(await startOf({ data: movie(1, 4, 3), rate: 10, startingTime: 1 })).toEqual([
      '2024-03-05T14:18:24-05:00',
      ...session,
    ]);
    for (const unknown of [
      startOf({}),
      startOf({ timestamps: [1_709_666_303, 1_709_666_304, 1_709_666_305] }),
      startOf({ timestamps: [Number.NaN, 1, 2] }),
      startOf({ data: movie(1, 4, 3), timestamps: [60_000] }),
    ])
      expect(await unknown).toEqual([undefined, ...session]);
    expect(await startOf({ rate: 10 }, { start: { vlen: '5 March 2024' } })).toEqual([undefined, '', '']);
  });

  it('takes the order of width and height from the dimension', async () => {
    const acquisition = await open({
      acquisition: { S: series({ data: movie(2, 4, 3, true), dimension: [4, 3], rate: 1 }) },
    });
    expect(acquisition.info.scenes[0]?.sizes).toEqual({ T: 2, Z: 1, Y: 3, X: 4 });
    expect(acquisition.info.scenes[0]?.warnings).toEqual([]);
    expect((await scenePlane(acquisition, 0)).slice(0, 5)).toEqual([0, 1, 2, 3, 10]);
  });

  it('counts the pixels of the field of view', async () => {
    const planes = { p: imagingPlane({ spacing: [1e-6, 1e-6] }) };
    const one = { rate: 1, plane: 'p', fieldOfView: [40e-6, 30e-6] };
    const first = await sceneOf({ ...one, data: movie(2, 40, 30) }, planes);
    const second = await sceneOf({ ...one, data: movie(2, 40, 30, true) }, planes);
    for (const scene of [first, second]) {
      expect(scene.sizes).toMatchObject({ Y: 30, X: 40 });
      expect(scene.warnings).toEqual([]);
    }
  });

  it('compares the aspect of the field of view, and says so', async () => {
    const scene = await sceneOf({ data: movie(2, 4, 3, true), rate: 1, fieldOfView: [8e-6, 6e-6] });
    expect(scene.sizes).toMatchObject({ Y: 3, X: 4 });
    expect(scene.warnings).toEqual([
      'The height of the frames was assumed to come first, as the field of view suggests.',
    ]);
    expect(scene.steps.X).toEqual({ step: 2, unit: 'micrometer', origin: 'derived' });
    expect(scene.steps.Y).toEqual({ step: 2, unit: 'micrometer', origin: 'derived' });
  });

  it('follows the schema otherwise, with a warning', async () => {
    const oblong = await sceneOf({ data: movie(2, 4, 3), rate: 1 });
    expect(oblong.sizes).toMatchObject({ Y: 3, X: 4 });
    expect(oblong.warnings).toEqual([expect.stringMatching(UNCERTAIN)]);
    const square = await sceneOf({ data: movie(2, 4, 4), dimension: [4, 4], rate: 1 });
    expect(square.warnings).toEqual([expect.stringMatching(UNCERTAIN)]);
  });

  it('has depths as the fourth dimension, colours of a camera as channels', async () => {
    const data = Uint8Array.from({ length: 2 * 4 * 3 * 3 }, (_, i) => i);
    const shape = [2, 4, 3, 3];
    const planes = { p: imagingPlane({ spacing: [1e-6, 1e-6, 2e-6] }) };
    const volume = await open({
      acquisition: { S: series({ data: { data, shape }, dimension: [4, 3, 3], rate: 1, plane: 'p' }) },
      planes,
    });
    expect(volume.info.scenes[0]?.sizes).toEqual({ T: 2, Z: 3, Y: 3, X: 4 });
    expect(volume.info.scenes[0]?.steps.Z).toEqual({ step: 2, unit: 'micrometer', origin: 'file' });
    // (t, x, y, z): 36t + 9x + 3y + z.
    expect(await scenePlane(volume, 0, { t: 1, z: 2 })).toEqual([38, 47, 56, 65, 41, 50, 59, 68, 44, 53, 62, 71]);
    const camera = await open({
      acquisition: { S: series({ type: 'ImageSeries', data: { data, shape }, dimension: [4, 3], rate: 1 }) },
    });
    expect(camera.info.scenes[0]?.channels.map(({ name }) => name)).toEqual(['Red', 'Green', 'Blue']);
    expect(camera.info.scenes[0]?.sizes.Z).toBe(1);
    expect(await scenePlane(camera, 0, { channel: 2, t: 1 })).toEqual(await scenePlane(volume, 0, { t: 1, z: 2 }));
  });

  it.each([
    [{ spacing: [0.5, 0.25], unit: 'um' }, 0.5, 0],
    [{ spacing: [0.5, 0.25], unit: 'microns' }, 0.5, 0],
    [{ spacing: [0.5, 0.25], unit: 'meters' }, 0.5, 1],
    [{ spacing: [500, 250], unit: 'nm' }, 0.5, 0],
  ])('converts a spacing of %j', async (plane, step, warned) => {
    const scene = await sceneOf(
      { data: movie(2, 4, 3), dimension: [4, 3], rate: 1, plane: 'p' },
      { p: imagingPlane(plane) },
    );
    expect(scene.steps.X).toEqual({ step, unit: 'micrometer', origin: 'file' });
    expect(scene.warnings.filter((text) => /X step/.test(text))).toHaveLength(warned);
  });

  it('takes the mean of time stamps, and warns when they are uneven, too few or missing', async () => {
    const regular = await sceneOf({ data: movie(4, 4, 3), dimension: [4, 3], timestamps: [5, 5.25, 5.5, 5.75] });
    expect(regular.steps.T).toEqual({ step: 0.25, unit: 'seconds', origin: 'derived' });
    expect(regular.warnings).toEqual([]);
    expect(Array.from(regular.coordinates!.T!.values)).toEqual([0, 0.25, 0.5, 0.75]);
    const gap = await sceneOf({ data: movie(4, 4, 3), dimension: [4, 3], timestamps: [0, 1, 2, 9] });
    expect(gap.steps.T).toEqual({ step: 3, unit: 'seconds', origin: 'derived' });
    expect(gap.warnings).toEqual([
      'The time points are 1 s to 7 s apart (median 1 s), by their time stamps; the longest interval follows T = 2. ' +
        'The T step is the mean, 3 s; the coordinates have all values.',
    ]);
    const short = await sceneOf({ data: movie(4, 4, 3), dimension: [4, 3], timestamps: [0, 1] });
    expect(short.steps.T.step).toBe(1);
    expect(short.warnings).toEqual([
      'The file has 2 time stamps for 4 frames or lines; the first 2 were used.',
      '2 of 4 time stamps are missing or not numbers.',
    ]);
    const none = await sceneOf({ data: movie(4, 4, 3), dimension: [4, 3], rate: Number.NaN });
    expect(none.steps.T.unit).toBe('Frames');
    expect(none.warnings.join()).toMatch(/rate of NaN/);
  });

  it('follows time stamps that are those of another series', async () => {
    const first = series({ data: movie(3, 4, 3), dimension: [4, 3], timestamps: [0, 2, 4] });
    const second = series({
      data: movie(3, 4, 3),
      dimension: [4, 3],
      members: { timestamps: { soft: '/acquisition/A/timestamps' } },
    });
    const { info } = await open({ acquisition: { A: first, B: second } });
    expect(info.scenes[1]?.steps.T.step).toBe(2);
  });

  it('never shows a rate that the time stamps contradict without a word', async () => {
    await expectContradictionsSaid(async (step, at) => {
      const one: SeriesSpec = { data: movie(at.length, 4, 3), dimension: [4, 3], rate: 1 / step, timestamps: [...at] };
      return { acquisition: await open({ acquisition: { S: series(one) } }), close: () => {} };
    });
    const rates = { data: movie(2, 4, 3), dimension: [4, 3], rate: 10, plane: 'p' };
    expect((await sceneOf(rates, { p: imagingPlane({ rate: 30 }) })).warnings).toEqual([
      'T step: the `rate` of the series says 0.1 s, but `imaging_rate` says 0.03333 s. Showing 0.1 s.',
    ]);
  });

  it('takes time stamps in milliseconds beside a rate, or with that unit, for what they are', async () => {
    const one: SeriesSpec = { data: movie(4, 4, 3), dimension: [4, 3], timestamps: [1000, 1033, 1067, 1100] };
    const rated = await sceneOf({ ...one, rate: 30 });
    expect(rated.steps.T.step).toBeCloseTo(0.1 / 3, 9);
    expect(Array.from(rated.coordinates!.T!.values, (value) => Number(value.toFixed(9)))).toEqual([
      0, 0.033, 0.067, 0.1,
    ]);
    expect(rated.warnings).toEqual([
      'The time stamps are 33 apart, but the rate says 0.03333 s. They were assumed to be in milliseconds.',
    ]);
    const paused = await sceneOf({ ...one, timestamps: [0, 33, 5000, 5033], rate: 30 });
    expect(Array.from(paused.coordinates!.T!.values)).toEqual([0, 0.033, 5, 5.033]);
    expect(paused.warnings[0]).toContain('assumed to be in milliseconds');
    const said = await sceneOf({ ...one, stampUnit: 'milliseconds' });
    expect(said.steps.T.step).toBeCloseTo(0.1 / 3, 9);
    expect(said.warnings).toEqual([]);
    const odd = await sceneOf({ ...one, stampUnit: 'ticks' });
    expect(odd.steps.T.step).toBeCloseTo(100 / 3, 9);
    expect(odd.warnings).toEqual([
      'The unit "ticks" of the time stamps is not a known unit of time; seconds were assumed.',
    ]);
  });

  it('does not take the rounding of single precision for times', async () => {
    const stamps = (count: number) => Array.from({ length: count }, (_, i) => Math.fround(1e6 + i * 0.0333));
    const rates = { p: imagingPlane({ rate: 30.03 }) };
    const short = await sceneOf({ data: movie(6, 4, 3), dimension: [4, 3], timestamps: stamps(6), plane: 'p' }, rates);
    expect(short.steps.T.step).toBeCloseTo(0.0333, 6);
    expect(short.warnings).toEqual([]);
    const alone = await sceneOf({ data: movie(60, 4, 3), dimension: [4, 3], timestamps: stamps(60) });
    expect(alone.steps.T.step).toBeCloseTo((stamps(60)[59]! - 1e6) / 59, 9);
    expect(alone.warnings).toEqual([]);
  });

  it('says that grid spacing and field of view differ', async () => {
    const planes = { p: imagingPlane({ spacing: [5e-7, 5e-7] }) };
    const one = { data: movie(2, 4, 3), dimension: [4, 3], rate: 1, plane: 'p' };
    const scene = await sceneOf({ ...one, fieldOfView: [8e-6, 1.5e-6] }, planes);
    expect(scene.steps.X).toEqual({ step: 0.5, unit: 'micrometer', origin: 'file' });
    expect(scene.warnings).toEqual([
      'X step: `grid_spacing` says 0.5 µm, but `field_of_view` says 2 µm. Showing 0.5 µm.',
    ]);
  });

  it.each([
    [
      0.5,
      undefined,
      'By the `conversion` of the series, the value in "a.u." is sample × 0.5. Samples are shown as stored.',
    ],
    [1, -3, 'By the `offset` of the series, the value in "a.u." is sample − 3. Samples are shown as stored.'],
    [
      0.1,
      2,
      'By the `conversion` and `offset` of the series, the value in "a.u." is sample × 0.1 + 2. Samples are shown as stored.',
    ],
    [1, 0, undefined],
    [Number.NaN, Number.NaN, undefined],
  ] as const)(
    'says that samples with a conversion of %s and an offset of %s are shown as stored',
    async (factor, by, text) => {
      const one: SeriesSpec = { data: movie(2, 4, 3), dimension: [4, 3], rate: 1, conversion: factor };
      const scene = await sceneOf(by === undefined ? one : { ...one, offset: by });
      expect(scene.warnings).toEqual(text === undefined ? [] : [text]);
    },
  );

  it('serves the rate to the digits that it was written with', async () => {
    const scene = await sceneOf({ data: movie(2, 4, 3), dimension: [4, 3], rate: 29.97 });
    expect(scene.steps.T.step).toBe(1 / 29.97);
  });

  it('names the channel after the series when the plane has several or a nameless one', async () => {
    const one = { data: movie(2, 4, 3), dimension: [4, 3], rate: 1, plane: 'p' };
    const two = await sceneOf(one, { p: imagingPlane({ channels: ['Green', 'Red'] }) });
    const nameless = await sceneOf(one, { p: imagingPlane({ channels: ['optical_channel'] }) });
    expect([two.channels, nameless.channels]).toEqual([[{ name: 'S' }], [{ name: 'S' }]]);
  });

  it('serves other types of numbers', async () => {
    const shape = [1, 2, 3];
    const of = async (data: NonNullable<SeriesSpec['data']>['data']) =>
      (await sceneOf({ data: { data, shape }, dimension: [2, 3] })).sampleType;
    expect(await of({ bools: [true, false, true, true, false, false] })).toBe('uint8');
    expect(await of(BigInt64Array.of(1n, 2n, 3n, 4n, 5n, -6n))).toBe('int64');
    expect(await of(Float64Array.of(1, 2, 3, 4, 5, 6))).toBe('float64');
  });
});

describe('line scans', () => {
  it('are time series of two dimensions', async () => {
    const data = Float32Array.from({ length: 800 }, (_, i) => i);
    const acquisition = await open({
      acquisition: { LineScan: series({ type: 'TimeSeries', data: { data, shape: [100, 8] }, rate: 500 }) },
    });
    const scene = acquisition.info.scenes[0];
    expect(scene?.sizes).toEqual({ T: 1, Z: 1, Y: 100, X: 8 });
    expect(scene?.steps.Y).toEqual({ step: 0.002, unit: 'seconds', origin: 'file' });
    expect(scene?.steps.X.unit).toBe('Pixels');
    expect(await scenePlane(acquisition, 0)).toEqual(Array.from(data));
  });

  it.each([
    ['T × W × 1', [50, 8, 1]],
    ['T × 1 × W', [50, 1, 8]],
  ])('are series of frames of one line: %s', async (_, shape) => {
    const data = Uint16Array.from({ length: 400 }, (_, i) => i);
    const planes = { p: imagingPlane({ spacing: [2.5e-7, 1e-6] }) };
    const spec = { data: { data, shape }, rate: 400, scanLineRate: 400, plane: 'p' };
    const acquisition = await open({ acquisition: { S: series(spec) }, planes });
    const scene = acquisition.info.scenes[0];
    expect(scene?.sizes).toEqual({ T: 1, Z: 1, Y: 50, X: 8 });
    expect(scene?.steps.Y).toEqual({ step: 0.0025, unit: 'seconds', origin: 'file' });
    expect(scene?.steps.X.step).toBe(0.25);
    expect(scene?.warnings).toEqual([]);
    expect(await scenePlane(acquisition, 0)).toEqual(Array.from(data));
  });

  it('have the rate of the scanner without any other, and say when both disagree', async () => {
    const data = { data: new Uint16Array(40), shape: [5, 8, 1] };
    const scanned = await sceneOf({ data, scanLineRate: 800 });
    expect(scanned.steps.Y).toEqual({ step: 1 / 800, unit: 'seconds', origin: 'derived' });
    const both = await sceneOf({ data, scanLineRate: 800, rate: 400 });
    expect(both.steps.Y.step).toBe(1 / 400);
    expect(both.warnings).toEqual([
      'Y step: the `rate` of the series says 0.0025 s, but `scan_line_rate` says 0.00125 s. Showing 0.0025 s.',
    ]);
  });
});

describe('images', () => {
  const a = { data: movie(1, 4, 3).data, shape: [4, 3], resolution: 2000 };

  it('are scenes with their resolution', async () => {
    const colours = Uint8Array.from({ length: 36 }, (_, i) => i);
    const container = images({ a, b: { data: colours, shape: [4, 3, 3], type: 'RGBImage' } });
    const acquisition = await open({ acquisition: { Overview: container } });
    expect(acquisition.info.scenes.map(({ name, sizes }) => [name, sizes.Y, sizes.X])).toEqual([
      ['Overview/a', 3, 4],
      ['Overview/b', 3, 4],
    ]);
    expect(acquisition.info.scenes[0]?.steps.X).toEqual({ step: 5, unit: 'micrometer', origin: 'file' });
    expect(await scenePlane(acquisition, 0)).toEqual([0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23]);
    expect(acquisition.info.scenes[1]?.channels.map(({ name }) => name)).toEqual(['Red', 'Green', 'Blue']);
    expect(await scenePlane(acquisition, 1, { channel: 1 })).toEqual([1, 10, 19, 28, 4, 13, 22, 31, 7, 16, 25, 34]);
  });

  it('come behind the recordings', async () => {
    const acquisition = {
      A: images({ a }),
      B: series({ type: 'ImageSeries', data: movie(2, 4, 3) }),
      Z: series({ data: movie(2, 4, 3) }),
    };
    const processing = { ophys: { members: { mean: images({ a }), corrected: series({ data: movie(2, 4, 3) }) } } };
    const { info } = await open({ acquisition, processing });
    const names = ['Z', 'B', 'A/a', 'processing/ophys/corrected', 'processing/ophys/mean/a'];
    expect(info.scenes.map(({ name }) => name)).toEqual(names);
  });
});

describe('what is refused', () => {
  it('says what a file is instead', async () => {
    await expect(open({ version: '1.0.6' })).rejects.toThrow(/NWB 1 is not supported/);
    await expect(open({})).rejects.toMatchObject({
      code: 'unsupported_format',
      message: expect.stringMatching(/without image series/),
    });
    const { openTree } = await import('../../support/hdf5.js');
    const { checkNwb } = await import('../../../packages/readers/src/formats/nwb/parse.js');
    expect(() => checkNwb(openTree({ members: { nwb_version: { data: 'NWB-1.0.6' } } }))).toThrow(/NWB 1 is not/);
    const image = { data: Uint16Array.of(1, 2), shape: [1, 2] };
    expect(() => checkNwb(openTree({ members: { image } }))).toThrow(
      /a general HDF5 file with \/image \(1 × 2 uint16\)/,
    );
    expect(() => checkNwb(openTree({ attrs: { ImarisDataSet: 'x' } }))).toThrow(/an Imaris file/);
  });

  it('leaves out what cannot be read and serves the rest', async () => {
    const five = series({ data: { data: new Uint8Array(4), shape: [1, 1, 2, 2, 1] } });
    const empty = series({ data: { data: new Uint8Array(0), shape: [0, 0, 0] } });
    const good = series({ data: movie(2, 4, 3), dimension: [4, 3], rate: 1 });
    const { info } = await open({ acquisition: { five, empty, good, spikes: { attrs: typed('Units') } } });
    expect(info.scenes.map(({ name }) => name)).toEqual(['good']);
    expect(info.scenes[0]?.warnings).toEqual([
      'empty was skipped: the series has no data',
      expect.stringMatching(/^five was skipped: the dataset has 5 dimensions/),
    ]);
  });

  it('does not follow links into other files', async () => {
    const linked = series({
      data: movie(2, 4, 3),
      dimension: [4, 3],
      rate: 1,
      members: { imaging_plane: { external: ['x.nwb', '/p'] } },
    });
    const acquisition = { linked, away: { external: ['../other.nwb', '/acquisition/S'] as [string, string] } };
    const { info } = await open({ acquisition, kind: 'new' });
    expect(info.scenes.map(({ name }) => name)).toEqual(['linked']);
    const warnings = info.scenes[0]?.warnings.join('\n');
    expect(warnings).toMatch(/\.\.\/other\.nwb/);
    expect(warnings).toMatch(/Some metadata were ignored: .*x\.nwb/);
  });
});

describe('a search that ends early', () => {
  const groups = (count: number, members: Record<string, H5Node>): Record<string, H5Node> =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`g${String(i).padStart(3, '0')}`, { members }]));
  const many = groups(150, groups(150, {}));

  it('is told, with what was found and without', async () => {
    const found = await open({ acquisition: { a: series({ data: movie(1, 4, 3), dimension: [4, 3] }), ...many } });
    expect(found.info.scenes[0]?.warnings).toContainEqual(expect.stringMatching(/first [\d,]+ objects/));
    await expect(open({ acquisition: many })).rejects.toThrow(/without image series.*first [\d,]+ objects/);
  });

  it('by damage is damage', async () => {
    const bytes = Buffer.from(writeNwb({ acquisition: { S: series({ data: movie(1, 4, 3) }) } }));
    const messages: string[] = [];
    // One of the heaps holds the names of the acquisition.
    for (let at = bytes.indexOf('HEAP'); at >= 0; at = bytes.indexOf('HEAP', at + 1)) {
      const damaged = Uint8Array.from(bytes);
      damaged[at] = 0;
      await openNwbBytes(damaged).catch((error: AcqError) => {
        expect(error.code).toBe('decode_failed');
        messages.push(error.message);
      });
    }
    // What opens the file puts its name in front.
    expect(messages).toContainEqual(expect.stringMatching(/^nothing in the file can be read\. the block at/));
    expect(messages.join()).not.toContain('demo.nwb');
  });
});
