// Puts other versions of Node into a cache folder, for tests/package: node scripts/fetch-nodes.mjs 20 22 24
// They come from the npm registry. A version that is there, or that is the running one, is not fetched.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const windows = process.platform === 'win32';

/**
 * Returns where the executable of a major version is, or would be.
 * @param {string} major
 */
export function nodePath(major) {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const folder = join(cache, 'acquisition-store', `node-${major}`);
  return { folder, executable: join(folder, 'node_modules', platformPackage(), 'bin', windows ? 'node.exe' : 'node') };
}

/** The package that holds the executable itself; `node` would fetch it with an install script. */
function platformPackage() {
  return `node-${windows ? 'win' : process.platform}-${process.arch}`;
}

/** @param {string} major */
function fetchNode(major) {
  const { folder, executable } = nodePath(major);
  if (existsSync(executable)) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private": true}\n');
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', `${platformPackage()}@${major}`];
  const result = spawnSync(windows ? 'npm.cmd' : 'npm', args, { cwd: folder, stdio: ['ignore', 2, 2], shell: windows });
  if (result.status !== 0 || !existsSync(executable)) {
    console.error(`Node ${major} could not be fetched: the tests on it are skipped.`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const running = process.versions.node.split('.')[0];
  for (const major of process.argv.slice(2)) if (major !== running) fetchNode(major);
}
