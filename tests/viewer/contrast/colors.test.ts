/** Colors of the assembled page: color images, tables from files and in links. */
import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { smoothNow } from '../../../packages/viewer/src/analysis/smooth.ts';
import { chromiumPath } from '../../support/browser.js';
import { tempFolder, writeTemp } from '../../support/temp.js';
import { openContrast, steady } from '../../support/viewer-image.js';
import { type ViewerPage, ViewerPages } from '../../support/viewer-page.js';
import { writeTiff } from '../../writers/tiff.js';

if (!chromiumPath()) console.warn('NO CHROMIUM: the colors of the viewer were not tested in a browser');

const SIDE = 16;
/** 0, 1, 2 … 255. */
const RAMP = Uint16Array.from({ length: SIDE * SIDE }, (_, at) => at);

describe.runIf(chromiumPath())('viewer: colors', () => {
  const pages = new ViewerPages();
  const folder = tempFolder();
  const ramp = writeTemp(folder, 'ramp.tif', writeTiff({ pages: [{ width: SIDE, height: SIDE, samples: RAMP }] }));
  let viewer: ViewerPage;
  beforeAll(() => pages.start());
  afterAll(() => pages.close());
  beforeEach(async () => {
    viewer = await pages.open();
  });
  afterEach(() => viewer.end());

  const rangeOf = async (channel: string) => {
    const end = (name: string) => viewer.page.getByRole('slider', { name: `${name} of ${channel}`, exact: true });
    return [
      Number(await end('Minimum').getAttribute('aria-valuenow')),
      Number(await end('Maximum').getAttribute('aria-valuenow')),
    ];
  };

  /** Colors of a square image with `side` samples on each side, of each card. */
  const shown = (side: number, { page } = viewer) =>
    page.locator('.image-canvas').evaluateAll(
      (all, count) =>
        all.map((element) => {
          const canvas = element as HTMLCanvasElement;
          const context = canvas.getContext('2d') as CanvasRenderingContext2D;
          const size = Math.min(canvas.width, canvas.height);
          return Array.from({ length: count * count }, (_, at) => {
            const x = (canvas.width - size) / 2 + (((at % count) + 0.5) / count) * size;
            const y = (canvas.height - size) / 2 + ((Math.floor(at / count) + 0.5) / count) * size;
            return [...context.getImageData(Math.floor(x), Math.floor(y), 1, 1).data.slice(0, 3)];
          });
        }),
      side,
    );

  it('shows a color image in its own colors, as one composite with one range', async () => {
    const colors = [
      [200, 30, 10],
      [20, 180, 90],
      [5, 60, 250],
      [90, 90, 90],
    ];
    const samples = [0, 1, 2].map((sample) => Uint8Array.from(colors, (color) => color[sample] as number));
    const file = writeTemp(tempFolder(), 'photo.tif', writeTiff({ pages: [{ width: 2, height: 2, samples }] }));
    await viewer.openPath(file);
    const { page } = viewer;
    await expect.poll(() => shown(2)).toEqual([colors]);
    for (const name of ['R', 'G', 'B']) await expect.poll(() => rangeOf(name)).toEqual([0, 255]);
    await openContrast(page, 'G');
    await page.getByLabel('Maximum value of G').fill('100');
    await page.getByLabel('Maximum value of G').press('Enter');
    expect(await rangeOf('R')).toEqual([0, 100]);
    await openContrast(page, 'B');
    await page.getByRole('button', { name: 'Reset contrast: B' }).click();
    expect(await rangeOf('R')).toEqual([0, 255]);
    // The composite is a property of the image, not a habit.
    await viewer.openPath(ramp);
    await viewer.openSample();
    await expect.poll(() => page.locator('.image-canvas').count()).toBe(2);
  });

  it('reads a color table from a file, keeps it, and carries it in a link', async () => {
    const { page } = viewer;
    await viewer.openPath(ramp);
    await openContrast(page, 'CH1');
    const file = page.getByLabel('Color table file for CH1');
    await file.setInputFiles({ name: 'broken.lut', mimeType: '', buffer: Buffer.alloc(700) });
    await expect
      .poll(() => page.locator('.contrast-problem').innerText())
      .toMatch(/^broken\.lut: not a color table \(700 bytes\)/);
    // Red i, green 255 − i, blue always 7.
    const table = Buffer.from([
      ...Array.from({ length: 256 }, (_, i) => i),
      ...Array.from({ length: 256 }, (_, i) => 255 - i),
      ...Array<number>(256).fill(7),
    ]);
    await file.setInputFiles({ name: 'Our colors.lut', mimeType: '', buffer: table });
    await expect.poll(() => page.locator('.contrast-problem').count()).toBe(0);
    const choice = page.getByLabel('Colors of CH1');
    const chosen = (select = choice) =>
      select.evaluate((element: HTMLSelectElement) => element.selectedOptions[0]?.text);
    expect(await chosen()).toBe('Our colors');
    await page.getByRole('button', { name: 'Full range: CH1' }).click();
    const expected = [[...RAMP].map((value) => [value, 255 - value, 7])];
    await expect.poll(() => shown(SIDE)).toEqual(expected);

    const address = () => page.evaluate(() => location.pathname + location.search + location.hash);
    await expect.poll(async () => (await address()).length).toBeGreaterThan(1400);
    const link = await address();
    await page.reload();
    await page.locator('.image-canvas').waitFor();
    await steady(page);
    await expect.poll(() => chosen()).toBe('Our colors');
    await expect.poll(() => shown(SIDE)).toEqual(expected);

    // Another browser does not have the table.
    const other = await pages.open(link);
    await other.page.getByRole('button', { name: 'Open this file' }).click();
    await other.page.locator('.image-canvas').waitFor();
    await steady(other.page);
    await expect.poll(() => chosen(other.page.getByLabel('Colors of CH1'))).toBe('Table of the link');
    await expect.poll(() => shown(SIDE, other)).toEqual(expected);
    await other.end();

    await page.getByRole('button', { name: 'Remove table: CH1' }).click();
    expect(await chosen()).toBe('Gray');
  });

  it('smooths the display only, and says so on the picture and in files', async () => {
    const { page } = viewer;
    await page.addInitScript(() => Object.defineProperty(window, 'showSaveFilePicker', { value: undefined }));
    await page.reload();
    const noise = Uint16Array.from(RAMP, (value) => (value * 77) % 256);
    const path = writeTemp(folder, 'noise.tif', writeTiff({ pages: [{ width: SIDE, height: SIDE, samples: noise }] }));
    await viewer.openPath(path);
    await steady(page);
    await page.getByRole('button', { name: 'Full range: CH1' }).click();
    const grays = (values: ArrayLike<number>) => [Array.from(values, (value) => Array(3).fill(Math.round(value)))];
    /** Opacity of the overlay where a note is. */
    const noted = () =>
      page.locator('.image-overlay').evaluate((element: HTMLCanvasElement) => {
        const image = element.parentElement?.querySelector('.image-canvas') as HTMLElement;
        const size = Math.min(image.clientWidth, image.clientHeight);
        const left = image.offsetLeft - element.offsetLeft + (image.clientWidth - size) / 2 + 14;
        const top = image.offsetTop - element.offsetTop + (image.clientHeight + size) / 2 - 10;
        return element.getContext('2d')?.getImageData(Math.round(left), Math.round(top), 1, 1).data[3];
      });
    await expect.poll(() => shown(SIDE)).toEqual(grays(noise));
    expect(await noted()).toBe(0);
    const choice = page.getByLabel('Smoothing of the images');
    await choice.selectOption('median');
    const shape = [SIDE, SIDE] as const;
    await expect.poll(() => shown(SIDE)).toEqual(grays(smoothNow(noise, shape, { kind: 'median', sigma: 1 })));
    await choice.selectOption('gaussian');
    const sigma = page.getByLabel('Standard deviation of the Gaussian in samples');
    await sigma.fill('0.8');
    await sigma.press('Enter');
    const smoothed = smoothNow(noise, shape, { kind: 'gaussian', sigma: 0.8 });
    await expect.poll(() => shown(SIDE)).toEqual(grays(smoothed));
    expect(await noted()).toBe(255);
    // The value under the pointer is that of the file.
    const box = await page.locator('.image-canvas').boundingBox();
    await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) / 2 + 1, (box?.y ?? 0) + (box?.height ?? 0) / 2 + 1);
    const sample = noise[(SIDE / 2) * SIDE + SIDE / 2] as number;
    await expect.poll(() => page.locator('.image-readout').innerText()).toMatch(new RegExp(`CH1\\s+${sample}$`));

    await page.getByRole('button', { name: 'Save…' }).click();
    await page.getByRole('tab', { name: 'Image' }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: /^One pixel per sample/ }).click();
    const bytes = await readFile(await (await download).path());
    expect(bytes.toString()).toContain('Gaussian σ 0.8 – display only');
    await page.keyboard.press('Escape');

    await expect.poll(() => page.evaluate(() => atob(location.hash.slice(6)))).toContain('"sigma":0.8');
    await page.reload();
    await page.locator('.image-canvas').waitFor();
    await steady(page);
    await expect.poll(() => shown(SIDE)).toEqual(grays(smoothed));
    await choice.selectOption('none');
    await expect.poll(() => shown(SIDE)).toEqual(grays(noise));
  });

  it('says that it replaces a table that it does not have', async () => {
    const display = { lut: 'parula', invert: false, min: 0, max: 255, gamma: 1, visible: true, opacity: 1 };
    const view = { source: { views: {}, displays: { 0: display }, toggles: {}, marks: [] } };
    const encoded = Buffer.from(JSON.stringify(view)).toString('base64url');
    const { page } = viewer;
    await page.goto(`${viewer.url}/demo/v2/?path=${encodeURIComponent(ramp)}#view=${encoded}`);
    await page.getByRole('button', { name: 'Open this file' }).click();
    await page.getByText('does not have: parula').waitFor();
    await page.locator('.image-canvas').waitFor();
    await steady(page);
    expect(await shown(SIDE)).toEqual([[...RAMP].map((value) => [value, value, value])]);
  });
});
