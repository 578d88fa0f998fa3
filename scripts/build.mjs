// Compiles the packages, each to its dist/, and bundles them for the one that is published. Used by npm start, npm test and
// npm run build.
import { chmodSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bringPackages } from './bring-packages.mjs';
import { bundle } from './bundle.mjs';
import { runChild } from './child.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** A package comes after those that it imports: it is checked against their declarations. */
const COMPILED = ['readers', 'client', 'conformance', 'server'];

export async function build() {
  for (const name of COMPILED) await compile(name);
  for (const name of ['viewer', 'viewer-v1']) await runVite(name);
  await bundle();
  // npx and npm install --global link to it, and make it executable only when they first do so.
  chmodSync(join(root, 'packages', 'server', 'dist', 'cli', 'main.js'), 0o755);
  bringPackages();
}

/** Builds the page that stands alone, a folder for any web host. */
export async function buildPage() {
  await compile('readers');
  await runVite('viewer', ['--mode', 'page']);
  console.log('The page is in dist/page: put its files on any web host.');
}

/** @param {string} name of a package */
function compile(name) {
  rmSync(join(root, 'packages', name, 'dist'), { recursive: true, force: true });
  return run([join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', join('packages', name, 'tsconfig.json')]);
}

/**
 * @param {string} name of a package
 * @param {string[]} args
 */
function runVite(name, args = []) {
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  return run([vite, 'build', '--config', join('packages', name, 'vite.config.ts'), '--logLevel', 'warn', ...args]);
}

/** @param {string[]} args */
function run(args) {
  return runChild(process.execPath, args);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await (process.argv.includes('--page') ? buildPage() : build());
