/** Recordings that are followed in the page as it is shipped, with the real server and files that grow. */
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { OpenResponse } from '../../../packages/client/src/contract/open.js';
import { chromiumPath } from '../../support/browser.js';
import { sample, series } from '../../support/bruker.js';
import { LivePage, movie, newFolder, SLOW } from '../../support/live-page.js';
import { tempFolder, writeTemp } from '../../support/temp.js';
import { CardImage, colorOf, type Display, displayOf, LYING, STORED } from '../../support/viewer-image.js';
import { ViewerPages } from '../../support/viewer-page.js';
import { growBruker, growFile } from '../../writers/growing.js';
import { alsMeta, alsSamples } from '../../writers/scanimage.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: following recordings in the viewer was not tested');

const root = tempFolder();
const pages = new ViewerPages();

describe.runIf(available)('viewer: following a recording', () => {
  let live: LivePage;
  let folder: string;
  beforeAll(() => pages.start());
  afterAll(() => pages.close());
  beforeEach(async () => {
    folder = newFolder(root);
    live = new LivePage(await pages.open('/', { viewport: { width: 1280, height: 800 } }));
  });
  afterEach(() => live.viewer.end());

  describe('of a ScanImage file that is appended to', () => {
    let path: string;
    let info: OpenResponse;
    let display: Display;
    beforeEach(async () => {
      path = join(folder, 'movie.tif');
      growFile(path, movie(3));
      info = await live.open(path);
      display = await displayOf(live.viewer.page, 'Channel 1');
    });

    it('shows the newest plane with its time, reads nothing while hidden, and leaves one session', async () => {
      const { viewer, badge } = live;
      expect(await badge.count()).toBe(0);
      await live.follow();
      await live.showsFrame(2, info, display);
      expect(await live.button.getAttribute('aria-pressed')).toBe('true');
      growFile(path, movie(5));
      await live.showsFrame(4, info, display);
      expect(await live.slider.getAttribute('aria-valuetext')).toBe('5 of 5 · 200.0 ms');
      await viewer.page.getByRole('tab', { name: 'movie.tif T 5 (live)' }).waitFor();
      // Another acquisition is on screen.
      await viewer.openSample();
      const before = viewer.requests.length;
      growFile(path, movie(9));
      await viewer.page.waitForTimeout(2_500);
      expect(viewer.requests.slice(before).filter((url) => /\/open$|\/window|\/events/.test(url))).toEqual([]);
      await viewer.page.getByRole('tab', { name: 'movie.tif' }).click();
      await live.showsFrame(8, info, display);
      await live.says('live');
      expect(await live.notices.count()).toBe(0);
      // The sample has one, too.
      await live.leavesSessions(2);
      await live.button.click();
      expect(await badge.count()).toBe(0);
    });

    /** Limits that no automatic contrast has. */
    const setLimits = async () => {
      for (const [limit, value] of Object.entries({ Minimum: '7', Maximum: '1234' })) {
        const field = live.viewer.page.getByLabel(`${limit} value of Channel 1`, { exact: true });
        await field.fill(value);
        await field.press('Enter');
      }
      display = await displayOf(live.viewer.page, 'Channel 1');
      expect([display.min, display.max]).toEqual([7, 1234]);
    };

    it('keeps the place, the contrast, the marks and hidden channels, and returns to the newest by a click', async () => {
      const { page } = live.viewer;
      await setLimits();
      await page.getByRole('button', { name: '+ Region' }).click();
      await page.getByRole('button', { name: 'Trace' }).click();
      await page.getByRole('heading', { name: 'Mean of the regions over 3 time points' }).waitFor();
      await page.getByRole('checkbox', { name: 'Show Channel 2' }).click();
      await live.follow();
      await live.slider.focus();
      await page.keyboard.press('ArrowLeft');
      await live.showsFrame(1, info, display);
      await live.says('live · 0 new');
      growFile(path, movie(6));
      await live.says('live · 3 new');
      await live.showsFrame(1, info, display);
      await live.reaches(2, 6);
      expect(await live.slider.evaluate((element) => element === document.activeElement)).toBe(true);
      await page.getByRole('heading', { name: 'Mean of the regions over 6 time points' }).waitFor();
      await live.badge.click();
      await live.showsFrame(5, info, display);
      await live.says('live');
      growFile(path, movie(7));
      await live.showsFrame(6, info, display);
      expect(await displayOf(page, 'Channel 1')).toEqual(display);
      expect(await page.getByRole('checkbox', { name: 'Show Channel 2' }).isChecked()).toBe(false);
      expect(await live.viewer.images()).toEqual(['Channel 1, source image']);
      expect(await page.locator('.measure-mark').count()).toBe(1);
      await live.leavesSessions(1);
    });
  });

  it('follows a Prairie View folder that fills, in both channels', async () => {
    const { page } = live.viewer;
    const spec = (frames: number) => series('TSeries Timed Element', frames);
    const info = await live.open(growBruker(folder, spec(2)));
    await live.follow();
    growBruker(folder, spec(4));
    await live.reaches(4, 4);
    for (const { index, name } of info.channels) {
      const display = await displayOf(page, name);
      const card = new CardImage(page, 'Source', String(index), info.plane, STORED);
      const wanted = colorOf(sample(1, index + 1, 4, 3, 5), display);
      await expect.poll(() => card.color(3.5, 5.5), SLOW).toEqual(wanted);
    }
    await live.leavesSessions(1);
  });

  it('shows new lines of a line scan at its end, without a flash, or keeps a stretch that was zoomed to', async () => {
    const { page } = live.viewer;
    writeTemp(folder, 'scan.meta.txt', alsMeta(ALS));
    const path = join(folder, 'scan.pmt.dat');
    growFile(path, alsLines(60));
    const info = await live.open(path);
    const display = await displayOf(page, info.channels[0]!.name);
    await live.follow();
    const card = new CardImage(page, 'Source', '0', info.plane, LYING);
    const expectLine = (line: number) =>
      expect.poll(() => card.color(line + 0.5, 2.5), SLOW).toEqual(colorOf(alsValue(line, 2), display));
    const boxes = () =>
      page.evaluate(() => [...document.querySelectorAll('canvas')].map((one) => one.getBoundingClientRect().toJSON()));
    await card.stage.focus();
    const before = await boxes();
    const colors = await colorsInFirstLine(page);
    growFile(path, alsLines(100));
    await expect.poll(async () => (await card.seen()).rows[1], SLOW).toBe(100);
    for (const line of [99, 10]) await expectLine(line);
    await live.says('live');
    expect(await colors()).toEqual([`true ${colorOf(alsValue(0, 2), display).join()},255`]);
    expect(await boxes()).toEqual(before);
    expect(await card.stage.evaluate((element) => element === document.activeElement)).toBe(true);

    const zoomed = await card.changes(async () => {
      const [from, to] = [await card.point(10.2, 2), await card.point(29.8, 2.2)];
      await page.mouse.move(from.x, from.y);
      await page.mouse.down();
      await page.mouse.move(to.x, to.y, { steps: 4 });
      await page.mouse.up();
    });
    await live.says('live · 0 new');
    growFile(path, alsLines(120));
    await live.says('live · 20 new');
    expect(await card.seen()).toEqual(zoomed);
    await expectLine(20);
    await live.badge.click();
    await live.says('live');
    const { rows } = await card.seen();
    expect(rows[1]).toBeCloseTo(120, 3);
    expect(rows[1] - rows[0]).toBeCloseTo(zoomed.rows[1] - zoomed.rows[0], 3);
    growFile(path, alsLines(140));
    await expect.poll(async () => (await card.seen()).rows[1], SLOW).toBeCloseTo(140, 3);
    await expectLine(139);
    await live.leavesSessions(1);
  });
});

const COLUMNS = 6;
const ALS = {
  'hChannels.channelSave': '1',
  'hScan2D.lineScanSamplesPerFrame': COLUMNS,
  'hScan2D.sampleRate': 2000,
  'hRoiManager.scanType': "'line'",
};

const alsValue = (line: number, column: number) => 20 * (line % 40) + 3 * column;

function alsLines(count: number): Uint8Array {
  const values = Array.from({ length: count * COLUMNS }, (_, i) => alsValue(Math.floor(i / COLUMNS), i % COLUMNS));
  return alsSamples(values);
}

/** Returns a function that returns the colors that the first line, at its pixel 2, had in any frame since. */
async function colorsInFirstLine(page: LivePage['viewer']['page']): Promise<() => Promise<string[]>> {
  await page.evaluate((columns) => {
    const canvas = document.querySelector<HTMLCanvasElement>('canvas.image-canvas')!;
    const seen = new Set<string>();
    const look = () => {
      const y = Math.floor(canvas.height * (1 - 2.5 / columns));
      const { data } = canvas.getContext('2d')!.getImageData(1, y, 1, 1);
      seen.add(`${canvas.isConnected} ${[...data].join()}`);
      requestAnimationFrame(look);
    };
    Object.assign(globalThis, { seen });
    look();
  }, COLUMNS);
  return () => page.evaluate(() => [...(globalThis as unknown as { seen: Set<string> }).seen]);
}
