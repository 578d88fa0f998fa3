// Builds the wheel of the server for Python: the published package and what it needs of npm, run by the Node of another wheel.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unpackPackage } from './assemble.mjs';
import { runtimePackages } from './locked-packages.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const SERVER = 'packages/server';

/**
 * Builds `acquisition_store_server-VERSION-py3-none-any.whl`. The package must have been built.
 * @param {string} out folder of the wheel
 * @param {string} [python]
 * @returns {string} path of the wheel
 */
export function buildServerWheel(out, python = 'python3') {
  const stage = mkdtempSync(join(tmpdir(), 'acqstore-wheel-'));
  try {
    cpSync(join(ROOT, 'python', 'server'), stage, { recursive: true });
    cpSync(join(ROOT, 'LICENSE'), join(stage, 'LICENSE'));
    const { version } = JSON.parse(readFileSync(join(ROOT, SERVER, 'package.json'), 'utf8'));
    const project = join(stage, 'pyproject.toml');
    writeFileSync(project, readFileSync(project, 'utf8').replace('version = "0.0.0"', `version = "${version}"`));
    layOutServer(join(stage, 'src', 'acquisition_store_server', 'server'));
    mkdirSync(out, { recursive: true });
    const built = join(stage, 'wheel');
    execFileSync(python, ['-m', 'pip', 'wheel', '--quiet', '--no-deps', '--wheel-dir', built, stage], {
      stdio: 'inherit',
    });
    const [name = ''] = readdirSync(built);
    cpSync(join(built, name), join(out, name));
    return join(out, name);
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

/**
 * Lays out the published package and what it needs of npm, for a Node that comes from elsewhere. The package must have been built.
 * @param {string} folder
 * @returns {string} the folder
 */
export function layOutServer(folder) {
  unpackPackage(folder);
  copyDependencies(folder);
  return folder;
}

/**
 * Copies the packages that the server runs with, in the versions of the lockfile.
 * @param {string} folder
 */
function copyDependencies(folder) {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  for (const path of runtimePackages(packages, SERVER)) {
    cpSync(join(ROOT, path), join(folder, path.replace(`${SERVER}/`, '')), {
      recursive: true,
      // Packages inside of a package are listed by themselves.
      filter: (source) => basename(source) !== 'node_modules' && !/\.(d\.[cm]?ts|map)$/.test(source),
    });
  }
}
