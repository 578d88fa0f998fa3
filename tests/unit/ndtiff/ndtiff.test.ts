import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { arrangeImages } from '../../../packages/readers/src/formats/ndtiff/arrange.js';
import { readIndex } from '../../../packages/readers/src/formats/ndtiff/parse.js';
import { MemorySource } from '../../../packages/readers/src/io/byte-source.js';
import { type OpenedAcquisition, openAcquisition } from '../../../packages/server/src/open.js';
import { readNative } from '../../support/native.js';
import { tempFolder } from '../../support/temp.js';
import { summary, withFixture } from '../../support/tiff-cases.js';
import { type NdtiffImage, type NdtiffSpec, writeNdtiff } from '../../writers/ndtiff.js';

const root = tempFolder();
const samples = (first: number) => Uint16Array.from({ length: 12 }, (_, i) => first + i);
const image = (axes: NdtiffImage['axes'], first: number, metadata: NdtiffImage['metadata'] = {}): NdtiffImage => ({
  ...{ axes, width: 4, height: 3, samples: samples(first), metadata },
});

/** The set of the fact sheet: keys in any order, one plane missing. */
const SHEET: NdtiffSpec = {
  summary: { PixelSize_um: 0.25, PixelType: 'GRAY16', 'z-step_um': 2 },
  images: [
    image({ time: 1, channel: 'GFP' }, 100, { 'ElapsedTime-ms': 500.5, PixelSize_um: 0.25, Exposure: 10 }),
    image({ time: 0, channel: 'GFP' }, 0, { 'ElapsedTime-ms': 1, PixelSize_um: 0.25, Exposure: 10 }),
    image({ channel: 'RFP', time: 0 }, 200, { 'ElapsedTime-ms': 2, PixelSize_um: 0.25, Exposure: 20 }),
  ],
};

/** Opens a set by one of its files. */
function open<T>(spec: NdtiffSpec, use: (opened: OpenedAcquisition) => Promise<T>, by?: string): Promise<T> {
  const files = writeNdtiff(spec);
  const first = by ?? Object.keys(files)[0]!;
  return withFixture(root, { [first]: files[first]!, ...files }, use);
}

const scenesOf = ({ acquisition }: OpenedAcquisition) => acquisition.info.scenes;
const first = async (opened: OpenedAcquisition, at: { scene?: number; channel?: number; t?: number; z?: number }) =>
  Number((await readNative(opened, at.scene ?? 0, { channel: at.channel ?? 0, t: at.t ?? 0, z: at.z ?? 0 }))[0]);

describe('NDTiff sets', () => {
  it.each(['a_NDTiffStack.tif', 'NDTiff.index'])('are placed by their axes, opened by %s', async (by) => {
    await open(
      SHEET,
      async (opened) => {
        const [scene] = scenesOf(opened);
        expect(opened.format.id).toBe('ndtiff');
        expect(summary(scene)).toEqual({
          sizes: { T: 2, Z: 1, Y: 3, X: 4 },
          channels: ['GFP', 'RFP'],
          steps: {
            X: [0.25, 'micrometer', 'file'],
            Y: [0.25, 'micrometer', 'file'],
            Z: [2, 'micrometer', 'file'],
            T: [0.5005 - 0.001, 'seconds', 'file'],
          },
          warnings: ['1 plane was not recorded. Showing it as zeros.'],
        });
        expect(scene?.channels.map(({ exposureSeconds }) => exposureSeconds)).toEqual([0.01, 0.02]);
        expect(await first(opened, { t: 0 })).toBe(0);
        expect(await first(opened, { t: 1 })).toBe(100);
        expect(await first(opened, { channel: 1 })).toBe(200);
        expect(await first(opened, { channel: 1, t: 1 })).toBe(0);
      },
      by,
    );
  });

  it.each(['', 'Full resolution'])('open by their folder, with the pixels in %j', async (inside) => {
    const folder = mkdtempSync(join(root, 'set-'));
    mkdirSync(join(folder, inside), { recursive: true });
    for (const [name, bytes] of Object.entries(writeNdtiff({ ...SHEET, version: 2 })))
      writeFileSync(join(folder, inside, name), bytes);
    const opened = await openAcquisition(folder);
    expect(scenesOf(opened)[0]?.sizes.T).toBe(2);
    expect(scenesOf(opened)[0]?.steps.X.step).toBe(0.25);
    expect(await first(opened, { t: 1 })).toBe(100);
    opened.close();
  });

  it('have a scene for each position, in the order of their numbers', async () => {
    const images = ['Pos10', 'Pos2', 'Pos0'].map((position, i) => image({ position, z: 0 }, i * 100));
    await open({ images }, async (opened) => {
      expect(scenesOf(opened).map(({ name }) => name)).toEqual(['Pos0', 'Pos2', 'Pos10']);
      expect([await first(opened, { scene: 0 }), await first(opened, { scene: 2 })]).toEqual([200, 0]);
    });
  });

  it('have a scene for each tile, and for each value of an axis without a meaning', async () => {
    const tiles = [
      [4, 2],
      [4, 3],
      [5, 2],
    ].map(([row, column], i) => image({ row: row!, column: column!, Z: 0, SecondaryZ: 0 }, i * 10));
    await open({ images: tiles }, async (opened) => {
      expect(scenesOf(opened).map(({ name }) => name)).toEqual(['r4 c2', 'r4 c3', 'r5 c2']);
      expect(scenesOf(opened)[0]?.warnings).toEqual([]);
    });
    const other = [1, 0].map((l) => image({ channel: 0, l }, l * 10, { Channel: 'DAPI' }));
    await open({ images: other }, async (opened) => {
      expect(scenesOf(opened).map(({ name, channels }) => [name, channels[0]?.name])).toEqual([
        ['l 0', 'DAPI'],
        ['l 1', 'DAPI'],
      ]);
    });
  });

  it('have sections in the order of their numbers, which may be negative', async () => {
    const images = [2, -3, 0, -1].map((z) => image({ z }, 50 + z, { ZPosition_um_Intended: z * 0.4 }));
    await open({ images }, async (opened) => {
      const planes = await Promise.all([0, 1, 2, 3].map((z) => first(opened, { z })));
      expect(planes).toEqual([47, 49, 50, 52]);
      const [scene] = scenesOf(opened);
      expect([...(scene?.coordinates?.Z?.values ?? [])].map((at) => Math.round(at * 10) / 10)).toEqual([
        0, 0.8, 1.2, 2,
      ]);
      expect(scene?.warnings).toEqual([expect.stringMatching(/sections are 0.4 µm to 0.8 µm apart/)]);
    });
  });

  it('in several files open at the file that is named', async () => {
    const images = [0, 1, 2, 3].map((time) => ({ ...image({ time }, time * 10), file: time < 2 ? 0 : 1 }));
    await open(
      { images },
      async (opened) => {
        expect(opened.acquisition.info.named).toEqual({ scene: 0, t: 2, z: 0 });
        expect(await first(opened, { t: 0 })).toBe(0);
        expect(await first(opened, { t: 3 })).toBe(30);
      },
      'a_NDTiffStack_1.tif',
    );
  });

  it('with a missing file name it, and fail for its planes only', async () => {
    const images = [0, 1].map((time) => ({ ...image({ time }, time * 10), file: time }));
    const { 'a_NDTiffStack.tif': tiff, 'NDTiff.index': index } = writeNdtiff({ images });
    await withFixture(root, { 'a_NDTiffStack.tif': tiff!, 'NDTiff.index': index! }, async (opened) => {
      expect(scenesOf(opened)[0]?.warnings.join()).toContain('Missing from the folder: a_NDTiffStack_1.tif');
      expect(await first(opened, { t: 0 })).toBe(0);
      await expect(first(opened, { t: 1 })).rejects.toMatchObject({ code: 'companion_missing' });
    });
  });

  it('say when an image was saved twice, and show the later one', async () => {
    const images = [image({ time: 0 }, 5), image({ time: 1 }, 6), image({ time: 1 }, 7)];
    await open({ images }, async (opened) => {
      expect(scenesOf(opened)[0]?.warnings.join()).toContain('of another one (T = 1, Z = 0, C = 0). Showing the last');
      expect(await first(opened, { t: 1 })).toBe(7);
    });
  });

  it('of color have three channels', async () => {
    const rgb = Uint8Array.from({ length: 36 }, (_, i) => i);
    await open({ images: [{ axes: { z: 0 }, width: 4, height: 3, samples: rgb, pixelType: 2 }] }, async (opened) => {
      expect(scenesOf(opened)[0]?.channels.map(({ name }) => name)).toEqual(['R', 'G', 'B']);
      expect([...(await readNative(opened, 0, { channel: 2, t: 0, z: 0 }))].slice(0, 3)).toEqual([2, 5, 8]);
    });
  });

  it('of two sizes of images have a scene for each', async () => {
    const small = { axes: { time: 1 }, width: 2, height: 1, samples: Uint8Array.of(8, 9) };
    await open({ images: [image({ time: 0 }, 3), small] }, async (opened) => {
      expect(scenesOf(opened).map(({ sizes, sampleType }) => [sizes.X, sampleType])).toEqual([
        [4, 'uint16'],
        [2, 'uint8'],
      ]);
      expect(await first(opened, { scene: 1 })).toBe(8);
    });
  });

  it('of one line each are the lines of a scan', async () => {
    const images = [0, 1, 2].map((time) => ({
      ...{
        axes: { time },
        width: 2,
        height: 1,
        samples: Uint8Array.of(time, 9),
        metadata: { 'ElapsedTime-ms': time * 5 },
      },
    }));
    await open({ images }, async (opened) => {
      const [scene] = scenesOf(opened);
      expect([scene?.sizes.T, scene?.sizes.Y, scene?.steps.Y]).toEqual([
        1,
        3,
        { step: 0.005, unit: 'seconds', origin: 'file' },
      ]);
      expect([...(await readNative(opened, 0, { channel: 0, t: 0, z: 0 }))]).toEqual([0, 9, 1, 9, 2, 9]);
    });
  });
});

describe('an NDTiff index that contradicts its files', () => {
  const spec = { images: [0, 1].map((time) => image({ time }, time * 10)) };

  it('about the place of pixels is said', async () => {
    const files = writeNdtiff(spec);
    const index = files['NDTiff.index']!.slice();
    const offset = 4 + '{"time":0}'.length + 4 + 'a_NDTiffStack.tif'.length;
    new DataView(index.buffer).setUint32(offset, new DataView(index.buffer).getUint32(offset, true) + 2, true);
    await withFixture(root, { ...files, 'NDTiff.index': index }, async (opened) => {
      expect(scenesOf(opened)[0]?.warnings.join()).toContain('contradicts itself about the place of 1 image');
    });
  });

  it('about axes is said', async () => {
    const files = writeNdtiff(spec);
    const text = Buffer.from(files['NDTiff.index']!).toString('latin1').replace('{"time":1}', '{"time":7}');
    await withFixture(root, { ...files, 'NDTiff.index': Buffer.from(text, 'latin1') }, async (opened) => {
      expect(scenesOf(opened)[0]?.warnings.join()).toContain('at {"time":7}, but its own metadata say {"time":1}');
    });
  });
});

describe('NDTiff times', () => {
  const timed = (times: number[], summary = {}) => ({
    summary,
    images: times.map((ms, time) => image({ time }, time, { 'ElapsedTime-ms': ms })),
  });

  it('that contradict the interval that was set are shown, and it is said', async () => {
    await open(timed([0, 3000, 6000], { Interval_ms: 1000 }), async (opened) => {
      expect(scenesOf(opened)[0]?.steps.T.step).toBe(3);
      expect(scenesOf(opened)[0]?.warnings).toEqual([expect.stringContaining('Interval_ms says 1 s')]);
    });
  });

  it('that are uneven are said, and served', async () => {
    await open(timed([0, 20, 40, 900]), async (opened) => {
      expect(scenesOf(opened)[0]?.warnings).toEqual([expect.stringContaining('0.02 s to 0.86 s apart')]);
      expect(scenesOf(opened)[0]?.coordinates?.T?.uneven).toBe(true);
    });
  });

  it('of many positions are those of each', async () => {
    const images = Array.from({ length: 600 }, (_, i) =>
      image({ position: Math.floor(i / 60), time: i % 60 }, 0, { 'ElapsedTime-ms': 2000 * (i % 60) }),
    );
    await open({ summary: { Interval_ms: 1000 }, images }, async (opened) => {
      expect(scenesOf(opened).map(({ steps }) => steps.T.step)).toEqual(new Array(10).fill(2));
    });
  });

  it('of many images are read when somebody asks for them', async () => {
    const at = Array.from({ length: 100 }, (_, t) => 1000 * t + (t > 41 ? 60_000 : 0));
    await open(timed(at, { Interval_ms: 1000 }), async ({ acquisition }) => {
      const [scene] = acquisition.info.scenes;
      expect(scene?.coordinates?.T).toMatchObject({ isLater: true, uneven: true });
      expect(scene?.warnings.join()).not.toContain('longest');
      const { time } = (await acquisition.readPlaneColumns?.(0)) ?? {};
      expect(Array.from(time ?? [])).toEqual(at.map((ms) => ms / 1000));
    });
  });

  it('follow the numbers of the frames when some are missing', async () => {
    const images = [0, 1, 5, 6].map((time, i) => image({ time }, 10 * (i + 1)));
    await open({ summary: { Interval_ms: 1000 }, images }, async (opened) => {
      const [scene] = scenesOf(opened);
      expect([scene?.sizes.T, scene?.steps.T.step]).toEqual([7, 1]);
      expect(scene?.warnings).toEqual(['3 planes were not recorded. Showing them as zeros.']);
      expect(await Promise.all([1, 2, 5].map((t) => first(opened, { t })))).toEqual([20, 0, 30]);
    });
    await open({ images: [0, 100].map((time) => image({ time }, time)) }, async (opened) => {
      expect(scenesOf(opened)[0]?.sizes.T).toBe(2);
      expect(scenesOf(opened)[0]?.warnings.join()).toContain('numbers of the frames are not consecutive: 99');
    });
  });

  it('of each plane are read when somebody asks for them', async () => {
    const images = [0, 1].flatMap((time) =>
      ['A', 'B'].map((channel, c) =>
        image({ time, channel }, 0, {
          ...{ 'ElapsedTime-ms': 100 * time + c, Exposure: 5, XPosition_um_Intended: 7, ZPositionUm: time },
        }),
      ),
    );
    await open({ images: images.slice(0, 3) }, async ({ acquisition }) => {
      const columns = Object.entries((await acquisition.readPlaneColumns?.(0)) ?? {});
      expect(Object.fromEntries(columns.map(([name, values]) => [name, Array.from(values as Float64Array)]))).toEqual({
        ...{ time: [0, 0.001, 0.1, Number.NaN], exposure: [0.005, 0.005, 0.005, Number.NaN] },
        ...{ x: [7, 7, 7, Number.NaN], z: [0, 0, 1, Number.NaN] },
      });
    });
  });

  it.each([
    ['run backwards', [900, 20, 10], /not in ascending order/],
    ['are not numbers', [Number.NaN, Number.NaN, Number.NaN], undefined],
  ])('that %s do not fail the open', async (_, times, warning) => {
    await open(timed(times), async (opened) => {
      expect(scenesOf(opened)[0]?.steps.T.unit).toBe('Frames');
      expect(scenesOf(opened)[0]?.warnings).toEqual(warning ? [expect.stringMatching(warning)] : []);
    });
  });
});

describe('NDTiff stacks that are repeated', () => {
  const stacks = (volumes: number[][]) => ({
    images: volumes.flatMap((at, time) =>
      at.map((ZPositionUm, z) => image({ time, z }, 10 * time + z, { ZPositionUm, 'ElapsedTime-ms': 1000 * time })),
    ),
  });
  const [up, down] = [
    [0, 1, 2],
    [2, 1, 0],
  ];

  it('have each section at one depth when every second one runs backwards', async () => {
    await open(stacks([up!, down!, up!, down!]), async (opened) => {
      expect(await Promise.all([0, 1, 2].map((z) => first(opened, { t: 3, z })))).toEqual([32, 31, 30]);
      expect(scenesOf(opened)[0]?.warnings).toEqual([
        expect.stringContaining('of 2 of 4 time points, the first T = 1'),
      ]);
      const { z } = (await opened.acquisition.readPlaneColumns?.(0)) ?? {};
      expect(Array.from(z ?? [])).toEqual([...up!, ...up!, ...up!, ...up!]);
    });
  });

  it('say when their sections drift', async () => {
    await open(stacks([up!, [7, 8, 9]]), async (opened) => {
      expect(scenesOf(opened)[0]?.warnings.join()).toContain('Z = 0 at T = 1 is 7 µm from where it was first');
    });
  });

  it('of many planes are not read for their order, which is said', async () => {
    await open(stacks(Array.from({ length: 100 }, (_, t) => (t % 2 === 0 ? up! : down!))), async (opened) => {
      expect(await first(opened, { t: 1, z: 0 })).toBe(10);
      expect(scenesOf(opened)[0]?.warnings.join()).toContain('is 2 µm from where it was first. With so many planes');
    });
  });

  it('open at the first plane of the file that is named', async () => {
    const { images } = stacks([up!, down!]);
    const split = { images: images.map((each, i) => ({ ...each, file: i < 3 ? 0 : 1 })) };
    await open(
      split,
      async ({ acquisition }) => expect(acquisition.info.named).toEqual({ scene: 0, t: 1, z: 2 }),
      'a_NDTiffStack_1.tif',
    );
  });
});

describe('NDTiff sets that were interrupted', () => {
  const images = [0, 1, 2].map((time) => image({ time }, time * 10));
  const files = writeNdtiff({ images });
  const tiff = files['a_NDTiffStack.tif']!;
  const index = files['NDTiff.index']!;
  const found = (change: Record<string, Uint8Array>) =>
    withFixture(root, change, async (opened) => {
      const [scene] = scenesOf(opened);
      const planes = Array.from({ length: scene?.sizes.T ?? 0 }, (_, t) => first(opened, { t }));
      return { planes: await Promise.all(planes), warnings: scene?.warnings.join() };
    });

  it('are read page by page without an index', async () => {
    const { planes, warnings } = await found({ 'a_NDTiffStack.tif': tiff });
    expect(planes).toEqual([0, 10, 20]);
    expect(warnings).toContain('NDTiff.index is missing. Showing the 3 pages');
  });

  it.each([
    ['ends early', index.slice(0, index.length - 30)],
    [
      'has space that was never used',
      new Uint8Array([...index.slice(0, (index.length / 3) * 2), ...new Uint8Array(99)]),
    ],
  ])('are completed from their pages when the index %s', async (_, cut) => {
    const { planes, warnings } = await found({ 'a_NDTiffStack.tif': tiff, 'NDTiff.index': cut });
    expect(planes).toEqual([0, 10, 20]);
    expect(warnings).toContain('the index ends early');
  });

  it('without an index and a whole image are refused', async () => {
    await expect(found({ 'a_NDTiffStack.tif': tiff.slice(0, 100) })).rejects.toMatchObject({
      code: 'decode_failed',
      message:
        'a_NDTiffStack.tif: NDTiff.index is missing, and no TIFF file has a whole image with axes. ' +
        'Copy the whole folder again.',
    });
  });

  it('name images behind the end of a truncated file', async () => {
    await withFixture(
      root,
      { 'a_NDTiffStack.tif': tiff.slice(0, tiff.length / 2), 'NDTiff.index': index },
      async (opened) => {
        expect(scenesOf(opened)[0]?.warnings.join()).toMatch(/behind the end of a_NDTiffStack.tif, which is truncated/);
        expect(await first(opened, { t: 0 })).toBe(0);
        await expect(first(opened, { t: 2 })).rejects.toMatchObject({ code: 'decode_failed' });
      },
    );
  });

  it('are read page by page when the index is that of another set', async () => {
    const other = writeNdtiff({ name: 'b', images: [...images, image({ time: 3 }, 99)] })['NDTiff.index']!;
    const { planes, warnings } = await found({ 'a_NDTiffStack.tif': tiff, 'NDTiff.index': other });
    expect(planes).toEqual([0, 10, 20]);
    expect(warnings).toContain('does not list all images of a_NDTiffStack.tif');
  });

  it('of version 1 are refused with a sentence', async () => {
    const old = new Uint8Array(64);
    old.set([0x49, 0x49, 42, 0, 8]);
    const view = new DataView(old.buffer);
    view.setUint32(8, 54_773_648, true);
    view.setUint32(24, 483_729, true);
    await expect(found({ 'a.tif': old })).rejects.toMatchObject({ code: 'unsupported_format' });
  });
});

const real = resolve(import.meta.dirname, '../../../../shared/samples-next');

describe.skipIf(!existsSync(real))('real NDTiff sets (need shared/samples-next)', () => {
  // Sizes by ndstorage.
  it.each([
    ['ndtiff/v3/ndtiffv3.0_test', { T: 5, C: 2, Z: 1, Y: 32, scenes: 1 }],
    ['ndtiff/v2/ndtiffv2.0_test', { T: 5, C: 2, Z: 1, Y: 32, scenes: 1 }],
    ['ndtiff/v3/12_bit_pycromanager_mda', { T: 4, C: 2, Z: 1, Y: 64, scenes: 1 }],
    ['ndtiff/v3/labeled_positions_1', { T: 1, C: 1, Z: 1, Y: 512, scenes: 3 }],
    ['ndtiff/v3/ndtiff3.2_monochrome', { T: 8, C: 1, Z: 16, Y: 64, scenes: 1 }],
    ['ndtiff/v3/ndtiff3.2_11bit_1', { T: 10, C: 1, Z: 1, Y: 64, scenes: 1 }],
    ['ndtiff/v3/no_magellan_explore_no_channel', { T: 1, C: 1, Z: 1, Y: 64, scenes: 18 }],
  ])('%s', async (path, expected) => {
    const opened = await openAcquisition(join(real, path));
    const { sizes, channels } = scenesOf(opened)[0]!;
    const found = { T: sizes.T, C: channels.length, Z: sizes.Z, Y: sizes.Y, scenes: scenesOf(opened).length };
    expect(found).toEqual(expected);
    opened.close();
  });

  // The first digits of SHA-256 over all images that ndstorage 0.1.18 reads, by scene, T, Z and channel; zeros where it has none.
  it.each([
    ['ndtiff/v3/ndtiffv3.0_test', '56e1dd4337ad9182'],
    ['ndtiff/v2/ndtiffv2.0_test', '56e1dd4337ad9182'],
    ['ndtiff/v2/ndtiffv2.0_stitched_test', '802bfeaa726d645e'],
    ['ndtiff/v3/12_bit_pycromanager_mda', 'cd51e9f05702c710'],
    ['ndtiff/v3/labeled_positions_1', '5bde42740f0c868b'],
    ['ndtiff/v3/ndtiff3.2_monochrome', '3cd4f6d6f495c662'],
    ['ndtiff/v3/ndtiff3.2_11bit_1', '68386e2c552fa158'],
    ['ndtiff/v3/no_magellan_explore_no_channel', '2fd8bf03b5a73dd8'],
    ['vectors/nd_tiny_1', '5dba3570cddadf30'],
  ])('%s has the planes that ndstorage reads', async (path, digest) => {
    const opened = await openAcquisition(join(real, path));
    const hash = createHash('sha256');
    for (const [scene, { sizes, channels }] of scenesOf(opened).entries()) {
      for (let t = 0; t < sizes.T; t++) {
        for (let z = 0; z < sizes.Z; z++) {
          for (const channel of channels.keys()) {
            const { buffer, byteOffset, byteLength } = await readNative(opened, scene, { channel, t, z });
            hash.update(new Uint8Array(buffer, byteOffset, byteLength));
          }
        }
      }
    }
    expect(hash.digest('hex').slice(0, 16)).toBe(digest);
    opened.close();
  });

  it.each([
    ['ndtiff3.2_magellan_explore_rgb/Full resolution', { images: 3, scenes: 3, T: 1, Z: 1, C: 1, samples: 3 }],
    ['unordered_z_1', { images: 20, scenes: 1, T: 1, Z: 20, C: 1, samples: 1 }],
    ['mm_mda_tcz_15', { images: 112, scenes: 1, T: 8, Z: 7, C: 2, samples: 1 }],
    ['Nonstandard_axis_names', { images: 100, scenes: 20, T: 5, Z: 1, C: 1, samples: 1 }],
  ])('the index of %s is arranged by its axes', (path, expected) => {
    const name = join(real, 'ndtiff/v3', path, 'NDTiff.index');
    const { entries, problem } = readIndex(new MemorySource(name, new Uint8Array(readFileSync(name))));
    const scenes = arrangeImages(entries);
    const [{ T, Z, C, form }] = scenes as [(typeof scenes)[0]];
    expect(problem).toBeUndefined();
    expect({
      ...{ images: entries.length, scenes: scenes.length },
      ...{ T: T.length, Z: Z.length, C: C.length, samples: form.samples },
    }).toEqual(expected);
  });
});
