/** The example page and the cells of a notebook, in a browser. */
import { readFileSync } from 'node:fs';
import { createServer as createPages, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, launchBrowser } from '../support/browser.js';
import { REPOSITORY, SAMPLE } from '../support/cli.js';
import { createServer, type RunningServer } from '../support/server.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { fakePicker } from '../support/test-app.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: the example page was not opened in a browser');
const EXAMPLE = readFileSync(join(REPOSITORY, 'examples/line-scan.html'), 'utf8');
const folder = tempFolder();

it('the example page has at most 30 lines and imports nothing but the client', () => {
  expect(EXAMPLE.trimEnd().split('\n').length).toBeLessThanOrEqual(30);
  expect([...EXAMPLE.matchAll(/from '([^']*)'|import\('([^']*)'/g)].map(([, name]) => name)).toEqual([
    'acquisition-store/client',
  ]);
});

describe.runIf(available)('without a bundler', () => {
  const picker = fakePicker();
  let server: RunningServer;
  let pages: Server;
  let browser: Browser;
  beforeAll(async () => {
    server = await createServer({ port: 0, decodeWorkers: 1, stateDir: folder }, { picker });
    picker.next = { status: 'ok', path: SAMPLE };
    pages = createPages((_, response) => response.setHeader('content-type', 'text/html').end(local(EXAMPLE)));
    await new Promise<void>((done) => pages.listen(0, '127.0.0.1', done));
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    pages.close();
    await server.close();
  });
  const local = (text: string) =>
    text.replaceAll('http://127.0.0.1:8767', server.url).replaceAll('/data/scan.tif', SAMPLE);
  const address = () => `http://localhost:${(pages.address() as AddressInfo).port}/`;

  it.each(['from disk', 'from a local server'])('the example page %s shows a picked line scan', async (where) => {
    const page = await browser.newPage();
    const file = writeTemp(folder, 'line-scan.html', local(EXAMPLE));
    await page.goto(where === 'from disk' ? pathToFileURL(file).href : address());
    await page.click('button');
    await page.waitForFunction(() => document.querySelector('canvas')?.height === 800);
    expect(await page.locator('output').textContent()).toBe(
      'vessel-kymograph.ome.tif: 4000 lines, 0.00117 seconds per line',
    );
    const grays = await page.evaluate(() => {
      const { data } = (document.querySelector('canvas') as HTMLCanvasElement)
        .getContext('2d')!
        .getImageData(0, 0, 96, 800);
      return new Set(data.filter((_, i) => i % 4 === 0)).size;
    });
    expect(grays).toBeGreaterThan(20);
    await page.close();
  });

  it('the example page shows why a file cannot be opened', async () => {
    const page = await browser.newPage();
    picker.next = new Error('unexpected');
    await page.goto(address());
    await page.click('button');
    await expect.poll(() => page.locator('output').textContent()).toMatch(/\S/);
    picker.next = { status: 'ok', path: SAMPLE };
    await page.close();
  });

  it('the cells of a notebook in docs/client.md read a plane', async () => {
    const text = readFileSync(join(REPOSITORY, 'docs/client.md'), 'utf8');
    const [, cells = ''] = /```ojs\n([\s\S]*?)```/.exec(text) ?? [];
    const lines = local(cells)
      .trim()
      .split('\n')
      .map((cell) => /^(\w+) = (.*)$/.exec(cell)?.slice(1, 3));
    expect(lines.map((cell) => cell?.[0])).toEqual(['acquisitions', 'client', 'scan', 'plane', 'firstLine', 'closed']);
    const page = await browser.newPage();
    await page.goto(address());
    const length = await page.evaluate(async (list) => {
      // A notebook gives each cell the values of the others, and `invalidation`, which resolves when it runs again.
      const values: Record<string, unknown> = { invalidation: Promise.resolve() };
      for (const [name = '', expression] of list) {
        const names = Object.keys(values);
        values[name] = await new Function(...names, `return (${expression})`)(...names.map((one) => values[one]));
      }
      return (values['firstLine'] as Float32Array).length;
    }, lines as string[][]);
    expect(length).toBe(96);
    await page.close();
  });
});
