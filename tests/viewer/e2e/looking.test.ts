/** Every color on screen against the numbers of the plane, in the page as it is shipped. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { OpenResponse } from '../../../packages/client/src/contract/open.js';
import { NAN_COLOR } from '../../../packages/viewer/src/model/display.ts';
import { formatNumber, formatSample } from '../../../packages/viewer/src/model/number-text.ts';
import { chromiumPath } from '../../support/browser.js';
import { SAMPLE } from '../../support/cli.js';
import { sections } from '../../support/oif.js';
import { tempFolder, writeTemp } from '../../support/temp.js';
import {
  CardImage,
  colorOf,
  type Display,
  displayOf,
  frames,
  LYING,
  openContrast,
  planeOf,
  type Seen,
  STORED,
  steady,
} from '../../support/viewer-image.js';
import { type ViewerPage, ViewerPages } from '../../support/viewer-page.js';
import { writeOif } from '../../writers/oif.js';
import { writeTiff } from '../../writers/tiff.js';
import { kymographs, multiChannels, nanFile, rampFile } from './files.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: the viewer was not tested in a browser');

const folder = tempFolder();
const pages = new ViewerPages();
let viewer: ViewerPage;

async function open(path: string): Promise<OpenResponse> {
  viewer = await pages.open();
  const info = await viewer.openPath(path);
  await steady(viewer.page);
  return info;
}

function source(info: OpenResponse, position: number, lie = LYING): CardImage {
  return new CardImage(viewer.page, 'Source', String(info.channels[position]?.index), info.plane, lie);
}

const channelName = (info: OpenResponse, position: number) => info.channels[position]?.name as string;
const press = (key: string) => viewer.page.keyboard.press(key);

/** Samples that are seen whole, all over what is seen. */
function spread({ rows, columns }: Seen, count: number): { row: number; column: number }[] {
  const within = ([from, to]: readonly [number, number], share: number) => {
    const [first, end] = [Math.ceil(from - 1e-3), Math.floor(to + 1e-3)];
    return first + Math.floor(share * (end - first));
  };
  return Array.from({ length: count }, (_, i) => ({
    row: within(rows, (i * 0.618) % 1),
    column: within(columns, (i * 0.414) % 1),
  }));
}

/** Counts draws by WebGL2, and has the browser tell that it has a graphics card, or none, whatever draws. */
async function countGl(page: Page, card: boolean): Promise<void> {
  await page.addInitScript((told) => {
    const { prototype } = WebGL2RenderingContext;
    const { getParameter, drawArrays } = prototype;
    const counter = globalThis as { glDraws?: number };
    prototype.drawArrays = function (...all) {
      counter.glDraws = (counter.glDraws ?? 0) + 1;
      drawArrays.apply(this, all);
    };
    prototype.getParameter = function (name) {
      const value = getParameter.call(this, name);
      if (typeof value !== 'string') return value;
      return told ? 'A graphics card' : 'SwiftShader';
    };
  }, card);
}

describe.runIf(available)('viewer: looking', () => {
  beforeAll(() => pages.start());
  afterAll(() => pages.close());

  describe('planes of known values', () => {
    afterEach(() => viewer.end());

    it.each([
      ['the processor', false],
      ['the graphics card', true],
    ] as const)(
      'by %s: every sample in the color of its value, in all four ways that it can lie',
      async (_by, byCard) => {
        viewer = await pages.open();
        await countGl(viewer.page, byCard);
        await viewer.page.reload();
        const info = await viewer.openPath(rampFile(folder));
        await steady(viewer.page);
        const display = await displayOf(viewer.page, channelName(info, 0));
        const card = source(info, 0, STORED);
        await card.stage.focus();
        for (const [key, lie] of [
          ['', STORED],
          ['t', { ...STORED, transposed: true }],
          ['f', { ...STORED, transposed: true, upward: true }],
          ['t', { ...STORED, upward: true }],
        ] as const) {
          if (key !== '') await press(key);
          await steady(viewer.page);
          const turned = card.turned(lie);
          for (let value = 0; value < 32; value += 3) {
            const [row, column] = [Math.floor(value / 4), value % 4];
            const color = await turned.color(row + 0.5, column + 0.5);
            expect(color, `line ${row}, pixel ${column}, ${JSON.stringify(lie)}`).toEqual(colorOf(value, display));
          }
        }
        expect((await viewer.page.evaluate(() => (globalThis as { glDraws?: number }).glDraws ?? 0)) > 0).toBe(byCard);
      },
    );

    it('shows NaN and infinities in their own color and by name', async () => {
      const info = await open(nanFile(folder));
      const display = await displayOf(viewer.page, channelName(info, 0));
      const card = source(info, 0, STORED);
      expect(await card.color(0.5, 0.5)).toEqual(NAN_COLOR);
      expect(await card.color(0.5, 1.5)).toEqual(NAN_COLOR);
      for (const [row, column, value] of [
        [0, 2, -1],
        [1, 0, 0],
        [1, 1, 0.5],
        [1, 2, 1],
      ] as const) {
        expect(await card.color(row + 0.5, column + 0.5)).toEqual(colorOf(value, display));
      }
      const at = await card.point(0.5, 1.5);
      await viewer.page.mouse.move(at.x, at.y);
      await expect.poll(() => viewer.page.locator('.image-readout').innerText()).toContain('∞');
      expect(await viewer.page.locator('.contrast-nan dd').innerText()).toBe('2');
    });
  });

  describe.each(kymographs(SAMPLE))('a kymograph, %s', (_kind, path) => {
    let info: OpenResponse;
    beforeAll(async () => {
      info = await open(path);
    });
    beforeEach(async () => {
      await source(info, 0).stage.focus();
      await press('0');
      await steady(viewer.page);
    });
    afterAll(() => viewer.end());

    it('shows means and outliers at home', async () => {
      const [rows, columns] = info.plane.shape as [number, number];
      const data = await planeOf(viewer.url, info, 0);
      const display = await displayOf(viewer.page, channelName(info, 0));
      const card = source(info, 0);
      const { width, height } = await card.size();
      // A pixel covers one column and some lines; many of them end at multiples of 16.
      expect(height).toBeGreaterThan(columns);
      const block = rows / width > 32 ? 16 : 1;
      const edge = (x: number) => Math.min(rows, Math.round((x * rows) / width / block) * block);
      let means = 0;
      for (let k = 0; k < 40; k++) {
        const [x, column] = [Math.floor((k * width) / 40), (k * 7) % columns];
        const lines = Array.from({ length: rows }, (_, line) => line).filter(
          (line) => edge(x) <= line && line < edge(x + 1),
        );
        const values = lines.map((line) => data[line * columns + column] as number);
        const mean = values.reduce((sum, one) => sum + one, 0) / values.length;
        const [usual, ...extremes] = [mean, Math.min(...values), Math.max(...values)].map((one) =>
          String(colorOf(one, display)),
        );
        const seen = String(await card.colorAt((x + 0.5) / width, 1 - (column + 0.5) / columns));
        expect([usual, ...extremes]).toContain(seen);
        if (seen === usual) means++;
      }
      expect(means).toBeGreaterThan(30);
    });

    it('shows every sample exactly when zoomed by keys, and reads it out', async () => {
      const { page, url } = viewer;
      const [rows, columns] = info.plane.shape as [number, number];
      const data = await planeOf(url, info, 0);
      const value = (row: number, column: number) => data[row * columns + column] as number;
      const display = await displayOf(page, channelName(info, 0));
      const card = source(info, 0);
      const target = await card.point(rows / 3, columns / 2);
      await page.mouse.click(target.x, target.y);
      for (let i = 0; i < 30; i++) await press('Control+Shift++');
      await frames(page);
      const closest = await card.seen();
      expect(closest.rows[1] - closest.rows[0]).toBeCloseTo(4, 1);
      expect(closest.columns[0]).toBeCloseTo(0, 3);
      expect(closest.columns[1]).toBeCloseTo(columns, 2);
      for (let i = 0; i < 5; i++) await press('Control+Shift+-');
      await steady(page);
      const places = spread(await card.seen(), 24);
      for (const { row, column } of places) {
        const color = await card.color(row + 0.5, column + 0.5);
        expect(color, `line ${row}, pixel ${column}`).toEqual(colorOf(value(row, column), display));
      }

      const { row, column } = places[5] as { row: number; column: number };
      const at = await card.point(row + 0.5, column + 0.5);
      await page.mouse.move(at.x, at.y);
      const words = page.locator('.image-readout');
      await expect.poll(() => words.innerText()).toContain(`line ${formatNumber(row)} · pixel ${column}`);
      const [y = 0, x = 0] = info.plane.axes.map(({ step }) => step);
      const [time = '', position = ''] = (await words.locator('.image-readout-calibrated').innerText()).split(' · ');
      expect(time.endsWith(' s')).toBe(true);
      expect(Number.parseFloat(time)).toBeCloseTo((row + 0.5) * y, 4);
      expect(Number.parseFloat(position)).toBeCloseTo((column + 0.5) * x, 2);
      expect(await words.locator('b').first().innerText()).toBe(formatSample(value(row, column)));
      await card.changes(() => page.mouse.dblclick(at.x, at.y));
      const home = await card.seen();
      expect([home.rows[0], Math.round(home.rows[1])]).toEqual([0, rows]);
    });

    it('zooms to a dragged time range, and keeps the sample under the pointer with the wheel', async () => {
      const { page } = viewer;
      const card = source(info, 0);
      const [rows, columns] = info.plane.shape as [number, number];
      const [from, to] = [await card.point(rows * 0.25, columns / 2), await card.point(rows * 0.5, columns * 0.6)];
      const band = await card.changes(async () => {
        await page.mouse.move(from.x, from.y);
        await page.mouse.down();
        await page.mouse.move((from.x + to.x) / 2, from.y);
        await page.mouse.move(to.x, to.y);
        await page.mouse.up();
      });
      const line = rows / (await card.size()).width;
      expect(Math.abs(band.rows[0] - rows * 0.25)).toBeLessThan(2 * line);
      expect(Math.abs(band.rows[1] - rows * 0.5)).toBeLessThan(2 * line);
      expect(band.columns[1] - band.columns[0]).toBeCloseTo(columns, 2);
      const at = await card.point(rows * 0.4, columns * 0.3);
      await page.mouse.move(at.x, at.y);
      await card.changes(() => page.mouse.wheel(0, -300));
      const after = await card.point(rows * 0.4, columns * 0.3);
      expect(Math.abs(after.x - at.x)).toBeLessThan(1);
      expect(Math.abs(after.y - at.y)).toBeLessThan(1);
      const undone = await card.changes(() => press('z'));
      expect(undone.rows[0]).toBeCloseTo(band.rows[0], 1);
    });
  });

  it('shows channels in the colors of the file', async () => {
    const samples = [10, 20, 30].map((value) => Uint8Array.of(value, 0, value, 0));
    const path = writeTemp(
      folder,
      'color.tif',
      writeTiff({ pages: [{ width: 2, height: 2, samples, photometric: 2 }] }),
    );
    const info = await open(path);
    try {
      expect(info.channels.map(({ name, color }) => [name, color])).toEqual([
        ['R', '#FF0000'],
        ['G', '#00FF00'],
        ['B', '#0000FF'],
      ]);
      const shown = [];
      for (const { name } of info.channels) shown.push((await displayOf(viewer.page, name)).lut);
      expect(shown).toEqual(['red', 'green', 'blue']);
    } finally {
      await viewer.end();
    }
  });

  it('shows a depth axis for an x–z scan', async () => {
    const info = await open(writeOif(folder, sections(1)));
    try {
      expect(info.plane.axes[0]?.label).toBe('z');
      const { page } = viewer;
      await expect.poll(() => page.locator('.image-extent').first().textContent()).toBe('x (µm) 0 to 1; z (µm) 0 to 3');
      const facts = await viewer.facts();
      expect(facts).toContain('Extent of Y (z) 3 µm');
      expect(facts).toContain('Extent of X 1 µm');
      await expect
        .poll(() => page.getByRole('list', { name: 'Warnings' }).innerText())
        .toContain('the rows are depths, so the Y axis runs along z');
    } finally {
      await viewer.end();
    }
  });

  describe.each(multiChannels(folder))('several channels, %s', (_kind, path) => {
    afterEach(() => viewer.end());

    it('shows the chosen time and section, and zooms linked cards together', async () => {
      const info = await open(path);
      await viewer.asStored();
      const { page, url } = viewer;
      const choose = async (dim: string, index: number) => {
        await page.locator(`.stack-bar input[name=${dim}]`).fill(String(index + 1));
        await press('Tab');
        await page.getByRole('tab', { selected: true, name: `${dim} ${index + 1}` }).waitFor();
      };
      await choose('T', 2);
      await choose('Z', 1);
      const place = '?T=2&Z=1';
      const shown = { ...info, channels: info.channels.map((one) => ({ ...one, dataUrl: one.dataUrl + place })) };
      await steady(page);
      const columns = info.plane.shape[1] as number;
      const cards = shown.channels.map((_, position) => source(shown, position, STORED));
      await cards[0]?.stage.focus();
      for (let i = 0; i < 6; i++) await press('+');
      await steady(page);
      for (const [position, card] of cards.entries()) {
        const data = await planeOf(url, shown, position);
        const display = await displayOf(page, channelName(shown, position));
        for (const { row, column } of spread(await card.seen(), 10)) {
          const color = await card.color(row + 0.5, column + 0.5);
          expect(color, `${position}: ${row}, ${column}`).toEqual(
            colorOf(data[row * columns + column] as number, display),
          );
        }
      }
      const [one, two] = cards as [CardImage, CardImage];
      // Cards of the same size, to a pixel of the screen.
      const { rows, columns: across } = await one.seen();
      const near = (numbers: readonly number[]) => numbers.map((value) => expect.closeTo(value, 2));
      expect(await two.seen()).toEqual({ rows: near(rows), columns: near(across) });
      await one.stage.focus();
      await press('k');
      await one.changes(() => press('-'));
      expect((await two.seen()).rows).not.toEqual((await one.seen()).rows);
    });

    it('adds the colors of all visible channels by opacity in a composite', async () => {
      const info = await open(path);
      await viewer.asStored();
      const { page, url } = viewer;
      const columns = info.plane.shape[1] as number;
      await source(info, 0, STORED).stage.focus();
      await press('c');
      const card = new CardImage(page, 'Source', 'composite', info.plane, STORED);
      await card.stage.focus();
      for (let i = 0; i < 6; i++) await press('+');
      await openContrast(page, channelName(info, 1));
      await page.getByLabel(`Opacity of ${channelName(info, 1)} in the composite`).fill('40');
      await steady(page);
      const layers: { data: Float32Array; display: Display; opacity: number }[] = [];
      for (const [position, { name }] of info.channels.entries()) {
        const data = await planeOf(url, info, position);
        layers.push({ data, display: await displayOf(page, name), opacity: position === 1 ? 0.4 : 1 });
      }
      const expected = (at: number, some: typeof layers) =>
        [0, 1, 2].map((part) =>
          Math.min(
            255,
            some.reduce((sum, { data, display, opacity }) => {
              return sum + Math.round((colorOf(data[at] as number, display)[part] as number) * opacity);
            }, 0),
          ),
        );
      const places = spread(await card.seen(), 12);
      for (const { row, column } of places) {
        expect(await card.color(row + 0.5, column + 0.5)).toEqual(expected(row * columns + column, layers));
      }
      await page
        .locator('.contrast-panel')
        .getByRole('checkbox', { name: `Show ${channelName(info, 0)}` })
        .uncheck();
      await steady(page);
      for (const { row, column } of places) {
        expect(await card.color(row + 0.5, column + 0.5)).toEqual(expected(row * columns + column, layers.slice(1)));
      }
    });
  });
});
