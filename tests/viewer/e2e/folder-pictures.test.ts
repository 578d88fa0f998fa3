/** Small pictures of files in the dialog that lists folders, and what they cost. */
import { mkdirSync, truncateSync, utimesSync } from 'node:fs';
import { createServer } from 'node:net';
import { basename, join } from 'node:path';
import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { complaints } from '../../support/axe.js';
import { chromiumPath } from '../../support/browser.js';
import { lineScan, NAME } from '../../support/bruker.js';
import { tempFolder, writeTemp } from '../../support/temp.js';
import { type ViewerPage, ViewerPages } from '../../support/viewer-page.js';
import { writeBruker } from '../../writers/bruker.js';
import { writeCzi } from '../../writers/czi.js';
import { stack } from '../../writers/czi-kinds.js';
import { writeTiff } from '../../writers/tiff.js';
import { writeSparseTiff } from '../../writers/tiff-sparse.js';
import { omeTiff } from './files.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: pictures of files were not tested');

const folder = join(tempFolder(), 'pictures');
const [WIDTH, HEIGHT] = [60, 40];

/** Three sections of two channels: in the middle one, the left half is in the first channel and the right half in the second. */
function halves(name: string): string {
  const page = (isBright: (x: number) => boolean) => ({
    width: WIDTH,
    height: HEIGHT,
    samples: Uint16Array.from({ length: WIDTH * HEIGHT }, (_, i) => (isBright(i % WIDTH) ? 900 : 100) + (i % 7)),
  });
  const left = page((x) => x < WIDTH / 2);
  const right = page((x) => x >= WIDTH / 2);
  const channels = ['#00FF00', '#FF00FF'].map(
    (color, i) => `<Channel ID="Channel:0:${i}" Color="${Number.parseInt(`${color.slice(1)}FF`, 16) | 0}"/>`,
  );
  const sizes = { T: 1, Z: 3, C: 2, Y: HEIGHT, X: WIDTH };
  return omeTiff(folder, name, [right, left, left, right, right, left], {
    sizes,
    pixels: {},
    children: [...channels, '<TiffData/>'],
  });
}

/** Red, green and blue thirds. */
function colors(name: string): string {
  const third = (n: number) =>
    Uint8Array.from({ length: WIDTH * HEIGHT }, (_, i) => (Math.floor((3 * (i % WIDTH)) / WIDTH) === n ? 255 : 0));
  const samples = [third(0), third(1), third(2)];
  return writeTemp(folder, name, writeTiff({ pages: [{ width: WIDTH, height: HEIGHT, samples, photometric: 2 }] }));
}

function plain(name: string): string {
  const samples = Uint16Array.from({ length: WIDTH * HEIGHT }, (_, i) => 10 * Math.floor(i / WIDTH));
  return writeTemp(folder, name, writeTiff({ pages: [{ width: WIDTH, height: HEIGHT, samples }] }));
}

/** In the order of the list: 25 entries that can be opened. */
function fill(): void {
  mkdirSync(join(folder, NAME), { recursive: true });
  writeBruker(join(folder, NAME), lineScan());
  halves('a 1 fluorescence.ome.tif');
  colors('a 2 color.tif');
  truncateSync(plain('a 3 truncated.tif'), 700);
  writeTemp(folder, 'a 4 stack.czi', writeCzi(stack(2, 3)));
  for (let i = 1; i <= 18; i++) plain(`b ${i}.tif`);
  writeSparseTiff(join(folder, 'c 1 large.tif'), { width: 12_000, height: 9_000 });
  writeSparseTiff(join(folder, 'c 2 long.tif'), { width: 512, height: 400_000 });
}

/** A port that was free a moment ago. */
function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

describe.runIf(available)('viewer: pictures in a folder', () => {
  const pages = new ViewerPages();
  let metrics = '';
  beforeAll(async () => {
    mkdirSync(folder);
    fill();
    const address = `127.0.0.1:${await freePort()}`;
    metrics = `http://${address}/metrics`;
    await pages.start(['--root', folder, '--ops-listen', address]);
  });
  afterAll(() => pages.close());

  const sessions = async () => Number(/^acqstore_sessions (\d+)/m.exec(await (await fetch(metrics)).text())?.[1]);
  const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Open a file' });
  const rowsOf = (page: Page) => dialogOf(page).getByRole('list', { name: 'Folders and files' }).getByRole('button');
  const rowOf = (page: Page, name: string) => rowsOf(page).filter({ has: page.getByText(name, { exact: true }) });

  /** Names of files that were opened, in order. */
  function opens(page: Page): string[] {
    const names: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/api/v2/open'))
        names.push(basename((request.postDataJSON() as { path: string }).path));
    });
    return names;
  }

  async function list(viewer: ViewerPage): Promise<void> {
    const { page } = viewer;
    await page.locator('.start-makers dt').first().waitFor({ state: 'attached' });
    await page.keyboard.press('Control+O');
    // The places to start from, unless the browser remembers the folder.
    await rowsOf(page).first().waitFor();
    if ((await rowsOf(page).count()) === 1) await page.keyboard.press('Enter');
    await rowOf(page, 'a 2 color.tif').waitFor();
  }

  /** Names of the rows that are at least partly in view. */
  const inView = (page: Page) =>
    rowsOf(page).evaluateAll((rows) => {
      const frame = rows[0]!.closest('ul')!.getBoundingClientRect();
      const seen = rows.filter((row) => {
        const { top, bottom } = row.getBoundingClientRect();
        return bottom > frame.top + 1 && top < frame.bottom - 1;
      });
      return seen.map((row) => row.querySelector('.files-name')!.textContent!);
    });

  /** Every row in view has its picture, or says why not. */
  const settled = async (page: Page, names: readonly string[]) => {
    for (const name of names) {
      await expect
        .poll(async () => {
          const row = rowOf(page, name);
          return (await row.locator('img').count()) > 0 || (await row.getAttribute('title'))!.includes('\n');
        })
        .toBe(true);
    }
  };

  /** Colors of a picture at fractions of its width, in its middle. */
  const colorsOf = (page: Page, name: string, at: readonly number[]) =>
    rowOf(page, name)
      .locator('img')
      .evaluate(async (image: HTMLImageElement, at) => {
        await image.decode();
        const canvas = document.createElement('canvas');
        [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
        const context = canvas.getContext('2d')!;
        context.drawImage(image, 0, 0);
        const pixel = (x: number) =>
          [...context.getImageData(x * canvas.width, canvas.height / 2, 1, 1).data].slice(0, 3);
        return at.map(pixel);
      }, at);

  /** Holds requests to open files until they are let go. */
  async function hold(page: Page): Promise<{ held: Route[]; release: () => Promise<void> }> {
    const held: Route[] = [];
    await page.route('**/api/v2/open', (route) => void held.push(route));
    const release = async () => {
      await page.unroute('**/api/v2/open');
      for (const route of held) await route.continue().catch(() => {});
    };
    return { held, release };
  }

  it('shows files in the colors of the viewer, and costs nothing for rows out of view', async () => {
    const viewer = await pages.open('/', { bypassCSP: true });
    const { page } = viewer;
    const opened = opens(page);
    const { held, release } = await hold(page);
    await list(viewer);
    await expect.poll(() => held.length).toBe(2);
    const boxes = () =>
      rowsOf(page).evaluateAll((rows) => rows.map((row) => JSON.stringify(row.getBoundingClientRect())));
    const before = await boxes();
    const focused = () => page.evaluate(() => document.activeElement?.querySelector('.files-name')?.textContent);
    const focus = await focused();
    expect(focus).toContain('a 1 fluorescence.ome.tif');
    await release();
    const seen = await inView(page);
    expect(seen.length).toBeLessThan(10);
    await settled(page, seen);
    await expect.poll(() => [...opened].sort()).toEqual([...seen].sort());
    expect(await boxes()).toEqual(before);
    expect(await focused()).toBe(focus);

    const [left, right] = await colorsOf(page, 'a 1 fluorescence.ome.tif', [0.2, 0.8]);
    for (const [pixel, [r, g, b]] of [
      [left, [0, 255, 0]],
      [right, [255, 0, 255]],
    ] as const) {
      expect(Math.abs(pixel![0]! - r) + Math.abs(pixel![1]! - g) + Math.abs(pixel![2]! - b)).toBeLessThan(90);
    }
    const thirds = await colorsOf(page, 'a 2 color.tif', [0.16, 0.5, 0.84]);
    expect(thirds.map((pixel) => pixel.indexOf(Math.max(...pixel)))).toEqual([0, 1, 2]);
    // Without a picture: the icon, and why.
    expect(await rowOf(page, 'a 3 truncated.tif').locator('img').count()).toBe(0);
    expect(await rowOf(page, 'a 3 truncated.tif').getAttribute('title')).toMatch(/\n.*a 3 truncated\.tif/);
    const addresses = await page
      .locator('.files-list img')
      .evaluateAll((all) => all.map((one) => one.getAttribute('src')!));
    for (const address of addresses) expect(address.length).toBeLessThanOrEqual(20_000);
    // Readers of the screen hear the same as without pictures.
    expect(await rowOf(page, 'a 2 color.tif').ariaSnapshot()).toMatch(/^- "?button \\?"a 2 color\.tif /);
    expect(await page.locator('.files-list').ariaSnapshot()).not.toContain('img');
    expect(await complaints(page)).toEqual([]);
    expect(await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))).not.toContain(
      'data:',
    );
    await expect.poll(sessions).toBe(0);

    // The last rows: only a stretch of a long scan, nothing of what is too large.
    await page.keyboard.press('End');
    await settled(page, ['c 1 large.tif', 'c 2 long.tif', NAME]);
    expect(await rowOf(page, 'c 1 large.tif').getAttribute('title')).toContain('12,000');
    expect(await rowOf(page, 'c 1 large.tif').locator('img').count()).toBe(0);
    expect(await rowOf(page, 'c 2 long.tif').getAttribute('title')).toContain(
      'Picture: lines 195,905 to 204,096 of 400,000',
    );
    expect(await rowOf(page, 'c 2 long.tif').locator('img').count()).toBe(1);
    await expect.poll(sessions).toBe(0);
    await viewer.end();
  });

  it('keeps pictures for the life of the page, by size and time of change', async () => {
    const viewer = await pages.open();
    const { page } = viewer;
    const opened = opens(page);
    await list(viewer);
    const seen = await inView(page);
    await settled(page, seen);
    await page.keyboard.press('Escape');
    utimesSync(join(folder, 'a 2 color.tif'), 1_700_000_000, 1_700_000_000);
    opened.length = 0;
    await page.keyboard.press('Control+O');
    await expect.poll(() => opened).toEqual(['a 2 color.tif']);
    await settled(page, seen);
    expect(opened).toEqual(['a 2 color.tif']);
    await viewer.end();
  });

  it('draws two at a time, and cancels those that are scrolled away or whose dialog closes', async () => {
    const viewer = await pages.open();
    const { page } = viewer;
    const opened = opens(page);
    const canceled: string[] = [];
    page.on('requestfailed', (request) => {
      if (request.url().endsWith('/open')) canceled.push(basename((request.postDataJSON() as { path: string }).path));
    });
    const { held, release } = await hold(page);
    await list(viewer);
    const first = (await inView(page)).slice(0, 2);
    await expect.poll(() => opened).toEqual(first);
    await page.keyboard.press('End');
    await expect.poll(() => [...canceled].sort()).toEqual([...first].sort());
    await expect.poll(() => held.length).toBe(4);
    await page.keyboard.press('Escape');
    await expect.poll(() => canceled.length).toBe(4);
    expect(opened).toHaveLength(4);
    await release();
    // On the server, too: whatever it had begun.
    for (let i = 0; i < 4; i++) {
      const before = opened.length;
      await page.keyboard.press('Control+O');
      await rowOf(page, 'a 2 color.tif').waitFor();
      if (i % 2 > 0) await page.keyboard.press('End');
      await expect.poll(() => opened.length > before || page.locator('.files-list img').count()).toBeTruthy();
      await page.keyboard.press('Escape');
    }
    await expect.poll(sessions).toBe(0);
    await viewer.end();
  });

  it('waits while something that the user asked for is loading, and while the server has no room', async () => {
    const viewer = await pages.open();
    const { page } = viewer;
    let isLoading = true;
    let isFull = true;
    const early: string[] = [];
    const planes: Route[] = [];
    await page.route(/\/channels\//, (route) => (isLoading ? void planes.push(route) : route.continue()));
    await (await viewer.pathField()).fill(join(folder, 'b 1.tif'));
    await page.keyboard.press('Enter');
    await expect.poll(() => planes.length).toBe(1);
    let refused = 0;
    await page.route('**/api/v2/open', (route) => {
      if (isLoading) early.push(route.request().postData() ?? '');
      if (!isFull) return route.continue();
      refused++;
      const body = { ok: false, error: 'capacity_exceeded', message: 'Too many.', details: null, requestId: 'x' };
      return route.fulfill({ status: 503, json: body });
    });
    await page.keyboard.press('Control+O');
    await rowOf(page, 'a 2 color.tif').waitFor();
    // Longer than any picture would wait.
    await page.waitForTimeout(600);
    isLoading = false;
    for (const route of planes) await route.continue();
    await expect.poll(() => refused).toBeGreaterThan(0);
    isFull = false;
    await settled(page, await inView(page));
    expect(early).toEqual([]);
    expect(refused).toBeLessThanOrEqual(2);
    // What was refused is drawn later.
    expect(await page.locator('.files-list img').count()).toBeGreaterThanOrEqual(4);
    await viewer.end();
  });
});
