/** The container image, built and run by buildah without privileges of an engine. Named skip where it is not installed. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenResponse } from '../../packages/client/src/contract/open.js';
import { REPOSITORY } from '../support/cli.js';
import { packTo } from '../support/packed.js';
import { freePort } from '../support/supervisor.js';
import { tempFolder } from '../support/temp.js';

const hasBuildah = process.platform === 'linux' && spawnSync('buildah', ['--version']).status === 0;
if (!hasBuildah) console.warn('NO IMAGE: buildah is not installed; deploy/Containerfile was not built');
const TOKEN = 'of-the-image';

describe.skipIf(!hasBuildah)('the container image', () => {
  const base = tempFolder();
  const storage = ['--storage-driver', 'vfs', '--root', join(base, 'storage'), '--runroot', join(base, 'run')];
  const buildah = (...args: string[]) =>
    execFileSync('buildah', [...storage, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
  let container: string;
  let running: ChildProcess | undefined;

  beforeAll(() => {
    const packages = join(base, 'packages');
    const data = join(base, 'data');
    mkdirSync(packages);
    const npm = (...args: string[]) => execFileSync('npm', args, { cwd: REPOSITORY, stdio: 'pipe' });
    const quiet = ['--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'];
    npm('install', ...quiet, '--prefix', packages, packTo(base), 'ioredis@6', 'prom-client@15');
    execFileSync(join(REPOSITORY, 'deploy/image-root.sh'), [packages, join(base, 'image/root')], { stdio: 'pipe' });
    cpSync(join(REPOSITORY, 'packages/server/warm-up'), data, { recursive: true });
    const file = join(REPOSITORY, 'deploy/Containerfile');
    buildah('bud', '--isolation', 'chroot', '--file', file, '--tag', 'acqstore', join(base, 'image'));
    container = buildah('from', '--pull-never', 'acqstore');
  }, 600_000);
  afterAll(() => {
    // The program in the container is a child of a child.
    if (running?.pid !== undefined) process.kill(-running.pid, 'SIGKILL');
    if (container) buildah('rm', container);
  });

  it('serves a folder that is bound read-only, as a user without rights', async () => {
    const port = await freePort();
    const opsPort = await freePort();
    const bound = ['--isolation', 'chroot', '--user', '65532:65532', '--volume', `${join(base, 'data')}:/data:ro`];
    const program = ['/usr/bin/node', '/opt/acqstore/node_modules/acquisition-store/dist/cli/main.js'];
    const settings = ['--port', String(port), '--token', TOKEN, '--ops-listen', `127.0.0.1:${opsPort}`];
    running = spawn('buildah', [...storage, 'run', ...bound, container, ...program, 'serve', ...settings], {
      stdio: 'ignore',
      detached: true,
    });
    const ready = async () => (await fetch(`http://127.0.0.1:${opsPort}/readyz`)).status;
    await expect.poll(() => ready().catch(() => 0), { timeout: 60_000 }).toBe(200);
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ path: '/data/scan.oir' });
    const opened = await fetch(`http://127.0.0.1:${port}/api/v2/open`, { method: 'POST', headers, body });
    expect(opened.status).toBe(200);
    const { channels } = (await opened.json()) as OpenResponse;
    const plane = await fetch(`http://127.0.0.1:${port}${channels[0]!.dataUrl}`, { headers });
    expect((await plane.arrayBuffer()).byteLength).toBe(channels[0]!.byteLength);
  }, 120_000);

  it('has no shell', () => {
    const { status } = spawnSync('buildah', [
      ...storage,
      'run',
      '--isolation',
      'chroot',
      container,
      '/bin/sh',
      '-c',
      'true',
    ]);
    expect(status).not.toBe(0);
  });
});
