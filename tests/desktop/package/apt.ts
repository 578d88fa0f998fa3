/** Packages of Debian on this computer, installed and removed by apt. */
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, lstatSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { expect } from 'vitest';
import { whyNotBuilt } from './built.js';

/** The desktop application, and the server without the window. */
export const PACKAGES = ['acquisition-store', 'acquisition-store-server'] as const;
/** The user `nobody`. */
export const NOBODY = 65_534;
export const AS_NOBODY = ['--reuid', `${NOBODY}`, '--regid', `${NOBODY}`, '--clear-groups'];

/** Installing changes this computer, so it needs root, and leaves an installation of the user alone. */
export function whyNotInstalled(): string | undefined {
  if (process.getuid?.() !== 0) return 'root';
  const installed = PACKAGES.find(isInstalled);
  if (installed !== undefined) return `a computer without the package ${installed}`;
  return whyNotBuilt() && 'Node of the desktop application';
}

export function isInstalled(name: string): boolean {
  const { stdout } = spawnSync('dpkg-query', ['-W', '-f', `\${db:Status-Status}`, name], { encoding: 'utf8' });
  return stdout === 'installed';
}

export function apt(...args: string[]) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync('apt-get', ['-y', '-qq', ...args], { env, encoding: 'utf8' });
}

/** Installs a package file. */
export function installFile(deb: string): void {
  // apt reads local packages as a user of its own.
  const copy = join(mkdtempSync(join(tmpdir(), 'acqstore-deb-')), basename(deb));
  chmodSync(dirname(copy), 0o755);
  copyFileSync(deb, copy);
  const installing = apt('install', '--no-install-recommends', copy);
  rmSync(dirname(copy), { recursive: true });
  expect(installing.status, installing.stderr).toBe(0);
}

/** Returns the files and links of an installed package. */
export function filesOf(name: string): string[] {
  return spawnSync('dpkg', ['-L', name], { encoding: 'utf8' })
    .stdout.split('\n')
    .filter((path) => path !== '' && (lstatSync(path).isSymbolicLink() || !lstatSync(path).isDirectory()));
}
