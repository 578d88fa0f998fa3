/** What the page keeps from one acquisition to the next. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath } from '../../support/browser.js';
import { tempFolder } from '../../support/temp.js';
import { steady } from '../../support/viewer-image.js';
import { ViewerPages } from '../../support/viewer-page.js';
import { multiChannels, transmittedFile, withReferences } from './files.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: the viewer was not tested in a browser');

describe.runIf(available)('viewer: remembering', () => {
  const folder = tempFolder();
  const pages = new ViewerPages();
  beforeAll(() => pages.start());
  afterAll(() => pages.close());

  it('keeps the switches of line scans and of images separately', async () => {
    const viewer = await pages.open();
    const { page } = viewer;
    const [image, scan] = [multiChannels(folder)[0]?.[1] as string, withReferences(folder)[0]?.[1] as string];
    const open = async (path: string) => {
      await viewer.openPath(path);
      await steady(page);
    };
    const composite = page.getByRole('button', { name: 'Composite', exact: true });
    /** Axes, scale bar, composite. */
    const switches = async () => [
      await viewer.viewSwitch('Axes', 'read'),
      await viewer.viewSwitch('Scale bar', 'read'),
      (await composite.getAttribute('aria-pressed')) === 'true',
    ];
    await open(image);
    // Fluorescence begins as a composite.
    expect(await switches()).toEqual([true, true, true]);
    await viewer.viewSwitch('Axes');
    await page.getByRole('button', { name: 'Channels', exact: true }).click();
    expect(await switches()).toEqual([false, true, false]);
    await open(scan);
    expect(await switches()).toEqual([true, false, false]);
    await page.goto(`${viewer.url}/demo/v2/`);
    await open(image);
    expect(await switches()).toEqual([false, true, false]);
    // What begins as a composite sets no habit for what does not: transmitted light would hide the fluorescence.
    await open(transmittedFile(folder));
    expect((await switches())[2]).toBe(false);
    await page.getByRole('button', { name: 'Composite', exact: true }).click();
    await page.goto(`${viewer.url}/demo/v2/`);
    await open(image);
    expect(await switches()).toEqual([false, true, false]);
    await viewer.end();
  });
});
