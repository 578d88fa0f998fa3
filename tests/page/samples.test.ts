import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { extensionOf } from '../../packages/readers/src/formats/index.js';
import { digestsInNode, digestsInPage } from '../support/page-host.js';
import { describeInBrowsers } from '../support/page-suite.js';
import { describeWithSamples, expectedFiles, samplePath } from '../support/samples.js';
import { tempFolder } from '../support/temp.js';

const folder = tempFolder();
const NAMES = expectedFiles('')
  .map(([name]) => name)
  .filter((name) => extensionOf(name) !== undefined);

describeWithSamples('real files', () => {
  describeInBrowsers('read', folder, (host, engine) => {
    it.each(NAMES)(
      '%s has the planes that Node reads',
      async (name) => {
        const path = samplePath(name);
        if (!statSync(path, { throwIfNoEntry: false })) return;
        const root = statSync(path).isDirectory() ? dirname(path) : undefined;
        // Some are refused, by both for the same reason.
        expect(await digestsInPage(host, engine(), path, root)).toEqual(await digestsInNode(path));
      },
      120_000,
    );
  });
});
