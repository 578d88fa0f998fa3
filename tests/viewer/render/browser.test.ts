import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lutTable } from '../../../packages/viewer/src/luts/luts.ts';
import { HIGH_COLOR, LOW_COLOR, NAN_COLOR } from '../../../packages/viewer/src/model/display.ts';
import { tableIndex } from '../../../packages/viewer/src/render/colors.ts';
import { chromiumPath, launchBrowser } from '../../support/browser.js';
import { LONG } from '../../support/long.js';
import type { PictureSpec, PlaneSpec } from './entry.ts';
import { renderPage } from './page.ts';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: the renderer was not tested in a browser');

type Kind = 'webgl2' | 'canvas';
/** Rows of the longest scan that is drawn. */
const LINES = LONG ? 200_000 : 20_000;
const GROUND = [9, 8, 7];
/** 3 × 4 samples, each of another value: row · 40 + column · 10. */
const STEPS: PlaneSpec = {
  shape: [3, 4],
  samples: Array.from({ length: 12 }, (_, i) => 40 * Math.floor(i / 4) + 10 * (i % 4)),
};

describe.runIf(available)('the renderer in a browser', () => {
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    browser = await launchBrowser();
    page = await renderPage(browser);
  });
  afterAll(() => browser?.close());

  function pictures(kind: Kind, planes: PlaneSpec[], wanted: PictureSpec[], limits = {}): Promise<number[][]> {
    return page.evaluate(([...args]) => globalThis.render.pictures(...args), [kind, planes, wanted, limits] as const);
  }

  const at = (bytes: number[] | undefined, width: number, x: number, y: number) =>
    bytes?.slice(3 * (y * width + x), 3 * (y * width + x) + 3);
  /** Of a gray picture: one number a pixel. */
  const grays = (bytes: number[] | undefined) => bytes?.filter((_, i) => i % 3 === 0) ?? [];

  describe.each<Kind>(['webgl2', 'canvas'])('%s', (kind) => {
    it.each([
      [{ transposed: false, upward: false }, (x: number, y: number) => 40 * y + 10 * x, 4, 3],
      [{ transposed: false, upward: true }, (x: number, y: number) => 40 * (2 - y) + 10 * x, 4, 3],
      [{ transposed: true, upward: false }, (x: number, y: number) => 40 * x + 10 * y, 3, 4],
      [{ transposed: true, upward: true }, (x: number, y: number) => 40 * x + 10 * (3 - y), 3, 4],
    ])('magnified, every sample is a rectangle of its own: %o', async (orientation, value, across, down) => {
      const [width, height] = [across * 5, down * 7];
      const [picture] = await pictures(kind, [STEPS], [{ width, height, orientation, displays: [{}] }]);
      const expected = Array.from({ length: width * height }, (_, i) =>
        value(Math.floor((i % width) / 5), Math.floor(i / width / 7)),
      );
      expect(grays(picture)).toEqual(expected);
    });

    it('draws a part of the view and the background around the plane', async () => {
      const view = { x: 2.5, y: -1, width: 3, height: 2 };
      const [picture] = await pictures(kind, [STEPS], [{ width: 6, height: 2, view, displays: [{}] }]);
      // Centers at 2.75, 3.25, … 5.25: samples 2, 3, 3 and nothing; the upper row lies above the plane.
      expect(picture?.slice(0, 18)).toEqual(Array(6).fill(GROUND).flat());
      expect(picture?.slice(18)).toEqual([20, 20, 20, 30, 30, 30, 30, 30, 30, ...Array(3).fill(GROUND).flat()]);
    });

    it('draws the ends of every table, also inverted, and clips values', async () => {
      const ids = ['grey', 'red', 'cyan', 'viridis', 'magma', 'inferno', 'plasma', 'cividis', 'turbo', 'fire', 'hot'];
      const plane: PlaneSpec = { shape: [1, 4], samples: [-5, 100, 200, 1e6] };
      const ends = (lut: string, invert: boolean): PictureSpec => ({
        width: 4,
        height: 1,
        displays: [{ lut, invert, min: 100, max: 200 }],
      });
      const wanted = ids.flatMap((id) => [ends(id, false), ends(id, true)]);
      const drawn = await pictures(kind, [plane], wanted);
      ids.forEach((id, i) => {
        const first = [...lutTable(id).slice(0, 3)];
        const last = [...lutTable(id).slice(765)];
        expect(drawn[2 * i], id).toEqual([first, first, last, last].flat());
        expect(drawn[2 * i + 1], `${id} inverted`).toEqual([last, last, first, first].flat());
      });
    });

    it('draws the colors of more tables than it keeps', async () => {
      const plane: PlaneSpec = { shape: [1, 1], samples: [255] };
      const colors = Array.from({ length: 70 }, (_, i) => `#${(0x102030 + 997 * i).toString(16).toUpperCase()}`);
      const wanted = [...colors, ...colors.slice(0, 8)].map((lut) => ({ width: 1, height: 1, displays: [{ lut }] }));
      const all = await pictures(kind, [plane], wanted);
      const hex = (bytes: number[]) => `#${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
      expect(all.map((bytes) => hex(bytes).toUpperCase())).toEqual(wanted.map(({ displays }) => displays[0]?.lut));
    });

    it('computes the index with gamma as round(255 · share^gamma)', async () => {
      const plane: PlaneSpec = { shape: [1, 5], samples: [0, 0.1, 0.25, 0.5, 1] };
      const picture = (gamma: number) => ({ width: 5, height: 1, displays: [{ min: 0, max: 1, gamma }] });
      const [linear, half, two] = await pictures(kind, [plane], [picture(1), picture(0.5), picture(2)]);
      expect(grays(linear)).toEqual([0, 26, 64, 128, 255]); // 25.5, 63.75, 127.5 are rounded
      expect(grays(half)).toEqual([0, 81, 128, 180, 255]); // 80.6, 127.5, 180.3
      expect(grays(two)).toEqual([0, 3, 16, 64, 255]); // 2.55, 15.9, 63.75
    });

    it('computes the index on the logarithmic scale as round(255 · (log10(1 + 999 · share) / 3)^gamma)', async () => {
      const samples = Array.from({ length: 4096 }, (_, i) => i);
      const display = { min: 40, max: 4000, scale: 'log' as const };
      const wanted = [1, 0.6].map((gamma) => ({ width: 64, height: 64, displays: [{ ...display, gamma }] }));
      const drawn = await pictures(kind, [{ shape: [64, 64], samples }], wanted);
      for (const [i, gamma] of [1, 0.6].entries()) {
        const expected = samples.map((value) => tableIndex(value, { ...display, lut: 'grey', gamma }));
        const shown = grays(drawn[i]);
        // Logarithms of graphics cards may be off in their last digits, which moves a value at the edge of a step.
        const off = shown.map((gray, at) => Math.abs(gray - (expected[at] ?? 0)));
        expect(Math.max(...off)).toBeLessThanOrEqual(1);
        expect(off.filter((difference) => difference > 0).length).toBeLessThanOrEqual(4);
      }
    });

    it('draws labels in the colors of their numbers, and never a mean of them', async () => {
      const plane: PlaneSpec = { shape: [2, 6], samples: [0, 0, 1, 1, 255, 255, 0, 0, 1, 7, 256, 256] };
      const displays = [{ lut: 'glasbey', min: 0, max: 3, gamma: 2 }];
      const [whole, small] = await pictures(
        kind,
        [plane],
        [
          { width: 6, height: 2, displays },
          { width: 3, height: 1, displays },
        ],
      );
      const color = (index: number) => [...lutTable('glasbey').slice(3 * index, 3 * index + 3)];
      expect(whole).toEqual([0, 0, 1, 1, 255, 255, 0, 0, 1, 7, 1, 1].flatMap(color));
      expect(small).toEqual([0, 7, 1].flatMap(color));
    });

    it('distinguishes whole numbers up to 2^24', async () => {
      const plane: PlaneSpec = { shape: [1, 3], samples: [16_777_213, 16_777_214, 16_777_216] };
      const display = { min: 16_777_212, max: 16_777_217 - 1 };
      const [picture] = await pictures(kind, [plane], [{ width: 3, height: 1, displays: [display] }]);
      expect(grays(picture)).toEqual([64, 128, 255]);
    });

    it('draws NaN and infinities, and clipped samples on request, in their own colors', async () => {
      const plane: PlaneSpec = { shape: [1, 7], samples: ['nan', 'inf', '-inf', 9, 10, 20, 21] };
      const picture = (clipping: boolean) => ({ width: 7, height: 1, displays: [{ min: 10, max: 20 }], clipping });
      const [plain, marked] = await pictures(kind, [plane], [picture(false), picture(true)]);
      const nan = [NAN_COLOR, NAN_COLOR, NAN_COLOR].flat();
      expect(plain).toEqual([...nan, ...[0, 0, 255, 255].flatMap((gray) => [gray, gray, gray])]);
      expect(marked).toEqual([...nan, ...LOW_COLOR, 0, 0, 0, 255, 255, 255, ...HIGH_COLOR]);
    });

    it('adds three channels by opacity up to 255, with marks over the sum', async () => {
      const [red, green, yellow]: PlaneSpec[] = [
        { shape: [1, 4], samples: [255, 0, 100, 'nan'] },
        { shape: [1, 4], samples: [0, 255, 100, 255] },
        { shape: [1, 4], samples: [255, 255, 100, 0] },
      ];
      const displays = [{ lut: 'red', opacity: 0.5 }, { lut: 'green' }, { lut: 'yellow', opacity: 0.25 }];
      const [picture] = await pictures(kind, [red, green, yellow] as PlaneSpec[], [{ width: 4, height: 1, displays }]);
      // 0.5 · 255 and 0.25 · 255 are 128 and 64 in bytes.
      expect(picture).toEqual([[192, 64, 0], [64, 255, 0], [75, 125, 0], NAN_COLOR].flat());
    });

    it.each([
      ['uint8', 3, 200],
      ['int8', -100, 120],
      ['uint16', 3, 65_000],
      ['int16', -32_000, 32_000],
    ] as const)('draws %s as it draws the same numbers as float32', async (type, low, high) => {
      const plane: PlaneSpec = {
        shape: [3001, 37],
        ...{
          photons: 9,
          spots: [
            [0, 0, low],
            [1555, 20, high],
            [3000, 36, high - 1],
          ],
        },
      };
      const display = { min: type.startsWith('i') ? -20 : 0, max: 30 };
      const wanted: PictureSpec[] = [
        { width: 200, height: 20, orientation: { transposed: true }, displays: [display] },
        { width: 150, height: 90, view: { x: 10, y: 1500, width: 25, height: 80 }, displays: [display] },
        { width: 37, height: 500, displays: [{ ...display, min: low, max: high }] },
      ];
      const limits = { maxSize: 1024, maxPageBytes: 40_000 };
      const floats = await pictures(kind, [plane], wanted, limits);
      const integers = await pictures(kind, [{ ...plane, type }], wanted, limits);
      // Without WebGL the means of integers are exact, and those of numbers rounded to float32: a few lie on a step.
      const steps = integers.map((bytes, i) => bytes.map((byte, at) => Math.abs(byte - floats[i]![at]!)));
      const allowed = kind === 'canvas' ? { step: 1, share: 0.01 } : { step: 0, share: 0 };
      for (const differences of steps) {
        expect(Math.max(...differences)).toBeLessThanOrEqual(allowed.step);
        expect(differences.filter((step) => step > 0).length).toBeLessThanOrEqual(allowed.share * differences.length);
      }
      expect(new Set(grays(floats[0])).size).toBeGreaterThan(3);
    });

    it('draws the mean of minified noise, and every spike and gap', async () => {
      const spots = [
        [777, 5, 90],
        [1501, 9, 0],
      ] as const;
      const picture = { width: 100, height: 6, orientation: { transposed: true }, displays: [{ max: 100 }] };
      const [flat, spotted] = [
        await pictures(kind, [{ shape: [3000, 12], fill: 40 }], [picture]),
        await pictures(kind, [{ shape: [3000, 12], fill: 40, spots }], [picture]),
      ];
      expect(new Set(grays(flat[0]))).toEqual(new Set([102]));
      // 30 lines and two columns a pixel: row 777 is in pixel 25, column 5 in pixel 2.
      expect(at(spotted[0], 100, 25, 2)).toEqual([230, 230, 230]);
      expect(at(spotted[0], 100, 50, 4)).toEqual([0, 0, 0]);
      expect(grays(spotted[0]).filter((gray) => gray !== 102).length).toBe(2);
    });

    it('draws minified noise as noise with visible spikes', async () => {
      const noise: PlaneSpec = { shape: [40_000, 16], photons: 5 };
      const picture = { width: 200, height: 8, orientation: { transposed: true }, displays: [{ max: 25.5 }] };
      const [quiet] = await pictures(kind, [noise], [picture]);
      const [spiked] = await pictures(kind, [{ ...noise, spots: [[20_100, 3, 25]] }], [picture]);
      const values = grays(quiet);
      const mean = values.reduce((sum, value) => sum + value) / values.length;
      expect(mean).toBeGreaterThan(48); // five photons are 50
      expect(mean).toBeLessThan(52);
      expect(Math.max(...values)).toBeLessThan(60);
      expect(at(spiked, 200, 100, 1)).toEqual([250, 250, 250]);
      expect(grays(spiked).filter((gray) => gray > 100).length).toBe(1);
    });

    it('ignores NaN among other samples, and colors a pixel of only NaN', async () => {
      const samples = Array.from({ length: 1000 }, (_, row) => (row < 105 ? ('nan' as const) : 255));
      const [picture] = await pictures(
        kind,
        [{ shape: [1000, 1], samples }],
        [{ width: 1, height: 100, displays: [{}] }],
      );
      expect(at(picture, 1, 0, 9)).toEqual([...NAN_COLOR]);
      expect(at(picture, 1, 0, 10)).toEqual([255, 255, 255]);
    });
  });

  it('draws tiles and pages without seams, the same with both renderers', async () => {
    // Pages of 100 rows and two tiles of 20 columns, for a plane of 30,000 × 40 with levels of 16 and 64 rows.
    const limits = { maxSize: 50, maxLayers: 4, maxPageBytes: 1 << 20 };
    const plane: PlaneSpec = {
      shape: [30_000, 40],
      photons: 3,
      spots: [
        [99, 19, 60],
        [100, 20, 60],
        [15_999, 0, 60],
        [29_999, 39, 60],
      ],
    };
    const views = [
      { x: 0, y: 0, width: 30_000, height: 40 },
      { x: 80, y: 10, width: 40, height: 20 },
      { x: 3, y: -5, width: 2000, height: 50 },
      { x: 20_000.3, y: 0, width: 15_000, height: 40 },
    ];
    const wanted = views.flatMap((view) =>
      [true, false].map((upward) => ({
        width: 150,
        height: 30,
        view,
        orientation: { transposed: true, upward },
        displays: [{ max: 60, lut: 'viridis' }],
      })),
    );
    const tiled = await pictures('webgl2', [plane], wanted, limits);
    const whole = await pictures('webgl2', [plane], wanted);
    const canvas = await pictures('canvas', [plane], wanted);
    expect(tiled).toEqual(whole);
    expect(canvas).toEqual(whole);
    const bright = JSON.stringify([...lutTable('viridis').slice(765)]);
    const spikes = Array.from({ length: 150 * 30 }, (_, i) => JSON.stringify(whole[0]?.slice(3 * i, 3 * i + 3))).filter(
      (one) => one === bright,
    );
    expect(spikes.length).toBe(4);
  });

  it('shows a spike and a gap of one sample in a long scan at home', async () => {
    const spots = [
      [Math.floor(0.61728 * LINES), 200, 90],
      [Math.floor(0.250005 * LINES), 300, -90],
    ] as const;
    const size = { width: 1200, height: 300 };
    const [picture] = await pictures(
      'webgl2',
      [{ shape: [LINES, 512], photons: 5, spots }],
      [{ ...size, orientation: { transposed: true, upward: true }, displays: [{ min: -90, max: 90 }] }],
    );
    // 0.61728 · 1200 = 740.7; column 200 is 311.5 of 512 from the top.
    const values = grays(picture);
    expect(values[182 * 1200 + 740]).toBe(255);
    expect(values[123 * 1200 + 300]).toBe(0);
    expect(values.filter((value) => value > 160 || value < 120).length).toBe(2);
  });

  it('draws a picture that is larger than one part', async () => {
    const size = { width: 2500, height: 4 };
    const wanted = [
      { ...size, displays: [{ max: 2499 }] },
      { ...size, view: { x: 0, y: 0, width: 2500, height: 1 }, displays: [{ max: 2499 }] },
    ];
    const plane: PlaneSpec = { shape: [1, 2500], samples: Array.from({ length: 2500 }, (_, i) => i) };
    const [picture] = await pictures('webgl2', [plane], wanted);
    const row = Array.from({ length: 2500 }, (_, i) => Math.floor((255 * i) / 2499 + 0.5));
    expect(grays(picture)).toEqual([...row, ...row, ...row, ...row]);
  });

  it('uploads planes again after the context was lost, and notifies cards', async () => {
    const result = await page.evaluate(async () => {
      const { render } = globalThis;
      const hidden = document.createElement('canvas');
      const renderer = render.makeRenderer('webgl2', {}, hidden);
      const plane = { shape: [2, 2] as const, samples: [0, 50, 100, 200] };
      const texture = renderer.addPlane(render.makePlane(plane), plane.shape);
      await texture.ready;
      const picture = { width: 2, height: 2, displays: [{}] };
      const before = render.drawn(renderer, [texture], picture);
      const events: string[] = [];
      renderer.onLost(() => events.push('lost'));
      const restored = new Promise<void>((resolve) => {
        renderer.onRestored(() => {
          events.push('restored');
          resolve();
        });
      });
      const restore = render.loseContext(hidden);
      await render.until(() => renderer.lost.value);
      const between = render.drawn(renderer, [texture], picture);
      restore();
      await restored;
      await render.until(() => texture.progress.value === 1);
      return { before, between, after: render.drawn(renderer, [texture], picture), events };
    });
    expect(grays(result.before)).toEqual([0, 50, 100, 200]);
    expect(result.between).toEqual(Array(12).fill(0)); // the target is left alone
    expect(result.after).toEqual(result.before);
    expect(result.events).toEqual(['lost', 'restored']);
  });

  it('switches to the canvas renderer when the context is soon lost again', async () => {
    const result = await page.evaluate(async () => {
      const { render } = globalThis;
      const canvas = document.createElement('canvas');
      const renderer = render.makeRenderer('webgl2', {}, canvas);
      const shape = [2, 2] as const;
      const add = (samples: number[]) => renderer.addPlane(render.makePlane({ shape, samples }), shape);
      const first = add([0, 50, 100, 200]);
      await first.ready;
      const restore = render.loseContext(canvas);
      await render.until(() => renderer.lost.value);
      restore();
      await render.until(() => !renderer.lost.value && first.progress.value === 1);
      render.loseContext(canvas);
      await render.until(() => renderer.kind === 'canvas');
      const second = add([1, 2, 3, 4]);
      await second.ready;
      const picture = { width: 2, height: 2, displays: [{}] };
      return [first, second].map((texture) => render.drawn(renderer, [texture], picture));
    });
    expect(result.map(grays)).toEqual([
      [0, 50, 100, 200],
      [1, 2, 3, 4],
    ]);
  });

  it.each<Kind>(['webgl2', 'canvas'])(
    '%s: what is not prepared yet shows the ground; a released plane draws nothing',
    async (kind) => {
      const result = await page.evaluate(async (kind) => {
        const { render } = globalThis;
        const renderer = render.makeRenderer(kind);
        const texture = renderer.addPlane(render.makePlane({ shape: [250_000, 20], fill: 200 }), [250_000, 20]);
        const picture = { width: 10, height: 2, orientation: { transposed: true }, displays: [{}] };
        const early = render.drawn(renderer, [texture], picture);
        await texture.ready;
        const ready = render.drawn(renderer, [texture], picture);
        texture.release();
        return { early, ready, progress: texture.progress.value };
      }, kind);
      expect(result.early).toEqual(Array(20).fill(GROUND).flat());
      expect(new Set(result.ready)).toEqual(new Set([200]));
    },
  );

  it('uses the canvas renderer when WebGL2 is emulated in software', async () => {
    const { name, kind } = await page.evaluate(() => {
      const gl = document.createElement('canvas').getContext('webgl2');
      const names = gl?.getExtension('WEBGL_debug_renderer_info');
      const name = String(gl?.getParameter(names?.UNMASKED_RENDERER_WEBGL ?? gl.RENDERER));
      return { name, kind: globalThis.render.createRenderer().kind };
    });
    expect(kind).toBe(/SwiftShader|llvmpipe/.test(name) ? 'canvas' : 'webgl2');
  });

  it('refuses samples that do not match the shape', async () => {
    const message = await page.evaluate(() => {
      try {
        globalThis.render.makeRenderer('webgl2').addPlane(new Float32Array(5), [2, 3]);
      } catch (error) {
        return String(error);
      }
    });
    expect(message).toBe('RangeError: 5 samples are not 2 × 3');
  });
});
