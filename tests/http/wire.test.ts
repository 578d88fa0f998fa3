import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { defaultOptions, type ServerOptions } from '../../packages/server/src/options.js';
import type { ConnectionLimits } from '../../packages/server/src/server/connection-limits.js';
import { listen, type RunningServer } from '../../packages/server/src/server/listen.js';
import { type FakeSessions, fakeSessions, ramp } from '../support/fake-sessions.js';
import { type FakePicker, fakePicker, testDependencies } from '../support/test-app.js';

interface Started extends RunningServer {
  sessions: FakeSessions;
  picker: FakePicker;
  /** Lines of the log. */
  log: Record<string, unknown>[];
}

const started: RunningServer[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((server) => server.close()));
});

async function start(
  options: Partial<ServerOptions> = {},
  planeBytes?: number,
  limits?: Partial<ConnectionLimits>,
): Promise<Started> {
  const sessions = fakeSessions(planeBytes);
  const picker = fakePicker();
  const log: Record<string, unknown>[] = [];
  const logger = pino({ level: 'debug' }, { write: (line: string) => log.push(JSON.parse(line)) });
  const deps = { ...testDependencies(), sessions, picker, logger };
  const server = await listen({ ...defaultOptions(), port: 0, ...options }, deps, limits);
  started.push(server);
  return { ...server, sessions, picker, log };
}

/** Everything that the server answers to raw bytes, until it closes the connection. */
async function speak(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.setEncoding('latin1').on('data', (part: string) => {
    answer += part;
  });
  socket.on('error', () => socket.destroy());
  socket.write(text, 'latin1');
  await once(socket, 'close');
  return answer;
}

/** The one envelope in a raw answer. */
function envelopeOf(answer: string, status: number, code: string): void {
  const [head, body] = answer.split('\r\n\r\n') as [string, string];
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(head).toMatch(/^x-request-id: [0-9a-f-]{36}$/im);
  expect(head).toMatch(/^cache-control: no-store$/im);
  expect(head).toMatch(/^cross-origin-resource-policy: same-origin$/im);
  expect(JSON.parse(body)).toEqual({ ok: false, error: code, message: expect.stringMatching(/\S/), details: null });
}

describe('a malformed request', () => {
  it.each([
    ['a greeting', 'HELLO\r\n\r\n'],
    ['a bare line feed in a name', 'GET / HTTP/1.1\r\nHo\nst: x\r\n\r\n'],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'],
    ['length and chunks', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ['a negative length', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n'],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['headers of 20 KB', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`],
  ])('gets an error envelope: %s', async (_name, text) => {
    const { port } = await start();
    envelopeOf(await speak(port, text), 400, 'malformed_request');
  });

  it.each([
    ['no Host', 'GET /api/v2/health HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['no Host in HTTP/1.0', 'GET /api/v2/health HTTP/1.0\r\n\r\n'],
    ['two Hosts', 'GET /api/v2/health HTTP/1.1\r\nHost: localhost:PORT\r\nHost: evil\r\nConnection: close\r\n\r\n'],
    [
      'a foreign address in the request line',
      'GET http://evil/api/v2/health HTTP/1.1\r\nHost: localhost:PORT\r\nConnection: close\r\n\r\n',
    ],
    ['no port', 'GET /api/v2/health HTTP/1.1\r\nHost: localhost:65536\r\nConnection: close\r\n\r\n'],
  ])('is refused: %s', async (_name, text) => {
    const { port } = await start();
    envelopeOf(await speak(port, text.replace('PORT', String(port))), 403, 'host_not_allowed');
  });

  it('gets a message about two Host headers', async () => {
    const { port } = await start();
    const host = `Host: localhost:${port}\r\n`;
    const answer = await speak(port, `GET /api/v2/health HTTP/1.1\r\n${host}${host}Connection: close\r\n\r\n`);
    expect(answer).toContain('"message":"The request has more than one Host header."');
  });

  it('is not one with the address of the server in the request line', async () => {
    const { port } = await start();
    const text = `GET http://localhost:${port}/api/v2/health HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`;
    expect(await speak(port, text)).toContain('{"ok":true,"apiVersion":"v2"}');
    const ask = (line: string) =>
      speak(port, `${line} HTTP/1.1\r\nHost: localhost:${port}\r\nAccept: text/html\r\nConnection: close\r\n\r\n`);
    for (const authority of [`http://localhost:${port}`, `HTTP://127.0.0.1:${port}`]) {
      expect(await ask(`GET ${authority}/api/v2/health/`)).toContain('{"ok":true,"apiVersion":"v2"}');
      envelopeOf(await ask(`DELETE ${authority}/api/v2/open/`), 405, 'method_not_allowed');
      for (const root of ['', '/', '?a=1']) expect(await ask(`GET ${authority}${root}`)).toMatch(/^HTTP\/1.1 302 /);
    }
    envelopeOf(await ask('GET HTTP://evil/api/v2/health/'), 403, 'host_not_allowed');
  });

  it('is about nothing when it has no address', async () => {
    const { port } = await start();
    for (const target of ['*', `ftp://localhost:${port}/api/v2/health`]) {
      const text = `GET ${target} HTTP/1.1\r\nHost: localhost:${port}\r\nAccept: text/html\r\nConnection: close\r\n\r\n`;
      envelopeOf(await speak(port, text), 404, 'not_found');
    }
  });

  it('is not one with an unknown expectation', async () => {
    const { port } = await start();
    const text = `GET /api/v2/health HTTP/1.1\r\nHost: localhost:${port}\r\nExpect: tea\r\nConnection: close\r\n\r\n`;
    expect(await speak(port, text)).toContain('{"ok":true,"apiVersion":"v2"}');
  });

  it('is refused when its chunks add up to more than 64 KiB', async () => {
    const { port, sessions } = await start();
    const chunk = `2000\r\n${' '.repeat(0x2000)}\r\n`;
    const head = `POST /api/v2/open HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    envelopeOf(await speak(port, head + chunk.repeat(9)), 413, 'payload_too_large');
    expect(sessions.opened).toEqual([]);
  });
});

const JSON_POST = { method: 'POST', headers: { 'content-type': 'application/json' } };

describe('a client that disconnects', () => {
  it('stops its open', async () => {
    const { url, sessions, log } = await start();
    const leave = new AbortController();
    const asked = fetch(`${url}/api/v2/open`, { ...JSON_POST, body: '{"path":"/wait"}', signal: leave.signal });
    await expect.poll(() => sessions.opened.length).toBe(1);
    expect(sessions.opened[0]?.signal?.aborted).toBe(false);
    leave.abort();
    await expect(asked).rejects.toThrow();
    await expect.poll(() => sessions.opened[0]?.signal?.aborted).toBe(true);
    await expect.poll(() => log.map(({ msg }) => msg)).toContain('client left before the answer');
    expect(log.filter(({ level }) => Number(level) >= 40)).toEqual([]);
  });

  it('closes its dialog', async () => {
    const { url, picker } = await start();
    picker.next = { status: 'cancelled', reason: 'disconnected' };
    let signal: AbortSignal | undefined;
    picker.pick = async (request) => {
      signal = request.signal;
      await once(request.signal, 'abort');
      return picker.next as never;
    };
    const leave = new AbortController();
    const asked = fetch(`${url}/api/v2/pick-and-open`, { method: 'POST', signal: leave.signal });
    await expect.poll(() => signal !== undefined).toBe(true);
    leave.abort();
    await expect(asked).rejects.toThrow();
    await expect.poll(() => signal?.aborted).toBe(true);
  });

  it('aborts nothing after its answer arrived', async () => {
    const { url, sessions } = await start();
    await (await fetch(`${url}/api/v2/open`, { ...JSON_POST, body: '{"path":"/a"}' })).json();
    await fetch(`${url}/api/v2/health`);
    expect(sessions.opened[0]?.signal?.aborted).toBe(false);
  });
});

/** Starts to read a plane and stops after the first bytes. */
async function stalled(url: string, dataUrl: string): Promise<IncomingMessage> {
  const request = get(`${url}${dataUrl}`);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.pause();
  return response;
}

async function readAll(response: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

async function openAt(url: string): Promise<{ sessionId: string; channels: { dataUrl: string }[] }> {
  const response = await fetch(`${url}/api/v2/open`, { ...JSON_POST, body: '{"path":"/a"}' });
  return (await response.json()) as never;
}

/** More than the buffers of a connection hold. */
const BIG = 20 * 2 ** 20;

describe('a slow client', () => {
  it('gets the correct bytes of a session that ends meanwhile', async () => {
    const { url, sessions } = await start({}, BIG);
    const { sessionId, channels } = await openAt(url);
    const response = await stalled(url, channels[1]?.dataUrl as string);
    expect(response.headers['content-length']).toBe(String(BIG));
    expect((await fetch(`${url}/api/v2/sessions/${sessionId}`, { method: 'DELETE' })).status).toBe(200);
    // Other planes come and go in the memory that a reused buffer would have.
    await openAt(url);
    expect((await fetch(`${url}${channels[1]?.dataUrl}`)).status).toBe(404);
    expect((await readAll(response)).equals(ramp(BIG, 1))).toBe(true);
    expect(sessions.decodes).toBe(1);
  });
});

describe('the memory of a plane', () => {
  it('is kept until the last byte of both segments is sent', async () => {
    const { url, sessions } = await start({}, BIG);
    const { channels } = await openAt(url);
    const response = await stalled(url, channels[1]?.dataUrl as string);
    expect(sessions.pinned).toBe(1);
    expect((await readAll(response)).equals(ramp(BIG, 1))).toBe(true);
    await expect.poll(() => sessions.pinned).toBe(0);
  });

  it('is released when the client disconnects', async () => {
    const { url, sessions } = await start({}, BIG);
    const { channels } = await openAt(url);
    const response = await stalled(url, channels[1]?.dataUrl as string);
    expect(sessions.pinned).toBe(1);
    response.destroy();
    await expect.poll(() => sessions.pinned).toBe(0);
  });

  it.each(['bytes=5-9', 'bytes=20-35', 'bytes=28-59', 'bytes=0-59'])(
    'is released after the range %s',
    async (range) => {
      const { url, sessions } = await start();
      const { channels } = await openAt(url);
      const [, first, last] = /(\d+)-(\d+)/.exec(range) as unknown as [string, number, number];
      const response = await fetch(`${url}${channels[1]?.dataUrl}`, { headers: { range } });
      const expected = ramp(60, 1).subarray(Number(first), Number(last) + 1);
      expect(Buffer.from(await response.arrayBuffer()).equals(expected)).toBe(true);
      await expect.poll(() => sessions.pinned).toBe(0);
    },
  );
});

describe('a stopping server', () => {
  it('lets downloads finish, ends opens, frees the port', async () => {
    const { url, port, sessions, close } = await start({}, BIG);
    const { channels } = await openAt(url);
    const response = await stalled(url, channels[0]?.dataUrl as string);
    const asked = fetch(`${url}/api/v2/open`, { ...JSON_POST, body: '{"path":"/wait"}' });
    await expect.poll(() => sessions.opened.length).toBe(2);
    const closing = close();
    const answer = await asked;
    expect([answer.status, ((await answer.json()) as { error: string }).error]).toEqual([503, 'capacity_exceeded']);
    expect((await readAll(response)).equals(ramp(BIG, 0))).toBe(true);
    await closing;
    expect(sessions.closed).toBe(true);
    await close();
    await expect(fetch(`${url}/api/v2/health`)).rejects.toThrow();
    expect((await start({ port })).port).toBe(port);
  });
});

describe('a starting server', () => {
  it.each([
    ['0.0.0.0', '', [], '--token or --tokens-file and --root DIR'],
    ['::', 'secret', [], 'requires --root DIR'],
    ['192.168.1.5', '', ['/data'], 'requires --token'],
    ['scope.example', '', [], '--token or --tokens-file and --root DIR'],
  ])('refuses %s with token %j and roots %j', async (host, token, roots, hint) => {
    await expect(start({ host, token, roots })).rejects.toMatchObject({
      name: 'AcqError',
      message: expect.stringContaining(hint),
    });
  });

  it('accepts any address with token and root', async () => {
    const { url, port } = await start({ host: '0.0.0.0', token: 'secret', roots: ['/data'] });
    expect(url).toBe(`http://127.0.0.1:${port}`);
    expect((await fetch(`${url}/api/v2/capabilities`)).status).toBe(401);
    const headers = { authorization: 'Bearer secret' };
    expect((await fetch(`${url}/api/v2/capabilities`, { headers })).status).toBe(200);
  });

  it('reports a port in use', async () => {
    const { port } = await start();
    await expect(start({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});

describe('the log', () => {
  it('has each request under the id of its answer, and no token', async () => {
    const { url, log } = await start({ token: 'very-secret' });
    const headers = { authorization: 'Bearer very-secret' };
    const answers = [
      await fetch(`${url}/api/v2/capabilities`, { headers }),
      await fetch(`${url}/nothing`),
      await fetch(`${url}/%ff`),
      await fetch(`${url}/api/v2/open`, { ...JSON_POST, body: '{"path":"/crash"}' }),
    ];
    await expect.poll(() => log.filter(({ msg }) => msg === 'answered').length).toBe(4);
    for (const answer of answers) {
      const id = answer.headers.get('x-request-id');
      const line = log.find(({ reqId, msg }) => reqId === id && msg === 'answered');
      expect(line).toMatchObject({ url: new URL(answer.url).pathname, status: answer.status });
    }
    const crash = log.find(({ msg }) => msg === 'unexpected error') as { err: { stack: string } };
    expect(crash.err.stack).toContain('secret inner detail');
    expect(JSON.stringify(log)).not.toContain('very-secret');
  });

  it('says what is wrong with an answer that is not sent, without the schema', async () => {
    const { url, log } = await start();
    const answer = await fetch(`${url}/api/v2/open`, { ...JSON_POST, body: '{"path":"/lie"}' });
    expect(answer.status).toBe(500);
    const fault = log.find(({ msg }) => msg === 'unexpected error') as { err: { message: string } };
    expect(fault.err.message).toContain('response of POST /api/v2/open does not match its schema: ');
    expect(JSON.stringify(fault).length).toBeLessThan(4_000);
  });
});
