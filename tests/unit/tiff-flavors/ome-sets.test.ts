import { describe, expect, it } from 'vitest';
import type { OpenedAcquisition } from '../../../packages/server/src/open.js';
import { tempFolder } from '../../support/temp.js';
import { countingPage, description, firstSample, withFixture } from '../../support/tiff-cases.js';
import { type OmeImageSpec, omeXml, tiffData } from '../../writers/ome.js';
import { writeTiff } from '../../writers/tiff.js';

const root = tempFolder();
const SIZE = { X: 4, Y: 3 };

/** A file whose page i starts with 12 × (`first` + i). */
function omeTiff(xml: string, first: number, planes = 1): Uint8Array {
  const pages = Array.from({ length: planes }, (_, i) => countingPage(first + i, i === 0 ? [description(xml)] : []));
  return writeTiff({ pages });
}

const warnings = ({ acquisition }: OpenedAcquisition) => acquisition.info.scenes.flatMap((scene) => scene.warnings);
const page = async (opened: OpenedAcquisition, address: Parameters<typeof firstSample>[1]) =>
  (await firstSample(opened, address)) / 12;

describe('OME-XML whose sizes are smaller than its TiffData', () => {
  /** A file per channel; each says SizeC = 1 and lists all of them, as Leica Matrix Screener writes them. */
  const perChannel = (channel: number) => {
    const children = [0, 1, 2].map((c) => tiffData({ FirstC: c }, { name: `C0${c}.ome.tif`, uuid: `urn:uuid:${c}` }));
    return omeTiff(omeXml({ uuid: `urn:uuid:${channel}`, images: [{ sizes: SIZE, children }] }), 10 + channel);
  };

  it.each([0, 1, 2])('of a file per channel: file %i shows its own plane', async (channel) => {
    const others = [0, 1, 2].filter((other) => other !== channel);
    const files = Object.fromEntries([channel, ...others].map((c) => [`C0${c}.ome.tif`, perChannel(c)]));
    await withFixture(root, files, async (opened) => {
      expect(opened.acquisition.info.scenes[0]?.channels).toHaveLength(1);
      expect(await page(opened, {})).toBe(10 + channel);
      expect(warnings(opened)[0]).toMatch(channel === 0 ? /2 TiffData elements are outside/ : /SizeC=1.*C = [12]/);
    });
  });

  it.each([
    ['channels', { C: 3, T: 5 }, { C: 1 }],
    ['time points', { C: 2, T: 4 }, { T: 1 }],
    ['sections', { Z: 4, T: 2 }, { Z: 2 }],
  ])('in one file: all %s are shown', async (_, counts, claimed) => {
    const { C = 1, Z = 1, T = 1 }: { C?: number; Z?: number; T?: number } = counts;
    const children: string[] = [];
    for (let t = 0; t < T; t++)
      for (let z = 0; z < Z; z++)
        for (let c = 0; c < C; c++)
          children.push(tiffData({ IFD: children.length, FirstC: c, FirstZ: z, FirstT: t, PlaneCount: 1 }));
    const xml = omeXml({ images: [{ sizes: { ...SIZE, C, Z, T, ...claimed }, children }] });
    await withFixture(root, { 'a.ome.tif': omeTiff(xml, 0, C * Z * T) }, async (opened) => {
      const { sizes, channels } = opened.acquisition.info.scenes[0]!;
      expect([channels.length, sizes.Z, sizes.T]).toEqual([C, Z, T]);
      expect(await page(opened, { channel: C - 1, z: Z - 1, t: T - 1 })).toBe(C * Z * T - 1);
      expect(warnings(opened)).toEqual([expect.stringMatching(/but its TiffData lists \d (channels|sections|time)/)]);
    });
  });

  it('counted from 1: they are counted from 0', async () => {
    const children = [1, 2].map((t) => tiffData({ IFD: t - 1, FirstT: t }));
    const xml = omeXml({ images: [{ sizes: { ...SIZE, T: 2 }, children }] });
    await withFixture(root, { 'a.ome.tif': omeTiff(xml, 0, 2) }, async (opened) => {
      expect([await page(opened, { t: 0 }), await page(opened, { t: 1 })]).toEqual([0, 1]);
      expect(warnings(opened)[0]).toContain('They are counted from T = 0');
    });
  });

  it('with a single element far outside do not make billions of planes', async () => {
    const children = [tiffData({ IFD: 0, FirstT: 0 }), tiffData({ IFD: 1, FirstT: 4_000_000_000 })];
    const xml = omeXml({ images: [{ sizes: { ...SIZE, T: 1 }, children }] });
    await withFixture(root, { 'a.ome.tif': omeTiff(xml, 0, 2) }, async (opened) => {
      expect(opened.acquisition.info.scenes[0]?.sizes.T).toBeLessThanOrEqual(2);
      expect(warnings(opened).join()).toContain('outside the sizes');
    });
  });
});

it('an OME-TIFF set finds the planes of files that its TiffData name in turns', async () => {
  const files = ['a', 'b', 'c'].map((name) => ({ name: `${name}.ome.tif`, uuid: `urn:uuid:${name}` }));
  const children = [0, 1, 2, 3, 4, 5].map((t) =>
    tiffData({ IFD: Math.floor(t / 3), FirstT: t, PlaneCount: 1 }, files[t % 3]),
  );
  const bytes = files.map(({ uuid }, i) =>
    omeTiff(omeXml({ uuid, images: [{ sizes: { ...SIZE, T: 6 }, children }] }), 10 * (i + 1), 2),
  );
  const set = Object.fromEntries(files.map(({ name }, i) => [name, bytes[i]!]));
  await withFixture(root, set, async (opened) => {
    const pages = [];
    for (let t = 0; t < 6; t++) pages.push(await page(opened, { t }));
    expect(pages).toEqual([10, 20, 30, 11, 21, 31]);
  });
});

describe('TiffData that put two pages at one plane', () => {
  it.each([
    ['at the same start', [tiffData({ IFD: 0, FirstT: 0 }), tiffData({ IFD: 1, FirstT: 0 })], 'A plane has', 'T = 0'],
    [
      'by ranges that overlap',
      [tiffData({ IFD: 0, PlaneCount: 3 }), tiffData({ IFD: 3, FirstT: 1, PlaneCount: 2 })],
      '2 planes have',
      'T = 1',
    ],
  ])('%s: a warning says it', async (_, children, count, first) => {
    const xml = omeXml({ images: [{ sizes: { ...SIZE, T: 3 }, children }] });
    await withFixture(root, { 'a.ome.tif': omeTiff(xml, 0, 5) }, async (opened) => {
      const found = warnings(opened).find((text) => text.includes('of another one'));
      expect(found).toContain(count);
      expect(found).toContain(first);
    });
  });
});

describe('members of an OME-TIFF set', () => {
  const [A, B] = ['urn:uuid:a', 'urn:uuid:b'];
  const image = (name: string, uuid: string | undefined): OmeImageSpec => ({
    name,
    sizes: SIZE,
    children: [tiffData({ IFD: 0 }, { name, ...(uuid === undefined ? {} : { uuid }) })],
  });
  /** Scene 0 is in a.ome.tif, scene 1 in b.ome.tif. */
  const member = (index: number, own: string, [a, b]: [string?, string?]) =>
    omeTiff(omeXml({ uuid: own, images: [image('a.ome.tif', a), image('b.ome.tif', b)] }), index);
  const both = (files: Record<string, Uint8Array>) =>
    withFixture(root, files, async (opened) => ({
      scenes: [await page(opened, { scene: 0 }), await page(opened, { scene: 1 })],
      warnings: [...new Set(warnings(opened))],
    }));

  it('with one UUID are told apart by their names', async () => {
    const files = { 'a.ome.tif': member(1, A, [A, A]), 'b.ome.tif': member(2, A, [A, A]) };
    const found = await both(files);
    expect(found.scenes).toEqual([1, 2]);
    expect(found.warnings).toEqual([expect.stringContaining('one UUID to several files')]);
  });

  it('are other files where planes of the opened one have no name', async () => {
    const named = (name: string) => tiffData({ FirstT: 1 }, { name, uuid: B });
    for (const name of ['b.ome.tif', '../../etc/passwd', '']) {
      const children = [tiffData({ FirstT: 0, IFD: 0 }), named(name)];
      const xml = omeXml({ images: [{ sizes: { ...SIZE, T: 2 }, children }] });
      await withFixture(root, { 'a.ome.tif': omeTiff(xml, 1) }, async (opened) => {
        expect(await page(opened, { t: 0 })).toBe(1);
        await expect(page(opened, { t: 1 })).rejects.toMatchObject({ code: 'companion_missing' });
        expect(warnings(opened).join()).toContain('Missing from the folder');
      });
    }
  });

  it('that belong to another recording are named', async () => {
    const files = { 'a.ome.tif': member(1, A, [A, B]), 'b.ome.tif': member(2, 'urn:uuid:f', [A, B]) };
    const found = await both(files);
    expect(found.scenes).toEqual([1, 2]);
    expect(found.warnings).toEqual([expect.stringMatching(/b\.ome\.tif has the UUID f, but the set says b/)]);
  });

  it.each([
    ['first', ['a.ome.tif', 'b.ome.tif']],
    ['second', ['b.ome.tif', 'a.ome.tif']],
  ])('whose names were swapped are told by their UUIDs, opened by the %s', async (_, order) => {
    const swapped: Record<string, Uint8Array> = {
      'a.ome.tif': member(2, B, [A, B]),
      'b.ome.tif': member(1, A, [A, B]),
    };
    const found = await both(Object.fromEntries(order.map((name) => [name, swapped[name]!])));
    expect(found.scenes).toEqual([1, 2]);
    expect(found.warnings).toEqual([expect.stringContaining('The UUIDs decide which file is which')]);
  });

  it('with UUIDs in other letters, or without urn:uuid:, are themselves', async () => {
    const files = { 'a.ome.tif': member(1, 'A', [A, B]), 'b.ome.tif': member(2, 'URN:UUID:B', [A, B]) };
    expect(await both(files)).toEqual({ scenes: [1, 2], warnings: [] });
  });

  it('beyond those that an open compares fail when their plane is read', async () => {
    const names = Array.from({ length: 20 }, (_, t) => `${t}.ome.tif`);
    const children = names.map((name, t) => tiffData({ IFD: 0, FirstT: t }, { name, uuid: `urn:uuid:${t}` }));
    const images = [{ sizes: { ...SIZE, T: 20 }, children }];
    const files = names.map((name, t) => [name, omeTiff(omeXml({ uuid: t === 19 ? 'x' : `${t}`, images }), t)]);
    await withFixture(root, Object.fromEntries(files) as Record<string, Uint8Array>, async (opened) => {
      expect(warnings(opened)).toEqual([]);
      expect(await page(opened, { t: 18 })).toBe(18);
      await expect(page(opened, { t: 19 })).rejects.toMatchObject({
        code: 'decode_failed',
        message: expect.stringContaining('belongs to another recording'),
      });
    });
  });
});

describe('OME-XML in UTF-16', () => {
  const xml = omeXml({ images: [{ name: 'µ', sizes: { ...SIZE, C: 2 }, pixels: { PhysicalSizeX: 0.5 } }] });
  const little = Buffer.from(xml, 'utf16le');
  const big = Buffer.from(little).swap16();

  it.each([
    ['little-endian', little],
    ['big-endian', big],
    ['little-endian, with a mark', Buffer.concat([Buffer.of(0xff, 0xfe), little])],
    ['big-endian, with a mark', Buffer.concat([Buffer.of(0xfe, 0xff), big])],
    ['little-endian, and two bytes of zero', Buffer.concat([little, Buffer.of(0, 0)])],
  ])('%s describes a TIFF', async (_, bytes) => {
    const tag = { code: 270, type: 2, bytes: new Uint8Array(bytes) };
    const file = writeTiff({ pages: [countingPage(0, [tag]), countingPage(1)] });
    await withFixture(root, { 'a.ome.tif': file }, async ({ acquisition }) => {
      const [scene] = acquisition.info.scenes;
      expect([scene?.name, scene?.channels.length, scene?.steps.X.step]).toEqual(['µ', 2, 0.5]);
      expect(scene?.warnings).toEqual([]);
    });
  });
});
