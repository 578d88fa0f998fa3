// Installs the locked dependencies when node_modules is missing, older than the lockfile, or lacks what is asked for.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const modules = join(root, 'node_modules');

/**
 * Dependencies of the package are always installed, and the compiler and bundler that build it. `tools` adds what tests,
 * linter and benchmarks need: the workspace `tests/`, twice the size of all the rest.
 * @param {{ tools: boolean }} options
 */
export function install({ tools }) {
  if (isInstalled(tools)) return;
  console.error('Installing dependencies (once) …');
  const npm = process.env.npm_execpath;
  const [command, args] = npm ? [process.execPath, [npm]] : [process.platform === 'win32' ? 'npm.cmd' : 'npm', []];
  const scope = tools ? [] : ['--workspaces=false'];
  const result = spawnSync(
    command,
    [...args, 'ci', ...scope, '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund'],
    { cwd: root, stdio: ['ignore', 2, 2] },
  );
  if (result.status !== 0) process.exit(result.status ?? 1);
}

/** @param {boolean} tools */
function isInstalled(tools) {
  const marker = join(modules, '.package-lock.json');
  if (!existsSync(marker) || statSync(marker).mtimeMs < statSync(join(root, 'package-lock.json')).mtimeMs) return false;
  // npm links a workspace into node_modules when it installs it.
  return !tools || existsSync(join(modules, 'acquisition-store-tests'));
}
