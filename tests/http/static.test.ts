/** Pages and the document: made once, the document when it is first asked for, and held in memory. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { pagesOnDisk } from '../../packages/server/src/page-folder.js';
import { testApp, testDependencies } from '../support/test-app.js';

describe('static content', () => {
  it('creates the OpenAPI document once', async () => {
    const { ask } = await testApp();
    const stringify = vi.spyOn(JSON, 'stringify');
    const bodies = new Set<string>();
    for (let i = 0; i < 5; i++) bodies.add((await ask('GET', '/openapi.json')).body);
    const made = stringify.mock.calls.filter(([value]) => Object.hasOwn(Object(value), 'openapi'));
    stringify.mockRestore();
    expect(made).toHaveLength(1);
    expect(bodies.size).toBe(1);
  });

  it.each(['/openapi.json', '/docs', '/demo/v2/', '/demo/'])(
    'answers 304 to a client that already has %s',
    async (url) => {
      const { ask } = await testApp();
      const first = await ask('GET', url);
      const etag = first.headers.etag as string;
      expect(etag).toMatch(/^"[\w-]{22}"$/);
      expect(first.headers['cache-control']).toBe('no-cache');
      for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const again = await ask('GET', url, { headers: { 'if-none-match': tag } });
        expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', etag]);
      }
      expect((await ask('GET', url, { headers: { 'if-none-match': '"other"' } })).body).toBe(first.body);
      const head = await ask('HEAD', url);
      expect([head.statusCode, head.headers.etag, head.headers['content-length']]).toEqual([
        200,
        etag,
        String(Buffer.byteLength(first.body)),
      ]);
    },
  );

  it('is served from memory after its folder was deleted', async () => {
    const demo = mkdtempSync(join(tmpdir(), 'pages-'));
    writeFileSync(join(demo, 'index.html'), '<!doctype html>here');
    const { ask } = await testApp({}, { folders: { ...testDependencies().folders, demo: pagesOnDisk(demo) } });
    rmSync(demo, { recursive: true });
    const { statusCode, body } = await ask('GET', '/demo/v2/');
    expect([statusCode, body]).toEqual([200, '<!doctype html>here']);
  });
});

describe('the files of a page', () => {
  const folder = (count: number) => {
    const files = Array.from({ length: count }, (_, i) => [`assets/part-${i}.js`, `export const at = ${i};`] as const);
    const bytes = new Map<string, string>([['index.html', '<!doctype html>'], ['notes.map', '{}'], ...files]);
    const read = vi.fn((name: string) => Buffer.from(bytes.get(name)!));
    return { names: () => [...bytes.keys()], read };
  };
  const withDemo = (demo: ReturnType<typeof folder>, options = {}) =>
    testApp(options, { folders: { ...testDependencies().folders, demo } });

  it('have one route, however many they are: a start pays for each', async () => {
    const [few, many] = [await withDemo(folder(1)), await withDemo(folder(100))];
    expect(many.app.printRoutes()).toBe(few.app.printRoutes());
    const { statusCode, headers, body } = await many.ask('GET', '/demo/v2/assets/part-99.js');
    expect([statusCode, headers['content-type'], body]).toEqual([
      200,
      'text/javascript; charset=utf-8',
      'export const at = 99;',
    ]);
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
  });

  it('are read once, when the server starts, and hashed when one is asked for', async () => {
    const demo = folder(3);
    const { ask } = await withDemo(demo);
    expect(demo.read.mock.calls.map(([name]) => name)).toEqual([
      'index.html',
      'assets/part-0.js',
      'assets/part-1.js',
      'assets/part-2.js',
    ]);
    const tags = [];
    for (let i = 0; i < 2; i++) tags.push((await ask('GET', '/demo/v2/assets/part-1.js')).headers.etag);
    expect(tags[0]).toMatch(/^"[\w-]{22}"$/);
    expect(tags[1]).toBe(tags[0]);
    expect(demo.read).toHaveBeenCalledTimes(4);
  });

  it.each([
    'other.js',
    'notes.map',
    'index.html',
    'assets',
    'assets/',
    'assets/..%2findex.html',
    '..%2f..%2fetc%2fpasswd',
  ])('do not have %s among them', async (name) => {
    const { ask } = await withDemo(folder(1));
    const { statusCode, body } = await ask('GET', `/demo/v2/${name}`);
    expect([statusCode, JSON.parse(body)]).toMatchObject([404, { error: 'not_found' }]);
  });

  it('are only read, also where there is none, and need no token', async () => {
    const { ask } = await withDemo(folder(1), { token: 'secret' });
    expect((await ask('GET', '/demo/v2/assets/part-0.js')).statusCode).toBe(200);
    for (const name of ['assets/part-0.js', 'other.js']) {
      const { headers } = await ask('OPTIONS', `/demo/v2/${name}`);
      expect(headers.allow, name).toBe('GET, HEAD, OPTIONS');
    }
  });
});

describe('a redirect', () => {
  it.each([
    ['/', 'demo/v2/'],
    ['/demo/v2', 'v2/'],
    ['/demo', 'demo/'],
    ['/docs/', '../docs'],
  ])('of %s keeps what is to be opened', async (address, target) => {
    const { ask } = await testApp();
    const headers = { accept: 'text/html' };
    for (const query of ['', '?path=%2Fdata%2Fa%3Fb.tif&T=3']) {
      const { statusCode, headers: answer } = await ask('GET', address + query, { headers });
      expect([statusCode, answer.location]).toEqual([302, target + query]);
    }
  });
});

describe('the demo of API v1', () => {
  it('is at its old addresses, with the policies of the other pages', async () => {
    const { ask } = await testApp();
    // The viewer has another policy, because other pages may show it in a frame.
    const docs = await ask('GET', '/docs');
    const page = await ask('GET', '/demo/');
    expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.body).toContain('<title>Demo of API v1</title>');
    for (const name of ['content-security-policy', 'cross-origin-opener-policy', 'x-content-type-options']) {
      expect(page.headers[name], name).toBe(docs.headers[name]);
    }
    expect((await ask('GET', '/demo/index.html')).body).toBe(page.body);
    const redirect = await ask('GET', '/demo');
    expect([redirect.statusCode, redirect.headers.location]).toEqual([302, 'demo/']);
    expect((await ask('GET', '/demo?path=a')).headers.location).toBe('demo/?path=a');
    const parts = testDependencies()
      .folders.demoV1.names()
      .filter((name) => name !== 'index.html');
    expect(parts).toHaveLength(3);
    for (const name of parts) expect((await ask('GET', `/demo-assets/${name}`)).statusCode, name).toBe(200);
    const missing = await ask('GET', '/demo-assets/other.js');
    expect([missing.statusCode, missing.json()]).toEqual([404, { detail: 'Not Found' }]);
  });

  it('is 404 with a detail when it was not built', async () => {
    const { ask } = await testApp(
      {},
      { folders: { ...testDependencies().folders, demoV1: pagesOnDisk('/nothing/here') } },
    );
    for (const url of ['/demo/', '/demo/index.html', '/demo-assets/index.js']) {
      const { statusCode, headers, body } = await ask('GET', url);
      expect([statusCode, headers['content-type']], url).toEqual([404, 'application/json; charset=utf-8']);
      expect(JSON.parse(body), url).toEqual({ detail: expect.any(String) });
    }
  });
});
