import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    // Slow and rarely failing: `npm run test:long` (vitest.long.config.ts).
    exclude: ['tests/long/**'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Two real processes at a time: the suite starts servers, workers and a browser of its own.
    maxWorkers: 2,
  },
});
