// Packages for Linux: a tree of files as it is installed, and its archives. Two builds of a commit have the same bytes.
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { billOfMaterials, licenseText } from './contents.mjs';
import { addTypes, mimeInfo } from './documents.mjs';
import { OUT } from './executable.mjs';
import { run } from './run.mjs';

export const DESKTOP = join(dirname(fileURLToPath(import.meta.url)), '..');
export const NAME = 'acquisition-store';
/** How Debian names the processors of Node. */
const DEBIAN = { x64: 'amd64', arm64: 'arm64' };
const COMPILERS = { x64: 'gcc', arm64: 'aarch64-linux-gnu-gcc' };

/** @typedef {{ target: string, version: string, executable: import('./executable.mjs').Executable }} Built */

/**
 * Lays out what a package of the system installs, below a folder.
 * @param {Built} built
 * @param {string} root
 */
export function makeTree({ target, version, executable }, root) {
  rmSync(root, { recursive: true, force: true });
  const program = folder(root, 'usr/lib', NAME);
  copyFileSync(executable.path, join(program, 'acqstore'));
  chmodSync(join(program, 'acqstore'), 0o755);
  compileShell(target, join(program, 'hvshell'));
  for (const name of ['examples', 'warm-up']) {
    cpSync(join(executable.packageFolder, name), join(program, name), { recursive: true });
  }
  symlinkSync(`../lib/${NAME}/acqstore`, join(folder(root, 'usr/bin'), 'acqstore'));
  const share = (/** @type {string[]} */ ...names) => folder(root, 'usr/share', ...names);
  const own = (/** @type {string} */ name) => join(DESKTOP, 'linux', name);
  const entry = addTypes(readFileSync(own(`${NAME}.desktop`), 'utf8'));
  writeFileSync(join(share('applications'), `${NAME}.desktop`), entry);
  writeFileSync(join(share('mime/packages'), `${NAME}.xml`), mimeInfo());
  const icon = join(DESKTOP, '..', 'viewer', 'src', 'app', 'icon.svg');
  copyFileSync(icon, join(share('icons/hicolor/scalable/apps'), `${NAME}.svg`));
  writeFileSync(join(share('man/man1'), 'acqstore.1.gz'), gzipSync(readFileSync(own('acqstore.1')), { level: 9 }));
  const docs = share('doc', NAME);
  const { components } = executable;
  writeFileSync(join(docs, 'copyright'), copyright(readFileSync(join(DESKTOP, '..', '..', 'LICENSE'), 'utf8')));
  writeFileSync(join(docs, 'licenses.txt'), licenseText(components));
  writeFileSync(join(docs, 'sbom.cdx.json'), billOfMaterials(version, components));
  const changes = readFileSync(join(executable.packageFolder, 'CHANGELOG.md'));
  writeFileSync(join(docs, 'changelog.gz'), gzipSync(changes, { level: 9 }));
  // Whatever the umask of the build was.
  run(root, 'chmod', ['-R', 'u=rwX,go=rX', '.']);
}

/**
 * Makes a folder. @param {string[]} names
 * @returns {string} its path
 */
function folder(...names) {
  const path = join(...names);
  mkdirSync(path, { recursive: true });
  return path;
}

/**
 * @param {string} target
 * @param {string} path
 */
function compileShell(target, path) {
  const compiler = COMPILERS[/** @type {keyof typeof COMPILERS} */ (processor(target))];
  run(join(DESKTOP, 'shell'), compiler, ['-O2', '-s', '-Wall', '-Wextra', '-Werror', '-o', path, 'hvshell.c', '-ldl']);
}

/** @param {string} target */
export function processor(target) {
  return target.split('-')[1] ?? '';
}

/** @param {string} license of the package */
function copyright(license) {
  return (
    'Acquisition Store is under the MIT license below. The executable also has Node and other packages inside; their\n' +
    `licenses are in licenses.txt beside this file.\n\n${license}`
  );
}

/** Time of all files in a package: that of the commit, unless SOURCE_DATE_EPOCH says another. */
export function sourceDate() {
  return process.env.SOURCE_DATE_EPOCH ?? run(DESKTOP, 'git', ['log', '-1', '--format=%ct']).trim();
}

/**
 * Makes a .deb with a tree.
 * @param {Built} built
 * @returns {string} its path
 */
export function makeDeb(built) {
  const { target, version } = built;
  const architecture = DEBIAN[/** @type {keyof typeof DEBIAN} */ (processor(target))];
  const root = join(OUT, target, 'deb');
  makeTree(built, root);
  const sizes = run(root, 'du', ['-sk', '--apparent-size', 'usr']);
  const sums = run(root, 'sh', ['-c', 'find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum']);
  const control = folder(root, 'DEBIAN');
  writeFileSync(join(control, 'md5sums'), sums);
  writeFileSync(
    join(control, 'control'),
    `Package: ${NAME}\nVersion: ${version}\nArchitecture: ${architecture}\n` +
      'Maintainer: The Acquisition Store authors <maintainers@acquisition-store.invalid>\n' +
      `Installed-Size: ${Number.parseInt(sizes, 10)}\nSection: science\nPriority: optional\n` +
      'Depends: libc6 (>= 2.28), libstdc++6 (>= 8)\n' +
      'Recommends: libgtk-3-0 | libgtk-3-0t64, libwebkit2gtk-4.1-0, xdg-utils, xdg-desktop-portal | zenity | kdialog\n' +
      'Homepage: https://github.com/acquisition-store/acquisition-store\n' +
      'Description: open microscope acquisitions\n' +
      ' Opens line scans, frames and stacks of microscopes (OIR, CZI, ND2, LIF, OME-TIFF, OME-Zarr\n' +
      ' and others), shows them in the browser, and serves their metadata and raw planes to programs\n' +
      ' on this computer.\n',
  );
  run(root, 'chmod', ['-R', 'u=rwX,go=rX', 'DEBIAN']);
  const path = join(OUT, target, `${NAME}_${version}_${architecture}.deb`);
  const env = { ...process.env, SOURCE_DATE_EPOCH: sourceDate() };
  run(OUT, 'dpkg-deb', ['--root-owner-group', '-Zxz', '--build', root, path], env);
  rmSync(root, { recursive: true });
  return path;
}

/**
 * Makes an archive that runs from wherever it is unpacked.
 * @param {Built} built
 * @returns {string} its path
 */
export function makeTarball(built) {
  const { target, version } = built;
  const name = `${NAME}-${version}-${target}`;
  const path = join(OUT, target, `${name}.tar.gz`);
  // Each build begins with an empty folder.
  if (existsSync(path)) return path;
  const root = join(OUT, target, 'tree');
  makeTree(built, root);
  const program = join(OUT, target, name);
  rmSync(program, { recursive: true, force: true });
  cpSync(join(root, 'usr/lib', NAME), program, { recursive: true });
  cpSync(join(root, 'usr/share/doc', NAME), join(program, 'doc'), { recursive: true });
  rmSync(join(program, 'doc', 'changelog.gz'));
  for (const file of [
    `applications/${NAME}.desktop`,
    `mime/packages/${NAME}.xml`,
    `icons/hicolor/scalable/apps/${NAME}.svg`,
  ]) {
    copyFileSync(join(root, 'usr/share', file), join(folder(program, 'share'), basename(file)));
  }
  rmSync(root, { recursive: true });
  const order = [
    '--sort=name',
    `--mtime=@${sourceDate()}`,
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '--format=gnu',
  ];
  const tar = join(OUT, target, `${name}.tar`);
  run(join(OUT, target), 'tar', [...order, '-cf', tar, name]);
  run(join(OUT, target), 'gzip', ['-n', '-f', '-6', tar]);
  rmSync(program, { recursive: true });
  return path;
}
