/** Velocity over time in the page: on which channel it starts and why, what it refuses, and what its chart shows. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath } from '../../support/browser.js';
import { SAMPLE } from '../../support/cli.js';
import { tempFolder, writeTemp } from '../../support/temp.js';
import { steady } from '../../support/viewer-image.js';
import { type ViewerPage, ViewerPages } from '../../support/viewer-page.js';
import { writeTiff } from '../../writers/tiff.js';
import { flow, STILL } from '../analysis/line-scans.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: the viewer was not tested in a browser');

const folder = tempFolder();
const pages = new ViewerPages();
let viewer: ViewerPage;

const ROWS = 1024;
const COLUMNS = 64;

/** 1,024 lines of 64 pixels: cells move 2 pixels per line in the first 600; then nothing is left but noise. */
function stoppingCells(): string {
  const moving = flow({ rows: ROWS, columns: COLUMNS, speed: -2, pulse: 0.02, noise: 10, sharp: false, seed: 5 }).data;
  const noise = STILL['white noise']!({ rows: ROWS, columns: COLUMNS }, 9);
  const samples = Uint16Array.from(moving, (value, i) => 1000 + (i < 600 * COLUMNS ? value : noise[i]!));
  return writeTemp(folder, 'stopping.tif', writeTiff({ pages: [{ width: COLUMNS, height: ROWS, samples }] }));
}

/** What the page draws on canvases from now on: circles, and the left ends of labels that end at an axis. */
function recordDrawing(): void {
  const drawn = { rings: 0, labels: [] as { text: string; left: number }[] };
  Object.assign(window, { drawn });
  const { arc, fillText, clearRect } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.clearRect = function (...args) {
    if (this.canvas.closest('.measure-chart')) Object.assign(drawn, { rings: 0, labels: [] });
    return clearRect.apply(this, args);
  };
  CanvasRenderingContext2D.prototype.arc = function (...args) {
    if (this.canvas.closest('.measure-chart')) drawn.rings += 1;
    return arc.apply(this, args);
  };
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
    if (this.canvas.closest('.measure-chart') && (this.textAlign === 'right' || this.textAlign === 'end')) {
      const { e } = this.getTransform();
      drawn.labels.push({ text, left: x + e - this.measureText(text).width });
    }
    return fillText.call(this, text, x, y);
  };
}

async function open(path: string): Promise<void> {
  viewer = await pages.open();
  await viewer.page.addInitScript(() => Object.defineProperty(window, 'showSaveFilePicker', { value: undefined }));
  await viewer.page.addInitScript(recordDrawing);
  await viewer.page.reload();
  await viewer.openPath(path);
  await steady(viewer.page);
  await viewer.page.getByRole('button', { name: 'Velocity', exact: true }).click();
}

const strip = () => viewer.page.getByRole('region', { name: 'Velocity over time' });
const status = () => strip().getByRole('status').first();
const drawn = () =>
  viewer.page.evaluate(
    () => (window as unknown as { drawn: { rings: number; labels: { text: string; left: number }[] } }).drawn,
  );

describe.runIf(available)('velocity over time', () => {
  beforeAll(() => pages.start());
  afterAll(() => pages.close());

  it('starts on the channel with moving bands, says why, and refuses the one without', async () => {
    await open(SAMPLE);
    await expect
      .poll(() => status().innerText(), { timeout: 30_000 })
      .toMatch(/^median 29\d\.\d µm\/s in Vessel, which has the clearest bands \(quality 0\.9\d; Calcium 0\.\d\d\)/);
    const channel = strip().getByLabel('Channel');
    await channel.selectOption({ label: 'Calcium' });
    const sentence = strip().getByText(
      /^Calcium has no moving bands: median quality 0\.\d\d, required 0\.5\. Vessel: 0\.9\d\.$/,
    );
    await sentence.waitFor({ timeout: 30_000 });
    expect(await strip().getByRole('img').count()).toBe(0);
    expect(await strip().getByRole('button', { name: 'Save velocities' }).count()).toBe(0);
    expect(await status().innerText()).toBe('No velocity');
    await strip().getByRole('button', { name: 'Use Vessel' }).click();
    await expect
      .poll(() => status().innerText(), { timeout: 30_000 })
      .toMatch(/^median 29\d\.\d µm\/s in Vessel \(quality/);
    expect(await channel.evaluate((select: HTMLSelectElement) => select.selectedOptions[0]?.text)).toBe('Vessel');
    await viewer.end();
  });

  it('draws refused windows as rings that no line connects, and no label is cut', async () => {
    await open(stoppingCells());
    const { page } = viewer;
    await page.getByRole('button', { name: 'Enter it…' }).click();
    await page.getByLabel('Line period (ms)').fill('0.08');
    await page.getByLabel('Pixel size (µm)').fill('0.5');
    await page.getByRole('button', { name: 'Apply' }).click();
    await expect.poll(() => status().innerText(), { timeout: 30_000 }).toMatch(/^median −12,\d{3} µm\/s/);
    const download = viewer.page.waitForEvent('download');
    await strip().getByRole('button', { name: 'Save velocities' }).click();
    const [titles = '', ...lines] = (await readFile(await (await download).path(), 'utf8')).trimEnd().split('\n');
    const accepted = titles.split(',').indexOf('quality >= 0.5');
    const rejected = lines.filter((line) => line.split(',')[accepted] === '0').length;
    expect(rejected).toBeGreaterThan(0);
    expect(rejected).toBeLessThan(lines.length / 2);
    const { rings, labels } = await drawn();
    expect(rings).toBe(rejected);
    expect(labels.map(({ text }) => text)).toContain('quality');
    expect(labels.length).toBeGreaterThan(1);
    for (const { text, left } of labels) expect(left, text).toBeGreaterThanOrEqual(0);
    await viewer.end();
  });
});
