/** Firefox without a window, driven by puppeteer-core over WebDriver BiDi. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import puppeteer, { type KeyInput, type Page } from 'puppeteer-core';
import { programPath } from '../desktop.js';
import { type EngineKind, type EnginePage, splitKeys, VIEWPORT } from './types.js';

function drive(page: Page): EnginePage {
  return {
    goto: async (url) => void (await page.goto(url)),
    reload: async () => void (await page.reload()),
    evaluate: <T>(expression: string) => page.evaluate(expression) as Promise<T>,
    move: ({ x, y }) => page.mouse.move(x, y),
    click: ({ x, y }) => page.mouse.click(x, y),
    drag: async (from, to) => {
      await page.mouse.move(from.x, from.y);
      await page.mouse.down();
      await page.mouse.move(to.x, to.y, { steps: 5 });
      await page.mouse.up();
    },
    press: async (combination) => {
      const [held, key] = splitKeys(combination);
      if (held !== null) await page.keyboard.down(held);
      await page.keyboard.press(key as KeyInput);
      if (held !== null) await page.keyboard.up(held);
    },
    type: (text) => page.keyboard.type(text),
    screenshot: () => page.screenshot(),
  };
}

const executable = () => programPath('firefox-esr') ?? programPath('firefox');

export const firefox: EngineKind = {
  name: 'Firefox',
  missing: () => (executable() === undefined ? ['firefox-esr'] : []),
  async start() {
    const downloads = mkdtempSync(join(tmpdir(), 'acqstore-firefox-'));
    const browser = await puppeteer.launch({
      browser: 'firefox',
      executablePath: executable() as string,
      headless: true,
      defaultViewport: VIEWPORT,
      extraPrefsFirefox: {
        'browser.download.folderList': 2,
        'browser.download.dir': downloads,
        // As in a Firefox that nobody drives.
        'security.fileuri.strict_origin_policy': true,
      },
    });
    const [page = await browser.newPage()] = await browser.pages();
    await page.setViewport(VIEWPORT);
    return {
      page: drive(page),
      downloads,
      async close() {
        await browser.close();
        rmSync(downloads, { recursive: true, force: true });
      },
    };
  },
};
