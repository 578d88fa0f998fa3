/** What stands between a clone and a running server: the version of Node, the folder, the install, and signals. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import semver from 'semver';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readInstance } from '../../packages/server/src/cli/instance.js';
import { nodePath } from '../../scripts/fetch-nodes.mjs';
import { missingPackages, workspacesOf } from '../../scripts/locked-packages.mjs';
import { nodeFault } from '../../scripts/node-version.mjs';
import { copyBuilt, copyScripts } from '../support/checkout.js';
import { MAIN, REPOSITORY, Running } from '../support/cli.js';
import { LONG, some } from '../support/long.js';
import { hasNpm } from '../support/packed.js';
import { tempFolder } from '../support/temp.js';

const base = tempFolder();
const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const RUN = join('scripts', 'run.mjs');

describe('a Node that is too old', () => {
  const { engines } = readJson(join(REPOSITORY, 'package.json'));

  it.each(['12.22.12', '18.20.8', '20.18.3', '20.19.0', '21.7.3', '22.11.0', '22.12.0', '23.0.0', '26.1.0'])(
    'is what package.json says: %s',
    (version) => {
      expect(nodeFault(version) === '').toBe(semver.satisfies(version, engines.node));
    },
  );

  for (const major of some(['12', '14', '16', '18'], 3)) {
    const { executable } = nodePath(major);
    const isThere = existsSync(executable);
    if (!isThere) console.warn(`NO NODE ${major} (node scripts/fetch-nodes.mjs ${major}): its refusal was not tested`);
    const doors = { acqstore: [MAIN, 'serve'], 'npm start': [RUN, 'start'], 'npm test': [RUN, 'test'] };
    it.skipIf(!isThere).each(Object.entries(doors))(`ends with one sentence: Node ${major}, %s`, (_, args) => {
      const { status, stdout, stderr } = spawnSync(executable, args, { cwd: REPOSITORY, encoding: 'utf8' });
      const sentence = `Acquisition Store Server requires Node 20\\.19, or 22\\.12 or newer; this is Node ${major}\\.\\S+\\.`;
      expect(stderr).toMatch(new RegExp(`^(acqstore: )?${sentence} Install another one from \\S+\\n$`));
      expect([status, stdout]).toEqual([1, '']);
    });
  }

  it.runIf(hasNpm).each(['ci', 'install'])('ends npm %s with one error, about this package', (command) => {
    const folder = copyScripts(join(base, `engines ${command}`));
    for (const name of ['package.json', 'package-lock.json']) {
      const text = readFileSync(join(folder, name), 'utf8');
      writeFileSync(join(folder, name), text.replace(engines.node, '>=99.1'));
    }
    const args = [command, '--offline', '--dry-run', '--ignore-scripts'];
    const { status, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8' });
    expect(status).not.toBe(0);
    expect(stderr).toMatch(/code EBADENGINE\n/);
    expect(stderr.match(/Required:.*/g)).toEqual([expect.stringContaining('>=99.1')]);
  });
});

it.each(['a#b', 'a*b', ...(process.platform === 'win32' ? [] : ['a?b'])])(
  'a folder that cannot be built is named before anything is installed: %s',
  (name) => {
    const folder = copyScripts(join(base, name));
    for (const script of ['start', 'test']) {
      const { status, stderr } = spawnSync(process.execPath, [RUN, script], { cwd: folder, encoding: 'utf8' });
      const character = name[1];
      expect(stderr).toBe(
        `The path of this folder contains ${character}, which the build does not support: ${folder}. Rename or move it.\n`,
      );
      expect(status).toBe(1);
    }
    expect(existsSync(join(folder, 'node_modules'))).toBe(false);
  },
);

it.skipIf(process.platform === 'win32')('the command runs by itself after any build, because links to it stay', () => {
  const { version } = readJson(join(REPOSITORY, 'packages', 'server', 'package.json'));
  expect(spawnSync(MAIN, ['--version'], { encoding: 'utf8' })).toMatchObject({ stdout: `${version}\n`, status: 0 });
});

describe('what is missing in node_modules', () => {
  const locked = {
    '': { dependencies: { a: '1' }, devDependencies: { b: '1' } },
    tests: { devDependencies: { c: '1' } },
    'node_modules/a': { version: '1.0.0', dependencies: { b: '2' }, optionalDependencies: { here: '1', other: '1' } },
    'node_modules/a/node_modules/b': {
      version: '2.0.0',
      peerDependencies: { d: '1', e: '1' },
      peerDependenciesMeta: { e: { optional: true } },
    },
    'node_modules/b': { version: '1.0.0', devDependencies: { e: '1' } },
    'node_modules/c': { version: '1.0.0' },
    'node_modules/d': { version: '1.0.0' },
    'node_modules/e': { version: '1.0.0' },
    'node_modules/here': { version: '1.0.0', os: [process.platform], cpu: [process.arch] },
    'node_modules/other': { version: '1.0.0', os: [`!${process.platform}`] },
    'node_modules/this-tests': { resolved: 'tests', link: true },
  };
  const missing = (changes: object, { workspaces = [''], without = '' } = {}) =>
    missingPackages({ locked, installed: { ...locked, ...changes }, workspaces, has: (folder) => folder !== without });
  const folders = ['a', 'a/node_modules/b', 'b', 'd', 'here'].map((name) => `node_modules/${name}`);

  it('is everything that the package needs on this computer, before an install', () => {
    const nothing = Object.fromEntries(Object.keys(locked).map((folder) => [folder, undefined]));
    expect(missing(nothing).sort()).toEqual(folders);
    const tools = ['node_modules/c', 'node_modules/this-tests'];
    expect(missing(nothing, { workspaces: ['', 'tests'] }).sort()).toEqual([...folders, ...tools].sort());
  });

  it('is nothing after one', () => {
    expect(missing({})).toEqual([]);
    const [real, installed] = ['package-lock.json', 'node_modules/.package-lock.json'].map(
      (name) => readJson(join(REPOSITORY, name)).packages,
    );
    const has = (folder: string) => existsSync(join(REPOSITORY, folder, 'package.json'));
    expect(missingPackages({ locked: real, installed, workspaces: ['', ...workspacesOf(real)], has })).toEqual([]);
  });

  it.each(folders)('is a package that npm skipped, that has another version, or that was deleted: %s', (folder) => {
    expect(missing({ [folder]: undefined })).toEqual([folder]);
    expect(missing({ [folder]: { version: '0.9.0' } })).toEqual([folder]);
    expect(missing({}, { without: folder })).toEqual([folder]);
  });

  it.each(['c', 'e', 'other'])('is not what the package does not need here: %s', (name) => {
    expect(missing({ [`node_modules/${name}`]: undefined })).toEqual([]);
  });
});

describe('npm start', () => {
  /** Runs in place of npm: notes its arguments and its process, and does what `then` says. */
  const npmIn = (folder: string, then: string) => {
    const path = join(folder, 'npm-of-this-test.cjs');
    const note = `require('fs').writeFileSync(__dirname + '/called.json', JSON.stringify({ args: process.argv.slice(2), pid: process.pid }));`;
    writeFileSync(path, `${note}\n${then}`);
    return { ...process.env, npm_execpath: path, npm_node_execpath: undefined };
  };
  const called = (folder: string) => {
    const path = join(folder, 'called.json');
    return existsSync(path) ? (readJson(path) as { args: string[]; pid: number }) : undefined;
  };
  const linkModules = (folder: string) => {
    const modules = join(REPOSITORY, 'node_modules');
    mkdirSync(join(folder, 'node_modules'));
    for (const name of readdirSync(modules)) symlinkSync(join(modules, name), join(folder, 'node_modules', name));
  };

  it.runIf(LONG)('installs again what another Node has skipped, and nothing after a complete install', () => {
    const folder = copyBuilt(join(base, 'half install'));
    linkModules(folder);
    const env = npmIn(folder, 'process.exit(7)');
    const start = () => spawnSync(process.execPath, [RUN, 'start', '--help'], { cwd: folder, env, encoding: 'utf8' });
    const whole = start();
    expect([whole.status, whole.stderr, called(folder)]).toEqual([0, '', undefined]);
    expect(whole.stdout).toMatch(/^Usage: acqstore serve/m);

    const marker = join(folder, 'node_modules', '.package-lock.json');
    const lock = readJson(marker);
    const native = Object.keys(lock.packages).find((name) => name.startsWith('node_modules/@rolldown/binding-'))!;
    delete lock.packages[native];
    rmSync(marker);
    writeFileSync(marker, JSON.stringify(lock));
    const half = start();
    expect(half.stderr).toBe(`Installing dependencies again: ${native.slice('node_modules/'.length)} is missing …\n`);
    expect(half.status).toBe(7);
    expect(called(folder)?.args.slice(0, 2)).toEqual(['ci', '--include-workspace-root']);
  });

  it.skipIf(process.platform === 'win32')('passes a signal on to the install, and ends with it', async () => {
    const folder = copyScripts(join(base, 'interrupted install'));
    const env = npmIn(folder, 'setInterval(() => {}, 1000)');
    const start = new Running(spawn(process.execPath, [RUN, 'start'], { cwd: folder, env }));
    await expect.poll(() => called(folder)).toBeDefined();
    const { pid } = called(folder)!;
    onTestFinished(() => stop(pid));
    start.child.kill('SIGTERM');
    expect((await start.ended).signal).toBe('SIGTERM');
    expect(isAlive(pid)).toBe(false);
  });

  it.skipIf(process.platform === 'win32' || !hasNpm).each(some(['SIGKILL', 'SIGTERM', 'SIGHUP'] as const, 3))(
    'leaves no server behind when only npm gets %s',
    async (signal) => {
      const folder = copyBuilt(join(base, `server ${signal}`));
      symlinkSync(join(REPOSITORY, 'node_modules'), join(folder, 'node_modules'));
      const env = { ...process.env, XDG_STATE_HOME: folder };
      const npm = new Running(spawn('npm', ['start', '--', '--port', '0'], { cwd: folder, env }));
      const [, url = ''] = await npm.says(/API +(http:\S+)\/api\/v2\n[\s\S]*Ctrl-C/);
      const { pid } = readInstance(join(folder, 'acquisition-store'), Number(new URL(url).port))!;
      onTestFinished(() => stop(pid));
      expect(pid).not.toBe(npm.child.pid);
      npm.child.kill(signal);
      await expect.poll(() => isAlive(pid), { timeout: 30_000 }).toBe(false);
    },
  );
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function stop(pid: number): void {
  if (isAlive(pid)) process.kill(pid, 'SIGKILL');
}
