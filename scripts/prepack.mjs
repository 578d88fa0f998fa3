// npm pack and npm publish: what is packed is built from the sources beside it.
import { build } from './build.mjs';
import { install } from './install.mjs';

await install({ tools: false });
await build();
