// Makes the executable of the desktop application: Node, the published package and the window's page in one file. That of the
// server has the package alone.
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'postject';
import { unpackPackage } from '../../../scripts/assemble.mjs';
import { bundleScript } from './bundle-script.mjs';
import { listComponents } from './contents.mjs';
import { fetchNode, nodeLicense } from './nodes.mjs';
import { run } from './run.mjs';
import { BLOB, FUSE } from './sea.mjs';
import { packWindowsExecutable } from './windows-resources.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const DESKTOP = join(ROOT, 'packages', 'desktop');
export const OUT = join(DESKTOP, 'out');

const WORKERS = ['batch/worker.js', 'decode/worker.js', 'storage/lookup-worker.js'];
/** Folders of the package whose files the server sends. */
const PAGES = ['viewer/dist', 'viewer-v1/dist', 'viewer/docs', 'dist/client'];
/** As `readWasm` names them. */
const WASM = [
  '@cornerstonejs/codec-libjpeg-turbo-8bit/decodewasm',
  '@cornerstonejs/codec-openjpeg/decodewasm',
  '@jsquash/webp/codec/dec/webp_dec.wasm',
];
const MAIN = 'acqstore.js';
const WINDOW_PAGE = join(DESKTOP, 'page', 'dist');

/**
 * `path` is the main script for macOS, with its files in `assets` beside it.
 * @typedef {{ path: string, packageFolder: string, components: import('./contents.mjs').Component[] }} Executable
 */

/** @typedef {'application' | 'server'} Program */

/**
 * Builds an executable for a target. The package and the desktop application must have been built.
 * @param {string} target such as `linux-x64`
 * @param {Program} [program]
 * @returns {Promise<Executable>}
 */
export async function buildExecutable(target, program = 'application') {
  const folder = join(OUT, target, ...(program === 'server' ? ['server'] : []));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const packageFolder = join(OUT, 'package');
  unpackPackage(packageFolder);
  /** @type {Set<string>} */
  const bundled = new Set();
  // A changed Node would lose the signature of its makers, without which macOS does not run it.
  const isSingleFile = !target.startsWith('darwin-');
  const assets = await collectAssets(packageFolder, join(OUT, 'assets'), { program, bundled, isSingleFile });
  const path = isSingleFile ? await makeExecutable(target, assets, folder) : copyAssets(assets, folder);
  const pages = [join(packageFolder, 'viewer', 'dist'), ...(program === 'server' ? [] : [WINDOW_PAGE])];
  const lists = pages.map((page) => join(page, 'licenses.txt')).filter((list) => existsSync(list));
  const components = listComponents({
    modules: join(ROOT, 'node_modules'),
    bundled,
    licenseLists: lists.map((list) => readFileSync(list, 'utf8')),
    nodeLicense: nodeLicense(),
  });
  return { path, packageFolder, components };
}

/**
 * Puts the application into Node.
 * @param {string} target
 * @param {Map<string, string>} assets
 * @param {string} folder
 * @returns {Promise<string>} path of the executable
 */
async function makeExecutable(target, assets, folder) {
  const blob = makeBlob(assets, join(OUT, 'assets'));
  const path = target.startsWith('win32-')
    ? packWindowsExecutable(fetchNode(target), blob, join(folder, 'acqstore.exe'), packedVersion(assets))
    : await injectInto(fetchNode(target), blob, join(folder, 'acqstore'));
  rmSync(blob);
  return path;
}

/** @param {Map<string, string>} assets */
function packedVersion(assets) {
  return JSON.parse(readFileSync(assets.get('package.json') ?? '', 'utf8')).version;
}

/**
 * @param {string} node
 * @param {string} blob
 * @param {string} path
 * @returns {Promise<string>} the path
 */
async function injectInto(node, blob, path) {
  copyFileSync(node, path);
  chmodSync(path, 0o755);
  await inject(path, BLOB, readFileSync(blob), { sentinelFuse: FUSE });
  return path;
}

/**
 * Lays out the application for a Node beside it.
 * @param {Map<string, string>} assets
 * @param {string} folder
 * @returns {string} path of the main script
 */
function copyAssets(assets, folder) {
  for (const [name, path] of assets) {
    const copy = join(folder, 'assets', name);
    mkdirSync(dirname(copy), { recursive: true });
    copyFileSync(path, copy);
    // Packages of npm may mark any file as executable.
    chmodSync(copy, 0o644);
  }
  copyFileSync(join(OUT, 'assets', MAIN), join(folder, MAIN));
  return join(folder, MAIN);
}

/**
 * Returns what goes into the executable: the path of each file by its name.
 * @param {string} packageFolder
 * @param {string} folder for the scripts
 * @param {object} options
 * @param {Program} options.program
 * @param {Set<string>} options.bundled gets the paths of all modules
 * @param {boolean} options.isSingleFile
 * @returns {Promise<Map<string, string>>}
 */
async function collectAssets(packageFolder, folder, { program, bundled, isSingleFile }) {
  rmSync(folder, { recursive: true, force: true });
  const assets = new Map([['package.json', join(packageFolder, 'package.json')]]);
  const main = join(folder, MAIN);
  const add = (/** @type {string[]} */ modules) => {
    for (const path of modules) bundled.add(path);
  };
  const entry = program === 'server' ? join(packageFolder, 'dist', 'cli', 'main.js') : join(DESKTOP, 'dist', 'main.js');
  add(await bundleScript(entry, main, packageFolder, isSingleFile));
  for (const worker of WORKERS) {
    const script = join(folder, worker);
    add(await bundleScript(join(packageFolder, 'dist', worker), script, packageFolder, isSingleFile));
    assets.set(`dist/${worker}`, script);
  }
  const { resolve } = createRequire(join(ROOT, 'packages', 'server', 'package.json'));
  for (const specifier of WASM) assets.set(`wasm/${specifier}`, resolve(specifier));
  for (const pages of PAGES) addFolder(assets, pages, join(packageFolder, pages));
  if (program === 'application') addFolder(assets, 'page', WINDOW_PAGE);
  const list = join(folder, 'files.json');
  writeFileSync(list, JSON.stringify([...assets.keys()].sort()));
  return assets.set('files.json', list);
}

/**
 * @param {Map<string, string>} assets
 * @param {string} name of the folder inside the executable
 * @param {string} folder
 */
function addFolder(assets, name, folder) {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    assets.set(`${name}/${relative(folder, path).replaceAll('\\', '/')}`, path);
  }
}

/**
 * Makes the application of a single executable with the version of Node that runs it.
 * @param {Map<string, string>} assets
 * @param {string} folder with the main script
 * @returns {string} path of the blob
 */
function makeBlob(assets, folder) {
  const blob = join(folder, 'sea.blob');
  const config = join(folder, 'sea.json');
  const sorted = [...assets].sort(([a], [b]) => (a < b ? -1 : 1));
  const settings = {
    // Relative: it becomes part of the executable, and of its stack traces.
    main: MAIN,
    output: blob,
    disableExperimentalSEAWarning: true,
    useSnapshot: false,
    useCodeCache: false,
    assets: Object.fromEntries(sorted),
  };
  writeFileSync(config, JSON.stringify(settings));
  run(folder, fetchNode(`${process.platform}-${process.arch}`), ['--experimental-sea-config', config]);
  rmSync(config);
  return blob;
}
