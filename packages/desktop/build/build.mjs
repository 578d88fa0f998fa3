// Compiles packages/desktop/src/ to packages/desktop/dist/, and the page of the window. The package must have been built.
import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './run.mjs';

const DESKTOP = join(dirname(fileURLToPath(import.meta.url)), '..');

export function buildDesktop() {
  const modules = join(DESKTOP, '..', '..', 'node_modules');
  rmSync(join(DESKTOP, 'dist'), { recursive: true, force: true });
  run(DESKTOP, process.execPath, [join(modules, 'typescript', 'bin', 'tsc'), '-p', 'tsconfig.json']);
  const page = join('page', 'vite.config.ts');
  if (!existsSync(join(DESKTOP, page))) return;
  const vite = join(modules, 'vite', 'bin', 'vite.js');
  run(DESKTOP, process.execPath, [vite, 'build', '--config', page, '--logLevel', 'warn']);
}
