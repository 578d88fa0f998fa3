/** A slash at the end of an API address is ignored. */
import { describe, expect, it } from 'vitest';
import { Addresses } from '../../packages/server/src/server/addresses.js';
import { expectError, testApp } from '../support/test-app.js';

const server = await testApp();

async function openSession(): Promise<string> {
  return (await server.ask('POST', '/api/v2/open', { body: { path: '/a.tif' } })).json().sessionId;
}

describe('a slash at the end of an API address', () => {
  it.each([
    '/api/v2',
    '/api/v2/health',
    '/api/v2/capabilities',
    '/api/v2/examples',
    '/api/v2/folders',
    '/api/v1/health',
    '/api/v1/openapi.json',
  ])('is ignored: %s', async (address) => {
    const without = await server.ask('GET', address);
    const withSlash = await server.ask('GET', `${address}/`);
    expect([withSlash.statusCode, withSlash.json()]).toEqual([200, without.json()]);
  });

  it('is ignored before a query, and in addresses of a session', async () => {
    const id = await openSession();
    expect((await server.ask('GET', '/api/v2/folders/?path=/data')).json().path).toBe('/data');
    for (const method of ['GET', 'HEAD'] as const) {
      const data = await server.ask(method, `/api/v2/sessions/${id}/channels/0/data/`);
      expect([data.statusCode, data.headers['content-type']]).toEqual([200, 'application/octet-stream']);
    }
    expect((await server.ask('GET', `/api/v2/sessions/${id}/`)).json().sessionId).toBe(id);
    expect((await server.ask('DELETE', `/api/v2/sessions/${id}/`)).statusCode).toBe(200);
    expect((await server.ask('POST', '/api/v2/open/', { body: { path: '/a.tif' } })).json().ok).toBe(true);
  });

  it('is ignored by preflights, OPTIONS and 405', async () => {
    const preflight = { origin: 'http://localhost:1', 'access-control-request-method': 'POST' };
    const allowed = await server.ask('OPTIONS', '/api/v2/open/', { headers: preflight });
    expect([allowed.statusCode, allowed.headers['access-control-allow-methods']]).toEqual([204, 'POST']);
    const picking = { ...preflight, origin: 'null' };
    expect((await server.ask('OPTIONS', '/api/v2/pick-and-open/', { headers: picking })).statusCode).toBe(204);
    expectError(await server.ask('OPTIONS', '/api/v2/open/', { headers: picking }), 'origin_not_allowed');
    expect((await server.ask('OPTIONS', '/api/v2/open/')).headers.allow).toBe('POST, OPTIONS');
    const wrong = await server.ask('GET', '/api/v2/open/');
    expectError(wrong, 'method_not_allowed');
    expect(wrong.headers.allow).toBe('POST, OPTIONS');
  });

  it('passes no check: Host and Origin come first', async () => {
    const evil = { host: 'evil.example' };
    expectError(await server.ask('GET', '/api/v2/health/', { headers: evil }), 'host_not_allowed');
    expectError(await server.ask('POST', '/api/v2/open/', { headers: { origin: 'null' } }), 'origin_not_allowed');
    const text = { 'content-type': 'text/plain' };
    expectError(await server.ask('POST', '/api/v2/open/', { headers: text, payload: 'x' }), 'unsupported_media_type');
  });

  it.each(['/api/v2//', '/api/v2/health//', '/api/', '/api/v2/nothing/', '/openapi.json/', '/docs//'])(
    'makes no address of %s',
    async (address) => {
      expectError(await server.ask('GET', address), 'not_found');
    },
  );

  it('stays part of a file name and of a key, and of the pages', async () => {
    const table = new Addresses();
    for (const pattern of [
      '/api/v2/files/*',
      '/api/v2/stores/:id/0.5.ome.zarr/*',
      '/api/v2/stores/:id',
      '/api/v2/both',
      '/api/v2/both/',
    ]) {
      table.add(pattern, 'GET', 'trusted');
    }
    for (const address of [
      '/api/v2/files/a/',
      '/api/v2/files/',
      '/api/v2/stores/7/0.5.ome.zarr/',
      '/api/v2/stores/7/0.5.ome.zarr/0/c/',
      '/api/v2/both/',
      '/api/v2/stores/',
      '/demo/v2/',
    ]) {
      expect(table.withoutSlash(address)).toBe(address);
    }
    expect(table.withoutSlash('/api/v2/stores/7/')).toBe('/api/v2/stores/7');
    expect(table.withoutSlash('/api/v2/stores/7/?a=/')).toBe('/api/v2/stores/7?a=/');
    expect((await server.ask('GET', '/demo/v2/')).headers['content-type']).toBe('text/html; charset=utf-8');
  });
});
