/** A copy of this working tree that is built, in which npm scripts run without touching what other tests use. */
import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { REPOSITORY } from './cli.js';

/** What npm scripts read before they install. */
const SCRIPTS = [
  'package.json',
  'package-lock.json',
  '.npmrc',
  'scripts',
  'tests/package.json',
  'packages/desktop/package.json',
];
const LINKED = [
  'examples',
  'packages/client',
  'packages/viewer',
  'packages/viewer-v1',
  'src',
  'tsconfig.json',
  'warm-up',
];

/** Copies the scripts to a folder. */
export function copyScripts(folder: string): string {
  for (const name of SCRIPTS) copy(name, folder);
  return folder;
}

/** Copies scripts and build to a folder. Its sources are links, and older than the build. */
export function copyBuilt(folder: string): string {
  copyScripts(folder);
  copy('dist', folder);
  for (const name of LINKED) symlinkSync(join(REPOSITORY, name), join(folder, name));
  return folder;
}

function copy(name: string, folder: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  cpSync(join(REPOSITORY, name), join(folder, name), { recursive: true });
}
