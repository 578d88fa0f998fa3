import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findAddressOwner, localUrl } from '../../packages/server/src/cli/address-owner.js';
import {
  type Instance,
  instancePath,
  livingInstances,
  readInstance,
  removeInstance,
  writeInstance,
} from '../../packages/server/src/cli/instance.js';

let folder: string;
const servers: Server[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'acq-state-'));
});
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((done) => server.close(done));
  rmSync(folder, { recursive: true, force: true });
});

/** A process id that belonged to a process which has ended. */
const deadPid = () => spawnSync(process.execPath, ['-e', '']).pid;

function note(port: number, changes: Partial<Instance> = {}): Instance {
  return {
    pid: process.pid,
    hostname: hostname(),
    port,
    url: `http://127.0.0.1:${port}`,
    token: 'secret',
    secret: 'f'.repeat(64),
    processStart: '',
    startedAt: '2026-01-15T10:30:00.000Z',
    version: '0.1.0',
    ...changes,
  };
}

async function listen(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return (server.address() as AddressInfo).port;
}

const serve = (listener: RequestListener) => listen(createServer(listener));

/** Answers JSON bodies by path. */
function answers(bodies: Record<string, unknown>, status = 200): RequestListener {
  return (request, response) => {
    const body = bodies[request.url ?? ''];
    response.writeHead(body === undefined ? 404 : status, { 'Content-Type': 'application/json', Server: 'other/1.0' });
    response.end(JSON.stringify(body ?? {}));
  };
}

const link = { href: '/', method: 'GET', description: '' };
const links = {
  health: link,
  capabilities: link,
  open: link,
  pickAndOpen: link,
  openapi: link,
  docs: link,
  demo: link,
};
const HEALTH = { ok: true, apiVersion: 'v2' };
const index = (description: string) => ({ ok: true, apiVersion: 'v2', description, serverVersion: '9.9.9', links });

describe('instance file', () => {
  it('is private and complete, and can be read again', () => {
    const path = writeInstance(join(folder, 'new', 'state'), note(8767));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'new', 'state')).mode & 0o777).toBe(0o700);
    expect(readInstance(join(folder, 'new', 'state'), 8767)).toEqual(note(8767));
    expect(readdirSync(join(folder, 'new', 'state'))).toEqual(['instance-8767.json']);
  });

  it('replaces a stale file', () => {
    writeFileSync(instancePath(folder, 8767), 'half a no', { mode: 0o644 });
    expect(readInstance(folder, 8767)).toBeUndefined();
    const path = writeInstance(folder, note(8767));
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('is removed by its own process only', () => {
    writeInstance(folder, note(8767));
    removeInstance(folder, 8767, process.pid + 1);
    expect(readInstance(folder, 8767)).toBeDefined();
    removeInstance(folder, 8767, process.pid);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is listed for living processes, removed for dead ones, and kept for other computers', () => {
    writeInstance(folder, note(8767));
    writeInstance(folder, note(8768, { pid: deadPid() }));
    writeInstance(folder, note(8769, { pid: deadPid(), hostname: 'elsewhere' }));
    writeFileSync(join(folder, 'instance-x.json'), '{}');
    expect(livingInstances(folder).map(({ port }) => port)).toEqual([8767]);
    expect(readdirSync(folder).sort()).toEqual(['instance-8767.json', 'instance-8769.json', 'instance-x.json']);
    expect(livingInstances(join(folder, 'missing'))).toEqual([]);
  });
});

describe('the program at an address in use', () => {
  it('is a server of this product, with the process of its instance file if alive', async () => {
    const port = await serve(answers({ '/api/v2/health': HEALTH, '/api/v2': index('Acquisition Store Server') }));
    const url = `http://127.0.0.1:${port}`;
    const own = { kind: 'same', url, version: '9.9.9' };
    expect(await findAddressOwner('127.0.0.1', port, folder)).toEqual({ ...own, pid: undefined });
    writeInstance(folder, note(port));
    expect(await findAddressOwner('127.0.0.1', port, folder)).toEqual({ ...own, pid: process.pid });
    writeInstance(folder, note(port, { pid: deadPid() }));
    expect(await findAddressOwner('127.0.0.1', port, folder)).toEqual({ ...own, pid: undefined });
  });

  it('is a server that requires a token only with the instance file of a living process', async () => {
    const denied = { ok: false, error: 'unauthorized', message: 'token', details: null };
    const port = await serve(answers({ '/api/v2/health': denied, '/api/v2': denied }, 401));
    expect(await findAddressOwner('127.0.0.1', port, folder)).toMatchObject({ kind: 'other' });
    writeInstance(folder, note(port));
    expect(await findAddressOwner('127.0.0.1', port, folder)).toMatchObject({ kind: 'same', pid: process.pid });
  });

  it('is another server of the same API', async () => {
    const port = await serve(answers({ '/api/v2/health': HEALTH, '/api/v2': index('Somebody else') }));
    const found = await findAddressOwner('127.0.0.1', port, folder);
    expect(found).toEqual({ kind: 'other', description: 'another server of this API ("Somebody else")' });
  });

  it('is another program by its answer, even with an instance file', async () => {
    const port = await serve(answers({ '/api/v2/health': { status: 'up' } }));
    writeInstance(folder, note(port));
    const found = await findAddressOwner('127.0.0.1', port, folder);
    expect(found.kind).toBe('other');
    if (found.kind !== 'other') return;
    expect(found.description).toContain('which answers HTTP 200 as "other/1.0"');
  });

  it('is another program when it does not speak HTTP or never answers', async () => {
    const rude = await listen(
      createTcpServer(
        (socket) =>
          void socket
            .on('error', () => {})
            .resume()
            .end('220 mail ready\r\n'),
      ),
    );
    const mute = await listen(createTcpServer((socket) => void socket.on('error', () => {}).resume()));
    for (const port of [rude, mute]) {
      const found = await findAddressOwner('127.0.0.1', port, folder);
      expect(found).toMatchObject({ kind: 'other', description: expect.stringContaining('does not answer over HTTP') });
    }
  });
});

describe('addresses', () => {
  it('returns the address of a server for local clients', () => {
    expect(localUrl('127.0.0.1', 1)).toBe('http://127.0.0.1:1');
    expect(localUrl('0.0.0.0', 1)).toBe('http://127.0.0.1:1');
    expect(localUrl('::', 1)).toBe('http://[::1]:1');
    expect(localUrl('fd00::2', 1)).toBe('http://[fd00::2]:1');
  });
});
