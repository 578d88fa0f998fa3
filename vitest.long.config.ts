import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { SETUP, SLOW, SOURCE } from './vitest.config.js';

/** Files of which `npm test` runs some cases: those that look at `LONG`. */
const PARTLY = readdirSync('tests', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))
  .map((name) => join('tests', name))
  .filter((path) => readFileSync(path, 'utf8').includes('support/long.js'));

/**
 * `npm run test:long`: what `npm test` leaves out, the hostile and conformance suites with all of their cases, a longer fuzz
 * of the routes, and the viewer with real files.
 */
export default defineConfig({
  ...SOURCE,
  test: {
    setupFiles: SETUP,
    include: [
      ...SLOW,
      ...PARTLY,
      'tests/conformance/**/*.test.ts',
      'tests/hostile/**/*.test.ts',
      'tests/page/hostile.test.ts',
      'tests/http/fuzz.test.ts',
      'tests/viewer/e2e/**/*.test.ts',
    ],
    env: { TEST_LONG: '1', FUZZ_FACTOR: process.env['FUZZ_FACTOR'] ?? '20' },
    testTimeout: 3_600_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 15_000 } },
    maxWorkers: 2,
  },
});
