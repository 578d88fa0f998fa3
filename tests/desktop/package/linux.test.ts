/** Packages for Linux, unpacked into a folder of the test. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { buildPackages } from '../../../desktop/build/packages.mjs';
import { packageVersion } from '../../../src/package-files.js';
import { describeWithPrograms } from '../../support/desktop.js';
import { tempFolder } from '../../support/temp.js';
import { TARGET, whyNotBuilt } from './built.js';

const problem = whyNotBuilt();
if (problem !== undefined) console.warn(problem);
const folder = tempFolder();
const programs = problem === undefined ? ['dpkg-deb', 'gcc', 'tar'] : ['Node of the desktop application'];
const sha256 = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');

describeWithPrograms('packages for Linux', programs, () => {
  let deb: string;
  let tarball: string;
  let sums: string;
  const installed = join(folder, 'deb');
  const unpacked = join(folder, 'tarball', `acquisition-store-${packageVersion()}-${TARGET}`);

  beforeAll(async () => {
    [deb, tarball, sums] = (await buildPackages(TARGET, ['deb', 'tar.gz'])) as [string, string, string];
    spawnSync('dpkg-deb', ['-x', deb, installed]);
    mkdirSync(join(folder, 'tarball'));
    spawnSync('tar', ['-xzf', tarball, '-C', join(folder, 'tarball')]);
  });

  it.each([
    ['the .deb', () => join(installed, 'usr/bin/acqstore')],
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

  it('say what they are, and which files they have', () => {
    const info = spawnSync('dpkg-deb', ['-f', deb], { encoding: 'utf8' }).stdout;
    expect(info).toMatch(/^Package: acquisition-store\nVersion: \d+\.\d+\.\d+\nArchitecture: (amd64|arm64)\n/);
    const listed = spawnSync('dpkg-deb', ['-c', deb], { encoding: 'utf8' }).stdout.trim().split('\n');
    expect(listed.filter((line) => !/ root\/root /.test(line))).toEqual([]);
    const md5 = spawnSync('sh', ['-c', `dpkg-deb --ctrl-tarfile "$1" | tar -xO ./md5sums`, 'sh', deb], {
      encoding: 'utf8',
    });
    expect(spawnSync('md5sum', ['-c', '--quiet', '-'], { cwd: installed, input: md5.stdout }).status).toBe(0);
    expect(readFileSync(sums, 'utf8')).toContain(sha256(deb));
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
    const before = [sha256(deb), sha256(tarball)];
    rmSync(deb);
    rmSync(tarball);
    await buildPackages(TARGET, ['deb', 'tar.gz']);
    expect([sha256(deb), sha256(tarball)]).toEqual(before);
  }, 600_000);
});
