/** The line phase of bidirectional scans, in the page as it is shipped. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath } from '../../support/browser.js';
import { tempFolder, writeTemp } from '../../support/temp.js';
import { CardImage, colorOf, displayOf, STORED, steady } from '../../support/viewer-image.js';
import { ViewerPages } from '../../support/viewer-page.js';
import { writeTiff } from '../../writers/tiff.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: the line phase was not tested in a browser');

const [ROWS, COLUMNS, PHASE] = [48, 64, 3];

/** Spots; the lines on the way back come three samples too late. */
function sampleAt(row: number, column: number): number {
  const at = column - (row % 2 === 1 ? PHASE : 0);
  const spots = [15, 32, 50].map((x, i) => 900 * Math.exp(-((at - x) ** 2 + (row - 8 - 15 * i) ** 2) / 20));
  return Math.round(100 + spots.reduce((sum, spot) => sum + spot));
}

describe.runIf(available)('viewer: line phase', () => {
  const pages = new ViewerPages();
  beforeAll(() => pages.start());
  afterAll(() => pages.close());

  it('is estimated, moves the picture alone, and returns with the view', async () => {
    const viewer = await pages.open();
    const { page } = viewer;
    // There is nobody to answer the dialog of the system: the page falls back to a download.
    await page.addInitScript(() => Object.defineProperty(window, 'showSaveFilePicker', { value: undefined }));
    await page.reload();
    const samples = Uint16Array.from({ length: ROWS * COLUMNS }, (_, i) =>
      sampleAt(Math.floor(i / COLUMNS), i % COLUMNS),
    );
    const pixels = [{ width: COLUMNS, height: ROWS, samples }];
    const info = await viewer.openPath(writeTemp(tempFolder(), 'both-ways.tif', writeTiff({ pages: pixels })));
    await steady(page);
    const display = await displayOf(page, info.channels[0]!.name);
    const card = new CardImage(page, 'Source', '0', info.plane, STORED);
    const [row, column] = [23, 33];
    const shown = () => card.color(row + 0.5, column + 0.5);
    expect(await shown()).toEqual(colorOf(sampleAt(row, column), display));
    const field = page.getByLabel('Line phase in samples: how far every second line is moved');
    expect(await field.inputValue()).toBe('0');
    await page.getByRole('button', { name: 'Estimate' }).click();
    await expect.poll(() => field.inputValue()).toBe(String(PHASE));
    await expect.poll(shown).toEqual(colorOf(sampleAt(row, column + PHASE), display));
    // Even lines, and the values under the pointer, are those of the file.
    expect(await card.color(row + 1.5, column + 0.5)).toEqual(colorOf(sampleAt(row + 1, column), display));
    const { x, y } = await card.point(row + 0.5, column + 0.5);
    await page.mouse.move(x, y);
    await expect
      .poll(() => page.locator('.image-readout').innerText())
      .toContain(sampleAt(row, column).toLocaleString('en'));
    // Figures say it.
    await page.getByRole('button', { name: 'Save…' }).click();
    await page.locator('.figure-paper img').waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save SVG' }).click();
    expect(await readFile(await (await download).path(), 'utf8')).toContain('Line phase 3 px – display only');
    await page.keyboard.press('Escape');
    await page.waitForTimeout(600);
    await page.reload();
    await steady(page);
    expect(await field.inputValue()).toBe(String(PHASE));
    await viewer.end();
  });
});
