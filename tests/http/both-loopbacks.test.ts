/** A server on loopback answers at 127.0.0.1 and at ::1, as one server. */
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, Server, Socket } from 'node:net';
import { pino } from 'pino';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { defaultOptions, type ServerOptions } from '../../packages/server/src/options.js';
import { listenAt } from '../../packages/server/src/server/both-loopbacks.js';
import { defaultConnectionLimits } from '../../packages/server/src/server/connection-limits.js';
import { Connections } from '../../packages/server/src/server/connections.js';
import { listen, type RunningServer } from '../../packages/server/src/server/listen.js';
import { fakeSessions } from '../support/fake-sessions.js';
import { fakePicker, testApp, testDependencies } from '../support/test-app.js';

const hasIPv6 = await occupy('::1', 0).then(
  (server) => {
    server.close();
    return true;
  },
  () => false,
);
if (!hasIPv6) console.warn('NO IPv6: the second address was not tested');

async function occupy(host: string, port: number): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  server.listen({ host, port, exclusive: true });
  await once(server, 'listening');
  return server;
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

/** Sends bytes and returns everything until the connection ends. */
async function speak(host: string, port: number, text: string): Promise<string> {
  const socket = connect({ host, port });
  socket.write(text);
  const parts: Buffer[] = [];
  for await (const part of socket) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('latin1');
}

const HEALTH = 'GET /api/v2/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';

describe.runIf(hasIPv6)('a server on loopback', () => {
  const ends: (() => unknown)[] = [];
  afterEach(async () => {
    vi.restoreAllMocks();
    for (const end of ends.splice(0)) await end();
  });

  async function start(options: Partial<ServerOptions> = {}, parts: { lines?: string[]; max?: number } = {}) {
    const { lines = [], max } = parts;
    const sessions = fakeSessions(16 * 2 ** 20);
    const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
    const deps = { ...testDependencies(), sessions, picker: fakePicker(), logger };
    const limits = max === undefined ? {} : { maxConnections: max };
    const server: RunningServer = await listen({ ...defaultOptions(), port: 0, ...options }, deps, limits);
    ends.push(() => server.close());
    return server;
  }

  it.each(['127.0.0.1', 'localhost'])('answers at both addresses, at the same port, with --host %s', async (host) => {
    const { port } = await start({ host });
    for (const name of ['127.0.0.1', '[::1]', 'localhost']) {
      const response = await fetch(`http://${name}:${port}/api/v2/health`);
      expect([name, response.status]).toEqual([name, 200]);
    }
  });

  it.each(['::1', '127.0.0.5'])('answers only at the address that was chosen, %s', async (host) => {
    const { port } = await start({ host });
    expect(await speak(host, port, HEALTH)).toMatch(/^HTTP\/1.1 200/);
    const other = host === '::1' ? '127.0.0.1' : '::1';
    await expect(speak(other, port, HEALTH)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('checks requests at ::1 like all others, and answers bytes that are not HTTP', async () => {
    const { port } = await start();
    const rebound = HEALTH.replace('localhost', 'evil.example');
    expect(await speak('::1', port, rebound)).toContain('"error":"host_not_allowed"');
    expect(await speak('::1', port, 'HELLO\r\n\r\n')).toContain('"error":"malformed_request"');
  });

  it('counts the connections of both addresses together', async () => {
    const { port } = await start({}, { max: 16 });
    const open = async (host: string): Promise<Socket> => {
      const socket = connect({ host, port });
      ends.push(() => socket.destroy());
      await once(socket, 'connect');
      return socket;
    };
    for (let i = 0; i < 8; i++) await Promise.all([open('127.0.0.1'), open('::1')]);
    for (const host of ['::1', '127.0.0.1']) {
      const refused = await open(host);
      const parts: Buffer[] = [];
      for await (const part of refused) parts.push(part as Buffer);
      expect(Buffer.concat(parts).toString()).toContain('"error":"capacity_exceeded"');
    }
  });

  it('destroys connections at once that come while many are being refused, at whichever address', () => {
    const connections = new Connections({ ...defaultConnectionLimits(), maxConnections: 16 });
    const http = createHttpServer();
    connections.follow({ server: http });
    const sockets = Array.from({ length: 40 }, () => new Socket());
    for (const socket of sockets) http.emit('connection', socket);
    expect(sockets.filter(({ destroyed }) => !destroyed)).toHaveLength(16 + 2);
    for (const socket of sockets) socket.destroy();
  });

  it('frees both addresses when it stops, after downloads from ::1', async () => {
    const server = await start();
    const body = JSON.stringify({ path: '/a.tif' });
    const base = `http://[::1]:${server.port}`;
    const headers = { 'content-type': 'application/json' };
    const opened = await (await fetch(`${base}/api/v2/open`, { method: 'POST', headers, body })).json();
    const { dataUrl, byteLength } = (opened as { channels: { dataUrl: string; byteLength: number }[] }).channels[0]!;
    const download = await fetch(base + dataUrl);
    const stopped = server.close();
    expect((await download.arrayBuffer()).byteLength).toBe(byteLength);
    await stopped;
    for (const host of ['127.0.0.1', '::1']) {
      await expect(speak(host, server.port, HEALTH)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    }
  });

  it('starts, with a warning, where another program has the port at ::1', async () => {
    const other = await occupy('::1', 0);
    ends.push(() => other.close());
    const lines: string[] = [];
    const { port } = await start({ port: portOf(other) }, { lines });
    expect(await speak('127.0.0.1', port, HEALTH)).toMatch(/^HTTP\/1.1 200/);
    const warning = `another program uses [::1]:${port}; the server answers at 127.0.0.1:${port} only`;
    expect(lines.map((line) => JSON.parse(line)).filter(({ level }) => level >= 40)).toMatchObject([{ msg: warning }]);
  });

  it('does not start where another program has the port at 127.0.0.1, and keeps none at ::1', async () => {
    const other = await occupy('127.0.0.1', 0);
    ends.push(() => other.close());
    await expect(start({ port: portOf(other) })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await expect(speak('::1', portOf(other), HEALTH)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('takes a free port of both addresses', async () => {
    const { app } = await testApp();
    const tried: number[] = [];
    const original = app.listen.bind(app);
    vi.spyOn(app, 'listen').mockImplementation((async (options: { port: number }) => {
      tried.push(options.port);
      if (tried.length <= 2) {
        const other = await occupy('127.0.0.1', options.port);
        ends.push(() => other.close());
      }
      return original(options);
    }) as never);
    const second = (await listenAt(app, '127.0.0.1', 0))!;
    ends.push(() => Promise.all([second.close(), app.close()]));
    expect([tried.length, new Set(tried).size]).toEqual([3, 3]);
    expect(portOf(second)).toBe(tried[2]);
    expect((app.server.address() as AddressInfo).port).toBe(tried[2]);
    for (const port of tried.slice(0, 2)) {
      await expect(speak('::1', port, HEALTH)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    }
  });

  it.each([
    ['a free port', 0],
    ['a port of its own', undefined],
  ])('starts at %s where the system has no IPv6, without a word', async (_which, given) => {
    const free = await occupy('127.0.0.1', 0);
    const port = given ?? portOf(free);
    await new Promise((done) => free.close(done));
    const original = Server.prototype.listen;
    vi.spyOn(Server.prototype, 'listen').mockImplementation(function (this: Server, ...args: unknown[]) {
      const [options] = args as [{ host?: string }];
      if (options.host !== '::1') return original.apply(this, args as never);
      const error = Object.assign(new Error('listen EAFNOSUPPORT'), { code: 'EAFNOSUPPORT' });
      process.nextTick(() => this.emit('error', error));
      return this;
    });
    const lines: string[] = [];
    const server = await start({ port }, { lines });
    expect(await speak('127.0.0.1', server.port, HEALTH)).toMatch(/^HTTP\/1.1 200/);
    expect(lines.map((line) => JSON.parse(line).level)).not.toContain(40);
  });
});
