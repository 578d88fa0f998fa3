/** Two instances with one session store: each answers for the sessions of the other as that one does. */
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { OpenResponse } from '../../packages/client/src/contract/open.js';
import type { RunningServer } from '../../packages/server/src/server/listen.js';
import { Cli, REPOSITORY } from '../support/cli.js';
import { EventReader } from '../support/events.js';
import { heldBytes } from '../support/held-bytes.js';
import { LONG, some } from '../support/long.js';
import { REDIS_PROGRAM, RedisServer } from '../support/redis.js';
import { createServer } from '../support/server.js';
import { tempFolder } from '../support/temp.js';
import { withoutPackage } from '../support/without-package.js';
import { writeTiff } from '../writers/tiff.js';

vi.setConfig({ testTimeout: 30_000 });
const TOKEN = 'shared-by-both';
const base = tempFolder();
const root = join(base, 'data');

interface Answer {
  status: number;
  headers: Headers;
  bytes: Buffer;
}

async function ask(
  server: RunningServer,
  method: string,
  path: string,
  { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const json = body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await fetch(new URL(path, server.url), {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, ...json, ...headers },
    ...(body === undefined ? {} : { body: body instanceof Uint8Array ? Buffer.from(body) : JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}

const jsonOf = <T = { error?: string; message?: string }>({ bytes }: Answer) => JSON.parse(bytes.toString()) as T;

async function open(server: RunningServer, path: string, more: object = {}, headers = {}): Promise<OpenResponse> {
  const answer = await ask(server, 'POST', '/api/v2/open', { body: { path, ...more }, headers });
  expect([answer.status, jsonOf(answer).message]).toEqual([200, undefined]);
  return jsonOf<OpenResponse>(answer);
}

/** Every kind of answer about a session. */
function questions({
  sessionId,
  channels,
  header,
  plane,
}: OpenResponse): [method: string, path: string, body?: object][] {
  const session = `/api/v2/sessions/${sessionId}`;
  const channel = `${session}/channels/${channels.at(-1)!.index}`;
  const last = Object.entries({ T: header.sizes['T'], Z: header.sizes['Z'] })
    .filter(([, size]) => size !== undefined)
    .map(([name, size]) => `${name}=${size! - 1}`)
    .join('&');
  const [rows = 1, columns = 1] = plane.shape;
  const points = [
    [0, 0],
    [rows - 1, columns - 1],
  ];
  return [
    ['GET', `${session}/acquisition`],
    ['GET', `${session}/acquisition?metadata=true`],
    ...channels.flatMap(({ dataUrl }): [string, string][] => [
      ['HEAD', dataUrl],
      ['GET', dataUrl],
      ['GET', `${dataUrl}?${last}`],
    ]),
    ['GET', `${session}/reference/channels/0/data`],
    ['GET', `${channel}/window?type=native`],
    ['GET', `${channel}/overview?width=4&height=3`],
    ['GET', `${channel}/statistics`],
    ['POST', `${channel}/profile`, { points }],
    ['GET', `${channel}/data?T=99999`],
    ['GET', `${session}/channels/77/data`],
    ['GET', `${session}/0.5.ome.zarr/zarr.json`],
    ['GET', `${session}/0.4.ome.zarr/.zgroup`],
    ['GET', `${session}/0.4.ome.zarr/0/.zattrs`],
    ['GET', `${session}/0.5.ome.zarr/0/0/c/0/0/0/0/0`],
    ['GET', `${session}/0.5.ome.zarr/zarr.json/nonsense`],
  ];
}

const OPENED = readdirSync(join(REPOSITORY, 'packages/server/warm-up')).filter((name) => !name.endsWith('.txt'));

describe.runIf(REDIS_PROGRAM)('two instances', () => {
  let redis: RedisServer;
  let a: RunningServer;
  let b: RunningServer;

  function start(name: string): Promise<RunningServer> {
    return createServer({
      ...{ port: 0, token: TOKEN, roots: [root], decodeWorkers: 1, uploadBudgetBytes: 1e6 },
      ...{ stateDir: join(base, name), sessionStore: redis.url, sessionStoreTimeoutMs: 2_000 },
    });
  }

  beforeAll(async () => {
    cpSync(join(REPOSITORY, 'packages/server/warm-up'), root, { recursive: true });
    redis = await RedisServer.start();
    [a, b] = [await start('a'), await start('b')];
  });
  afterAll(async () => {
    await Promise.all([a?.close(), b?.close()]);
    await redis?.kill();
  });

  const pathOf = (name: string) => {
    const path = join(root, name);
    if (!statSync(path).isDirectory() || name.endsWith('.zarr')) return path;
    return join(path, readdirSync(path).find((each) => each.endsWith('.xml'))!);
  };

  it.each(some(OPENED, 4))('answer the same about %s, byte for byte', async (name) => {
    const opened = await open(a, pathOf(name));
    const statuses: number[] = [];
    for (const [method, path, body] of questions(opened)) {
      // The other one first, so that it cannot have learned anything.
      const theirs = await ask(b, method, path, { body });
      const own = await ask(a, method, path, { body });
      statuses.push(own.status);
      const wanted = [method, path, own.status, own.headers.get('content-length'), own.headers.get('content-type')];
      const got = [
        method,
        path,
        theirs.status,
        theirs.headers.get('content-length'),
        theirs.headers.get('content-type'),
      ];
      expect(got).toEqual(wanted);
      expect(theirs.bytes.equals(own.bytes), `${method} ${path}: ${theirs.bytes.subarray(0, 200)}`).toBe(true);
    }
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(13);
    const deleted = await ask(b, 'DELETE', `/api/v2/sessions/${opened.sessionId}`);
    expect(deleted.status).toBe(200);
    for (const server of [a, b]) {
      const gone = await ask(server, 'GET', opened.channels[0]!.dataUrl);
      expect([gone.status, jsonOf(gone).error]).toEqual([404, 'session_not_found']);
    }
  });

  it('know the same remaining time, and renew it for each other', async () => {
    const { sessionId } = await open(a, pathOf('plain.tif'), { ttlSeconds: 30 });
    const session = `/api/v2/sessions/${sessionId}`;
    const remaining = async (server: RunningServer) =>
      jsonOf<{ ttlSecondsRemaining: number }>(await ask(server, 'GET', session)).ttlSecondsRemaining;
    const first = await remaining(b);
    expect(first).toBeLessThanOrEqual(30);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const later = await remaining(a);
    expect(later).toBeLessThan(first - 1);
    expect((await ask(b, 'POST', `${session}/renew`, { body: {} })).status).toBe(200);
    expect(await remaining(a)).toBeGreaterThan(later);
  });

  it('tell who follows a session of the other that its file has changed, and that it was deleted there', async () => {
    const path = join(root, 'followed.tif');
    cpSync(pathOf('plain.tif'), path);
    const opened = await open(a, path, { decode: 'later' });
    const session = `/api/v2/sessions/${opened.sessionId}`;
    const reader = await EventReader.open(`${b.url}${session}/events`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    expect((await reader.next())?.data['revision']).toBe(opened.source.revision);
    appendFileSync(path, Buffer.alloc(64));
    expect((await reader.next())?.event).toBe('changed');
    expect((await ask(a, 'DELETE', session)).status).toBe(200);
    expect((await reader.next())?.data).toMatchObject({ sessionId: opened.sessionId, reason: 'deleted' });
    expect(await reader.next()).toBeUndefined();
  });

  it('begin a session with the label of the balancer, and an upload too', async () => {
    const headers = { 'x-acqstore-label': 'be11' };
    expect((await open(a, pathOf('plain.tif'), {}, headers)).sessionId).toMatch(/^be11[0-9a-f]{28}$/);
    const upload = await ask(a, 'POST', '/api/v2/uploads', { body: { name: 'x.tif', size: 10 }, headers });
    expect(jsonOf<{ uploadId: string }>(upload).uploadId).toMatch(/^be11[0-9a-f]{28}$/);
    const strange = await open(a, pathOf('plain.tif'), {}, { 'x-acqstore-label': "{x}'1" });
    expect(strange.sessionId).toMatch(/^[0-9a-f]{32}$/);
  });

  it('keep the sessions of an instance that was started again', async () => {
    const c = await start('c');
    const { sessionId, channels } = await open(c, pathOf('plain.czi'));
    const before = await ask(c, 'GET', channels[0]!.dataUrl);
    await c.close();
    const again = await start('c');
    try {
      const after = await ask(again, 'GET', channels[0]!.dataUrl);
      expect([after.status, after.bytes.equals(before.bytes)]).toEqual([200, true]);
      expect((await ask(again, 'DELETE', `/api/v2/sessions/${sessionId}`)).status).toBe(200);
    } finally {
      await again.close();
    }
  });

  describe('compare files as another machine may see them', () => {
    const samples = (first: number) => Uint16Array.from({ length: 600 }, (_, i) => first + i);
    const tags = [{ code: 270, type: 2, text: 'ImageJ=1.53t\nimages=2\nframes=2\n' }];
    const scan = (first: number) =>
      writeTiff({ pages: [0, 1].map((page) => ({ width: 30, height: 20, samples: samples(first + page), tags })) });
    const seconds = Math.floor(Date.now() / 1000) - 1000;

    async function readAt(b_: RunningServer, { channels }: OpenResponse) {
      const answer = await ask(b_, 'GET', channels[0]!.dataUrl);
      return answer.status === 200 ? answer.status : [answer.status, jsonOf(answer).error];
    }

    it('accepts another identity, and a time without its fraction', async () => {
      const path = join(root, 'copied.tif');
      writeFileSync(path, scan(1));
      utimesSync(path, seconds + 0.25, seconds + 0.25);
      const opened = await open(a, path);
      // Not the same file any more: another number, as a mount may show it, and whole seconds.
      rmSync(path);
      writeFileSync(path, scan(1));
      utimesSync(path, seconds, seconds);
      expect(await readAt(b, opened)).toBe(200);
      // From then on, this instance knows the file itself.
      utimesSync(path, seconds + 0.5, seconds + 0.5);
      const second = await ask(b, 'GET', `${opened.channels[0]!.dataUrl}?T=1`);
      expect([second.status, jsonOf(second).error]).toEqual([409, 'source_changed']);
    });

    it('refuses one of another size, of another second, and of another content', async () => {
      const path = join(root, 'changed.tif');
      const changes: [string, () => void][] = [
        ['size', () => writeFileSync(path, Buffer.concat([scan(1), Buffer.alloc(4)]))],
        ['second', () => writeFileSync(path, scan(1))],
        ['content', () => writeFileSync(path, scan(2))],
      ];
      for (const [name, change] of changes) {
        writeFileSync(path, scan(1));
        utimesSync(path, seconds, seconds);
        const opened = await open(a, path);
        change();
        if (name !== 'second') utimesSync(path, seconds, seconds);
        expect([name, await readAt(b, opened)]).toEqual([name, [409, 'source_changed']]);
      }
    });

    it('does not open what is outside its own folders', async () => {
      const outside = join(base, 'outside');
      mkdirSync(outside, { recursive: true });
      writeFileSync(join(outside, 'scan.tif'), scan(1));
      const wide = await createServer({
        ...{
          port: 0,
          token: TOKEN,
          roots: [base],
          decodeWorkers: 1,
          stateDir: join(base, 'wide'),
          sessionStore: redis.url,
        },
      });
      try {
        expect(await readAt(b, await open(wide, join(outside, 'scan.tif')))).toEqual([404, 'session_not_found']);
      } finally {
        await wide.close();
      }
    });
  });

  it('say that a file which was sent to one of them is only there', async () => {
    const bytes = readFileSync(pathOf('plain.tif'));
    const created = await ask(a, 'POST', '/api/v2/uploads', { body: { name: 'sent.tif', size: bytes.length } });
    const { uploadId } = jsonOf<{ uploadId: string }>(created);
    const sent = await ask(a, 'PUT', `/api/v2/uploads/${uploadId}/files/sent.tif`, {
      body: bytes,
      headers: { 'content-type': 'application/octet-stream' },
    });
    expect(sent.status).toBe(200);
    const opened = jsonOf<OpenResponse>(await ask(a, 'POST', `/api/v2/uploads/${uploadId}/open`, { body: {} }));
    const session = `/api/v2/sessions/${opened.sessionId}`;
    expect(jsonOf<OpenResponse>(await ask(b, 'GET', `${session}/acquisition`)).source.name).toBe('sent.tif');
    const refused = await ask(b, 'GET', opened.channels[0]!.dataUrl);
    expect([refused.status, jsonOf(refused).error, jsonOf(refused).message]).toEqual([
      409,
      'source_changed',
      expect.stringMatching(/^sent\.tif was sent to another instance .* Send the file again\.$/),
    ]);
    expect((await ask(a, 'GET', opened.channels[0]!.dataUrl)).status).toBe(200);
  });

  it('count the sessions of the whole deployment', async () => {
    const limited = await createServer({
      ...{
        port: 0,
        token: TOKEN,
        roots: [root],
        decodeWorkers: 1,
        stateDir: join(base, 'limited'),
        sessionStore: redis.url,
      },
      maxSessions: 2,
    });
    try {
      for (const server of [a, b]) await open(server, pathOf('plain.tif'));
      const refused = await ask(limited, 'POST', '/api/v2/open', { body: { path: pathOf('plain.tif') } });
      expect([refused.status, jsonOf(refused).error]).toEqual([503, 'capacity_exceeded']);
      expect(limited.openSessions.list().sessions).toEqual([]);
      expect(await heldBytes(limited)).toBe(0);
    } finally {
      await limited.close();
    }
  });

  it('answer 503 and never 404 while the store is away, and go on with everything else', async () => {
    const opened = await open(a, pathOf('scan.oir'));
    await redis.kill();
    try {
      for (const [method, path, body] of [
        ...questions(opened).filter(([, path]) => !path.includes('T=99999')),
        ['DELETE', `/api/v2/sessions/${opened.sessionId}`] as const,
      ]) {
        const { status, headers, ...answer } = await ask(a, method, path, { body });
        expect([method, path, status, headers.get('retry-after')]).toEqual([method, path, 503, '1']);
        if (method !== 'HEAD') expect(jsonOf({ status, headers, ...answer }).error).toBe('session_store_unavailable');
      }
      const usedBytes = await heldBytes(b);
      const refused = await ask(b, 'POST', '/api/v2/open', { body: { path: pathOf('zstd.czi') } });
      expect([refused.status, jsonOf(refused).error]).toEqual([503, 'session_store_unavailable']);
      // What was decoded for it is not kept.
      expect(await heldBytes(b)).toBe(usedBytes);
      for (const path of ['/api/v2/health', '/api/v2/capabilities'])
        expect((await ask(b, 'GET', path)).status).toBe(200);
    } finally {
      await redis.start();
    }
  });
});

describe.runIf(REDIS_PROGRAM)('acqstore serve with a session store', () => {
  const cli = new Cli();
  afterAll(() => cli.close());

  it('ends with a message that does not have the password when the store does not answer', async () => {
    const args = ['--port', '0', '--token', TOKEN, '--session-store', 'redis://:very-secret@127.0.0.1:1'];
    const { code, stderr, stdout } = await cli.run(['serve', ...args]);
    expect(code).toBe(1);
    expect(stderr).toContain('The store of the sessions is not available: it refuses connections.');
    expect(stderr + stdout).not.toContain('very-secret');
  });

  it.runIf(LONG)('needs the package that talks to it, and no other server even looks for that', async () => {
    const env = withoutPackage('ioredis');
    const server = await cli.serve([], env);
    expect((await fetch(`${server.url}/api/v2/health`)).status).toBe(200);
    await server.interrupt();
    const { code, stderr } = await cli.run(
      ['serve', '--port', '0', '--token', TOKEN, '--session-store', 'redis://127.0.0.1:1'],
      env,
    );
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('requires the package ioredis, which is not installed. Run: npm install ioredis@6'),
    ]);
  });

  it('requires a token', async () => {
    const { code, stderr } = await cli.run(['serve', '--port', '0', '--session-store', 'redis://127.0.0.1:1']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--session-store requires --token or --tokens-file')]);
  });
});
