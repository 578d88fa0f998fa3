import { createServer, get, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { explainSilence, type Silence } from '../../packages/client/src/connection.js';
import { createClient } from '../../packages/client/src/index.js';
import { readSurroundings } from '../../packages/client/src/surroundings.js';
import { Cli, SAMPLE } from '../support/cli.js';
import { LONG } from '../support/long.js';
import { tempFolder } from '../support/temp.js';

const folder = tempFolder();
const cli = new Cli();
afterAll(() => cli.close());

const BASE = 'http://127.0.0.1:8767';
const silence = (origin: string | undefined, more: Partial<Silence> & { deniedByUser?: boolean } = {}) => {
  const { deniedByUser = false, ...rest } = more;
  return explainSilence({
    ...{ base: BASE, error: new TypeError('Failed to fetch'), healthy: false, answersBlindly: false },
    surroundings: { origin, deniedByUser },
    ...rest,
  });
};

describe('the cause of a missing response', () => {
  it.each([
    ['its own page', BASE, {}, 'not_running', /No server is running at http:\/\/127\.0\.0\.1:8767/],
    ['a page of this computer', 'http://localhost:5173', {}, 'not_running', /Start Acquisition Store Server/],
    ['a local file', 'null', {}, 'not_running', /Start Acquisition Store Server/],
    ['a local file that may ask for health', 'null', { healthy: true }, 'file_page', /--allow-file-pages/],
    ['an https page of another computer', 'https://lab.example', {}, 'not_running_or_not_allowed', /Safari/],
    [
      'an http page of another computer',
      'http://lab.example',
      {},
      'not_running_or_not_allowed',
      /Chrome lets pages from other computers/,
    ],
    [
      'a page that is not allowed',
      'https://lab.example',
      { answersBlindly: true },
      'origin_not_allowed',
      /--allow-origin https:\/\/lab\.example/,
    ],
    [
      'an https page and an http server elsewhere',
      'https://lab.example',
      { base: 'http://scope-pc:8767' },
      'mixed_content',
      /http:\/\/scope-pc:8767\//,
    ],
    ['a refused permission', 'https://lab.example', { deniedByUser: true }, 'local_network_access', /site settings/],
    ['a request that broke off', 'https://lab.example', { healthy: true }, 'interrupted', /Try again/],
    ['a request of a program that broke off', undefined, { healthy: true }, 'interrupted', /Try again/],
  ] as const)('%s', (_name, origin, more, cause, words) => {
    const found = silence(origin, more);
    expect(found).toMatchObject({ connected: false, cause });
    expect(`${found.message} ${found.hint}`).toMatch(words);
  });
});

describe('the surroundings', () => {
  const page = (states: Record<string, string>, isSecureContext = true) => ({
    ...{ origin: 'https://lab.example', location: { protocol: 'https:' }, isSecureContext },
    navigator: {
      permissions: {
        query: async ({ name }: { name: string }) => {
          if (states[name] === undefined) throw new TypeError(`${name} is no permission`);
          return { state: states[name] };
        },
      },
    },
  });

  it.each([
    [{ 'loopback-network': 'denied' }, true, true],
    [{ 'local-network-access': 'denied' }, true, true],
    [{ 'loopback-network': 'prompt', 'local-network-access': 'denied' }, true, false],
    [{}, true, false],
    // Chromium says so to every page that is not secure.
    [{ 'loopback-network': 'denied' }, false, false],
  ])('permissions %j of a page (secure: %s): refused %s', async (states, secure, deniedByUser) => {
    const found = await readSurroundings(page(states as Record<string, string>, secure));
    expect(found).toEqual({ origin: 'https://lab.example', deniedByUser });
  });

  it('have no origin outside of browsers', async () => {
    expect(await readSurroundings()).toEqual({ origin: undefined, deniedByUser: false });
  });
});

/** A server that answers as it is told. */
async function fake(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await new Promise((done) => server.once('listening', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Where nothing listens any more. */
async function freeAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return `http://127.0.0.1:${port}`;
}

describe('a client in Node', () => {
  it('reports that no server is running', async () => {
    const client = createClient({ baseUrl: await freeAddress() });
    expect(await client.explainConnection()).toMatchObject({ connected: false, cause: 'not_running' });
    await expect(client.health()).rejects.toMatchObject({
      code: 'unreachable',
      connection: 'not_running',
      status: null,
    });
  });

  it('reports an unknown host', async () => {
    const error = Object.assign(new TypeError('fetch failed'), { cause: { code: 'ENOTFOUND' } });
    const client = createClient({ baseUrl: 'http://nobody.invalid:8767', fetch: () => Promise.reject(error) });
    const found = await client.explainConnection();
    expect(found).toMatchObject({ cause: 'unknown_host', message: 'The host nobody.invalid was not found.' });
  });

  it('recognizes another program', async () => {
    for (const [status, text] of [
      [200, '<!doctype html>'],
      [502, 'Bad Gateway'],
      [200, '{"hello": 1}'],
      [404, '{"detail": "Not Found"}'],
    ] as const) {
      const baseUrl = await fake((_request, response) => response.writeHead(status).end(text));
      const client = createClient({ baseUrl });
      expect(await client.explainConnection()).toMatchObject({ connected: false, cause: 'not_this_server' });
      await expect(client.health()).rejects.toMatchObject({ code: 'not_this_server', status });
    }
    const baseUrl = await fake((_request, response) => response.end('{"ok": true, "apiVersion": "v3"}'));
    await expect(createClient({ baseUrl }).health()).rejects.toMatchObject({ code: 'not_this_server' });
  });

  it('reports a program that does not respond', async () => {
    const client = createClient({ baseUrl: await fake(() => {}), timeoutSeconds: 0.05 });
    await expect(client.capabilities()).rejects.toMatchObject({ code: 'timeout', connection: 'timeout' });
    expect(await client.explainConnection()).toMatchObject({ cause: 'timeout' });
    // A limit of the caller is the caller's: it passes through as it is.
    const patient = createClient({ baseUrl: client.baseUrl });
    const own = patient.open({ path: '/x.tif' }, { signal: AbortSignal.timeout(20) });
    await expect(own).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('reports an interrupted response', async () => {
    const baseUrl = await fake((request, response) => {
      if (request.url === '/api/v2/health') return response.end('{"ok": true, "apiVersion": "v2"}');
      response.writeHead(200, { 'content-length': 100 }).write('{"ok"');
      return setImmediate(() => response.destroy());
    });
    const client = createClient({ baseUrl });
    await expect(client.capabilities()).rejects.toMatchObject({ code: 'interrupted', connection: 'interrupted' });
  });

  it('tries again when the connection ends early, unless the request could take effect twice', async () => {
    const seen: string[] = [];
    const baseUrl = await fake((request, response) => {
      if (request.url === '/api/v2/health') return response.end('{"ok": true, "apiVersion": "v2"}');
      seen.push(`${request.method} ${request.url}`);
      if (seen.length % 2 === 1) return request.socket.destroy();
      return response.end('{"ok": true, "apiVersion": "v2", "examples": []}');
    });
    const client = createClient({ baseUrl });
    expect((await client.examples()).examples).toEqual([]);
    await expect(client.pick()).rejects.toMatchObject({ code: 'interrupted', status: null });
    expect(seen).toEqual(['GET /api/v2/examples', 'GET /api/v2/examples', 'POST /api/v2/pick-and-open']);
  });

  it('refuses an inconsistent open response, or one that would send the token elsewhere', async () => {
    const { url } = await cli.serve();
    const info = (await createClient({ baseUrl: url }).open({ path: SAMPLE })).info;
    const [channel] = info.channels;
    for (const [wrong, code] of [
      [{ byteLength: 8 }, 'wrong_length'],
      [{ dataUrl: '@elsewhere.example/data' }, 'not_this_server'],
      [{ dataUrl: '/api/v2/sessions/0/channels/0/data' }, 'not_this_server'],
    ] as const) {
      const answer = JSON.stringify({ ...info, channels: [{ ...channel, ...wrong }] });
      const baseUrl = await fake((_request, response) => response.end(answer));
      await expect(createClient({ baseUrl }).open({ path: SAMPLE })).rejects.toMatchObject({ code });
    }
  });

  it('uses the token of a server', async () => {
    const { port } = await cli.serve(['--host', '0.0.0.0', '--token', 'abc123', '--root', folder]);
    const baseUrl = `http://127.0.0.1:${port}`;
    expect(await createClient({ baseUrl }).health()).toEqual({ ok: true, apiVersion: 'v2' });
    expect(await createClient({ baseUrl }).explainConnection()).toMatchObject({ cause: 'token_missing' });
    let token = 'wrong';
    const client = createClient({ baseUrl, token: () => token });
    expect(await client.explainConnection()).toMatchObject({ connected: false, cause: 'token_wrong' });
    await expect(client.capabilities()).rejects.toMatchObject({ code: 'unauthorized', status: 401 });
    token = 'abc123';
    expect(await client.explainConnection()).toEqual({
      ...{ connected: true, cause: 'connected', hint: '' },
      message: `Connected to ${baseUrl}.`,
    });
  });

  it.runIf(LONG)('sends its token when it reads the state of a session by its id', async () => {
    const remote = await cli.serve(['--host', '0.0.0.0', '--token', 'let-me-in', '--root', dirname(SAMPLE)]);
    const local = `http://127.0.0.1:${remote.port}`;
    const owner = createClient({ baseUrl: local, token: 'let-me-in' });
    const { sessionId } = (await owner.open({ path: SAMPLE })).info;
    const status = await createClient({ baseUrl: local, token: () => 'let-me-in' }).sessionStatus(sessionId);
    expect(status).toMatchObject({ ok: true, sessionId, channelIndices: [0, 1] });
    const refused = createClient({ baseUrl: local }).sessionStatus(sessionId);
    await expect(refused).rejects.toMatchObject({ code: 'unauthorized' });
    await owner.closeAll();
    await expect(owner.sessionStatus(sessionId)).rejects.toMatchObject({ code: 'session_not_found' });
  });

  it.runIf(LONG)('reports a host name that the server does not accept', async () => {
    const { url } = await cli.serve();
    const { port } = new URL(url);
    // A proxy that keeps the name by which it was asked for.
    const baseUrl = await fake((request, response) => {
      const onward = { port, path: request.url, headers: { host: 'scope-pc:8767' } };
      get(onward, (answer) => answer.pipe(response.writeHead(answer.statusCode ?? 0)));
    });
    const client = createClient({ baseUrl });
    const found = await client.explainConnection();
    expect(found).toMatchObject({ connected: false, cause: 'host_not_allowed' });
    expect(found.message).toContain('--allow-host');
    await expect(client.health()).rejects.toMatchObject({ code: 'host_not_allowed', status: 403 });
  });

  it.runIf(LONG)('works behind the path of a proxy', async () => {
    const { url } = await cli.serve();
    const proxy = await fake((request, response) => {
      const path = request.url?.replace(/^\/user\/ada\//, '/') ?? '';
      void fetch(url + path).then(async (answer) => response.writeHead(answer.status).end(await answer.text()));
    });
    const client = createClient({ baseUrl: new URL(`${proxy}/user/ada/`) });
    expect(client.baseUrl).toBe(`${proxy}/user/ada`);
    expect((await client.index()).serverVersion).toMatch(/^\d/);
  });
});
