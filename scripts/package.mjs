// npm run package: builds the desktop application. Without arguments, the executable for this computer.
// npm run package -- --target linux-x64 --kind deb
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { install } from './install.mjs';

const { values } = parseArgs({
  options: {
    target: { type: 'string', multiple: true, default: [`${process.platform}-${process.arch}`] },
    kind: { type: 'string', multiple: true, default: ['executable'] },
  },
});

await install({ tools: true });
const { build } = await import('./build.mjs');
await build();
const { buildDesktop } = await import('../packages/desktop/build/build.mjs');
buildDesktop();
const { buildPackages } = await import('../packages/desktop/build/packages.mjs');
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
for (const target of values.target) {
  for (const path of await buildPackages(target, values.kind)) console.log(path.slice(root.length + 1));
}
