import { readdirSync } from 'node:fs';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { pagesOnDisk } from '../../packages/server/src/page-folder.js';
import { expectError, HOST, type TestApp, testApp, testDependencies } from '../support/test-app.js';

const ID = '0'.repeat(32);
const server = await testApp({
  allowOrigins: ['https://lab.example', 'https://*.wild.example'],
  allowHosts: ['scope.lan'],
});

describe('the Host check', () => {
  it.each([
    '127.0.0.1:8767',
    'localhost:8767',
    'LOCALHOST:8767',
    '[::1]:8767',
    // Tunnels and port mappings have a port of their own.
    '127.0.0.1:9999',
    'localhost:9999',
    '[::1]:9999',
    'localhost:65535',
    '127.0.0.1',
    'localhost',
    '[::1]',
    'scope.lan',
    'scope.lan:1234',
  ])('accepts %s', async (host) => {
    expect((await server.ask('GET', '/api/v2/health', { headers: { host } })).statusCode).toBe(200);
  });

  it.each([
    'evil.example:8767',
    'evil.example:9999',
    '127.0.0.1:65536',
    '127.0.0.1:87670',
    '127.0.0.1:08767x',
    '127.0.0.1:9999:8767',
    '127.0.0.1:-1',
    '127.0.0.1:',
    '127.0.0.2:8767',
    '127.255.255.254:9999',
    '127.1:8767',
    '127.0.0.1.:8767',
    '127.0.0.1.nip.io:8767',
    '127-0-0-1.nip.io:9999',
    '127.0.0.1.evil.example:9999',
    '0127.0.0.1:8767',
    '0x7f.1:8767',
    '0x7f000001:9999',
    '2130706433:9999',
    '0.0.0.0:8767',
    'localhost.:8767',
    'localhost.evil.example:8767',
    'localhost.localdomain:8767',
    'foo.localhost:8767',
    'localhosts:8767',
    'xlocalhost:8767',
    'lvh.me:9999',
    '[::ffff:127.0.0.1]:8767',
    '[::ffff:7f00:1]:9999',
    '[0:0:0:0:0:0:0:1]:8767',
    '[::]:8767',
    '[::2]:8767',
    '[::1%25lo]:8767',
    '::1',
    '::1:8767',
    '[::1]x:8767',
    'evil.example:8767@127.0.0.1:8767',
    '127.0.0.1:8767, evil.example',
    '[::1',
    ':8767',
    ':9999',
    ' ',
    '%00',
    'ｌocalhost:8767',
    `${'a'.repeat(8000)}:8767`,
  ])('refuses %j', async (host) => {
    for (const url of ['/api/v2/health', '/', '/demo/v2/', '/openapi.json', '/nothing', '/%ff']) {
      const response = await server.ask('GET', url, { headers: { host: Buffer.from(host).toString('latin1') } });
      expectError(response, 'host_not_allowed');
      expect(response.headers['access-control-allow-origin']).toBeUndefined();
    }
  });

  it('comes before everything else', async () => {
    const headers = { host: 'evil.example', origin: 'https://evil.example', 'content-type': 'text/plain' };
    expectError(await server.ask('POST', '/nothing', { headers, payload: 'x'.repeat(70_000) }), 'host_not_allowed');
    const preflight = { ...headers, 'access-control-request-method': 'POST' };
    expectError(await server.ask('OPTIONS', '/api/v2/open', { headers: preflight }), 'host_not_allowed');
  });

  it('refuses the wildcard address as a name', async () => {
    const other = await testApp({ host: '0.0.0.0', token: 't', roots: ['/data'] });
    expectError(await other.ask('GET', '/api/v2/health', { headers: { host: '0.0.0.0:8767' } }), 'host_not_allowed');
  });

  it('accepts an allowed origin that is written with capitals and the default port', async () => {
    const other = await testApp({ allowOrigins: ['https://Lab.Example:443', 'http://a.example:80'] });
    for (const origin of ['https://lab.example', 'http://a.example']) {
      expect((await other.ask('GET', '/api/v2/health', { headers: { origin } })).statusCode).toBe(200);
    }
  });

  it('accepts the address that the server is bound to', async () => {
    const other = await testApp({ host: '192.0.2.7', token: 't', roots: ['/data'] });
    const at = (host: string) => other.ask('GET', '/api/v2/health', { headers: { host } });
    expect((await at('192.0.2.7:8767')).statusCode).toBe(200);
    expectError(await at('192.0.2.8:8767'), 'host_not_allowed');
    expectError(await at('192.0.2.7:9999'), 'host_not_allowed');
  });

  it('accepts a loopback address that the server is bound to, at any port', async () => {
    const other = await testApp({ host: '127.0.0.5' });
    const at = (host: string) => other.ask('GET', '/api/v2/health', { headers: { host } });
    for (const host of ['127.0.0.5:8767', '127.0.0.5:9999', '127.0.0.1:9999']) {
      expect((await at(host)).statusCode).toBe(200);
    }
    expectError(await at('127.0.0.6:8767'), 'host_not_allowed');
  });

  it('takes only the page at the same tunnel for its own', async () => {
    const from = async (origin: string, host: string) =>
      (await server.ask('GET', '/api/v2/health', { headers: { host, origin } })).headers[
        'cross-origin-resource-policy'
      ];
    expect(await from('http://localhost:9999', 'localhost:9999')).toBe('same-origin');
    expect(await from('http://localhost:9998', 'localhost:9999')).toBe('cross-origin');
    expect(await from('http://localhost:9999', '127.0.0.1:9999')).toBe('cross-origin');
    const headers = { host: 'localhost:9999', origin: 'http://localhost.evil.example:9999' };
    expectError(await server.ask('GET', '/api/v2/health', { headers }), 'origin_not_allowed');
  });
});

const TRUSTED = [
  'http://127.0.0.1:8767',
  'http://localhost:5173',
  'http://localhost',
  'http://[::1]:3000',
  'https://lab.example',
  'https://a.wild.example',
  'https://a.b.wild.example',
];
const FOREIGN = [
  'https://evil.example',
  'http://lab.example',
  'https://lab.example:8443',
  'https://lab.example.evil.example',
  'https://wild.example',
  'https://evilwild.example',
  'https://evil.example/.wild.example',
  'https://evil.example#.wild.example',
  'https://.wild.example',
  'http://a.wild.example',
  'http://localhost.evil.example',
  'http://localhost@evil.example',
  'http://127.0.0.1.evil.example',
  'https://localhost:9999',
  'http://0.0.0.0:8767',
  'file://',
  'chrome-extension://abcdef',
  'NULL',
  '',
  'http://localhost:5173, https://evil.example',
];

describe('the Origin check', () => {
  it.each(TRUSTED)('accepts %s by its exact name', async (origin) => {
    const response = await server.ask('POST', '/api/v2/open', { headers: { origin }, body: { path: '/a.tif' } });
    expect(response.statusCode, response.body).toBe(200);
    expect(response.headers['access-control-allow-origin']).toBe(origin);
    expect(response.headers['access-control-allow-credentials']).toBeUndefined();
    expect(response.headers.vary).toBe('Origin');
    const own = origin === `http://${HOST}`;
    expect(response.headers['cross-origin-resource-policy']).toBe(own ? 'same-origin' : 'cross-origin');
  });

  it.each(FOREIGN)('refuses %j everywhere', async (origin) => {
    const { sessionId } = (await server.ask('POST', '/api/v2/open', { body: { path: '/a.tif' } })).json();
    const opened = server.sessions.opened.length;
    const picked = server.picker.requests.length;
    for (const [method, url] of [
      ['GET', '/api/v2/health'],
      ['GET', '/api/v2/examples'],
      ['POST', '/api/v2/open'],
      ['POST', '/api/v2/pick-and-open'],
      ['GET', `/api/v2/sessions/${sessionId}`],
      ['GET', `/api/v2/sessions/${sessionId}/channels/0/data`],
      ['DELETE', `/api/v2/sessions/${sessionId}`],
      ['GET', '/nothing'],
      ['GET', '/%ff'],
    ] as const) {
      const response = await server.ask(method, url, {
        headers: { origin },
        ...(method === 'POST' ? { body: { path: '/a' } } : {}),
      });
      expectError(response, 'origin_not_allowed');
      expect(response.headers['access-control-allow-origin']).toBeUndefined();
      expect(response.headers['cross-origin-resource-policy']).toBe('same-origin');
    }
    expect([server.sessions.opened.length, server.picker.requests.length]).toEqual([opened, picked]);
    expect((await server.ask('GET', `/api/v2/sessions/${sessionId}`)).statusCode).toBe(200);
  });

  it('uses the fetch metadata without an Origin', async () => {
    const from = (site: string) => server.ask('GET', '/api/v2/health', { headers: { 'sec-fetch-site': site } });
    for (const site of ['none', 'same-origin', 'same-site']) expect((await from(site)).statusCode).toBe(200);
    expectError(await from('cross-site'), 'origin_not_allowed');
  });

  const PAGES = ['/', '/docs', '/docs/', '/demo/v2', '/demo/v2/', '/demo', '/demo/', '/demo/index.html'];
  const NAVIGATION = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

  it.each(PAGES)('lets other sites link to %s', async (url) => {
    const response = await server.ask('GET', url, { headers: { ...NAVIGATION, accept: 'text/html' } });
    expect([200, 302]).toContain(response.statusCode);
  });

  it('lets only the viewer be shown in a frame, where its policy is for the browser to keep', async () => {
    const headers = { ...NAVIGATION, 'sec-fetch-dest': 'iframe' };
    for (const url of PAGES.filter((page) => page !== '/demo/v2/')) {
      expectError(await server.ask('GET', url, { headers }), 'origin_not_allowed');
    }
    const viewer = await server.ask('GET', '/demo/v2/', { headers });
    expect(viewer.statusCode).toBe(200);
    const who = async (over: Parameters<typeof testApp>[0]) => {
      const { ask } = await testApp(over);
      const { headers: told } = await ask('GET', '/demo/v2/');
      return /frame-ancestors (.*)$/.exec(String(told['content-security-policy']))?.[1];
    };
    const computer = 'http://127.0.0.1:* http://localhost:* vscode-webview: vscode-file:';
    const allowOrigins = ['https://*.wild.example', 'http://[::1]:3000'];
    expect(await who({ allowOrigins })).toBe(`'self' ${computer} https://*.wild.example`);
    // The frame may have a token, which the page around it lacks.
    expect(await who({ token: 'a-token-of-the-lab', allowOrigins })).toBe(`'self' https://*.wild.example`);
    expect(await who({ token: 'a-token-of-the-lab', host: '0.0.0.0' })).toBe(`'self'`);
  });

  it.each([
    ['an embedded object', { 'sec-fetch-dest': 'object' }],
    ['a request of a script', { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'empty' }],
    ['an image', { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }],
    ['a form', { origin: 'https://evil.example' }],
    ['a form without an origin', { origin: 'null' }],
  ])('refuses %s of another site', async (_what, headers) => {
    for (const url of PAGES) {
      expectError(await server.ask('GET', url, { headers: { ...NAVIGATION, ...headers } }), 'origin_not_allowed');
    }
  });

  it('refuses links of other sites to other addresses and with other methods', async () => {
    const headers = NAVIGATION;
    const assets = listPages('docs').map((name) => `/docs/${name}`);
    for (const url of ['/api/v2', '/api/v2/health', '/openapi.json', '/nothing', '/%ff', ...assets]) {
      expectError(await server.ask('GET', url, { headers }), 'origin_not_allowed');
    }
    for (const url of PAGES) {
      expect((await server.ask('HEAD', url, { headers })).statusCode).toBe(403);
      expectError(await server.ask('POST', url, { headers }), 'origin_not_allowed');
    }
  });

  it('lets allowed pages read errors', async () => {
    const response = await server.ask('GET', `/api/v2/sessions/${ID}`, { headers: { origin: 'http://localhost:1' } });
    expectError(response, 'session_not_found');
    expect(response.headers['access-control-allow-origin']).toBe('http://localhost:1');
    expect(response.headers['access-control-expose-headers']).toBe(
      'Accept-Ranges, Content-Length, Content-Range, Retry-After, Server-Timing, X-Array-Dtype, X-Array-Shape, X-Request-Id',
    );
  });
});

const CONSENT = [
  ['GET', '/api/v2'],
  ['GET', '/api/v2/health'],
  ['GET', '/api/v2/capabilities'],
  ['POST', '/api/v2/pick-and-open'],
  ['GET', '/api/v2/sessions/:id'],
  ['HEAD', '/api/v2/sessions/:id/channels/0/data'],
  ['GET', '/api/v2/sessions/:id/channels/0/data'],
  ['GET', '/api/v2/sessions/:id/reference/channels/0/data'],
  ['POST', '/api/v2/sessions/:id/renew'],
  ['DELETE', '/api/v2/sessions/:id'],
] as const;
const NO_CONSENT = [
  ['POST', '/api/v2/open'],
  ['GET', '/api/v2/examples'],
  ['GET', '/openapi.json'],
  ['GET', '/docs'],
  ['GET', '/'],
  ['GET', '/nothing'],
] as const;

describe('Origin: null', () => {
  const headers = { origin: 'null' };

  it.each(CONSENT)('allows %s %s', async (method, pattern) => {
    const { sessionId } = (await server.ask('POST', '/api/v2/pick-and-open', { headers })).json();
    const url = pattern.replace(':id', sessionId);
    const response = await server.ask(method, url, { headers });
    expect(response.statusCode, response.body).toBe(200);
    expect(response.headers['access-control-allow-origin']).toBe('null');
    const preflight = { ...headers, 'access-control-request-method': method };
    expect((await server.ask('OPTIONS', url, { headers: preflight })).statusCode).toBe(204);
  });

  it.each(NO_CONSENT)('refuses %s %s', async (method, url) => {
    const opened = server.sessions.opened.length;
    const response = await server.ask(method, url, { headers, ...(method === 'POST' ? { body: { path: '/a' } } : {}) });
    expectError(response, 'origin_not_allowed');
    expect(response.headers['access-control-allow-origin']).toBeUndefined();
    const preflight = { ...headers, 'access-control-request-method': method };
    expectError(await server.ask('OPTIONS', url, { headers: preflight }), 'origin_not_allowed');
    expect(server.sessions.opened.length).toBe(opened);
  });

  it('opens by path with --allow-file-pages', async () => {
    const trusting = await testApp({ allowFilePages: true });
    expect((await trusting.ask('POST', '/api/v2/open', { headers, body: { path: '/a' } })).statusCode).toBe(200);
    expect((await trusting.ask('GET', '/api/v2/examples', { headers })).statusCode).toBe(200);
  });
});

describe('preflight', () => {
  it.each(['/api/v2/open', '/api/v2/nothing', '/api/v2/%ff'])('is answered once: %s', async (address) => {
    const warnings: string[] = [];
    const logger = pino({ level: 'warn' }, { write: (line) => warnings.push(line) });
    const logged = await testApp({}, { logger });
    const headers = { origin: 'http://localhost:5173', 'access-control-request-method': 'POST' };
    expect((await logged.ask('OPTIONS', address, { headers })).statusCode).toBe(204);
    await new Promise(setImmediate);
    expect(warnings).toEqual([]);
  });

  const preflight = (app: TestApp, origin: string, more: Record<string, string> = {}) =>
    app.ask('OPTIONS', '/api/v2/open', { headers: { origin, 'access-control-request-method': 'POST', ...more } });

  it('accepts allowed pages', async () => {
    const response = await preflight(server, 'http://localhost:5173', {
      'access-control-request-headers': 'content-type',
    });
    expect(response.statusCode).toBe(204);
    expect(response.body).toBe('');
    expect(response.headers).toMatchObject({
      'access-control-allow-origin': 'http://localhost:5173',
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'Authorization, Content-Type, Range',
      vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
    });
    expect(response.headers['access-control-allow-private-network']).toBeUndefined();
  });

  it.each(['private-network', 'local-network'])('lets allowed pages reach the %s', async (network) => {
    const asked = { [`access-control-request-${network}`]: 'true' };
    const allowed = await preflight(server, 'https://lab.example', asked);
    expect(allowed.headers[`access-control-allow-${network}`]).toBe('true');
    const refused = await preflight(server, 'https://evil.example', asked);
    expectError(refused, 'origin_not_allowed');
    expect(refused.headers[`access-control-allow-${network}`]).toBeUndefined();
  });

  it('requires no token', async () => {
    const remote = await testApp({ host: '0.0.0.0', token: 'secret', roots: ['/data'], allowHosts: ['127.0.0.1'] });
    expect((await preflight(remote, 'http://localhost:1')).statusCode).toBe(204);
  });
});

describe('the token', () => {
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

  it('is optional on this computer, but a wrong one is refused', async () => {
    const local = await testApp({ token: 'secret' });
    expect((await local.ask('POST', '/api/v2/open', { body: { path: '/a' } })).statusCode).toBe(200);
    for (const authorization of ['Bearer wrong', 'Bearer secret2', 'Bearer', 'Basic c2VjcmV0', 'secret']) {
      const response = await local.ask('GET', '/api/v2/capabilities', { headers: { authorization } });
      expectError(response, 'unauthorized');
      expect(response.headers['www-authenticate']).toBe('Bearer');
    }
    expect((await local.ask('GET', '/api/v2/capabilities', { headers: bearer('secret') })).statusCode).toBe(200);
    expect(
      (await local.ask('GET', '/api/v2/capabilities', { headers: { authorization: 'bearer secret' } })).statusCode,
    ).toBe(200);
  });

  it('is ignored by a server without a token', async () => {
    expect((await server.ask('GET', '/api/v2/health', { headers: bearer('any') })).statusCode).toBe(200);
    const headers = { origin: 'https://evil.example', ...bearer('') };
    expectError(await server.ask('GET', '/api/v2/health', { headers }), 'origin_not_allowed');
  });

  it.each(['null', 'https://anywhere.example'])('lets pages from %s do everything', async (origin) => {
    const local = await testApp({ token: 'secret' });
    const open = (headers: Record<string, string>) =>
      local.ask('POST', '/api/v2/open', { headers: { origin, ...headers }, body: { path: '/a' } });
    const allowed = await open(bearer('secret'));
    expect(allowed.statusCode).toBe(200);
    expect(allowed.headers['access-control-allow-origin']).toBe(origin);
    expectError(await open(bearer('wrong')), 'origin_not_allowed');
    expectError(await open({}), 'origin_not_allowed');
    const ask = (names: string) =>
      local.ask('OPTIONS', '/api/v2/open', {
        headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': names },
      });
    expect((await ask('authorization,content-type')).statusCode).toBe(204);
    expectError(await ask('content-type'), 'origin_not_allowed');
  });

  it('is required from other computers for everything but pages, index and health', async () => {
    const remote = await testApp({ host: '0.0.0.0', token: 'secret', roots: ['/data'] });
    for (const url of ['/api/v2/capabilities', '/api/v2/examples', `/api/v2/sessions/${ID}`, '/nothing']) {
      const response = await remote.ask('GET', url);
      expectError(response, 'unauthorized');
      expect(response.headers['www-authenticate']).toBe('Bearer');
      expect((await remote.ask('GET', url, { headers: bearer('secret') })).statusCode).not.toBe(401);
    }
    expectError(await remote.ask('POST', '/api/v2/open', { body: { path: '/a' } }), 'unauthorized');
    for (const url of ['/api/v2', '/api/v2/health', '/docs', '/openapi.json']) {
      expect((await remote.ask('GET', url)).statusCode, url).toBe(200);
    }
  });
});

describe('order of checks', () => {
  const bad = { origin: 'https://evil.example', authorization: 'Bearer wrong', 'content-type': 'text/plain' };
  const big = 'x'.repeat(70_000);

  it('reports only the first failed check', async () => {
    const { ask } = await testApp({ token: 'secret' });
    const steps: [code: Parameters<typeof expectError>[1], headers: Record<string, string>, url: string][] = [
      ['host_not_allowed', { ...bad, host: 'evil.example' }, '/nothing'],
      ['origin_not_allowed', bad, '/nothing'],
      ['unauthorized', { ...bad, origin: 'http://localhost' }, '/nothing'],
      ['unsupported_media_type', { 'content-type': 'text/plain' }, '/nothing'],
      ['payload_too_large', { 'content-type': 'application/json' }, '/nothing'],
    ];
    for (const [code, headers, url] of steps) expectError(await ask('POST', url, { headers, payload: big }), code);
    const json = { 'content-type': 'application/json' };
    expectError(await ask('POST', '/nothing', { headers: json, payload: '{' }), 'not_found');
    expectError(await ask('POST', '/api/v2/health', { headers: json, payload: '{' }), 'method_not_allowed');
    expectError(await ask('POST', '/api/v2/open', { headers: json, payload: '{' }), 'request_validation_failed');
    expectError(
      await ask('POST', '/api/v2/open', { body: { path: '/path_not_allowed', x: 1 } }),
      'request_validation_failed',
    );
    expectError(await ask('POST', '/api/v2/open', { body: { path: '/path_not_allowed' } }), 'path_not_allowed');
  });
});

describe('headers', () => {
  it('allow pages only their own resources and no frames of other sites', async () => {
    const page = await server.ask('GET', '/docs');
    expect(page.headers['content-security-policy']).toContain("frame-ancestors 'self'");
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    expect(page.headers['content-security-policy']).not.toContain('unsafe');
    expect(page.headers['cross-origin-opener-policy']).toBe('same-origin');
  });

  it('keep browsers from showing API responses as pages', async () => {
    const { headers } = await server.ask('GET', '/api/v2/health');
    expect(headers['content-security-policy']).toBe("default-src 'none'; frame-ancestors 'none'");
  });

  it('give every file of the pages a type', async () => {
    for (const [folder, base] of [
      ['docs', '/docs'],
      ['dist', '/demo/v2'],
    ] as const) {
      for (const name of listPages(folder)) {
        const url = `${base}/${name}`.replace(/docs\/index.html$/, 'docs').replace(/index.html$/, '');
        const response = await server.ask('GET', url);
        expect(response.statusCode, url).toBe(200);
        expect(response.headers['content-type'], url).toMatch(
          /^(text\/(html|css|javascript|plain)|image\/(svg|webp)|application\/wasm)/,
        );
        // The worker that reads files compiles its loops.
        const policy = String(response.headers['content-security-policy']);
        expect(policy.includes("'wasm-unsafe-eval'"), url).toBe(/assets\/worker-/.test(name));
        expect(policy, url).not.toContain("'unsafe");
        expect(response.headers['x-content-type-options']).toBe('nosniff');
        // Names with a hash of their content are for ever.
        const forever = name.startsWith('assets/');
        expect(response.headers['cache-control'], url).toMatch(forever ? /immutable/ : /^no-cache$/);
      }
    }
    expect(listPages('dist').filter((name) => name.startsWith('assets/')).length).toBeGreaterThan(1);
  });

  it('are set on the placeholder of a page that was not built', async () => {
    const folders = { ...testDependencies().folders, demo: pagesOnDisk('/no/such/folder') };
    const bare = await testApp({}, { folders });
    const response = await bare.ask('GET', '/demo/v2/');
    expect(response.statusCode).toBe(503);
    expect(response.headers['content-type']).toContain('text/plain');
    expect(response.body).toContain('npm run build');
    await bare.app.close();
  });
});

function listPages(folder: string): string[] {
  try {
    const root = new URL(`../../packages/viewer/${folder}/`, import.meta.url);
    return (readdirSync(root, { recursive: true }) as string[]).filter((name) => name.includes('.'));
  } catch {
    return [];
  }
}
