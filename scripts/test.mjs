// npm test: installs, builds, checks and runs the suite. Arguments go to vitest.
// npm run test:long (--long): the same, but the suite is that of vitest.long.config.ts.
// npm run test:package (--package): builds the desktop application, and tests it and its packages.
import { install } from './install.mjs';

await install({ tools: true });
const { build } = await import('./build.mjs');
await build();
const { check, run } = await import('./check.mjs');
check();
const suite = ['long', 'package'].find((name) => process.argv.includes(`--${name}`));
const args = process.argv.slice(2).filter((arg) => arg !== `--${suite}`);
run(['vitest', 'vitest.mjs'], ['run', ...(suite ? ['--config', `vitest.${suite}.config.ts`] : []), ...args]);
