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
const COMPILERS = { x64: 'gcc', arm64: 'aarch64-linux-gnu-gcc' };

/** @typedef {{ target: string, version: string, executable: import('./executable.mjs').Executable }} Built */

/**
 * Lays out what a package of the system installs, below a folder.
 * @param {Built} built
 * @param {string} root
 */
export function makeTree(built, root) {
  const { target, executable } = built;
  rmSync(root, { recursive: true, force: true });
  compileShell(target, join(copyProgram(executable, root, NAME), 'hvshell'));
  const share = (/** @type {string[]} */ ...names) => folder(root, 'usr/share', ...names);
  const own = (/** @type {string} */ name) => join(DESKTOP, 'linux', name);
  const entry = addTypes(readFileSync(own(`${NAME}.desktop`), 'utf8'));
  writeFileSync(join(share('applications'), `${NAME}.desktop`), entry);
  writeFileSync(join(share('mime/packages'), `${NAME}.xml`), mimeInfo());
  const icon = join(DESKTOP, '..', 'viewer', 'src', 'app', 'icon.svg');
  copyFileSync(icon, join(share('icons/hicolor/scalable/apps'), `${NAME}.svg`));
  writeCompressed(join(share('man/man1'), 'acqstore.1.gz'), manualPage({ withWindow: true }));
  writeDocuments(built, share('doc', NAME));
  const changes = readFileSync(join(executable.packageFolder, 'CHANGELOG.md'));
  writeCompressed(join(share('doc', NAME), 'changelog.gz'), changes);
  // Whatever the umask of the build was.
  run(root, 'chmod', ['-R', 'u=rwX,go=rX', '.']);
}

/**
 * Lays out the executable, the files beside it, and the command.
 * @param {import('./executable.mjs').Executable} executable
 * @param {string} root
 * @param {string} name of the package
 * @returns {string} folder of the executable
 */
export function copyProgram(executable, root, name) {
  const program = folder(root, 'usr/lib', name);
  copyFileSync(executable.path, join(program, 'acqstore'));
  chmodSync(join(program, 'acqstore'), 0o755);
  for (const beside of ['examples', 'warm-up']) {
    cpSync(join(executable.packageFolder, beside), join(program, beside), { recursive: true });
  }
  symlinkSync(`../lib/${name}/acqstore`, join(folder(root, 'usr/bin'), 'acqstore'));
  return program;
}

/**
 * Writes the licenses, and the list of what is inside.
 * @param {Built} built
 * @param {string} docs folder
 */
export function writeDocuments({ version, executable: { components } }, docs) {
  writeFileSync(join(docs, 'copyright'), copyright(readFileSync(join(DESKTOP, '..', '..', 'LICENSE'), 'utf8')));
  writeFileSync(join(docs, 'licenses.txt'), licenseText(components));
  writeFileSync(join(docs, 'sbom.cdx.json'), billOfMaterials(version, components));
}

/**
 * Returns the manual page of the command.
 * @param {{ withWindow: boolean }} options
 */
export function manualPage({ withWindow }) {
  const page = readFileSync(join(DESKTOP, 'linux', 'acqstore.1'), 'utf8');
  return page.replace(/^\.\\" window\n([\s\S]*?)^\.\\" end\n/gm, withWindow ? '$1' : '');
}

/**
 * @param {string} path
 * @param {string | Buffer} content
 */
export function writeCompressed(path, content) {
  writeFileSync(path, gzipSync(content, { level: 9 }));
}

/**
 * Makes a folder. @param {string[]} names
 * @returns {string} its path
 */
export function folder(...names) {
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
