/** Chromium, driven by playwright-core over the DevTools protocol. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { chromiumPath, launchBrowser } from '../browser.js';
import { type EngineKind, type EnginePage, VIEWPORT } from './types.js';

function drive(page: Page): EnginePage {
  return {
    goto: async (url) => void (await page.goto(url)),
    reload: async () => void (await page.reload()),
    evaluate: (expression) => page.evaluate(expression),
    move: ({ x, y }) => page.mouse.move(x, y),
    click: ({ x, y }) => page.mouse.click(x, y),
    drag: async (from, to) => {
      await page.mouse.move(from.x, from.y);
      await page.mouse.down();
      await page.mouse.move(to.x, to.y, { steps: 5 });
      await page.mouse.up();
    },
    press: (key) => page.keyboard.press(key),
    type: (text) => page.keyboard.type(text),
    screenshot: () => page.screenshot(),
  };
}

export const chromium: EngineKind = {
  name: 'Chromium',
  missing: () => (chromiumPath() === undefined ? ['chromium'] : []),
  async start() {
    const downloads = mkdtempSync(join(tmpdir(), 'acqstore-chromium-'));
    const browser = await launchBrowser();
    const page = await browser.newPage({ viewport: VIEWPORT });
    page.on('download', (file) => void file.saveAs(join(downloads, file.suggestedFilename())));
    // No dialog of the system can be answered here. Without it the page downloads, as in the other engines.
    await page.addInitScript(() => Object.defineProperty(window, 'showSaveFilePicker', { value: undefined }));
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
