/** The control page of the desktop application in Chromium. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { build } from 'vite';
import { launchBrowser } from './browser.js';
import { REPOSITORY } from './cli.js';
import type { Desk } from './supervisor.js';
import { tempFolder } from './temp.js';

/** Builds the page. Returns its files, as the supervisor asks for them. */
export async function buildPage(): Promise<(name: string) => Uint8Array | undefined> {
  const outDir = tempFolder();
  const configFile = join(REPOSITORY, 'packages/desktop/page/vite.config.ts');
  await build({ configFile, logLevel: 'error', build: { outDir } });
  return (name) => {
    try {
      return readFileSync(join(outDir, name));
    } catch {
      return undefined;
    }
  };
}

export interface ControlPage {
  browser: Browser;
  context: BrowserContext;
  page: Page;
  /** What the page reported as wrong; not what the server refused. */
  errors: string[];
}

export async function showControlPage(desk: Desk): Promise<ControlPage> {
  const errors: string[] = [];
  const browser = await launchBrowser();
  const context = await browser.newContext({ viewport: { width: 720, height: 480 } });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await context.newPage();
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) errors.push(message.text());
  });
  await page.goto(desk.supervisor.url);
  return { browser, context, page, errors };
}
