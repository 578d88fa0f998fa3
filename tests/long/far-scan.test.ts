/** A scan of a million lines: what moves until it is on screen, and while it is looked at. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath } from '../support/browser.js';
import { tempFolder } from '../support/temp.js';
import { frames, steady } from '../support/viewer-image.js';
import { ViewerPages } from '../support/viewer-page.js';
import { writeTiff } from '../writers/tiff.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: the viewer was not tested in a browser');

const [ROWS, COLUMNS] = [1_000_000, 512];

describe.runIf(available)('viewer: a scan of a million lines', () => {
  const folder = tempFolder();
  const pages = new ViewerPages();
  beforeAll(async () => {
    const samples = new Uint16Array(ROWS * COLUMNS);
    for (let i = 0; i < samples.length; i++) samples[i] = 500 + ((i * 31) & 127);
    samples[654_321 * COLUMNS + 200] = 65_000;
    writeFileSync(join(folder, 'million.tif'), writeTiff({ pages: [{ width: COLUMNS, height: ROWS, samples }] }));
    await pages.start(['--memory-budget', '5GB']);
  }, 300_000);
  afterAll(() => pages.close());

  it('moves an overview and small parts, never the plane', { timeout: 300_000 }, async () => {
    const viewer = await pages.open();
    const { page } = viewer;
    let moved = 0;
    page.on('response', (response) => {
      if (response.url().includes('/channels/')) moved += Number(response.headers()['content-length'] ?? 0);
    });
    const open = async () => {
      const started = performance.now();
      await viewer.openPath(join(folder, 'million.tif'));
      return performance.now() - started;
    };
    const first = await open();
    const overview = moved;
    // Open to all, so that the second page finds a warm server.
    const other = await pages.open();
    const started = performance.now();
    await other.openPath(join(folder, 'million.tif'));
    const warm = performance.now() - started;
    console.info(`shown after ${first.toFixed(0)} ms, on a warm server after ${warm.toFixed(0)} ms; ${overview} bytes`);
    await other.end();
    expect(overview).toBeLessThan(30e6);
    await page.getByText('Overview – zoom in for single samples').waitFor();
    await steady(page);
    const box = (await page.locator('canvas.image-canvas').first().boundingBox())!;
    await page.mouse.move(box.x + box.width * 0.654_321, box.y + box.height / 2);
    for (let i = 0; i < 30; i++) {
      await page.mouse.wheel(0, -240);
      await frames(page);
    }
    await expect.poll(() => page.getByText('Overview – zoom in').count(), { timeout: 30_000 }).toBe(0);
    console.info(`${moved} bytes after zooming in to single samples`);
    expect(moved).toBeLessThan(250e6);
    await viewer.end();
  });
});
