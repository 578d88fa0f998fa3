// Installs the locked dependencies when a package is missing in node_modules that this computer needs: nothing was installed,
// the lockfile changed, npm was interrupted, or another Node or another system installed them.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runChild } from './child.mjs';
import { missingPackages } from './locked-packages.mjs';
import { checkRequirements } from './requirements.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/**
 * Dependencies of the package are always installed, and the compiler and bundler that build it. `tools` adds what tests,
 * linter and benchmarks need: the workspace `tests/`, twice the size of all the rest.
 * @param {{ tools: boolean }} options
 */
export async function install({ tools }) {
  checkRequirements();
  const missing = findMissing(tools);
  if (missing.length === 0) return;
  const isFirst = !existsSync(join(root, 'node_modules'));
  const [name = ''] = missing.map((path) => path.replace(/^.*node_modules\//, ''));
  console.error(isFirst ? 'Installing dependencies (once) …' : `Installing dependencies again: ${name} is missing …`);
  const npm = process.env.npm_execpath;
  const [command, args] = npm ? [process.execPath, [npm]] : [process.platform === 'win32' ? 'npm.cmd' : 'npm', []];
  const scope = tools ? [] : ['--workspaces=false'];
  const flags = ['--include=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--no-engine-strict'];
  await runChild(command, [...args, 'ci', ...scope, ...flags], ['ignore', 2, 2]);
}

/** @param {boolean} tools @returns {string[]} */
function findMissing(tools) {
  const marker = join(root, 'node_modules', '.package-lock.json');
  const read = (/** @type {string} */ path) => JSON.parse(readFileSync(path, 'utf8')).packages;
  const locked = read(join(root, 'package-lock.json'));
  // npm writes it when everything is in place.
  const installed = existsSync(marker) ? read(marker) : {};
  const workspaces = tools ? ['', 'packages/desktop', 'tests'] : [''];
  return missingPackages({
    locked,
    installed,
    workspaces,
    has: (path) => existsSync(join(root, path, 'package.json')),
  });
}
