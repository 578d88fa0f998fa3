import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { build } from 'vite';
import type * as Entry from './entry.ts';

declare global {
  var render: typeof Entry;
}

/** A page that has entry.ts as the global `render`. */
export async function renderPage(browser: Browser): Promise<Page> {
  const page = await browser.newPage();
  await page.setContent('<!doctype html><title>render</title>');
  await page.addScriptTag({ content: await bundle() });
  return page;
}

let bundled: Promise<string> | undefined;

function bundle(): Promise<string> {
  bundled ??= (async () => {
    const lib = { entry: join(import.meta.dirname, 'entry.ts'), formats: ['iife' as const], name: 'render' };
    const result = await build({
      configFile: false,
      logLevel: 'error',
      build: { write: false, minify: false, target: 'es2022', lib },
    });
    const [first] = Array.isArray(result) ? result : [result];
    const chunk = first && 'output' in first ? first.output[0] : undefined;
    if (!chunk) throw new Error('nothing was bundled');
    return chunk.code;
  })();
  return bundled;
}
