// npm pack and npm publish: what is packed is built from the sources beside it, and copied into the folder that is packed.
import { completeInPlace } from './assemble.mjs';
import { build } from './build.mjs';
import { install } from './install.mjs';

await install({ tools: false });
await build();
completeInPlace();
