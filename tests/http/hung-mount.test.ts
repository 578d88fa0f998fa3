import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Folder } from '../../packages/client/src/contract/files.js';
import type { OpenResponse } from '../../packages/client/src/contract/open.js';
import { Cli, SAMPLE } from '../support/cli.js';
import { freePort } from '../support/supervisor.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { writeTiff } from '../writers/tiff.js';

/** What is missing for a mount that can be made to hang. */
function missing(): string | undefined {
  if (process.platform !== 'linux') return 'Linux';
  try {
    accessSync('/dev/fuse', constants.R_OK | constants.W_OK);
    execFileSync('rclone', ['version'], { stdio: 'ignore' });
    execFileSync('fusermount3', ['-V'], { stdio: 'ignore' });
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).path ?? 'rclone or fusermount3';
  }
}
const lacking = missing();
if (lacking !== undefined)
  console.warn(`NO HUNG MOUNT: ${lacking} is not available; the storage gate was not tried on a real one`);

const base = tempFolder();
const [source, mount] = [join(base, 'source'), join(base, 'mount')];

/** A mount whose daemon can be stopped: whoever asks it for something then waits in the system. */
class Mount {
  private daemon: ChildProcess | undefined;

  /** Attributes stay in the kernel for a minute: look-ups are answered when the daemon is not. */
  async start(): Promise<void> {
    mkdirSync(source);
    mkdirSync(mount);
    for (const name of ['known.tif', 'kept.tif', 'a.tif', 'b.tif', 'c.tif']) {
      writeTemp(
        source,
        name,
        writeTiff({ pages: [{ width: 40, height: 30, samples: new Uint16Array(1200).fill(7) }] }),
      );
    }
    const args = ['mount', source, mount, '--attr-timeout', '1m', '--dir-cache-time', '1m', '--config', '/dev/null'];
    this.daemon = spawn('rclone', args, { stdio: 'ignore' });
    while (!existsSync(join(mount, 'known.tif'))) await new Promise((resolve) => setTimeout(resolve, 50));
    for (const name of ['a.tif', 'b.tif']) statSync(join(mount, name));
  }

  hang(): void {
    this.daemon?.kill('SIGSTOP');
  }

  wake(): void {
    this.daemon?.kill('SIGCONT');
  }

  stop(): void {
    this.wake();
    execFileSync('fusermount3', ['-uz', mount]);
    this.daemon?.kill('SIGKILL');
  }
}

const post = (url: string, path: string, more: object = {}) =>
  fetch(`${url}/api/v2/open`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ path, ...more }),
  });

async function codeOf(answer: Promise<Response>): Promise<string> {
  const response = await answer;
  const body = (await response.json()) as { ok: boolean; error?: string };
  return body.ok ? 'open' : `${response.status} ${body.error} ${response.headers.get('retry-after')}`;
}

describe.skipIf(lacking !== undefined)('a mount that hangs', () => {
  const drive = new Mount();
  let cli: Cli;

  beforeAll(() => drive.start());
  afterAll(() => drive.stop());
  afterEach(async () => {
    drive.wake();
    await cli.close();
  });

  const serve = () => {
    cli = new Cli();
    return cli.serve(['--workers', '2']);
  };

  /** Opens on the mount, and notes when each is answered. */
  const openThere = (url: string, names: readonly string[], order: string[]) =>
    names.map((name) =>
      codeOf(post(url, join(mount, name))).then((code) => {
        order.push(name);
        return code;
      }),
    );

  const here = ['local file', 'page', 'health', 'plane'];

  /** What has nothing to do with the mount. */
  const askElsewhere = (url: string, dataUrl: string, order: string[]) =>
    Promise.all(
      [
        () => post(url, SAMPLE),
        () => fetch(`${url}/demo/v2/`),
        () => fetch(`${url}/api/v2/health`),
        // Its file is on the mount, its samples are in memory.
        () => fetch(`${url}${dataUrl}`),
      ].map(async (ask, i) => {
        expect((await ask()).status).toBe(200);
        order.push(here[i] as string);
      }),
    );

  it('blocks only its own look-ups and reads, and recovers', async () => {
    const { url } = await serve();
    const known = (await (await post(url, join(mount, 'known.tif'))).json()) as OpenResponse;
    // A worker keeps this file open for a moment: it may hang when it closes it.
    const kept = (await (await post(url, join(mount, 'kept.tif'), { decode: 'later' })).json()) as OpenResponse;
    expect((await fetch(`${url}${kept.channels[0]?.dataUrl}`)).status).toBe(200);
    drive.hang();
    const order: string[] = [];
    // `a` and `b` have attributes in the kernel: workers hang in their reads. The others hang in look-ups.
    const names = ['a.tif', 'b.tif', 'x.tif', 'y.tif', 'z.tif', 'c.tif'];
    const answers = openThere(url, names, order);
    await askElsewhere(url, known.channels[0]?.dataUrl as string, order);
    expect([...order].sort()).toEqual([...here].sort());
    expect(await Promise.all(answers)).toEqual(names.map(() => '503 storage_unavailable 5'));
    // A list of its folder says so, and one of the folder above comes without asking it.
    const listed = (path: string) => fetch(`${url}/api/v2/folders?path=${encodeURIComponent(path)}`);
    expect(await codeOf(listed(join(mount)))).toBe('503 storage_unavailable 5');
    const { entries } = (await (await listed(base)).json()) as Folder;
    expect(entries.find(({ path }) => path === mount)).toMatchObject({ kind: 'folder', modified: null });
    // It is known to hang now: nobody waits for it.
    expect(await codeOf(post(url, join(mount, 'a.tif')))).toBe('503 storage_unavailable 5');
    expect(await codeOf(post(url, SAMPLE))).toBe('open');
    drive.wake();
    await expect.poll(() => codeOf(post(url, join(mount, 'a.tif'))), { timeout: 20_000, interval: 500 }).toBe('open');
  });

  it('makes the instance unready until it answers again', async () => {
    const opsPort = await freePort();
    cli = new Cli();
    const roots = ['--root', mount, '--root', dirname(SAMPLE)];
    const { url } = await cli.serve(['--workers', '2', ...roots, '--ops-listen', `127.0.0.1:${opsPort}`]);
    const ready = async () => {
      const answer = await fetch(`http://127.0.0.1:${opsPort}/readyz`);
      return [answer.status, ((await answer.json()) as { roots: string[] }).roots];
    };
    expect(await ready()).toEqual([200, ['ready', 'ready']]);
    drive.hang();
    expect(await codeOf(post(url, join(mount, 'x.tif')))).toBe('503 storage_unavailable 5');
    expect(await ready()).toEqual([503, ['unavailable', 'ready']]);
    const metrics = await (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text();
    expect(metrics).toContain('acqstore_root_ready{root="0"} 0\nacqstore_root_ready{root="1"} 1');
    drive.wake();
    await expect.poll(ready, { timeout: 20_000, interval: 500 }).toEqual([200, ['ready', 'ready']]);
  });

  it('does not keep the server from stopping', async () => {
    const server = await serve();
    drive.hang();
    const answers = openThere(server.url, ['c.tif', 'w.tif'], []);
    for (const answer of answers) answer.catch(() => {});
    // Threads of both are in the system by now.
    const log = join(cli.stateDir, 'acqstore.log');
    await expect.poll(() => readFileSync(log, 'utf8'), { timeout: 30_000 }).toContain('it is closed until it does');
    server.child.kill('SIGTERM');
    const { code, stderr } = await server.ended;
    // By its signal: threads hang in the system, and an exit would wait for them.
    expect([code, stderr]).toEqual([null, expect.stringContaining('a network drive does not answer')]);
  });
});
