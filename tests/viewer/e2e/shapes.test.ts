/** Ellipses, polygons and freehand marks in the page: drawn, measured, followed over time, and taken away. */
import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { OpenResponse } from '../../../packages/client/src/contract/open.js';
import { formatNumber } from '../../../packages/viewer/src/model/number-text.ts';
import { complaints } from '../../support/axe.js';
import { chromiumPath } from '../../support/browser.js';
import { tempFolder } from '../../support/temp.js';
import { CardImage, STORED, steady } from '../../support/viewer-image.js';
import { type ViewerPage, ViewerPages } from '../../support/viewer-page.js';
import { STACK, STEPS, stackFile, stackValue } from '../../support/viewer-stack.js';
import { roiBytes } from '../../writers/imagej-roi.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: shapes in the viewer were not tested');

const folder = tempFolder();
const pages = new ViewerPages();

describe.runIf(available)('viewer: shapes', () => {
  let viewer: ViewerPage;
  let info: OpenResponse;
  let card: CardImage;
  beforeAll(() => pages.start());
  afterAll(() => pages.close());
  beforeEach(async () => {
    viewer = await pages.open('/', { viewport: { width: 1280, height: 800 } });
    await viewer.page.addInitScript(() => Object.defineProperty(window, 'showSaveFilePicker', { value: undefined }));
    await viewer.page.reload();
    info = await viewer.openPath(stackFile(folder));
    await viewer.asStored();
    await steady(viewer.page);
    card = new CardImage(viewer.page, 'Source', '0', info.plane, STORED);
    await card.stage.focus();
  });
  afterEach(() => viewer.end());

  const savedText = async (act: () => Promise<void>): Promise<string> => {
    const download = viewer.page.waitForEvent('download');
    await act();
    return readFile(await (await download).path(), 'utf8');
  };

  async function drag(...places: (readonly [row: number, column: number])[]): Promise<void> {
    const { mouse } = viewer.page;
    for (const [i, [row, column]] of places.entries()) {
      const { x, y } = await card.point(row, column);
      await mouse.move(x, y);
      if (i === 0) await mouse.down();
    }
    await mouse.up();
  }

  /** Means of the pixels of the Calcium channel that `isInside` accepts. */
  function meanOf(t: number, isInside: (row: number, column: number) => boolean): { n: number; mean: number } {
    let [n, sum] = [0, 0];
    for (let y = 0; y < STACK.Y; y++) {
      for (let x = 0; x < STACK.X; x++) {
        if (!isInside(y + 0.5, x + 0.5)) continue;
        n += 1;
        sum += stackValue(t, 0, 0, y, x);
      }
    }
    return { n, mean: sum / n };
  }

  const inEllipse = (row: number, column: number) => ((row - 12) / 8) ** 2 + ((column - 12) / 10) ** 2 <= 1;
  /** Its corners (4, 20), (20, 20) and (20, 30), a bit off the grid. */
  const inTriangle = (row: number, column: number) =>
    column > 20.1 && row < 20.1 && (column - 20.1) * 16 < (row - 4.1) * 10;

  it('measures what lies inside, in the panel, over time, in tables and in links', async () => {
    const { page } = viewer;
    await page.keyboard.press('e');
    await drag([4.2, 2.2], [12, 12], [19.8, 21.8]);
    const statistics = page.locator('.measure-stats');
    const ellipse = meanOf(0, inEllipse);
    await expect.poll(() => statistics.innerText()).toContain(`n\t${ellipse.n}`);
    await statistics.getByTitle('Standard deviation with n − 1, as in ImageJ').getByText('SD').waitFor();
    expect(Number((await statistics.innerText()).match(/mean\t([\d.]+)/)?.[1])).toBeCloseTo(ellipse.mean, 1);

    await page.keyboard.press('g');
    for (const [row, column] of [
      [4.1, 20.1],
      [20.1, 20.1],
      [20.1, 30.1],
      [20.1, 30.1],
    ] as const) {
      const { x, y } = await card.point(row, column);
      await page.mouse.click(x, y);
    }
    const list = page.getByRole('region', { name: 'Regions and lines' }).getByRole('listitem');
    const triangle = meanOf(0, inTriangle);
    await expect.poll(() => list.last().innerText()).toMatch(/^Polygon 2/);
    await expect.poll(() => statistics.innerText()).toContain(`n\t${triangle.n}`);
    await page.keyboard.press('d');
    await drag([2, 2], [10, 2], [10, 10], [2, 10], [2, 3]);
    await expect.poll(() => list.last().innerText()).toMatch(/^Freehand region 3/);

    await page.getByRole('button', { name: 'Trace' }).click();
    const strip = page.getByRole('region', { name: 'Traces of the regions' });
    await strip.getByRole('button', { name: 'Overlay' }).click();
    await strip.getByText('Ellipse 1 · Calcium').waitFor();
    const traces = await savedText(() => strip.getByRole('button', { name: 'Save CSV' }).click());
    const [head = '', ...lines] = traces.trim().split('\n');
    expect(head).toMatch(/^time point,time \(s\),Ellipse 1 · Calcium,.*Polygon 2 · Calcium,/);
    for (const t of [0, 5, 13]) {
      const values = (lines[t] ?? '').split(',').map(Number);
      expect(values[2]).toBeCloseTo(meanOf(t, inEllipse).mean, 3);
      expect(values[4]).toBeCloseTo(meanOf(t, inTriangle).mean, 3);
    }

    // A name in the legend hides its curve, and the scale is that of the others.
    const top = () =>
      strip.locator('.u-over').evaluate((over) => {
        const canvas = over.parentElement!.querySelector('canvas')!;
        const { data, width } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
        // The triangle is #8f5400.
        for (let i = 0; i < data.length; i += 4)
          if (data[i] === 0x8f && data[i + 1] === 0x54 && data[i + 2] === 0) return Math.floor(i / 4 / width);
        return null;
      });
    await expect.poll(top).not.toBeNull();
    const name = strip.getByRole('button', { name: /^Polygon 2 · Calcium/ });
    await name.click();
    expect(await name.getAttribute('aria-pressed')).toBe('false');
    await strip.getByRole('button', { name: /^Polygon 2 · Dye/ }).click();
    await expect.poll(top).toBeNull();
    const shown = strip.locator('.plot-name[aria-pressed="true"]');
    while ((await shown.count()) > 0) await shown.first().click();
    await strip.locator('.u-over').waitFor();
    for (const one of await strip.locator('.plot-name').all()) await one.click();
    await expect.poll(top).not.toBeNull();
    // The triangle is the background of the ellipse, at each time point and in the table.
    await strip.getByRole('combobox', { name: 'Background' }).selectOption('Polygon 2');
    await strip.getByRole('heading', { name: 'Mean of the regions − Polygon 2 over 14 time points' }).waitFor();
    const less = await savedText(() => strip.getByRole('button', { name: 'Save CSV' }).click());
    expect(less).toMatch(/^time point,time \(s\),Ellipse 1 · Calcium − Polygon 2,.*,Polygon 2 · Calcium,/);
    for (const t of [0, 5, 13]) {
      const values = (less.split('\n')[t + 1] ?? '').split(',').map(Number);
      expect(values[2]).toBeCloseTo(meanOf(t, inEllipse).mean - meanOf(t, inTriangle).mean, 3);
      expect(values[4]).toBeCloseTo(meanOf(t, inTriangle).mean, 3);
    }
    await page.getByRole('button', { name: 'Marks', exact: true }).click();
    const table = page.getByRole('region', { name: 'Table of marks' });
    await expect.poll(() => table.locator('tbody tr').count()).toBe(3);
    const difference = formatNumber(ellipse.mean - triangle.mean);
    await expect.poll(() => table.locator('tbody tr').first().innerText()).toContain(difference);
    await table.getByRole('combobox', { name: 'Background' }).selectOption('none');
    await expect.poll(() => table.locator('tbody tr').first().innerText()).toContain(formatNumber(ellipse.mean));
    const marks = await savedText(() => table.getByRole('button', { name: 'Save marks as CSV' }).click());
    const [columns = '', first = ''] = marks.split('\n');
    const value = (title: string) => Number(first.split(',')[columns.split(',').indexOf(title)]);
    expect(value('area (µm²)')).toBeCloseTo(ellipse.n * STEPS.pixel ** 2, 6);
    expect(value('Calcium mean')).toBeCloseTo(ellipse.mean, 4);
    expect(await complaints(page)).toEqual([]);

    await page.reload();
    await steady(page);
    await expect
      .poll(() => list.allInnerTexts())
      .toEqual([
        expect.stringMatching(/^Ellipse 1/),
        expect.stringMatching(/^Polygon 2/),
        expect.stringMatching(/^Freehand region 3/),
      ]);
  });

  it('saves marks as ROIs of ImageJ, and adds those of files by a button and by a drop', async () => {
    const { page } = viewer;
    await page.keyboard.press('e');
    await drag([4.2, 2.2], [12, 12], [19.8, 21.8]);
    await page.keyboard.press('l');
    await drag([2, 2], [6, 20]);
    await page.getByRole('button', { name: 'Marks', exact: true }).click();
    const table = page.getByRole('region', { name: 'Table of marks' });
    const names = () =>
      table
        .locator('tbody .marks-text:not(.marks-comment *)')
        .evaluateAll((all) => all.map((one) => (one as HTMLInputElement).value));
    const download = page.waitForEvent('download');
    await table.getByRole('button', { name: 'Save marks as ROIs of ImageJ' }).click();
    const set = await (await download).path();
    expect((await download).suggestedFilename()).toBe('stack.ome.tif.RoiSet.zip');
    const bytes = await readFile(set);

    const chooser = page.waitForEvent('filechooser');
    await table.getByRole('button', { name: 'Add ROIs…' }).click();
    await (await chooser).setFiles([{ name: 'RoiSet.zip', mimeType: 'application/zip', buffer: bytes }]);
    await table.getByText('Added 2 ROIs.').waitFor();
    await expect.poll(names).toEqual(['Ellipse 1', 'Line 2', 'Ellipse 1', 'Line 2']);

    const square = roiBytes({ type: 1, bounds: [2, 3, 8, 9], second: { name: 'square', c: 1, z: 2, t: 3 } });
    const label = roiBytes({ type: 1, bounds: [2, 3, 8, 9], subtype: 1 });
    await page.evaluate(
      (files) => {
        const transfer = new DataTransfer();
        for (const [name, numbers] of files) transfer.items.add(new File([Uint8Array.from(numbers)], name));
        window.document.body.dispatchEvent(
          new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }),
        );
      },
      [
        ['square.roi', [...square]],
        ['label.roi', [...label]],
      ] as [string, number[]][],
    );
    await page.getByText('Added 1 ROI. Skipped label.roi (text).').waitFor();
    await expect.poll(async () => (await names()).at(-1)).toBe('square');
    await page.locator('.measure-details').getByRole('row', { name: 'Plane C 1 · Z 2 · T 3' }).waitFor();
    await expect
      .poll(() => page.locator('.measure-stats').innerText())
      .toContain(`n\t${meanOf(0, (row, column) => row > 2 && row < 8 && column > 3 && column < 9).n}`);
    // The same files with an acquisition in between: nothing is asked of the server for a ROI.
    expect(viewer.requests.filter((url) => /locate|uploads/.test(url))).toEqual([]);
    await (await viewer.pathField()).fill('/data/cell.roi');
    await page.keyboard.press('Enter');
    await page.getByText('A ROI is added to the image that is shown.').waitFor();
    expect(await complaints(page)).toEqual([]);
  });

  it('averages across a wide line, in its profile, its mean and its kymograph', async () => {
    const { page } = viewer;
    await page.keyboard.press('l');
    await drag([12.5, 4.5], [12.5, 24.5]);
    for (const [label, value] of [
      ['from Y (µm)', 12.5],
      ['from X (µm)', 4.5],
      ['to Y (µm)', 12.5],
      ['to X (µm)', 24.5],
    ] as const) {
      const field = page.getByLabel(new RegExp(label.replace(/[()]/g, '.'), 'i'));
      await field.fill(String(value * STEPS.pixel));
      await field.press('Enter');
    }
    const width = page.getByLabel('Width (px)');
    await width.fill('5');
    await width.press('Enter');
    const section = page.getByRole('region', { name: 'Profile along the line' });
    await section.getByRole('heading', { name: 'Profile along Line 1, 5 px wide' }).waitFor();
    await section.getByRole('img', { name: 'Profile along Line 1, 5 px wide' }).waitFor();
    const text = await savedText(() => section.getByRole('button', { name: 'Save CSV' }).click());
    const [head = '', ...lines] = text.trim().split('\n');
    expect(head).toBe('distance (um),Calcium (mean of 5 across),Dye (mean of 5 across)');
    expect(lines).toHaveLength(21);
    const across = (x: number) => [10, 11, 12, 13, 14].reduce((sum, y) => sum + stackValue(0, 0, 0, y, x), 0) / 5;
    for (const i of [0, 1, 7, 20]) {
      const [distance, value] = lines[i]!.split(',').map(Number);
      expect(distance).toBeCloseTo(i * STEPS.pixel, 9);
      expect(value).toBeCloseTo(across(4 + i), 6);
    }
    expect(await complaints(page)).toEqual([]);
    const bodies: (string | null)[] = [];
    page.on('request', (request) => request.url().includes('/profile') && bodies.push(request.postData()));
    await viewer.openKymograph();
    await page.getByRole('tab', { name: 'stack.ome.tif, kymograph of Line 1', selected: true }).waitFor();
    await steady(page);
    expect(bodies.length).toBeGreaterThan(0);
    for (const body of bodies) expect(JSON.parse(String(body))).toMatchObject({ width: 5 });
  });
});
