/** What a file says of its planes one by one, in the page as it is shipped. */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openAcquisition } from '../../../packages/server/src/index.js';
import { encodeView } from '../../../packages/viewer/src/app/view-state.ts';
import type { Mark } from '../../../packages/viewer/src/model/document.ts';
import { complaints } from '../../support/axe.js';
import { chromiumPath } from '../../support/browser.js';
import { readNative, sceneOf } from '../../support/native.js';
import { tempFolder, writeTemp } from '../../support/temp.js';
import { countingPage } from '../../support/tiff-cases.js';
import { steady } from '../../support/viewer-image.js';
import { type ViewerPage, ViewerPages } from '../../support/viewer-page.js';
import { STACK, stackFile } from '../../support/viewer-stack.js';
import { writeTiff } from '../../writers/tiff.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: measured times were not tested in the viewer');

/** On a loaded machine. */
const SLOW = { timeout: 10_000 };

const folder = tempFolder();
const pages = new ViewerPages();

const REGION: Mark = { id: '1', kind: 'region', from: { row: 2, column: 20 }, to: { row: 5, column: 30 } };
const LINE: Mark = { id: '2', kind: 'line', from: { row: 2.5, column: 12.5 }, to: { row: 9.5, column: 12.5 } };

describe.runIf(available)('viewer: the planes of a stack', () => {
  let viewer: ViewerPage;
  beforeAll(() => pages.start());
  afterAll(() => pages.close());
  beforeEach(async () => {
    viewer = await pages.open();
    // There is nobody to answer the dialog of the system: the page falls back to a download.
    await viewer.page.addInitScript(() => Object.defineProperty(window, 'showSaveFilePicker', { value: undefined }));
  });
  afterEach(() => viewer.end());

  const openMarks = async (path: string, marks: readonly Mark[]) => {
    const { page, url } = viewer;
    const view = encodeView({ source: { views: {}, displays: {}, toggles: {}, marks } });
    await page.goto(`${url}/demo/v2/?path=${encodeURIComponent(path)}#view=${view}`);
    await page.getByRole('button', { name: 'Open this file' }).click();
    await page.getByRole('tab', { name: `${basename(path)} T 1 Z 1` }).waitFor();
    await steady(page);
  };
  /** The first column of a table that is saved, and the one after it. */
  const savedColumns = async (act: () => Promise<void>) => {
    const [file] = await Promise.all([viewer.page.waitForEvent('download'), act()]);
    const rows = (await readFile(await file.path(), 'utf8')).trim().split('\n');
    return [0, 1].map((column) => rows.map((row) => row.split(',')[column]));
  };

  it('have their measured times in the stack bar, traces, a kymograph, and files', async () => {
    const { page } = viewer;
    // Five fast frames, a pause of a minute, and a frame whose time is missing.
    const times = Array.from({ length: STACK.T }, (_, t) => (t === 8 ? Number.NaN : t < 5 ? t / 10 : 60 + t));
    const texts = times.map((time) => String(time).toLowerCase());
    await openMarks(stackFile(folder, { name: 'uneven.ome.tif', times }), [REGION, LINE]);
    const place = page.locator('.stack-place').first();
    for (let t = 0; t < 5; t++) await page.keyboard.press(']');
    await expect.poll(() => place.innerText(), SLOW).toBe('of 14 · 65.0 s');
    for (let t = 5; t < 8; t++) await page.keyboard.press(']');
    await expect.poll(() => place.innerText(), SLOW).toBe('of 14');
    await page.setViewportSize({ width: 1280, height: 800 });
    // A longer time does not run under the section beside it.
    const room = await place.evaluate((element) => {
      const text = element.lastElementChild!;
      text.textContent = 'of 1,300 · 364.00 s';
      const next = element.closest('.stack-row')!.nextElementSibling!;
      return next.getBoundingClientRect().left - text.getBoundingClientRect().right;
    });
    expect(room).toBeGreaterThan(0);
    await (await viewer.stackSetting('select[name=rate]')).selectOption('real');
    expect(await page.locator('.stack-panel').innerText()).toContain('Longer gaps are shortened to 2 s');

    await page.getByRole('button', { name: 'Trace' }).click();
    const strip = page.getByRole('region', { name: 'Traces of the regions' });
    await strip.getByText('Region 1 · Dye').waitFor();
    const save = strip.getByRole('button', { name: 'Save CSV' });
    expect((await savedColumns(() => save.click()))[1]).toEqual(['time (s)', ...texts]);

    await viewer.openKymograph();
    await page.getByRole('tab', { name: 'uneven.ome.tif, kymograph of Line 2', selected: true }).waitFor();
    await steady(page);
    await expect.poll(() => page.locator('.image-extent').first().innerText(), SLOW).toMatch(/^time \(s\) 0 to 74/);
    expect(await page.getByLabel('Warnings').innerText()).toContain('not evenly spaced');
    await page.getByRole('button', { name: 'Save…' }).click();
    await page.getByRole('tab', { name: 'Numbers' }).click();
    const [rows] = await savedColumns(() => page.locator('[data-job=csv]').click());
    expect(rows?.slice(1)).toEqual(texts);
    expect(await complaints(page)).toEqual([]);
  });

  it('are what the user says that they are, which a link keeps', async () => {
    const { page } = viewer;
    const path = writeTemp(
      folder,
      'pages.tif',
      writeTiff({ pages: Array.from({ length: 14 }, (_, i) => countingPage(i)) }),
    );
    await viewer.openPath(path);
    const size = () => page.locator('.app-facts tr', { hasText: 'Size' }).first().innerText();
    expect(await size()).toContain('Z 14');
    const dialog = page.getByRole('dialog');
    // Beside the warning, and for every stack under Details.
    await page.getByLabel('Warnings').getByRole('button', { name: 'Planes are…' }).click();
    await dialog.getByLabel('Planes are').selectOption('time points × channels');
    await dialog.getByLabel('Number of channels').fill('4');
    expect(await dialog.getByRole('status').innerText()).toBe('14 planes are not a multiple of 4.');
    await dialog.getByLabel('Number of channels').fill('2');
    expect(await dialog.getByRole('status').innerText()).toBe('7 time points × 2 channels');
    expect(await complaints(page)).toEqual([]);
    await page.keyboard.press('Enter');
    const isRestored = async () => {
      await expect.poll(size, SLOW).toMatch(/C 2 × T 7 ×/);
      await steady(page);
    };
    await isRestored();
    expect(await page.getByLabel('Warnings').count()).toBe(0);
    await page.locator('.app-detail-buttons').getByRole('button', { name: 'Calibrate…' }).click();
    await dialog.getByLabel('Time between frames (ms)').fill('500');
    await page.keyboard.press('Enter');
    const step = () => page.locator('.app-facts tr', { hasText: 'Step of T' }).first().innerText();
    await expect.poll(step, SLOW).toMatch(/0\.5 s\s+entered by hand/);
    await page.keyboard.press(']');
    await page.getByRole('tab', { name: 'pages.tif T 2' }).waitFor();
    await page.waitForTimeout(500);
    await page.reload();
    await isRestored();
    await page.getByRole('tab', { name: 'pages.tif T 2' }).waitFor();
    await page.getByRole('button', { name: 'Save…' }).click();
    await page.getByRole('tab', { name: 'Numbers' }).click();
    const job = page.locator('[data-job=imagej-stack]');
    expect(await job.innerText()).toBe('All channels, sections and time points for ImageJ (TIFF, 336 B)');
    const [file] = await Promise.all([page.waitForEvent('download'), job.click()]);
    await page.getByText('pages.tif.imagej.tif was saved.').waitFor();
    await page.keyboard.press('Escape');
    const saved = await openAcquisition(writeTemp(folder, 'saved.tif', await readFile(await file.path())));
    const { sizes, steps, channels } = sceneOf(saved, 0);
    expect([sizes.T, steps.T, channels.length]).toEqual([7, { step: 0.5, unit: 'seconds', origin: 'file' }, 2]);
    expect((await readNative(saved, 0, { channel: 1, t: 3 }))[0]).toBe(7 * 12);
    saved.close();
    // Closed, and opened from the list of recent files.
    await page.keyboard.press('Alt+W');
    await page.getByRole('tab', { name: 'pages.tif' }).waitFor({ state: 'detached' });
    await page.locator('.app-recent', { hasText: 'pages.tif' }).click();
    await isRestored();
    await expect.poll(step, SLOW).toMatch(/0\.5 s\s+entered by hand/);
    await page.locator('.app-detail-buttons').getByRole('button', { name: 'Planes are…' }).click();
    await dialog.getByRole('button', { name: 'Use the axes of the file' }).click();
    await expect.poll(size, SLOW).toContain('Z 14');
  });
});
