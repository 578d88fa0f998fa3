import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultOptions } from '../../src/options.js';
import { listen, type RunningServer } from '../../src/server/listen.js';
import { chromiumPath, launchBrowser } from '../support/browser.js';
import { fakeSessions } from '../support/fake-sessions.js';
import { fakePicker, testDependencies } from '../support/test-app.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: the interactive documentation was not tested in a browser');

describe.runIf(available)('/docs in a browser', () => {
  let server: RunningServer;
  let browser: Browser;
  let page: Page;
  const requests: string[] = [];
  const complaints: string[] = [];

  beforeAll(async () => {
    const deps = { ...testDependencies(), sessions: fakeSessions(), picker: fakePicker() };
    server = await listen({ ...defaultOptions(), port: 0 }, deps);
    browser = await launchBrowser();
    page = await browser.newPage();
    page.on('request', (request) => requests.push(request.url()));
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(`${server.url}/docs`, { waitUntil: 'networkidle' });
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  it('shows every operation', async () => {
    const ids = await page.locator('section.operation').evaluateAll((all) => all.map((one) => one.id));
    expect(ids.sort()).toEqual([
      'deleteSession',
      'getCapabilities',
      'getChannelData',
      'getHealth',
      'getIndex',
      'getReferenceChannelData',
      'getSession',
      'headChannelData',
      'headReferenceChannelData',
      'listExamples',
      'openAcquisition',
      'pickAndOpen',
      'renewSession',
    ]);
  });

  it('opens, reads a plane and deletes the session, by its forms', async () => {
    const open = page.locator('#openAcquisition');
    await open.locator('textarea').fill('{"path": "/a/b.tif"}');
    await open.getByRole('button', { name: 'Send' }).click();
    await open.getByText('200 OK').waitFor();
    expect(await open.locator('pre').first().textContent()).toContain('"path": "/a/b.tif"');

    const data = page.locator('#getChannelData');
    expect(await data.locator('input').first().inputValue()).toMatch(/^[0-9a-f]{32}$/);
    await data.getByRole('button', { name: 'Send' }).click();
    await data.getByText('200 OK').waitFor();
    expect(await data.locator('pre').first().textContent()).toContain('15 samples (float32)');

    const remove = page.locator('#deleteSession');
    await remove.getByRole('button', { name: 'Send' }).click();
    await remove.getByText('"deleted": true').waitFor();
  });

  it('shows errors as they are', async () => {
    const open = page.locator('#openAcquisition');
    await open.locator('textarea').fill('{"path": "/decode_failed"}');
    await open.getByRole('button', { name: 'Send' }).click();
    await open.getByText('500 Internal Server Error').waitFor();
    complaints.splice(0, complaints.length, ...complaints.filter((text) => !text.includes('status of 500')));
  });

  it('asked nobody but its own server, and nothing was blocked or broken', () => {
    expect(requests.length).toBeGreaterThan(5);
    expect(requests.filter((url) => new URL(url).origin !== server.url)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('reads well in the dark, on a phone', async () => {
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 400, height: 800 });
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
  });
});
