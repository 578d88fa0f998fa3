import { defineConfig } from 'vitest/config';

/**
 * `npm run test:long`: `tests/long`, the hostile suites with all of their cases, a longer fuzz of the routes, and the viewer
 * with real files.
 */
export default defineConfig({
  test: {
    include: [
      'tests/long/**/*.test.ts',
      'tests/hostile/**/*.test.ts',
      'tests/http/fuzz.test.ts',
      'tests/conformance/**/*.test.ts',
      'tests/viewer/app/accessible.test.ts',
      'tests/viewer/e2e/**/*.test.ts',
      'tests/viewer/render/browser.test.ts',
    ],
    env: { TEST_LONG: '1', FUZZ_FACTOR: process.env['FUZZ_FACTOR'] ?? '20' },
    testTimeout: 3_600_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
