/** What the page keeps from one acquisition to the next. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath } from '../../support/browser.js';
import { tempFolder } from '../../support/temp.js';
import { ViewerPages } from '../../support/viewer-page.js';
import { multiChannels, withReferences } from './files.js';

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
    const pressed = async (...names: RegExp[]) => {
      const buttons = names.map((name) => page.getByRole('button', { name }).getAttribute('aria-pressed'));
      return (await Promise.all(buttons)).join(' ');
    };
    const [axes, bar, composite] = [/^Axes/, /^Scale bar/, /^Composite/];
    await viewer.openPath(image);
    expect(await pressed(axes, bar, composite)).toBe('true true false');
    for (const name of [axes, composite]) await page.getByRole('button', { name }).click();
    expect(await pressed(axes, bar, composite)).toBe('false true true');
    await viewer.openPath(scan);
    expect(await pressed(axes, bar, composite)).toBe('true false false');
    await page.goto(`${viewer.url}/demo/v2/`);
    await viewer.openPath(image);
    expect(await pressed(axes, bar, composite)).toBe('false true true');
    await viewer.end();
  });
});
