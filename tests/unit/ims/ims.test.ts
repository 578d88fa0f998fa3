import { describe, expect, it } from 'vitest';
import { NativeTarget } from '../../../packages/readers/src/model/samples/plane-target.js';
import { openImsBytes, volume } from '../../support/hdf5.js';
import { type H5Group, writeHdf5 } from '../../writers/hdf5.js';
import { imsTree, writeIms } from '../../writers/ims.js';

function only(acquisition: ReturnType<typeof openImsBytes>) {
  const [scene] = acquisition.info.scenes;
  if (!scene) throw new Error('no scene');
  return scene;
}

async function plane(acquisition: ReturnType<typeof openImsBytes>, channel: number, t = 0, z = 0): Promise<number[]> {
  const { sizes, sampleType } = only(acquisition);
  const target = new NativeTarget(sampleType, sizes.Y, sizes.X);
  await acquisition.readPlane({ scene: 0, channel, t, z }, target);
  return Array.from(target.data, Number);
}

const numbers = (start: number) => Array.from({ length: 20 }, (_, i) => start + i);

describe('the Imaris reader', () => {
  it('serves channels, times and depths', async () => {
    const acquisition = openImsBytes(writeIms(volume()));
    const scene = only(acquisition);
    expect(scene.sizes).toEqual({ T: 2, Z: 3, Y: 4, X: 5 });
    expect(scene.sampleType).toBe('uint16');
    expect(scene.channels).toEqual([{ name: 'Green' }, { name: 'Red' }]);
    expect(scene.warnings).toEqual([]);
    for (const [c, t, z] of [
      [0, 0, 0],
      [1, 0, 2],
      [0, 1, 1],
      [1, 1, 2],
    ] as const) {
      expect(await plane(acquisition, c, t, z)).toEqual(numbers(1000 * c + 500 * t + 20 * z));
    }
  });

  it('divides the extents by the pixels between them, whichever is larger', () => {
    const { steps } = only(openImsBytes(writeIms(volume())));
    expect(steps.X).toEqual({ step: 0.5, unit: 'micrometer', origin: 'file' });
    expect(steps.Y).toEqual({ step: 0.25, unit: 'micrometer', origin: 'file' });
    expect(steps.Z).toEqual({ step: 1, unit: 'micrometer', origin: 'file' });
    expect(steps.T).toEqual({ step: 0.25, unit: 'seconds', origin: 'derived' });
  });

  it('converts the unit and says when it cannot', () => {
    const image = { ExtMin0: '0', ExtMax0: '1,28', ExtMin1: '0', ExtMax1: '4', Unit: 'mm' };
    const { steps } = only(openImsBytes(writeIms(volume({ image }))));
    expect(steps.X.step).toBeCloseTo(256, 9);
    expect(steps.Y.step).toBeCloseTo(1000, 9);
    expect(steps.Z).toEqual({ step: 1, unit: 'Planes', origin: 'default' });
    const parsec = only(openImsBytes(writeIms(volume({ image: { ...image, Unit: 'parsec' } }))));
    expect(parsec.steps.X.unit).toBe('Pixels');
    expect(parsec.warnings[0]).toMatch(/parsec/);
  });

  it('takes the date of the recording, else that of the first time point', () => {
    const dated = only(openImsBytes(writeIms(volume({ image: { RecordingDate: '2019-12-31 23:59:58.500' } }))));
    expect([dated.date, dated.time]).toEqual(['20191231', '23:59:58']);
    const first = only(openImsBytes(writeIms(volume())));
    expect([first.date, first.time]).toEqual(['20240305', '14:18:23']);
  });

  it('crops the padding of the arrays', async () => {
    const spec = volume({ padded: { X: 8, Y: 8, Z: 4 }, chunks: [2, 8, 8], filters: ['shuffle', 'gzip'] });
    const acquisition = openImsBytes(writeIms(spec));
    expect(only(acquisition).sizes).toEqual({ T: 2, Z: 3, Y: 4, X: 5 });
    expect(await plane(acquisition, 1, 1, 2)).toEqual(numbers(1540));
  });

  it.each([['gzip'], ['lz4'], ['shuffle', 'lz4'], ['lzf']] as const)('reads chunks with %s %s', async (...filters) => {
    const acquisition = openImsBytes(
      writeIms(volume({ chunks: [1, 3, 2], filters: [...filters].filter(Boolean), kind: 'new' })),
    );
    expect(await plane(acquisition, 0, 1, 2)).toEqual(numbers(540));
    expect(acquisition.bands?.(0)).toBe(2);
  });

  it('sorts time points by their numbers', async () => {
    const times = Array.from({ length: 12 }, (_, t) => `2024-03-05 14:18:${String(t * 2).padStart(2, '0')}.000`);
    const acquisition = openImsBytes(writeIms(volume({ timePoints: 12, times, value: (_c, t) => t })));
    expect(only(acquisition).sizes.T).toBe(12);
    for (const t of [1, 2, 10, 11]) expect(new Set(await plane(acquisition, 0, t))).toEqual(new Set([t]));
    expect(only(acquisition).steps.T.step).toBe(2);
  });

  it('serves uneven times, with a warning', () => {
    const times = ['00.000', '01.000', '02.000', '07.500'].map((s) => `2024-03-05 14:18:${s}`);
    const scene = only(openImsBytes(writeIms(volume({ timePoints: 4, times }))));
    expect(scene.steps.T).toEqual({ step: 2.5, unit: 'seconds', origin: 'derived' });
    expect(scene.coordinates?.T).toMatchObject({ source: 'clock times', uneven: true });
    expect(Array.from(scene.coordinates!.T!.values)).toEqual([0, 1, 2, 7.5]);
    expect(scene.warnings).toEqual([
      'The time points are 1 s to 5.5 s apart (median 1 s), by their clock times; the longest interval follows T = 2. ' +
        'The T step is the mean, 2.5 s; the coordinates have all values.',
    ]);
  });

  it('has the frame as T step without usable times, with a warning', () => {
    const backwards = ['09', '05', '02'].map((s) => `2024-03-05 14:18:${s}.000`);
    const scene = only(openImsBytes(writeIms(volume({ timePoints: 3, times: backwards }))));
    expect(scene.steps.T.unit).toBe('Frames');
    expect(scene.warnings[0]).toMatch(/not in ascending order/);
    const silent = only(openImsBytes(writeIms(volume({ times: [] }))));
    expect(silent.steps.T).toEqual({ step: 1, unit: 'Frames', origin: 'default' });
    expect(silent.warnings[0]).toMatch(/does not contain valid times/);
  });

  it('makes a line scan of time points of one row', async () => {
    const spec = volume({
      size: { X: 5, Y: 1, Z: 1 },
      timePoints: 70,
      times: ['2024-03-05 14:18:23.000', '2024-03-05 14:18:23.002'],
    });
    const acquisition = openImsBytes(writeIms({ ...spec, value: (c, t, _z, _y, x) => 1000 * c + 5 * t + x }));
    const scene = only(acquisition);
    expect(scene.sizes).toEqual({ T: 1, Z: 1, Y: 70, X: 5 });
    expect(scene.steps.Y).toEqual({ step: 0.002, unit: 'seconds', origin: 'derived' });
    expect(await plane(acquisition, 1)).toEqual(Array.from({ length: 350 }, (_, i) => 1000 + i));
  });

  it('reads ordinary attributes, and arrays without sizes in the metadata', async () => {
    const acquisition = openImsBytes(writeIms(volume({ plainAttributes: true, withoutSizes: true, kind: 'new' })));
    expect(only(acquisition).sizes).toEqual({ T: 2, Z: 3, Y: 4, X: 5 });
    expect(only(acquisition).channels[1]?.name).toBe('Red');
    expect(await plane(acquisition, 1, 0, 1)).toEqual(numbers(1020));
  });

  it('names channels without a name', () => {
    const { channels } = only(openImsBytes(writeIms(volume({ names: ['(name not specified)', '', 'Cal520'] }))));
    expect(channels.map(({ name }) => name)).toEqual(['CH1', 'CH2', 'Cal520']);
  });

  it.each([
    [Uint8Array, 'uint8'],
    [Uint32Array, 'uint32'],
    [Float32Array, 'float32'],
  ] as const)('serves %s', async (type, sampleType) => {
    const acquisition = openImsBytes(
      writeIms(volume({ type: () => type, value: (_c, _t, z, y, x) => 20 * z + 5 * y + x })),
    );
    expect(only(acquisition).sampleType).toBe(sampleType);
    expect(await plane(acquisition, 1, 1, 2)).toEqual(numbers(40));
  });

  it('widens channels of different types', async () => {
    const type = (c: number) => (c === 0 ? Uint8Array : Uint16Array);
    const acquisition = openImsBytes(
      writeIms(volume({ type, value: (c, _t, z, y, x) => 1000 * c + 20 * z + 5 * y + x })),
    );
    expect(only(acquisition).sampleType).toBe('uint16');
    expect(await plane(acquisition, 0, 0, 1)).toEqual(numbers(20));
    expect(await plane(acquisition, 1, 0, 1)).toEqual(numbers(1020));
  });

  it('refuses a channel that is missing at a time point, and serves the others', async () => {
    const acquisition = openImsBytes(writeIms(volume({ lacks: { timePoint: 1, channel: 1 } })));
    expect(await plane(acquisition, 0, 1)).toEqual(numbers(500));
    await expect(plane(acquisition, 1, 1)).rejects.toThrow(/channel 1 of time point 1 is missing/);
  });

  it('warns when the metadata describe more pixels than the array has', () => {
    const scene = only(openImsBytes(writeIms(volume({ size: { X: 9, Y: 4, Z: 3 }, padded: { X: 5, Y: 4, Z: 3 } }))));
    expect(scene.sizes.X).toBe(5);
    expect(scene.warnings[0]).toMatch(/describes 9 pixels along X, but contains 5/);
  });

  it('divides the extents by the pixels that they span', () => {
    const image = { ExtMin0: '0', ExtMax0: '4.5' };
    const scene = only(
      openImsBytes(writeIms(volume({ size: { X: 9, Y: 4, Z: 3 }, padded: { X: 5, Y: 4, Z: 3 }, image }))),
    );
    expect(scene.steps.X).toEqual({ step: 0.5, unit: 'micrometer', origin: 'file' });
  });

  it.each(['-5', '0', '500', 'five'])('uses the size of the image when that of the channel is %s', (stated) => {
    const tree = imsTree(volume({ padded: { X: 8, Y: 8, Z: 4 } }));
    const sizes = ['ImageSizeX', 'ImageSizeY', 'ImageSizeZ'].map((name) => [name, stated] as const);
    const path = ['DataSet', 'ResolutionLevel 0', 'TimePoint 0', 'Channel 0'];
    const channel = path.reduce((group, name) => group.members?.[name] as H5Group, tree);
    channel.attrs = Object.fromEntries(sizes);
    const scene = only(openImsBytes(writeHdf5(tree)));
    expect(scene.sizes).toMatchObject({ Z: 3, Y: 4, X: 5 });
    const told = stated === 'five' ? 0 : 3;
    expect(scene.warnings.filter((one) => one.includes(`ImageSize`))).toHaveLength(told);
  });

  it('describes other HDF5 files in the refusal', () => {
    const members = { deep: { members: { image: { data: Uint16Array.of(1, 2, 3, 4), shape: [2, 2] } } } };
    const open = (root: Parameters<typeof writeHdf5>[0]) => () => openImsBytes(writeHdf5(root));
    expect(open({ members })).toThrow(/a general HDF5 file with \/deep\/image \(2 × 2 uint16\)/);
    expect(open({ attrs: { nwb_version: '2.6.0' } })).toThrow(/is not an Imaris file but an NWB file/);
    expect(open({ attrs: imsTree(volume()).attrs ?? {} })).toThrow(/contains no image/);
  });
});
