/** What can come between a recording and the page that follows it. */
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { complaints } from '../../support/axe.js';
import { chromiumPath, launchBrowser } from '../../support/browser.js';
import { Cli } from '../../support/cli.js';
import { cutOff } from '../../support/fits.js';
import { LivePage, movie, newFolder } from '../../support/live-page.js';
import { tempFolder } from '../../support/temp.js';
import { displayOf, steady } from '../../support/viewer-image.js';
import { ViewerPages } from '../../support/viewer-page.js';
import { growFile } from '../../writers/growing.js';
import { writeTiff } from '../../writers/tiff.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: the states of following a recording were not tested');

const root = tempFolder();
const pages = new ViewerPages();
const SMALL = { width: 12, height: 10 };

describe.runIf(available)('viewer: a recording that is followed', () => {
  let live: LivePage;
  let path: string;
  beforeAll(() => pages.start());
  afterAll(() => pages.close());
  beforeEach(async () => {
    path = join(newFolder(root), 'movie.tif');
    live = new LivePage(await pages.open('/', { viewport: { width: 1280, height: 800 } }));
  });
  afterEach(() => live.viewer.end());

  it('is opened once a second at most, one at a time, however often it changes', async () => {
    const { page } = live.viewer;
    growFile(path, movie(3));
    await live.open(path);
    const data = JSON.stringify({ ok: true, apiVersion: 'v2', sessionId: 'any', revision: 'f'.repeat(64) });
    const body = `event: changed\ndata: ${data}\n\n`;
    await page.route(/\/events$/, (route) => route.fulfill({ contentType: 'text/event-stream', body }));
    await live.button.click();
    const count = () => live.viewer.requests.filter((url) => url.endsWith('/api/v2/open')).length;
    await expect.poll(count, { timeout: 20_000 }).toBeGreaterThan(4);
    const opens = await page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .filter(({ name }) => name.endsWith('/api/v2/open'))
        .map(({ startTime, duration }) => [startTime, startTime + duration] as const),
    );
    // The first one was by the user.
    const pairs = opens.slice(2).map(([start], i) => [start - opens[i + 1]![0], start - opens[i + 1]![1]] as const);
    expect(pairs.length).toBeGreaterThan(1);
    for (const [apart, after] of pairs) {
      expect(apart).toBeGreaterThan(990);
      expect(after).toBeGreaterThanOrEqual(0);
    }
    await live.button.click();
    await live.leavesSessions(1);
  });

  it('is shown while it is written to between any two requests', async () => {
    const { page } = live.viewer;
    growFile(path, movie(3));
    const info = await live.open(path);
    const display = await displayOf(page, 'Channel 1');
    await live.follow();
    // Sessions whose planes are not read as they are opened: by then the file has changed.
    const later = new Set<string>();
    page.on('response', async (response) => {
      if (!response.url().endsWith('/api/v2/open')) return;
      if (response.request().postDataJSON().decode === 'later') later.add((await response.json()).sessionId);
    });
    await page.route(/\/window\?|\/coordinates/, (route) => {
      const [, id = ''] = /sessions\/([^/]+)/.exec(route.request().url()) ?? [];
      const json = { ok: false, error: 'source_changed', message: 'movie.tif: it has changed.', details: null };
      return later.has(id) ? route.fulfill({ status: 409, json }) : route.continue();
    });
    growFile(path, movie(6));
    await live.showsFrame(5, info, display);
    await live.reaches(6, 6);
    await live.says('live');
    expect(later.size).toBeGreaterThan(0);
    expect(await page.getByRole('list', { name: 'Warnings' }).count()).toBe(0);
    await live.leavesSessions(1);
  });

  it('keeps its picture while the file cannot be read, and another acquisition in its place comes with a notice', async () => {
    const { page } = live.viewer;
    growFile(path, movie(3));
    const info = await live.open(path);
    const display = await displayOf(page, 'Channel 1');
    await live.follow();
    await live.showsFrame(2, info, display);
    const whole = movie(4);
    writeFileSync(path, whole.subarray(0, 12));
    await live.says('live · cannot be read now');
    await live.showsFrame(2, info, display);
    expect(await live.notices.count()).toBe(0);
    expect(await live.badge.getAttribute('title')).toContain('movie.tif');
    writeFileSync(path, whole);
    await live.showsFrame(3, info, display);
    await live.says('live');
    const next = `${path}.new`;
    writeFileSync(next, movie(2, SMALL));
    renameSync(next, path);
    const words = 'movie.tif has changed: 24 × 16 pixels, 4 time points before, 12 × 10 pixels, 2 time points now.';
    await page.getByText(words).waitFor();
    await live.reaches(2, 2);
    await live.says('live');
    growFile(path, movie(3, SMALL));
    await live.reaches(3, 3);
    await live.leavesSessions(1);
  });

  it('keeps what the user said of its planes', async () => {
    const { page } = live.viewer;
    const pagesOf = (count: number) =>
      writeTiff({
        pages: Array.from({ length: count }, (_, i) => ({
          ...SMALL,
          samples: Uint16Array.from({ length: 120 }, (_value, at) => 100 * i + at),
        })),
      });
    growFile(path, pagesOf(6));
    await live.viewer.openPath(path);
    await page.getByRole('button', { name: 'Planes are…' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox').first().selectOption({ label: 'time points × channels' });
    await dialog.getByRole('spinbutton', { name: 'Number of channels' }).fill('2');
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await live.reaches(1, 3);
    await live.follow();
    await live.reaches(3, 3);
    // The second channel of the last frame is not written yet.
    growFile(path, pagesOf(9));
    await live.says('live · cannot be read now');
    await live.reaches(3, 3);
    growFile(path, pagesOf(10));
    await live.reaches(5, 5);
    await live.says('live');
    expect(await live.notices.count()).toBe(0);
    await live.leavesSessions(1);
  });

  it('gives way to what the user does: playing, and other channels', async () => {
    const { page } = live.viewer;
    growFile(path, movie(12));
    await live.open(path);
    await live.follow();
    await page.keyboard.press('\\');
    await page.getByRole('button', { name: 'Stop the time points' }).waitFor();
    growFile(path, movie(14));
    await page.waitForTimeout(2_500);
    await page.getByRole('button', { name: 'Stop the time points' }).click();
    await live.says('live · 2 new');
    await page.getByText('Channels: 2 of 2 loaded').click();
    // The file changes while the server opens what the user has chosen.
    const late = async (route: Route) => {
      await page.waitForTimeout(2_500);
      await route.continue();
    };
    await page.route('**/api/v2/open', late, { times: 1 });
    await page.getByRole('checkbox', { name: 'Load Channel 2' }).click();
    growFile(path, movie(17));
    await page.getByText('Channels: 1 of 2 loaded').waitFor();
    await live.says('live · 5 new');
    await page.getByText('Channels: 1 of 2 loaded').waitFor();
    await live.leavesSessions(1);
  });

  it('that is not followed is offered as it is now', async () => {
    const { page, requests } = live.viewer;
    growFile(path, movie(6));
    // Planes that were counted for the contrast would be in memory.
    await page.route(/\/statistics/, (route) => route.abort());
    await live.open(path);
    growFile(path, movie(8));
    const field = page.locator('.stack-bar input[name=T]');
    await field.fill('4');
    await field.press('Enter');
    await page.getByText('The image still shows the plane before. The file has changed since it was opened.').waitFor();
    await page.getByRole('button', { name: 'Show the newer one' }).click();
    await live.reaches(4, 8);
    expect(await live.badge.count()).toBe(0);
    expect(requests.filter((url) => url.endsWith('/events'))).toEqual([]);
    await live.leavesSessions(1);
  });
});

describe.runIf(available)('viewer: following over a restart of the server', () => {
  it('goes on with the server that comes back, and offers what is not followed', async () => {
    const cli = new Cli();
    const first = await cli.serve(['--log-level', 'warn']);
    const browsing = new ViewerPages();
    try {
      browsing.browser = await launchBrowser();
      const live = new LivePage(await browsing.open('/', {}, first.url));
      const other = new LivePage(await browsing.open('/', {}, first.url));
      const path = join(newFolder(root), 'movie.tif');
      growFile(path, movie(3));
      await live.open(path);
      await other.open(path);
      await live.follow();
      await first.interrupt();
      await live.says('live · waiting for the server');
      await other.viewer.page.getByText('Images on screen stay.').waitFor();
      growFile(path, movie(5));
      await cli.serve(['--log-level', 'warn', '--port', String(first.port)]);
      await live.says('live');
      await live.reaches(5, 5);
      await expect.poll(() => live.notices.count()).toBe(0);
      await other.viewer.page.getByText('movie.tif has changed since it was opened.').waitFor();
      await other.viewer.page.getByRole('button', { name: 'Show the newer one' }).click();
      await other.reaches(1, 5);
      await Promise.all([live.viewer.end(), other.viewer.end()]);
    } finally {
      await browsing.close();
      await cli.close();
    }
  });
});

describe.runIf(available)('viewer: the states of following', () => {
  beforeAll(() => pages.start());
  afterAll(() => pages.close());

  it.each(['light', 'dark'] as const)('are accessible in %s colors, and fit their windows', async (colorScheme) => {
    const options = { colorScheme, bypassCSP: true, viewport: { width: 1280, height: 800 } };
    const live = new LivePage(await pages.open('/', options));
    const { page } = live.viewer;
    const path = join(newFolder(root), 'movie.tif');
    growFile(path, movie(3));
    await live.viewer.openPath(path);
    const problems: Record<string, string[]> = {};
    const check = async (state: string, words: string) => {
      await live.says(words);
      await steady(page);
      problems[state] = [...(await complaints(page)), ...(await cutOff(page))];
    };
    await live.follow();
    await check('live', 'live');
    await page.keyboard.press('[');
    growFile(path, movie(6));
    await check('kept', 'live · 3 new');
    for (const width of [900, 390]) {
      await page.setViewportSize({ width, height: 800 });
      await check(`kept, ${width}`, 'live · 3 new');
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    writeFileSync(path, movie(7).subarray(0, 12));
    await check('unreadable', 'live · 3 new · cannot be read now');
    writeFileSync(path, movie(2, SMALL));
    await page.getByText('movie.tif has changed').waitFor();
    await check('replaced', 'live');
    expect(Object.keys(problems).length).toBe(6);
    expect(Object.fromEntries(Object.entries(problems).filter(([, list]) => list.length > 0))).toEqual({});
    await page.close();
  });
});
