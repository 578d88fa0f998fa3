/** Pages and the document: made once, and held in memory. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { testApp, testDependencies } from '../support/test-app.js';

describe('static content', () => {
  it('creates the OpenAPI document once', async () => {
    const { ask } = await testApp();
    const stringify = vi.spyOn(JSON, 'stringify');
    const bodies = new Set<string>();
    for (let i = 0; i < 5; i++) bodies.add((await ask('GET', '/openapi.json')).body);
    const made = stringify.mock.calls.filter(([value]) => Object.hasOwn(Object(value), 'openapi'));
    stringify.mockRestore();
    expect(made).toEqual([]);
    expect(bodies.size).toBe(1);
  });

  it.each(['/openapi.json', '/docs', '/demo/v2/'])('answers 304 to a client that already has %s', async (url) => {
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
  });

  it('is served from memory after its folder was deleted', async () => {
    const demo = mkdtempSync(join(tmpdir(), 'pages-'));
    writeFileSync(join(demo, 'index.html'), '<!doctype html>here');
    const { ask } = await testApp({}, { folders: { ...testDependencies().folders, demo } });
    rmSync(demo, { recursive: true });
    const { statusCode, body } = await ask('GET', '/demo/v2/');
    expect([statusCode, body]).toEqual([200, '<!doctype html>here']);
  });
});
