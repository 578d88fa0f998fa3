// Puts together what is published: the code of packages/server/, and the pages, documents and examples that come with it.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const SERVER = join(root, 'packages', 'server');

/** What comes from elsewhere in the repository, by its path in the package. Some of it is built before. */
const BESIDE = {
  'viewer/dist': 'packages/viewer/dist',
  'viewer/docs': 'packages/viewer/docs',
  'viewer-v1/dist': 'packages/viewer-v1/dist',
  deploy: 'deploy',
  docs: 'docs',
  examples: 'examples',
  matlab: 'matlab',
  'CHANGELOG.md': 'CHANGELOG.md',
  'CONTRIBUTING.md': 'CONTRIBUTING.md',
  LICENSE: 'LICENSE',
  'README.md': 'README.md',
  'SECURITY.md': 'SECURITY.md',
};

/**
 * Writes the package to a folder, where `npm pack` finds everything.
 * @param {string} folder
 */
export function assemble(folder) {
  for (const name of ['package.json', 'dist', 'warm-up'])
    cpSync(join(SERVER, name), join(folder, name), { recursive: true });
  copyBeside(folder);
}

/**
 * Packs the package as `npm publish` would, and unpacks it: nothing else is in what is built of it.
 * @param {string} folder
 */
export function unpackPackage(folder) {
  const work = mkdtempSync(join(tmpdir(), 'acqstore-pack-'));
  try {
    assemble(join(work, 'assembled'));
    const options = { cwd: join(work, 'assembled'), shell: process.platform === 'win32' };
    execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', work], options);
    const tarball = readdirSync(work).find((name) => name.endsWith('.tgz')) ?? '';
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    execFileSync('tar', ['-xzf', join(work, tarball), '-C', folder, '--strip-components=1']);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Completes packages/server/ itself, for `npm pack` and `npm publish` there. */
export function completeInPlace() {
  removeInPlace();
  copyBeside(SERVER);
}

/** Removes what `completeInPlace` has copied. */
export function removeInPlace() {
  for (const name of Object.keys(BESIDE))
    rmSync(join(SERVER, name.split('/')[0] ?? ''), { recursive: true, force: true });
}

/** @param {string} folder */
function copyBeside(folder) {
  for (const [name, path] of Object.entries(BESIDE)) cpSync(join(root, path), join(folder, name), { recursive: true });
}
