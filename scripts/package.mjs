// npm run package: builds the desktop application. Without arguments, the executable for this computer.
// npm run package -- --target linux-x64 --kind deb
// npm run package -- --kind wheel: the server for Python, for every computer.
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
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const say = (/** @type {string} */ path) => console.log(path.slice(root.length + 1));
const kinds = values.kind.filter((kind) => kind !== 'wheel');
if (kinds.length < values.kind.length) {
  const { buildServerWheel } = await import('./server-wheel.mjs');
  say(buildServerWheel(join(root, 'python', 'server', 'dist')));
}
if (kinds.length === 0) process.exit();
const { buildDesktop } = await import('../packages/desktop/build/build.mjs');
buildDesktop();
const { buildPackages } = await import('../packages/desktop/build/packages.mjs');
for (const target of values.target) {
  for (const path of await buildPackages(target, kinds)) say(path);
}
