/** The real peer of the bench: how its folder says how it is started, and what the client makes of both versions of the API. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { closeConnections, openedPlane, visit } from '../../../bench/beside/client.mjs';
import { atPort, checkPeer, readPeer } from '../../../bench/beside/peer.mjs';
import { contestants } from '../../../bench/beside/servers.mjs';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  closeConnections();
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

function folder(description?: unknown): string {
  const path = mkdtempSync(join(tmpdir(), 'peer-'));
  cleanups.push(() => rmSync(path, { recursive: true }));
  if (description !== undefined) writeFileSync(join(path, 'peer.json'), JSON.stringify(description));
  return path;
}

/** @returns its address, and the requests that came */
async function serve(answers: Record<string, unknown>): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const listener: RequestListener = (request, response) => {
    const line = `${request.method} ${request.url}`;
    asked.push(line);
    const answer = answers[line];
    response.writeHead(answer === undefined ? 404 : 200);
    response.end(answer instanceof Uint8Array ? answer : JSON.stringify(answer ?? { ok: false, error: 'not_found' }));
  };
  const server = createServer(listener);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => new Promise((resolve) => server.close(resolve)));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

it('a folder says in peer.json how its server is started', () => {
  const dir = folder({ command: ['python', 'server.py', '--port={port}'] });
  expect(readPeer(dir)).toEqual({
    dir,
    command: ['python', 'server.py', '--port={port}'],
    api: 'v2',
    env: {},
    version: 'no commit',
  });
  expect(atPort(['a', '--port={port}', 'x{port}'], 81)).toEqual(['a', '--port=81', 'x81']);
});

it('a folder without a description, or with a wrong one, is refused with what is missing', () => {
  expect(() => readPeer(folder())).toThrow(/peer\.json is missing; bench\/beside\/peer\.mjs says/);
  expect(() => checkPeer({})).toThrow('"command" must be a list of texts');
  expect(() => checkPeer({ command: ['a', 1] })).toThrow('"command" must be a list of texts');
  expect(() => checkPeer({ command: ['a'] })).toThrow('"command" must have {port}');
  expect(() => checkPeer({ command: ['a', '{port}'], api: 'v3' })).toThrow('"api" must be v1 or v2');
});

it('the third server is started by the command of the folder, in the folder, and stopped', async () => {
  const script = `require('node:http').createServer((request, response) => {
    response.statusCode = request.url === '/api/v1/health' && process.env.COLOR === 'red' ? 200 : 404;
    response.end(process.cwd());
  }).listen(Number(process.argv[1]), '127.0.0.1')`;
  const dir = folder({ command: [process.execPath, '-e', script, '{port}'], api: 'v1', env: { COLOR: 'red' } });
  const all = contestants({ data: dir, python: 'python', peer: readPeer(dir) });
  expect(all.map(({ name }) => name)).toEqual(['ours', 'reference', 'peer']);
  const peer = await all[2]!.start();
  expect(await (await fetch(peer.url)).text()).toBe(dir);
  expect(peer.api).toBe('v1');
  expect(peer.age()).toBeGreaterThan(0);
  await peer.stop();
  await expect(fetch(peer.url)).rejects.toThrow();
});

it('a visit to API v2 opens, reads every plane and deletes', async () => {
  const planes = [Uint8Array.of(1, 2, 3, 4), Uint8Array.of(5, 6, 7, 8)];
  const { url, asked } = await serve({
    'POST /api/v2/open': {
      sessionId: 's',
      plane: { shape: [1, 1] },
      channels: planes.map((_, i) => ({ dataUrl: `/p${i}`, byteLength: 4 })),
    },
    'GET /p0': planes[0],
    'GET /p1': planes[1],
    'DELETE /api/v2/sessions/s': { ok: true },
  });
  const result = await visit({ url }, '/a.tif', { hash: true });
  expect(result).toMatchObject({ bytes: 8, shape: [1, 1], hashes: [expect.any(String), expect.any(String)] });
  expect(asked).toEqual(['POST /api/v2/open', 'GET /p0', 'GET /p1', 'DELETE /api/v2/sessions/s']);
});

it('a visit to API v1 reads the planes of both roles, and ends no session', async () => {
  const plane = Uint8Array.of(1, 2, 3, 4);
  const channel = (role: string) => ({ url: `/${role}`, byteLength: 4, height: 1, width: 1 });
  const { url, asked } = await serve({
    'POST /api/v1/open': { sessionId: 's', channels: { vessels: channel('vessels'), calcium: channel('calcium') } },
    'GET /calcium': plane,
    'GET /vessels': plane,
  });
  expect(await visit({ url, api: 'v1' }, '/a.tif')).toMatchObject({ bytes: 8, shape: [1, 1] });
  const opened = await openedPlane({ url, api: 'v1' }, '/a.tif');
  await opened.end();
  expect(opened).toMatchObject({ url: `${url}/calcium`, byteLength: 4 });
  expect(asked).toEqual(['POST /api/v1/open', 'GET /calcium', 'GET /vessels', 'POST /api/v1/open']);
});

it('a file that a server refuses has its message', async () => {
  const { url } = await serve({});
  expect(await visit({ url }, '/a.tif')).toEqual({ refused: 'not_found' });
});
