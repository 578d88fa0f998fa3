/** A plane that comes over a link that stops in the middle of it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath } from '../../support/browser.js';
import { SlowLink } from '../../support/slow-link.js';
import { tempFolder, writeTemp } from '../../support/temp.js';
import { CardImage, STORED } from '../../support/viewer-image.js';
import { ViewerPages } from '../../support/viewer-page.js';
import { writeTiff } from '../../writers/tiff.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: the viewer was not tested in a browser');

const SIDE = 600;
/** The machine may be busy. */
const WAIT = { timeout: 30_000 };
const folder = tempFolder();
const pages = new ViewerPages();

describe.runIf(available)('viewer: a plane that comes slowly', () => {
  let link: SlowLink;
  beforeAll(async () => {
    await pages.start();
    link = await SlowLink.to(pages.url, 0.5);
  });
  afterAll(async () => {
    await pages.close();
    await link?.close();
  });

  it('shows the rows that have come, says nothing of the others, and is complete in the end', async () => {
    // The left half is dark and the right one bright.
    const samples = Uint16Array.from({ length: SIDE * SIDE }, (_, i) => (i % SIDE < SIDE / 2 ? 100 : 4000));
    const path = writeTemp(folder, 'slow.tif', writeTiff({ pages: [{ width: SIDE, height: SIDE, samples }] }));
    const viewer = await pages.open('/', {}, link.url);
    const { page } = viewer;
    const opened = page.waitForResponse((response) => response.url().endsWith('/api/v2/open'));
    await page.getByLabel('Path of a file or folder').fill(path);
    await page.keyboard.press('Enter');
    const card = new CardImage(page, 'Source', '0', (await (await opened).json()).plane, STORED);
    /** Red of the dark and of the bright half in a row. */
    const halves = async (row: number) => [
      (await card.color(row, 0.25 * SIDE))[0],
      (await card.color(row, 0.75 * SIDE))[0],
    ];
    const [above, below] = [0.25 * SIDE, 0.75 * SIDE];

    await expect.poll(() => halves(above), WAIT).toEqual([0, 255]);
    // The background.
    const [left, right] = await halves(below);
    expect(left).toBe(right);
    expect(left).not.toBe(0);
    await page.locator('.image-loading-low progress').waitFor();
    await card.stage.hover({ position: { x: 300, y: 400 } });
    await expect.poll(() => page.locator('.image-readout-value b').textContent(), WAIT).toBe('–');

    link.goOn();
    await expect.poll(() => halves(below), WAIT).toEqual([0, 255]);
    await expect.poll(() => page.locator('.image-readout-value b').textContent(), WAIT).toMatch(/^(100|4[,\s]?000)$/);
    await viewer.end();
  });
});
