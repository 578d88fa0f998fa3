/** The site of the docs, made by `npm run docs` and served below a path. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { chromiumPath, launchBrowser } from './browser.js';
import { REPOSITORY } from './cli.js';
import { PageHost } from './page-host.js';

/** False before an install that is newer than the site. */
export const hasSiteTools = existsSync(join(REPOSITORY, 'node_modules/marked/package.json'));
export const canShowSite = hasSiteTools && chromiumPath() !== undefined;
if (!canShowSite) console.warn('NO CHROMIUM, OR NO marked (npm ci): the site of the docs was not tested');

export const { version } = JSON.parse(readFileSync(join(REPOSITORY, 'packages/server/package.json'), 'utf8')) as {
  version: string;
};

export interface DocsSite {
  page: Page;
  /** What `npm run docs` printed. */
  printed: string;
  /** Address of the folder of the version. */
  address: string;
  /** Addresses that the pages asked for, and that are not those of the site. */
  foreign: string[];
  /** Messages of the console, and errors that nothing caught. */
  errors: string[];
  open(name: string, more?: { dark?: boolean; width?: number }): Promise<void>;
  close(): Promise<void>;
}

/** Makes the site in a folder, and opens a page for it. */
export async function makeDocsSite(out: string): Promise<DocsSite> {
  const { stdout, stderr, status } = spawnSync('npm', ['run', '--silent', 'docs', '--', '--out', out], {
    cwd: REPOSITORY,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (status !== 0 || stderr !== '') throw new Error(`npm run docs ended with exit code ${status}:\n${stderr}`);
  const host = new PageHost(out);
  const origin = await host.start();
  const browser: Browser = await launchBrowser();
  const context = await browser.newContext();
  const page = await context.newPage();
  const address = `${origin}/page/${version}/`;
  const [foreign, errors]: [string[], string[]] = [[], []];
  const own = [`${origin}/`, `${pathToFileURL(out).href}/`, `blob:${origin}/`];
  context.on('request', (request) => {
    if (!own.some((start) => request.url().startsWith(start))) foreign.push(request.url());
  });
  context.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  context.on('weberror', (error) => errors.push(error.error().message));
  return {
    ...{ page, printed: stdout, address, foreign, errors },
    async open(name, { dark = false, width = 1280 } = {}) {
      await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
      await page.setViewportSize({ width, height: 800 });
      await page.goto(address + name);
    },
    async close() {
      await browser.close();
      host.stop();
    },
  };
}
