// Installs the locked dependencies when a package is missing in node_modules that this computer needs: nothing was installed,
// the lockfile changed, npm was interrupted, or another Node or another system installed them.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runChild } from './child.mjs';
import { missingPackages, workspacesOf } from './locked-packages.mjs';
import { checkRequirements } from './requirements.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/**
 * Workspaces with tools, which are twice the size of all the rest: of tests, linter, benchmarks, the desktop application and the site of
 * the docs.
 */
const TOOLS = ['packages/desktop', 'site', 'tests'];

/**
 * Dependencies of the packages are always installed, and the compiler and bundler that build them. `tools` adds those of all workspaces
 * with tools, or of some.
 * @param {{ tools: boolean | string[] }} options
 */
export async function install({ tools }) {
  checkRequirements();
  const locked = readPackages('package-lock.json');
  const needed = tools === true ? TOOLS : tools || [];
  const workspaces = workspacesOf(locked).filter((folder) => needed.includes(folder) || !TOOLS.includes(folder));
  const missing = findMissing(locked, workspaces);
  if (missing.length === 0) return;
  const isFirst = !existsSync(join(root, 'node_modules'));
  const [name = ''] = missing.map((path) => path.replace(/^.*node_modules\//, ''));
  console.error(isFirst ? 'Installing dependencies (once) …' : `Installing dependencies again: ${name} is missing …`);
  const npm = process.env.npm_execpath;
  const [command, args] = npm ? [process.execPath, [npm]] : [process.platform === 'win32' ? 'npm.cmd' : 'npm', []];
  const scope = ['--include-workspace-root', ...workspaces.map((folder) => `--workspace=${folder}`)];
  const flags = ['--include=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--no-engine-strict'];
  await runChild(command, [...args, 'ci', ...scope, ...flags], ['ignore', 2, 2]);
}

/**
 * @param {import('./locked-packages.mjs').Packages} locked
 * @param {string[]} workspaces
 */
function findMissing(locked, workspaces) {
  // npm writes it when everything is in place.
  const marker = join('node_modules', '.package-lock.json');
  const installed = existsSync(join(root, marker)) ? readPackages(marker) : {};
  const has = (/** @type {string} */ path) => existsSync(join(root, path, 'package.json'));
  return missingPackages({ locked, installed, workspaces: ['', ...workspaces], has });
}

/**
 * @param {string} path of a lockfile
 * @returns {import('./locked-packages.mjs').Packages}
 */
function readPackages(path) {
  return JSON.parse(readFileSync(join(root, path), 'utf8')).packages;
}
