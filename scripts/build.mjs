// Compiles the packages, each to its dist/; the client to that of the server, which brings it. Used by npm start, npm test and
// npm run build.
import { chmodSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.mjs';
import { runChild } from './child.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

export async function build() {
  rmSync(join(root, 'packages', 'server', 'dist'), { recursive: true, force: true });
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  await run([tsc, '-p', join('packages', 'server', 'tsconfig.json')]);
  // After the server: it is checked against the declarations of the contract.
  await run([tsc, '-p', join('packages', 'client', 'tsconfig.json')]);
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  for (const folder of ['viewer', 'viewer-v1']) {
    await run([vite, 'build', '--config', join('packages', folder, 'vite.config.ts'), '--logLevel', 'warn']);
  }
  await bundle();
  // npx and npm install --global link to it, and make it executable only when they first do so.
  chmodSync(join(root, 'packages', 'server', 'dist', 'cli', 'main.js'), 0o755);
}

/** @param {string[]} args */
function run(args) {
  return runChild(process.execPath, args);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build();
