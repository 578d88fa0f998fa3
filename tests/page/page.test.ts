/** The page that stands alone: a folder of static files. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FORMATS } from '../../packages/readers/src/formats/index.js';
import { chromiumPath, launchBrowser } from '../support/browser.js';
import { lineScan, NAME } from '../support/bruker.js';
import { REPOSITORY } from '../support/cli.js';
import { docBlock, markdownTable } from '../support/doc-blocks.js';
import { buildPage, PageHost, withoutPickers } from '../support/page-host.js';
import { readerSizes } from '../support/reader-sizes.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { writeBruker } from '../writers/bruker.js';
import { omeXml } from '../writers/ome.js';
import { writeTiff } from '../writers/tiff.js';

const SAMPLE = 'vessel-kymograph.ome.tif';
const root = tempFolder();
const host = new PageHost(join(root, 'page'));
const files = () =>
  readdirSync(host.folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.\w+$/.test(name));
const read = (name: string) => readFileSync(join(host.folder, name));

beforeAll(() => buildPage(host.folder), 120_000);
afterAll(() => host.stop());

describe('the built page', () => {
  it('is small at its start, and loads a format when a file needs it', () => {
    const html = read('index.html').toString();
    const first = [...html.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map(([, name]) => name!);
    const bytes = ['index.html', ...first].reduce((sum, name) => sum + gzipSync(read(name)).length, 0);
    expect(first.length).toBeGreaterThan(2);
    expect(bytes).toBeLessThanOrEqual(220_000);
    const { start, formats, parts } = readerSizes(host.folder);
    expect(start).toBeLessThanOrEqual(43_000);
    expect(parts.size).toBeGreaterThan(10);
    for (const [name, size] of [...formats, ...parts]) expect(size, name).toBeLessThanOrEqual(40_000);
    for (const [name, size] of parts) expect(formats.get('tiff')! + size, name).toBeLessThanOrEqual(50_000);
  });

  it('has the sizes that the docs state', () => {
    const { start, formats, parts, codecs } = readerSizes(host.folder);
    const page = 'docs/how-to/readers-in-a-page.md';
    const rows = readFileSync(join(REPOSITORY, page), 'utf8').matchAll(
      /^\| `([\w/-]+)` \| ([^|\n]*) \| (\d+) KB \|$/gm,
    );
    const stated = new Map([...rows].map(([, name, what, size]) => [name!, { what: what!, size: Number(size) }]));
    const labels = new Map(FORMATS.map(({ id, label }) => [id, label]));
    const table = [['start', start] as const, ...formats, ...parts, ...codecs].map(([name, bytes]) => {
      const old = stated.get(name);
      const kilobytes = bytes / 1000;
      // Otherwise the table would have to be written anew for each change of a reader.
      const isNear = old && Math.abs(old.size - kilobytes) <= Math.max(1, 0.1 * kilobytes);
      return [`\`${name}\``, labels.get(name) ?? old?.what ?? '', `${isNear ? old.size : Math.round(kilobytes)} KB`];
    });
    const expected = markdownTable(['part', 'what', 'size'], table);
    expect(docBlock(page, 'sizes', expected), 'run: UPDATE_DOCS=1 npx vitest run tests/page').toBe(expected);
  });

  it('has nothing inline and nothing from elsewhere, and says so in its policy', () => {
    const html = read('index.html').toString();
    expect(html).not.toMatch(/<style|\son\w+=|style=|<script(?![^>]*\ssrc=)/i);
    expect(html.match(/content="(default-src[^"]*)"/)?.[1]).toMatch(
      /^default-src &#39;none&#39;; script-src &#39;self&#39;;/,
    );
    for (const name of files().filter((one) => /\.(html|css)$/.test(one))) {
      expect(read(name).toString(), name).not.toMatch(/(src|href)="(https?:)?\/\/|url\(\s*["']?(https?:)?\/\//);
    }
    const licenses = read('licenses.txt').toString();
    for (const name of ['preact', 'fflate', 'jpegxr', '@bokuweb/zstd-wasm'])
      expect(`\n${licenses}`).toContain(`\n${name}\n`);
  });
});

describe.runIf(chromiumPath() !== undefined)('the page in a browser', () => {
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let url: string;
  const complaints: string[] = [];
  const foreign: string[] = [];

  beforeAll(async () => {
    url = await host.start();
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 1280, height: 720 } });
    page = await context.newPage();
    complaints.length = 0;
    foreign.length = 0;
    page.on('pageerror', ({ message }) => complaints.push(message));
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    context.on('request', (request) => {
      if (!request.url().startsWith(url) && !/^(blob|data):/.test(request.url())) foreign.push(request.url());
    });
    await page.goto(url);
  });
  afterEach(async () => {
    await context.close();
    expect(complaints).toEqual([]);
    expect(foreign).toEqual([]);
  });

  const shownTab = () => page.locator('[role=tab][aria-selected=true] .visually-hidden').textContent();

  async function expectPicture(name: string): Promise<void> {
    await expect.poll(shownTab).toContain(name);
    await page.locator('canvas.image-canvas').first().waitFor();
    await page.locator('.app-task').first().waitFor({ state: 'hidden' });
    const hasColors = () =>
      page.evaluate(() => {
        const canvas = document.querySelector<HTMLCanvasElement>('canvas.image-canvas')!;
        const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
        return new Set(new Uint32Array(data.buffer)).size > 3;
      });
    await expect.poll(hasColors).toBe(true);
  }

  /** Drops files and folders of this computer. */
  async function drop(...paths: string[]): Promise<void> {
    const devtools = await context.newCDPSession(page);
    const data = { items: [], files: paths, dragOperationsMask: 1 };
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
      await devtools.send('Input.dispatchDragEvent', { type, x: 600, y: 400, data });
      if (type === 'dragOver') await page.getByText('They are read in this page and not sent.').first().waitFor();
    }
  }

  it('opens the sample, and shows no button that needs a server', async () => {
    await page.getByText('without a server: paths, links, following').waitFor();
    expect(await page.getByLabel('Path of a file or folder').count()).toBe(0);
    expect(await page.getByRole('heading', { name: 'Recent' }).count()).toBe(0);
    await page.locator('.app-sample').click();
    await expectPicture(SAMPLE);
    await page.getByText('Read in this page, not sent').waitFor();
    expect(await page.getByRole('button', { name: 'Follow', exact: true }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Server' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Save…' }).click();
    await page.getByRole('tab', { name: 'Link and programs' }).click();
    await page.getByText('A server can do that.').waitFor();
    expect(
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^(Copy|Send)/ })
        .count(),
    ).toBe(0);
  });

  it('works without a network after its first load', async () => {
    await page.evaluate(() => navigator.serviceWorker.ready);
    const files = await page.evaluate(async () => {
      for (const name of await caches.keys()) return (await (await caches.open(name)).keys()).length;
      return 0;
    });
    expect(files).toBeGreaterThan(40);
    await context.setOffline(true);
    await page.reload();
    await page.locator('.app-sample').click();
    await expectPicture(SAMPLE);
    const policy = await page.evaluate(async () => (await fetch('./')).headers.get('content-security-policy'));
    expect(policy).toContain("default-src 'none'");
  });

  it('opens a dropped folder and a dropped file', async () => {
    const folder = join(root, NAME);
    mkdirSync(folder);
    writeBruker(folder, lineScan());
    await drop(folder);
    await expectPicture(NAME);
    const file = join(root, 'copy.ome.tif');
    cpSync(join(REPOSITORY, 'examples', SAMPLE), file);
    await drop(file);
    await expectPicture('copy.ome.tif');
  });

  it('opens what is chosen in the dialog of the browser', async () => {
    await page.addInitScript(withoutPickers);
    await page.reload();
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Open…' }).click();
    await (await chooser).setFiles(join(REPOSITORY, 'examples', SAMPLE));
    await expectPicture(SAMPLE);
  });

  it('opens files and folders by handles where the browser has them, and nothing when the dialog is closed', async () => {
    const folder = mkdtempSync(join(root, 'by-handle-'));
    writeBruker(folder, lineScan());
    const given = readdirSync(folder).map((name) => ({ name, address: host.add(join(folder, name)) }));
    await page.evaluate(async (files) => {
      // Handles of the private files of the page are like those of the dialogs.
      const top = await navigator.storage.getDirectory();
      const folder = await top.getDirectoryHandle('by-handle', { create: true });
      const handles: FileSystemFileHandle[] = [];
      for (const { name, address } of files) {
        const handle = await folder.getFileHandle(name, { create: true });
        const stream = await handle.createWritable();
        await stream.write(await (await fetch(address)).blob());
        await stream.close();
        handles.push(handle);
      }
      const cancel = () => Promise.reject(new DOMException('The user aborted a request.', 'AbortError'));
      const answers = [cancel, async () => handles];
      Object.assign(window, { showOpenFilePicker: () => answers.shift()!(), showDirectoryPicker: async () => folder });
    }, given);
    await page.getByRole('button', { name: 'Open…' }).click();
    expect(await page.locator('canvas.image-canvas').count()).toBe(0);
    expect(await page.locator('.app-notices').innerText()).toBe('');
    await page.getByRole('button', { name: 'Open…' }).click();
    await expectPicture(NAME);
    await page.keyboard.press('Control+Shift+O');
    await expect.poll(() => page.locator('[role=tab]').count()).toBe(2);
    await expectPicture('by-handle');
  });

  it('has readers for pages of others: the example', async () => {
    await page.goto(`${url}/example.html`);
    await page.locator('input').setInputFiles(join(REPOSITORY, 'examples', SAMPLE));
    await page.getByText('Y 4000 × X 96').waitFor();
    await expect.poll(() => page.evaluate(() => document.querySelector('canvas')!.width)).toBe(96);
    await page.locator('input').setInputFiles(writeTemp(root, 'empty.tif', ''));
    await page.getByText('empty.tif is empty (0 bytes)').waitFor();
  });

  it('loads the flavor of a TIFF, and what reads unusual XML, for files that need them', async () => {
    // Those of the service worker, which stores all files, are not among them.
    const requests: string[] = [];
    page.on('request', (request) => requests.push(new URL(request.url()).pathname));
    const read = async (name: string, path: string) => {
      requests.length = 0;
      const label = await page.evaluate(`(async () => {
        const { openFiles } = await import('/readers.js');
        const data = await (await fetch(${JSON.stringify(host.add(path))})).blob();
        const acquisition = await openFiles([{ path: ${JSON.stringify(name)}, data }]);
        await acquisition.close();
        return acquisition.info.channels[0].name;
      })()`);
      const loaded = requests.flatMap((path) => /^\/assets\/(.+)-[\w-]{8}\.js$/.exec(path)?.[1] ?? []);
      return { label, loaded: loaded.filter((part) => ['ome', 'imagej', 'generic', 'xml-saxes'].includes(part)) };
    };
    await page.goto(`${url}/blank`);
    const samples = new Uint16Array(12);
    const images = [{ sizes: { X: 4, Y: 3 }, children: ['<Channel ID="Channel:0" Name="µ"/>', '<TiffData/>'] }];
    const ome = (start: string) => {
      const text = omeXml({ images }).replace('?>', `?>${start}`);
      const pages = [{ width: 4, height: 3, samples, tags: [{ code: 270, type: 2, text }] }];
      return writeTemp(root, 'one.ome.tif', writeTiff({ pages }));
    };
    const usual = await read('one.ome.tif', ome(''));
    expect(usual).toEqual({ label: 'µ', loaded: ['ome'] });
    const unusual = await read('one.ome.tif', ome('<!DOCTYPE OME>'));
    expect(unusual).toEqual({ label: 'µ', loaded: ['ome', 'xml-saxes'] });
    const plain = writeTemp(root, 'plain.tif', writeTiff({ pages: [{ width: 4, height: 3, samples }] }));
    expect((await read('plain.tif', plain)).loaded).toEqual(['generic']);
  });

  it('says what is wrong with a file, and goes on', async () => {
    const whole = writeTiff({ pages: [{ width: 64, height: 64, samples: new Uint16Array(4096).map((_, i) => i) }] });
    await drop(writeTemp(root, 'cut.tif', whole.subarray(0, 3000)));
    await expect.poll(() => page.locator('.app-notices').innerText()).toMatch(/cut\.tif: /);
    await drop(writeTemp(root, 'other.png', new Uint8Array(100)));
    await expect
      .poll(() => page.locator('.app-notices').innerText())
      .toContain('other.png: not a file that this page can open.');
    await drop(writeTemp(root, 'whole.tif', whole));
    await expectPicture('whole.tif');
  });
});
