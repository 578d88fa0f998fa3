/** Traces of regions in lanes: one scale, in the page and in a figure, against the samples; and what a reload keeps. */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseXml, type XmlElement } from '../../../packages/readers/src/io/xml.js';
import { encodeView } from '../../../packages/viewer/src/app/view-state.ts';
import { markPlotColor } from '../../../packages/viewer/src/measure/mark-colors.ts';
import type { Mark } from '../../../packages/viewer/src/model/document.ts';
import { complaints } from '../../support/axe.js';
import { chromiumPath } from '../../support/browser.js';
import { tempFolder } from '../../support/temp.js';
import { steady } from '../../support/viewer-image.js';
import { type ViewerPage, ViewerPages } from '../../support/viewer-page.js';
import { STACK, stackFile, stackValue } from '../../support/viewer-stack.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: lanes of traces were not tested');

const folder = tempFolder();
/** Ten regions, each of 2 rows and 3 columns. */
const regions = Array.from({ length: 10 }, (_, i): Mark => {
  const [row, column] = [2 * i + 2, 2 * i + 4];
  return { id: String(i + 1), kind: 'region', from: { row, column }, to: { row: row + 2, column: column + 3 } };
});

/** Mean of a region of the first channel. */
function mean(region: Mark, t: number, z: number): number {
  let sum = 0;
  for (let y = region.from.row; y < region.to.row; y++)
    for (let x = region.from.column; x < region.to.column; x++) sum += stackValue(t, z, 0, y, x);
  return sum / 6;
}

describe.runIf(available)('viewer: lanes of traces', () => {
  const pages = new ViewerPages();
  let viewer: ViewerPage;
  beforeAll(async () => {
    await pages.start();
    viewer = await pages.open('/', { viewport: { width: 1280, height: 800 } });
    // There is nobody to answer the dialog of the system: the page falls back to a download.
    await viewer.page.addInitScript(() => Object.defineProperty(window, 'showSaveFilePicker', { value: undefined }));
  });
  afterAll(async () => {
    await viewer.end();
    await pages.close();
  });

  async function open(marks: readonly Mark[]): Promise<void> {
    const { page, url } = viewer;
    const path = stackFile(folder);
    const view = encodeView({ source: { views: {}, displays: {}, toggles: {}, marks } });
    await page.goto('about:blank');
    await page.goto(`${url}/demo/v2/?path=${encodeURIComponent(path)}#view=${view}`);
    await page.getByRole('button', { name: 'Open this file' }).click();
    await page.getByRole('tab', { name: basename(path) }).waitFor();
    await steady(page);
  }

  const strip = () => viewer.page.getByRole('region', { name: 'Traces of the regions' });
  const lanes = () => strip().locator('.stack-lane');
  const laneOf = (name: string) => lanes().filter({ has: viewer.page.getByRole('button', { name, exact: true }) });
  const overlay = () => strip().getByRole('button', { name: 'Overlay' });
  const saved = async (button: Locator) => {
    const download = viewer.page.waitForEvent('download');
    await button.click();
    return readFile(await (await download).path(), 'utf8');
  };

  /** Middle of a curve at each time point, in device pixels from the top; only solid lines of this color are found. */
  const curve = (lane: Locator, [r, g, b]: readonly number[]) =>
    lane.locator('.u-over').evaluate(
      (over, { color, count }) => {
        const canvas = over.parentElement!.querySelector('canvas')!;
        const scale = canvas.width / canvas.clientWidth;
        const { data, width } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
        // Without the labels below.
        const height = Math.floor(((over as HTMLElement).offsetTop + (over as HTMLElement).offsetHeight) * scale);
        const left = (over as HTMLElement).offsetLeft * scale;
        return Array.from({ length: count }, (_, i) => {
          const x = Math.round(left + ((i + 0.5) / count) * (over as HTMLElement).offsetWidth * scale);
          const found: number[] = [];
          for (let y = 0; y < height; y++) {
            const at = 4 * (y * width + x);
            if (color.every((value, k) => Math.abs(data[at + k]! - value!) < 60)) found.push(y);
          }
          return found.length > 0 ? (found[0]! + found.at(-1)!) / 2 : null;
        });
      },
      { color: [r, g, b], count: STACK.T },
    );

  it('has a lane for each region, all with the scale of the values', async () => {
    const { page } = viewer;
    await open(regions.slice(0, 3));
    await page.getByRole('button', { name: 'Trace' }).click();
    await expect.poll(() => lanes().count()).toBe(3);
    // The second channel is dashed and half as bright.
    await page.getByRole('complementary').getByLabel('Show Dye', { exact: true }).uncheck({ force: true });
    await expect.poll(() => strip().locator('.stack-trace-state').innerText()).toBe('');
    await expect.poll(() => lanes().first().locator('.plot-name').count()).toBe(1);
    const z = Number(/Z (\d+)/.exec((await page.getByRole('tab').first().textContent()) ?? '')?.[1]) - 1;
    const heights = await lanes()
      .locator('.u-over')
      .evaluateAll((all) => all.map((one) => one.clientHeight));
    expect(Math.max(...heights) - Math.min(...heights)).toBeLessThanOrEqual(1);
    expect(heights[0]).toBeGreaterThan(90);
    const points: { y: number; value: number }[] = [];
    for (const [i, region] of regions.slice(0, 3).entries()) {
      const color = markPlotColor(region, [255, 255, 255])
        .match(/[\da-f]{2}/gi)!
        .map((hex) => Number.parseInt(hex, 16));
      const ys = await curve(lanes().nth(i), color);
      ys.forEach((y, t) => {
        // Where a curve jumps, the middle of its line says nothing.
        const near = [t - 1, t, t + 1].filter((n) => n >= 0 && n < STACK.T).map((n) => mean(region, n, z));
        if (y !== null && Math.max(...near) - Math.min(...near) < 50) points.push({ y, value: mean(region, t, z) });
      });
    }
    expect(points.length).toBeGreaterThan(20);
    // One line through all points of all lanes.
    const low = points.reduce((a, b) => (b.value < a.value ? b : a));
    const high = points.reduce((a, b) => (b.value > a.value ? b : a));
    expect(high.value - low.value).toBeGreaterThan(100);
    const perValue = (high.y - low.y) / (high.value - low.value);
    for (const { y, value } of points) expect(Math.abs(low.y + (value - low.value) * perValue - y)).toBeLessThan(2.5);
    // The time point is at one place in all of them.
    const cursors = await lanes()
      .locator('.plot-cursor')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().x));
    expect(new Set(cursors).size).toBe(1);
    expect(cursors).toHaveLength(3);
    expect(await complaints(page)).toEqual([]);
  });

  it('hides curves, keeps their lanes, and shows the selected region', async () => {
    const { page } = viewer;
    const name = laneOf('Region 2').locator('.plot-name');
    await name.click();
    expect(await name.getAttribute('aria-pressed')).toBe('false');
    const color = markPlotColor(regions[1]!, [255, 255, 255])
      .match(/[\da-f]{2}/gi)!
      .map((hex) => Number.parseInt(hex, 16));
    await expect.poll(async () => (await curve(lanes().nth(1), color)).every((y) => y === null)).toBe(true);
    expect(await lanes().count()).toBe(3);
    await name.click();
    await expect.poll(async () => (await curve(lanes().nth(1), color)).some((y) => y !== null)).toBe(true);
    await page
      .getByRole('region', { name: 'Regions and lines' })
      .getByRole('button', { name: /^Region 3/ })
      .click();
    await expect.poll(() => laneOf('Region 3').getAttribute('data-chosen')).toBe('true');
    await laneOf('Region 1').getByRole('button', { name: 'Region 1' }).click();
    await expect
      .poll(() => lanes().evaluateAll((all) => all.map((one) => one.getAttribute('data-chosen'))))
      .toEqual(['true', 'false', 'false']);
  });

  it('draws lanes in a figure, and one chart when that is shown; the table stays the same', async () => {
    const { page } = viewer;
    const table = await saved(strip().getByRole('button', { name: 'Save CSV' }));
    const figure = async () => {
      await page.getByRole('button', { name: 'Save…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Save and share' });
      await dialog.getByRole('combobox', { name: 'Traces', exact: true }).selectOption('Below');
      const { root } = parseXml(await saved(dialog.getByRole('button', { name: 'Save SVG' })));
      await page.keyboard.press('Escape');
      const elements = (one: XmlElement): XmlElement[] => [one, ...one.children.flatMap(elements)];
      const all = elements(root as XmlElement);
      return regions.slice(0, 3).map((region) => {
        const color = markPlotColor(region, [255, 255, 255]);
        const ys = all
          .filter(({ name, attributes }) => name === 'polyline' && attributes['stroke'] === color)
          .flatMap(({ attributes }) =>
            (attributes['points'] ?? '').split(' ').map((point) => Number(point.split(',')[1])),
          );
        const named = all.filter(
          ({ name, text, attributes }) =>
            name === 'text' && text === `Region ${region.id}` && attributes['fill'] === color,
        );
        return { top: Math.min(...ys), bottom: Math.max(...ys), named: named.length };
      });
    };
    const apart = await figure();
    expect(apart.map(({ named }) => named)).toEqual([1, 1, 1]);
    expect(apart[0]!.bottom).toBeLessThan(apart[1]!.top);
    expect(apart[1]!.bottom).toBeLessThan(apart[2]!.top);
    await overlay().click();
    await expect.poll(() => strip().locator('.u-over').count()).toBe(1);
    const together = await figure();
    expect(together.map(({ named }) => named)).toEqual([0, 0, 0]);
    expect(together[0]!.bottom).toBeGreaterThan(together[1]!.top);
    expect(await saved(strip().getByRole('button', { name: 'Save CSV' }))).toBe(table);
  });

  it('keeps traces and their arrangement after a reload, and scrolls more than eight lanes', async () => {
    const { page } = viewer;
    await page.reload();
    await strip().locator('.u-over').waitFor();
    expect(await overlay().getAttribute('aria-pressed')).toBe('true');
    await overlay().click();
    await strip().getByRole('checkbox', { name: 'ΔF/F₀' }).check();
    await page.reload();
    await expect.poll(() => lanes().count()).toBe(3);
    expect(await strip().getByRole('checkbox', { name: 'ΔF/F₀' }).isChecked()).toBe(true);
    await open(regions);
    await expect.poll(() => lanes().count()).toBe(10);
    const sizes = await strip()
      .locator('.stack-lanes')
      .evaluate((list) => [list.scrollHeight, list.clientHeight] as const);
    expect(sizes[0]).toBeGreaterThan(sizes[1]);
    const least = await lanes().evaluateAll((all) => Math.min(...all.map((one) => one.clientHeight)));
    expect(least).toBeGreaterThanOrEqual(64);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await complaints(page)).toEqual([]);
    // Off is kept, too.
    await page.getByRole('button', { name: 'Trace' }).click();
    await strip().waitFor({ state: 'hidden' });
    await page.reload();
    await steady(page);
    expect(await page.getByRole('button', { name: 'Trace' }).getAttribute('aria-pressed')).toBe('false');
  });
});
