/** A copy of this working tree that is built, in which npm scripts run without touching what other tests use. */
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { REPOSITORY } from './cli.js';

/** Folders with a package.json of their own. */
const PACKAGES = readdirSync(join(REPOSITORY, 'packages')).map((name) => `packages/${name}`);
const WORKSPACES = [...PACKAGES, 'site', 'tests'].filter((folder) =>
  existsSync(join(REPOSITORY, folder, 'package.json')),
);
/** What npm scripts read before they install. */
const SCRIPTS = [
  'package.json',
  'package-lock.json',
  '.npmrc',
  'scripts',
  ...WORKSPACES.map((folder) => `${folder}/package.json`),
];
/** What the server is built from, and opens. */
const LINKED = [
  'examples',
  ...['client', 'conformance', 'readers', 'server'].flatMap((name) =>
    ['src', 'tsconfig.json'].map((part) => `packages/${name}/${part}`),
  ),
  'packages/server/warm-up',
  ...['viewer', 'viewer-v1'].flatMap((page) =>
    ['dist', 'docs', 'index.html', 'src', 'vite.config.ts'].map((name) => `packages/${page}/${name}`),
  ),
  'tsconfig.base.json',
].filter((path) => existsSync(join(REPOSITORY, path)));

/** Copies the scripts to a folder. */
export function copyScripts(folder: string): string {
  for (const name of SCRIPTS) copy(name, folder);
  return folder;
}

/** Copies scripts and build to a folder. Its sources are links, and older than the build. */
export function copyBuilt(folder: string): string {
  copyScripts(folder);
  copy('packages/server/dist', folder);
  for (const name of LINKED) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    symlinkSync(join(REPOSITORY, name), join(folder, name));
  }
  return folder;
}

function copy(name: string, folder: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  cpSync(join(REPOSITORY, name), join(folder, name), { recursive: true });
}
