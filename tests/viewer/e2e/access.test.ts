/** Everything without a mouse; and what axe-core says of real files, of what is measured, and of what is saved. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { OpenResponse } from '../../../packages/client/src/contract/open.js';
import { complaints } from '../../support/axe.js';
import { chromiumPath } from '../../support/browser.js';
import { SAMPLE } from '../../support/cli.js';
import { LONG } from '../../support/long.js';
import { tempFolder } from '../../support/temp.js';
import { CardImage, LYING, steady } from '../../support/viewer-image.js';
import { type ViewerPage, ViewerPages } from '../../support/viewer-page.js';
import { kymographs, multiChannels, withReferences } from './files.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: the viewer was not tested in a browser');

const folder = tempFolder();
const pages = new ViewerPages();
let viewer: ViewerPage;

const press = (key: string) => viewer.page.keyboard.press(key);
const last = (files: readonly (readonly [string, string])[]) => files.at(-1)?.[1] as string;

/** Role and name of what has the focus. */
const focused = () =>
  viewer.page.evaluate(() => {
    const element = document.activeElement;
    if (!element || element === document.body) return '';
    const name = element.getAttribute('aria-label') ?? (element as HTMLElement).innerText ?? '';
    return `${element.getAttribute('role') ?? element.tagName.toLowerCase()} ${name.trim()}`.slice(0, 80);
  });

/** Presses Tab until the focus is on what `wanted` matches. */
async function tabTo(wanted: RegExp, key = 'Tab'): Promise<void> {
  const seen: string[] = [];
  for (let i = 0; i < 120; i++) {
    const now = await focused();
    if (wanted.test(now)) return;
    seen.push(now);
    await press(key);
  }
  throw new Error(`no way by ${key} to ${wanted}: ${seen.join(' | ')}`);
}

describe.runIf(available)('viewer: without a mouse', () => {
  beforeAll(() => pages.start());
  afterAll(() => pages.close());
  afterEach(() => viewer.end());

  it('opens, zooms, reads out, sets the contrast, measures, saves and closes', async () => {
    viewer = await pages.open();
    const { page } = viewer;
    await page.addInitScript(() => Object.defineProperty(window, 'showSaveFilePicker', { value: undefined }));
    await page.reload();
    await page.locator('.app-sample').waitFor();

    await tabTo(/^input/);
    await page.keyboard.type(SAMPLE);
    const answer = page.waitForResponse((response) => response.url().endsWith('/api/v2/open'));
    await press('Enter');
    const info = (await (await answer).json()) as OpenResponse;
    await page.getByRole('tab', { selected: true }).waitFor();
    await steady(page);
    const card = new CardImage(page, 'Source', '0', info.plane, LYING);

    await tabTo(/^application Calcium/);
    const zoomed = await card.changes(() => press('+'));
    expect(zoomed.rows[1] - zoomed.rows[0]).toBeLessThan(4000 / 1.4);
    await press('Shift+ArrowRight');
    await press('Shift+ArrowRight');
    await expect.poll(() => page.locator('.image-readout').innerText()).toMatch(/line 2,001 · pixel 48/);
    await card.changes(() => press('z'));

    // A section is one stop, and the arrow down goes to its controls.
    await tabTo(/^summary Channels and contrast/);
    await press('ArrowDown');
    await tabTo(/^slider Minimum of Calcium/);
    const slider = page.getByRole('slider', { name: 'Minimum of Calcium', exact: true });
    const min = Number(await slider.getAttribute('aria-valuenow'));
    await press('ArrowRight');
    expect(Number(await slider.getAttribute('aria-valuenow'))).toBeGreaterThan(min);

    await tabTo(/^summary Measure/);
    await press('ArrowDown');
    await tabTo(/^button \+ Line/);
    await press('Enter');
    await page.getByText(/µm\/s/).first().waitFor();
    await tabTo(/^input to position/);
    await page.keyboard.type('20.5');
    await press('Enter');
    expect(await page.getByLabel('to position (µm)', { exact: true }).inputValue()).toBe('20.5');

    // The toolbar is one stop, and Save… its last button.
    await tabTo(/^button Zoom$/, 'Shift+Tab');
    await press('End');
    expect(await focused()).toBe('button Save…');
    await press('Enter');
    await page.getByRole('dialog', { name: 'Save and share' }).waitFor();
    await page.getByRole('tab', { name: 'Numbers' }).waitFor();
    await tabTo(/^tab Figure/);
    await press('ArrowRight');
    await press('ArrowRight');
    await tabTo(/^button NumPy/);
    const download = page.waitForEvent('download');
    await press('Enter');
    expect((await download).suggestedFilename()).toMatch(/\.npy$/);
    await press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    expect(await focused()).toBe('button Save…');

    await press('Alt+w');
    await page.getByRole('heading', { name: 'Open an acquisition' }).waitFor();
  });

  it('shows the focus everywhere and never traps it', async () => {
    viewer = await pages.open();
    const { page } = viewer;
    await viewer.openPath(last(withReferences(folder).slice(0, 1)));
    await steady(page);
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    const round: string[] = [];
    const unseen: string[] = [];
    for (let i = 0; i < 200; i++) {
      await press('Tab');
      const state = await page.evaluate(() => {
        const element = document.activeElement as HTMLElement;
        if (element === document.body) return null;
        const box = element.getBoundingClientRect();
        const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
        const ring = (outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0) || boxShadow !== 'none';
        const inside = box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth;
        return { seen: ring && inside && box.width > 0, html: element.outerHTML.slice(0, 120) };
      });
      if (state === null) break;
      if (!state.seen) unseen.push(state.html);
      round.push(state.html);
    }
    expect(unseen).toEqual([]);
    expect(round.length).toBeGreaterThan(5);
    expect(round.length).toBeLessThan(200);
  });

  it.runIf(LONG).each(['light', 'dark'] as const)(
    'has no problem that axe-core finds in %s colors',
    async (colorScheme) => {
      viewer = await pages.open('/', { colorScheme });
      const { page } = viewer;
      const found: Record<string, string[]> = {};
      const look = async (name: string) => {
        found[name] = await complaints(page);
      };
      const open = async (path: string) => {
        await viewer.openPath(path);
        await steady(page);
      };
      await open(last(kymographs(SAMPLE)));
      await page.getByRole('button', { name: '+ Region' }).click();
      await page.getByRole('button', { name: '+ Line' }).click();
      await page.getByRole('checkbox', { name: 'Clipping' }).check();
      await look('marks and profiles');
      await page.getByRole('button', { name: /^Save…/ }).click();
      await page.getByRole('dialog').waitFor();
      await look('save');
      await press('Escape');
      await open(last(multiChannels(folder)));
      await look('composite');
      await page.getByRole('button', { name: 'Channels', exact: true }).click();
      await look('several channels');
      await open(last(withReferences(folder)));
      await page.getByRole('region', { name: 'Reference image' }).getByRole('application').first().focus();
      await look('reference');
      await page.getByRole('button', { name: /^Save…/ }).click();
      await look('save a reference');
      await press('Escape');
      expect(Object.keys(found)).toHaveLength(6);
      for (const [name, list] of Object.entries(found)) expect(list, name).toEqual([]);
    },
  );

  it('shows pressed buttons and color tables in forced colors', async () => {
    viewer = await pages.open('/', { forcedColors: 'active', colorScheme: 'dark' });
    const { page } = viewer;
    await viewer.openSample();
    await steady(page);
    const ground = (name: RegExp) =>
      page.getByRole('button', { name }).evaluate((button) => getComputedStyle(button).backgroundColor);
    expect(await ground(/^Zoom$/)).not.toBe(await ground(/^Pan$/));
    const adjusted = await page
      .locator('.image-caption-colors')
      .first()
      .evaluate((strip) => getComputedStyle(strip).forcedColorAdjust);
    expect(adjusted).toBe('none');
  });
});
