import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, launchBrowser } from '../support/browser.js';
import { Cli, REPOSITORY, SAMPLE } from '../support/cli.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { testApp } from '../support/test-app.js';

const MODULE = '/client/acquisition-store.js';
const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: the client module was not imported in a browser');

const folder = tempFolder();
const text = readFileSync(join(REPOSITORY, 'docs/client.md'), 'utf8');
const [EXAMPLE = '', DYNAMIC = ''] = [...text.matchAll(/```html\n([\s\S]*?)```/g)].map(([, html]) => html as string);

describe('the address of the client module', () => {
  it('returns JavaScript, with CORS headers for pages of other origins', async () => {
    const { ask } = await testApp();
    const own = await ask('GET', MODULE);
    expect(own.statusCode).toBe(200);
    expect(own.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-cache',
    });
    expect(own.headers['access-control-allow-origin']).toBeUndefined();
    for (const origin of ['http://localhost:5173', 'http://127.0.0.1:1', 'null']) {
      const other = await ask('GET', MODULE, { headers: { origin } });
      expect([other.statusCode, other.body]).toEqual([200, own.body]);
      expect(other.headers).toMatchObject({
        'access-control-allow-origin': origin,
        'cross-origin-resource-policy': 'cross-origin',
      });
    }
    const again = await ask('GET', MODULE, { headers: { 'if-none-match': String(own.headers['etag']) } });
    expect(again.statusCode).toBe(304);
  });

  it('serves every module that it imports, and nothing else of the folder', async () => {
    const { ask } = await testApp();
    const seen = new Set<string>();
    const follow = async (url: string) => {
      if (seen.has(url)) return;
      seen.add(url);
      const { statusCode, body } = await ask('GET', url);
      expect([url, statusCode]).toEqual([url, 200]);
      for (const [, name] of body.matchAll(/\bfrom\s*'\.\/([^']+)'/g)) await follow(`/client/${name}`);
    };
    await follow(MODULE);
    expect(seen.size).toBeGreaterThan(5);
    for (const url of ['/client/', '/client/index.d.ts', '/client/tsconfig.json', '/client/../cli/main.js']) {
      expect((await ask('GET', url)).statusCode, url).toBe(404);
    }
  });

  it('is blocked for pages that may not use the server, and needs no token', async () => {
    const { ask } = await testApp({ host: '0.0.0.0', token: 'secret', roots: ['/data'] });
    const evil = { origin: 'https://evil.example' };
    expect((await ask('GET', MODULE, { headers: evil })).statusCode).toBe(403);
    const embedded = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' };
    expect((await ask('GET', MODULE, { headers: embedded })).statusCode).toBe(403);
    expect((await ask('GET', MODULE)).statusCode).toBe(200);
  });
});

describe.runIf(available)('a page without a bundler', () => {
  const cli = new Cli();
  let url: string;
  let pages: Server;
  let port: number;
  let browser: Browser;
  let html: string;

  beforeAll(async () => {
    url = (await cli.serve()).url;
    html = EXAMPLE.replaceAll('http://127.0.0.1:8767', url).replaceAll('/data/scan.tif', SAMPLE);
    pages = createServer((request, response) => {
      const strict = request.url === '/strict' ? `script-src 'unsafe-inline' ${url}; connect-src ${url}` : '';
      response.setHeader('content-type', 'text/html');
      if (strict !== '') response.setHeader('content-security-policy', `default-src 'none'; ${strict}`);
      response.end(html);
    });
    await new Promise<void>((done) => pages.listen(0, '127.0.0.1', done));
    port = (pages.address() as AddressInfo).port;
    browser = await launchBrowser({ 'lab.example': '127.0.0.1' });
  });
  afterAll(async () => {
    await browser.close();
    pages.close();
    await cli.close();
  });

  /** What the page of the documentation shows in the end, or why its script could not be loaded. */
  async function show(address: string): Promise<string> {
    const page = await browser.newPage();
    const failed = new Promise<string>((done) => {
      page.on('console', (said) => /Access to script/.test(said.text()) && done(said.text()));
    });
    await page.goto(address);
    const done = page.waitForFunction(() => !/^Opening/.test(document.querySelector('#result')?.textContent ?? ''));
    const shown = await Promise.race([done.then(() => page.locator('#result').textContent()), failed]);
    done.catch(() => {});
    await page.close();
    return shown ?? '';
  }

  it.each(['http://localhost:PORT/', 'http://127.0.0.1:PORT/', 'http://localhost:PORT/strict'])(
    'at %s opens an acquisition with the example of docs/client.md',
    async (address) => {
      const shown = await show(address.replace('PORT', String(port)));
      expect(shown).toMatch(/^4000 lines of 96 pixels, first sample \d+$/);
    },
  );

  it('on disk imports the client, which says what such a page may do', async () => {
    const shown = await show(pathToFileURL(writeTemp(folder, 'page.html', html)).href);
    expect(shown).toContain('--allow-file-pages');
  });

  it('can import it from another site only when that site is allowed', async () => {
    const origin = `http://lab.example:${port}`;
    expect(await show(`${origin}/`)).toContain('has been blocked by CORS policy');
    const allowing = await cli.serve(['--allow-origin', origin]);
    html = html.replaceAll(url, allowing.url);
    expect(await show(`${origin}/`)).toMatch(/^4000 lines of 96 pixels/);
  });

  it('can report that no server is running', async () => {
    const gone = await cli.serve();
    await gone.interrupt();
    html = DYNAMIC.replaceAll('http://127.0.0.1:8767', gone.url);
    const page = await browser.newPage();
    const thrown = new Promise<Error>((done) => page.once('pageerror', done));
    await page.goto(`http://localhost:${port}/`);
    expect((await thrown).message).toContain('Start the server first: acqstore serve');
    await page.close();
  });
});
