/** The packages for ARM, made and started on another processor. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildDesktop } from '../../../desktop/build/build.mjs';
import { fetchNode } from '../../../desktop/build/nodes.mjs';
import { buildPackages } from '../../../desktop/build/packages.mjs';
import type { OpenResponse } from '../../../src/contract/open.js';
import { createServer, type RunningServer } from '../../../src/index.js';
import { packageVersion } from '../../../src/package-files.js';
import { REPOSITORY, SAMPLE } from '../../support/cli.js';
import { describeWithPrograms } from '../../support/desktop.js';
import { tempFolder } from '../../support/temp.js';
import { addressOf } from './built.js';

const TARGET = 'linux-arm64';
const LIBRARIES = '/usr/aarch64-linux-gnu';
const folder = tempFolder();
const executable = join(folder, 'usr/lib/acquisition-store/acqstore');
const EMULATED = ['-L', LIBRARIES, executable];
const env = { HOME: folder, PATH: '/nowhere', XDG_STATE_HOME: join(folder, 'state') };
const programs = ['qemu-aarch64', 'aarch64-linux-gnu-gcc', 'dpkg-deb', 'readelf', ...nodeIsThere()];

function nodeIsThere(): string[] {
  try {
    fetchNode(TARGET);
    return [];
  } catch {
    return ['Node for ARM'];
  }
}

describeWithPrograms('the .deb for ARM', programs, () => {
  let server: ChildProcess;
  let url: string;
  let source: RunningServer;

  beforeAll(async () => {
    buildDesktop();
    const [deb] = (await buildPackages(TARGET, ['deb'])) as [string];
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

  it.each([SAMPLE, join(REPOSITORY, 'warm-up/zstd.czi'), join(REPOSITORY, 'warm-up/scan.oir')])(
    'serves the planes of %s as another processor does',
    async (path) => {
      expect(await planesOf(url, path)).toEqual(await planesOf(source.url, path));
    },
  );
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
