// Packages for Windows: a folder of files as it is installed, and its archive.
import { copyFileSync, cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeZip, writeDocuments } from './archive.mjs';
import { OUT } from './executable.mjs';
import { DESKTOP } from './linux.mjs';
import { run } from './run.mjs';
import { brandWindowsProgram } from './windows-resources.mjs';

/** Starts the application without a console. */
const LAUNCHER = 'Acquisition Store.exe';
const COMPILER = 'x86_64-w64-mingw32-gcc';

/**
 * Lays out what a package has, in a folder of its own.
 * @param {import('./linux.mjs').Built} built
 * @returns {string} path of the folder
 */
function makeFolder(built) {
  const { target, version, executable } = built;
  const folder = join(OUT, target, `acquisition-store-${version}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  copyFileSync(executable.path, join(folder, 'acqstore.exe'));
  compileLauncher(join(folder, LAUNCHER));
  brandWindowsProgram(join(folder, LAUNCHER), LAUNCHER, version);
  for (const name of ['examples', 'warm-up']) {
    cpSync(join(executable.packageFolder, name), join(folder, name), { recursive: true });
  }
  writeDocuments(built, join(folder, 'doc'));
  return folder;
}

/** @param {string} path */
function compileLauncher(path) {
  const options = ['-O2', '-s', '-Wall', '-Wextra', '-Werror', '-municode', '-mwindows', '-static'];
  const args = [...options, '-Wl,--no-insert-timestamp', '-o', path, 'launcher.c'];
  run(join(DESKTOP, 'windows'), COMPILER, args);
}

/**
 * Makes an archive that runs from wherever it is unpacked.
 * @param {import('./linux.mjs').Built} built
 * @returns {string} its path
 */
export function makeWindowsZip(built) {
  const folder = makeFolder(built);
  const path = packagePath(built, '.zip');
  makeZip(folder, path);
  rmSync(folder, { recursive: true });
  return path;
}

/**
 * @param {import('./linux.mjs').Built} built
 * @param {string} ending
 */
function packagePath({ target, version }, ending) {
  return join(OUT, target, `acquisition-store-${version}-windows-x64${ending}`);
}
