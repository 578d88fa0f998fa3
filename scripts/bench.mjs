// npm run bench: installs, builds, measures. `--beside` measures beside a reference server in Python instead, `--load` what
// one and two instances stand.
import { install } from './install.mjs';

await install({ tools: true });
const { build } = await import('./build.mjs');
await build();
if (process.argv.includes('--beside')) await import('../bench/beside/run.mjs');
else if (process.argv.includes('--load')) await import('../bench/load.mjs');
else await import('../bench/run.mjs');
