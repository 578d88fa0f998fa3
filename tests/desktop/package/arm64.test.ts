/** The packages for ARM, made and started on another processor. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OpenResponse } from '../../../packages/client/src/contract/open.js';
import { buildDesktop } from '../../../packages/desktop/build/build.mjs';
import { fetchNode } from '../../../packages/desktop/build/nodes.mjs';
import { buildPackages } from '../../../packages/desktop/build/packages.mjs';
import { createServer, type RunningServer } from '../../../packages/server/src/index.js';
import { packageVersion } from '../../../packages/server/src/package-files.js';
import { REPOSITORY, SAMPLE } from '../../support/cli.js';
import { describeWithPrograms } from '../../support/desktop.js';
import { tempFolder } from '../../support/temp.js';
import { addressOf } from './built.js';

type Paths = [deb: string, rpm: string, tarball: string, runFile: string];

const TARGET = 'linux-arm64';
const LIBRARIES = '/usr/aarch64-linux-gnu';
const folder = tempFolder();
const executable = join(folder, 'usr/lib/acquisition-store/acqstore');
const EMULATED = ['-L', LIBRARIES, executable];
const env = { HOME: folder, PATH: '/nowhere', XDG_STATE_HOME: join(folder, 'state') };
const programs = [
  'qemu-aarch64',
  'aarch64-linux-gnu-gcc',
  'dpkg-deb',
  'rpmbuild',
  'rpm2cpio',
  'cpio',
  'readelf',
  ...nodeIsThere(),
];

function nodeIsThere(): string[] {
  try {
    fetchNode(TARGET);
    return [];
  } catch {
    return ['Node for ARM'];
  }
}

describeWithPrograms('the packages for ARM', programs, () => {
  let server: ChildProcess;
  let url: string;
  let source: RunningServer;
  let [deb, rpm, tarball, runFile]: Paths = ['', '', '', ''];

  beforeAll(async () => {
    buildDesktop();
    [deb, rpm, tarball, runFile] = (await buildPackages(TARGET, ['deb', 'rpm', 'tar.gz', 'run'])) as Paths;
    expect(spawnSync('dpkg-deb', ['-f', deb, 'Architecture'], { encoding: 'utf8' }).stdout).toBe('arm64\n');
    expect(spawnSync('dpkg-deb', ['-x', deb, folder]).status).toBe(0);
    source = await createServer({ port: 0, stateDir: join(folder, 'source') });
    server = spawn('qemu-aarch64', [...EMULATED, 'serve', '--port', '0', '--log-level', 'warn'], {
      env: { ...env, PATH: process.env['PATH'] },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    url = await addressOf(server);
  });
  afterAll(async () => {
    server?.kill('SIGKILL');
    await source?.close();
  });

  it('describe the sample from the .rpm, the archive and the .run', () => {
    const unpack = (script: string, path: string, name: string) => {
      const at = join(folder, name);
      mkdirSync(at);
      const result = spawnSync('sh', ['-c', script, 'sh', path], { cwd: at, encoding: 'utf8' });
      expect([result.status, result.stderr]).toEqual([0, '']);
      return at;
    };
    const programs = [
      join(unpack('rpm2cpio "$1" | cpio -id --quiet', rpm, 'rpm'), 'usr/lib/acquisition-store/acqstore'),
      join(unpack('tar -xzf "$1" --strip-components=1', tarball, 'archive'), 'acqstore'),
      join(unpack('sh "$1" --unpack unpacked', runFile, 'run'), 'unpacked/acqstore'),
    ];
    for (const program of programs) {
      const inspect = spawnSync('qemu-aarch64', ['-L', LIBRARIES, program, 'inspect', '--json', SAMPLE], {
        encoding: 'utf8',
        env: { ...env, PATH: process.env['PATH'] },
      });
      expect(JSON.parse(inspect.stdout), inspect.stderr).toMatchObject({ ok: true });
    }
    const query = spawnSync('rpm', ['-qp', '--qf', '%{ARCH}', rpm], { encoding: 'utf8' });
    expect(query.stdout).toBe('aarch64');
  });

  // Where qemu is registered with the kernel, programs for ARM run.
  const runs = process.arch === 'arm64' || existsSync('/proc/sys/fs/binfmt_misc/qemu-aarch64');
  it.skipIf(runs)('are not installed on another processor', () => {
    const home = join(folder, 'home');
    mkdirSync(home);
    const { status, stderr } = spawnSync('sh', [runFile], {
      encoding: 'utf8',
      env: { HOME: home, PATH: process.env['PATH'] },
    });
    expect([status, stderr]).toEqual([1, expect.stringContaining('the program does not run on this computer')]);
    expect(readdirSync(home, { recursive: true }).filter((name) => /acq/.test(String(name)))).toEqual([]);
  });

  it('has programs for that processor only', () => {
    for (const path of [executable, join(folder, 'usr/lib/acquisition-store/hvshell')]) {
      const header = spawnSync('readelf', ['-h', path], { encoding: 'utf8' }).stdout;
      expect(header).toContain('AArch64');
    }
  });

  it('has the command line of the package', () => {
    const version = spawnSync('qemu-aarch64', [...EMULATED, '--version'], { encoding: 'utf8' });
    expect(version.stdout.trim(), version.stderr).toBe(packageVersion());
  });

  it.each([
    SAMPLE,
    join(REPOSITORY, 'packages/server/warm-up/zstd.czi'),
    join(REPOSITORY, 'packages/server/warm-up/scan.oir'),
  ])('serves the planes of %s as another processor does', async (path) => {
    expect(await planesOf(url, path)).toEqual(await planesOf(source.url, path));
  });
});

/** Returns the hashes of the planes of a file. */
async function planesOf(base: string, path: string): Promise<string[]> {
  const response = await fetch(`${base}/api/v2/open`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ path }),
  });
  expect(response.status).toBe(200);
  const { channels } = (await response.json()) as OpenResponse;
  const planes = channels.map(async ({ dataUrl }) => Buffer.from(await (await fetch(base + dataUrl)).arrayBuffer()));
  return (await Promise.all(planes)).map((plane) => createHash('sha256').update(plane).digest('hex'));
}
