import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    // Slow and rarely failing: `npm run test:long` (vitest.long.config.ts).
    exclude: ['tests/long/**'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Three at a time on two cores: much of the time goes by waiting for servers, dialogs and browsers.
    maxWorkers: 3,
  },
});
