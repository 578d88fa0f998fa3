/** What is measured in the page, against the numbers of the plane and calculations by hand. */
import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { OpenResponse } from '../../../packages/client/src/contract/open.js';
import { chromiumPath } from '../../support/browser.js';
import { SAMPLE } from '../../support/cli.js';
import { tempFolder } from '../../support/temp.js';
import { CardImage, frames, LYING, planeOf, type Rgb, STORED, steady } from '../../support/viewer-image.js';
import { type ViewerPage, ViewerPages } from '../../support/viewer-page.js';
import { kymographs, withReferences } from './files.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: the viewer was not tested in a browser');

const folder = tempFolder();
const pages = new ViewerPages();
let viewer: ViewerPage;

async function open(path: string): Promise<OpenResponse> {
  viewer = await pages.open();
  // There is nobody to answer the dialog of the system: the page falls back to a download.
  await viewer.page.addInitScript(() => Object.defineProperty(window, 'showSaveFilePicker', { value: undefined }));
  await viewer.page.reload();
  const info = await viewer.openPath(path);
  await steady(viewer.page);
  return info;
}

const press = (key: string) => viewer.page.keyboard.press(key);

/** Rows of a CSV file that a click saves; the first are the titles. */
async function saved(act: () => Promise<void>): Promise<string[][]> {
  const download = viewer.page.waitForEvent('download');
  await act();
  const text = await readFile(await (await download).path(), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.split(','));
}

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

/** The facts of the selected mark. */
async function fact(name: string): Promise<string> {
  return viewer.page
    .locator('.measure-details tr', { has: viewer.page.getByRole('rowheader', { name, exact: true }) })
    .locator('td')
    .first()
    .innerText();
}

/** The first profile takes room from the image, which is then at another place. */
async function unfoldProfile(card: CardImage): Promise<void> {
  await card.stage.hover();
  await viewer.page.getByRole('region', { name: 'Profile along the image' }).locator('.u-over').waitFor();
  await steady(viewer.page);
}

const median = (values: number[]) => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length % 2
    ? (sorted[Math.floor(middle)] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
};

describe.runIf(available)('viewer: measuring', () => {
  beforeAll(() => pages.start());
  afterAll(() => pages.close());

  describe.each(kymographs(SAMPLE))('a kymograph, %s', (_kind, path) => {
    let info: OpenResponse;
    let data: Float32Array;
    let card: CardImage;
    const at = (row: number, column: number) => data[row * (info.plane.shape[1] as number) + column] as number;

    beforeAll(async () => {
      info = await open(path);
      data = await planeOf(viewer.url, info, 0);
      card = new CardImage(viewer.page, 'Source', String(info.channels[0]?.index), info.plane, LYING);
    });
    beforeEach(() => card.stage.focus());
    afterAll(() => viewer.end());

    it('has the column of the plane as profile, aligned with the image', async () => {
      const { page } = viewer;
      await unfoldProfile(card);
      const spot = await card.point((info.plane.shape[0] as number) / 2 + 0.5, 12.5);
      await page.mouse.click(spot.x, spot.y);
      const strip = page.getByRole('region', { name: 'Profile along the image' });
      await strip.getByText('Profile over time at pixel 12 (3.550 µm)').waitFor();
      const [image, plot] = await Promise.all([card.canvas.boundingBox(), strip.locator('.u-over').boundingBox()]);
      expect(Math.abs((image?.x ?? 0) - (plot?.x ?? 99))).toBeLessThan(1.5);
      expect(Math.abs((image?.width ?? 0) - (plot?.width ?? 99))).toBeLessThan(1.5);
      const [titles = [], ...rows] = await saved(() => strip.getByRole('button', { name: 'Save CSV' }).click());
      expect(titles.slice(0, 2)).toEqual(['line', 'time (s)']);
      expect(rows.length).toBe(info.plane.shape[0]);
      const wrong = rows.filter(([line = '', time = '', value = '']) => {
        return Number(value) !== at(Number(line), 12) || Math.abs(Number(time) - (Number(line) + 0.5) * 0.00117) > 1e-9;
      });
      expect(wrong).toEqual([]);
    });

    it('has the statistics and profile of a drawn region', async () => {
      const { page } = viewer;
      const rows = info.plane.shape[0] as number;
      await press('r');
      await drag(await card.point(rows * 0.3, 6.5), await card.point(rows * 0.4, 20.5));
      await setEnd('from time (s)', 1000 * 0.00117);
      await setEnd('to time (s)', 1250 * 0.00117);
      const ends = await Promise.all(
        ['from position (µm)', 'to position (µm)'].map((label) => page.getByLabel(label, { exact: true }).inputValue()),
      );
      // The edges are between samples.
      const [first, end] = [
        Math.round(Math.min(...ends.map(Number)) / 0.284),
        Math.round(Math.max(...ends.map(Number)) / 0.284),
      ];
      expect([first, end]).toEqual([6, 21]);
      expect(await fact('Lines')).toBe('1,000–1,249: 250 = 292.5 ms');
      expect(await fact('Pixels')).toBe('6–20: 15 = 4.26 µm');
      const columns = Array.from({ length: end - first }, (_, i) => first + i);
      const lines = Array.from({ length: 250 }, (_, i) => 1000 + i);
      const values = lines.flatMap((line) => columns.map((column) => at(line, column)));
      const sum = values.reduce((all, one) => all + one, 0);
      const mean = sum / values.length;
      const sd = Math.sqrt(values.reduce((all, one) => all + (one - mean) ** 2, 0) / (values.length - 1));
      const four = (value: number) => Number(value.toPrecision(4)).toLocaleString('en');
      const wanted = [
        values.length.toLocaleString('en'),
        four(mean),
        four(sd),
        Math.min(...values),
        Math.max(...values),
        median(values),
        sum.toLocaleString('en'),
      ];
      const cells = page.locator('.measure-stats tbody tr td:nth-child(2)');
      await expect.poll(() => cells.allInnerTexts()).toEqual(wanted.map(String));

      const strip = page.getByRole('region', { name: 'Profile along the image' });
      await strip.getByText('Profile over time, mean of pixels 6–20').waitFor();
      const [titles = [], ...table] = await saved(() => strip.getByRole('button', { name: 'Save CSV' }).click());
      const { name } = info.channels[0] as { name: string };
      expect(titles.slice(2, 5)).toEqual([`${name} mean`, `${name} min`, `${name} max`]);
      expect(table.map(([line]) => Number(line))).toEqual(lines);
      for (const [line, , ...three] of table) {
        const ofLine = columns.map((column) => at(Number(line), column));
        const expected = [
          ofLine.reduce((all, one) => all + one, 0) / ofLine.length,
          Math.min(...ofLine),
          Math.max(...ofLine),
        ];
        expect(three.slice(0, 3).map(Number)).toEqual(expected.map((one) => expect.closeTo(one, 3)));
      }
      await page.getByRole('button', { name: /^Remove region/ }).click();
    });

    it('has the signed velocity of a line, as computed by hand', async () => {
      const { page } = viewer;
      await press('l');
      await drag(await card.point(900, 3), await card.point(1500, 30));
      await setEnd('from time (s)', 1000 * 0.00117);
      await setEnd('from position (µm)', 5 * 0.284);
      await setEnd('to time (s)', 1100 * 0.00117);
      await setEnd('to position (µm)', 25 * 0.284);
      // 20 × 0.284 µm in 100 × 1.17 ms.
      expect(await fact('Distance')).toBe('5.68 µm');
      expect(await fact('Time')).toBe('117 ms');
      expect(await fact('Velocity')).toBe('48.55 µm/s');
      await setEnd('to position (µm)', 1 * 0.284);
      // −4 × 0.284 µm in 117 ms.
      expect(Number.parseFloat((await fact('Velocity')).replace('−', '-'))).toBeCloseTo(-9.709, 3);
      await page.getByRole('button', { name: /^Remove line/ }).click();
      await card.stage.focus();
      await press('b');
    });
  });

  describe.each(withReferences(folder))('a reference, %s', (_kind, path) => {
    const SELECTED: Rgb = [0xff, 0xd5, 0x4a];
    const PATH: Rgb = [0xfb, 0x71, 0x85];
    afterEach(() => viewer.end());

    /** Smallest difference of a color from what is drawn over a card around a place. */
    async function near(card: CardImage, row: number, column: number, color: Rgb): Promise<number> {
      const { x, y } = await card.point(row, column);
      await frames(viewer.page);
      return card.figure.locator('canvas.image-overlay').evaluate(
        (element, [pageX, pageY, wanted]) => {
          const canvas = element as HTMLCanvasElement;
          const box = canvas.getBoundingClientRect();
          const ratio = canvas.width / box.width;
          const [left, top] = [Math.round((pageX - box.left) * ratio) - 2, Math.round((pageY - box.top) * ratio) - 2];
          const { data } = (canvas.getContext('2d') as CanvasRenderingContext2D).getImageData(left, top, 5, 5);
          let least = 999;
          for (let i = 0; i < data.length; i += 4) {
            if ((data[i + 3] as number) < 200) continue;
            least = Math.min(least, Math.max(...wanted.map((part, k) => Math.abs(part - (data[i + k] as number)))));
          }
          return least;
        },
        [x, y, color] as const,
      );
    }

    it('marks the position under the pointer on the line scan and on the reference', async () => {
      const info = await open(path);
      const { page } = viewer;
      const { reference } = info;
      if (!reference?.lineRoi) throw new Error('no line');
      const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = reference.lineRoi;
      const [rows = 0, columns = 0] = info.plane.shape;
      const source = new CardImage(page, 'Source', String(info.channels[0]?.index), info.plane, LYING);
      const key = reference.channels.length > 1 ? 'composite' : String(reference.channels[0]?.index);
      const shown = new CardImage(page, 'Reference', key, reference.plane, STORED);
      const onLine = (share: number) => [y0 + share * (y1 - y0), x0 + share * (x1 - x0)] as const;

      await unfoldProfile(source);
      await page.mouse.move(5, 5);
      expect(await near(shown, ...onLine(0.5), PATH)).toBeLessThan(30);
      expect(await near(shown, ...onLine(0.5), SELECTED)).toBeGreaterThan(60);
      for (const share of [0.25, 0.5, 0.75]) {
        const spot = await source.point(rows / 2, share * columns);
        await page.mouse.move(spot.x, spot.y);
        await expect.poll(() => near(shown, ...onLine(share), SELECTED)).toBeLessThan(30);
        expect(await near(shown, ...onLine((share + 0.5) % 1), SELECTED)).toBeGreaterThan(60);
      }

      for (const share of [0.25, 0.75]) {
        const spot = await shown.point(...onLine(share));
        await page.mouse.move(spot.x, spot.y);
        await expect.poll(() => near(source, rows / 3, share * columns, SELECTED)).toBeLessThan(60);
        expect(await near(source, rows / 3, ((share + 0.5) % 1) * columns, SELECTED)).toBeGreaterThan(60);
      }

      await page.getByRole('checkbox', { name: 'Show scan path on the reference' }).uncheck();
      await expect.poll(() => near(shown, ...onLine(0.5), PATH)).toBeGreaterThan(60);
    });
  });
});
