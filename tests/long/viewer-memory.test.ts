/** What the page holds: the samples of what is shown, once, and nothing of what was closed. */
import type { CDPSession } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KEPT_MS } from '../../packages/viewer/src/image/textures.ts';
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

  const file = (planes: number) => {
    const frames = Array.from({ length: planes }, (_, n) => ({
      width: SIDE,
      height: SIDE,
      samples: Uint16Array.from({ length: SIDE * SIDE }, (_value, i) => (i * (n + 3)) % 4001),
    }));
    return writeTemp(folder, `${planes} frames.tif`, writeTiff({ pages: frames }));
  };

  // The neighbors of the shown plane are fetched ahead; three planes are below the budget of the page.
  it.each([1, 3])('is the planes of a file with %i, and reductions of one; of a closed tab nothing', async (planes) => {
    const viewer = await pages.open();
    const { page } = viewer;
    const session = await page.context().newCDPSession(page);
    const info = await viewer.openPath(file(planes));
    const dim = info.header.dims[1] as string;
    await steady(page);
    for (let index = 2; index <= planes; index++) {
      await page.locator(`.stack-bar input[name=${dim}]`).fill(String(index));
      await page.keyboard.press('Tab');
      await page.getByRole('tab', { selected: true, name: `${dim} ${index}` }).waitFor();
      await steady(page);
    }
    await page.waitForTimeout(KEPT_MS);
    expect(await held(session)).toBeGreaterThan(planes);
    // Reductions are 327,680 entries of 16 bytes, 0.63 of a plane, and the last pictures keep their cells. As float32, each
    // plane would be two.
    await expect.poll(() => held(session), { timeout: 5000 }).toBeLessThan(planes + 1.4);
    await page.keyboard.press('Alt+w');
    await page.waitForTimeout(KEPT_MS);
    await expect.poll(() => held(session), { timeout: 5000 }).toBeLessThan(0.4);
    await viewer.end();
  });
});
