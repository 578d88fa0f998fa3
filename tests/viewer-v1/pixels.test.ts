/** What the demo of API v1 draws, compared with the planes that the server sends. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { V1OpenSuccess } from '../../packages/client/src/contract/v1.js';
import { chromiumPath } from '../support/browser.js';
import { FREEHAND, lineScan, sample, source } from '../support/bruker.js';
import { samplePath, samplesRoot } from '../support/samples.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { writeBruker } from '../writers/bruker.js';
import { mmHead } from '../writers/fluoview.js';
import { oirVector } from '../writers/oir-vector.js';
import { writeTiff } from '../writers/tiff.js';
import { colorOf, type DemoPage, DemoServer, PATH_COLOR, type Pixels, pixelsOf, planeOf } from './demo-page.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: the pixels of the demo of API v1 were not tested');
if (!samplesRoot) console.warn('\n*** NOT RUN in the demo of API v1: the real kymograph is missing ***\n');

const folder = tempFolder();
const LINES = 30_000;
const SHOWN = 3_000;

/** 30,000 lines of 24 pixels, 1.17 ms and 0.284 µm apart. */
function kymographFile(): string {
  const samples = Uint16Array.from({ length: LINES * 24 }, (_, i) => (i * 7_919) % 4_001);
  const dimensions = [
    { name: 'X', size: 24, resolution: 0.284, unit: 'µm' },
    { name: 'T', size: LINES, resolution: 0.00117, unit: 's' },
  ];
  const page = { width: 24, height: LINES, samples, tags: [mmHead(dimensions)] };
  return writeTemp(folder, 'kymograph.tif', writeTiff({ pages: [page] }));
}

/** Two channels of 10 lines, two reference images of 8 × 8, and a line with corners. */
function bentLineFile(): string {
  const spec = lineScan(1, [1, 2]);
  return writeBruker(folder, { ...spec, sequences: spec.sequences.map((one) => ({ ...one, line: FREEHAND })) });
}

/** The line that is drawn at position `x`, and whose plane has `total` lines. */
const lineAt = (x: number, total: number) =>
  total <= SHOWN ? x : Math.round((x * (total - 1)) / (Math.min(total, SHOWN) - 1));

/** `min` must be near the 1st percentile of all samples, `max` near the 99.5th. */
function expectPercentiles(samples: Float32Array, { min, max }: { min: number; max: number }): void {
  const share = (test: (value: number) => boolean) => samples.filter(test).length / samples.length;
  expect(share((value) => value < min)).toBeLessThan(0.013);
  expect(share((value) => value <= min)).toBeGreaterThan(0.007);
  expect(share((value) => value > max)).toBeLessThan(0.008);
  expect(share((value) => value >= max)).toBeGreaterThan(0.003);
}

describe.runIf(available)('the images of the demo of API v1', () => {
  const demos = new DemoServer(folder);
  let demo: DemoPage;
  beforeAll(async () => {
    await demos.start();
    demo = await demos.open();
  });
  afterAll(async () => {
    await demo.end();
    await demos.close();
  });

  async function load(path: string): Promise<V1OpenSuccess> {
    demos.chooses(path);
    return demo.loadFile();
  }

  it.each([
    ['of our own', kymographFile],
    ...(samplesRoot
      ? ([
          ['that was recorded', () => samplePath('tiff-olympus-kymograph/mapmanager+kymflow/Capillary1_0001.tif')],
        ] as const)
      : []),
  ] as const)('show 3,000 lines of a kymograph of 30,000 %s, with the first and the last', async (_, file) => {
    const { channels, source, calibration } = await load(file());
    const { width, height } = channels.calcium;
    expect(height).toBe(LINES);
    expect(await demo.image('Vessels').count()).toBe(0);
    const samples = await planeOf(demo.url, channels.calcium);
    const contrast = await demo.contrast('Calcium');
    expectPercentiles(samples, contrast);

    const pixels = await pixelsOf(demo.image('Calcium'));
    expect([pixels.width, pixels.height]).toEqual([SHOWN, width]);
    const positions = [
      0,
      1,
      2,
      1_499,
      1_500,
      2_998,
      2_999,
      ...Array.from({ length: 40 }, (_v, i) => (i * 757) % SHOWN),
    ];
    const grays = new Set<number>();
    for (const [i, x] of positions.entries()) {
      const pixel = [0, width - 1, (i * 5) % width][i % 3]!;
      const value = samples[lineAt(x, LINES) * width + pixel]!;
      // The first pixel of a line is at the bottom.
      const color = pixels.at(x, width - 1 - pixel);
      expect(color, `line ${lineAt(x, LINES)}, pixel ${pixel}`).toEqual(colorOf(value, contrast));
      grays.add(color[2]);
    }
    expect([lineAt(0, LINES), lineAt(2_999, LINES)]).toEqual([0, 29_999]);
    expect(grays.size).toBeGreaterThan(15);

    const figure = demo.page.locator('figure');
    expect(await figure.innerText()).toContain('3,000 of 30,000 lines shown');
    expect([calibration.msPerLine, calibration.umPerPixel]).toEqual([1.17, 0.284]);
    expect(await demo.page.getByLabel('ms/line').inputValue()).toBe('1.17');
    expect(await demo.axis('x')).toEqual(['0', '5', '10', '15', '20', '25', '30', '35']);
    expect(await demo.page.locator('.x-name, .y-name').allTextContents()).toEqual(['position (µm)', 'time (s)']);
    expect(await demo.page.locator('#size').textContent()).toBe(`35.1 s × ${Number((width * 0.284).toFixed(3))} µm`);
    expect(await demo.page.locator('#facts').innerText()).toMatch(/Lines\s+30,000/);
    expect(source.numChannels).toBe(1);
    expect(await demo.page.locator('#reference-text').textContent()).toBe('This file has no reference image.');
  });

  it('show both channels of a line scan, its reference images and its bent scan path', async () => {
    const { channels, reference } = await load(bentLineFile());
    for (const [name, channel] of [
      ['Calcium', 1],
      ['Vessels', 2],
    ] as const) {
      const served = await planeOf(demo.url, channel === 1 ? channels.calcium : channels.vessels!);
      const contrast = await demo.contrast(name);
      const pixels = await pixelsOf(demo.image(name));
      expect([pixels.width, pixels.height]).toEqual([10, 4]);
      for (let line = 0; line < 10; line++) {
        for (let pixel = 0; pixel < 4; pixel++) {
          const value = sample(1, channel, 1, line, pixel);
          expect(served[4 * line + pixel]).toBe(value);
          expect(pixels.at(line, 3 - pixel), `${name}: ${line}, ${pixel}`).toEqual(colorOf(value, contrast));
        }
      }
    }

    expect(reference?.channels).toHaveLength(2);
    expect(reference?.scanPath).toEqual({ x: [0, 1, 1, 2], y: [0, 0, 1, 1] });
    for (const channel of [0, 1]) {
      const name = `Reference channel ${channel}`;
      const contrast = await demo.contrast(name);
      const pixels = await pixelsOf(demo.image(name));
      // Enlarged 75 times, with the first row at the top.
      expect([pixels.width, pixels.height]).toEqual([600, 600]);
      const { value } = source(1, channel + 1);
      for (let row = 0; row < 8; row++) {
        for (let column = 0; column < 8; column++) {
          const color = pixels.at(75 * column + 37, 75 * row + 37);
          expect(color, `${name}: ${row}, ${column}`).toEqual(colorOf(value(row, column, 0), contrast));
        }
      }
      // Half of the line along the upper edge lies outside.
      for (const [x, y] of [
        [0.5, 0],
        [1, 0.5],
        [1.5, 1],
      ] as const)
        expect(pixels.at(Math.floor(75 * x), Math.floor(75 * y)), `${name}: ${x}, ${y}`).toEqual(PATH_COLOR);
      expect(boxOf(pixels, 75)).toEqual([0, 0, 2, 1]);
    }
  });

  it('show the line from its first to its last point in a file without a scan path', async () => {
    await demo.page.route('**/api/v1/pick-and-open', async (route) => {
      const response = await route.fetch();
      const answer = (await response.json()) as V1OpenSuccess;
      await route.fulfill({ response, json: { ...answer, reference: { ...answer.reference, scanPath: null } } });
    });
    const { reference } = await load(writeTemp(folder, 'line.oir', oirVector()));
    await demo.page.unrouteAll();
    expect(reference?.lineRoi).toEqual([0.5, 1, 3, 2.5]);
    const pixels = await pixelsOf(demo.image('Reference channel 1'));
    for (let i = 1; i < 10; i++) {
      const [x, y] = [150 * (0.5 + 0.25 * i), 150 * (1 + 0.15 * i)];
      expect(pixels.at(Math.floor(x), Math.floor(y)), `${x}, ${y}`).toEqual(PATH_COLOR);
    }
    expect(boxOf(pixels, 150)).toEqual([0.5, 1, 3, 2.5]);
    expect(await demo.page.locator('#reference-text').textContent()).toBe('4 rows of 4 pixels, with the scanned line');
  });

  it('show a reference image as high as its steps say', async () => {
    await demo.page.route('**/api/v1/pick-and-open', async (route) => {
      const response = await route.fetch();
      const answer = (await response.json()) as V1OpenSuccess;
      // Rows are twice as far apart as columns.
      for (const channel of answer.reference?.channels ?? []) Object.assign(channel, { dx: 0.5, dy: 0.25 });
      await route.fulfill({ response, json: answer });
    });
    await load(writeTemp(folder, 'line.oir', oirVector()));
    await demo.page.unrouteAll();
    const box = await demo.image('Reference channel 0').boundingBox();
    expect(box!.height / box!.width).toBeCloseTo(2, 1);
  });

  it('leave NaN transparent, and clip infinities', async () => {
    const values = Float32Array.of(Number.NaN, Number.POSITIVE_INFINITY, -1, 0, 0.5, 1);
    await load(writeTemp(folder, 'nan.tif', writeTiff({ pages: [{ width: 3, height: 2, samples: values }] })));
    const contrast = await demo.contrast('Calcium');
    expect(contrast).toEqual({ min: -1, max: 1 });
    const pixels = await pixelsOf(demo.image('Calcium'));
    expect(pixels.at(0, 2)).toEqual([0, 0, 0, 0]);
    expect(pixels.at(0, 1)).toEqual([190, 222, 255, 255]);
    expect(pixels.at(0, 0)).toEqual([0, 0, 0, 255]);
    for (const [pixel, value] of [0, 0.5, 1].entries()) {
      expect(pixels.at(1, 2 - pixel)).toEqual(colorOf(value, contrast));
    }
  });

  it.each([
    ['only NaN', [Number.NaN, Number.NaN], [0, 0, 0, 0]],
    ['one value', [7, 7], [0, 0, 0, 255]],
  ] as const)('are drawn when a plane has %s', async (name, values, color) => {
    const samples = Float32Array.of(...values);
    await load(writeTemp(folder, `${name}.tif`, writeTiff({ pages: [{ width: 2, height: 1, samples }] })));
    expect(await demo.status.textContent()).toBe(`Loaded ${name}.tif.`);
    expect((await pixelsOf(demo.image('Calcium'))).at(0, 0)).toEqual(color);
  });
});

/** Box around the pixels of the scan path, x0, y0, x1, y1 in pixels of the reference, to a tenth. */
function boxOf({ width, height, at }: Pixels, factor: number): number[] {
  const [xs, ys]: [number[], number[]] = [[], []];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (at(x, y).some((part, i) => part !== PATH_COLOR[i])) continue;
      xs.push(x);
      ys.push(y);
    }
  }
  const bounds = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
  return bounds.map((bound) => Math.round((10 * bound) / factor) / 10);
}
