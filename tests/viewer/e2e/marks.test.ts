/** Marks in the page: drawn, listed, taken away; and what is measured with them. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenResponse } from '../../../src/contract/open.js';
import { chromiumPath } from '../../support/browser.js';
import { SAMPLE } from '../../support/cli.js';
import { CardImage, LYING, steady } from '../../support/viewer-image.js';
import { type ViewerPage, ViewerPages } from '../../support/viewer-page.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: the viewer was not tested in a browser');

const pages = new ViewerPages();
let viewer: ViewerPage;

async function open(path: string): Promise<OpenResponse> {
  viewer = await pages.open();
  await viewer.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  // There is nobody to answer the dialog of the system: the page falls back to a download.
  await viewer.page.addInitScript(() => Object.defineProperty(window, 'showSaveFilePicker', { value: undefined }));
  await viewer.page.reload();
  const info = await viewer.openPath(path);
  await steady(viewer.page);
  return info;
}

const press = (key: string) => viewer.page.keyboard.press(key);

async function drag(from: { x: number; y: number }, to: { x: number; y: number }): Promise<void> {
  const { mouse } = viewer.page;
  await mouse.move(from.x, from.y);
  await mouse.down();
  await mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2);
  await mouse.move(to.x, to.y);
  await mouse.up();
}

async function setEnd(label: string, value: number): Promise<void> {
  const field = viewer.page.getByLabel(label, { exact: true });
  await field.fill(String(value));
  await field.press('Enter');
}

/** A measurement of the selected mark. */
async function fact(name: string): Promise<string> {
  return viewer.page
    .locator('.measure-details tr', { has: viewer.page.getByRole('rowheader', { name, exact: true }) })
    .locator('td')
    .first()
    .innerText();
}

describe.runIf(available)('viewer: marks on the sample', () => {
  let info: OpenResponse;
  let card: CardImage;

  beforeAll(async () => {
    await pages.start();
    info = await open(SAMPLE);
    card = new CardImage(viewer.page, 'Source', String(info.channels[0]?.index), info.plane, LYING);
  });
  afterAll(async () => {
    await viewer?.end();
    await pages.close();
  });

  it('folds the profile until the pointer is over the image, and zooms the image to a stretch dragged in it', async () => {
    const { page } = viewer;
    const strip = page.getByRole('region', { name: 'Profile along the image' });
    await strip.getByText('Point at the image or draw a region to see a profile').waitFor();
    expect(await strip.locator('.u-over').count()).toBe(0);
    const spot = await card.point(2000.5, 12.5);
    await page.mouse.move(spot.x, spot.y);
    await strip.getByRole('img', { name: 'Profile over time at pixel 12 (3.550 µm)' }).waitFor();
    await page.getByRole('img', { name: /^Profile along the line at line (1,99\d|2,0\d\d) / }).waitFor();
    const plot = await strip.locator('.u-over').boundingBox();
    if (plot === null) throw new Error('no plot');
    const middle = plot.y + plot.height / 2;
    const zoomed = await card.changes(() =>
      drag({ x: plot.x + plot.width / 4, y: middle }, { x: plot.x + plot.width / 2, y: middle }),
    );
    // Within two pixels of the screen.
    for (const [i, share] of [0.25, 0.5].entries()) {
      expect(Math.abs(zoomed.rows[i]! - share * 4000)).toBeLessThan((2 * 4000) / plot.width);
    }
    await page.mouse.move(plot.x + plot.width / 2, middle);
    // The cursor of the image follows the pointer over the plot.
    await expect.poll(() => page.locator('.image-readout-place').innerText()).toMatch(/^line 1,(49|50)\d/);
    await card.changes(() => page.mouse.dblclick(plot.x + 9, middle));
    expect((await card.seen()).rows.map(Math.round)).toEqual([0, 4000]);
  });

  it('draws marks in figures, with the number of a mark apart from its velocity', async () => {
    const { page } = viewer;
    await card.stage.focus();
    await press('l');
    await drag(await card.point(900, 3), await card.point(1500, 30));
    await setEnd('from line', 1000);
    await setEnd('from pixel', 5);
    await setEnd('to line', 1100);
    await setEnd('to pixel', 1);
    await page.getByRole('button', { name: 'Save…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Save and share' });
    const figure = async () => {
      const download = page.waitForEvent('download');
      await dialog.getByRole('button', { name: 'Figure with axes (SVG)' }).click();
      return readFile(await (await download).path(), 'utf8');
    };
    const marked = await figure();
    // A bright disc with the number, then the velocity on the dark pill behind it.
    expect(marked).toMatch(/fill="#ffffff"\/><text [^>]*fill="#101214">1<\/text><text [^>]*>−9.709 µm\/s<\/text>/);
    expect(marked.match(/<polyline /g)).toHaveLength(2 * info.channels.length);
    await dialog.getByRole('checkbox', { name: 'With marks' }).uncheck();
    expect(await figure()).not.toContain('<polyline');
    await page.keyboard.press('Escape');
  });

  it('removes the selected mark with Delete, and undoes changes of marks and of the view in their order', async () => {
    const { page } = viewer;
    const marks = page.getByRole('region', { name: 'Regions and lines' }).getByRole('listitem');
    const extent = card.figure.locator('.image-extent');
    const home = await extent.textContent();
    await card.stage.focus();
    await press('Delete');
    await expect.poll(() => marks.count()).toBe(0);
    await press('+');
    await expect.poll(() => extent.textContent()).not.toBe(home);
    await press('Control+z');
    await expect.poll(() => extent.textContent()).toBe(home);
    expect(await marks.count()).toBe(0);
    await press('Control+z');
    await expect.poll(() => marks.count()).toBe(1);
    await press('Control+y');
    await expect.poll(() => marks.count()).toBe(0);
  });

  it('draws a polyline and a point with clicks, and a line with the keyboard', async () => {
    const { page } = viewer;
    const marks = page.getByRole('region', { name: 'Regions and lines' }).getByRole('listitem');
    await press('y');
    for (const [row, column] of [
      [500, 5.5],
      [900, 20.5],
      [1500, 30.5],
      [1500, 30.5],
    ] as const) {
      const { x, y } = await card.point(row, column);
      await page.mouse.click(x, y);
    }
    await expect.poll(() => marks.first().innerText()).toMatch(/^Polyline 1/);
    // From end to end: 25 pixels in 1000 lines, within the width of a pixel of the screen.
    expect(Number.parseFloat((await fact('Velocity')).replace('−', '-'))).toBeCloseTo((25 * 0.284) / 1.17, 0);
    await press('x');
    const spot = await card.point(2000, 10.5);
    await page.mouse.click(spot.x, spot.y);
    await expect.poll(() => marks.count()).toBe(2);
    await press('l');
    await press('Enter');
    await press('Control+Shift+ArrowRight');
    await press('Enter');
    await expect.poll(() => marks.last().innerText()).toMatch(/^Line 3/);
    expect(await fact('Pixels')).toBe('0');
    for (let i = 0; i < 6; i++) await press('Control+z');
    await expect.poll(() => marks.count()).toBe(0);
    await press('b');
  });

  it('reads the middle of the sample where the cross stands, in view also on a narrow page', async () => {
    const { page } = viewer;
    await page.setViewportSize({ width: 640, height: 720 });
    await card.stage.scrollIntoViewIfNeeded();
    await card.stage.focus();
    await press('Escape');
    await press('Shift+ArrowRight');
    const readout = page.locator('.image-readout-calibrated');
    const [rows = 0, columns = 0] = info.plane.shape;
    const middle = ((columns / 2 + 0.5) * 0.284).toFixed(3);
    await expect.poll(() => readout.innerText()).toMatch(new RegExp(` · ${middle} µm$`));
    expect(rows).toBeGreaterThan(0);
    const box = await readout.boundingBox();
    expect((box?.y ?? 9999) + (box?.height ?? 0)).toBeLessThanOrEqual(720);
    expect(await card.figure.locator('.image-extent').textContent()).toBe(
      'time (s) 0 to 4.68; position (µm) 0 to 27.264',
    );
    await page.setViewportSize({ width: 1280, height: 720 });
  });
});
