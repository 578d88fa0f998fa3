/** The page on a phone: one bar, the picture, sliders, tools that a thumb hits, and the sidebar as a sheet. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { complaints } from '../../support/axe.js';
import { chromiumPath } from '../../support/browser.js';
import { SAMPLE } from '../../support/cli.js';
import { tempFolder } from '../../support/temp.js';
import { steady } from '../../support/viewer-image.js';
import { type ViewerPage, ViewerPages } from '../../support/viewer-page.js';
import { multiChannels } from './files.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: the viewer on a phone was not tested');

const folder = tempFolder();
const SIZE = { width: 390, height: 844 };
/** What a finger hits, CSS pixels. */
const TARGET = 44;
const SHEETS = ['Channels', 'Measure', 'File'] as const;

describe.runIf(available)('viewer: on a phone', () => {
  const pages = new ViewerPages();
  let viewer: ViewerPage;
  let page: Page;
  beforeAll(async () => {
    await pages.start();
    viewer = await pages.open('/', { viewport: SIZE, hasTouch: true, isMobile: true });
    page = viewer.page;
    await viewer.openPath(SAMPLE);
    await viewer.openPath(multiChannels(folder)[0]![1]);
    await steady(page);
  });
  afterAll(async () => {
    await viewer.end();
    await pages.close();
  });

  const boxOf = async (selector: string) => (await page.locator(selector).first().boundingBox())!;
  const sheetButton = (name: string) => page.locator('.app-sheet-bar').getByRole('button', { name, exact: true });
  const sheet = () => page.locator('[data-part=sheet]');

  /** Visible controls below a selector that a finger would miss: a checkbox is hit by its label. */
  const small = (selector: string) =>
    page.locator(selector).evaluateAll(
      (roots, target) =>
        roots.flatMap((root) =>
          [...root.querySelectorAll<HTMLElement>('button, input, select, summary')]
            .filter((one) => one.checkVisibility() && one.closest('[hidden]') === null)
            .flatMap((one) => {
              const hit =
                one instanceof HTMLInputElement && one.type === 'checkbox' ? (one.closest('label') ?? one) : one;
              const { width, height } = hit.getBoundingClientRect();
              return width >= target && height >= target ? [] : [`${hit.outerHTML.slice(0, 90)} ${width} × ${height}`];
            }),
        ),
      TARGET,
    );

  it('gives the picture the height, and what is touched 44 pixels', async () => {
    expect(
      await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight]),
    ).toEqual([390, 844]);
    expect((await boxOf('.app-top')).height).toBeLessThanOrEqual(46);
    const [stage, slider, sheets, tools, status] = [
      await boxOf('[data-part=stage]'),
      await boxOf('.stack-bar'),
      await boxOf('.app-sheet-bar'),
      await boxOf('[data-part=toolbar]'),
      await boxOf('.app-status'),
    ];
    // From top to bottom, with the tools where the thumb is.
    expect(stage.height).toBeGreaterThanOrEqual(560);
    expect(stage.y + stage.height).toBeLessThanOrEqual(slider.y + 1);
    expect(slider.height).toBeLessThanOrEqual(2 * 45 + 2);
    expect(slider.y + slider.height).toBeLessThanOrEqual(sheets.y + 1);
    expect(sheets.y + sheets.height).toBeLessThanOrEqual(tools.y + 1);
    expect(tools.height).toBeLessThanOrEqual(50);
    expect(Math.abs(status.y + status.height - SIZE.height)).toBeLessThanOrEqual(1);
    const inView = await page
      .locator('.image-tool')
      .evaluateAll((all) => all.filter((one) => one.getBoundingClientRect().right <= innerWidth).length);
    expect(inView).toBeGreaterThanOrEqual(6);
    expect((await boxOf('.stack-track')).width).toBeGreaterThanOrEqual(270);
    for (const part of ['.app-top', '[data-part=toolbar]', '.stack-bar', '.app-sheet-bar'])
      expect(await small(part), part).toEqual([]);
    expect(await complaints(page)).toEqual([]);
  });

  it('opens each part of the sidebar as a sheet, up to 60 % high, and closes it', async () => {
    const before = await boxOf('.image-canvas');
    for (const name of SHEETS) {
      await sheetButton(name).tap();
      await expect.poll(() => sheetButton(name).getAttribute('aria-expanded')).toBe('true');
      expect(await sheet().count()).toBe(1);
      // Not while it slides in.
      await expect
        .poll(async () => Math.round((await boxOf('[data-part=sheet]')).y + (await boxOf('[data-part=sheet]')).height))
        .toBe(Math.round((await boxOf('.app-sheet-bar')).y));
      expect((await boxOf('[data-part=sheet]')).height).toBeLessThanOrEqual(0.6 * SIZE.height + 1);
      expect(await small('[data-part=sheet]'), name).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
      expect(await complaints(page)).toEqual([]);
      // The picture stays where it is.
      expect(await boxOf('.image-canvas')).toEqual(before);
    }
    await sheetButton('File').tap();
    await expect.poll(() => sheet().count()).toBe(0);
    await page.keyboard.press('Alt+b');
    await sheet().getByLabel('Log counts').focus();
    await page.keyboard.press('Escape');
    await expect.poll(() => sheet().count()).toBe(0);
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Channels');
  });

  it('reaches every tool by scrolling the row, and shows menus whole', async () => {
    for (const name of ['View', 'Trace']) {
      const button = page.getByRole('button', { name, exact: true });
      await button.tap();
      const box = (await button.boundingBox())!;
      expect(box.x).toBeGreaterThanOrEqual(0);
      expect(box.x + box.width).toBeLessThanOrEqual(SIZE.width);
      if (name === 'Trace') continue;
      const item = page.getByRole('menuitemcheckbox', { name: 'Scale bar' });
      const before = await item.getAttribute('aria-checked');
      await item.tap();
      await page.keyboard.press('Escape');
      await button.tap();
      expect(await item.getAttribute('aria-checked')).not.toBe(before);
      await page.keyboard.press('Escape');
    }
    const strip = page.getByRole('region', { name: 'Traces of the regions' });
    await strip.waitFor();
    expect((await boxOf('.image-canvas')).height).toBeGreaterThan(100);
    await page.getByRole('button', { name: 'Trace', exact: true }).tap();
    await page.getByRole('button', { name: 'Speed, loop and projection' }).tap();
    const panel = (await page.locator('.stack-panel').boundingBox())!;
    expect(panel.x).toBeGreaterThanOrEqual(0);
    expect(panel.x + panel.width).toBeLessThanOrEqual(SIZE.width);
    expect(await small('.stack-bar')).toEqual([]);
    await page.keyboard.press('Escape');
  });

  it('has every control of a large window', async () => {
    const names = async () =>
      new Set(
        await page
          .locator('button, input, select, summary, [role=slider]')
          .evaluateAll((all) =>
            all
              .filter((one) => one.checkVisibility() && one.closest('[aria-hidden="true"]') === null)
              .map((one) =>
                (
                  one.getAttribute('aria-label') ??
                  (one as HTMLInputElement).labels?.[0]?.textContent ??
                  one.textContent ??
                  ''
                ).trim(),
              ),
          ),
      );
    const phone = await names();
    for (const name of SHEETS) {
      await sheetButton(name).tap();
      await expect.poll(() => sheetButton(name).getAttribute('aria-expanded')).toBe('true');
      for (const one of await names()) phone.add(one);
    }
    await sheetButton('File').tap();
    await page.getByRole('button', { name: 'More', exact: true }).tap();
    expect(await small('.app-top')).toEqual([]);
    expect(await complaints(page)).toEqual([]);
    for (const one of await names()) phone.add(one);
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.locator('[data-part=panel]').waitFor();
    const large = await names();
    const missing = [...large].filter((one) => !phone.has(one));
    // The sheet has buttons of its own.
    expect(missing).toEqual(['Sidebar']);
    expect(large.size).toBeGreaterThan(40);
    await page.setViewportSize({ width: 320, height: 640 });
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await complaints(page)).toEqual([]);
  });
});
