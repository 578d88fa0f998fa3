// npm test: installs, builds, checks and runs the suite. Arguments go to vitest.
// npm run test:long (--long): the same, but the suite is that of vitest.long.config.ts.
import { install } from './install.mjs';

install({ tools: true });
const { build } = await import('./build.mjs');
await build();
const { check, run } = await import('./check.mjs');
check();
const long = process.argv.includes('--long');
const args = process.argv.slice(2).filter((arg) => arg !== '--long');
run(['vitest', 'vitest.mjs'], ['run', ...(long ? ['--config', 'vitest.long.config.ts'] : []), ...args]);
