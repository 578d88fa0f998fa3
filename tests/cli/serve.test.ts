import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OpenResponse } from '../../packages/client/src/contract/open.js';
import { instancePath, livingInstances, readInstance, writeInstance } from '../../packages/server/src/cli/instance.js';
import { isRunning } from '../../packages/server/src/cli/running.js';
import { Cli, EXAMPLE, MAIN, REPOSITORY, SAMPLE } from '../support/cli.js';
import { LONG, some } from '../support/long.js';

let cli: Cli;
/** Programs that have started a server. */
const starters: ChildProcess[] = [];
beforeEach(() => {
  cli = new Cli();
});
afterEach(async () => {
  for (const starter of starters.splice(0)) starter.kill('SIGKILL');
  await cli.close();
});

const json = async (url: string, init?: RequestInit) => (await fetch(url, init)).json();

function open(url: string, body: object): Promise<Response> {
  const headers = { 'Content-Type': 'application/json' };
  return fetch(`${url}/api/v2/open`, { method: 'POST', headers, body: JSON.stringify(body) });
}

const logLines = () =>
  readFileSync(join(cli.stateDir, 'acqstore.log'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('acqstore serve', () => {
  it('prints its addresses, serves the sample, writes instance file and log, and stops cleanly', async () => {
    const server = await cli.serve();
    const { url, port } = server;
    expect(server.stdout).toContain(`Viewer  ${url}/demo/v2/\n`);
    expect(server.stdout).toContain(`Docs    ${url}/docs\n`);
    expect(server.stdout).toContain(`Log     ${join(cli.stateDir, 'acqstore.log')}\n`);
    expect(await json(`${url}/api/v2/health`)).toEqual({ ok: true, apiVersion: 'v2' });
    expect(readInstance(cli.stateDir, port)).toMatchObject({
      pid: server.child.pid,
      hostname: hostname(),
      port,
      url,
      token: '',
    });
    expect(statSync(instancePath(cli.stateDir, port)).mode & 0o777).toBe(0o600);

    const { examples } = (await json(`${url}/api/v2/examples`)) as { examples: { path: string }[] };
    expect(examples.map(({ path }) => path)).toEqual([EXAMPLE]);
    const answer = (await (await open(url, { path: SAMPLE })).json()) as OpenResponse;
    expect(answer.plane.shape).toEqual([4000, 96]);
    expect(answer.plane.axes.map(({ step, unit }) => [step, unit])).toEqual([
      [0.00117, 'seconds'],
      [0.284, 'micrometer'],
    ]);
    expect(answer.channels.map(({ name }) => name)).toEqual(['Calcium', 'Vessel']);
    const plane = await (await fetch(url + answer.channels[1]?.dataUrl)).arrayBuffer();
    expect(plane.byteLength).toBe(4000 * 96 * 4);

    const { code } = await server.interrupt();
    expect(code).toBe(0);
    expect(existsSync(instancePath(cli.stateDir, port))).toBe(false);
    await expect(fetch(`${url}/api/v2/health`)).rejects.toThrow();

    expect(statSync(join(cli.stateDir, 'acqstore.log')).mode & 0o777).toBe(0o600);
    const lines = logLines();
    expect(lines.some((line) => line['path'] === SAMPLE)).toBe(true);
    expect(lines.some((line) => line['status'] === 200 && line['url'] === '/api/v2/open')).toBe(true);
    expect(JSON.stringify(lines)).not.toContain(answer.sessionId);
    expect(lines.at(-1)?.['msg']).toBe('stopped');
  });

  it.runIf(LONG)('stops at SIGTERM', async () => {
    const server = await cli.serve(['--log-level', 'silent']);
    server.child.kill('SIGTERM');
    expect((await server.ended).code).toBe(0);
  });

  it('stops with the program that started it, even one that was killed', async () => {
    const starter = `
      const { spawn } = require('node:child_process');
      const args = ${JSON.stringify([MAIN, 'serve', '--port', '0', '--state-dir', cli.stateDir, '--stop-with-stdin'])};
      const server = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'] });
      server.stdout.once('data', () => console.log(server.pid));`;
    const parent = spawn(process.execPath, ['-e', starter], { stdio: ['ignore', 'pipe', 'inherit'] });
    starters.push(parent);
    const pid = Number(String((await once(parent.stdout, 'data'))[0]));
    const { port } = livingInstances(cli.stateDir).find((instance) => instance.pid === pid)!;
    parent.kill('SIGKILL');
    await expect.poll(() => isRunning(pid)).toBe(false);
    expect(existsSync(instancePath(cli.stateDir, port)), 'a clean stop removes the instance file').toBe(false);
  });

  it('does not wait after a second Ctrl-C', async () => {
    const server = await cli.serve();
    // A body that never ends keeps the first end waiting.
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write(
      `POST /api/v2/open HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nContent-Type: application/json\r\n` +
        'Content-Length: 100\r\n\r\n{',
    );
    await json(`${server.url}/api/v2/health`);
    server.child.kill('SIGINT');
    await expect.poll(() => readFileSync(join(cli.stateDir, 'acqstore.log'), 'utf8')).toContain('"stopping"');
    expect(server.child.exitCode).toBeNull();
    expect(await server.interrupt()).toMatchObject({ code: null, signal: 'SIGINT' });
    socket.destroy();
  });

  it('never logs or prints the token, stores it in the instance file, and requires it', async () => {
    const server = await cli.serve(['--token', 'hush-hush-hush', '--log-level', 'trace']);
    const headers = { Authorization: 'Bearer hush-hush-hush' };
    expect(await json(`${server.url}/api/v2/health`, { headers })).toMatchObject({ ok: true });
    expect((await fetch(`${server.url}/api/v2/capabilities`, { headers: { Authorization: 'Bearer no' } })).status).toBe(
      401,
    );
    expect(readInstance(cli.stateDir, server.port)?.token).toBe('hush-hush-hush');
    const { code, stdout, stderr } = await server.interrupt();
    expect(code).toBe(0);
    expect(stdout).toContain('Token   in ');
    const log = readFileSync(join(cli.stateDir, 'acqstore.log'), 'utf8');
    for (const text of [stdout, stderr, log]) expect(text).not.toContain('hush');
  });

  it('reads settings from file, environment and flags', async () => {
    const file = join(cli.stateHome, 'settings.json');
    writeFileSync(
      file,
      JSON.stringify({ 'session-ttl': 77, 'allow-ext': ['.tif'], 'state-dir': join(cli.stateHome, 'x') }),
    );
    const server = await cli.serve(['--config', file], { ACQSTORE_SESSION_TTL: '78' });
    expect(await json(`${server.url}/api/v2/capabilities`)).toMatchObject({
      sessionTtlSeconds: 78,
      allowedImportExtensions: ['.tif'],
    });
    expect(server.stdout).toContain(join(cli.stateHome, 'x', 'acqstore.log'));
  });

  it('confines opening to its roots', async () => {
    const inside = await cli.serve(['--root', join(REPOSITORY, 'examples')]);
    expect((await open(inside.url, { path: SAMPLE })).status).toBe(200);
    const outside = await cli.serve(['--root', cli.stateHome]);
    const refused = await open(outside.url, { path: SAMPLE });
    expect([refused.status, ((await refused.json()) as { error: string }).error]).toEqual([403, 'path_not_allowed']);
  });

  it.runIf(LONG)('runs without a writable state folder, with a message', async () => {
    writeFileSync(cli.stateDir, 'a file in the way');
    const server = await cli.serve();
    expect(server.stdout).toMatch(/Log {5}not written: /);
    expect((await server.interrupt()).code).toBe(0);
  });
});

describe('acqstore serve at an address in use', () => {
  it('shows the running server of this product and starts none', async () => {
    const first = await cli.serve();
    const second = await cli.run(['serve', '--port', String(first.port)]);
    expect(second.code).toBe(0);
    expect(second.stdout).toContain(`is already running, process ${first.child.pid}`);
    expect(second.stdout).toContain(`${first.url}/demo/v2/`);
    expect(readInstance(cli.stateDir, first.port)?.pid).toBe(first.child.pid);
    expect(await json(`${first.url}/api/v2/health`)).toMatchObject({ ok: true });
  });

  it.runIf(LONG && process.platform === 'linux')('opens the page of the running server with --open', async () => {
    const bin = join(cli.stateHome, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'xdg-open'), `#!/bin/sh\necho "$1" > "${bin}/asked"\n`);
    chmodSync(join(bin, 'xdg-open'), 0o755);
    const env = { PATH: `${bin}:${process.env['PATH']}` };
    const first = await cli.serve();
    expect((await cli.run(['serve', '--open', '--port', String(first.port)], env)).code).toBe(0);
    await expect.poll(() => existsSync(join(bin, 'asked'))).toBe(true);
    await expect.poll(() => readFileSync(join(bin, 'asked'), 'utf8')).toBe(`${first.url}/demo/v2/\n`);
  });

  it.runIf(LONG)('names another program and exits with code 3', async () => {
    const alien = createServer((_request, response) => response.setHeader('Server', 'nginx').end('hello'));
    await new Promise<void>((done) => alien.listen(0, '127.0.0.1', done));
    const { port } = alien.address() as AddressInfo;
    const { code, stderr } = await cli.run(['serve', '--port', String(port)]);
    expect(code).toBe(3);
    expect(stderr).toContain(`127.0.0.1:${port} is in use by another program, which answers HTTP 200 as "nginx".`);
    expect(stderr).toContain('acqstore serve --port 8767');
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('hello');
    await new Promise((done) => alien.close(done));
  });

  it('replaces a stale instance file', async () => {
    const first = await cli.serve();
    first.child.kill('SIGKILL');
    await first.ended;
    expect(readInstance(cli.stateDir, first.port)?.pid).toBe(first.child.pid);
    const second = cli.start(['serve', '--port', String(first.port)]);
    await second.says(/Ctrl-C/);
    expect(readInstance(cli.stateDir, first.port)?.pid).toBe(second.child.pid);
    expect((await second.interrupt()).code).toBe(0);
  });

  it.runIf(LONG)('runs beside a server of the same user at another port, and logs that', async () => {
    const first = await cli.serve();
    await cli.serve();
    const told = logLines().find(({ msg }) => msg === 'another server of this user is running');
    expect(told).toMatchObject({ url: first.url, otherPid: first.child.pid });
  });
});

describe('invalid settings', () => {
  const refused: [args: string[], message: RegExp][] = [
    [['--nonsense'], /unknown option '--nonsense'/],
    [['--port', 'abc'], /--port: "abc" is not a number/],
    [['--root', '/nowhere/at/all'], /--root \/nowhere\/at\/all: ENOENT/],
    [['--config', '/nowhere.json'], /--config \/nowhere\.json: ENOENT/],
    [
      ['--host', '0.0.0.0', '--port', '0'],
      /0\.0\.0\.0 is reachable from other computers.*--token or --tokens-file and --root/,
    ],
    [['--host', '0.0.0.0', '--port', '0', '--token', 'auto'], /reachable from other computers.*--root/],
    [['--host', '192.0.2.1', '--port', '0', '--token', 'x', '--root', '/'], /--host 192\.0\.2\.1.*EADDRNOTAVAIL/],
    [['extra'], /too many arguments/],
  ];

  it.each(some(refused, 3))('are refused: serve %j', async (args, message) => {
    const { code, stderr, stdout } = await cli.run(['serve', ...args]);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n {4}at /);
    expect(code).toBe(2);
    expect(stdout).toBe('');
  });

  it('do not include a public address with a token and a root', async () => {
    const server = await cli.serve(['--host', '0.0.0.0', '--token', 'auto', '--root', REPOSITORY]);
    const token = readInstance(cli.stateDir, server.port)?.token ?? '';
    expect(token).toMatch(/^[\w-]{32}$/);
    expect((await fetch(`${server.url}/api/v2/capabilities`)).status).toBe(401);
    const headers = { Authorization: `Bearer ${token}` };
    expect((await fetch(`${server.url}/api/v2/capabilities`, { headers })).status).toBe(200);
    writeInstance(cli.stateDir, { ...readInstance(cli.stateDir, server.port)!, startedAt: 'again' });
    const second = await cli.run(['serve', '--port', String(server.port)]);
    expect([second.code, second.stderr]).toEqual([0, '']);
  });
});
