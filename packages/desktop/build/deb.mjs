// The package for Debian and Ubuntu.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OUT } from './executable.mjs';
import { folder, makeTree, NAME, processor, sourceDate } from './linux.mjs';
import { run } from './run.mjs';

/** How Debian names the processors of Node. */
const DEBIAN = { x64: 'amd64', arm64: 'arm64' };
export const MAINTAINER = 'The Acquisition Store authors <maintainers@acquisition-store.invalid>';
/** The package with the server alone: see server-deb.mjs. Both have /usr/bin/acqstore. */
export const SERVER_NAME = 'acquisition-store-server';

/**
 * Makes the .deb of the desktop application. Two builds of a commit have the same bytes.
 * @param {import('./linux.mjs').Built} built
 * @returns {string} its path
 */
export function makeDeb(built) {
  const root = join(OUT, built.target, 'deb');
  makeTree(built, root);
  return packDeb(built, root, {
    name: NAME,
    fields: {
      Recommends: 'libgtk-3-0 | libgtk-3-0t64, libwebkit2gtk-4.1-0, xdg-utils, xdg-desktop-portal | zenity | kdialog',
      Conflicts: SERVER_NAME,
      Replaces: SERVER_NAME,
    },
    description: `open microscope acquisitions
 Opens line scans, frames and stacks of microscopes (OIR, CZI, ND2, LIF, OME-TIFF, OME-Zarr
 and others), shows them in the browser, and serves their metadata and raw planes to programs
 on this computer.`,
  });
}

/**
 * Packs a tree, and removes it.
 * @param {import('./linux.mjs').Built} built
 * @param {string} root
 * @param {object} about
 * @param {string} about.name of the package
 * @param {Record<string, string>} about.fields further ones of its control file
 * @param {string} about.description
 * @param {Record<string, string>} [about.scripts] what runs when it is installed or removed, by its name
 * @returns {string} path of the package
 */
export function packDeb({ target, version }, root, { name, fields, description, scripts = {} }) {
  const architecture = DEBIAN[/** @type {keyof typeof DEBIAN} */ (processor(target))];
  const sizes = run(root, 'du', ['-sk', '--apparent-size', 'usr']);
  const sums = run(root, 'sh', ['-c', 'find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum']);
  const control = folder(root, 'DEBIAN');
  writeFileSync(join(control, 'md5sums'), sums);
  const all = {
    Package: name,
    Version: version,
    Architecture: architecture,
    Maintainer: MAINTAINER,
    'Installed-Size': Number.parseInt(sizes, 10),
    Section: 'science',
    Priority: 'optional',
    // Node is linked with these two only.
    Depends: 'libc6 (>= 2.28), libstdc++6 (>= 8)',
    ...fields,
    Homepage: 'https://github.com/acquisition-store/acquisition-store',
    Description: description,
  };
  const lines = Object.entries(all).map(([field, value]) => `${field}: ${value}\n`);
  writeFileSync(join(control, 'control'), lines.join(''));
  for (const [script, text] of Object.entries(scripts)) writeFileSync(join(control, script), text, { mode: 0o755 });
  run(root, 'chmod', ['-R', 'u=rwX,go=rX', 'DEBIAN']);
  const path = join(OUT, target, `${name}_${version}_${architecture}.deb`);
  const env = { ...process.env, SOURCE_DATE_EPOCH: sourceDate() };
  run(OUT, 'dpkg-deb', ['--root-owner-group', '-Zxz', '--build', root, path], env);
  rmSync(root, { recursive: true });
  return path;
}
