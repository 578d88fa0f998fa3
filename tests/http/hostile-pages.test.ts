import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { defaultOptions } from '../../packages/server/src/options.js';
import { listen, type RunningServer } from '../../packages/server/src/server/listen.js';
import { chromiumPath, launchBrowser } from '../support/browser.js';
import { type FakeSessions, fakeSessions } from '../support/fake-sessions.js';
import { LONG, some } from '../support/long.js';
import { type FakePicker, fakePicker, testDependencies } from '../support/test-app.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: hostile pages were not tested');

/** Addresses of an API below its base. */
interface Api {
  version: 'v1' | 'v2';
  /** What only trusted pages may read. */
  facts: string;
  data: (sessionId: string) => string;
}

const V2: Api = { version: 'v2', facts: 'examples', data: (id) => `sessions/${id}/channels/0/data` };
const V1: Api = { version: 'v1', facts: 'openapi.json', data: (id) => `session/${id}/channel/calcium` };
const APIS = [
  ['v2', V2],
  ['v1', V1],
] as const;
const NO_SESSION = '0'.repeat(32);

interface Target {
  api: string;
  facts: string;
  data: string;
}

/** Addresses of an API on the server at `base`. */
function targetOf(base: string, { version, facts, data }: Api, sessionId: string): Target {
  const api = `${base}/api/${version}`;
  return { api, facts: `${api}/${facts}`, data: `${api}/${data(sessionId)}` };
}

/** What a page can learn and do; runs inside the page. */
async function attack({ api, facts, data }: Target): Promise<Record<string, string>> {
  const json = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"path":"/secret.tif"}' };
  const read = async (url: string, init?: RequestInit) => {
    try {
      const response = await fetch(url, init);
      return response.type === 'opaque' ? 'opaque' : `${response.status} ${(await response.text()).slice(0, 40)}`;
    } catch {
      return 'blocked';
    }
  };
  const load = (tag: 'img' | 'script', url: string) =>
    new Promise<string>((resolve) => {
      const node = document.createElement(tag);
      node.onload = () => resolve('loaded');
      node.onerror = () => resolve('blocked');
      node.src = url;
      document.body.append(node);
    });
  return {
    open: await read(`${api}/open`, json),
    openSimple: await read(`${api}/open`, { ...json, headers: { 'content-type': 'text/plain' } }),
    openNoCors: await read(`${api}/open`, {
      ...json,
      mode: 'no-cors',
      headers: { 'content-type': 'text/plain' },
    }),
    openBlob: await read(`${api}/open`, {
      method: 'POST',
      mode: 'no-cors',
      body: new Blob(['{"path":"/secret.tif"}']),
    }),
    beacon: String(navigator.sendBeacon(`${api}/open`, new Blob(['{"path":"/secret.tif"}'], { type: 'text/plain' }))),
    pickNoCors: await read(`${api}/pick-and-open`, { method: 'POST', mode: 'no-cors' }),
    health: await read(`${api}/health`),
    facts: await read(facts),
    data: await read(data),
    image: await load('img', data),
    script: await load('script', data),
    scriptJson: await load('script', `${api}/health`),
  };
}

const FOREIGN_SITE = {
  open: 'blocked',
  openSimple: 'blocked',
  openNoCors: 'blocked',
  openBlob: 'blocked',
  beacon: 'true',
  pickNoCors: 'blocked',
  health: 'blocked',
  facts: 'blocked',
  data: 'blocked',
  image: 'blocked',
  script: 'blocked',
  scriptJson: 'blocked',
};

describe.runIf(available)('hostile pages in a browser', () => {
  let server: RunningServer;
  let evil: Server;
  let evilUrl: string;
  let browser: Browser;
  let page: Page;
  let sessions: FakeSessions;
  let picker: FakePicker;
  /** Sessions of v1 and v2. */
  let ids: Record<Api['version'], string>;
  const folder = mkdtempSync(join(tmpdir(), 'hostile-'));
  const pages = new Map<string, string>();

  beforeAll(async () => {
    sessions = fakeSessions();
    picker = fakePicker();
    server = await listen({ ...defaultOptions(), port: 0 }, { ...testDependencies(), sessions, picker });
    evil = createServer((request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(pages.get(request.url ?? '') ?? '<!doctype html><body>evil');
    });
    await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve));
    evilUrl = `http://evil.example:${(evil.address() as AddressInfo).port}`;
    browser = await launchBrowser({ '*.example': '127.0.0.1', '*.nip.io': '127.0.0.1' });
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
    evil.close();
    rmSync(folder, { recursive: true });
  });
  beforeEach(async () => {
    await page?.close();
    page = await browser.newPage();
    const open = async (api: Api['version']) =>
      (await sessions.open({ path: '/own.tif', options: {}, picked: false, api })).sessionId;
    ids = { v1: await open('v1'), v2: await open('v2') };
    sessions.opened.splice(0);
    picker.requests.splice(0);
  });
  const untouched = () => {
    expect(sessions.opened).toEqual([]);
    expect(picker.requests).toEqual([]);
    expect(sessions.decodes).toBe(0);
  };

  it.each(APIS)('the attack on %s is real: it succeeds from a page of this computer', async (_, api) => {
    await page.goto(`${evilUrl.replace('evil.example', 'localhost')}/`);
    const result = await page.evaluate(attack, targetOf(server.url, api, ids[api.version]));
    for (const name of ['open', 'health', 'facts', 'data']) expect(result[name], name).toMatch(/^200 /);
    // v1 takes bodies of any type from pages that may send them.
    expect(result['openSimple']).toMatch(api === V1 ? /^200 \{"ok":true/ : /^415 /);
    expect(sessions.opened.length).toBeGreaterThan(0);
    sessions.decodes = 0;
  });

  it.each(APIS)('another site cannot use %s', async (_, api) => {
    await page.goto(`${evilUrl}/`);
    const result = await page.evaluate(attack, targetOf(server.url, api, ids[api.version]));
    expect(result).toEqual({
      ...FOREIGN_SITE,
      openNoCors: expect.any(String),
      openBlob: expect.any(String),
      pickNoCors: expect.any(String),
    });
    // What is not blocked is at least opaque: nothing was read, and below: nothing was done.
    for (const name of ['openNoCors', 'openBlob', 'pickNoCors']) expect(['opaque', 'blocked']).toContain(result[name]);
    untouched();
  });

  it.each(APIS)('a site whose name was rebound to this computer cannot use %s', async (_, api) => {
    const port = new URL(server.url).port;
    const base = `http://rebound.example:${port}`;
    const response = await page.goto(`${base}/`);
    expect(response?.status()).toBe(403);
    const result = await page.evaluate(attack, targetOf(base, api, ids[api.version]));
    for (const [name, answer] of Object.entries(result)) {
      if (name !== 'beacon')
        expect(answer, name).toMatch(/^(403 \{"ok":false,"error":"host_not_allowed"|blocked|opaque)/);
    }
    untouched();
  });

  it.each(some(['rebound.example', 'localhost.evil.example', '127.0.0.1.nip.io', 'foo.localhost'], 4))(
    'a site called %s cannot use the server through a tunnel at another port',
    async (name) => {
      const tunnel = createTcpServer((socket) => {
        const onward = connect({ host: '127.0.0.1', port: server.port });
        for (const end of [socket, onward]) end.on('error', () => [socket, onward].map((one) => one.destroy()));
        socket.pipe(onward).pipe(socket);
      });
      await new Promise<void>((resolve) => tunnel.listen(0, '127.0.0.1', resolve));
      try {
        const { port } = tunnel.address() as AddressInfo;
        const own = await page.goto(`http://localhost:${port}/docs`);
        expect(own?.status()).toBe(200);
        const base = `http://${name}:${port}`;
        expect((await page.goto(`${base}/docs`))?.status()).toBe(403);
        const result = await page.evaluate(attack, targetOf(base, V2, ids.v2));
        for (const [what, answer] of Object.entries(result)) {
          if (what !== 'beacon')
            expect(answer, what).toMatch(/^(403 \{"ok":false,"error":"host_not_allowed"|blocked|opaque)/);
        }
        untouched();
      } finally {
        await page.close();
        tunnel.close();
      }
    },
  );

  it.each(APIS)('a form of another site cannot use %s', async (version) => {
    for (const type of ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain']) {
      pages.set(
        '/form',
        `<!doctype html><form method="post" enctype="${type}" action="${server.url}/api/${version}/open">
        <input name='{"path":"/secret.tif","x":"' value='"}'></form><script>document.forms[0].submit()</script>`,
      );
      const [response] = await Promise.all([
        page.waitForResponse((answer) => answer.url() === `${server.url}/api/${version}/open`),
        page.goto(`${evilUrl}/form`),
      ]);
      expect(response.status()).toBe(403);
    }
    // Its origin is null, like that of a local HTML file.
    pages.set('/framed', `<!doctype html><iframe sandbox="allow-scripts allow-forms" src="/form"></iframe>`);
    const [sandboxed] = await Promise.all([
      page.waitForResponse((answer) => answer.url().endsWith('/open')),
      page.goto(`${evilUrl}/framed`),
    ]);
    expect(sandboxed.request().headers()['origin']).toBe('null');
    expect(sandboxed.request().postDataJSON()).toEqual({ path: '/secret.tif', x: '=' });
    expect(sandboxed.status()).toBe(403);
    pages.set(
      '/pick',
      `<!doctype html><form method="post" action="${server.url}/api/${version}/pick-and-open"></form><script>document.forms[0].submit()</script>`,
    );
    const [pick] = await Promise.all([
      page.waitForResponse((answer) => answer.url().endsWith('/pick-and-open')),
      page.goto(`${evilUrl}/pick`),
    ]);
    expect(pick.status()).toBe(403);
    untouched();
  });

  it('a frame cannot show the pages of this server', async () => {
    pages.set(
      '/frame',
      `<!doctype html><iframe src="${server.url}/docs"></iframe><iframe src="${server.url}/demo/v2/"></iframe>
      <iframe src="${server.url}/demo/"></iframe>`,
    );
    await page.goto(`${evilUrl}/frame`, { waitUntil: 'networkidle' });
    const titles = await Promise.all(
      page
        .frames()
        .slice(1)
        .map((frame) => frame.evaluate(() => document.title).catch(() => 'unreachable')),
    );
    expect(titles).toHaveLength(3);
    for (const title of titles) expect(title).not.toMatch(/Acquisition|Demo/);
  });

  it.each(APIS)('a sandboxed frame of another site gets no path, data or page of %s', async (_, api) => {
    pages.set('/sandbox', `<!doctype html><iframe sandbox="allow-scripts" srcdoc="<body>"></iframe>`);
    await page.goto(`${evilUrl}/sandbox`);
    const frame = page.frames()[1];
    const result = await frame?.evaluate(attack, targetOf(server.url, api, NO_SESSION));
    for (const name of ['open', 'openSimple', 'facts']) expect(result?.[name], name).toBe('blocked');
    for (const name of ['openNoCors', 'openBlob']) expect(['opaque', 'blocked']).toContain(result?.[name]);
    // Cannot be told from a local HTML file: the consent half only, and there is no session it was given.
    expect(result?.['data']).not.toMatch(/^200/);
    expect(sessions.opened.filter(({ picked }) => !picked)).toEqual([]);
    expect(sessions.decodes).toBe(0);
  });

  it('a sandboxed frame of another site cannot open one dialog after another', async () => {
    const cancelling = fakePicker();
    cancelling.next = { status: 'cancelled', reason: 'user' };
    const own = await listen({ ...defaultOptions(), port: 0 }, { ...testDependencies(), sessions, picker: cancelling });
    // Half of the dialogs are left at once, as a frame does that wants the next one.
    const bomb = async (base: string) => {
      for (let i = 0; i < 30; i++) {
        const leave = new AbortController();
        const init = { method: 'POST', mode: 'no-cors' as const, signal: leave.signal };
        const version = i % 3 === 0 ? 'v1' : 'v2';
        const answer = fetch(`${base}/api/${version}/pick-and-open`, init).catch(() => {});
        if (i % 2 === 1) setTimeout(() => leave.abort(), 50);
        await answer;
      }
    };
    pages.set('/bomb', `<!doctype html><iframe sandbox="allow-scripts" srcdoc="<body>"></iframe>`);
    await page.goto(`${evilUrl}/bomb`);
    await page.frames()[1]?.evaluate(bomb, own.url);
    expect(cancelling.requests).toHaveLength(1);
    expect(cancelling.requests[0]?.title).toContain('a page without an address');
    // The pages of this server are not kept waiting.
    await page.goto(`${own.url}/docs`);
    await page.evaluate(bomb, own.url);
    expect(cancelling.requests).toHaveLength(31);
    await own.close();
  });

  it('a local HTML file can only pick files and read what the user picked', async () => {
    const path = join(folder, 'page.html');
    writeFileSync(path, '<!doctype html><body>local');
    await page.goto(pathToFileURL(path).href);
    const refused = await page.evaluate(attack, targetOf(server.url, V2, NO_SESSION));
    expect(refused['open']).toBe('blocked');
    expect(refused['facts']).toBe('blocked');
    expect(refused['health']).toBe('200 {"ok":true,"apiVersion":"v2"}');
    sessions.opened.splice(0);
    picker.requests.splice(0);

    const picked = await page.evaluate(async (base) => {
      const json = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"channelIndices":[0]}' };
      const opened = await (await fetch(`${base}/api/v2/pick-and-open`, json)).json();
      const bytes = await (await fetch(base + opened.channels[0].dataUrl)).arrayBuffer();
      const status = await (await fetch(`${base}/api/v2/sessions/${opened.sessionId}`)).json();
      const gone = await (await fetch(`${base}/api/v2/sessions/${opened.sessionId}`, { method: 'DELETE' })).json();
      return { path: opened.source.path, length: bytes.byteLength, total: status.totalBytes, deleted: gone.deleted };
    }, server.url);
    expect(picked).toEqual({ path: '/picked.tif', length: 60, total: 180, deleted: true });
    expect(sessions.opened).toMatchObject([{ path: '/picked.tif', picked: true }]);
    expect(picker.requests[0]?.title).toContain('a local HTML file');
    sessions.decodes = 0;
  });

  /** Where a click on the only link or button of a page of another site leads. */
  const click = async (html: string) => {
    pages.set('/click', `<!doctype html>${html}`);
    await page.goto(`${evilUrl}/click`);
    const [response] = await Promise.all([
      page.waitForResponse((answer) => answer.url().startsWith(server.url)),
      page.click('a, button'),
    ]);
    return response;
  };
  const link = (path: string, more = '') => `<a ${more} href="${server.url}${path}">look</a>`;

  it('a link on another site opens a page without any effect', async () => {
    for (const path of [
      '/docs',
      '/demo/',
      '/demo/v2/',
      '/demo/v2/?path=/secret.tif',
      '/demo/v2/?path=/secret.tif#view=e30',
    ]) {
      expect((await click(link(path))).status(), path).toBe(200);
      await page.waitForLoadState('networkidle');
    }
    expect((await click(link('/'))).status()).toBe(302);
    await page.waitForURL(`${server.url}/demo/v2/`);
    untouched();
  });

  it('a page opened by another site cannot be reached from its opener', async () => {
    const opening = `window.w = window.open('${server.url}/demo/v2/?path=/secret.tif', 'viewer')`;
    pages.set('/opener', `<!doctype html><button onclick="${opening}">look</button>`);
    await page.goto(`${evilUrl}/opener`);
    const opened = page.context().waitForEvent('page');
    await page.click('button');
    const viewer = await opened;
    await viewer.getByRole('button', { name: 'Open this file' }).waitFor();
    const reached = await page.evaluate(() => {
      const { w } = globalThis as unknown as { w: Window };
      return { closed: w.closed, frames: w.length };
    });
    // Opened from another group of windows: to its opener it is gone, and cannot be steered.
    expect(reached).toEqual({ closed: true, frames: 0 });
    expect(await viewer.evaluate(() => window.opener)).toBeNull();
    await viewer.close();
    untouched();
  });

  it.runIf(LONG)('a link on another site opens nothing but pages', async () => {
    for (const path of [
      '/api/v2',
      '/api/v2/health',
      '/api/v2/examples',
      '/api/v1/health',
      `/api/v1/${V1.data(ids.v1)}`,
      '/openapi.json',
      '/docs/docs.js',
      '/nothing',
    ]) {
      const response = await click(link(path));
      expect(response.status(), path).toBe(403);
      expect((await response.json()).error, path).toBe('origin_not_allowed');
    }
    const form = (method: string, path: string) =>
      `<form method="${method}" action="${server.url}${path}"><input name="path" value="/secret.tif"><button>go</button></form>`;
    for (const path of ['/api/v2/open', '/api/v1/open', '/docs', '/demo/v2/', '/demo/']) {
      expect((await click(form('post', path))).status(), path).toBe(403);
    }
    expect((await click(form('get', '/api/v2/capabilities'))).status()).toBe(403);
    untouched();
  });

  it('the address bar opens every address', async () => {
    expect((await page.goto(`${server.url}/docs`))?.status()).toBe(200);
    await page.goto(`${evilUrl}/`);
    expect((await page.goto(`${server.url}/docs`))?.status()).toBe(200);
  });
});
