/** Marks in the page: drawn, listed, taken away; and what is measured with them. */
import { readFile } from 'node:fs/promises';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenResponse } from '../../../packages/client/src/contract/open.js';
import { complaints } from '../../support/axe.js';
import { chromiumPath } from '../../support/browser.js';
import { SAMPLE } from '../../support/cli.js';
import { tempFolder, writeTemp } from '../../support/temp.js';
import { CardImage, frames, LYING, steady } from '../../support/viewer-image.js';
import { type ViewerPage, ViewerPages } from '../../support/viewer-page.js';
import { writeTiff } from '../../writers/tiff.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: the viewer was not tested in a browser');

const folder = tempFolder();
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

async function saved(act: () => Promise<void>): Promise<Buffer> {
  const download = viewer.page.waitForEvent('download');
  await act();
  return readFile(await (await download).path());
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

/** Number of green pixels, those of a curve, in the highest 3 % of the plot without its right end. */
function greenAtTop(canvas: Locator): Promise<number> {
  return canvas.evaluate((element) => {
    const { width, height } = element as HTMLCanvasElement;
    const context = (element as HTMLCanvasElement).getContext('2d') as CanvasRenderingContext2D;
    const { data } = context.getImageData(width * 0.1, 6, width * 0.8, Math.round(height * 0.02));
    let count = 0;
    for (let i = 0; i < data.length; i += 4) {
      if (data[i + 3]! > 100 && data[i + 1]! > data[i]! + 60 && data[i + 1]! > data[i + 2]! + 60) count += 1;
    }
    return count;
  });
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
    // A brighter pixel changes the scale: nothing of its curve is cut off at the top.
    for (const pixel of [69.5, 37.5]) {
      const { x, y } = await card.point((zoomed.rows[0] + zoomed.rows[1]) / 2, pixel);
      await page.mouse.move(x, y);
      await strip.getByText(`at pixel ${Math.floor(pixel)} `).waitFor();
    }
    await frames(page);
    expect(await greenAtTop(strip.locator('canvas'))).toBe(0);
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
    await setEnd('from time (s)', 1000 * 0.00117);
    await setEnd('from position (µm)', 5 * 0.284);
    await setEnd('to time (s)', 1100 * 0.00117);
    await setEnd('to position (µm)', 1 * 0.284);
    await page.getByRole('button', { name: 'Save…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Save and share' });
    const figure = async () => {
      const download = page.waitForEvent('download');
      await dialog.getByRole('button', { name: 'Save SVG' }).click();
      return readFile(await (await download).path(), 'utf8');
    };
    const marked = await figure();
    // A bright disc with the number, then the velocity on the dark pill behind it.
    expect(marked).toMatch(/fill="#5cc8ff"\/><text [^>]*fill="#101214">1<\/text><text [^>]*>−9.709 µm\/s<\/text>/);
    expect(marked.match(/<polyline /g)).toHaveLength(2 * info.channels.length);
    await dialog.getByRole('checkbox', { name: 'Marks' }).uncheck();
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
    // Points that follow each other soon are one step, so their number depends on the time between the clicks.
    const undo = async () => {
      await press('Control+z');
      return marks.count();
    };
    await expect.poll(undo).toBe(0);
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

  it('lists marks with time, position, velocity, mean and comment, and takes them to a spreadsheet', async () => {
    const { page } = viewer;
    await page.getByRole('button', { name: 'Marks', exact: true }).click();
    const table = page.getByRole('region', { name: 'Table of marks' });
    await card.stage.focus();
    await press('r');
    await drag(await card.point(500, 20), await card.point(900, 40));
    await setEnd('from time (s)', 1.17);
    await setEnd('to time (s)', 1.4625);
    await card.stage.focus();
    await press('l');
    await drag(await card.point(2500, 20), await card.point(3000, 60));
    const rows = table.locator('tbody tr');
    await expect.poll(() => rows.count()).toBe(2);
    expect(await rows.first().locator('td').nth(2).innerText()).toBe('1.1700–1.4625');
    await table.getByLabel('Name of Region 1').fill('spark');
    await press('Tab');
    await table.getByLabel('Comment on spark').fill('after puff');
    await press('Enter');
    const mean = page.locator('.measure-stats tbody tr', { hasText: 'mean' }).locator('td').first();
    await table.getByRole('button', { name: 'Go to spark' }).click();
    const shown = await mean.innerText();
    await expect.poll(() => rows.first().locator('td').nth(5).innerText()).toBe(shown);

    await table.getByRole('button', { name: 'Copy' }).click();
    await table.getByText('Copied 2 rows').waitFor();
    const [titles = '', first = '', second = ''] = (await page.evaluate(() => navigator.clipboard.readText())).split(
      '\n',
    );
    const at = titles.split('\t').indexOf('velocity (µm/s)');
    expect(first.split('\t').slice(0, 5)).toEqual(['1', 'spark', 'region', '1.17', '1.4625']);
    expect(first.endsWith('\tafter puff')).toBe(true);
    // 40 pixels of 0.284 µm in 500 lines of 1.17 ms, to a pixel of the screen.
    expect(Math.abs(Number(second.split('\t')[at]) - 19.42)).toBeLessThan(0.5);
    expect(Number(second.split('\t')[at])).toBeCloseTo(Number(await rows.last().locator('td').nth(4).innerText()), 1);

    await table.getByRole('button', { name: /^Time \(s\)/ }).click();
    await table.getByRole('button', { name: /^Time \(s\)/ }).click();
    await expect.poll(() => rows.first().locator('td').first().innerText()).toBe('2');
    // The table comes back with its names and comments.
    await page.waitForTimeout(500);
    await page.reload();
    await steady(page);
    expect(await table.getByLabel('Comment on spark').inputValue()).toBe('after puff');

    await table.getByRole('button', { name: 'Go to Line 2' }).focus();
    await press('Delete');
    await expect.poll(() => rows.count()).toBe(1);
    await card.stage.focus();
    await press('Control+z');
    await expect.poll(() => rows.count()).toBe(2);
  });

  it('goes to a mark that is out of view', async () => {
    const { page } = viewer;
    await card.changes(() => zoomTo(1500, 1700));
    const seen = await card.changes(() => page.getByRole('button', { name: 'Go to spark' }).click());
    expect(seen.rows[0]).toBeLessThanOrEqual(1000);
    expect(seen.rows[1]).toBeGreaterThanOrEqual(1250);
    await card.stage.focus();
    await press('0');
    await page.getByRole('button', { name: 'Marks', exact: true }).click();
  });

  it('has a menu for a mark and for the sample under the pointer, which the keyboard opens as well', async () => {
    const { page } = viewer;
    const menu = page.getByRole('menu');
    const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    const inside = await card.point(1100, 30);
    await page.mouse.click(inside.x, inside.y, { button: 'right' });
    await page.getByRole('menu', { name: 'spark' }).waitFor();
    expect(await complaints(page)).toEqual([]);
    expect(await focused()).toBe('Go to');
    await press('ArrowDown');
    await press('ArrowDown');
    await press('Enter');
    await expect.poll(async () => (await clipboard()).split('\n')[1]).toMatch(/^1\tspark\tregion\t1\.17\t1\.4625\t/);
    await menu.waitFor({ state: 'hidden' });

    await page.mouse.click(inside.x, inside.y, { button: 'right' });
    await press('ArrowUp');
    expect(await focused()).toBe('Save…');
    await press('Escape');
    await menu.waitFor({ state: 'hidden' });
    expect(await card.stage.evaluate((stage) => stage === document.activeElement)).toBe(true);

    // Not on a mark: the values under the pointer.
    const { x, y } = await card.point(3500.5, 50.5);
    await page.mouse.click(x, y, { button: 'right' });
    await page.getByRole('menu', { name: 'Image' }).getByRole('menuitem', { name: 'Copy values here' }).click();
    await expect
      .poll(async () => (await clipboard()).split('\n')[0])
      .toMatch(/^line\tpixel\ttime \(s\)\tposition \(µm\)\t/);
    const values = (await clipboard()).split('\n')[1]!.split('\t').map(Number);
    // A pixel of the screen has several lines.
    expect(Math.abs(values[0]! - 3500)).toBeLessThan(9);
    expect(values[1]).toBe(50);
    expect(values[2]).toBeCloseTo((values[0]! + 0.5) * 0.00117, 9);
    expect(values).toHaveLength(6);

    // With a key: the selected mark.
    await page.getByRole('button', { name: 'Line 2' }).first().click();
    await card.stage.focus();
    await press('Shift+F10');
    await page.getByRole('menu', { name: 'Line 2' }).getByRole('menuitem', { name: 'Rename…' }).click();
    const name = page.getByRole('region', { name: 'Table of marks' }).getByLabel('Name of Line 2');
    await expect.poll(() => name.evaluate((input) => input === document.activeElement)).toBe(true);
    await name.fill('cell');
    await press('Enter');
    await card.stage.focus();
    await press('ContextMenu');
    await page.getByRole('menu', { name: 'cell' }).getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Go to cell' }).waitFor({ state: 'hidden' });

    // The menu of the browser stays available.
    const taken = (modifiers: { shiftKey: boolean }) =>
      card.stage.evaluate(
        (stage, init) =>
          !stage.dispatchEvent(new MouseEvent('contextmenu', { button: 2, cancelable: true, bubbles: true, ...init })),
        modifiers,
      );
    expect(await taken({ shiftKey: true })).toBe(false);
    expect(await taken({ shiftKey: false })).toBe(true);
    await press('Escape');
    await page.getByRole('button', { name: 'Marks', exact: true }).click();
  });

  async function zoomTo(from: number, to: number): Promise<void> {
    await card.stage.focus();
    await press('b');
    await drag(await card.point(from, 40), await card.point(to, 40));
  }
});

/** 512 lines of 64 pixels, in which dark cells move 0.8 pixels per line. */
function movingCells(): string {
  const samples = Uint16Array.from({ length: 512 * 64 }, (_, i) => {
    const at = (i % 64) - 0.8 * Math.floor(i / 64);
    return Math.round(900 + 500 * Math.sin(at / 5) * Math.cos(at / 17) + 40 * Math.sin(i * 12.9898 + (i % 37)));
  });
  return writeTemp(folder, 'cells.tif', writeTiff({ pages: [{ width: 64, height: 512, samples }] }));
}

describe.runIf(available)('viewer: a scan whose file has no calibration', () => {
  beforeAll(async () => {
    await pages.start();
    await open(movingCells());
  });
  afterAll(async () => {
    await viewer?.end();
    await pages.close();
  });

  it('is calibrated by hand, has a velocity over time, and saves a region in the type of the file', async () => {
    const { page } = viewer;
    await page.getByRole('button', { name: 'Velocity', exact: true }).click();
    const strip = page.getByRole('region', { name: 'Velocity over time' });
    const median = async () =>
      Number(/^median ([\d.−]+) /.exec(await strip.getByRole('status').first().innerText())?.[1]);
    await expect.poll(median, { timeout: 20_000 }).toBeCloseTo(0.8, 1);
    await strip.getByText('px/line').first().waitFor();

    await page.getByRole('button', { name: 'Enter it…' }).click();
    await page.getByLabel('Line period (ms)').fill('2');
    await page.getByLabel('Pixel size (µm)').fill('0,5');
    await page.getByRole('button', { name: 'Apply' }).click();
    await expect.poll(async () => Math.abs((await median()) / 200 - 1), { timeout: 20_000 }).toBeLessThan(0.03);
    const details = async () => (await page.locator('.app-facts').allInnerTexts()).join('\n');
    await expect.poll(details).toMatch(/Step of Y\s+0.002 s entered by hand/);
    const velocities = await saved(() => strip.getByRole('button', { name: 'Save velocities' }).click());
    const [titles = '', first = ''] = velocities.toString().split('\n');
    expect(titles).toBe(
      'time (s),velocity (µm/s),quality,quality >= 0.5,first line,lines of the window (Radon transform),calibration',
    );
    // The middle of 32 lines of 2 ms.
    expect(first.split(',')[0]).toBe('0.032');
    const note = 'line period 2 ms and pixel size 0.5 µm entered by hand';
    expect(first.endsWith(`,${note}`)).toBe(true);
    await page.getByText('2 ms/line × 0.5 µm/px, entered by hand').waitFor();

    await page.reload();
    await steady(page);
    await expect.poll(async () => Math.abs((await median()) / 200 - 1), { timeout: 20_000 }).toBeLessThan(0.03);

    const stage = page.getByRole('application').first();
    await stage.focus();
    await press('Shift+ArrowRight');
    await press('r');
    await press('Enter');
    await press('Control+Shift+ArrowRight');
    await press('Control+Shift+ArrowUp');
    await press('Enter');
    await page.getByRole('button', { name: 'Save…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Save and share' });
    await dialog.getByRole('tab', { name: 'Numbers' }).click();
    await dialog.getByLabel('Part').selectOption({ label: 'Region 1' });
    const bytes = await saved(() =>
      dialog.getByRole('button', { name: 'TIFF, uint16, calibrated for ImageJ' }).click(),
    );
    expect(bytes.toString('latin1')).toMatch(
      /xorigin=-\d+\nyorigin=-\d+\n.*note=line period 2 ms and pixel size 0.5 um entered by hand/s,
    );
    const answer = await fetch(`${viewer.url}/api/v2/open`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ path: writeTemp(folder, 'part.tif', bytes) }),
    });
    const part = (await answer.json()) as OpenResponse;
    expect(part.source.sourceDtype).toBe('uint16');
    expect(part.plane.axes.map(({ step, unit }) => [step, unit])).toEqual([
      [expect.closeTo(0.002, 9), 'seconds'],
      [expect.closeTo(0.5, 9), 'micrometer'],
    ]);
    await dialog.getByLabel('Part').selectOption({ label: 'Whole plane' });
    const csv = await saved(() => dialog.getByRole('button', { name: 'CSV with positions' }).click());
    expect(csv.toString().startsWith(`time (s) \\ x (um); ${note},0.25,0.75,`)).toBe(true);
    await dialog.getByRole('tab', { name: 'Image' }).click();
    const png = await saved(() => dialog.getByRole('button', { name: /^One pixel per sample/ }).click());
    expect(png.toString()).toContain(note);

    // In another browser, the link has the same seconds and µm, and says who entered them.
    await dialog.getByRole('tab', { name: 'Link and programs' }).click();
    await dialog.getByRole('button', { name: 'Copy link' }).click();
    await dialog.getByText('Copied').waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    await page.evaluate(() => localStorage.clear());
    await page.goto('about:blank');
    await page.goto(link);
    await page.getByRole('button', { name: 'Open this file' }).click();
    await page.getByText('2 ms/line × 0.5 µm/px, entered by hand').waitFor();
  });
});
