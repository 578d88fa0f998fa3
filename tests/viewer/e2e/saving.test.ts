/** What is taken away from the page, against the numbers of the plane. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenResponse } from '../../../packages/client/src/contract/open.js';
import { chromiumPath } from '../../support/browser.js';
import { SAMPLE } from '../../support/cli.js';
import { decodePng } from '../../support/png.js';
import { tempFolder, writeTemp } from '../../support/temp.js';
import {
  CardImage,
  colorOf,
  type Display,
  displayOf,
  LYING,
  openContrast,
  planeOf,
  steady,
} from '../../support/viewer-image.js';
import { type ViewerPage, ViewerPages } from '../../support/viewer-page.js';
import { kymographs } from './files.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: the viewer was not tested in a browser');

const folder = tempFolder();
const pages = new ViewerPages();

describe.runIf(available)('viewer: saving', () => {
  beforeAll(() => pages.start());
  afterAll(() => pages.close());

  describe.each(kymographs(SAMPLE))('a kymograph, %s', (_kind, path) => {
    let viewer: ViewerPage;
    let info: OpenResponse;
    let data: Float32Array;
    let display: Display;

    beforeAll(async () => {
      viewer = await pages.open();
      await viewer.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      // There is nobody to answer the dialog of the system: the page falls back to a download.
      await viewer.page.addInitScript(() => Object.defineProperty(window, 'showSaveFilePicker', { value: undefined }));
      await viewer.page.reload();
      info = await viewer.openPath(path);
      await steady(viewer.page);
      data = await planeOf(viewer.url, info, 0);
      display = await displayOf(viewer.page, name());
      await viewer.page.getByRole('button', { name: 'Save…' }).click();
    });
    afterAll(() => viewer.end());

    const name = () => info.channels[0]?.name as string;
    const dialog = () => viewer.page.getByRole('dialog', { name: 'Save and share' });

    const choose = (tab: string) => dialog().getByRole('tab', { name: tab }).click();

    async function saved(tab: string, label: RegExp): Promise<{ name: string; bytes: Buffer }> {
      await choose(tab);
      const download = viewer.page.waitForEvent('download');
      await dialog().getByRole('button', { name: label }).click();
      const file = await download;
      const bytes = await readFile(await file.path());
      await dialog().getByText(`${file.suggestedFilename()} was saved.`).waitFor();
      return { name: file.suggestedFilename(), bytes };
    }

    it('is saved as .npy with its header and every byte of the plane', async () => {
      const file = await saved('Numbers', /^NumPy/);
      expect(file.name).toBe(`${info.source.name}.ch1.npy`);
      expect(file.bytes.toString('latin1', 0, 8)).toBe('\x93NUMPY\x01\x00');
      const end = 10 + file.bytes.readUInt16LE(8);
      const [rows, columns] = info.plane.shape;
      const header = file.bytes.toString('latin1', 10, end);
      expect(header).toContain("'descr': '<u2'");
      expect(header).toContain(`'shape': (${rows}, ${columns})`);
      // In the type of the file, which has whole numbers of 16 bits.
      expect(file.bytes.subarray(end).equals(Buffer.from(Uint16Array.from(data).buffer))).toBe(true);
    });

    it('is saved as TIFF, which the server reads back with every byte', async () => {
      const file = await saved('Numbers', /^TIFF/);
      const copy = writeTemp(folder, file.name, file.bytes);
      const answer = await fetch(`${viewer.url}/api/v2/open`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ path: copy }),
      });
      const again = (await answer.json()) as OpenResponse;
      expect(again.plane.shape).toEqual(info.plane.shape);
      const steps = (one: OpenResponse) => one.plane.axes.map(({ step }) => expect.closeTo(step, 8));
      expect(again.plane.axes.map(({ step }) => step)).toEqual(steps(info));
      const read = await planeOf(viewer.url, again, 0);
      expect(Buffer.from(read.buffer).equals(Buffer.from(data.buffer))).toBe(true);
    });

    it('is saved as CSV with every sample at its time and position', async () => {
      const text = (await saved('Numbers', /^CSV/)).bytes.toString();
      const [titles = '', ...lines] = text.trimEnd().split('\n');
      const [rows = 0, columns = 0] = info.plane.shape;
      expect(lines.length).toBe(rows);
      expect(Number(titles.split(',')[columns])).toBeCloseTo((columns - 0.5) * 0.284, 9);
      let wrong = 0;
      for (const [row, line] of lines.entries()) {
        const [time, ...values] = line.split(',').map(Number);
        if (Math.abs((time as number) - (row + 0.5) * 0.00117) > 1e-9 || values.length !== columns) wrong++;
        for (const [column, value] of values.entries()) if (value !== data[row * columns + column]) wrong++;
      }
      expect(wrong).toBe(0);
    });

    it('is saved as PNG with the color of every sample', async () => {
      const { width, height, rgb } = decodePng((await saved('Image', /^One pixel per sample/)).bytes);
      const [rows = 0, columns = 0] = info.plane.shape;
      expect([width, height]).toEqual([rows, columns]);
      const colors = new Map<number, string>();
      let wrong = 0;
      for (let row = 0; row < rows; row++) {
        for (let column = 0; column < columns; column++) {
          const value = data[row * columns + column] as number;
          const wanted = colors.get(value) ?? String(colorOf(value, display));
          colors.set(value, wanted);
          // Time to the right, the first pixel at the bottom.
          const at = 3 * ((columns - 1 - column) * rows + row);
          if (`${rgb[at]},${rgb[at + 1]},${rgb[at + 2]}` !== wanted) wrong++;
        }
      }
      expect(wrong).toBe(0);
    });

    it('is saved as image and figure files of the right kind', async () => {
      const shown = await saved('Image', /^Image as shown/);
      const png = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
      expect(shown.bytes.subarray(0, 8).equals(png)).toBe(true);
      const card = new CardImage(viewer.page, 'Source', String(info.channels[0]?.index), info.plane, LYING);
      expect(shown.bytes.readUInt32BE(16)).toBeGreaterThan(2 * (await card.size()).width);
      const figure = await saved('Figure', /^Save PNG/);
      expect(figure.bytes.subarray(0, 8).equals(png)).toBe(true);
      const svg = (await saved('Figure', /^Save SVG/)).bytes.toString();
      expect(svg).toMatch(/^<svg[\s>]|<\?xml/);
      expect(svg).toContain('time (s)');
      expect(svg).not.toMatch(/<script|href="http/);
    });

    it('has a program for this file and channel', async () => {
      await choose('Link and programs');
      const program = dialog().locator('.export-program').last();
      for (const language of ['Python', 'JavaScript', 'curl']) {
        await dialog().getByRole('group', { name: 'Language' }).getByRole('radio', { name: language }).check();
        expect(await program.innerText()).toContain(viewer.url);
        expect(await program.innerText()).toContain(info.source.name);
      }
    });

    it('has what other programs need to open the acquisition', async () => {
      await choose('Link and programs');
      const shown = dialog().locator('.export-program').first();
      for (const program of ['neuroglancer', 'vizarr', 'napari', 'Python']) {
        await dialog().getByRole('group', { name: 'Program' }).getByRole('radio', { name: program }).check();
        expect(decodeURIComponent(await shown.innerText())).toContain(
          `${viewer.url}${info.zarr?.['0.4'].slice(0, 17)}`,
        );
        await dialog()
          .getByRole('button', { name: `Copy for ${program}` })
          .waitFor();
      }
    });

    it('has a link that restores view, contrast and marks', async () => {
      const { page } = viewer;
      await page.keyboard.press('Escape');
      const field = async (label: string, value: string) => {
        await page.getByLabel(label, { exact: true }).fill(value);
        await page.keyboard.press('Enter');
      };
      await openContrast(page, name());
      await field(`Minimum value of ${name()}`, '20');
      await field(`Maximum value of ${name()}`, '300');
      await page.getByLabel(`Colors of ${name()}`, { exact: true }).selectOption('fire');
      const card = new CardImage(page, 'Source', String(info.channels[0]?.index), info.plane, LYING);
      await card.stage.focus();
      for (let i = 0; i < 14; i++) await page.keyboard.press('+');
      await page.getByRole('button', { name: '+ Line' }).click();
      const words = await page.locator('.measure-mark').innerText();
      await steady(page);
      await page.getByRole('button', { name: 'Save…' }).click();
      await choose('Link and programs');
      await dialog().getByRole('button', { name: 'Copy link' }).click();
      await dialog().getByText('Copied').waitFor();
      const link = await page.evaluate(() => navigator.clipboard.readText());
      expect(link.startsWith(`${viewer.url}/demo/v2/?path=`)).toBe(true);

      const other = await pages.open(link.slice(viewer.url.length));
      await other.page.getByRole('button', { name: 'Open this file' }).click();
      await other.page.getByRole('tab', { selected: true, name: info.source.name }).waitFor();
      await steady(other.page);
      const same = new CardImage(other.page, 'Source', String(info.channels[0]?.index), info.plane, LYING);
      // Links have eight digits.
      const { rows: seenRows, columns: seenColumns } = await card.seen();
      const near = (range: readonly number[]) => range.map((end) => expect.closeTo(end, 2));
      expect(await same.seen()).toEqual({ rows: near(seenRows), columns: near(seenColumns) });
      expect(await displayOf(other.page, name())).toEqual({ min: 20, max: 300, gamma: 1, lut: 'fire', invert: false });
      expect(await other.page.locator('.measure-mark').innerText()).toBe(words);
      const { rows, columns } = await same.seen();
      const display = await displayOf(other.page, name());
      const width = info.plane.shape[1] as number;
      for (const share of [0.1, 0.3, 0.6, 0.9]) {
        const row = Math.floor(rows[0] + share * (rows[1] - rows[0]));
        const column = Math.floor(columns[0] + share * (columns[1] - columns[0]));
        const wanted = colorOf(data[row * width + column] as number, display);
        expect(await same.color(row + 0.5, column + 0.5)).toEqual(wanted);
      }
      await other.end();
    });
  });
});
