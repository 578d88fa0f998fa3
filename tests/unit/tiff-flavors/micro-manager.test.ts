import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { conformanceSuite } from '../../conformance/suite.js';
import { tempFolder, writeTemp } from '../../support/temp.js';
import { countingPage, description, firstSample, summary, withFixture } from '../../support/tiff-cases.js';
import { type PlaneIndex, writeMicroManager } from '../../writers/micro-manager.js';
import { omeXml } from '../../writers/ome.js';
import type { TagSpec } from '../../writers/tiff.js';

const root = tempFolder();
const open = <T>(bytes: Uint8Array, use: Parameters<typeof withFixture<T>>[2]) =>
  withFixture(root, { 'a_MMStack.tif': bytes }, use);

const SUMMARY = {
  Channels: 2,
  Slices: 1,
  Frames: 2,
  Positions: 1,
  ChNames: ['Cy5', 'FITC'],
  PixelSize_um: 0.65,
  'z-step_um': -2,
  Interval_ms: 250,
  StartTime: '2021-04-13 15:23:26.123 -0700',
};
/** Frames fastest: the index decides, not the order of pages. */
const INDEX: PlaneIndex[] = [
  [0, 0, 0, 0],
  [0, 0, 1, 0],
  [1, 0, 0, 0],
  [1, 0, 1, 0],
];
const pages = (tagsOf: (index: number) => TagSpec[] = () => []) =>
  [0, 1, 2, 3].map((index) => countingPage(index, tagsOf(index)));
const planeTag = (fields: object): TagSpec => ({ code: 51123, type: 2, text: JSON.stringify(fields) });
const FULL = () => writeMicroManager({ summary: SUMMARY, pages: pages(), index: INDEX });

describe('Micro-Manager MMStack', () => {
  it('is placed by its index and calibrated by its summary', async () => {
    await open(FULL(), async (opened) => {
      const [scene] = opened.acquisition.info.scenes;
      expect(summary(scene)).toEqual({
        sizes: { T: 2, Z: 1, Y: 3, X: 4 },
        channels: ['Cy5', 'FITC'],
        steps: {
          X: [0.65, 'micrometer', 'file'],
          Y: [0.65, 'micrometer', 'file'],
          Z: [2, 'micrometer', 'file'],
          T: [0.25, 'seconds', 'file'],
        },
        warnings: [],
      });
      expect([scene?.date, scene?.time]).toEqual(['20210413', '15:23:26']);
      expect(await firstSample(opened, { channel: 1, t: 0 })).toBe(24);
      expect(await firstSample(opened, { channel: 0, t: 1 })).toBe(12);
    });
  });

  it('without an index is placed by the metadata of its planes', async () => {
    const tags = (index: number) => {
      const [c, z, t, p] = INDEX[index] as PlaneIndex;
      return [planeTag({ ChannelIndex: c, SliceIndex: z, FrameIndex: t, PositionIndex: p })];
    };
    await open(writeMicroManager({ summary: SUMMARY, pages: pages(tags) }), async (opened) => {
      expect(opened.acquisition.info.scenes[0]?.sizes.T).toBe(2);
      expect(await firstSample(opened, { channel: 1, t: 0 })).toBe(24);
    });
  });

  it('has a scene per position, and says what was planned but is not in this file', async () => {
    const index: PlaneIndex[] = [0, 1, 2, 3].map((i) => [0, 0, 500 + (i % 2), i < 2 ? 3 : 4]);
    const bytes = writeMicroManager({ summary: { ...SUMMARY, Frames: 1000, Positions: 9 }, pages: pages(), index });
    await open(bytes, async (opened) => {
      const { scenes } = opened.acquisition.info;
      expect(scenes.map(({ name, sizes, channels }) => [name, sizes.T, channels.length])).toEqual([
        ['Position 3', 2, 1],
        ['Position 4', 2, 1],
      ]);
      expect(scenes[0]?.warnings[0]).toContain('planned 2 channels × 1 slices × 1,000 frames at 9 positions');
      expect(await firstSample(opened, { scene: 1, t: 1 })).toBe(36);
    });
  });

  it('shows planes that were skipped as zeros and says so', async () => {
    const bytes = writeMicroManager({ summary: SUMMARY, pages: pages().slice(0, 3), index: INDEX.slice(0, 3) });
    await open(bytes, async (opened) => {
      expect(opened.acquisition.info.scenes[0]?.warnings).toEqual(['1 plane was not recorded. Showing it as zeros.']);
      expect(await firstSample(opened, { channel: 1, t: 1 })).toBe(0);
    });
  });

  it('whose pages all have one number says that they overwrite each other', async () => {
    const index = INDEX.map((): PlaneIndex => [0, 0, 0, 0]);
    await open(writeMicroManager({ summary: SUMMARY, pages: pages(), index }), async (opened) => {
      expect(opened.acquisition.info.scenes[0]?.warnings).toContain(
        '3 planes have the time point, section and channel of another one (the first: T = 0, Z = 0, C = 0). ' +
          'Showing the last of each.',
      );
      expect(await firstSample(opened)).toBe(36);
    });
  });

  it('is placed by its OME-XML when it has one; the summary fills the gaps', async () => {
    const xml = omeXml({
      images: [{ sizes: { X: 4, Y: 3, C: 2, T: 2 }, pixels: { PhysicalSizeX: 0.5, PhysicalSizeY: 0.5 } }],
    });
    const tagged = pages((index) => (index === 0 ? [description(xml)] : []));
    await open(writeMicroManager({ summary: SUMMARY, pages: tagged, index: INDEX }), async (opened) => {
      const found = summary(opened.acquisition.info.scenes[0]);
      expect(found.channels).toEqual(['Cy5', 'FITC']);
      expect(found.steps).toEqual({
        X: [0.5, 'micrometer', 'file'],
        Y: [0.5, 'micrometer', 'file'],
        Z: [2, 'micrometer', 'file'],
        T: [0.25, 'seconds', 'file'],
      });
      expect(await firstSample(opened, { channel: 1, t: 0 })).toBe(12);
    });
  });

  /** Four frames of one channel. */
  const timed = (planes: object[], summary: object = {}, frames = [0, 1, 2, 3]) =>
    writeMicroManager({
      summary: { ...SUMMARY, Channels: 1, Frames: 4, ...summary },
      pages: frames.map((frame, i) => countingPage(i, [planeTag({ FrameIndex: frame, ...planes[i] })])),
      index: frames.map((frame): PlaneIndex => [0, 0, frame, 0]),
    });
  const times = (...ms: unknown[]) => ms.map((value) => ({ 'ElapsedTime-ms': value }));

  it.each([
    ['contradict the interval that was set', times(0, 1000, 2000, 3000), 1, /Interval_ms says 0.25 s/],
    ['are uneven', times(0, 250, 500, 9000), 3, /0.25 s to 8.5 s apart/],
    ['run backwards', times(3000, 2000, 1000, 0), 0.25, /not in ascending order/],
    ['are not numbers', times('x', null, {}, []), 0.25, undefined],
  ])('whose times %s shows what was measured and says so', async (_, planes, step, warning) => {
    await open(timed(planes), async ({ acquisition }) => {
      const [scene] = acquisition.info.scenes;
      expect(scene?.steps.T.step).toBeCloseTo(step, 9);
      if (warning) expect(scene?.warnings.join()).toMatch(warning);
      else expect(scene?.warnings).toEqual([]);
    });
  });

  it('whose slices are not where the Z step puts them says so', async () => {
    const pages = [0, 5, 10].map((z, i) => countingPage(i, [planeTag({ ZPositionUm: z })]));
    const index = [0, 1, 2].map((z): PlaneIndex => [0, z, 0, 0]);
    const bytes = writeMicroManager({ summary: { ...SUMMARY, Channels: 1, Slices: 3, Frames: 1 }, pages, index });
    await open(bytes, async ({ acquisition }) => {
      expect(acquisition.info.scenes[0]?.steps.Z).toEqual({ step: 5, unit: 'micrometer', origin: 'file' });
      expect(acquisition.info.scenes[0]?.warnings).toEqual([expect.stringContaining('z-step_um says 2 µm')]);
    });
  });

  it('keeps the place of a frame that was dropped', async () => {
    await open(timed(times(0, 250, 750, 1000), {}, [0, 1, 3, 4]), async (opened) => {
      const [scene] = opened.acquisition.info.scenes;
      expect([scene?.sizes.T, scene?.steps.T.step]).toEqual([5, 0.25]);
      expect(scene?.warnings).toEqual([
        expect.stringContaining('1 plane was not recorded'),
        '1 of 5 time stamps (ElapsedTime-ms) is missing or not a number.',
      ]);
      expect([await firstSample(opened, { t: 2 }), await firstSample(opened, { t: 3 })]).toEqual([0, 24]);
    });
  });

  it('says when numbers of frames are far apart, or not those of the pages', async () => {
    await open(timed([], {}, [0, 1, 2, 900]), async ({ acquisition }) => {
      expect(acquisition.info.scenes[0]?.sizes.T).toBe(4);
      expect(acquisition.info.scenes[0]?.warnings.join()).toContain('frames are not consecutive: 897');
    });
    const planes = [0, 1, 3, 2].map((frame) => ({ FrameIndex: frame }));
    await open(timed(planes), async ({ acquisition }) => {
      expect(acquisition.info.scenes[0]?.warnings.join()).toContain(
        'says that a plane is frame 2, but its page says frame 3',
      );
    });
  });

  it('of many frames has the times of all of them when they are asked for', async () => {
    const frames = Array.from({ length: 200 }, (_, t) => t);
    const at = frames.map((t) => 1000 * t + (t > 122 ? 60_000 : 0));
    await open(timed(times(...at), { Frames: 200 }, frames), async ({ acquisition }) => {
      const [scene] = acquisition.info.scenes;
      expect(scene?.coordinates?.T).toMatchObject({ isLater: true, uneven: true });
      expect(scene?.warnings.join()).not.toContain('longest');
      const { time } = (await acquisition.readPlaneColumns?.(0)) ?? {};
      expect(Array.from(time ?? [])).toEqual(at.map((ms) => ms / 1000));
    });
  });

  it('whose OME-XML has no times has those of all pages when they are asked for', async () => {
    const xml = omeXml({ images: [{ sizes: { X: 4, Y: 3, T: 100 } }] });
    const stamped = Array.from({ length: 100 }, (_, t) =>
      countingPage(t, [planeTag({ 'ElapsedTime-ms': 500 * t }), ...(t === 0 ? [description(xml)] : [])]),
    );
    await open(writeMicroManager({ summary: { ...SUMMARY, Channels: 1 }, pages: stamped }), async ({ acquisition }) => {
      expect(acquisition.info.scenes[0]?.coordinates?.T?.isLater).toBe(true);
      const { time } = (await acquisition.readPlaneColumns?.(0)) ?? {};
      expect(Array.from(time ?? []).slice(97)).toEqual([48.5, 49, 49.5]);
    });
  });

  const NAN = (field: string) => ({ code: 51123, type: 2, text: `{"FrameIndex": 2, ${field}}` });

  it.each(['"ElapsedTime-ms": NaN', '"Comment": "\\"NaN", "ElapsedTime-ms": -Infinity'])(
    'keeps the place of a page whose metadata have %s',
    async (field) => {
      const pages = [0, 1, 2, 3].map((t) =>
        countingPage(t, [t === 2 ? NAN(field) : planeTag({ FrameIndex: t, 'ElapsedTime-ms': 250 * t })]),
      );
      await open(writeMicroManager({ summary: { ...SUMMARY, Channels: 1, Frames: 4 }, pages }), async (opened) => {
        const [scene] = opened.acquisition.info.scenes;
        expect(await Promise.all([0, 1, 2, 3].map((t) => firstSample(opened, { t })))).toEqual([0, 12, 24, 36]);
        expect(Array.from(scene!.coordinates!.T!.values)).toEqual([0, 0.25, Number.NaN, 0.75]);
        expect(scene?.warnings).toEqual(['1 of 4 time stamps (ElapsedTime-ms) is missing or not a number.']);
      });
    },
  );

  it('does not show a page whose metadata cannot be read in the place of another one', async () => {
    const pages = [0, 1, 2].map((t) =>
      countingPage(t, [t === 1 ? { code: 51123, type: 2, text: '{"FrameIndex": 1, ' } : planeTag({ FrameIndex: t })]),
    );
    await open(writeMicroManager({ summary: { ...SUMMARY, Channels: 1, Frames: 3 }, pages }), async (opened) => {
      expect(await Promise.all([0, 1, 2].map((t) => firstSample(opened, { t })))).toEqual([0, 0, 24]);
      expect(opened.acquisition.info.scenes[0]?.warnings.join()).toContain(
        'metadata of 1 page cannot be read (the first: page 2)',
      );
    });
  });

  it('has the exposure, the objective and the planes by the metadata of its pages', async () => {
    const planes = [0, 1, 2, 3].map((i) => ({
      ...{ 'ElapsedTime-ms': 250 * i, 'Exposure-ms': 20, XPositionUm: 100 + i, ZPositionUm: 3, Camera: 'Andor' },
      'TIObjective-Label': '60x oil',
    }));
    await open(timed(planes), async ({ acquisition }) => {
      const [scene] = acquisition.info.scenes;
      expect(scene?.channels[0]).toMatchObject({ exposureSeconds: 0.02, detector: 'Andor' });
      expect(scene?.instrument).toEqual({ objective: { name: '60x oil' }, stage: { x: 100, z: 3 } });
      const columns = await acquisition.readPlaneColumns?.(0);
      expect([...(columns?.time ?? [])]).toEqual([0, 0.25, 0.5, 0.75]);
      expect([...(columns?.x ?? [])]).toEqual([100, 101, 102, 103]);
    });
  });

  it('with OME-XML that lists fewer planes than the index shows all of them', async () => {
    const xml = omeXml({ images: [{ sizes: { X: 4, Y: 3, T: 2 }, children: ['<TiffData PlaneCount="2"/>'] }] });
    const tagged = pages((index) => (index === 0 ? [description(xml)] : []));
    await open(writeMicroManager({ summary: SUMMARY, pages: tagged, index: INDEX }), async (opened) => {
      const { sizes, channels, warnings } = summary(opened.acquisition.info.scenes[0]);
      expect([sizes.T, channels]).toEqual([2, ['Cy5', 'FITC']]);
      expect(warnings.join()).toContain('The OME-XML lists fewer planes than the index');
      expect(await firstSample(opened, { channel: 1, t: 1 })).toBe(36);
    });
  });

  it('with OME-XML that has no times takes those of its pages', async () => {
    const xml = omeXml({ images: [{ sizes: { X: 4, Y: 3, T: 4 }, pixels: { TimeIncrement: 5 } }] });
    const stamped = [0, 1, 2, 3].map((t) =>
      countingPage(t, [planeTag({ 'ElapsedTime-ms': 1000 * t }), ...(t === 0 ? [description(xml)] : [])]),
    );
    const bytes = writeMicroManager({ summary: { ...SUMMARY, Channels: 1, Interval_ms: 5000 }, pages: stamped });
    await open(bytes, async ({ acquisition }) => {
      expect(acquisition.info.scenes[0]?.steps.T.step).toBe(1);
      expect(acquisition.info.scenes[0]?.warnings).toEqual([expect.stringContaining('TimeIncrement says 5 s')]);
    });
  });

  it.each([
    ['an index of nothing', (view: DataView) => view.setUint32(12, 12, true)],
    ['an index outside the file', (view: DataView) => view.setUint32(12, 0xffffffff, true)],
    ['an index of billions', (view: DataView, end: number) => view.setUint32(end - 84, 0xffffffff, true)],
  ])('with %s shows its plain pages', async (_, damage) => {
    const bytes = FULL();
    damage(new DataView(bytes.buffer), bytes.length);
    await open(bytes, async ({ acquisition }) => {
      const found = summary(acquisition.info.scenes[0]);
      expect(found.sizes).toEqual({ T: 1, Z: 4, Y: 3, X: 4 });
      expect(found.warnings[0]).toContain('no usable Micro-Manager index');
    });
  });

  it('with a summary outside the file, or none at all, is uncalibrated', async () => {
    const bytes = FULL();
    new DataView(bytes.buffer).setUint32(36, 0xffffffff, true);
    await open(bytes, async ({ acquisition }) => {
      expect(summary(acquisition.info.scenes[0]).steps['X']).toEqual([1, 'Pixels', 'default']);
    });
  });

  it('fails at the plane whose IFD is not where the index says', async () => {
    const bytes = FULL();
    new DataView(bytes.buffer).setUint32(bytes.length - 4, 0xfffffff0, true);
    await open(bytes, async (opened) => {
      expect(await firstSample(opened, { channel: 1, t: 0 })).toBe(24);
      await expect(firstSample(opened, { channel: 1, t: 1 })).rejects.toMatchObject({ code: 'decode_failed' });
    });
  });
});

describe('Micro-Manager stacks that are repeated', () => {
  const stacks = (volumes: number[][], slices = volumes[0]!.length) => {
    const index = volumes.flatMap((at, t) => at.map((_, z): PlaneIndex => [0, z, t, 0]));
    const pages = index.map(([, z, t], i) => countingPage(i, [planeTag({ ZPositionUm: volumes[t]![z] })]));
    const summary = { ...SUMMARY, Channels: 1, Slices: slices, Frames: volumes.length, 'z-step_um': 1 };
    return writeMicroManager({ summary, pages, index });
  };

  it('have each section at one depth when every second one runs backwards', async () => {
    const bytes = stacks([
      [0, 1, 2],
      [2, 1, 0],
      [0, 1, 2],
    ]);
    await open(bytes, async (opened) => {
      const shown = await Promise.all([0, 1, 2].map((z) => firstSample(opened, { t: 1, z })));
      expect(shown).toEqual([5, 4, 3].map((page) => 12 * page));
      expect(opened.acquisition.info.scenes[0]?.warnings).toContain(
        'The positions (ZPositionUm) of T = 1 run in another order. Their planes were put in the order of the first time point.',
      );
      const { z } = (await opened.acquisition.readPlaneColumns?.(0)) ?? {};
      expect(Array.from(z ?? [])).toEqual([0, 1, 2, 0, 1, 2, 0, 1, 2]);
    });
  });

  it('say when their sections drift', async () => {
    const bytes = stacks([
      [0, 1, 2],
      [5, 6, 7],
    ]);
    await open(bytes, async (opened) => {
      expect(await firstSample(opened, { t: 1, z: 0 })).toBe(36);
      expect(opened.acquisition.info.scenes[0]?.warnings.join()).toContain(
        'Sections are at other depths at other time points: by the positions (ZPositionUm), Z = 0 at T = 1 is 5 µm',
      );
    });
  });

  it('of many planes are not read for their order, which is said', async () => {
    const up = [0, 1, 2, 3];
    const volumes = Array.from({ length: 80 }, (_, t) => (t % 2 === 0 ? up : up.toReversed()));
    await open(stacks(volumes), async (opened) => {
      expect(await firstSample(opened, { t: 1, z: 0 })).toBe(48);
      expect(opened.acquisition.info.scenes[0]?.warnings.join()).toMatch(
        /^.*Z = 0 at T = \d+ is 3 µm from where it was first\. With so many planes/,
      );
    });
  });

  it('at one depth for each section are as they were', async () => {
    await open(
      stacks([
        [0, 1, 2],
        [0, 1, 2],
      ]),
      async ({ acquisition }) => {
        expect(acquisition.info.scenes[0]?.warnings).toEqual([]);
      },
    );
  });
});

describe('many positions of Micro-Manager', () => {
  it('share what an open reads: each has its times', async () => {
    const index = Array.from({ length: 600 }, (_, i): PlaneIndex => [0, 0, i % 60, Math.floor(i / 60)]);
    const pages = index.map(([, , t], i) => countingPage(i, [planeTag({ FrameIndex: t, 'ElapsedTime-ms': 2000 * t })]));
    const summary = { ...SUMMARY, Channels: 1, Frames: 60, Positions: 10, Interval_ms: 1000 };
    await open(writeMicroManager({ summary, pages, index }), async ({ acquisition: { info } }) => {
      expect(info.scenes.map(({ steps }) => steps.T.step)).toEqual(new Array(10).fill(2));
    });
  });
});

conformanceSuite(
  'Micro-Manager',
  [
    {
      name: 'with index',
      write: (folder) => writeTemp(folder, 'a.tif', FULL()),
      format: 'tif',
      scenes: [{ sizes: { T: 2, Z: 1, Y: 3, X: 4 }, channels: ['Cy5', 'FITC'], sampleType: 'uint16' }],
    },
  ],
  () => mkdtempSync(join(root, 'suite-')),
);

describe('the metadata of Micro-Manager pages', () => {
  it('are read once for all that a scene needs, so that each of many positions has its own', async () => {
    const count = 150;
    const index = Array.from({ length: count }, (_, p): PlaneIndex => [0, 0, 0, p]);
    const stage = (p: number) => planeTag({ XPositionUm: p, YPositionUm: 1, 'Exposure-ms': 20 });
    const bytes = writeMicroManager({
      summary: { ...SUMMARY, Channels: 1, Frames: 1, Positions: count },
      pages: index.map((_, p) => countingPage(p, [stage(p)])),
      index,
    });
    await open(bytes, async ({ acquisition: { info } }) => {
      expect(info.scenes.map(({ instrument }) => instrument?.stage?.x)).toEqual(index.map((_, p) => p));
      expect(info.scenes.at(-1)?.channels[0]?.exposureSeconds).toBe(0.02);
    });
  });
});
