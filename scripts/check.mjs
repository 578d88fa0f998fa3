// npm run check: types of everything, style, code that nothing uses, and the package. npm test runs it too.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const tsc = ['typescript', 'bin', 'tsc'];

/** Runs every check, and ends the process with the exit code of the first that fails. */
export function check() {
  run(tsc, ['--noEmit', '-p', 'tsconfig.json']);
  // Readers run anywhere: without the types of Node and of the DOM.
  run(tsc, ['--noEmit', '-p', join('packages', 'readers', 'tsconfig.json')]);
  run(tsc, ['--noEmit', '-p', join('packages', 'client', 'tsconfig.json')]);
  run(tsc, ['-p', join('packages', 'viewer', 'tsconfig.json')]);
  run(tsc, ['-p', join('packages', 'viewer-v1', 'tsconfig.json')]);
  run(tsc, ['--noEmit', '-p', join('packages', 'desktop', 'tsconfig.json')]);
  run(tsc, ['-p', join('packages', 'desktop', 'page', 'tsconfig.json')]);
  run(tsc, ['-p', join('scripts', 'tsconfig.json')]);
  run(tsc, ['-p', join('bench', 'tsconfig.json')]);
  run(['@biomejs', 'biome', 'bin', 'biome'], ['check', '.', '--error-on-warnings']);
  run(['knip', 'bin', 'knip.js'], ['--no-progress', '--treat-config-hints-as-errors']);
}

/**
 * Runs a program of node_modules and ends the process with its exit code if it fails.
 * @param {string[]} file path of the program
 * @param {string[]} args
 */
export function run(file, args) {
  const options = { cwd: root, stdio: /** @type {const} */ ('inherit') };
  const result = spawnSync(process.execPath, [join(root, 'node_modules', ...file), ...args], options);
  if (result.status !== 0) process.exit(result.status ?? 1);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  check();
  // The suite has a test for it, so npm test does not do it twice.
  run(['publint', 'src', 'cli.js'], ['run', join('packages', 'server'), '--pack', 'npm', '--strict']);
}
