/** Files come and go, and the page keeps nothing of them. */
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, launchBrowser } from '../support/browser.js';
import { buildPage, PageHost } from '../support/page-host.js';
import { pageMemory } from '../support/page-memory.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { writeTiff } from '../writers/tiff.js';

const root = tempFolder();
const host = new PageHost(join(root, 'page'));

describe.runIf(chromiumPath() !== undefined)('many files in a page', () => {
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    await buildPage(host.folder);
    browser = await launchBrowser();
    page = await browser.newPage();
    await page.goto(`${await host.start()}/blank`);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    host.stop();
  });

  /** Opens files one after the other, reads what they have, and closes them. Returns what each became. */
  const readAll = (paths: readonly string[], name: string) =>
    page.evaluate<string[]>(`(async () => {
      const { openFiles } = await import('/readers.js');
      const options = () => ({ signal: AbortSignal.timeout(20_000) });
      const outcomes = [];
      for (const address of ${JSON.stringify(paths.map((path) => host.add(path)))}) {
        const data = await (await fetch(address)).blob();
        try {
          const acquisition = await openFiles([{ path: ${JSON.stringify(name)}, data }], options());
          const { channels } = acquisition.info;
          for (const { index } of channels) await acquisition.plane(index, options());
          await acquisition.statistics(channels[0].index, { bins: 16 });
          await acquisition.close();
          outcomes.push('read');
        } catch (error) {
          outcomes.push(error.code ?? String(error));
        }
      }
      return outcomes;
    })()`);

  it.skipIf(process.platform !== 'linux')(
    'leaves no worker and no memory behind after 50 files',
    async () => {
      const samples = new Uint16Array(1_000_000).map((_, i) => i);
      const path = writeTemp(root, 'large.tif', writeTiff({ pages: [{ width: 1000, height: 1000, samples }] }));
      const some = (count: number) => readAll(new Array<string>(count).fill(path), 'large.tif');
      await some(10);
      const before = await pageMemory(browser);
      expect(await some(50)).toEqual(new Array(50).fill('read'));
      await expect.poll(() => page.workers().length).toBe(0);
      // 50 planes of 4 MB would be 200 MB.
      await expect.poll(async () => (await pageMemory(browser)) - before).toBeLessThan(50e6);
    },
    120_000,
  );
});
