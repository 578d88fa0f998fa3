/** A server and clients that speak to it byte by byte. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, expect } from 'vitest';
import { defaultOptions, type ServerOptions } from '../../packages/server/src/options.js';
import type { ConnectionLimits } from '../../packages/server/src/server/connection-limits.js';
import { listen, type RunningServer } from '../../packages/server/src/server/listen.js';
import { type FakeSessions, fakeSessions } from './fake-sessions.js';
import { fakePicker, testDependencies } from './test-app.js';

export interface WireServer extends RunningServer {
  sessions: FakeSessions;
}

interface Parts {
  options?: Partial<ServerOptions>;
  limits?: Partial<ConnectionLimits>;
  /** Bytes of each plane. */
  planeBytes?: number;
}

async function startWireServer({ options, limits, planeBytes }: Parts = {}): Promise<WireServer> {
  const sessions = fakeSessions(planeBytes);
  const deps = { ...testDependencies(), sessions, picker: fakePicker() };
  const server = await listen({ ...defaultOptions(), port: 0, ...options }, deps, limits);
  return { ...server, sessions };
}

/** Returns functions that start servers and connect to them. All are closed after each test of the file. */
export function wireHooks() {
  const servers: WireServer[] = [];
  const clients: RawClient[] = [];
  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy();
    await Promise.all(servers.splice(0).map((server) => server.close()));
  });
  return {
    async start(parts?: Parts): Promise<WireServer> {
      const server = await startWireServer(parts);
      servers.push(server);
      return server;
    },
    async dial(port: number): Promise<RawClient> {
      const client = await RawClient.open(port);
      clients.push(client);
      return client;
    },
  };
}

/** A connection that reads nothing until it is told to. */
export class RawClient {
  readonly socket: Socket;
  /** The connection is gone, in both directions or by a reset. */
  readonly closed: Promise<unknown>;
  #parts: Buffer[] = [];
  #length = 0;

  private constructor(port: number) {
    this.socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    this.socket.pause();
    this.socket.on('data', (part: Buffer) => {
      this.#parts.push(part);
      this.#length += part.length;
    });
    this.socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => this.socket.once('close', resolve));
    this.socket.pause();
  }

  static async open(port: number): Promise<RawClient> {
    const client = new RawClient(port);
    await once(client.socket, 'connect');
    return client;
  }

  write(text: string): void {
    this.socket.write(text, 'latin1');
  }

  get received(): Buffer {
    if (this.#parts.length !== 1) this.#parts = [Buffer.concat(this.#parts)];
    return this.#parts[0] as Buffer;
  }

  /** Reads until the server ends the connection. */
  async readAll(): Promise<Buffer> {
    const ended = this.#ended();
    this.socket.resume();
    await ended;
    return this.received;
  }

  /** The same, but about `bytes` each `milliseconds`. */
  async readSlowly(bytes: number, milliseconds: number): Promise<Buffer> {
    const ended = this.#ended();
    let allowance = 0;
    const spend = (part: Buffer) => {
      allowance -= part.length;
      if (allowance <= 0) this.socket.pause();
    };
    this.socket.on('data', spend);
    const refill = setInterval(() => {
      allowance = bytes;
      this.socket.resume();
    }, milliseconds);
    await ended;
    clearInterval(refill);
    return this.received;
  }

  #ended(): Promise<unknown> {
    return Promise.race([new Promise((resolve) => this.socket.once('end', resolve)), this.closed]);
  }

  /**
   * Reads until `count` answers are here, as requests of `methods` get them (default: none is HEAD). Waits as long as bytes come:
   * how long all of them take depends on what else the computer does.
   */
  async readAnswers(count: number, methods: readonly string[] = []): Promise<RawAnswer[]> {
    this.socket.resume();
    for (;;) {
      const before = this.#length;
      const answers = splitAnswers(this.received, methods);
      if (answers.length >= count) return answers;
      const message = `bytes after ${answers.length} of ${count} answers`;
      await expect.poll(() => this.#length, { timeout: 20_000, interval: 50, message }).toBeGreaterThan(before);
    }
  }

  destroy(): void {
    this.socket.destroy();
  }
}

export interface RawAnswer {
  status: number;
  head: string;
  body: Buffer;
}

/** The whole answers in `bytes`; each has a `Content-Length` or no body. */
export function splitAnswers(bytes: Buffer, methods: readonly string[] = []): RawAnswer[] {
  const answers: RawAnswer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf('\r\n\r\n', at);
    if (end < 0) break;
    const head = bytes.toString('latin1', at, end);
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]);
    const bodyless = status < 200 || status === 204 || status === 304 || methods[answers.length] === 'HEAD';
    const length = bodyless ? 0 : Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
    if (end + 4 + length > bytes.length) break;
    answers.push({ status, head, body: bytes.subarray(end + 4, end + 4 + length) });
    at = end + 4 + length;
  }
  return answers;
}

/** The envelope of `code`, as it is written when the framework never saw the request. */
export function expectRawEnvelope({ status, head, body }: RawAnswer, expected: number, code: string): void {
  expect(status).toBe(expected);
  expect(head).toMatch(/^x-request-id: [0-9a-f-]{36}$/im);
  expect(head).toMatch(/^cache-control: no-store$/im);
  expect(head).toMatch(/^cross-origin-resource-policy: same-origin$/im);
  expect(JSON.parse(body.toString())).toEqual({
    ok: false,
    error: code,
    message: expect.stringMatching(/\S/),
    details: null,
  });
}
