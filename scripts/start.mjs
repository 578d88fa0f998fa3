// npm start: on a bare clone with only Node, installs, builds, and runs `acqstore serve`. Arguments go to it:
// npm start -- --port 9000 --open
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { install } from './install.mjs';
import { stopWithNpm } from './stop-with-npm.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const main = join(root, 'packages/server/dist', 'cli', 'main.js');

/**
 * Returns the time of the newest file below a folder.
 * @param {string} path
 * @returns {number}
 */
function newest(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(0, ...readdirSync(path).map((name) => newest(join(path, name))));
}

function isBuilt() {
  const pages = ['packages/viewer', 'packages/viewer-v1'].map((folder) => join(root, folder, 'dist', 'index.html'));
  // The chunks are written last.
  if (![main, join(root, 'packages/server/dist', 'chunks'), ...pages].every((path) => existsSync(path))) return false;
  const sources = [
    ...['client', 'conformance', 'readers', 'server'].flatMap((name) =>
      ['src', 'package.json', 'tsconfig.json'].map((part) => `packages/${name}/${part}`),
    ),
    'packages/viewer/src',
    'packages/viewer/index.html',
    'packages/viewer/vite.config.ts',
    'packages/viewer-v1/src',
    'packages/viewer-v1/index.html',
    'packages/viewer-v1/vite.config.ts',
    'tsconfig.base.json',
    'package-lock.json',
  ].map((name) => newest(join(root, name)));
  return statSync(main).mtimeMs >= Math.max(...sources);
}

stopWithNpm();
await install({ tools: false });
if (!isBuilt()) {
  console.error('Building …');
  const { build } = await import('./build.mjs');
  await build();
}
console.log('Other commands, in this folder: npx acqstore --help');
// In this process, so that Ctrl-C and signals reach the server itself.
process.argv = [process.execPath, main, 'serve', ...process.argv.slice(2)];
await import('../packages/server/dist/cli/main.js');
