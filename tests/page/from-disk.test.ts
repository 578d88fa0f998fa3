/** The page that stands alone, opened from a disk, and its readers. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromium } from '../support/engines/chromium.js';
import { firefox } from '../support/engines/firefox.js';
import type { Engine } from '../support/engines/types.js';
import { buildPage } from '../support/page-host.js';
import { tempFolder } from '../support/temp.js';

const folder = join(tempFolder(), 'page');
beforeAll(() => buildPage(folder), 120_000);

describe.each([chromium, firefox].filter((kind) => kind.missing().length === 0))('from a disk in $name', (kind) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await kind.start();
    await engine.page.goto(pathToFileURL(join(folder, 'index.html')).href);
  }, 60_000);
  afterAll(() => engine?.close());

  it('the page says why it does not run, and what to do', async () => {
    const text = () => engine.page.evaluate<string>('document.body.innerText');
    await expect
      .poll(text)
      .toMatch(/cannot run from a file:\/\/ address.*Copy its folder to a web host.*http\.server/s);
  });

  it('the browser refuses the module of the readers', async () => {
    const outcome = await engine.page.evaluate<string>(`new Promise((resolve) => {
      const script = Object.assign(document.createElement('script'), { type: 'module', src: './readers.js' });
      script.onload = () => resolve('loaded');
      script.onerror = () => resolve('refused');
      document.head.append(script);
    })`);
    expect(outcome).toBe('refused');
  });
});
