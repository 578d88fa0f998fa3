// npm run docs: makes the static site of the docs in site/dist/VERSION.
// npm run docs -- --out DIR: in DIR/VERSION, beside the versions that DIR has.
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { install } from './install.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { values } = parseArgs({ options: { out: { type: 'string' } } });
const out = values.out === undefined ? join(root, 'site', 'dist') : resolve(values.out);

await install({ tools: ['site'] });
const { buildSite } = await import('../site/build.mjs');
try {
  const { version, folder, pages } = await buildSite(root, out);
  console.log(`The docs of version ${version}, ${pages} pages, are in ${relative('', folder) || '.'}.`);
  console.log('Open index.html there, or put the folder above it on any web host.');
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
