// The packages of the desktop application, by their kind.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { buildExecutable, OUT } from './executable.mjs';
import { makeDeb, makeTarball } from './linux.mjs';
import { makeApplication } from './mac.mjs';
import { makeRpm } from './rpm.mjs';
import { makeRunFile } from './run-file.mjs';

/** @type {Record<string, (built: import('./linux.mjs').Built) => string>} */
const KINDS = {
  executable: ({ executable }) => executable.path,
  deb: makeDeb,
  rpm: makeRpm,
  'tar.gz': makeTarball,
  zip: makeApplication,
  run: makeRunFile,
};

/**
 * Builds packages for one target, and the list of their hashes. What they consist of must have been built.
 * @param {string} target
 * @param {readonly string[]} kinds
 * @returns {Promise<string[]>} their paths
 */
export async function buildPackages(target, kinds) {
  const makers = kinds.map((kind) => {
    const maker = KINDS[kind];
    if (!maker) throw new Error(`${kind}: not a kind; choose one of ${Object.keys(KINDS).join(', ')}`);
    return maker;
  });
  const executable = await buildExecutable(target);
  const { version } = JSON.parse(readFileSync(join(executable.packageFolder, 'package.json'), 'utf8'));
  const paths = makers.map((make) => make({ target, version, executable }));
  const sums = join(OUT, target, 'SHA256SUMS');
  writeFileSync(sums, paths.map((path) => `${sha256(path)}  ${basename(path)}\n`).join(''));
  return [...paths, sums];
}

/** @param {string} path */
function sha256(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
