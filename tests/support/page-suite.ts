/** Fixtures of a format in the workers of browsers. */
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromium } from './engines/chromium.js';
import { firefox } from './engines/firefox.js';
import type { Engine } from './engines/types.js';
import { buildPage, digestsInNode, digestsInPage, PageHost } from './page-host.js';
import { tempFolder } from './temp.js';

interface PageCase {
  name: string;
  /** Writes the fixture into an empty folder; returns the path to open. */
  write(folder: string): string;
}

/** Runs tests in a page of each browser that is there. @param folder receives the page */
export function describeInBrowsers(
  label: string,
  folder: string,
  tests: (host: PageHost, engine: () => Engine) => void,
): void {
  const host = new PageHost(folder);
  let url = '';
  beforeAll(async () => {
    await buildPage(folder);
    url = await host.start();
  }, 120_000);
  afterAll(() => host.stop());

  describe.each([chromium, firefox].filter((kind) => kind.missing().length === 0))(`${label} in $name`, (kind) => {
    let engine: Engine;
    beforeAll(async () => {
      engine = await kind.start();
      await engine.page.goto(`${url}/blank`);
    }, 60_000);
    afterAll(() => engine?.close());
    tests(host, () => engine);
  });
}

/** Every fixture has the same planes in a page as in Node. @param folder makes a fresh temporary folder */
export function pageSuite(label: string, cases: readonly PageCase[], folder: () => string): void {
  describeInBrowsers(label, tempFolder(), (host, engine) => {
    it.each(cases)('$name has the planes that Node reads', async ({ write }) => {
      const at = folder();
      const path = write(at);
      const read = await digestsInPage(host, engine(), path, path.startsWith(at) ? at : dirname(path));
      expect(read).toEqual(await digestsInNode(path));
      expect(read.length).toBeGreaterThan(1);
    });
  });
}
