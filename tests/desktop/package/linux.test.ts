/** Packages for Linux, unpacked into a folder of the test. */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { OpenResponse } from '../../../packages/client/src/contract/open.js';
import { buildPackages } from '../../../packages/desktop/build/packages.mjs';
import { packageVersion } from '../../../packages/server/src/package-files.js';
import { describeWithPrograms } from '../../support/desktop.js';
import { tempFolder } from '../../support/temp.js';
import { addressOf, TARGET, whyNotBuilt } from './built.js';

const problem = whyNotBuilt();
if (problem !== undefined) console.warn(problem);
const folder = tempFolder();
const programs =
  problem === undefined
    ? ['dpkg-deb', 'rpmbuild', 'rpm2cpio', 'cpio', 'gcc', 'tar', 'desktop-file-validate']
    : ['Node of the desktop application'];
const KINDS = ['deb', 'rpm', 'tar.gz', 'run'];
type Paths = [deb: string, rpm: string, tarball: string, runFile: string, sums: string];
const sha256 = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');

describeWithPrograms('packages for Linux', programs, () => {
  let deb: string;
  let rpm: string;
  let tarball: string;
  let runFile: string;
  let sums: string;
  const installed = join(folder, 'deb');
  const unpacked = join(folder, 'tarball', `acquisition-store-${packageVersion()}-${TARGET}`);

  beforeAll(async () => {
    [deb, rpm, tarball, runFile, sums] = (await buildPackages(TARGET, KINDS)) as Paths;
    spawnSync('dpkg-deb', ['-x', deb, installed]);
    mkdirSync(join(folder, 'tarball'));
    spawnSync('tar', ['-xzf', tarball, '-C', join(folder, 'tarball')]);
    mkdirSync(join(folder, 'rpm'));
    spawnSync('sh', ['-c', 'rpm2cpio "$1" | cpio -id --quiet', 'sh', rpm], { cwd: join(folder, 'rpm') });
  });

  it.each([
    ['the .deb', () => join(installed, 'usr/bin/acqstore')],
    ['the .rpm', () => join(folder, 'rpm/usr/bin/acqstore')],
    ['the archive', () => join(unpacked, 'acqstore')],
  ])('%s runs without Node, and brings the sample', (_, path) => {
    const env = { PATH: '/nowhere', HOME: folder };
    const run = (...args: string[]) => spawnSync(path(), args, { env, encoding: 'utf8' });
    expect(run('--version').stdout.trim()).toBe(packageVersion());
    const sample = join(installed, 'usr/lib/acquisition-store/examples/vessel-kymograph.ome.tif');
    expect(JSON.parse(run('inspect', '--json', sample).stdout)).toMatchObject({ ok: true });
    expect(
      existsSync(join(path(), '../hvshell')) || existsSync(join(installed, 'usr/lib/acquisition-store/hvshell')),
    ).toBe(true);
  });

  it.each([
    ['the .rpm', () => join(folder, 'rpm/usr/lib/acquisition-store/acqstore')],
    ['the archive', () => join(unpacked, 'acqstore')],
  ])('%s serves the sample', async (_, path) => {
    const server = spawn(path(), ['serve', '--port', '0'], {
      env: { PATH: '/nowhere', HOME: folder },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = new Promise((resolve) => server.once('exit', resolve));
    try {
      const url = await addressOf(server);
      const { examples } = (await (await fetch(`${url}/api/v2/examples`)).json()) as { examples: { path: string }[] };
      const opened = await fetch(`${url}/api/v2/open`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ path: examples[0]?.path }),
      });
      const { plane, channels } = (await opened.json()) as OpenResponse;
      expect(plane.shape).toEqual([4000, 96]);
      const body = await (await fetch(url + channels[0]?.dataUrl)).arrayBuffer();
      expect(body.byteLength).toBe(4000 * 96 * 4);
    } finally {
      server.kill('SIGTERM');
      expect(await ended).toBe(0);
    }
  });

  it('say what they are, and which files they have', () => {
    const info = spawnSync('dpkg-deb', ['-f', deb], { encoding: 'utf8' }).stdout;
    expect(info).toMatch(/^Package: acquisition-store\nVersion: \d+\.\d+\.\d+\nArchitecture: (amd64|arm64)\n/);
    const listed = spawnSync('dpkg-deb', ['-c', deb], { encoding: 'utf8' }).stdout.trim().split('\n');
    expect(listed.filter((line) => !/ root\/root /.test(line))).toEqual([]);
    const md5 = spawnSync('sh', ['-c', `dpkg-deb --ctrl-tarfile "$1" | tar -xO ./md5sums`, 'sh', deb], {
      encoding: 'utf8',
    });
    expect(spawnSync('md5sum', ['-c', '--quiet', '-'], { cwd: installed, input: md5.stdout }).status).toBe(0);
    for (const path of [deb, rpm, tarball, runFile])
      expect(readFileSync(sums, 'utf8')).toContain(`${sha256(path)}  ${basename(path)}\n`);
  });

  it('have the same files as .deb and as .rpm, which run nothing when they are installed', () => {
    const query = (...args: string[]) => spawnSync('rpm', ['-qp', ...args, rpm], { encoding: 'utf8' }).stdout;
    expect(query('--qf', '%{NAME} %{VERSION} %{LICENSE}')).toBe(`acquisition-store ${packageVersion()} MIT`);
    expect(query('--scripts')).toBe('');
    expect(query('--requires')).toMatch(
      /^libc\.so\.6\(GLIBC_2\.28\)\(64bit\)\nlibstdc\+\+\.so\.6\(\)\(64bit\)\n(rpmlib\(.*\n)+$/,
    );
    expect(new Set(query('--qf', '[%{FILEUSERNAME}:%{FILEGROUPNAME}\n]').trim().split('\n'))).toEqual(
      new Set(['root:root']),
    );
    const files = (root: string) =>
      readdirSync(join(root, 'usr'), { recursive: true, withFileTypes: true })
        .filter((entry) => !entry.isDirectory())
        .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
        .sort();
    expect(files(join(folder, 'rpm'))).toEqual(files(installed));
  });

  it.skipIf(process.getuid?.() !== 0)('the .rpm is installed in a tree, verified, and removed without a trace', () => {
    const tree = join(folder, 'tree');
    mkdirSync(tree);
    // What it depends on is not in the tree.
    const manage = (...args: string[]) => spawnSync('rpm', ['--root', tree, ...args], { encoding: 'utf8' });
    expect(manage('-i', '--nodeps', rpm).status).toBe(0);
    const program = join(tree, 'usr/lib/acquisition-store/acqstore');
    expect(spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout.trim()).toBe(packageVersion());
    expect(manage('-V', '--nodeps', 'acquisition-store').stdout).toBe('');
    expect(manage('-e', 'acquisition-store').status).toBe(0);
    expect(existsSync(join(tree, 'usr/bin/acqstore'))).toBe(false);
    const names = readdirSync(tree, { recursive: true }) as string[];
    expect(names.filter((name) => name.includes('acquisition-store'))).toEqual([]);
  });

  describe('the .run', () => {
    const home = join(folder, "a user's home 100%");
    const env = { HOME: home, PATH: process.env['PATH'] };
    const start = (...args: string[]) => spawnSync('sh', [runFile, ...args], { env, encoding: 'utf8' });

    it('installs for one user, with an entry in the menu, and removes what it installed', () => {
      mkdirSync(home);
      const installing = start();
      expect(installing.stderr).toBe('');
      expect(installing.stdout).toContain(`is installed in ${home}/.local/share/acquisition-store.\n`);
      const program = join(home, '.local/bin/acqstore');
      expect(spawnSync(program, ['--version'], { env, encoding: 'utf8' }).stdout.trim()).toBe(packageVersion());
      const entry = join(home, '.local/share/applications/acquisition-store.desktop');
      const quoted = `"${home.replace('%', '%%')}/.local/share/acquisition-store/acqstore"`;
      expect(readFileSync(entry, 'utf8')).toContain(`\nExec=${quoted} %f\n`);
      expect(spawnSync('desktop-file-validate', [entry], { encoding: 'utf8' }).stdout).toBe('');
      expect(start('--remove').status).toBe(0);
      const left = readdirSync(home, { recursive: true }).filter((name) => /acq/.test(String(name)));
      expect(left).toEqual([]);
      expect(start('--remove')).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('nothing is installed in'),
      });
    });

    it('leaves another program of its name alone', () => {
      const other = join(home, '.local/bin/acqstore');
      writeFileSync(other, '#!/bin/sh\n');
      expect(start()).toMatchObject({ status: 1, stderr: expect.stringContaining('is another program') });
      expect(readFileSync(other, 'utf8')).toBe('#!/bin/sh\n');
      rmSync(other);
      symlinkSync('../lib/node_modules/acquisition-store/dist/cli/main.js', other);
      expect(start().status).toBe(1);
      expect(readlinkSync(other)).toContain('node_modules');
      rmSync(other);
    });

    it('unpacks into a new folder only, and refuses to when it is incomplete', () => {
      const to = join(folder, 'unpacked');
      expect(start('--unpack', to).stderr).toBe('');
      expect(spawnSync('diff', ['-r', to, unpacked], { encoding: 'utf8' }).stdout).toBe('');
      expect(start('--unpack', to)).toMatchObject({ status: 1, stderr: expect.stringContaining('exists already') });
      const part = join(folder, 'part.run');
      writeFileSync(part, readFileSync(runFile).subarray(0, 1_000_000));
      const result = spawnSync('sh', [part], { env, encoding: 'utf8' });
      expect(result).toMatchObject({
        status: 1,
        stderr: 'part.run: is incomplete or was changed. Download it again.\n',
      });
      expect(existsSync(join(home, '.local/share/acquisition-store'))).toBe(false);
    });
  });

  it('bring the license of everything inside, and a bill of materials that lists it', () => {
    const docs = join(installed, 'usr/share/doc/acquisition-store');
    const { components, bomFormat } = JSON.parse(readFileSync(join(docs, 'sbom.cdx.json'), 'utf8')) as {
      bomFormat: string;
      components: { name: string; version: string }[];
    };
    expect(bomFormat).toBe('CycloneDX');
    const names = components.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['node', 'fastify', 'jpegxr', 'typebox', '@jsquash/webp', 'preact', 'uplot']),
    );
    const licenses = readFileSync(join(docs, 'licenses.txt'), 'utf8');
    for (const { name, version } of components) expect(licenses).toContain(`${name} ${version}\n\n`);
    expect(licenses).toContain('Node.js is licensed for use as follows');
  });

  it('describe their file types as the desktop wants it', () => {
    const share = join(installed, 'usr/share');
    const entry = readFileSync(join(share, 'applications/acquisition-store.desktop'), 'utf8');
    const types = /^MimeType=(.*);$/m.exec(entry)![1]!.split(';');
    const described = readFileSync(join(share, 'mime/packages/acquisition-store.xml'), 'utf8');
    for (const type of types.filter((name) => name !== 'image/tiff')) expect(described).toContain(`type="${type}"`);
    expect(readdirSync(join(share, 'icons/hicolor/scalable/apps'))).toEqual(['acquisition-store.svg']);
  });

  it('have the same bytes when they are built again', async () => {
    const all = [deb, rpm, tarball, runFile];
    const before = all.map(sha256);
    for (const path of all) rmSync(path);
    await buildPackages(TARGET, KINDS);
    expect(all.map(sha256)).toEqual(before);
  }, 1_800_000);
});
