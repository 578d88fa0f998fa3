/** Which addresses `acqstore serve` binds, and where a program of a user without `HOME` keeps its state. */
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BLOCKED_PORTS } from '../../packages/server/src/server/blocked-ports.js';
import { Cli, MAIN, Running } from '../support/cli.js';

const ENDLESS_HEAD = 'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{';

let cli: Cli;
beforeEach(() => {
  cli = new Cli();
});
afterEach(() => cli.close());

/** Makes every HTTP request of the process fail without a reason, as `fetch` does under Wine, and say so. */
function withoutRequests(): NodeJS.ProcessEnv {
  const path = join(cli.stateHome, 'no-requests.mjs');
  writeFileSync(
    path,
    `import http from 'node:http';
    import { syncBuiltinESMExports } from 'node:module';
    const fail = () => {
      console.error('a request was made');
      throw new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'UNKNOWN' }) });
    };
    globalThis.fetch = async () => fail();
    Object.assign(http, { get: fail, request: fail });
    syncBuiltinESMExports();`,
  );
  return { NODE_OPTIONS: `--import=${pathToFileURL(path).href}` };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

describe('acqstore serve', () => {
  it('binds a free port without any request', async () => {
    const server = cli.start(['serve', '--port', String(await freePort())], withoutRequests());
    await server.says(/Ctrl-C/);
    const { code, stderr } = await server.interrupt();
    expect(code).toBe(0);
    expect(stderr).not.toContain('a request was made');
  });

  it('reports a port of a program that answers nothing', async () => {
    const alien = createServer(() => {});
    await new Promise<void>((done) => alien.listen(0, '127.0.0.1', done));
    const { port } = alien.address() as AddressInfo;
    const { code, stderr } = await cli.run(['serve', '--port', String(port)]);
    expect(stderr).toContain(`127.0.0.1:${port} is in use by another program, which does not answer over HTTP.`);
    expect(stderr).toContain('choose another port: acqstore serve --port 8767');
    expect(code).toBe(3);
    alien.close();
  });

  it.each([
    ['closes every connection', (socket: Socket) => void socket.destroy()],
    [
      'talks before it is asked',
      (socket: Socket) => void socket.on('error', () => {}).write('220 mail.example ready\r\n'),
    ],
    ['never ends its body', (socket: Socket) => void socket.on('error', () => {}).write(ENDLESS_HEAD)],
  ])('reports a port of a program that %s', async (_, talk) => {
    const alien = createServer(talk);
    await new Promise<void>((done) => alien.listen(0, '127.0.0.1', done));
    const { port } = alien.address() as AddressInfo;
    const { code, stderr } = await cli.run(['serve', '--port', String(port)]);
    expect(stderr).toContain(`127.0.0.1:${port} is in use by another program, which does not answer over HTTP.`);
    expect(code).toBe(3);
    alien.close();
  });

  it.runIf(process.platform === 'linux')('reports a port that another program bound on all addresses', async () => {
    const alien = createServer((socket) => socket.destroy());
    await new Promise<void>((done) => alien.listen(0, '0.0.0.0', done));
    const { port } = alien.address() as AddressInfo;
    const { code, stderr } = await cli.run(['serve', '--port', String(port)]);
    expect(stderr).toContain(`127.0.0.1:${port} is in use by another program`);
    expect(code).toBe(3);
    alien.close();
  });
});

describe('a port that browsers refuse', () => {
  it('is refused with the reason', async () => {
    const { code, stdout, stderr } = await cli.run(['serve', '--port', '6000']);
    expect(stderr).toBe(
      `acqstore: --port: browsers refuse to connect to port 6000, so no page could use the server. ` +
        'Choose another port, for example 8767.\n',
    );
    expect([code, stdout]).toEqual([2, '']);
  });

  it('is reported with its source', async () => {
    const { code, stderr } = await cli.run(['serve'], { ACQSTORE_PORT: '5060' });
    expect(stderr).toMatch(/^acqstore: ACQSTORE_PORT: browsers refuse to connect to port 5060/);
    expect(code).toBe(2);
  });

  it('is one of the Fetch standard, as Node implements it', async () => {
    /** The reason of a request that never leaves: no network is touched for a bad port. */
    const reason = async (port: number): Promise<string> => {
      const stopped = new AbortController();
      const answer = fetch(`http://127.0.0.1:${port}/`, { signal: stopped.signal });
      setImmediate(() => stopped.abort());
      return answer.then(
        () => 'answered',
        (error: { cause?: Error }) => error.cause?.message ?? 'no reason',
      );
    };
    for (const port of BLOCKED_PORTS) expect([port, await reason(port)]).toEqual([port, 'bad port']);
    for (const port of [8767, 8768, 8080, 3000, 6001, 5061 + 1]) expect(await reason(port)).not.toBe('bad port');
  });
});

describe.skipIf(process.platform === 'win32')('the state folder without HOME', () => {
  it.each([
    ['an empty environment', {}],
    ['empty values', { HOME: '', XDG_STATE_HOME: '' }],
  ])('is in the home folder of the user, not in the working directory, with %s', async (_, env) => {
    const cwd = join(cli.stateHome, 'cwd');
    mkdirSync(cwd);
    const args = [MAIN, 'serve', '--port', '0', '--log-level', 'silent'];
    const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const server = new Running(child);
    try {
      await server.says(/Ctrl-C/);
      expect(server.stdout).toMatch(/^ {2}Log {5}(not written: .*')?\//m);
      expect(server.stdout).toContain(join(userInfo().homedir, ''));
      expect(readdirSync(cwd)).toEqual([]);
    } finally {
      await server.interrupt();
    }
  });
});
