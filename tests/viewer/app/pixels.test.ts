import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chromiumPath } from '../../support/browser.js';
import { samplesRoot } from '../../support/samples.js';
import { tempFolder, writeTemp } from '../../support/temp.js';
import { steady } from '../../support/viewer-image.js';
import { type ViewerPage, ViewerPages } from '../../support/viewer-page.js';
import { oirVector } from '../../writers/oir-vector.js';
import { writeTiff } from '../../writers/tiff.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: the pixels of the viewer were not tested');

const folder = tempFolder();
type Color = readonly [red: number, green: number, blue: number];

/** Red, green and blue at fractions of the width and height of a canvas. */
async function pixel(page: Page, canvas: string, x: number, y: number): Promise<Color> {
  return page
    .locator(canvas)
    .first()
    .evaluate(
      (element, [fx, fy]) => {
        const { width, height } = element as HTMLCanvasElement;
        const context = (element as HTMLCanvasElement).getContext('2d');
        const [red = 0, green = 0, blue = 0] =
          context?.getImageData(Math.floor(fx * width), Math.floor(fy * height), 1, 1).data ?? [];
        return [red, green, blue] as const;
      },
      [x, y] as const,
    );
}

/** Of the pixels of a color: width over height of the box around them; null when there are none. */
async function extentOf(page: Page, canvas: string, color: Color): Promise<{ ratio: number } | null> {
  return page
    .locator(canvas)
    .first()
    .evaluate((element, wanted) => {
      const { width, height } = element as HTMLCanvasElement;
      const { data } = (element as HTMLCanvasElement).getContext('2d')?.getImageData(0, 0, width, height) ?? {
        data: [],
      };
      const [xs, ys]: [number[], number[]] = [[], []];
      for (let i = 0; i < width * height; i++) {
        if (!wanted.every((one, k) => Math.abs((data[4 * i + k] ?? 0) - one) < 8)) continue;
        xs.push(i % width);
        ys.push(Math.floor(i / width));
      }
      const span = (all: number[]) => Math.max(...all) - Math.min(...all) + 1;
      return xs.length === 0 ? null : { ratio: span(xs) / span(ys) };
    }, color);
}

function gray([red, green, blue]: Color): number {
  expect([green, blue]).toEqual([red, red]);
  return red;
}

describe.runIf(available)('viewer: pixels', () => {
  const pages = new ViewerPages();
  let viewer: ViewerPage;
  beforeAll(() => pages.start());
  afterAll(() => pages.close());
  beforeEach(async () => {
    viewer = await pages.open();
    await viewer.page.locator('.app-sample').waitFor();
  });
  afterEach(() => viewer.end());

  const IMAGE = '[role=application] canvas';
  const seen = async (x: number, y: number) => gray(await pixel(viewer.page, IMAGE, x, y));

  /** From the least to the greatest sample. */
  async function showAll(): Promise<void> {
    await steady(viewer.page);
    await viewer.page.getByRole('button', { name: 'Full' }).first().click();
  }

  it('draws each sample at its position with the gray of its value', async () => {
    // 24 lines of 4 pixels with the values 0 … 95, shown from 0 to 95: value v has the gray 255 · v / 95.
    const samples = Uint16Array.from({ length: 96 }, (_, i) => i);
    await viewer.openPath(writeTemp(folder, 'ramp.tif', writeTiff({ pages: [{ width: 4, height: 24, samples }] })));
    await showAll();
    // A tall plane lies, with its first pixel at the bottom; that is undone.
    expect(await viewer.viewSwitch('Flip', 'read')).toBe(true);
    await viewer.viewSwitch('Flip');
    for (const transposed of [true, false]) {
      if (!transposed) await viewer.viewSwitch('Transpose');
      expect(await viewer.viewSwitch('Transpose', 'read')).toBe(transposed);
      for (const [line, column] of [
        [0, 0],
        [2, 3],
        [15, 1],
        [23, 3],
      ] as const) {
        const [along, across] = [(line + 0.5) / 24, (column + 0.5) / 4];
        const at = () => (transposed ? seen(along, across) : seen(across, along));
        const expected = (255 * (4 * line + column)) / 95;
        await expect
          .poll(async () => Math.abs((await at()) - expected), { message: `${line}, ${column}` })
          .toBeLessThan(1.01);
      }
    }
  });

  it('shows one bright line among 30,000', async () => {
    const samples = new Uint16Array(30_000 * 8).fill(10);
    samples[12_345 * 8 + 3] = 900;
    await viewer.openPath(
      writeTemp(folder, 'spike.tif', writeTiff({ pages: [{ width: 8, height: 30_000, samples }] })),
    );
    await showAll();
    // Lines run to the right, the first pixel is at the bottom.
    const row = 1 - (3 + 0.5) / 8;
    await expect.poll(() => seen(12_345.5 / 30_000, row)).toBe(255);
    expect(await seen(12_000 / 30_000, row)).toBe(0);
    expect(await seen(12_345.5 / 30_000, 1 - (2 + 0.5) / 8)).toBe(0);
  });

  it('reads out the sample under the pointer', async () => {
    const { page } = viewer;
    const samples = Uint16Array.from({ length: 96 }, (_, i) => 100 + i);
    await viewer.openPath(writeTemp(folder, 'readout.tif', writeTiff({ pages: [{ width: 4, height: 24, samples }] })));
    // Line 5 from the left, pixel 1 from the bottom.
    const point = async () => {
      const box = (await page.locator(IMAGE).first().boundingBox())!;
      await page.mouse.move(box.x + (5.5 / 24) * box.width, box.y + (1 - 1.5 / 4) * box.height);
      return page.locator('footer').innerText();
    };
    await expect.poll(point).toMatch(/\b5\D+1\b[\s\S]*\b121\b/);
  });

  it('keeps contrast and view when another frame is chosen', async () => {
    const { page } = viewer;
    const frames = [1, 2, 3].map((n) => ({ width: 2, height: 2, samples: Uint16Array.of(20 * n, 40 * n, 0, 60) }));
    const info = await viewer.openPath(writeTemp(folder, 'frames.tif', writeTiff({ pages: frames })));
    const dim = info.header.dims[1] as string;
    await showAll();
    // The section in the middle comes first, with 0 to 80: 40 is a half of it.
    await expect.poll(() => seen(0.25, 0.25)).toBe(128);
    await page.locator(`.stack-bar input[name=${dim}]`).fill('1');
    await page.keyboard.press('Tab');
    await expect.poll(() => seen(0.25, 0.25)).toBe(64);
    await page.locator(`.stack-bar input[name=${dim}]`).fill('3');
    await page.keyboard.press('Tab');
    await expect.poll(() => seen(0.25, 0.25)).toBe(191);
  });

  it('draws the scanned line over the reference image, until it is hidden', async () => {
    const { page } = viewer;
    const info = await viewer.openPath(writeTemp(folder, 'line.oir', oirVector()));
    expect(info.reference?.lineRoi).toEqual([0.5, 1, 3, 2.5]);
    expect(info.reference?.plane.shape).toEqual([4, 4]);
    // From (0.5, 1) to (3, 2.5): five wide and three high.
    const shape = () => extentOf(page, '[aria-label$="reference image"] canvas:nth-of-type(2)', [0xfb, 0x71, 0x85]);
    await expect.poll(async () => ((await shape())?.ratio ?? 0) > 1.3).toBe(true);
    expect((await shape())?.ratio).toBeLessThan(1.8);
    await page.getByRole('checkbox', { name: /scan path/i }).uncheck();
    await expect.poll(shape).toBeNull();
  });

  it('names its axes in physical units', async () => {
    await viewer.openSample();
    // 4000 lines of 1.17 ms, 96 pixels of 0.284 µm.
    const text = await viewer.page.locator('.image-extent').first().textContent();
    expect(text).toBe('time (s) 0 to 4.68; position (µm) 0 to 27.264');
  });

  it.runIf(samplesRoot)('shows 30,000 lines of a real kymograph at their positions', async () => {
    const { page, url } = viewer;
    const info = await viewer.openPath(`${samplesRoot}/tiff-olympus-kymograph/mapmanager+kymflow/Capillary1_0001.tif`);
    expect(info.plane.shape).toEqual([30_000, 38]);
    expect(await page.locator('.image-extent').first().textContent()).toMatch(/^time \(s\) 0 to 35.1; position/);
    // Its samples, 105 to 400, would be nearly black in the range of its file.
    const max = page.getByLabel(`Maximum value of ${info.channels[0]?.name}`, { exact: true });
    await expect.poll(async () => Number(await max.inputValue())).toBeLessThan(400);
    await page.getByRole('button', { name: 'Range of the file' }).click();
    await expect.poll(() => max.inputValue()).toBe('1046');
    // It starts in the green of its file.
    await page.getByLabel(`Colors of ${info.channels[0]?.name}`, { exact: true }).selectOption('grey');
    await showAll();
    const data = new Float32Array(await (await fetch(url + info.channels[0]?.dataUrl)).arrayBuffer());
    const [black, white] = [data.reduce((a, b) => Math.min(a, b)), data.reduce((a, b) => Math.max(a, b))];
    const width = await page
      .locator(IMAGE)
      .first()
      .evaluate((canvas) => (canvas as HTMLCanvasElement).width);
    let distinct = 0;
    for (let k = 0; k < 20; k++) {
      const [x, column] = [Math.floor(((k + 0.5) * width) / 20), (k * 7) % 38];
      // Lines that touch this column of pixels.
      const from = Math.floor((x * 30_000) / width);
      const to = Math.ceil(((x + 1) * 30_000) / width);
      const values = Array.from({ length: to - from }, (_, i) => data[(from + i) * 38 + column] as number);
      const grays = [Math.min(...values), Math.max(...values)].map(
        (value) => (255 * (value - black)) / (white - black),
      );
      const [low = 0, high = 0] = grays;
      await expect.poll(() => seen((x + 0.5) / width, 1 - (column + 0.5) / 38)).toBeGreaterThanOrEqual(low - 1);
      expect(await seen((x + 0.5) / width, 1 - (column + 0.5) / 38)).toBeLessThanOrEqual(high + 1);
      if (high - low < 128) distinct++;
    }
    expect(distinct).toBeGreaterThan(10);
  });
});
