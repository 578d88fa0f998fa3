// The package that needs no root: a script that installs the archive behind it for one user.
import { createHash } from 'node:crypto';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DESKTOP, makeTarball } from './linux.mjs';

/** The script says where the archive begins, in as many digits for any length of the script. */
const DIGITS = 6;

/**
 * Makes a self-extracting .run, with the archive of `makeTarball`.
 * @param {import('./linux.mjs').Built} built
 * @returns {string} its path
 */
export function makeRunFile(built) {
  const tarball = makeTarball(built);
  const archive = readFileSync(tarball);
  const script = readFileSync(join(DESKTOP, 'linux', 'install.sh'), 'utf8')
    .replace('@VERSION@', built.version)
    .replace('@SHA256@', createHash('sha256').update(archive).digest('hex'));
  const length = Buffer.byteLength(script) - '@START@'.length + DIGITS;
  const path = tarball.replace(/\.tar\.gz$/, '.run');
  // A leading zero would be fine for tail, but spaces are for every shell.
  const start = String(length + 1).padEnd(DIGITS);
  writeFileSync(path, Buffer.concat([Buffer.from(script.replace('@START@', start)), archive]));
  chmodSync(path, 0o755);
  return path;
}
