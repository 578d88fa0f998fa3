// The packages of the desktop application, by their kind.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { buildExecutable, OUT } from './executable.mjs';
import { makeDeb, makeTarball } from './linux.mjs';
import { makeApplication } from './mac.mjs';
import { makeMsi } from './msi.mjs';
import { makeRpm } from './rpm.mjs';
import { makeRunFile } from './run-file.mjs';
import { makeSetup } from './setup.mjs';
import { makeWindowsZip } from './windows.mjs';

/** @typedef {(built: import('./linux.mjs').Built) => string} Maker */

/** @type {Maker} */
const executable = ({ executable: { path } }) => path;
/**
 * What can be made, by the system of the target.
 * @type {Record<string, Record<string, Maker>>}
 */
const KINDS = {
  linux: { executable, deb: makeDeb, rpm: makeRpm, 'tar.gz': makeTarball, run: makeRunFile },
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
  const makers = kinds.map((kind) => makerOf(target, kind));
  const built = await buildExecutable(target);
  const { version } = JSON.parse(readFileSync(join(built.packageFolder, 'package.json'), 'utf8'));
  const paths = makers.map((make) => make({ target, version, executable: built }));
  const sums = join(OUT, target, 'SHA256SUMS');
  writeFileSync(sums, paths.map((path) => `${sha256(path)}  ${basename(path)}\n`).join(''));
  return [...paths, sums];
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
