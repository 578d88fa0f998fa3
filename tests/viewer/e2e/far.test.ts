/** A scan that is larger than the page holds: an overview, then samples where they are looked at. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenResponse } from '../../../packages/client/src/contract/open.js';
import { chromiumPath } from '../../support/browser.js';
import { tempFolder, writeTemp } from '../../support/temp.js';
import { CardImage, displayOf, frames, steady } from '../../support/viewer-image.js';
import { type ViewerPage, ViewerPages } from '../../support/viewer-page.js';
import { writeTiff } from '../../writers/tiff.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: the viewer was not tested in a browser');

const [ROWS, COLUMNS] = [100_000, 32];
const BYTES = 2 * ROWS * COLUMNS;
const SPIKE = { row: 77_777, column: 5, value: 60_000 };
/** The machine may be busy. */
const WAIT = { timeout: 30_000 };
const folder = tempFolder();
const pages = new ViewerPages();

function scan(): Uint16Array {
  const samples = Uint16Array.from({ length: ROWS * COLUMNS }, (_, i) => 1000 + ((i * 7919) % 101));
  samples[SPIKE.row * COLUMNS + SPIKE.column] = SPIKE.value;
  return samples;
}

describe.runIf(available)('viewer: a scan that is larger than the page holds', () => {
  const samples = scan();
  let viewer: ViewerPage;
  let info: OpenResponse;
  let card: CardImage;
  /** Bytes of all answers about channels. */
  let moved = 0;
  let largest = 0;
  const asked: string[] = [];

  beforeAll(async () => {
    await pages.start();
    viewer = await pages.open();
    await viewer.page.addInitScript(() => {
      localStorage.setItem('acqstore.planeLimit', '0.25');
      Object.defineProperty(window, 'showSaveFilePicker', { value: undefined });
    });
    await viewer.page.reload();
    viewer.page.on('response', (response) => {
      if (!response.url().includes('/channels/')) return;
      asked.push(response.url().replace(/.*\/channels\//, ''));
      const bytes = Number(response.headers()['content-length'] ?? 0);
      moved += bytes;
      largest = Math.max(largest, bytes);
    });
    const file = writeTiff({ pages: [{ width: COLUMNS, height: ROWS, samples }] });
    info = await viewer.openPath(writeTemp(folder, 'far.tif', file));
    card = new CardImage(viewer.page, 'Source', '0', info.plane, { transposed: true, upward: true, square: false });
  });
  afterAll(async () => {
    await viewer?.end();
    await pages.close();
  });

  const note = () => viewer.page.getByText('Overview – zoom in for single samples');
  const spikeColor = () => card.color(SPIKE.row + 0.5, SPIKE.column + 0.5);

  it('shows its overview, with the spike of a single sample, and says so', async () => {
    await note().waitFor();
    await expect.poll(async () => (await displayOf(viewer.page, info.channels[0]!.name)).max, WAIT).toBe(1100);
    await steady(viewer.page);
    const max = viewer.page.getByLabel(`Maximum value of ${info.channels[0]!.name}`);
    await max.fill('60000');
    await max.press('Enter');
    await frames(viewer.page);
    // The spike is one of 48 lines in its pixel.
    const [bright, dark] = [await spikeColor(), await card.color(SPIKE.row + 900.5, SPIKE.column + 0.5)];
    expect(Math.max(...bright)).toBeGreaterThan(200);
    expect(Math.max(...dark)).toBeLessThan(50);
    expect(asked.filter((one) => one.includes('overview')).length).toBeGreaterThan(0);
    expect(moved).toBeLessThan(BYTES / 2);
  });

  it('has statistics of every sample, and the sample under the pointer', async () => {
    const facts = await viewer.page.locator('.contrast-facts').innerText();
    expect(facts.replaceAll(/\s+/g, ' ')).toContain('Min 1,000 Max 60,000 Mean 1,050 SD 44');
    const { x, y } = await card.point(500, 9.5);
    await viewer.page.mouse.move(x, y);
    await expect
      .poll(async () => {
        const text = (await viewer.page.locator('.app-status').innerText()).replaceAll(',', '');
        const [, row, column] = /(?:line|y) (\d+)\D+(\d+)/.exec(text) ?? [];
        return text.includes(` ${samples[Number(row) * COLUMNS + Number(column)]}`);
      }, WAIT)
      .toBe(true);
  });

  it('shows single samples after zooming in, and moves little for them', async () => {
    const { x, y } = await card.point(SPIKE.row, 16);
    await viewer.page.mouse.move(x, y);
    for (let i = 0; i < 60 && (await note().count()) > 0; i++) {
      await viewer.page.mouse.wheel(0, -240);
      await frames(viewer.page);
      await viewer.page.waitForTimeout(30);
    }
    expect(await note().count()).toBe(0);
    await steady(viewer.page);
    expect(asked.some((one) => /window\?rows=\d+:\d+.*type=native/.test(one))).toBe(true);
    expect(asked.some((one) => /window\?type=native/.test(one))).toBe(false);
    expect(largest).toBeLessThan(BYTES / 4);
    const { rows } = await card.seen();
    expect(rows[1] - rows[0]).toBeLessThan(ROWS / 20);
  });

  it('is saved with every sample, after the page has said how much that moves', async () => {
    await viewer.page.getByRole('button', { name: 'Save…' }).click();
    const dialog = viewer.page.getByRole('dialog', { name: 'Save and share' });
    await dialog.getByRole('tab', { name: 'Numbers' }).click();
    const download = viewer.page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'NumPy array, type of the file (.npy): transfers 6.4 MB' }).click();
    const bytes = await readFile(await (await download).path());
    expect(bytes.toString('latin1', 10, 80)).toContain("'descr': '<u2'");
    expect(bytes.subarray(bytes.length - BYTES).equals(Buffer.from(samples.buffer))).toBe(true);
    await dialog.getByText('This plane has 6.4 MB, too much for this page.').waitFor();
    expect(await dialog.getByRole('button', { name: /^TIFF/ }).count()).toBe(0);
    await dialog.getByRole('tab', { name: 'Image' }).click();
    await dialog.getByRole('button', { name: /^Image as shown/ }).waitFor();
    expect(await dialog.getByRole('button', { name: /^One pixel per sample/ }).count()).toBe(0);
    await dialog.getByRole('tab', { name: 'Numbers' }).click();
  });

  it('saves the part in view as every kind of file, from the samples of that part only', async () => {
    const dialog = viewer.page.getByRole('dialog', { name: 'Save and share' });
    await dialog.getByLabel('Part').selectOption({ label: 'Visible part' });
    const saved = async (name: RegExp) => {
      const download = viewer.page.waitForEvent('download');
      await dialog.getByRole('button', { name }).click();
      const file = await download;
      return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) };
    };
    const before = moved;
    const npy = await saved(/^NumPy array/);
    // `far.lines1000-1249.pixels6-20.npy`
    const [first = 0, last = 0, left = 0, right = 0] = (npy.name.match(/\d+(?=[-.])/g) ?? []).slice(-4).map(Number);
    expect(last).toBeGreaterThan(first);
    const rowOf = (row: number) => samples.subarray(row * COLUMNS + left, row * COLUMNS + right + 1);
    const part = Buffer.concat(
      Array.from({ length: last - first + 1 }, (_, i) => {
        const row = rowOf(first + i);
        return Buffer.from(row.buffer, row.byteOffset, row.byteLength);
      }),
    );
    expect(npy.bytes.toString('latin1', 10, 80)).toContain("'descr': '<u2'");
    expect(npy.bytes.subarray(npy.bytes.length - part.length).equals(part)).toBe(true);
    expect(moved - before).toBeLessThan(BYTES / 10);
    const tiff = await saved(/^TIFF/);
    expect(tiff.bytes.subarray(tiff.bytes.length - part.length).equals(part)).toBe(true);
    const csv = await saved(/^CSV/);
    expect(csv.bytes.toString().split('\n')[1]).toBe([first, ...rowOf(first)].join());
    await viewer.page.keyboard.press('Escape');
    expect(await viewer.page.getByLabel('Smoothing of the images').isDisabled()).toBe(true);
  });

  it('lets the planes of hidden tabs go, and gets them back when a tab is shown again', async () => {
    const hidden = await pages.open();
    await hidden.page.addInitScript(() => localStorage.setItem('acqstore.hiddenTabs', '0'));
    await hidden.page.reload();
    const paths = ['first', 'second'].map((name, i) => {
      const plane = Uint16Array.from({ length: 64 * 48 }, (_, k) => (k * 31 * (i + 1)) % 4093);
      return writeTemp(folder, `${name}.tif`, writeTiff({ pages: [{ width: 48, height: 64, samples: plane }] }));
    });
    await hidden.openPath(paths[0] as string);
    await steady(hidden.page);
    const picture = () =>
      hidden.page.locator('canvas.image-canvas').evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());
    const before = await picture();
    const planes = () => hidden.requests.filter((url) => /\/channels\/0\/(data|window)/.test(url)).length;
    await hidden.openPath(paths[1] as string);
    await steady(hidden.page);
    const loaded = planes();
    await hidden.page.getByRole('tab', { name: 'first.tif' }).click();
    await expect.poll(planes, WAIT).toBeGreaterThan(loaded);
    await steady(hidden.page);
    await expect.poll(picture, WAIT).toBe(before);
    await hidden.end();
  });
});
