/** What the server asks itself before its first client comes. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, Socket, Server as TcpServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, it, vi } from 'vitest';
import { defaultOptions, type ServerOptions } from '../../packages/server/src/options.js';
import { Connections } from '../../packages/server/src/server/connections.js';
import { OwnConnection } from '../../packages/server/src/server/own-connection.js';
import { SchemaChecks } from '../../packages/server/src/server/validation.js';
import { warmUp } from '../../packages/server/src/server/warm-up.js';
import { freePort } from '../support/supervisor.js';
import { HOST, testApp, testDependencies } from '../support/test-app.js';

const ROUNDS = 5;

async function start(over: Partial<ServerOptions> = {}, files: readonly string[] = ['/a.tif', '/b.tif']) {
  const log: { msg: string }[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => log.push(JSON.parse(line)) });
  const { app, sessions, stopping, ask } = await testApp(over, { logger });
  const connections = { answering: 0, askedAt: Number.NEGATIVE_INFINITY };
  const run = () =>
    warmUp(
      {
        app,
        options: { ...defaultOptions(), ...over },
        deps: { ...testDependencies(), sessions, warmUpFiles: files, stopping: stopping.signal },
        checks: new SchemaChecks(),
        connections,
      },
      ROUNDS,
    );
  return { sessions, stopping, ask, connections, log, run };
}

it('the warm-up opens each file many times, reads a plane each time, and leaves no session and no line in the log', async () => {
  const { sessions, log, run } = await start({ token: 'secret', roots: ['/data'] });
  await run();
  const paths = sessions.opened.map(({ path }) => path);
  expect(paths.slice(0, 4)).toEqual(['/a.tif', '/b.tif', '/a.tif', '/b.tif']);
  expect(paths).toHaveLength(2 * ROUNDS);
  expect(sessions.opened.every(({ isWarmUp, picked }) => isWarmUp && picked)).toBe(true);
  expect(sessions.decodes).toBe(paths.length);
  expect(sessions.pinned).toBe(0);
  for (let id = 1; id <= paths.length; id++) {
    expect(() => sessions.status(id.toString(16).padStart(32, '0'))).toThrow('no session');
  }
  expect(log).toEqual([]);
});

it('the warm-up begins when the server listens, with a few rounds that leave the worker free soon', async () => {
  const { app, sessions } = await testApp({}, { warmUpFiles: ['/a.tif', '/b.tif'] });
  await app.ready();
  expect(sessions.opened).toEqual([]);
  await app.listen({ host: '127.0.0.1', port: 0 });
  await vi.waitFor(() => expect(sessions.opened).toHaveLength(6), 10_000);
  expect(sessions.opened.every(({ isWarmUp }) => isWarmUp)).toBe(true);
});

it('workers are told of requests of clients and of their ends, and of no others', async () => {
  const { app, sessions } = await testApp({}, { warmUpFiles: ['/a.tif'] });
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  await vi.waitFor(() => expect(sessions.opened).toHaveLength(3), 10_000);
  expect(sessions.clientsNoted).toBe(0);
  await fetch(`${address}/api/v2/health`);
  await vi.waitFor(() => expect(sessions.clientsNoted).toBe(2), 10_000);
});

it('a request of a client is logged, and its open is not a warm-up', async () => {
  const { sessions, log, ask } = await start();
  await ask('POST', '/api/v2/open', {
    body: { path: '/a.tif' },
    headers: { host: HOST, 'x-forwarded-for': 'warm-up' },
  });
  expect(sessions.opened).toMatchObject([{ path: '/a.tif', picked: false }]);
  expect(sessions.opened[0]).not.toHaveProperty('isWarmUp');
  expect(log.map(({ msg }) => msg)).toEqual(['opening', 'answered']);
});

it('a file that cannot be opened does not end the warm-up', async () => {
  const { sessions, log, run } = await start({}, ['/decode_failed', '/a.tif']);
  await run();
  expect(sessions.decodes).toBe(sessions.opened.length / 2);
  expect(log).toEqual([]);
});

it('the warm-up waits while a client is answered', async () => {
  const { sessions, connections, run } = await start();
  connections.answering = 1;
  const done = run();
  await setTimeout(30);
  expect(sessions.opened).toEqual([]);
  connections.answering = 0;
  await done;
  expect(sessions.opened.length).toBeGreaterThan(8);
});

it('the warm-up keeps no session while a client that came meanwhile takes its time', async () => {
  const { sessions, connections, stopping, run } = await start();
  const open = sessions.open.bind(sessions);
  sessions.open = (request) => {
    connections.answering = 1;
    return open(request);
  };
  const done = run();
  await vi.waitFor(() => expect(sessions.decodes).toBe(1), 10_000);
  await vi.waitFor(() => expect(() => sessions.status('1'.padStart(32, '0'))).toThrow('no session'), 10_000);
  expect(sessions.opened).toHaveLength(1);
  stopping.abort();
  await done;
});

it.each([
  ['its start', () => {}],
  ['the request of a client', (connections: { askedAt: number }) => Object.assign(connections, { askedAt: 1_249 })],
])('the warm-up waits for a moment after %s, and ends when the server stops', async (_, cause) => {
  const { connections, sessions, stopping, run } = await start();
  const clock = vi.spyOn(performance, 'now').mockReturnValue(1_000);
  const done = run();
  clock.mockReturnValue(1_249);
  cause(connections);
  await setTimeout(50);
  expect(sessions.opened).toEqual([]);
  stopping.abort();
  await done;
  expect(sessions.opened).toEqual([]);
  clock.mockRestore();
});

it('the warm-up asks over one connection, which it closes', async () => {
  const { app } = await testApp();
  await app.ready();
  const sockets: { remotePort?: number | undefined; destroyed: boolean }[] = [];
  app.server.on('connection', (socket) => sockets.push(socket));
  const own = await OwnConnection.to(app.server);
  const answers = [await own.ask('GET', '/api/v2/health', {}), await own.ask('GET', '/api/v2/nothing', {})];
  expect(answers.map(({ status }) => status)).toEqual([200, 404]);
  expect(JSON.parse(answers[0]!.text)).toMatchObject({ ok: true });
  expect(sockets).toHaveLength(1);
  own.close();
  await vi.waitFor(() => expect(sockets[0]!.destroyed).toBe(true), 10_000);
});

it.each([
  ['before it is asked', true],
  ['while it answers', false],
])('a request over a connection that the server closes %s fails, instead of waiting', async (_, isBefore) => {
  const { app } = await testApp();
  await app.ready();
  const closing = once(app.server, 'connection').then(async ([socket]) => {
    if (!isBefore) await once(socket, 'data');
    socket.destroy();
  });
  const own = await OwnConnection.to(app.server);
  await (isBefore ? closing : undefined);
  await expect(own.ask('GET', '/api/v2/health', {})).rejects.toThrow();
  await expect(own.ask('GET', '/api/v2/health', {})).rejects.toThrow();
});

/** Lets the next connection of this process come from a port. */
function comeFrom(port: number): void {
  const { connect: real } = Socket.prototype;
  vi.spyOn(Socket.prototype, 'connect').mockImplementationOnce(function (this: Socket, ...args: unknown[]) {
    Object.assign((args[0] as object[])[0]!, { localAddress: '127.0.0.1', localPort: port });
    return Reflect.apply(real, this, args);
  });
}

const OTHERS: [name: string, address: string | undefined][] = [['a program', undefined]];
// Ports of another address of this computer are others; Linux has all of 127.0.0.0/8.
if (process.platform === 'linux') OTHERS.push(['one with the same port at another address', '127.0.0.2']);

it.each(OTHERS)('%s that connects before the server does is not taken for the server', async (_, from) => {
  const { app, sessions } = await testApp({ token: 'secret' });
  await app.ready();
  const free = await freePort();
  const address = vi.spyOn(TcpServer.prototype, 'address');
  let answer = '';
  address.mockImplementationOnce(function (this: TcpServer) {
    address.mockRestore();
    const { port } = this.address() as AddressInfo;
    const source = from ? { localAddress: from, localPort: free } : {};
    const other = connect({ port, host: '127.0.0.1', ...source });
    other.on('data', (bytes) => {
      answer += bytes;
    });
    other.on('error', () => {});
    other.write('GET /api/v2/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    comeFrom(free);
    return { port, address: '127.0.0.1', family: 'IPv4' };
  });
  await expect(OwnConnection.to(app.server)).rejects.toThrow('another program');
  await setTimeout(50);
  expect(answer).toBe('');
  expect(sessions.opened).toEqual([]);
  vi.restoreAllMocks();
});

it('the connections tell when a client asked last', async () => {
  const connections = new Connections();
  const server = createServer((_request, response) => response.end());
  connections.follow({ server });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const before = performance.now();
  expect(connections.askedAt).toBeLessThan(before);
  await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  expect(connections.askedAt).toBeGreaterThan(before);
  server.close();
  await connections.drain();
});
