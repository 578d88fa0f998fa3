/** The template for pages that assistants write, in a browser. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, launchBrowser } from '../support/browser.js';
import { REPOSITORY } from '../support/cli.js';
import { createServer, type RunningServer } from '../support/server.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { fakePicker } from '../support/test-app.js';
import { writeTiff } from '../writers/tiff.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: the template for pages was not opened in a browser');
const TEMPLATE = readFileSync(join(REPOSITORY, 'examples/analysis-template.html'), 'utf8');
const folder = tempFolder();
/** Two channels of 400 lines of 50 pixels: dark with bright lines 100 to 199; and the other way round. */
const [LINES, PIXELS] = [400, 50];
const isBright = (i: number) => Math.floor(i / PIXELS / 100) === 1;
const channels = [true, false].map((bright) =>
  Uint16Array.from({ length: LINES * PIXELS }, (_, i) => (isBright(i) === bright ? 1000 : 10)),
);
const scan = writeTemp(
  folder,
  'scan.tif',
  writeTiff({ pages: [{ width: PIXELS, height: LINES, samples: channels, planar: true }] }),
);

describe.runIf(available)('the template for pages, opened from disk', () => {
  const picker = fakePicker();
  let server: RunningServer;
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    server = await createServer({ port: 0, decodeWorkers: 1, stateDir: folder }, { picker });
    browser = await launchBrowser();
    page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    const file = writeTemp(folder, 'page.html', TEMPLATE.replaceAll('http://127.0.0.1:8767', server.url));
    await page.goto(pathToFileURL(file).href);
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  const summary = () => page.locator('#summary').textContent();
  const alert = () => page.locator('[role=alert]').textContent();
  /** Share of the height, from the top, at which the line is in the middle of the bright lines, and elsewhere. */
  const heights = () =>
    page.evaluate(() => {
      const canvas = document.querySelector('canvas') as HTMLCanvasElement;
      const context = canvas.getContext('2d') as CanvasRenderingContext2D;
      const topAt = (share: number) => {
        const { data } = context.getImageData(Math.round(canvas.width * share), 0, 1, canvas.height);
        return data.findIndex((value, i) => i % 4 === 3 && value > 0) / 4 / canvas.height;
      };
      return [topAt(0.375), topAt(0.75)];
    });

  it('plots the mean of each line of the file that was picked', async () => {
    picker.next = { status: 'ok', path: scan };
    await page.click('#open');
    await expect.poll(summary).toMatch(/^scan\.tif, .*: mean sample of 400 rows, 1 Pixels per row$/);
    const [bright, dark] = await heights();
    expect(bright).toBeLessThan(0.05);
    expect(dark).toBeGreaterThan(0.95);
  });

  it('plots another channel', async () => {
    await page.selectOption('#channel', '1');
    await expect.poll(async () => (await heights())[0]).toBeGreaterThan(0.95);
    expect((await heights())[1]).toBeLessThan(0.05);
  });

  it('opens another file in place of the first one', async () => {
    picker.next = { status: 'ok', path: scan };
    const read = page.waitForResponse('**/channels/0/data');
    await page.click('#open');
    await read;
    await expect.poll(async () => (await heights())[0]).toBeLessThan(0.05);
  });

  it('says why a file cannot be opened, and keeps what it shows', async () => {
    const before = await summary();
    picker.next = { status: 'ok', path: writeTemp(folder, 'broken.tif', Buffer.from('nothing')) };
    await page.click('#open');
    await expect.poll(alert).toMatch(/^broken\.tif/);
    expect(await summary()).toBe(before);
  });

  it('keeps what it shows, and complains about nothing, when the dialog is canceled', async () => {
    const before = await summary();
    picker.next = { status: 'cancelled', reason: 'user' };
    const answer = page.waitForResponse('**/pick-and-open');
    await page.click('#open');
    expect((await answer).status()).toBe(200);
    await expect.poll(alert).toBe('');
    expect(await summary()).toBe(before);
  });

  it('has one session at a time, which ends with the page', async () => {
    const sessions = () => server.openSessions.list().sessions.length;
    expect(sessions()).toBe(1);
    await page.goto('about:blank');
    await expect.poll(sessions).toBe(0);
  });
});
