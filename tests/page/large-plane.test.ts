/** Large planes in the page: their rows come while the others are read, and reading can be stopped. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, launchBrowser } from '../support/browser.js';
import { buildPage, PageHost, withoutPickers } from '../support/page-host.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { writeTiff } from '../writers/tiff.js';

const [ROWS, COLUMNS] = [30_000, 512];
const root = tempFolder();
const host = new PageHost(join(root, 'page'));

/** Noise, which takes a while to unpack. */
const channels = [1, 2].map((seed) => {
  const samples = new Uint16Array(ROWS * COLUMNS);
  let state = seed;
  for (let i = 0; i < samples.length; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    samples[i] = (state >>> 20) + (i >> 15);
  }
  return samples;
});
const digests = channels.map((samples) => createHash('sha256').update(samples).digest('hex'));

describe.runIf(chromiumPath() !== undefined)('a large plane in the page', () => {
  let browser: Browser;
  let page: Page;
  let url = '';
  let path = '';
  beforeAll(async () => {
    const text = 'ImageJ=1.54f\nimages=2\nchannels=2\nmode=grayscale\n';
    const pages = channels.map((samples, i) => ({
      ...{ width: COLUMNS, height: ROWS, samples, compression: 8, rowsPerStrip: 250 },
      tags: i === 0 ? [{ code: 270, type: 2, text }] : [],
    }));
    path = writeTemp(root, 'scan.tif', writeTiff({ pages }));
    await buildPage(host.folder);
    url = await host.start();
    browser = await launchBrowser();
    page = await browser.newPage();
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    host.stop();
  });

  it('comes row by row, and can be stopped', async () => {
    await page.goto(`${url}/blank`);
    let workers = 0;
    page.on('worker', () => workers++);
    const result = await page.evaluate<Record<string, unknown>>(`(async () => {
      const { openFiles } = await import('/readers.js');
      const data = await (await fetch(${JSON.stringify(host.add(path))})).blob();
      const acquisition = await openFiles([{ path: 'scan.tif', data }]);
      const digest = async (samples) => [...new Uint8Array(await crypto.subtle.digest('SHA-256', samples))]
        .map((byte) => byte.toString(16).padStart(2, '0')).join('');
      const seen = [];
      let coming;
      const samples = await acquisition.nativePlane(0, {
        onStart: (array) => { coming = array; },
        onProgress: ({ received, total }) => seen.push({ received, total, last: coming?.[received / 2 - 1] }),
      });
      const stop = new AbortController();
      let isStopped = false;
      const stopped = acquisition.nativePlane(1, {
        signal: stop.signal,
        onProgress: () => { if (!isStopped) { isStopped = true; stop.abort(); } },
      }).then(() => 'read', (error) => error.name);
      const reason = await stopped;
      const again = await digest(await acquisition.nativePlane(1));
      await acquisition.close();
      return { seen, isSame: coming === samples, right: seen.map(({ received }) => samples[received / 2 - 1]),
        digests: [await digest(samples), again], reason};
    })()`);
    const seen = result['seen'] as { received: number; total: number; last: number }[];
    const total = 2 * ROWS * COLUMNS;
    expect(seen.length).toBeGreaterThan(1);
    expect(seen.at(-1)).toMatchObject({ received: total, total });
    expect(seen.map(({ received }) => received)).toEqual(
      [...new Set(seen.map(({ received }) => received))].sort((a, b) => a - b),
    );
    expect(seen.every(({ received }) => received % (2 * COLUMNS) === 0)).toBe(true);
    // The rows were there when they were announced.
    expect(seen.map(({ last }) => last)).toEqual(result['right']);
    expect(result).toMatchObject({ isSame: true, digests, reason: 'AbortError' });
    // The worker that was asked to stop went on with the next plane.
    expect(workers).toBe(1);
  });

  it('shows its progress and its first rows in the viewer', async () => {
    await page.addInitScript(withoutPickers);
    await page.goto(url);
    await page.evaluate(() => {
      const seen: { value: number; isPartly: boolean }[] = [];
      Object.assign(window, { seen });
      new MutationObserver(() => {
        for (const bar of document.querySelectorAll<HTMLProgressElement>('.image-progress progress'))
          seen.push({ value: bar.value, isPartly: document.querySelector('.image-loading-low') !== null });
      }).observe(document.body, { subtree: true, childList: true, attributes: true });
    });
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Open…' }).click();
    await (await chooser).setFiles(path);
    await page.locator('canvas.image-canvas').first().waitFor();
    await expect.poll(() => page.locator('.image-loading').count()).toBe(0);
    const seen = await page.evaluate(
      () => (window as unknown as { seen: { value: number; isPartly: boolean }[] }).seen,
    );
    expect(seen.some(({ value }) => value > 0 && value < 2 * ROWS * COLUMNS)).toBe(true);
    expect(seen.some(({ isPartly }) => isPartly)).toBe(true);
  });
});
