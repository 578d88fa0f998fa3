import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { planOpen } from '../../../packages/client/src/answers/describe.js';
import { selectScene } from '../../../packages/readers/src/model/selection.js';
import { expectedPlane, expectSamePlane, openFiles, servedPlane } from '../../support/open-files.js';
import { tempFolder } from '../../support/temp.js';
import { type CziBlock, type CziSpec, dims, PIXEL_TYPES, words, writeCzi, writeCziSet } from '../../writers/czi.js';
import { color, cziXml, mosaic, stack, stackSample } from '../../writers/czi-kinds.js';

const folder = tempFolder();
const open = (spec: CziSpec, name = 'image.czi') => openFiles(folder, { [name]: writeCzi(spec) });

describe('CZI frames', () => {
  it('are found by channel, time and depth, with the steps of the file', async () => {
    const opened = await open(stack(2, 3));
    const [scene] = opened.acquisition.info.scenes;
    expect(scene).toMatchObject({
      channels: [{ name: 'DAPI' }, { name: 'GFP' }],
      sizes: { T: 2, Z: 3, Y: 5, X: 7 },
      steps: {
        T: { step: 1.5, unit: 'seconds', origin: 'file' },
        Z: { step: 1.6, unit: 'micrometer', origin: 'file' },
        Y: { step: 0.2, unit: 'micrometer', origin: 'file' },
        X: { step: 0.1, unit: 'micrometer', origin: 'file' },
      },
      warnings: [],
    });
    for (const at of [
      { c: 0, t: 0, z: 0 },
      { c: 1, t: 1, z: 2 },
      { c: 0, t: 1, z: 1 },
    ]) {
      const sample = (y: number, x: number) => stackSample(at, y, x);
      expectSamePlane(await servedPlane(opened, { channel: at.c, t: at.t, z: at.z }), expectedPlane(5, 7, sample));
    }
    opened.close();
  });

  it('that were not recorded are shown as 0, and a warning names the first', async () => {
    const spec = stack(2, 3);
    // The second channel at its first depth only, as when a track skips the stack.
    spec.blocks = spec.blocks.filter(({ dims: [, , c, z] }) => c?.start === 0 || z?.start === 0);
    const opened = await open(spec);
    expect(opened.acquisition.info.scenes[0]?.warnings).toEqual([
      '4 of 12 planes are missing from the file and shown as 0. The first is T = 0, Z = 1 of channel "GFP".',
    ]);
    expectSamePlane(
      await servedPlane(opened, { channel: 1, z: 2 }),
      expectedPlane(5, 7, () => 0),
    );
    opened.close();
  });

  it('are read from directory entries of kind DE', async () => {
    const blocks = [0, 1].map(
      (z): CziBlock => ({
        schema: 'DE',
        dims: dims({ X: 4, Y: 3, C: 1, Z: [z, 1], T: 1 }),
        pixelType: PIXEL_TYPES.Gray16,
        data: words(12, (i) => 100 * z + i),
      }),
    );
    const opened = await open({ blocks });
    expect(opened.acquisition.info.scenes[0]?.sizes).toEqual({ T: 1, Z: 2, Y: 3, X: 4 });
    expectSamePlane(
      await servedPlane(opened, { z: 1 }),
      expectedPlane(3, 4, (y, x) => 100 + 4 * y + x),
    );
    opened.close();
  });

  it('skip the levels of pyramids', async () => {
    const full = { dims: dims({ X: 4, Y: 4, M: 1 }), pixelType: PIXEL_TYPES.Gray8, data: new Uint8Array(16).fill(9) };
    const half = [
      { name: 'X', start: 0, size: 4, stored: 2 },
      { name: 'Y', start: 0, size: 4, stored: 2 },
    ];
    const level = { dims: half, pixelType: PIXEL_TYPES.Gray8, data: new Uint8Array(4).fill(1) };
    for (const pyramid of [0, 1, 2]) {
      const opened = await open({ blocks: [{ ...level, pyramid }, full] });
      expectSamePlane(
        await servedPlane(opened),
        expectedPlane(4, 4, () => 9),
      );
      opened.close();
    }
    await expect(open({ blocks: [{ ...level, pyramid: 1 }] })).rejects.toMatchObject({
      code: 'decode_failed',
      message: expect.stringMatching(/contains only reduced copies of an image \(1 subblock\)/),
    });
    const only = await open({ blocks: [level], xml: cziXml({ um: { X: 0.5, Y: 0.5 } }) });
    const [scene] = only.acquisition.info.scenes;
    expect(scene?.sizes).toEqual({ T: 1, Z: 1, Y: 2, X: 2 });
    expect(scene?.steps.X).toEqual({ step: 1, unit: 'micrometer', origin: 'derived' });
    expect(scene?.warnings.join(' ')).toMatch(/different number of pixels/);
    only.close();
  });

  it('have the wider sample type when channels differ', async () => {
    const blocks = [
      { dims: dims({ X: 2, Y: 1, C: [0, 1] }), pixelType: PIXEL_TYPES.Gray8, data: Uint8Array.of(1, 2) },
      { dims: dims({ X: 2, Y: 1, C: [1, 1] }), pixelType: PIXEL_TYPES.Gray16, data: words(2, (i) => 300 + i) },
    ];
    const opened = await open({ blocks });
    expect(opened.acquisition.info.scenes[0]?.sampleType).toBe('uint16');
    expect([...(await servedPlane(opened))]).toEqual([1, 2]);
    expect([...(await servedPlane(opened, { channel: 1 }))]).toEqual([300, 301]);
    opened.close();
  });

  it.each([
    ['Gray32Float', 'float32', new Uint8Array(Float32Array.of(-1.5, 2.25).buffer), [-1.5, 2.25]],
    ['Gray32', 'int32', new Uint8Array(Int32Array.of(-7, 70_000).buffer), [-7, 70_000]],
    ['Gray64Float', 'float64', new Uint8Array(Float64Array.of(0.5, -3).buffer), [0.5, -3]],
  ] as const)('of type %s keep their sample type', async (pixelType, sampleType, data, values) => {
    const opened = await open({ blocks: [{ dims: dims({ X: 2, Y: 1 }), pixelType: PIXEL_TYPES[pixelType], data }] });
    expect(opened.acquisition.info.scenes[0]?.sampleType).toBe(sampleType);
    expect([...(await servedPlane(opened))]).toEqual(values);
    opened.close();
  });
});

describe('CZI color pixels', () => {
  it.each(['Bgr24', 'Bgr48', 'Bgr96Float', 'Bgra32'] as const)('of type %s become channels', async (type) => {
    const opened = await open(color(type));
    const names = type === 'Bgra32' ? ['R', 'G', 'B', 'A'] : ['R', 'G', 'B'];
    expect(opened.acquisition.info.scenes[0]?.channels.map(({ name }) => name)).toEqual(names);
    const samples = [
      (y: number, x: number) => 10 * x + y,
      (y: number) => 20 * y,
      (y: number, x: number) => x + y,
      (_y: number, x: number) => 255 - x,
    ];
    for (const [channel] of names.entries()) {
      const plane = expectedPlane(3, 4, samples[channel] as (y: number, x: number) => number);
      expectSamePlane(await servedPlane(opened, { channel }), plane);
    }
    opened.close();
  });

  it('have the name of their channel when there are several', async () => {
    const [rgb] = color('Bgr24').blocks;
    const grey = {
      dims: dims({ X: 4, Y: 3, C: [1, 1] }),
      pixelType: PIXEL_TYPES.Gray8,
      data: new Uint8Array(12).fill(5),
    };
    const opened = await open({ blocks: [rgb as CziBlock, grey], xml: cziXml({ channels: ['TL', 'DAPI'] }) });
    const [scene] = opened.acquisition.info.scenes;
    expect(scene?.channels.map(({ name }) => name)).toEqual(['TL R', 'TL G', 'TL B', 'DAPI']);
    expect((await servedPlane(opened, { channel: 3 }))[0]).toBe(5);
    opened.close();
  });

  it('of complex numbers are refused with their type', async () => {
    const block = { dims: dims({ X: 1, Y: 1 }), pixelType: PIXEL_TYPES.Gray64ComplexFloat, data: new Uint8Array(8) };
    await expect(open({ blocks: [block] })).rejects.toMatchObject({
      code: 'unsupported_format',
      message: expect.stringMatching(/complex numbers \(pixel type Gray64ComplexFloat\) are not supported/),
    });
  });
});

describe('CZI mosaics', () => {
  it('are assembled by coordinates, with higher tiles on top', async () => {
    const spec = mosaic([
      { m: 1, x: 1, y: -2 },
      { m: 0, x: -3, y: -4 },
    ]);
    const opened = await open(spec);
    const [scene] = opened.acquisition.info.scenes;
    expect(scene).toMatchObject({ name: 'TR1', sizes: { T: 1, Z: 1, Y: 6, X: 10 } });
    // 24 + 24 pixels, 4 of them twice, of 60.
    expect(scene?.warnings).toEqual(['The tiles cover 73.3 % of the plane. The rest is shown as 0.']);
    const first = (y: number, x: number) => (y < 4 && x < 6 ? 1 : 0);
    const second = (y: number, x: number) => (y >= 2 && x >= 4 ? 2 : 0);
    expectSamePlane(
      await servedPlane(opened),
      expectedPlane(6, 10, (y, x) => second(y, x) || first(y, x)),
    );
    opened.close();
  });

  it('of several scenes have a plane for each scene', async () => {
    const opened = await open(
      mosaic([
        { m: 0, x: 0, y: 0, s: 0 },
        { m: 1, x: 6, y: 0, s: 0 },
        { m: 0, x: 90_000, y: 0, s: 1 },
      ]),
    );
    const { scenes } = opened.acquisition.info;
    expect(scenes.map(({ name, sizes, warnings }) => [name, sizes.Y, sizes.X, warnings])).toEqual([
      ['TR1', 4, 12, []],
      ['TR2', 4, 6, []],
    ]);
    expectSamePlane(
      await servedPlane(opened),
      expectedPlane(4, 12, (_y, x) => (x < 6 ? 1 : 2)),
    );
    opened.close();
  });

  it('above the plane limit are refused before any pixel is read', async () => {
    const opened = await open(
      mosaic([
        { m: 0, x: 0, y: 0 },
        { m: 1, x: 99_994, y: 99_996 },
      ]),
    );
    const { info } = opened.acquisition;
    expect(info.scenes[0]?.sizes).toEqual({ T: 1, Z: 1, Y: 100_000, X: 100_000 });
    const plan = () => planOpen(selectScene(info, undefined), {}, 'scan.czi', 2 ** 30);
    expect(plan).toThrow(
      /^scan\.czi: one plane of 100,000 × 100,000 pixels takes 40,000,000,000 bytes.*--max-plane-bytes/,
    );
    opened.close();
  });
});

describe('further dimensions of a CZI', () => {
  it('become scenes that are named after them', async () => {
    const blocks = [0, 1, 2].flatMap((h) =>
      [0, 1]
        .filter((c) => c === 0 || h === 0)
        .map((c) => ({
          dims: dims({ X: 2, Y: 2, C: [c, 1] as const, H: [h, 1] as const }),
          pixelType: PIXEL_TYPES.Gray8,
          data: new Uint8Array(4).fill(10 * c + h),
        })),
    );
    const opened = await open({ blocks, xml: cziXml({ channels: ['A', 'B'] }) });
    const { scenes } = opened.acquisition.info;
    expect(scenes.map(({ name, channels }) => [name, channels.length])).toEqual([
      ['H0', 2],
      ['H1', 1],
      ['H2', 1],
    ]);
    expect(scenes[1]?.warnings).toEqual([
      'The file also has the dimension H (3 entries). Each entry is shown as a separate scene.',
    ]);
    expect((await servedPlane(opened, { scene: 2 }))[0]).toBe(2);
    expect((await servedPlane(opened, { channel: 1 }))[0]).toBe(10);
    opened.close();
  });
});

describe('a set of CZI files', () => {
  const spec: CziSpec = { ...stack(1, 3), blocks: stack(1, 3).blocks.map((block, i) => ({ ...block, part: i >> 1 })) };
  const [main, one, two] = writeCziSet(spec) as [Uint8Array, Uint8Array, Uint8Array];
  const names = { 'big.czi': main, 'big (1).czi': one, 'big (2).czi': two };

  it.each(Object.keys(names))('opens by %s', async (name) => {
    const opened = await openFiles(folder, names, name);
    expect(opened.acquisition.info.scenes[0]?.sizes.Z).toBe(3);
    for (const z of [0, 1, 2]) {
      const sample = (y: number, x: number) => stackSample({ c: 1, t: 0, z }, y, x);
      expectSamePlane(await servedPlane(opened, { channel: 1, z }), expectedPlane(5, 7, sample));
    }
    opened.close();
  });

  it('has a warning that names the missing part', async () => {
    const opened = await openFiles(folder, { 'big.czi': main, 'big (2).czi': two });
    expect(opened.acquisition.info.scenes[0]?.warnings.join(' ')).toMatch(
      /"big \(1\)\.czi", a file of this set, is missing/,
    );
    expect((await servedPlane(opened, { z: 2 }))[0]).toBe(20);
    await expect(servedPlane(opened, { z: 1 })).rejects.toMatchObject({
      code: 'companion_missing',
      message: `big.czi: "big (1).czi", a file of this set, is missing from ${dirname(opened.path)}. Copy all files of the set there.`,
    });
    opened.close();
    await expect(openFiles(folder, { 'big (1).czi': one })).rejects.toMatchObject({
      code: 'companion_missing',
      message: expect.stringMatching(/^big \(1\)\.czi: "big\.czi", the first file of this set, is missing from /),
    });
  });

  it('names the first file, which refers to the missing part, when another part was opened', async () => {
    const opened = await openFiles(folder, { 'big.czi': main, 'big (1).czi': one }, 'big (1).czi');
    await expect(servedPlane(opened, { z: 2 })).rejects.toThrow(/^big\.czi: "big \(2\)\.czi", a file of this set,/);
    opened.close();
  });

  it('refuses a part of another recording', async () => {
    const foreign = two.slice();
    foreign[48] = 99;
    const opened = await openFiles(folder, { 'big.czi': main, 'big (1).czi': one, 'big (2).czi': foreign });
    await expect(servedPlane(opened, { z: 2 })).rejects.toMatchObject({
      code: 'companion_missing',
      message: expect.stringMatching(/The file "big \(2\)\.czi" there belongs to another acquisition/),
    });
    opened.close();
  });
});

describe('a CZI channel with a very large number', () => {
  it('is shown, and the missing channels before it are not all listed', async () => {
    const { blocks, ...rest } = stack(1, 1);
    const far = blocks.map((block, i) => ({
      ...block,
      dims: block.dims.map((dim) => (dim.name === 'C' && i > 0 ? { ...dim, start: 0x7fffffff } : dim)),
    }));
    const opened = await open({ ...rest, blocks: far });
    expect(opened.acquisition.info.scenes[0]?.warnings).toContainEqual(
      'The channels 2, 3, 4, 5, 6, 7, 8, 9, … of the recording are missing.',
    );
    opened.close();
  });
});
