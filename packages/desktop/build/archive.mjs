// What a package has inside besides the application, and how it becomes a zip.
import { mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { billOfMaterials, licenseText } from './contents.mjs';
import { sourceDate } from './linux.mjs';
import { run } from './run.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

/**
 * Writes the licenses and the bill of materials.
 * @param {import('./linux.mjs').Built} built
 * @param {string} folder
 */
export function writeDocuments({ version, executable }, folder) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'LICENSE.txt'), readFileSync(join(ROOT, 'LICENSE')));
  writeFileSync(join(folder, 'licenses.txt'), licenseText(executable.components));
  writeFileSync(join(folder, 'sbom.cdx.json'), billOfMaterials(version, executable.components));
}

/**
 * Gives everything in a folder the permissions and times that every build has.
 * @param {string} folder
 * @returns {string[]} its files, below the folder, sorted
 */
export function settle(folder) {
  run(folder, 'chmod', ['-R', 'u=rwX,go=rX', '.']);
  const time = Number(sourceDate());
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      utimesSync(path, time, time);
      return path.slice(folder.length + 1);
    })
    .sort();
}

/**
 * Makes a zip of a folder; two builds of a commit have the same bytes.
 * @param {string} folder becomes the only entry at the top
 * @param {string} path
 */
export function makeZip(folder, path) {
  const names = settle(folder).map((file) => join(basename(folder), file));
  rmSync(path, { force: true });
  run(dirname(folder), 'zip', ['-X', '-D', '-q', '-9', path, ...names], { ...process.env, TZ: 'UTC' });
}

/**
 * Signs a file with the command of a variable, which gets the path as its last argument; does nothing without one.
 * @param {string} variable
 * @param {string} path
 */
export function sign(variable, path) {
  const command = process.env[variable];
  if (command) run(dirname(path), 'sh', ['-c', `${command} "$1"`, 'sh', path]);
}
