import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Instance, instancePath, readInstance, writeInstance } from '../../packages/server/src/cli/instance.js';
import { CHALLENGE_HEADER, createProof, PROOF_HEADER } from '../../packages/server/src/server/identity.js';
import { Cli } from '../support/cli.js';
import { testApp } from '../support/test-app.js';

let cli: Cli;
const children: ChildProcess[] = [];
const servers: Server[] = [];
beforeEach(() => {
  cli = new Cli();
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const server of servers.splice(0)) server.close();
  await cli.close();
});

/** A program of the user that must survive. */
function innocent(): ChildProcess & { pid: number } {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  children.push(child);
  return child as ChildProcess & { pid: number };
}

function note(changes: Partial<Instance>): Instance {
  const port = changes.port ?? 1;
  return {
    pid: process.pid,
    hostname: hostname(),
    port,
    url: `http://127.0.0.1:${port}`,
    token: '',
    secret: 'f'.repeat(64),
    processStart: 'long ago',
    startedAt: '2026-01-15T10:30:00.000Z',
    version: '0.1.0',
    ...changes,
  };
}

describe('acqstore status', () => {
  it('lists the servers of this user, without their tokens', async () => {
    const [one, two] = [await cli.serve(['--token', 'hush-hush-hush']), await cli.serve()];
    const text = await cli.run(['status']);
    expect(text).toMatchObject({ code: 0, stderr: '' });
    for (const { url, child } of [one, two]) {
      expect(text.stdout).toContain(`Viewer   ${url}/demo/v2/`);
      expect(text.stdout).toMatch(new RegExp(`Process +${child.pid}, since 20`));
    }
    const { code, stdout } = await cli.run(['status', '--json', '--port', String(one.port)]);
    const { startedAt, version } = readInstance(cli.stateDir, one.port) as Instance;
    expect(JSON.parse(stdout)).toEqual({
      ok: true,
      servers: [{ state: 'running', url: one.url, port: one.port, pid: one.child.pid, version, startedAt }],
    });
    expect([code, text.stdout.includes('hush'), stdout.includes('hush')]).toEqual([0, false, false]);
  });

  it('reports that no server is running and removes the file of an ended process', async () => {
    expect(await cli.run(['status'])).toMatchObject({ code: 1, stdout: 'No server is running.\n' });
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    writeInstance(cli.stateDir, note({ pid, port: 8767 }));
    const { code, stdout } = await cli.run(['status', '--json']);
    expect([code, JSON.parse(stdout)]).toEqual([1, { ok: true, servers: [] }]);
    expect(existsSync(instancePath(cli.stateDir, 8767))).toBe(false);
  });

  it('finds the state folder like serve, even with other invalid settings', async () => {
    const folder = join(cli.stateHome, 'elsewhere');
    const config = join(cli.stateHome, 'settings.json');
    writeFileSync(config, JSON.stringify({ 'state-dir': folder, root: [join(cli.stateHome, 'gone')] }));
    const server = await cli.serve(['--state-dir', folder]);
    const broken = { ACQSTORE_PORT: 'x' };
    for (const [args, env] of [
      [['--state-dir', folder], broken],
      [['--config', config], broken],
      [[], { ACQSTORE_CONFIG: config }],
      [[], { ACQSTORE_STATE_DIR: folder }],
    ] as const) {
      expect((await cli.run(['status', ...args], env)).stdout).toContain(server.url);
    }
  });
});

describe('acqstore stop', () => {
  it('stops the server cleanly and waits for its end', async () => {
    const server = await cli.serve();
    const { code, stdout, stderr } = await cli.run(['stop']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe(`Stopped the server at ${server.url} (process ${server.child.pid}).\n`);
    await expect(fetch(`${server.url}/api/v2/health`)).rejects.toThrow();
    expect((await server.ended).code).toBe(0);
    expect(existsSync(instancePath(cli.stateDir, server.port))).toBe(false);
    expect(await cli.run(['stop'])).toMatchObject({ code: 0, stdout: 'No server is running.\n' });
  });

  it('asks for --port or --all when several servers are running', async () => {
    const [one, two] = [await cli.serve(), await cli.serve()];
    const asked = await cli.run(['stop']);
    expect(asked.code).toBe(2);
    const ports = [one, two].map(({ port }) => port).sort((a, b) => a - b);
    expect(asked.stderr).toContain(`2 servers are running, at ports ${ports.join(', ')}. Add --port PORT or --all.`);
    expect((await cli.run(['stop', '--port', String(two.port)])).stdout).toContain(two.url);
    expect((await two.ended).code).toBe(0);
    expect(one.child.exitCode).toBeNull();
    expect((await cli.run(['stop', '--all'])).code).toBe(0);
    expect((await one.ended).code).toBe(0);
  });

  it('waits up to --timeout, and stops at once with --now', async () => {
    const server = await cli.serve();
    // A body that never ends keeps the first end waiting.
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write(
      `POST /api/v2/open HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nContent-Type: application/json\r\n` +
        'Content-Length: 100\r\n\r\n{',
    );
    await fetch(`${server.url}/api/v2/health`);
    const waited = await cli.run(['stop', '--timeout', '1']);
    expect(waited.code).toBe(1);
    expect(waited.stderr).toContain(`acqstore stop --port ${server.port} --now`);
    expect(server.child.exitCode).toBeNull();
    expect((await cli.run(['status'])).stdout).toContain('is stopping or does not answer.');
    expect((await cli.run(['stop', '--now'])).code).toBe(0);
    await server.ended;
    expect(existsSync(instancePath(cli.stateDir, server.port))).toBe(false);
    socket.destroy();
  });

  it.each([
    ['nothing answers at its address', async () => 1, 'does not answer at this address'],
    ['another program answers at its address', otherProgram, 'another program answers at this address'],
    ['another server of this product answers there', otherServer, 'another program answers at this address'],
  ])('does not stop a process when %s', async (_name, start, why) => {
    const { pid, exitCode } = innocent();
    const port = await start();
    writeInstance(cli.stateDir, note({ pid, port }));
    const { code, stdout, stderr } = await cli.run(['stop', '--port', String(port), '--now']);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(why);
    expect(stderr).toContain('It was not stopped.');
    expect(exitCode).toBeNull();
    expect(() => process.kill(pid, 0)).not.toThrow();
    const shown = JSON.parse((await cli.run(['status', '--json'])).stdout) as { servers: { state: string }[] };
    expect(shown.servers.map(({ state }) => state)).toEqual([why.startsWith('does') ? 'silent' : 'other']);
  });
});

async function otherProgram(): Promise<number> {
  const server = createServer((_request, response) => {
    response.setHeader(PROOF_HEADER, 'f'.repeat(64)).end('{"ok":true,"apiVersion":"v2"}');
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return (server.address() as AddressInfo).port;
}

/** With a state folder of its own: it does not know the secret of the file under test. */
async function otherServer(): Promise<number> {
  const folder = join(cli.stateHome, 'other');
  mkdirSync(folder);
  return (await cli.serve(['--state-dir', folder])).port;
}

describe('the proof of a server', () => {
  const CHALLENGE = 'ab'.repeat(32);

  it('is a keyed hash of the challenge and nothing else', async () => {
    const { ask } = await testApp({}, { instanceSecret: 's'.repeat(64) });
    const plain = await ask('GET', '/api/v2/health');
    expect(plain.headers[PROOF_HEADER]).toBeUndefined();
    const proved = await ask('GET', '/api/v2/health', { headers: { [CHALLENGE_HEADER]: CHALLENGE } });
    expect(proved.headers[PROOF_HEADER]).toBe(createProof('s'.repeat(64), CHALLENGE));
    expect(proved.json()).toEqual(plain.json());
    const malformed = await ask('GET', '/api/v2/health', { headers: { [CHALLENGE_HEADER]: 'x'.repeat(64) } });
    expect(malformed.headers[PROOF_HEADER]).toBeUndefined();
  });

  it('is not sent by a server without an instance file', async () => {
    const { ask } = await testApp();
    const response = await ask('GET', '/api/v2/health', { headers: { [CHALLENGE_HEADER]: CHALLENGE } });
    expect(response.headers[PROOF_HEADER]).toBeUndefined();
  });
});
