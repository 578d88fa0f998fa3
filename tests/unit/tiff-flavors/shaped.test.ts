import { describe, expect, it } from 'vitest';
import { shapedAxes } from '../../../packages/readers/src/formats/tiff/flavors/shaped-axes.js';
import { parseShapedText } from '../../../packages/readers/src/formats/tiff/flavors/shaped-text.js';
import { openAcquisition } from '../../../packages/server/src/open.js';
import { describeWithSamples, samplePath } from '../../support/samples.js';
import { tempFolder } from '../../support/temp.js';
import {
  countingPage,
  countingSamples,
  description,
  firstSample,
  summary,
  withFixture,
} from '../../support/tiff-cases.js';
import { type PageSpec, type TagSpec, writeTiff } from '../../writers/tiff.js';

const root = tempFolder();
const open = <T>(pages: PageSpec[], use: Parameters<typeof withFixture<T>>[2]) =>
  withFixture(root, { 'a.tif': writeTiff({ pages }) }, use);
const pagesOf = (text: string, count: number, tags: TagSpec[] = []) =>
  Array.from({ length: count }, (_, i) => countingPage(i, i === 0 ? [description(text), ...tags] : []));

describe('tifffile arrays', () => {
  it.each([
    ['{"shape": [2, 3, 3, 4], "axes": "TCYX"}', 6, { T: 2, Z: 1, C: 3 }],
    ['{"shape": [2, 3, 3, 4], "axes": "ZTYX"}', 6, { T: 3, Z: 2, C: 1 }],
    ['{"shape": [2, 1, 3, 3, 4], "axes": "CTZYX"}', 6, { T: 1, Z: 3, C: 2 }],
    ['{"shape": [5, 3, 4], "axes": "QYX"}', 5, { T: 1, Z: 5, C: 1 }],
    ['{"shape": [5, 3, 4]}', 5, { T: 1, Z: 5, C: 1 }],
    ['{"shape": [2, 3, 3, 4]}', 6, { T: 1, Z: 3, C: 2 }],
    ['{"shape": [2, 3, 2, 3, 4]}', 12, { T: 2, Z: 2, C: 3 }],
    ['shape=(5,3,4)', 5, { T: 1, Z: 5, C: 1 }],
    ['shape=(5L, 3L, 4L)', 5, { T: 1, Z: 5, C: 1 }],
  ])('%s', async (text, count, { T, Z, C }) => {
    await open(pagesOf(text, count), async (opened) => {
      const found = summary(opened.acquisition.info.scenes[0]);
      expect(found.sizes).toEqual({ T, Z, Y: 3, X: 4 });
      expect(found.channels).toHaveLength(C);
      const isNamed = /[TZC][TZC]*YX/.test(text) && !text.includes('Q');
      expect(found.warnings).toHaveLength(isNamed ? 0 : 1);
      expect(found.warnings.join()).toMatch(
        isNamed ? '' : /^The file does not say what (the axes|axis Q) of its array/,
      );
      expect(await firstSample(opened, { t: T - 1, z: Z - 1, channel: C - 1 })).toBe((count - 1) * 12);
    });
  });

  it('without IFDs for their planes are read behind the first', async () => {
    const extraPlanes = [1, 2, 3].map(countingSamples);
    const first = countingPage(0, [description('{"shape": [4, 3, 4], "truncated": true, "axes": "TYX"}')]);
    await open([{ ...first, extraPlanes }], async (opened) => {
      expect(opened.acquisition.info.scenes[0]?.sizes.T).toBe(4);
      expect(await firstSample(opened, { t: 3 })).toBe(36);
    });
  });

  it('are not put together from the pages of a file that is cut off', async () => {
    const whole = writeTiff({ pages: pagesOf('{"shape": [2, 2, 3, 4], "axes": "TCYX"}', 4) });
    // Up to the last IFD, behind which there is only the last page.
    for (let length = 200; length < whole.length - 30; length += 7) {
      await withFixture(root, { 'cut.tif': whole.subarray(0, length) }, async (opened) => {
        const { sizes, warnings } = summary(opened.acquisition.info.scenes[0]);
        expect(sizes.T).toBe(1);
        for (let z = 0; z < sizes.Z; z++) {
          const first = await firstSample(opened, { z }).catch(() => 12 * z);
          expect(first).toBe(12 * z);
        }
        expect(warnings.join()).toContain(
          'The shape (2, 2, 3, 4) that page 1 describes does not match the file. Which channel, time point (T)',
        );
      });
    }
  });

  it('of one file are scenes', async () => {
    const second = { width: 1, height: 1, samples: Uint8Array.of(9), tags: [description('{"shape": [1, 1]}')] };
    await open([...pagesOf('{"shape": [2, 3, 4]}', 2), second], async (opened) => {
      expect(opened.acquisition.info.scenes.map(({ name, sizes }) => [name, sizes.Z])).toEqual([
        ['Series 1', 2],
        ['Series 2', 1],
      ]);
      expect(await firstSample(opened, { scene: 1 })).toBe(9);
    });
  });

  it('with positions are scenes too', async () => {
    await open(pagesOf('{"shape": [2, 3, 3, 4], "axes": "PTYX"}', 6), async (opened) => {
      expect(opened.acquisition.info.scenes.map(({ sizes }) => sizes.T)).toEqual([3, 3]);
      expect(await firstSample(opened, { scene: 1, t: 1 })).toBe(48);
    });
  });

  it('have the samples of colour pages as channels', async () => {
    const samples = [1, 2, 3].map((value) => Uint8Array.of(value, value));
    const page = { width: 2, height: 1, samples, tags: [description('{"shape": [1, 2, 3], "axes": "YXS"}')] };
    await open([page], async ({ acquisition }) => {
      expect(summary(acquisition.info.scenes[0]).channels).toEqual(['R', 'G', 'B']);
    });
  });

  /** tifffile stores three or four planes as the samples of a page, whatever they are. */
  it.each([
    ['TYX', [3, 3, 4], 1, { T: 3, Z: 1 }, ['CH1']],
    ['ZYX', [4, 3, 4], 1, { T: 1, Z: 4 }, ['CH1']],
    ['TZYX', [2, 3, 3, 4], 2, { T: 2, Z: 3 }, ['CH1']],
    ['CYX', [3, 3, 4], 1, { T: 1, Z: 1 }, ['CH1', 'CH2', 'CH3']],
    ['TCYX', [2, 3, 3, 4], 2, { T: 2, Z: 1 }, ['CH1', 'CH2', 'CH3']],
    ['CTYX', [2, 3, 3, 4], 2, { T: 3, Z: 1 }, ['CH1', 'CH2']],
    ['SYX', [3, 3, 4], 1, { T: 1, Z: 1 }, ['R', 'G', 'B']],
  ])('put the samples of a page onto the axis of %s', async (axes, shape, pages, sizes, channels) => {
    const samples = shape.at(-3)!;
    const page = (index: number): PageSpec => ({
      width: 4,
      height: 3,
      samples: Array.from({ length: samples }, (_, i) => countingSamples(index * samples + i)),
      planar: true,
      photometric: 2,
      tags: index === 0 ? [description(JSON.stringify({ shape, axes }))] : [],
    });
    await open(
      Array.from({ length: pages }, (_, i) => page(i)),
      async (opened) => {
        const found = summary(opened.acquisition.info.scenes[0]);
        expect(found.sizes).toEqual({ ...sizes, Y: 3, X: 4 });
        expect(found.channels).toEqual(channels);
        expect(found.warnings).toEqual([]);
        const last = { t: sizes.T - 1, z: sizes.Z - 1, channel: channels.length - 1 };
        expect(await firstSample(opened, last)).toBe((pages * samples - 1) * 12);
        // Order is that of the array, the last axis fastest.
        const second = { TZYX: { z: 1 }, CTYX: { t: 1 }, TYX: { t: 1 }, ZYX: { z: 1 } }[axes] ?? { channel: 1 };
        expect(await firstSample(opened, second)).toBe(12);
      },
    );
  });

  it.each([
    ['interleaved times', [2, 3, 4], 'YXT', { T: 4, Z: 1, Y: 2, X: 3 }, 0],
    ['interleaved channels', [2, 3, 2], 'YXC', { T: 1, Z: 1, Y: 2, X: 3 }, 0],
  ])('know the samples of a pixel by their letter: %s', async (_, shape, axes, sizes, warnings) => {
    const samples = Array.from({ length: shape[2]! }, (_, i) => new Uint16Array(6).fill(i));
    const tags = [description(JSON.stringify({ shape, axes }))];
    await open([{ width: 3, height: 2, samples, tags }], async (opened) => {
      const found = summary(opened.acquisition.info.scenes[0]);
      expect(found.sizes).toEqual(sizes);
      expect(found.warnings).toHaveLength(warnings);
      expect(await firstSample(opened, sizes.T > 1 ? { t: 3 } : { channel: 1 })).toBe(shape[2]! - 1);
    });
  });

  it.each([
    ['YXC', [4, 5, 2], { width: 2, height: 5 }, 4],
    ['YXZ', [2, 3, 4], { width: 4, height: 3 }, 1],
  ])('with the axes %s in pages of other axes say so', async (axes, shape, { width, height }, samples) => {
    const plane = () => new Uint16Array(width * height);
    const count = shape[0]! / samples;
    const page: PageSpec = {
      width,
      height,
      samples: Array.from({ length: samples }, plane),
      planar: samples > 1,
      photometric: samples > 1 ? 2 : 1,
    };
    const pages = Array.from({ length: count }, (_, i) => ({
      ...page,
      tags: i === 0 ? [description(JSON.stringify({ shape, axes }))] : [],
    }));
    await open(pages, async ({ acquisition }) => {
      expect(acquisition.info.scenes[0]?.warnings.join()).toContain(`The axes of the array (${axes}, `);
    });
  });

  it.each([
    ['TX', { Y: [0.1, 'seconds', 'file'], X: [0.25, 'micrometer', 'file'] }, 0],
    ['XT', { Y: [0.5, 'micrometer', 'file'], X: [0.1, 'seconds', 'file'] }, 1],
    ['ZX', { Y: [1.5, 'micrometer', 'file'], X: [0.25, 'micrometer', 'file'] }, 1],
  ])('of the axes %s keep the steps of both', async (axes, expected, warnings) => {
    const tags = [
      { code: 282, type: 5, values: [4, 1] },
      { code: 283, type: 5, values: [2, 1] },
      { code: 296, type: 3, values: [1] },
    ];
    const text = `{"shape": [3, 4], "axes": "${axes}", "unit": "um", "spacing": 1.5, "finterval": 100, "tunit": "ms"}`;
    await open(pagesOf(text, 1, tags), async ({ acquisition }) => {
      const found = summary(acquisition.info.scenes[0]);
      expect(found.steps).toMatchObject(expected);
      expect(found.sizes).toEqual({ T: 1, Z: 1, Y: 3, X: 4 });
      expect(found.warnings).toHaveLength(warnings);
    });
  });

  it('name a frame rate that contradicts the interval', async () => {
    const text = '{"shape": [2, 3, 4], "axes": "TYX", "finterval": 0.5, "fps": 10}';
    await open(pagesOf(text, 2), async ({ acquisition }) => {
      const { steps, warnings } = summary(acquisition.info.scenes[0]);
      expect(steps['T']).toEqual([0.5, 'seconds', 'file']);
      expect(warnings).toEqual(['T step: finterval says 0.5 s, but fps says 0.1 s. Showing 0.5 s.']);
    });
  });

  it('are calibrated by what stands beside the shape', async () => {
    const tags = [
      { code: 282, type: 5, values: [4, 1] },
      { code: 283, type: 5, values: [2, 1] },
      { code: 296, type: 3, values: [1] },
    ];
    const text = '{"shape": [2, 3, 4], "axes": "ZYX", "unit": "um", "spacing": 1.5, "fps": 10}';
    await open(pagesOf(text, 2, tags), async ({ acquisition }) => {
      expect(summary(acquisition.info.scenes[0]).steps).toEqual({
        X: [0.25, 'micrometer', 'file'],
        Y: [0.5, 'micrometer', 'file'],
        Z: [1.5, 'micrometer', 'file'],
        T: [0.1, 'seconds', 'file'],
      });
    });
  });

  it.each(['{"shape": [9, 3, 4]}', '{"shape": [2, 5, 5]}', '{"shape": [4000000000, 3, 4]}', '{"shape": [9e15, 9e15]}'])(
    '%s of two pages is not believed',
    async (text) => {
      await open(pagesOf(text, 2), async ({ acquisition }) => {
        const found = summary(acquisition.info.scenes[0]);
        expect(found.sizes).toEqual({ T: 1, Z: 2, Y: 3, X: 4 });
        expect(found.warnings[0]).toContain('does not match the file');
      });
    },
  );

  it.each([
    '',
    '{}',
    '{"shape": 5}',
    '{"shape": []}',
    '{"shape": [0, 1]}',
    '{"shape": [1.5]}',
    '{"shape": [1',
    'shape=()',
  ])('"%s" is no shape', (text) => expect(parseShapedText(text)).toBeUndefined());

  it('sends letters without a meaning to axes that are free', () => {
    const text = parseShapedText('{"shape": [2, 3, 4, 5, 6], "axes": "QIZYX"}');
    const page = { width: 6, height: 5, samplesPerPixel: 1, planar: false };
    expect(text && shapedAxes(text, page)?.axes).toEqual([
      { kind: 'Z', size: 4 },
      { kind: 'T', size: 3 },
      { kind: 'S', size: 2 },
    ]);
  });
});

describeWithSamples('tifffile arrays of others', () => {
  it('of an old version', async () => {
    const opened = await openAcquisition(samplePath('tiff-imagej/soft-matter+pims/stuck.tif'));
    opened.close();
    const [scene] = opened.acquisition.info.scenes;
    expect(scene?.sizes).toEqual({ T: 1, Z: 5, Y: 512, X: 512 });
    expect([scene?.date, scene?.time]).toEqual(['20150118', '15:33:49']);
  });
});
