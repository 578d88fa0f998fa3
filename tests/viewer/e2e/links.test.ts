/** Links of other sites: the page is served, and nothing is opened before the user says so. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chromiumPath, launchBrowser } from '../../support/browser.js';
import { Cli, SAMPLE } from '../../support/cli.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: links of other sites to the viewer were not tested');

describe.runIf(available)('viewer: a link of another site', () => {
  const cli = new Cli();
  let evil: Server;
  let evilUrl: string;
  let browser: Browser;
  let url: string;
  let page: Page;
  /** What was asked of the API by POST. */
  let posts: string[];

  beforeAll(async () => {
    ({ url } = await cli.serve(['--log-level', 'warn']));
    evil = createServer((request, response) => {
      const target = new URL(request.url ?? '/', 'http://x').searchParams.get('to') ?? '';
      response.setHeader('content-type', 'text/html');
      // A site may keep its name from the page.
      response.setHeader('referrer-policy', 'no-referrer');
      response.end(`<!doctype html><title>evil</title><a href="${target.replaceAll('"', '&quot;')}">look</a>`);
    });
    await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve));
    evilUrl = `http://evil.example:${(evil.address() as AddressInfo).port}`;
    browser = await launchBrowser({ '*.example': '127.0.0.1' });
  });
  afterAll(async () => {
    await browser.close();
    evil.close();
    await cli.close();
  });
  beforeEach(async () => {
    page = await browser.newPage();
    posts = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') posts.push(new URL(request.url()).pathname);
    });
  });
  afterEach(() => page.close());

  const line = () => page.getByRole('region', { name: 'File in the address' });
  const openButton = () => line().getByRole('button', { name: 'Open this file' });
  const tab = () => page.getByRole('tab', { name: 'vessel-kymograph' });
  const viewer = (query: string) => `${url}/demo/v2/${query}`;
  const ofSample = `?path=${encodeURIComponent(SAMPLE)}`;

  /** Clicks a link to `target` on the other site. */
  async function follow(target: string): Promise<number> {
    await page.goto(`${evilUrl}/?to=${encodeURIComponent(target)}`);
    const [response] = await Promise.all([
      page.waitForResponse((answer) => answer.url().startsWith(url)),
      page.click('a'),
    ]);
    return response.status();
  }

  /** The page has asked for all that it asks by itself. */
  async function settled(): Promise<void> {
    await page.locator('.app-sample').waitFor();
    await page.waitForLoadState('networkidle');
  }

  it('opens the file after a click, and by itself after a reload', async () => {
    expect(await follow(viewer(ofSample))).toBe(200);
    await settled();
    expect(await line().innerText()).toContain(SAMPLE);
    expect(await page.getByRole('tab').count()).toBe(0);
    expect(posts).toEqual([]);

    await openButton().click();
    await tab().waitFor();
    expect(posts).toEqual(['/api/v2/open']);
    expect(await line().count()).toBe(0);
    expect(new URL(page.url()).searchParams.get('path')).toBe(SAMPLE);

    await page.waitForURL(/#view=/);
    await page.reload();
    await tab().waitFor();
    expect(await line().count()).toBe(0);

    // What this tab opened before is no reason to open it for somebody else.
    await follow(viewer(ofSample));
    await settled();
    await openButton().waitFor();
    expect(await page.getByRole('tab').count()).toBe(0);
    // Back over the other site to what was open.
    await page.goBack();
    await page.goBack();
    await tab().waitFor();
    expect(await line().count()).toBe(0);
  });

  it('still waits after a reload, and opens the view of the link', async () => {
    const view = { channels: [1], source: { views: {}, displays: {}, toggles: {}, marks: [] } };
    const text = Buffer.from(JSON.stringify(view)).toString('base64url');
    await follow(viewer(`${ofSample}#view=${text}`));
    await settled();
    await page.reload();
    await settled();
    expect(posts).toEqual([]);
    await openButton().click();
    await page.getByText('Channels: 1 of 2 loaded').waitFor();
  });

  it('is forgotten when it is dismissed', async () => {
    await follow(viewer(ofSample));
    await line().getByRole('button', { name: 'Do not open the file in the address' }).click();
    await page.waitForURL(viewer(''));
    await page.reload();
    await settled();
    expect(await line().count()).toBe(0);
    expect(posts).toEqual([]);
  });

  it('can be opened by keys and does not take the focus', async () => {
    await follow(viewer(ofSample));
    await settled();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Space');
    expect(posts).toEqual([]);
    for (let i = 0; i < 20; i++) {
      await page.keyboard.press('Tab');
      if (await openButton().evaluate((button) => button === document.activeElement)) break;
    }
    await page.keyboard.press('Enter');
    await tab().waitFor();
  });

  it('does not keep the user from opening another file', async () => {
    await follow(viewer('?path=/etc/passwd'));
    await settled();
    await page.locator('.app-sample').click();
    await tab().waitFor();
    expect(new URL(page.url()).searchParams.get('path')).toBe(SAMPLE);
    expect(await line().innerText()).toContain('/etc/passwd');
    await page.waitForURL(/#view=/);
    await page.reload();
    await tab().waitFor();
    expect(await line().count()).toBe(0);
    expect(posts).toEqual(['/api/v2/open', '/api/v2/open']);
  });

  it('shows invisible characters of a path as escapes', async () => {
    await follow(viewer(`?path=${encodeURIComponent('/data/\u202efit.nacs\n<b>x</b>')}`));
    await openButton().waitFor();
    expect(await line().locator('bdi').innerText()).toBe('/data/\\u202efit.nacs\\u000a<b>x</b>');
  });

  it('can lead to other pages but not to the API', async () => {
    expect(await follow(`${url}/docs`)).toBe(200);
    expect(await follow(`${url}/`)).toBe(302);
    await page.waitForURL(viewer(''));
    for (const path of ['/api/v2', '/api/v2/health', '/api/v2/examples', '/openapi.json']) {
      expect(await follow(url + path), path).toBe(403);
    }
  });

  it('behaves like a link that was copied and typed', async () => {
    await page.goto(viewer(ofSample));
    await settled();
    expect(posts).toEqual([]);
    await openButton().click();
    await tab().waitFor();
  });
});
