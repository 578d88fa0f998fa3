/** What was not recorded, in pictures, strips, sliders, overview bar and files of the page as it is shipped. */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { encodeView } from '../../../packages/viewer/src/app/view-state.ts';
import type { Mark } from '../../../packages/viewer/src/model/document.ts';
import { complaints } from '../../support/axe.js';
import { chromiumPath } from '../../support/browser.js';
import { lineScan } from '../../support/lsm.js';
import { decodePng } from '../../support/png.js';
import { tempFolder, writeTemp } from '../../support/temp.js';
import { frames, steady } from '../../support/viewer-image.js';
import { type ViewerPage, ViewerPages } from '../../support/viewer-page.js';
import { stackFile } from '../../support/viewer-stack.js';
import { writeLsm } from '../../writers/lsm.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: gaps in the viewer were not tested');

const folder = tempFolder();
const pages = new ViewerPages();

/** Lines of 10 ms: 6 s of them, 2 s of nothing, and 4 s. Bands move 0.6 pixels of 0.25 µm a line: 15 µm/s. */
const LINES = 1000;
const BREAK = 600;
const PERIOD = 0.01;
const timeOf = (line: number) => line * PERIOD + (line >= BREAK ? 2 : 0);
const WHOLE = 12;

function scanFile(): string {
  const scan = lineScan({
    width: 64,
    rows: LINES,
    value: ({ channel, y, x }) => 200 + 100 * Math.sin((x + 0.6 * (channel + 1) * y) / 3),
  });
  const stamps = Array.from({ length: LINES }, (_, line) => 50 + timeOf(line));
  return writeTemp(
    folder,
    'paused.lsm',
    writeLsm({ ...scan, info: { ...scan.info, X: 64, T: LINES, interval: PERIOD, stamps } }),
  );
}

/** Ground of the hatching, in the light theme and in files. */
const GROUND = [225, 228, 231];

interface Hatched {
  /** Columns of CSS pixels from the left edge of the canvas. */
  readonly from: number;
  readonly to: number;
  /** Pixels in it whose color is not a gray: of a curve, or of a sample. */
  readonly colored: number;
}

/** Finds the hatched columns of a canvas between two of its rows, given as shares of its height. */
function hatched(element: Element, [ground, top, bottom]: [number[], number, number]): Hatched {
  const canvas = element as HTMLCanvasElement;
  const { width, height } = canvas;
  const scale = width / canvas.getBoundingClientRect().width;
  const [first, end] = [Math.round(top * height), Math.round(bottom * height)];
  const { data } = canvas.getContext('2d')!.getImageData(0, first, width, end - first);
  const at = (x: number, y: number) => [0, 1, 2].map((i) => data[4 * (y * width + x) + i]!);
  const rows = Array.from({ length: end - first }, (_, y) => y);
  const isHatched = (x: number) =>
    rows.filter((y) => at(x, y).every((value, i) => value === ground[i])).length > 0.4 * rows.length;
  const columns = Array.from({ length: width }, (_, x) => x).filter(isHatched);
  const [from, last] = [columns[0] ?? 0, columns.at(-1) ?? 0];
  // A point of a curve at the edge is a dot that reaches into it.
  const inside = columns.filter((x) => x > from + 3 * scale && x < last - 3 * scale);
  const isColored = (x: number, y: number) => Math.max(...at(x, y)) - Math.min(...at(x, y)) > 40;
  const colored = inside.reduce((sum, x) => sum + rows.filter((y) => isColored(x, y)).length, 0);
  return { from: from / scale, to: (last + 1) / scale, colored };
}

describe.runIf(available)('viewer: what was not recorded', () => {
  let viewer: ViewerPage;
  beforeAll(() => pages.start());
  afterAll(() => pages.close());
  beforeEach(async () => {
    viewer = await pages.open('/', { viewport: { width: 1280, height: 800 }, colorScheme: 'light' });
    // There is nobody to answer the dialog of the system: the page falls back to a download.
    await viewer.page.addInitScript(() => Object.defineProperty(window, 'showSaveFilePicker', { value: undefined }));
    await viewer.page.reload();
  });
  afterEach(() => viewer.end());

  /** Waits until the measured times have come. */
  const isPaused = () =>
    expect.poll(() => viewer.page.locator('.image-extent').first().innerText()).toContain('not recorded');
  const openScan = async () => {
    await viewer.openPath(scanFile());
    await isPaused();
    await viewer.page.getByRole('button', { name: 'Velocity', exact: true }).click();
    await viewer.page.getByText('none across a pause').first().waitFor({ state: 'attached' });
    await steady(viewer.page);
  };
  const press = (name: string) => viewer.page.getByRole('button', { name, exact: true }).click();
  /** The hatching of all pictures and strips. Strips have an axis beside their plot, which is as wide as the picture. */
  const all = async () => {
    const { page } = viewer;
    const pictures = await page.locator('.image-canvas').all();
    const strips = await page.locator('.measure-strip .plot-canvas canvas, .stack-traces .plot-canvas canvas').all();
    const box = (await pictures[0]!.boundingBox())!;
    const found = [];
    for (const canvas of [...pictures, ...strips]) {
      const off = (await canvas.boundingBox())!.x - box.x;
      const { from, to, colored } = await canvas.evaluate(hatched, [GROUND, 0.3, 0.7] as [number[], number, number]);
      found.push({ from: from + off, to: to + off, colored });
    }
    return { found, width: box.width, pictures: pictures.length, strips: strips.length };
  };
  /** The time axis of the picture, in seconds. */
  const extent = async () => {
    const text = await viewer.page.locator('.image-extent').first().innerText();
    const [, unit, from, to] = /^time \((m?s)\) ([\d.,]+) to ([\d.,]+);/.exec(text)!;
    return [from, to].map((end) => Number(end!.replaceAll(',', '')) * (unit === 'ms' ? 1e-3 : 1)) as [number, number];
  };
  const isTrue = async () => {
    await frames(viewer.page);
    const { found, width, ...counts } = await all();
    const [from, to] = await extent();
    const at = (time: number) => ((time - from) / (to - from)) * width;
    for (const gap of found) {
      expect(Math.abs(gap.from - Math.max(0, at(6)))).toBeLessThanOrEqual(1);
      expect(Math.abs(gap.to - Math.min(width, at(8)))).toBeLessThanOrEqual(1);
      expect(gap.colored).toBe(0);
    }
    return counts;
  };
  const download = async (act: () => Promise<void>): Promise<Buffer> => {
    const [file] = await Promise.all([viewer.page.waitForEvent('download'), act()]);
    return readFile(await file.path());
  };

  it('is a gap of 2 s in both pictures and all strips of a line scan, at every zoom', async () => {
    const { page } = viewer;
    await openScan();
    const box = (await page.locator('.image-canvas').first().boundingBox())!;
    await page.mouse.move(box.x + 0.2 * box.width, box.y + 20);
    await page.locator('.plot-cursor').first().waitFor();
    expect(await isTrue()).toEqual({ pictures: 2, strips: 2 });
    const overview = page.locator('[data-part=overview] canvas');
    const { from, to } = await overview.evaluate(hatched, [GROUND, 0, 1] as [number[], number, number]);
    expect([from, to].map((x, i) => Math.abs(x - ((6 + 2 * i) / WHOLE) * box.width) <= 1)).toEqual([true, true]);
    // Zoomed to its end, by the wheel over a picture, and moved by the overview bar.
    await page.mouse.move(box.x + (8 / WHOLE) * box.width, box.y + 20);
    for (let i = 0; i < 4; i++) await page.mouse.wheel(0, -100);
    await expect.poll(async () => (await extent())[0]).toBeGreaterThan(4);
    await isTrue();
    const shown = page.getByRole('slider', { name: 'Shown part of the recording' });
    await shown.focus();
    for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowLeft');
    await isTrue();
    // Samples of several pixels.
    await page.keyboard.press('0');
    await page.mouse.move(box.x + (8.05 / WHOLE) * box.width, box.y + 20);
    for (let i = 0; i < 6; i++) await page.mouse.wheel(0, -400);
    await expect.poll(async () => (await extent())[1] - (await extent())[0]).toBeLessThan(0.2);
    await isTrue();
  });

  it('moves no place in time: the cursor, marks and values are where their lines are', async () => {
    const { page } = viewer;
    await openScan();
    const details = async () => (await viewer.page.locator('.app-facts').allTextContents()).join(' ');
    await expect.poll(details).toMatch(new RegExp(`Duration\\s*${WHOLE} s`));
    const box = (await page.locator('.image-canvas').first().boundingBox())!;
    const xOf = (time: number) => box.x + (time / WHOLE) * box.width;
    const place = () => page.locator('.image-readout').first().innerText();
    for (const line of [100, 599, 600, 930]) {
      await page.mouse.move(xOf(timeOf(line) + PERIOD / 2), box.y + box.height / 2);
      await expect.poll(place).toContain(`line ${line} `);
      await frames(page);
      const x = await page
        .locator('.plot-cursor')
        .evaluateAll((cursors) => cursors.slice(0, 2).map((one) => one.getBoundingClientRect().left));
      for (const at of x) expect(Math.abs(at - xOf(timeOf(line) + PERIOD / 2))).toBeLessThanOrEqual(0.5);
    }
    // There is no sample in the gap, and a strip does not move the cursor there.
    await page.mouse.move(xOf(7), box.y + box.height / 2);
    await expect.poll(place).toBe('Not recorded: 6.0000 s to 8.0000 s');
    const strip = (await page.locator('.measure-strip .u-over').last().boundingBox())!;
    await page.mouse.move(xOf(9), strip.y + 10);
    await expect.poll(place).toContain('line 700 ');
    await page.mouse.move(xOf(7), strip.y + 10);
    await frames(page);
    expect(await place()).toContain('line 700 ');
    await page.mouse.move(box.x + box.width / 2, box.y - 20);
    await expect.poll(place).not.toContain('Not recorded');
    // A region of the pause alone would be of nothing.
    await page.getByRole('button', { name: 'Region', exact: true }).first().click();
    await page.mouse.move(xOf(6.5), box.y + 0.3 * box.height);
    await page.mouse.down();
    await page.mouse.move(xOf(7.5), box.y + 0.6 * box.height, { steps: 3 });
    await page.mouse.up();
    await frames(page);
    expect(await page.locator('.measure-details').count()).toBe(0);
    // A line from 5 s to 9 s over 16 pixels of 0.25 µm: 1 µm/s.
    await page.getByRole('button', { name: 'Line', exact: true }).first().click();
    await page.mouse.move(xOf(5) + 0.2, box.y + 0.75 * box.height);
    await page.mouse.down();
    await page.mouse.move(xOf(7), box.y + 0.6 * box.height);
    await page.mouse.move(xOf(9) + 0.2, box.y + 0.5 * box.height);
    await page.mouse.up();
    const velocity = async () => {
      const text = await page.locator('.measure-details').innerText();
      return Number(/velocity\D*?([−-]?[\d.]+)/i.exec(text)?.[1] ?? Number.NaN);
    };
    await expect.poll(async () => Math.abs((await velocity()) - 1)).toBeLessThan(0.03);
    // The same with time from the bottom up.
    await page.locator('.image-stage').first().focus();
    await page.keyboard.press('t');
    await page.getByRole('slider', { name: 'Shown part of the recording' }).waitFor({ state: 'detached' });
    await steady(page);
    const tall = (await page.locator('.image-canvas').first().boundingBox())!;
    const yOf = (time: number) => tall.y + (1 - time / WHOLE) * tall.height;
    await page.mouse.move(tall.x + tall.width / 2, yOf(timeOf(930)));
    await expect.poll(place).toMatch(/line 9[23]\d /);
    await page.mouse.move(tall.x + tall.width / 2, yOf(7));
    await expect.poll(place).toBe('Not recorded: 6.0000 s to 8.0000 s');
    const share = (time: number) => (yOf(time) - tall.y) / tall.height;
    const columns = await page
      .locator('.image-canvas')
      .first()
      .evaluate(hatched, [GROUND, share(7.9), share(6.1)] as [number[], number, number]);
    expect(columns.to - columns.from).toBeGreaterThan(tall.width - 2);
  });

  it('is in no window of a velocity, and has its true time in tables', async () => {
    const { page } = viewer;
    await openScan();
    await page.mouse.move(300, 180);
    const strip = page.getByRole('region', { name: 'Velocity over time' });
    const table = (await download(() => strip.getByRole('button', { name: 'Save velocities' }).click())).toString();
    const [title = '', ...rows] = table.trim().split('\n');
    const columns = title.split(',');
    const column = (name: RegExp) => columns.findIndex((one) => name.test(one));
    const cells = rows.map((one) => one.split(',').map(Number));
    const [first, size] = [column(/first line/), column(/lines of the window/)];
    expect(cells.length).toBeGreaterThan(50);
    for (const row of cells) {
      const [start, count] = [row[first]!, row[size]!];
      expect(start >= BREAK || start + count <= BREAK).toBe(true);
      expect(row[column(/^time/)]!).toBeCloseTo(timeOf(start) + (count / 2) * PERIOD, 6);
      expect(Math.abs(row[column(/^velocity/)]! + 15)).toBeLessThan(0.5);
    }
    const profile = page.getByRole('region', { name: 'Profile along the image' });
    const values = (await download(() => profile.getByRole('button', { name: 'Save CSV' }).click())).toString();
    const [titles, ...lines] = values
      .trim()
      .split('\n')
      .map((row) => row.split(','));
    const times = lines.map((row) => Number(row[titles!.indexOf('time (s)')]));
    expect(times).toHaveLength(LINES);
    times.forEach((time, line) => {
      expect(time).toBeCloseTo(timeOf(line), 6);
    });
  });

  it('is in saved pictures and figures, as wide as on screen', async () => {
    const { page } = viewer;
    await openScan();
    await press('Save…');
    const dialog = page.getByRole('dialog', { name: 'Save and share' });
    await dialog.getByRole('tab', { name: 'Image' }).click();
    const png = decodePng(await download(() => dialog.locator('[data-job=png-shown]').first().click()));
    const columns = columnsOf(png, [0.3, 0.6], 0.4, isGround);
    const shown = (await page.locator('.image-canvas').first().boundingBox())!;
    expect(Math.abs(columns.length - 2 * (2 / WHOLE) * shown.width)).toBeLessThanOrEqual(2);
    await dialog.getByRole('tab', { name: 'Figure' }).click();
    await dialog.locator('.figure-size').waitFor();
    const figure = decodePng(await download(() => dialog.getByRole('button', { name: 'Save PNG' }).click()));
    const picture = columnsOf(figure, [0.15, 0.3], 0.97, isInk);
    const [left, right] = [picture[0]!, picture.at(-1)! + 1];
    const gap = columnsOf(figure, [0.15, 0.3], 0.4, isGround);
    const perSecond = (right - left) / WHOLE;
    expect(Math.abs(gap.length - 2 * perSecond)).toBeLessThanOrEqual(3);
    expect(Math.abs(gap[0]! - left - 6 * perSecond)).toBeLessThanOrEqual(3);
  });

  it('is a gap on the slider of the time points, in their traces and in their kymograph', async () => {
    const { page, url } = viewer;
    const times = Array.from({ length: 14 }, (_, t) => t / 2 + (t > 6 ? 2 : 0));
    const path = stackFile(folder, { name: 'two.ome.tif', times });
    const marks: Mark[] = [
      { id: '1', kind: 'region', from: { row: 2, column: 20 }, to: { row: 5, column: 30 } },
      { id: '2', kind: 'line', from: { row: 2.5, column: 12.5 }, to: { row: 9.5, column: 12.5 } },
    ];
    const view = encodeView({ source: { views: {}, displays: {}, toggles: {}, marks } });
    await page.goto(`${url}/demo/v2/?path=${encodeURIComponent(path)}#view=${view}`);
    await page.getByRole('button', { name: 'Open this file' }).click();
    await page.getByRole('tab', { name: `${basename(path)} T 1 Z 1` }).waitFor();
    await steady(page);
    const slider = page.getByRole('slider', { name: 'Time point, slider' });
    await expect
      .poll(() => page.locator('.stack-track').first().getAttribute('title'))
      .toBe('2 s not recorded after time point 7');
    const marksOf = page.locator('.stack-marks').first();
    const gap = await marksOf.evaluate(hatched, [GROUND, 0.2, 0.65] as [number[], number, number]);
    // The middle of the thumb goes from 0 to 8.5 s.
    const room = (await marksOf.boundingBox())!.width - 16;
    expect(Math.abs(gap.from - 8 - (3.5 / 8.5) * room)).toBeLessThanOrEqual(1);
    expect(Math.abs(gap.to - 8 - (5.5 / 8.5) * room)).toBeLessThanOrEqual(1);
    // The thumb goes to the nearest time point, and keys from one to the next.
    const box = (await slider.boundingBox())!;
    const number = () => page.locator('.stack-bar input[name=T]').inputValue();
    await page.mouse.click(box.x + 8 + (4.6 / 8.5) * room, box.y + box.height / 2);
    await expect.poll(number).toBe('8');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(number).toBe('7');
    await page.keyboard.press('End');
    await expect.poll(number).toBe('14');
    await page.keyboard.press('Home');
    await expect.poll(number).toBe('1');
    expect(await slider.getAttribute('aria-valuetext')).toBe('1 of 14 · 0.0 s');
    // Sections along time have equally high rows, and say so.
    await press('Orthogonal');
    await page.locator('select[name=third-axis]').selectOption('T');
    await page.getByText('Time points are drawn equally high, although the times between them differ.').waitFor();
    await press('Composite');
    await press('Trace');
    const plot = page.locator('.stack-traces .plot-canvas canvas');
    await plot.waitFor();
    const over = (await page.locator('.stack-traces .u-over').boundingBox())!;
    const traced = () => plot.evaluate(hatched, [GROUND, 0.1, 0.9] as [number[], number, number]);
    await expect.poll(async () => (await traced()).to).toBeGreaterThan(0);
    const { from, to, colored } = await traced();
    // The trace ends with its last time point.
    const [start, end] = [times[0]! - 0.5 * 0.5, times.at(-1)! + 0.5 * 0.5];
    expect(Math.abs(to - from - (2 / (end - start)) * over.width)).toBeLessThanOrEqual(1);
    expect(colored).toBe(0);
    await viewer.openKymograph();
    await page.getByRole('tab', { name: /kymograph of Line 2/, selected: true }).waitFor();
    await isPaused();
    await steady(page);
    const { found, width } = await all();
    expect(found.length).toBeGreaterThanOrEqual(2);
    for (const one of found.slice(0, 2)) {
      expect(Math.abs(one.from - (3.5 / 9) * width)).toBeLessThanOrEqual(1);
      expect(Math.abs(one.to - (5.5 / 9) * width)).toBeLessThanOrEqual(1);
    }
    expect(await complaints(page)).toEqual([]);
  });
});

type Png = ReturnType<typeof decodePng>;

/** Columns in which enough of the pixels between two rows, given as shares of the height, are as they should be. */
function columnsOf(
  { width, height, rgb }: Png,
  [top, bottom]: readonly [number, number],
  share: number,
  is: (color: readonly number[]) => boolean,
): number[] {
  const rows = Array.from({ length: Math.round((bottom - top) * height) }, (_, y) => Math.round(top * height) + y);
  const count = (x: number) =>
    rows.filter((y) => is(Array.from(rgb.subarray(3 * (y * width + x), 3 * (y * width + x) + 3)))).length;
  return Array.from({ length: width }, (_, x) => x).filter((x) => count(x) > share * rows.length);
}

const isGround = (color: readonly number[]) => color.every((value, i) => value === GROUND[i]);
const isInk = (color: readonly number[]) => color.some((value) => value < 250);
