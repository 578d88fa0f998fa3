/** A server on loopback that other machines reach through a name: they need the token, programs of this machine do not. */
import { createServer, type IncomingHttpHeaders, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cli, SAMPLE } from '../support/cli.js';
import { testApp } from '../support/test-app.js';

const NAME = 'imaging.example';
const BEARER = { authorization: 'Bearer let-me-in' };

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

interface Call {
  method?: string;
  headers?: Record<string, string>;
  body?: unknown;
}

function call(port: number, path: string, { method = 'GET', headers = {}, body }: Call = {}): Promise<Answer> {
  const json = body === undefined ? {} : { 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, method, headers: { ...json, ...headers } }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => {
        const { statusCode = 0, headers: given } = response;
        resolve({ status: statusCode, headers: given, body: Buffer.concat(parts).toString() });
      });
    });
    asked.on('error', reject);
    asked.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Passes requests on, with the headers that `rewrite` makes of those of the client. */
async function startProxy(target: number, rewrite: (headers: IncomingHttpHeaders) => IncomingHttpHeaders) {
  const proxy = createServer((incoming, outgoing) => {
    const { url, method } = incoming;
    const headers = rewrite(incoming.headers);
    const onward = request({ host: '127.0.0.1', port: target, path: url, method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return { proxy, port: (proxy.address() as AddressInfo).port };
}

describe('a server on loopback with --token, --root and --allow-host', () => {
  const cli = new Cli();
  const proxies: Server[] = [];
  let port: number;
  /** Keeps the Host of the client, as nginx does with `proxy_set_header Host $host`. */
  let faithful: number;
  /** Puts in its own Host and says whose request it is, as Apache does. */
  let rewriting: number;

  beforeAll(async () => {
    const args = ['--token', 'let-me-in', '--root', dirname(SAMPLE), '--allow-host', NAME, '--log-level', 'warn'];
    ({ port } = await cli.serve(args));
    const first = await startProxy(port, (headers) => headers);
    const second = await startProxy(port, ({ host, ...headers }) => ({
      ...headers,
      host: `127.0.0.1:${port}`,
      'x-forwarded-host': host,
    }));
    faithful = first.port;
    rewriting = second.port;
    proxies.push(first.proxy, second.proxy);
  });
  afterAll(async () => {
    for (const proxy of proxies) proxy.close();
    await cli.close();
  });

  const open = (at: number, headers: Record<string, string>) =>
    call(at, '/api/v2/open', { method: 'POST', headers, body: { path: SAMPLE } });

  it.each([
    ['directly, by the name', () => port],
    ['through a proxy that keeps the Host', () => faithful],
    ['through a proxy that puts in its own', () => rewriting],
  ])('requires the token %s', async (_how, at) => {
    const refused = await open(at(), { host: NAME });
    expect([refused.status, JSON.parse(refused.body).error]).toEqual([401, 'unauthorized']);
    expect(refused.headers['www-authenticate']).toBe('Bearer');
    const wrong = await open(at(), { host: NAME, authorization: 'Bearer let-me-out' });
    expect([wrong.status, JSON.parse(wrong.body).error]).toEqual([401, 'unauthorized']);

    const opened = await open(at(), { host: NAME, ...BEARER });
    expect(opened.status, opened.body).toBe(200);
    const { sessionId, channels } = JSON.parse(opened.body);
    const { dataUrl, byteLength } = channels[0];
    expect((await call(at(), dataUrl, { headers: { host: NAME } })).status).toBe(401);
    expect((await call(at(), `/api/v2/sessions/${sessionId}`, { headers: { host: NAME } })).status).toBe(401);
    const plane = await call(at(), dataUrl, { headers: { host: NAME, ...BEARER } });
    expect([plane.status, plane.headers['content-length']]).toEqual([200, String(byteLength)]);
  });

  it('requires no token by a loopback name', async () => {
    for (const name of ['127.0.0.1', 'localhost', '[::1]']) {
      const opened = await open(port, { host: `${name}:${port}` });
      expect(opened.status, opened.body).toBe(200);
      const { dataUrl } = JSON.parse(opened.body).channels[0];
      expect((await call(port, dataUrl, { headers: { host: `${name}:${port}` } })).status).toBe(200);
    }
  });

  it.each(['127.0.0.1', 'localhost', '[::1]'])(
    'requires the token by %s at another port, where a tunnel or a port mapping is',
    async (name) => {
      const host = `${name}:${port === 9999 ? 9998 : 9999}`;
      const refused = await open(port, { host });
      expect([refused.status, JSON.parse(refused.body).error]).toEqual([401, 'unauthorized']);
      expect((await open(port, { host, ...BEARER })).status).toBe(200);
      const absolute = await call(port, `http://${host}/api/v2/capabilities`, { headers: { host: `${name}:${port}` } });
      expect(absolute.status).toBe(401);
    },
  );

  it.each([
    'Forwarded',
    'Via',
    'X-Forwarded-For',
    'X-Forwarded-Proto',
    'X-Forwarded-Server',
    'X-Real-IP',
    'CF-Connecting-IP',
  ])('requires the token by a loopback name with the proxy header %s', async (name) => {
    const headers = { host: `127.0.0.1:${port}`, [name]: '1.1 proxy' };
    const refused = await open(port, headers);
    expect([refused.status, JSON.parse(refused.body).error]).toEqual([401, 'unauthorized']);
    expect((await open(port, { ...headers, ...BEARER })).status).toBe(200);
  });

  it('checks the name in an absolute request target too', async () => {
    const path = `http://${NAME}/api/v2/capabilities`;
    const headers = { host: `127.0.0.1:${port}` };
    expect((await call(port, path, { headers })).status).toBe(401);
    expect((await call(port, path, { headers: { ...headers, ...BEARER } })).status).toBe(200);
  });

  it('serves pages, the OpenAPI document, index and health without a token', async () => {
    for (const path of ['/api/v2', '/api/v2/health', '/docs', '/demo/v2/', '/demo/', '/openapi.json']) {
      expect((await call(faithful, path, { headers: { host: NAME } })).status, path).toBe(200);
    }
    for (const path of ['/api/v2/capabilities', '/api/v2/examples', '/nothing', '/%ff']) {
      expect((await call(faithful, path, { headers: { host: NAME } })).status, path).toBe(401);
    }
  });
});

describe('a server without a token', () => {
  it('opens by an additional Host name', async () => {
    const { ask } = await testApp({ allowHosts: [NAME] });
    expect((await ask('POST', '/api/v2/open', { headers: { host: NAME }, body: { path: '/a' } })).statusCode).toBe(200);
  });
});
