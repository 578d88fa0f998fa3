/** How connections are counted, answered and ended. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { METHODS } from 'node:http';
import { describe, expect, it } from 'vitest';
import {
  connectionsFor,
  descriptorLimit,
  fromProc,
  fromReport,
} from '../../packages/server/src/server/connection-limits.js';
import { deferred } from '../../packages/server/src/waiting.js';
import { Cli } from '../support/cli.js';
import { ramp } from '../support/fake-sessions.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import {
  expectRawEnvelope,
  type RawAnswer,
  type RawClient,
  splitAnswers,
  type WireServer,
  wireHooks,
} from '../support/wire.js';
import { writeTiff } from '../writers/tiff.js';

const { start, dial } = wireHooks();

const folder = tempFolder();

/** More than the buffers of a connection hold. */
const BIG = 16 * 2 ** 20;

/** A request as text; `Host` is right unless it is given. */
function ask(port: number, line: string, headers: Record<string, string> = {}, body = ''): string {
  const all = { Host: `127.0.0.1:${port}`, ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${line} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

/** The request of a plane that does not fit into the buffers of a connection. */
async function planeRequest({ url, port }: WireServer): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}/api/v2/open`, { method: 'POST', headers, body: '{"path":"/a"}' });
  const { sessionId } = (await response.json()) as { sessionId: string };
  return ask(port, `GET /api/v2/sessions/${sessionId}/channels/1/data`);
}

/** The server has no connection any more, not half of one: what is sent to it is answered by a reset. */
async function expectDestroyed(client: RawClient): Promise<void> {
  const poke = setInterval(() => client.socket.write('x'), 100);
  const late = new Promise((_resolve, reject) => setTimeout(() => reject(new Error('still half open')), 8_000).unref());
  await Promise.race([client.closed, late]).finally(() => clearInterval(poke));
}

it('an answer that waits for memory while a drain begins says that its connection closes', async () => {
  const server = await start();
  const asked = deferred();
  const room = deferred<() => void>();
  const reserve = () => {
    asked.resolve();
    return room.promise;
  };
  const acquisition = await server.sessions.open({ path: '/a', options: {}, picked: false });
  // Short answers do not wait.
  const open = async () => ({ ...acquisition, source: { ...acquisition.source, name: 'x'.repeat(20_000) } });
  Object.assign(server.sessions, { open, memory: { ...server.sessions.memory, reserve } });
  const headers = { 'content-type': 'application/json' };
  const answer = fetch(`${server.url}/api/v2/open`, { method: 'POST', headers, body: '{"path":"/a"}' });
  await asked.promise;
  server.drain();
  room.resolve(() => {});
  const response = await answer;
  expect([response.status, response.headers.get('connection')]).toEqual([200, 'close']);
});

it('a connection keeps nothing of the requests that it has answered', async () => {
  const warnings: string[] = [];
  const listen = ({ name }: Error) => warnings.push(name);
  process.on('warning', listen);
  const { port } = await start();
  const client = await dial(port);
  const body = '{"path":"/a"}';
  const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
  for (let i = 0; i < 15; i++) {
    client.write(ask(port, 'POST /api/v2/open', headers, body));
    await client.readAnswers(i + 1);
  }
  await new Promise((resolve) => setTimeout(resolve));
  process.off('warning', listen);
  expect(warnings).toEqual([]);
});

describe('a late request', () => {
  const limits = { headersMs: 600, checkMs: 50 };

  it('gets request_timeout, and its connection is destroyed though the client keeps it open', async () => {
    const { port } = await start({ limits });
    const client = await dial(port);
    client.write('GET / HTTP/1.1\r\nHo');
    await client.readAll();
    const [answer] = await client.readAnswers(1);
    expectRawEnvelope(answer as RawAnswer, 408, 'request_timeout');
    await expectDestroyed(client);
  });

  it('gets request_timeout when only its body is late', async () => {
    const { port, sessions } = await start({ limits: { ...limits, requestMs: 700 } });
    const client = await dial(port);
    const headers = { 'Content-Type': 'application/json', 'Content-Length': '90' };
    client.write(ask(port, 'POST /api/v2/open', headers, '{"path"'));
    await client.readAll();
    const [answer] = await client.readAnswers(1);
    expectRawEnvelope(answer as RawAnswer, 408, 'request_timeout');
    await expectDestroyed(client);
    expect(sessions.opened).toEqual([]);
  });

  it('whose answer has begun is cut off: the client would take an error for samples', async () => {
    const server = await start({ limits: { ...limits, requestMs: 700 }, planeBytes: BIG });
    const plane = await planeRequest(server);
    const client = await dial(server.port);
    client.write(plane.replace('\r\n\r\n', '\r\nContent-Length: 5\r\n\r\nbod'));
    await expect.poll(() => server.sessions.decodes, { timeout: 10_000 }).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    await client.readAll();
    expect(client.received.toString('latin1', 0, 13)).toBe('HTTP/1.1 200 ');
    expect(client.received.includes('request_timeout')).toBe(false);
    expect(client.received.length).toBeLessThan(BIG);
  });

  it.each([
    ['a part of a request', 'GET /api/v2 HTTP/1.1\r\nHo', 408, 'request_timeout'],
    ['no HTTP', 'HELLO\r\n\r\n', 400, 'malformed_request'],
    ['CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n', 405, 'method_not_allowed'],
  ])('does not truncate the plane being sent when %s follows', async (_what, text, status, code) => {
    const server = await start({ limits, planeBytes: BIG });
    const plane = await planeRequest(server);
    const client = await dial(server.port);
    client.write(plane.repeat(2) + text.replace('PORT', String(server.port)));
    await expect.poll(() => server.sessions.decodes, { timeout: 10_000 }).toBe(2);
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    await client.readAll();
    const answers = await client.readAnswers(3);
    for (const { body } of answers.slice(0, 2)) expect(body.equals(ramp(BIG, 1))).toBe(true);
    expect(answers).toHaveLength(3);
    expectRawEnvelope(answers[2] as RawAnswer, status, code);
    await expectDestroyed(client);
  });
});

describe('an answer', () => {
  it('arrives completely though the client keeps sending and reads only later', async () => {
    const server = await start({ planeBytes: 2 ** 20 });
    const plane = await planeRequest(server);
    const client = await dial(server.port);
    client.write(`${plane}HELLO\r\n\r\n`);
    const chatter = setInterval(() => client.write('x'.repeat(1000)), 5);
    // By now the system has the whole plane, and a connection that were closed at once would be reset.
    await new Promise((resolve) => setTimeout(resolve, 300));
    await client.readAll().finally(() => clearInterval(chatter));
    const answers = splitAnswers(client.received);
    expect(answers.map(({ status }) => status)).toEqual([200, 400]);
    expect(answers[0]?.body.equals(ramp(2 ** 20, 1))).toBe(true);
  });
});

describe('Expect: 100-continue', () => {
  const json = { 'Content-Type': 'application/json', Expect: '100-continue' };
  const body = '{"path":"/a"}';

  it('is answered with 100 Continue when the request is allowed', async () => {
    const { port, sessions } = await start();
    const client = await dial(port);
    client.write(ask(port, 'POST /api/v2/open', { ...json, 'Content-Length': String(body.length) }));
    const [first] = await client.readAnswers(1);
    expect([first?.status, first?.head]).toEqual([100, 'HTTP/1.1 100 Continue']);
    expect(sessions.opened).toEqual([]);
    client.write(body + ask(port, 'GET /api/v2/health'));
    const answers = await client.readAnswers(3);
    expect(answers.map(({ status }) => status)).toEqual([100, 200, 200]);
    expect(answers[1]?.head).not.toMatch(/^connection: close/im);
  });

  const length = { 'Content-Length': String(body.length) };
  it.each([
    ['another Host', 'POST /api/v2/open', { ...length, Host: 'evil.example' }, 403],
    ['another site', 'POST /api/v2/open', { ...length, Origin: 'https://evil.example' }, 403],
    ['no JSON', 'POST /api/v2/open', { ...length, 'Content-Type': 'text/plain' }, 415],
    ['a body that is too large', 'POST /api/v2/open', { 'Content-Length': '1000000' }, 413],
    ['no such address', 'POST /nothing', length, 404],
    ['an address that is none', 'POST /%ff', length, 422],
    ['OPTIONS', 'OPTIONS /api/v2/open', length, 204],
  ])('is refused for %s, and the connection closes', async (_what, line, headers, status) => {
    const { port, sessions } = await start();
    const client = await dial(port);
    client.write(ask(port, line, { ...json, ...headers }));
    await client.readAll();
    const answers = await client.readAnswers(1);
    expect(answers.map((answer) => answer.status)).toEqual([status]);
    expect(answers[0]?.head).toMatch(/^connection: close$/im);
    expect(sessions.opened).toEqual([]);
  });
});

describe('an unusual request', () => {
  it('gets an error envelope for CONNECT', async () => {
    const { port } = await start();
    const client = await dial(port);
    client.write(ask(port, 'GET /api/v2/health') + ask(port, `CONNECT 127.0.0.1:${port}`));
    await client.readAll();
    const [health, refused] = (await client.readAnswers(2)) as [RawAnswer, RawAnswer];
    expect(health.status).toBe(200);
    expectRawEnvelope(refused, 405, 'method_not_allowed');
    expect(refused.head).toMatch(/^allow: GET, HEAD, POST, PUT, DELETE, OPTIONS$/im);
    await expectDestroyed(client);
  });

  it('gets host_not_allowed for CONNECT with another Host', async () => {
    const { port } = await start();
    const client = await dial(port);
    client.write(ask(port, 'CONNECT evil.example:443', { Host: 'evil.example:443' }));
    await client.readAll();
    expectRawEnvelope((await client.readAnswers(1))[0] as RawAnswer, 403, 'host_not_allowed');
  });

  it('gets an answer for every HTTP method', async () => {
    const { port } = await start();
    const client = await dial(port);
    const methods = METHODS.filter((method) => method !== 'CONNECT');
    client.write(methods.map((method) => ask(port, `${method} /api/v2/capabilities`)).join(''));
    const answers = await client.readAnswers(methods.length, methods);
    for (const [i, { status, head, body }] of answers.entries()) {
      const method = methods[i] as string;
      if (method === 'GET' || method === 'HEAD') expect(status, method).toBe(200);
      else if (method === 'OPTIONS') expect(status).toBe(204);
      else expectRawEnvelope({ status, head, body }, 405, 'method_not_allowed');
    }
  });

  it('gets its normal answer when it asks for an upgrade', async () => {
    const { port } = await start();
    const client = await dial(port);
    const upgrade = { Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': '13' };
    client.write(ask(port, 'GET /api/v2/health', upgrade));
    await client.readAnswers(1);
    client.write(ask(port, 'GET /none', { ...upgrade, Upgrade: 'h2c' }));
    const [health, none] = (await client.readAnswers(2)) as [RawAnswer, RawAnswer];
    expect([health.status, health.body.toString()]).toEqual([200, '{"ok":true,"apiVersion":"v2"}']);
    expectRawEnvelope(none, 404, 'not_found');
  });
});

describe('the limit of connections', () => {
  it('refuses further connections with capacity_exceeded until others have closed', async () => {
    const { port } = await start({ limits: { maxConnections: 3 } });
    const first = [await dial(port), await dial(port), await dial(port)];
    for (const client of first) client.write(ask(port, 'GET /api/v2/health'));
    for (const client of first) expect((await client.readAnswers(1))[0]?.status).toBe(200);

    const fourth = await dial(port);
    fourth.write(ask(port, 'GET /api/v2/health'));
    await fourth.readAll();
    const [refused] = (await fourth.readAnswers(1)) as [RawAnswer];
    expectRawEnvelope(refused, 503, 'capacity_exceeded');
    expect(refused.head).toMatch(/^retry-after: \d+$/im);
    await expectDestroyed(fourth);
    // Those that are there are not disturbed.
    first[0]?.write(ask(port, 'GET /api/v2/health'));
    expect((await first[0]?.readAnswers(2))?.[1]?.status).toBe(200);

    first[1]?.destroy();
    await expect
      .poll(async () => {
        const next = await dial(port);
        next.write(ask(port, 'GET /api/v2/health'));
        const [answer] = await next.readAnswers(1);
        if (answer?.status !== 200) next.destroy();
        return answer?.status;
      })
      .toBe(200);
  });

  it('is half of the descriptors, at least 1 and at most 1,024', () => {
    expect([1024, 256, 3, 1, 1_000_000, Number.POSITIVE_INFINITY].map(connectionsFor)).toEqual([
      512, 128, 1, 1, 1024, 1024,
    ]);
  });

  it.skipIf(process.platform === 'win32')('reads the same descriptor limit as the shell', () => {
    const told = execFileSync('sh', ['-c', 'ulimit -n']).toString().trim();
    const expected = told === 'unlimited' ? Number.POSITIVE_INFINITY : Number(told);
    expect(descriptorLimit()).toBe(expected);
    expect(fromReport()).toBe(expected);
    expect(fromProc('/no/such/file')).toBeUndefined();
  });
});

describe('a stopping server', () => {
  it('waits for a download that makes progress', async () => {
    const server = await start({ planeBytes: 2 * BIG, limits: { stallMs: 2_000 } });
    const client = await dial(server.port);
    client.write(await planeRequest(server));
    await expect.poll(() => server.sessions.decodes, { timeout: 10_000 }).toBe(1);
    const begin = Date.now();
    const closing = server.close();
    // For longer than a client may stand still.
    const bytes = await client.readSlowly(2 * 2 ** 20, 150);
    await closing;
    expect(Date.now() - begin).toBeGreaterThan(2_000);
    expect(splitAnswers(bytes)[0]?.body.equals(ramp(2 * BIG, 1))).toBe(true);
  });

  it('disconnects a client that reads nothing', async () => {
    const server = await start({ planeBytes: BIG, limits: { stallMs: 200 } });
    const client = await dial(server.port);
    client.write(await planeRequest(server));
    await expect.poll(() => server.sessions.decodes, { timeout: 10_000 }).toBe(1);
    await server.close();
    expect(server.sessions.closed).toBe(true);
    await client.readAll();
    expect(client.received.length).toBeLessThan(BIG);
    await expect(fetch(`${server.url}/api/v2/health`)).rejects.toThrow();
  });

  it('disconnects all clients after the time limit', async () => {
    const server = await start({ planeBytes: 5 * BIG, limits: { stallMs: 60_000, drainMs: 300 } });
    const client = await dial(server.port);
    client.write(await planeRequest(server));
    await expect.poll(() => server.sessions.decodes, { timeout: 10_000 }).toBe(1);
    await server.close();
    await client.readAll();
    expect(client.received.length).toBeLessThan(5 * BIG);
  });

  it('frees the port at once and starts no further request', async () => {
    const server = await start({ planeBytes: BIG });
    const client = await dial(server.port);
    const plane = await planeRequest(server);
    client.write(plane.repeat(100));
    await expect.poll(() => server.sessions.decodes, { timeout: 10_000 }).toBe(16);
    const closing = server.close();
    const successor = await start({ options: { port: server.port } });
    const other = await dial(successor.port);
    other.write(ask(successor.port, 'GET /api/v2/health'));
    expect((await other.readAnswers(1))[0]?.status).toBe(200);
    await client.readAll();
    await closing;
    // What was under way is sent to its last byte, though the client sent more than was read.
    expect(await client.readAnswers(16)).toHaveLength(16);
    expect(server.sessions.decodes).toBe(16);
  });

  it('waits for a download after one signal, but not after a second', async () => {
    const cli = new Cli();
    const samples = Uint8Array.from({ length: 2048 * 2048 }, (_, i) => (i * 7) % 251);
    const path = writeTemp(folder, 'big.tif', writeTiff({ pages: [{ width: 2048, height: 2048, samples }] }));
    const serve = async () => {
      const server = await cli.serve(['--log-level', 'warn']);
      const headers = { 'content-type': 'application/json', connection: 'close' };
      const body = JSON.stringify({ path });
      const response = await fetch(`${server.url}/api/v2/open`, { method: 'POST', headers, body });
      const { channels } = (await response.json()) as { channels: { dataUrl: string }[] };
      const client = await dial(server.port);
      client.write(ask(server.port, `GET ${channels[0]?.dataUrl}`));
      // The answer has begun.
      client.socket.resume();
      await once(client.socket, 'data');
      client.socket.pause();
      return { server, client };
    };
    try {
      const first = await serve();
      first.server.child.kill('SIGTERM');
      const [plane] = splitAnswers(await first.client.readSlowly(2 ** 21, 100));
      expect(plane?.body.equals(Buffer.from(Float32Array.from(samples).buffer))).toBe(true);
      expect((await first.server.ended).code).toBe(0);

      const second = await serve();
      second.server.child.kill('SIGTERM');
      await expect.poll(() => fetch(second.server.url).then(String, () => 'gone')).toBe('gone');
      second.server.child.kill('SIGTERM');
      expect(await second.server.ended).toMatchObject({ code: null, signal: 'SIGTERM' });
    } finally {
      await cli.close();
    }
  });
});
