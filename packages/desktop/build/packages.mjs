// The packages of the desktop application, and of the server without the window, by their kind.
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { makeDeb } from './deb.mjs';
import { buildExecutable, OUT } from './executable.mjs';
import { makeTarball } from './linux.mjs';
import { makeApplication } from './mac.mjs';
import { makeMsi } from './msi.mjs';
import { makeRpm } from './rpm.mjs';
import { makeRunFile } from './run-file.mjs';
import { makeServerDeb } from './server-deb.mjs';
import { makeSetup } from './setup.mjs';
import { makeWindowsZip } from './windows.mjs';

/** @typedef {(built: import('./linux.mjs').Built) => string} Maker */

/** @type {Maker} */
const executable = ({ executable: { path } }) => path;
/**
 * What can be made, by the system of the target.
 * @type {Record<string, Record<string, Maker>>}
 */
export const KINDS = {
  linux: {
    executable,
    deb: makeDeb,
    rpm: makeRpm,
    'tar.gz': makeTarball,
    run: makeRunFile,
    'server-deb': makeServerDeb,
  },
  darwin: { executable, zip: makeApplication },
  win32: { executable, zip: makeWindowsZip, setup: makeSetup, msi: makeMsi },
};

/**
 * Builds packages for one target, and the list of their hashes. What they consist of must have been built.
 * @param {string} target
 * @param {readonly string[]} kinds
 * @returns {Promise<string[]>} their paths
 */
export async function buildPackages(target, kinds) {
  const makers = kinds.map((kind) => ({ make: makerOf(target, kind), program: programOf(kind) }));
  rmSync(join(OUT, target), { recursive: true, force: true });
  /** @type {Map<import('./executable.mjs').Program, import('./executable.mjs').Executable>} */
  const built = new Map();
  // The application first: its folder has that of the server inside.
  for (const program of /** @type {const} */ (['application', 'server'])) {
    if (makers.some((maker) => maker.program === program)) built.set(program, await buildExecutable(target, program));
  }
  const paths = makers.map(({ make, program }) => {
    const executable = /** @type {import('./executable.mjs').Executable} */ (built.get(program));
    const { version } = JSON.parse(readFileSync(join(executable.packageFolder, 'package.json'), 'utf8'));
    return make({ target, version, executable });
  });
  rmSync(join(OUT, target, 'server'), { recursive: true, force: true });
  const sums = join(OUT, target, 'SHA256SUMS');
  writeFileSync(sums, paths.map((path) => `${sha256(path)}  ${basename(path)}\n`).join(''));
  return [...paths, sums];
}

/**
 * @param {string} kind
 * @returns {import('./executable.mjs').Program}
 */
function programOf(kind) {
  return kind.startsWith('server-') ? 'server' : 'application';
}

/**
 * @param {string} target
 * @param {string} kind
 */
function makerOf(target, kind) {
  const makers = KINDS[target.split('-')[0] ?? ''];
  if (!makers) throw new Error(`${target}: not a target; it starts with one of ${Object.keys(KINDS).join(', ')}`);
  const maker = makers[kind];
  if (!maker) throw new Error(`${kind}: not a kind for ${target}; choose one of ${Object.keys(makers).join(', ')}`);
  return maker;
}

/** @param {string} path */
function sha256(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
