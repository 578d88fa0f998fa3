import { defineConfig } from 'vitest/config';
import { SLOW } from './vitest.config.js';

/**
 * `npm run test:long`: what `npm test` leaves out, the hostile and conformance suites with all of their cases, a longer fuzz
 * of the routes, and the viewer with real files.
 */
export default defineConfig({
  test: {
    include: [
      ...SLOW,
      'tests/conformance/**/*.test.ts',
      'tests/hostile/**/*.test.ts',
      'tests/http/docs-page.test.ts',
      'tests/http/fuzz.test.ts',
      'tests/package/install.test.ts',
      'tests/package/release.test.ts',
      'tests/viewer/e2e/**/*.test.ts',
    ],
    env: { TEST_LONG: '1', FUZZ_FACTOR: process.env['FUZZ_FACTOR'] ?? '20' },
    testTimeout: 3_600_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 15_000 } },
    maxWorkers: 2,
  },
});
