/** HDF5 files of no particular format: which arrays are images, and which dimension is which axis. */
import { describe, expect, it } from 'vitest';
import { dimensionsOf } from '../../../packages/readers/src/formats/hdf5/dimensions.js';
import { indexOf } from '../../../packages/readers/src/formats/hdf5/planes.js';
import { volume } from '../../support/hdf5.js';
import { openBytes, samplesOf } from '../../support/memory.js';
import { type H5Dataset, type H5Group, writeHdf5 } from '../../writers/hdf5.js';
import { writeIms } from '../../writers/ims.js';
import { writeMesc } from '../../writers/mesc.js';
import { writeNwb } from '../../writers/nwb.js';

const open = (members: H5Group['members'], name = 'a.h5') => openBytes(name, writeHdf5({ members: members! }));
const array = (shape: number[], over: Partial<H5Dataset> = {}): H5Dataset => ({
  data: Uint16Array.from({ length: shape.reduce((a, b) => a * b) }, (_, i) => i % 65_521),
  shape,
  ...over,
});
const tags = (keys: string) => ({ axistags: { vlen: JSON.stringify({ axes: [...keys].map((key) => ({ key })) }) } });
const about = (shape: number[], over: object = {}) =>
  dimensionsOf({ path: 'data', labels: [], kind: '', interlace: '', dataset: { shape, type: {} }, ...over });

describe('the dimensions of an array', () => {
  it.each<[number[], string | undefined]>([
    [[16, 20], 'YX'],
    [[100, 16, 20], 'ZYX'],
    [[2, 3, 16, 20], 'ZZYX'],
    [[1, 5, 1, 16, 20], '1Z1YX'],
    [[100, 16, 20, 1], 'ZYX1'],
    [[16, 20, 3], 'YXC'],
    [[7, 16, 20, 2], 'ZYXC'],
    [[1000, 3], undefined],
    [[100, 3, 3], undefined],
    [[15, 300], undefined],
    [[16, 20, 5], undefined],
  ])('%j without names are %s', (shape, axes) => {
    expect(about(shape)?.axes.join('')).toBe(axes);
  });

  it.each<[string[], number[], string | undefined]>([
    [['t', 'z', 'y', 'x', 'c'], [5, 4, 3, 2, 6], 'TZYXC'],
    [['x', 'y', 'z'], [2, 3, 4], 'XYZ'],
    [['Time', 'Height', 'Width'], [2, 3, 4], 'TYX'],
    [['experiment', 'y', 'x'], [1, 3, 4], '1YX'],
    [['experiment', 'y', 'x'], [2, 3, 4], undefined],
    [['y', 'y', 'x'], [2, 3, 4], undefined],
    [['z', 'y'], [3, 4], undefined],
  ])('named %j are that', (labels, shape, axes) => {
    expect(about(shape, { labels })?.axes.join('')).toBe(axes);
  });

  it('are those of an image of the HDF5 specification', () => {
    expect(about([3, 4], { kind: 'IMAGE' })?.axes.join('')).toBe('YX');
    const planes = about([3, 5, 4], { kind: 'IMAGE', interlace: 'INTERLACE_PLANE' });
    expect([planes?.axes.join(''), planes?.areColors]).toEqual(['CYX', true]);
    expect(about([5, 4, 3], { kind: 'IMAGE', interlace: 'INTERLACE_PIXEL' })?.axes.join('')).toBe('YXC');
    expect(about([256, 256], { kind: 'PALETTE' })).toBeUndefined();
  });

  it('of one axis count together, the last one fastest', () => {
    expect(indexOf([2, 3, 16, 20, 4], ['Z', 'Z', 'Y', 'X', 'C'], { t: 0, z: 5, channel: 3 })).toEqual([1, 2, 0, 0, 3]);
    expect(indexOf([2, 3, 16, 20], ['Z', 'T', 'Y', 'X'], { t: 2, z: 1, channel: 0 })).toEqual([1, 2, 0, 0]);
  });
});

describe('an HDF5 file of no particular format', () => {
  it('has a scene for each image, stacks first; tables, lists and texts are none', async () => {
    const members: H5Group['members'] = {
      average: array([16, 20]),
      movie: { members: { data: array([3, 16, 20]), times: { data: Float64Array.of(1, 2, 3) } } },
      table: array([100, 3]),
      names: { data: { vlen: ['a', 'b'] } },
      again: { soft: '/average' },
    };
    const { info } = await open(members);
    expect(info.format).toBe('h5');
    expect(info.scenes.map(({ name, sizes }) => [name, sizes])).toEqual([
      ['movie/data', { T: 1, Z: 3, Y: 16, X: 20 }],
      ['average', { T: 1, Z: 1, Y: 16, X: 20 }],
    ]);
    expect(info.scenes.map(({ warnings }) => warnings.length)).toEqual([1, 0]);
    expect(info.scenes[0]!.axisWarnings?.planes).toEqual(info.scenes[0]!.warnings);
  });

  it.each([undefined, [1, 2, 2, 2, 2]])('of ilastik has the axes of its tags, in chunks %j', async (chunks) => {
    const layout = chunks ? { chunks, filters: ['gzip' as const] } : {};
    const exported = array([2, 3, 4, 5, 2], { attrs: tags('tzyxc'), ...layout });
    const opened = await open({ exported_data: exported });
    const { sizes, channels, warnings } = opened.info.scenes[0]!;
    expect([sizes, channels.length, warnings]).toEqual([{ T: 2, Z: 3, Y: 4, X: 5 }, 2, []]);
    const first = 1 * 120 + 2 * 40 + 1;
    const plane = [...(await samplesOf(opened, { t: 1, z: 2, channel: 1 }))];
    expect(plane).toEqual(Array.from({ length: 20 }, (_, i) => first + 2 * i));
  });

  it('turns an array whose columns come first', async () => {
    const opened = await open({ data: array([3, 2], { attrs: { DIMENSION_LABELS: { vlen: ['x', 'y'] } } }) });
    expect(opened.info.scenes[0]!.sizes).toEqual({ T: 1, Z: 1, Y: 2, X: 3 });
    expect([...(await samplesOf(opened))]).toEqual([0, 2, 4, 1, 3, 5]);
  });

  it('has colors, and the element size of Fiji', async () => {
    const attrs = { element_size_um: Float64Array.of(2, 0.5, 0.25) };
    const rgb = { data: Uint8Array.from({ length: 16 * 20 * 3 }, (_, i) => i), shape: [16, 20, 3] };
    const { info } = await open({ rgb, stack: array([3, 16, 20], { attrs }) });
    const [color, stack] = info.scenes;
    expect([stack?.steps.Z.step, stack?.steps.Y.step, stack?.steps.X.step]).toEqual([2, 0.5, 0.25]);
    expect(color?.channels.map((channel) => [channel.name, channel.color])).toEqual([
      ['Red', '#FF0000'],
      ['Green', '#00FF00'],
      ['Blue', '#0000FF'],
    ]);
    expect(color?.warnings).toEqual(['The last dimension of rgb (16 × 20 × 3) was assumed to be channels.']);
  });

  it('says what it could not read, and what it could not use', async () => {
    const attrs = { DIMENSION_LABELS: { vlen: ['trial', 'y', 'x'] } };
    const { info } = await open({
      a: array([2, 16, 20], { attrs }),
      b: array([16, 20], { chunks: [16, 20], filters: ['unheard'] }),
    });
    expect(info.scenes.map(({ name }) => name)).toEqual(['a']);
    expect(info.scenes[0]!.warnings).toEqual([
      expect.stringMatching(/^The file does not say what the 2 pages of a/),
      expect.stringMatching(/^The names of the dimensions of a \(2 × 16 × 20\), trial, y, x, are not those/),
      expect.stringMatching(/^b was skipped: .*filter/),
    ]);
  });

  it('is refused without an image, with what it has', async () => {
    await expect(open({ table: array([100, 3]) })).rejects.toMatchObject({
      code: 'unsupported_format',
      message: expect.stringMatching(/^a\.h5 is a general HDF5 file with \/table \(100 × 3 uint16\)\. It has no image/),
    });
    await expect(open({ data: array([3, 16, 20]) }, 'a.nwb')).rejects.toThrow(
      'is not an NWB file but a general HDF5 file',
    );
    await expect(open({ data: array([3, 16, 20]) }, 'a')).rejects.toThrow('a general HDF5 file');
  });

  it('is never one of a format in HDF5, whatever it is called', async () => {
    const movie = { shape: [3, 4, 5], third: { title: 't' } };
    const files = {
      ims: writeIms(volume()),
      mesc: writeMesc({ units: { 'MSession_0/MUnit_0': movie } }),
    };
    for (const [format, bytes] of Object.entries(files)) {
      for (const name of ['a.h5', 'a.hdf5']) expect((await openBytes(name, bytes)).info.format).toBe(format);
    }
    await expect(openBytes('a.h5', writeNwb({}))).rejects.toThrow('is an NWB file without image series');
  });
});
