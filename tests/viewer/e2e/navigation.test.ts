/** Tabs after a reload, Back and Forward, and two acquisitions beside each other, in the assembled page. */
import { rmSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chromiumPath } from '../../support/browser.js';
import { SAMPLE } from '../../support/cli.js';
import { tempFolder, writeTemp } from '../../support/temp.js';
import { steady } from '../../support/viewer-image.js';
import { type ViewerPage, ViewerPages } from '../../support/viewer-page.js';
import { omeXml } from '../../writers/ome.js';
import { writeTiff } from '../../writers/tiff.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: tabs, history and side-by-side files were not tested in a browser');

/** Several files are opened one after another. */
const PATIENT = { timeout: 20_000 };
const folder = tempFolder();
const small = (name: string) =>
  writeTemp(folder, name, writeTiff({ pages: [{ width: 2, height: 2, samples: Uint8Array.of(1, 2, 3, 4) }] }));

describe.runIf(available)('viewer: tabs and history', () => {
  const pages = new ViewerPages();
  let viewer: ViewerPage;
  beforeAll(() => pages.start());
  afterAll(() => pages.close());
  beforeEach(async () => {
    viewer = await pages.open();
    await viewer.page.locator('.app-sample').waitFor();
  });
  afterEach(() => viewer.end());

  const names = () => viewer.tabNames();
  const selected = () => viewer.shownTab();
  const pathInAddress = () => new URL(viewer.page.url()).searchParams.get('path');
  /** The address has its view, which is written some time after a change. */
  const written = () => viewer.page.waitForTimeout(600);

  it('brings all tabs back after a reload, in their order and each with its view', async () => {
    const { page } = viewer;
    for (const name of ['a.tif', 'b.tif']) await viewer.openPath(small(name));
    await viewer.openSample();
    await viewer.viewSwitch('Axes');
    await page.getByRole('tab', { name: 'b.tif' }).click();
    await written();
    const posts: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/open')) posts.push((request.postDataJSON() as { path: string }).path);
    });
    await page.reload();
    await expect.poll(names, PATIENT).toEqual(['a.tif', 'b.tif', 'vessel-kymograph.ome.tif']);
    expect(await selected()).toBe('b.tif');
    // The shown file comes first; the others are opened without their planes.
    expect(posts[0]).toMatch(/b\.tif$/);
    expect(posts).toHaveLength(3);
    const planes = viewer.requests.filter((url) => /\/channels\/\d+/.test(url)).length;
    await page.getByRole('tab', { name: 'vessel' }).click();
    await steady(page);
    expect(viewer.requests.filter((url) => /\/channels\/\d+/.test(url)).length).toBe(planes + 2);
    expect(await viewer.viewSwitch('Axes', 'read')).toBe(false);
    expect(await page.locator('.app-notice').count()).toBe(0);
  });

  it('names the tabs that could not be opened again', async () => {
    const { page } = viewer;
    const gone = small('gone.tif');
    for (const path of [gone, small('kept.tif')]) await viewer.openPath(path);
    await written();
    rmSync(gone);
    await page.reload();
    await page.getByRole('alert').getByText('Could not open again: gone.tif.').waitFor();
    expect(await names()).toEqual(['kept.tif']);
  });

  it('moves inside the page with Back and Forward, and not for a zoom', async () => {
    const { page } = viewer;
    await viewer.openPath(small('one.tif'));
    await viewer.openPath(small('two.tif'));
    const entries = () => page.evaluate(() => history.length);
    const before = await entries();
    await page.getByRole('application').first().focus();
    await page.keyboard.press('+');
    await written();
    expect(await entries()).toBe(before);
    await page.goBack();
    await expect.poll(selected, PATIENT).toBe('one.tif');
    expect(pathInAddress()).toMatch(/one\.tif$/);
    await page.goBack();
    // The start page, with the tabs still open.
    await page.getByRole('heading', { name: 'Open an acquisition' }).waitFor();
    expect(pathInAddress()).toBeNull();
    expect(await names()).toEqual(['one.tif', 'two.tif']);
    await page.goForward();
    await expect.poll(selected, PATIENT).toBe('one.tif');
    await page.goForward();
    await expect.poll(selected, PATIENT).toBe('two.tif');
    expect(await entries()).toBe(before);
    // A closed file is opened again by going back to it, in its own tab.
    await page.keyboard.press('Alt+1');
    await page.keyboard.press('Alt+w');
    expect(await names()).toEqual(['two.tif']);
    await page.reload();
    await expect.poll(names, PATIENT).toEqual(['two.tif']);
  });

  it('opens nothing of an earlier visit when a link leads to the page', async () => {
    const { page } = viewer;
    await viewer.openPath(small('mine.tif'));
    await written();
    await page.goto('about:blank');
    await page.goto(`${viewer.url}/demo/v2/?path=${encodeURIComponent(SAMPLE)}`);
    await page.getByRole('button', { name: 'Open this file' }).waitFor();
    expect(await page.getByRole('tab').count()).toBe(0);
    // Back to the entry of this page, which it may open.
    await page.goBack();
    await page.goBack();
    await expect.poll(names, PATIENT).toEqual(['mine.tif']);
  });
});

/** An image of `size` × `size` pixels; without a pixel size in µm it is not calibrated. */
function square(name: string, size: number, micrometers?: number): string {
  const pixel = { PhysicalSizeX: micrometers ?? 0, PhysicalSizeY: micrometers ?? 0 };
  const images = [
    { sizes: { X: size, Y: size }, type: 'uint8', ...(micrometers === undefined ? {} : { pixels: pixel }) },
  ];
  const bytes = new TextEncoder().encode(`${omeXml({ images })}\0`);
  const samples = Uint8Array.from({ length: size * size }, (_, i) => i % 251);
  return writeTemp(
    folder,
    name,
    writeTiff({ pages: [{ width: size, height: size, samples, tags: [{ code: 270, type: 2, bytes }] }] }),
  );
}

describe.runIf(available)('viewer: side by side', () => {
  const pages = new ViewerPages();
  let viewer: ViewerPage;
  beforeAll(() => pages.start());
  afterAll(() => pages.close());
  beforeEach(async () => {
    viewer = await pages.open();
    await viewer.page.locator('.app-sample').waitFor();
  });
  afterEach(() => viewer.end());

  const column = (name: string) => viewer.page.getByRole('region', { name, exact: true });
  const extent = (name: string) => column(name).locator('.image-extent').first().innerText();
  const button = (name: string) => viewer.page.getByRole('button', { name, exact: true });

  it('links zoom and cursor in µm where both files are calibrated', async () => {
    const { page } = viewer;
    await viewer.openPath(square('coarse.ome.tif', 64, 0.5));
    await page.keyboard.press('Alt+s');
    await page.getByText('Open a second acquisition').waitFor();
    await viewer.openPath(square('fine.ome.tif', 160, 0.25));
    await page.keyboard.press('Alt+s');
    await column('coarse.ome.tif').waitFor();
    expect(await page.getByRole('application').count()).toBe(2);
    // 32 µm and 40 µm: each shows all of itself.
    expect([await extent('coarse.ome.tif'), await extent('fine.ome.tif')]).toEqual([
      'x (µm) 0 to 32; y (µm) 0 to 32',
      'x (µm) 0 to 40; y (µm) 0 to 40',
    ]);
    await column('coarse.ome.tif').getByRole('application').focus();
    expect(await viewer.shownTab()).toBe('coarse.ome.tif');
    await page.keyboard.press('+');
    await page.keyboard.press('+');
    await expect.poll(() => extent('coarse.ome.tif'), PATIENT).toMatch(/^x \(µm\) 8\.8889 to 23\.1111; /);
    await expect.poll(() => extent('fine.ome.tif'), PATIENT).toMatch(/^x \(µm\) 8\.8889 to 23\.1111; /);
    // And the other way around, from the fine one.
    await column('fine.ome.tif').getByRole('application').focus();
    await page.keyboard.press('0');
    await expect.poll(() => extent('coarse.ome.tif'), PATIENT).toBe('x (µm) 0 to 32; y (µm) 0 to 32');
    // Sample 80 is at 20 µm there, which is sample 40 of the coarse image.
    await page.keyboard.press('Shift+ArrowRight');
    await column('coarse.ome.tif')
      .getByRole('application')
      .hover({ position: { x: 60, y: 60 } });
    await expect.poll(() => page.locator('.image-readout').innerText()).toMatch(/x \d+/);

    await page.keyboard.press('Alt+k');
    expect(await button('Link files').getAttribute('aria-pressed')).toBe('false');
    await column('fine.ome.tif').getByRole('application').focus();
    await page.keyboard.press('+');
    await expect.poll(() => extent('fine.ome.tif'), PATIENT).not.toContain('0 to 40');
    expect(await extent('coarse.ome.tif')).toBe('x (µm) 0 to 32; y (µm) 0 to 32');
    await page.keyboard.press('Alt+k');
  });

  it('links in samples where a file is not calibrated, stays after a reload, and ends with a tab', async () => {
    const { page } = viewer;
    await viewer.openPath(square('plain.ome.tif', 64));
    await viewer.openPath(square('sized.ome.tif', 128, 0.5));
    await button('Side by side').click();
    await column('sized.ome.tif').getByRole('application').focus();
    await page.keyboard.press('+');
    await page.keyboard.press('Home');
    for (let i = 0; i < 3; i++) await page.keyboard.press('+');
    // Samples 45.04 to 82.96 of 128, in µm; of the plain one only 64 are there.
    await expect.poll(() => extent('sized.ome.tif'), PATIENT).toMatch(/^x \(µm\) 22\.5185 to 41\.4815; /);
    await expect.poll(() => extent('plain.ome.tif'), PATIENT).toMatch(/^pixel 25\.\d+ to 63\.5; /);
    await page.waitForTimeout(600);
    await page.reload();
    await column('plain.ome.tif').getByRole('application').waitFor();
    await expect.poll(() => extent('sized.ome.tif'), PATIENT).toContain('22.5185 to 41.4815');
    expect(await button('Side by side').getAttribute('aria-pressed')).toBe('true');
    await page.keyboard.press('Alt+w');
    await expect.poll(() => page.getByRole('application').count(), PATIENT).toBe(1);
    expect(await page.getByRole('tab').count()).toBe(1);
  });
});
