import { rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { build } from 'vite';
import { launchBrowser } from '../../support/browser.js';
import { tempFolder } from '../../support/temp.js';

const TYPES: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

/** The cards on a page of their own, built as the viewer is and served on a free port. */
export class HarnessSite {
  private readonly folder = tempFolder();
  private server: Server | undefined;
  private url = '';
  browser!: Browser;

  async start(): Promise<void> {
    await build({
      configFile: false,
      logLevel: 'error',
      root: join(import.meta.dirname, 'harness'),
      base: './',
      oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
      build: { outDir: this.folder, emptyOutDir: true, target: 'es2022', minify: false },
    });
    this.server = createServer(async (request, response) => {
      const path = (request.url ?? '/') === '/' ? '/index.html' : (request.url as string);
      try {
        const body = await readFile(join(this.folder, path));
        response.setHeader('content-type', TYPES[extname(path)] ?? 'application/octet-stream');
        response.end(body);
      } catch {
        response.writeHead(404).end();
      }
    });
    await new Promise<void>((resolve) => this.server?.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
    this.browser = await launchBrowser();
  }

  async page(options: Parameters<Browser['newPage']>[0] = {}): Promise<{ page: Page; complaints: string[] }> {
    const page = await this.browser.newPage({ viewport: { width: 1000, height: 600 }, ...options });
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    await page.goto(this.url);
    return { page, complaints };
  }

  async stop(): Promise<void> {
    await this.browser?.close();
    this.server?.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
