// npm run bench: installs, builds, measures.
import { install } from './install.mjs';

install({ tools: true });
const { build } = await import('./build.mjs');
await build();
await import('../bench/run.mjs');
