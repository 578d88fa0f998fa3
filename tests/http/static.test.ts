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
    const viewer = await ask('GET', '/demo/v2/');
    const page = await ask('GET', '/demo/');
    expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.body).toContain('<title>Demo of API v1</title>');
    for (const name of ['content-security-policy', 'cross-origin-opener-policy', 'x-content-type-options']) {
      expect(page.headers[name], name).toBe(viewer.headers[name]);
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
