/** A file that is a part of a recording: the viewer says so, and opens all of it. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, launchBrowser } from '../../support/browser.js';
import { Cli } from '../../support/cli.js';
import { writeSplitRecording } from '../../support/split-recording.js';
import { tempFolder } from '../../support/temp.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: recordings in several files were not tested in the viewer');

describe.runIf(available)('viewer: a recording in several files', () => {
  const cli = new Cli();
  const path = writeSplitRecording(tempFolder());
  let browser: Browser;
  let url: string;
  let page: Page;

  beforeAll(async () => {
    ({ url } = await cli.serve(['--log-level', 'warn']));
    browser = await launchBrowser();
    page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.goto(`${url}/demo/v2/?path=${encodeURIComponent(path)}`);
    await page.getByRole('button', { name: 'Open this file' }).click();
  });
  afterAll(async () => {
    await browser.close();
    await cli.close();
  });

  const line = () => page.locator('.app-recording');
  const notice = () => page.getByRole('region', { name: 'Recording in several files' });
  const size = () => page.locator('.app-facts tr', { hasText: 'Size' }).first().innerText();

  it('is named by each of its files', async () => {
    await line().waitFor();
    expect(await line().textContent()).toContain('File 2 of 3 of a recording along T, by frame numbers');
  });

  it('is offered above the images, where it is seen', async () => {
    const box = await notice().boundingBox();
    expect(box!.y + box!.height).toBeLessThan(150);
    expect(await notice().textContent()).toContain('This is file 2 of 3 of a recording (along T, by frame numbers).');
  });

  it('is opened in the same tab', async () => {
    await notice().getByRole('button', { name: 'Open the whole recording' }).click();
    await line().getByText('A recording in 3 files').waitFor();
    expect(await page.getByRole('tab').count()).toBe(1);
    expect(await size()).toContain('T 10');
    expect(await notice().count()).toBe(0);
  });

  it('can be left for the file alone', async () => {
    await line().getByRole('button', { name: 'Open this file alone' }).click();
    await line().getByText('File 2 of 3 of a recording').waitFor();
  });

  it('is not offered again when the notice was closed, but remains among the details', async () => {
    await notice().getByRole('button', { name: 'Dismiss the notice of the recording' }).click();
    expect(await notice().count()).toBe(0);
    await line().getByRole('button', { name: 'Open the whole recording' }).click();
    await line().getByRole('button', { name: 'Open this file alone' }).click();
    await line().getByText('File 2 of 3 of a recording').waitFor();
    expect(await notice().count()).toBe(0);
  });
});
