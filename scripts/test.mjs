// npm test: installs, builds, type-checks, lints and runs the suite. Arguments go to vitest.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { install } from './install.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
install();
const { build } = await import('./build.mjs');
build();

function run(file, args) {
  const result = spawnSync(process.execPath, [join(root, 'node_modules', ...file), ...args], {
    cwd: root,
    stdio: 'inherit',
  });
  if (result.status !== 0) process.exit(result.status ?? 1);
}
run(['typescript', 'bin', 'tsc'], ['--noEmit', '-p', 'tsconfig.test.json']);
run(['typescript', 'bin', 'tsc'], ['-p', join('viewer', 'tsconfig.json')]);
run(['@biomejs', 'biome', 'bin', 'biome'], ['check', '.', '--error-on-warnings']);
run(['vitest', 'vitest.mjs'], ['run', ...process.argv.slice(2)]);
