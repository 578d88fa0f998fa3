// npm run bench: installs, builds, measures. `--beside` measures beside a reference server in Python instead.
import { install } from './install.mjs';

install({ tools: true });
const { build } = await import('./build.mjs');
await build();
await (process.argv.includes('--beside') ? import('../bench/beside/run.mjs') : import('../bench/run.mjs'));
