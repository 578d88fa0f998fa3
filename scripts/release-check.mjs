// Proves that this commit can be released: node scripts/release-check.mjs
// Checks the version, the changelog and the tree, packs the package, installs it into an empty folder, and runs it there.
// docs/releasing.md says what comes before and after.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
/** Of the package that is published. */
const MANIFEST = 'packages/server/package.json';
const START_MS = 30_000;

/**
 * Returns what is wrong with the version of the package: it must be a release, and package-lock.json must agree.
 * @param {string} root of the repository
 * @returns {string[]}
 */
export function versionFaults(root) {
  const { version } = readJson(join(root, MANIFEST));
  const locked = readJson(join(root, 'package-lock.json')).packages['packages/server'].version;
  const faults = [];
  if (!/^\d+\.\d+\.\d+$/.test(version)) faults.push(`${MANIFEST}: "${version}" is not a release version such as 1.2.0`);
  if (locked !== version) faults.push(`package-lock.json: has version ${locked}; run npm install --package-lock-only`);
  return faults;
}

/**
 * Returns what is wrong with the entry of a version: it needs a heading with its date, and at least one line.
 * @param {string} changelog text of CHANGELOG.md
 * @param {string} version
 * @returns {string[]}
 */
export function changelogFaults(changelog, version) {
  const entry = changelog.split(/^## /m).find((part) => part.startsWith(`[${version}]`));
  if (entry === undefined) return [`CHANGELOG.md: has no entry "## [${version}] - YYYY-MM-DD"`];
  const [heading = ''] = entry.split('\n');
  const date = /^\[[^\]]+\] - (\d{4}-\d{2}-\d{2})$/.exec(heading)?.[1];
  const faults = [];
  if (date === undefined || Number.isNaN(Date.parse(date))) {
    faults.push(`CHANGELOG.md: "## ${heading}" has no date; write "## [${version}] - YYYY-MM-DD"`);
  }
  if (!/^- \S/m.test(entry)) faults.push(`CHANGELOG.md: the entry of ${version} lists no change`);
  return faults;
}

/**
 * Returns what is wrong with a working tree: everything must be committed, and the version must not have a tag yet.
 * @param {string} root
 * @param {string} version
 * @returns {string[]}
 */
export function treeFaults(root, version) {
  const git = (/** @type {string[]} */ ...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const changed = git('status', '--porcelain');
  const tag = git('tag', '--list', `v${version}`);
  return [
    ...(changed === '' ? [] : [`the working tree has changes that are not committed:\n${changed}`]),
    ...(tag === '' ? [] : [`the tag ${tag} exists: raise the version`]),
  ];
}

/**
 * Packs the package as `npm publish` would, after a build.
 * @param {string} root
 * @param {string} folder where the tarball is written
 * @returns {string} path of the tarball
 */
function pack(root, folder) {
  const text = npm(root, ['pack', '--workspace=acquisition-store', '--json', '--pack-destination', folder]);
  return join(folder, JSON.parse(text.slice(text.indexOf('[')))[0].filename);
}

/**
 * Installs a tarball into an empty folder and uses it: the version, a server, the sample, a plane, the viewer, and the stop.
 * Throws at the first thing that does not work.
 * @param {string} tarball
 * @param {string} version that the command must print
 * @param {string} folder for the project and the state of the server
 */
export async function smokeTest(tarball, version, folder) {
  const project = join(folder, 'project');
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, 'package.json'), '{"private": true}\n');
  npm(project, ['install', tarball, '--prefer-offline', '--no-audit', '--no-fund']);
  const installed = join(project, 'node_modules', 'acquisition-store');
  const main = join(installed, readJson(join(installed, 'package.json')).bin.acqstore);

  const state = ['--state-dir', join(folder, 'state')];
  const run = (/** @type {string[]} */ ...args) => spawnSync(process.execPath, [main, ...args], { encoding: 'utf8' });
  expectEqual('acqstore --version', run('--version').stdout.trim(), version);

  const server = spawn(process.execPath, [main, 'serve', '--port', '0', '--log-level', 'warn', ...state], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => server.once('close', resolve));
  try {
    const url = await addressOf(server);
    await usePlane(url, join(installed, 'examples', 'vessel-kymograph.ome.tif'));
    expectEqual('status of the viewer', (await fetch(`${url}/demo/v2/`)).status, 200);
    expectEqual('status of the demo of API v1', (await fetch(`${url}/demo/`)).status, 200);
    const stopped = run('stop', '--port', new URL(url).port, ...state);
    expectEqual('exit code of acqstore stop', stopped.status, 0);
    // On Windows a program cannot be asked to end: it has no exit code of its own then.
    if (process.platform !== 'win32') expectEqual('exit code of the server', await ended, 0);
  } finally {
    server.kill('SIGKILL');
    await ended;
  }
}

/**
 * Opens a file and reads its first plane, which must have all of its samples and some signal.
 * @param {string} url of the server
 * @param {string} path
 */
async function usePlane(url, path) {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/api/v2/open`, { method: 'POST', headers, body: JSON.stringify({ path }) });
  expectEqual('status of POST /api/v2/open', answer.status, 200);
  const { plane, channels, sessionId } = await answer.json();
  const samples = new Float32Array(await (await fetch(url + channels[0].dataUrl)).arrayBuffer());
  expectEqual('number of samples', samples.length, plane.shape[0] * plane.shape[1]);
  expectEqual(
    'a sample above 0',
    samples.some((sample) => sample > 0),
    true,
  );
  const deleted = await fetch(`${url}/api/v2/sessions/${sessionId}`, { method: 'DELETE' });
  expectEqual('status of DELETE /api/v2/sessions/ID', deleted.ok, true);
}

/**
 * Waits until a server prints its address.
 * @param {import('node:child_process').ChildProcess} server
 * @returns {Promise<string>}
 */
function addressOf(server) {
  return new Promise((resolve, reject) => {
    let text = '';
    const timer = setTimeout(
      () => reject(new Error(`the server did not start in ${START_MS / 1000} s:\n${text}`)),
      START_MS,
    );
    server.stdout?.setEncoding('utf8').on('data', (part) => {
      text += part;
      const url = /API +(http:\S+)\/api\/v2\n/.exec(text)?.[1];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve(url);
    });
    server.once('close', (code) => {
      clearTimeout(timer);
      reject(new Error(`the server ended with exit code ${code}:\n${text}`));
    });
  });
}

/**
 * @param {string} cwd
 * @param {string[]} args
 * @returns {string} what npm prints
 */
function npm(cwd, args) {
  const windows = process.platform === 'win32';
  const { status, stdout } = spawnSync('npm', args, {
    cwd,
    encoding: 'utf8',
    shell: windows,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) throw new Error(`npm ${args.join(' ')} ended with exit code ${status}:\n${stdout}`);
  return stdout;
}

/**
 * @param {string} what
 * @param {unknown} actual
 * @param {unknown} expected
 */
function expectEqual(what, actual, expected) {
  if (actual !== expected) throw new Error(`${what}: ${actual}; expected ${expected}`);
  console.log(`ok  ${what}: ${actual}`);
}

/** @param {string} path */
function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}

async function main() {
  const { version } = readJson(join(ROOT, MANIFEST));
  const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
  const faults = [...versionFaults(ROOT), ...changelogFaults(changelog, version), ...treeFaults(ROOT, version)];
  for (const fault of faults) console.error(`!!  ${fault}`);
  if (faults.length > 0) return 1;
  console.log(`ok  version ${version}, its changelog entry, and a clean tree`);
  const folder = mkdtempSync(join(tmpdir(), 'acqstore-release-'));
  try {
    const tarball = pack(ROOT, folder);
    await smokeTest(tarball, version, folder);
  } catch (error) {
    console.error(`!!  ${error instanceof Error ? error.message : error}`);
    return 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(`Version ${version} can be released: see docs/releasing.md.`);
  return 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await main();
