// Runs tests on a mutant: one source file gets its fault while it is loaded, and no file on disk changes.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { mergeConfig } from 'vitest/config';
import base from '../../vitest.config.js';
import { apply } from './mutants.mjs';

const { MUTANT } = process.env;
/** @type {import('./mutants.mjs').Mutant | undefined} */
const mutant = MUTANT ? JSON.parse(readFileSync(MUTANT, 'utf8')) : undefined;
const file = mutant && resolve(mutant.file);

export default mergeConfig(base, {
  plugins: [
    {
      name: 'mutant',
      enforce: 'pre',
      load: (/** @type {string} */ id) => (mutant && id === file ? apply(readFileSync(id, 'utf8'), mutant) : undefined),
      // The other files are transformed once for all mutants.
      configureVitest: (/** @type {import('vitest/node').VitestPluginContext} */ context) =>
        context.experimental_defineCacheKeyGenerator(({ id }) => (id === file ? false : undefined)),
    },
  ],
  test: { experimental: { fsModuleCache: true, fsModuleCachePath: resolve('node_modules/.vitest-mutation') } },
});
