import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { extensionOf } from '../../packages/readers/src/formats/index.js';
import { chromium } from '../support/engines/chromium.js';
import { firefox } from '../support/engines/firefox.js';
import type { Engine } from '../support/engines/types.js';
import { buildPage, digestsInNode, digestsInPage, PageHost } from '../support/page-host.js';
import { describeWithSamples, expectedFiles, samplePath } from '../support/samples.js';
import { tempFolder } from '../support/temp.js';

const folder = tempFolder();
const host = new PageHost(folder);
let url = '';

beforeAll(async () => {
  await buildPage(folder);
  url = await host.start();
}, 120_000);
afterAll(() => host.stop());

const NAMES = expectedFiles('')
  .map(([name]) => name)
  .filter((name) => extensionOf(name) !== undefined);

describeWithSamples('real files', () => {
  describe.each([chromium, firefox].filter((kind) => kind.missing().length === 0))('in $name', (kind) => {
    let engine: Engine;
    beforeAll(async () => {
      engine = await kind.start();
      await engine.page.goto(`${url}/blank`);
    }, 60_000);
    afterAll(() => engine?.close());

    it.each(NAMES)(
      '%s has the planes that Node reads',
      async (name) => {
        const path = samplePath(name);
        if (!statSync(path, { throwIfNoEntry: false })) return;
        const root = statSync(path).isDirectory() ? dirname(path) : undefined;
        // Some are refused, by both for the same reason.
        expect(await digestsInPage(host, engine, path, root)).toEqual(await digestsInNode(path));
      },
      120_000,
    );
  });
});
