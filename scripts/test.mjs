// npm test: installs, builds, type-checks, lints and runs the suite. Arguments go to vitest.
// npm run test:long (--long): the same, but the suite is that of vitest.long.config.ts.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { install } from './install.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
install({ tools: true });
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
const long = process.argv.includes('--long');
const args = process.argv.slice(2).filter((arg) => arg !== '--long');
run(['vitest', 'vitest.mjs'], ['run', ...(long ? ['--config', 'vitest.long.config.ts'] : []), ...args]);
