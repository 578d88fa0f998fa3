/** What the page holds: the samples of what is shown, once, and nothing of what was closed. */
import type { CDPSession } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KEPT_MS } from '../../viewer/src/image/textures.ts';
import { chromiumPath } from '../support/browser.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { steady } from '../support/viewer-image.js';
import { ViewerPages } from '../support/viewer-page.js';
import { writeTiff } from '../writers/tiff.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: the viewer was not tested in a browser');

const SIDE = 2048;
/** Bytes of a plane in the type of the file; as float32 it would be two. */
const PLANE = SIDE * SIDE * 2;

describe.runIf(available)('viewer: memory', () => {
  const folder = tempFolder();
  const pages = new ViewerPages();
  beforeAll(() => pages.start());
  afterAll(() => pages.close());

  /** Planes' worth of arrays that the page can still reach. */
  async function held(session: CDPSession): Promise<number> {
    await session.send('HeapProfiler.collectGarbage');
    const usage = (await session.send('Runtime.getHeapUsage')) as { backingStorageSize?: number };
    return (usage.backingStorageSize ?? 0) / PLANE;
  }

  it('is one plane and its reductions; with other time points those that were shown; of a closed tab none', async () => {
    const frames = [0, 1, 2].map((n) => ({
      width: SIDE,
      height: SIDE,
      samples: Uint16Array.from({ length: SIDE * SIDE }, (_, i) => (i * (n + 3)) % 4001),
    }));
    const path = writeTemp(folder, 'frames.tif', writeTiff({ pages: frames }));
    const viewer = await pages.open();
    const { page } = viewer;
    const session = await page.context().newCDPSession(page);
    const info = await viewer.openPath(path);
    const dim = info.header.dims[1] as string;
    await steady(page);
    const one = await held(session);
    expect(one).toBeGreaterThan(1);
    // Its reductions are 327,680 entries of 16 bytes: 0.63 of a plane.
    expect(one).toBeLessThan(1.9);
    for (const index of ['1', '2']) {
      await page.locator(`.stack-bar input[name=${dim}]`).fill(String(Number(index) + 1));
      await page.keyboard.press('Tab');
      await page.getByRole('tab', { selected: true, name: `${dim} ${Number(index) + 1}` }).waitFor();
      await steady(page);
    }
    await page.waitForTimeout(KEPT_MS);
    // Three planes are below the budget of the page, and only one of them has reductions.
    await expect.poll(() => held(session), { timeout: 5000 }).toBeLessThan(3.9);
    await page.keyboard.press('Alt+w');
    await page.waitForTimeout(KEPT_MS);
    await expect.poll(() => held(session), { timeout: 5000 }).toBeLessThan(0.4);
    await viewer.end();
  });
});
