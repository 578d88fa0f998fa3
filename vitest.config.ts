import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    // Slow and rarely failing: `npm run test:long` (vitest.long.config.ts).
    exclude: ['tests/long/**', 'tests/viewer/render/browser.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Four at a time on two cores: much of the time goes by waiting for servers, dialogs and browsers.
    maxWorkers: 4,
  },
});
