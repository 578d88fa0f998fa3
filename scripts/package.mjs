// npm run package: builds the desktop application. Without arguments, the executable for this computer.
// npm run package -- --target linux-x64 --kind deb
// npm run package -- --kind server-deb: the server without the window, for Debian.
// npm run package -- --kind wheel: the server for Python, for every computer.
// npm run package -- --kind conda-source: the folder that deploy/conda/recipe.yaml makes the package of the server from.
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
const SERVER_OUT = join(root, 'python', 'server', 'dist');
const { buildServerWheel, layOutServer } = await import('./server-wheel.mjs');
/** @type {Record<string, () => string>} */
const forEveryComputer = {
  wheel: () => buildServerWheel(SERVER_OUT),
  'conda-source': () => layOutServer(join(SERVER_OUT, 'server')),
};
const kinds = values.kind.filter((kind) => !Object.hasOwn(forEveryComputer, kind));
for (const kind of values.kind) {
  const make = forEveryComputer[kind];
  if (make) say(make());
}
if (kinds.length === 0) process.exit();
const { buildDesktop } = await import('../packages/desktop/build/build.mjs');
buildDesktop();
const { buildPackages } = await import('../packages/desktop/build/packages.mjs');
for (const target of values.target) {
  for (const path of await buildPackages(target, kinds)) say(path);
}
