/** What the page says when the server refuses: plain words, and every fault of a request. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, launchBrowser } from '../../support/browser.js';
import { Cli } from '../../support/cli.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: messages in the viewer were not tested');

describe.runIf(available)('viewer: a refused request', () => {
  const cli = new Cli();
  let browser: Browser;
  let page: Page;
  let url: string;
  beforeAll(async () => {
    ({ url } = await cli.serve(['--log-level', 'warn']));
    browser = await launchBrowser();
    page = await browser.newPage();
  });
  afterAll(async () => {
    await browser.close();
    await cli.close();
  });

  /** What the page says after a path was typed. */
  async function told(path: string): Promise<string> {
    await page.goto(`${url}/demo/v2/`);
    await page.getByLabel('Path of a file or folder').first().fill(path);
    await page.getByRole('button', { name: 'Open path' }).first().click();
    return (await page.locator('.app-notice-error p').first().textContent()) ?? '';
  }

  it('explains what is wrong with a path without words of the schema', async () => {
    expect(await told('scan.tif')).toMatch(
      /^ ?“scan\.tif” is only a part of a path\. Type all of it, such as \/data\/scan\.oir/,
    );
  });

  it('starts with the name of the file', async () => {
    expect(await told('/nowhere/missing.tif')).toBe(
      'missing.tif: there is no file or folder at /nowhere/missing.tif. Check the path.',
    );
  });
});
