import { defineConfig } from 'vitest/config';
import { PACKAGES, SOURCE } from './vitest.config.js';

/** `npm run test:package`: the executable of the desktop application and its packages, which take minutes to build. */
export default defineConfig({
  ...SOURCE,
  test: {
    include: [PACKAGES],
    testTimeout: 120_000,
    hookTimeout: 1_800_000,
    // The files share what is in desktop/out.
    fileParallelism: false,
  },
});
