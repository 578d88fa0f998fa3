// Packages for Windows: a folder of files as it is installed, and its archive.
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeZip, settle, sign, writeDocuments } from './archive.mjs';
import { OUT } from './executable.mjs';
import { DESKTOP } from './linux.mjs';
import { run } from './run.mjs';
import { brandWindowsProgram } from './windows-resources.mjs';

/** Starts the application without a console. */
export const LAUNCHER = 'Acquisition Store.exe';
/** Shows the file dialog for the server, which knows this name. */
const DIALOG = 'acqstore-dialog.exe';
/** Variable with the command that signs a program or a package in its place. */
export const SIGN = 'ACQSTORE_SIGN_WINDOWS';
const COMPILER = 'x86_64-w64-mingw32-gcc';
const RUNTIME_LICENSE = '/usr/share/doc/mingw-w64-x86-64-dev/copyright';

/**
 * Lays out what every package has, in a folder of its own.
 * @param {import('./linux.mjs').Built} built
 * @returns {{ folder: string, files: string[] }} paths of the files are below the folder
 */
export function windowsFolder(built) {
  const { target, version, executable } = built;
  const folder = join(OUT, target, `acquisition-store-${version}`);
  // Each build begins with an empty folder.
  if (existsSync(folder)) return { folder, files: settle(folder) };
  mkdirSync(folder, { recursive: true });
  copyFileSync(executable.path, join(folder, 'acqstore.exe'));
  compile('launcher.c', join(folder, LAUNCHER));
  compile('dialog.c', join(folder, DIALOG));
  for (const name of [LAUNCHER, DIALOG]) brandWindowsProgram(join(folder, name), name, version);
  for (const name of ['acqstore.exe', LAUNCHER, DIALOG]) sign(SIGN, join(folder, name));
  for (const name of ['examples', 'warm-up']) {
    cpSync(join(executable.packageFolder, name), join(folder, name), { recursive: true });
  }
  const components = [...executable.components, runtimeOfCompiler()];
  writeDocuments({ ...built, executable: { ...executable, components } }, join(folder, 'doc'));
  return { folder, files: settle(folder) };
}

/** Returns what the compiler links into the programs. @returns {import('./contents.mjs').Component} */
function runtimeOfCompiler() {
  if (!existsSync(RUNTIME_LICENSE)) {
    throw new Error(
      `${RUNTIME_LICENSE}: is missing, and must go with the programs. Install mingw-w64-x86-64-dev of Debian.`,
    );
  }
  const macros = run(OUT, COMPILER, ['-E', '-dM', '-include', '_mingw.h', '-x', 'c', '/dev/null']);
  const [major, minor] = ['MAJOR', 'MINOR'].map((part) => macros.match(`__MINGW64_VERSION_${part} (\\d+)`)?.[1]);
  const text = readFileSync(RUNTIME_LICENSE, 'utf8');
  return { name: 'mingw-w64', version: `${major}.${minor}`, license: 'ZPL-2.1 AND others', text, isProgram: true };
}

/**
 * @param {string} source
 * @param {string} path
 */
function compile(source, path) {
  const options = ['-O2', '-s', '-Wall', '-Wextra', '-Werror', '-municode', '-mwindows', '-static'];
  const libraries = ['-lole32', '-luuid', '-lshell32'];
  run(join(DESKTOP, 'windows'), COMPILER, [...options, '-Wl,--no-insert-timestamp', '-o', path, source, ...libraries]);
}

/**
 * Makes an archive that runs from wherever it is unpacked.
 * @param {import('./linux.mjs').Built} built
 * @returns {string} its path
 */
export function makeWindowsZip(built) {
  const path = packagePath(built, '.zip');
  makeZip(windowsFolder(built).folder, path);
  return path;
}

/**
 * @param {import('./linux.mjs').Built} built
 * @param {string} ending
 */
export function packagePath({ target, version }, ending) {
  return join(OUT, target, `acquisition-store-${version}-windows-x64${ending}`);
}
