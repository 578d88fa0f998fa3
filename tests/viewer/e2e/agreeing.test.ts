/** Numbers and words of the page that must agree with each other, and with what is saved. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chromiumPath } from '../../support/browser.js';
import { SAMPLE } from '../../support/cli.js';
import { tempFolder, writeTemp } from '../../support/temp.js';
import { steady } from '../../support/viewer-image.js';
import { type ViewerPage, ViewerPages } from '../../support/viewer-page.js';
import { STACK, STEPS, stackFile, stackValue } from '../../support/viewer-stack.js';
import { writeTiff } from '../../writers/tiff.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: the viewer was not tested in a browser');

const folder = tempFolder();
const pages = new ViewerPages();

describe.runIf(available)('viewer: numbers that agree', () => {
  let viewer: ViewerPage;
  beforeAll(async () => {
    await pages.start();
    viewer = await pages.open('/', { viewport: { width: 1280, height: 800 } });
    // There is nobody to answer the dialog of the system: the page falls back to a download.
    await viewer.page.addInitScript(() => Object.defineProperty(window, 'showSaveFilePicker', { value: undefined }));
    await viewer.page.reload();
  });
  afterAll(async () => {
    await viewer.end();
    await pages.close();
  });

  describe('of a stack', () => {
    beforeAll(async () => {
      await viewer.openPath(stackFile(folder, { name: 'agree.ome.tif' }));
      await steady(viewer.page);
    });

    const row = (name: string) =>
      viewer.page.locator('.measure-details tr').filter({ has: viewer.page.getByRole('rowheader', { name }) });
    const field = (end: 'from' | 'to', axis: 'x' | 'y') =>
      viewer.page.getByLabel(`${end} ${axis} (µm)`, { exact: true });

    it('the fields of a region and its table have the same edges, whole samples', async () => {
      const { page } = viewer;
      await page.keyboard.press('r');
      const box = (await page.locator('canvas.image-canvas').first().boundingBox())!;
      // Places within samples.
      const at = (x: number, y: number) => [box.x + x * box.width, box.y + y * box.height] as const;
      await page.mouse.move(...at(0.4137, 0.4273));
      await page.mouse.down();
      await page.mouse.move(...at(0.5531, 0.6119), { steps: 4 });
      await page.mouse.up();
      const agree = async () => {
        for (const [axis, name] of [
          ['y', 'Rows'],
          ['x', 'Columns'],
        ] as const) {
          const text = (await row(name).locator('td').textContent()) ?? '';
          const [, first, last, count, size] = /^(\d+)–(\d+): (\d+) = ([\d.]+) µm$/.exec(text) ?? [];
          const from = Number(await field('from', axis).inputValue());
          const to = Number(await field('to', axis).inputValue());
          expect([from, to]).toEqual([STEPS.pixel * Number(first), STEPS.pixel * (Number(last) + 1)]);
          expect(to - from).toBeCloseTo(STEPS.pixel * Number(count), 9);
          expect(to - from).toBeCloseTo(Number(size), 9);
        }
      };
      await agree();
      // A place between the edges of a sample becomes the next edge.
      await field('to', 'x').fill('6.1');
      await field('to', 'x').press('Enter');
      await field('to', 'x').blur();
      expect(await field('to', 'x').inputValue()).toBe('6');
      await agree();
    });

    it('a maximum is saved in the type of the file', async () => {
      const { page } = viewer;
      await page.evaluate(() => (document.activeElement as HTMLElement).blur());
      const info = await viewer.openPath(stackFile(folder, { name: 'maximum.ome.tif' }));
      await steady(page);
      const t = info.selection?.['T'] ?? 0;
      const select = page.locator('select[name=projection-Z]');
      await page.getByRole('button', { name: 'Speed, loop and projection' }).click();
      await select.selectOption('max');
      await page.getByText(`maximum of ${STACK.Z} sections`).first().waitFor({ state: 'attached' });
      await steady(page);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Save…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Save and share' });
      await dialog.getByRole('tab', { name: 'Numbers' }).click();
      const download = page.waitForEvent('download');
      await dialog.getByRole('button', { name: 'NumPy array, uint16 (.npy)' }).click();
      const file = await download;
      expect(file.suggestedFilename()).toBe(`maximum.ome.tif.T${t + 1}.Zmax.ch1.npy`);
      const bytes = await readFile(await file.path());
      const end = 10 + bytes.readUInt16LE(8);
      expect(bytes.toString('latin1', 10, end)).toContain("'descr': '<u2'");
      const values = new Uint16Array(bytes.buffer.slice(bytes.byteOffset + end, bytes.byteOffset + bytes.length));
      const largest = (i: number) =>
        Math.max(...[0, 1, 2].map((z) => stackValue(t, z, 0, Math.floor(i / STACK.X), i % STACK.X)));
      expect([...values]).toEqual(Array.from({ length: STACK.Y * STACK.X }, (_, i) => largest(i)));
      await page.keyboard.press('Escape');
    });
  });

  it('the size of a color image is its width and height, in the heading and of a region', async () => {
    const samples = [3, 5, 7].map((step) => Uint8Array.from({ length: 24 * 16 }, (_, i) => (step * i) % 256));
    await viewer.openPath(writeTemp(folder, 'wide.tif', writeTiff({ pages: [{ width: 24, height: 16, samples }] })));
    await steady(viewer.page);
    await viewer.page.getByText('24 × 16 px').first().waitFor({ state: 'attached' });
  });

  it('the velocity of a line that was drawn with the keyboard is announced', async () => {
    const { page } = viewer;
    await viewer.openPath(SAMPLE);
    await steady(page);
    await page.getByRole('application').first().focus();
    await page.keyboard.press('l');
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Enter');
    const spoken = page.locator('output[aria-live=polite]').first();
    await expect.poll(() => spoken.textContent()).toBe('Line 1 started. Move to its next point and press Enter.');
    for (let i = 0; i < 3; i++) await page.keyboard.press('Shift+ArrowRight');
    for (let i = 0; i < 2; i++) await page.keyboard.press('Shift+ArrowUp');
    await expect.poll(() => spoken.textContent()).toMatch(/^line/);
    await page.keyboard.press('Enter');
    await expect.poll(() => spoken.textContent()).toMatch(/^Line 1: −?[\d,.]+ µm\/s$/);
    const words = (await spoken.textContent())?.slice('Line 1: '.length) ?? '';
    // The same as in the list.
    await page.getByText(words, { exact: true }).first().waitFor({ state: 'attached' });
  });
});

describe.runIf(available)('viewer: the start page', () => {
  const confined = new ViewerPages();
  beforeAll(() => confined.start(['--root', folder]));
  afterAll(() => confined.close());

  let viewer: ViewerPage;
  beforeEach(async () => {
    viewer = await confined.open();
  });

  /** Headings of the page with nothing below them. */
  const empty = () =>
    viewer.page
      .locator('main h2')
      .evaluateAll((all) =>
        all
          .filter((one) => (one.closest('section')?.textContent ?? '') === one.textContent)
          .map((one) => one.textContent),
      );

  it('has no empty section where a root hides the sample', async () => {
    await viewer.page.getByText('Supported formats').waitFor();
    expect(await viewer.page.getByText('Sample data').count()).toBe(0);
    expect(await empty()).toEqual([]);
    await viewer.end();
  });

  it('has no empty section before it may ask the server', async () => {
    const body = JSON.stringify({ ok: false, error: 'unauthorized', message: 'A token is required.', details: null });
    await viewer.page.route('**/api/v2**', (route) =>
      route.fulfill({ status: 401, contentType: 'application/json', body }),
    );
    await viewer.page.reload();
    await viewer.page.getByText('Open an acquisition').first().waitFor();
    expect(await viewer.page.getByRole('heading', { name: 'Supported formats' }).count()).toBe(0);
    expect(await empty()).toEqual([]);
    await viewer.page.close();
  });
});
