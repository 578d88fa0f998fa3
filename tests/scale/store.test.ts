/** The store of sessions that instances share, and what happens when it fails. */
import { setTimeout } from 'node:timers/promises';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { makeId } from '../../packages/server/src/labelled-id.js';
import { createStore } from '../../packages/server/src/sessions/create-store.js';
import type { SessionLimits, SessionStore, StoredRecord } from '../../packages/server/src/sessions/store.js';
import { writeStoreConfiguration } from '../support/deployment.js';
import { makeCertificates, REDIS_PROGRAM, RedisServer } from '../support/redis.js';
import { tempFolder } from '../support/temp.js';

vi.setConfig({ testTimeout: 20_000 });
const TIMEOUT_MS = 2_000;
const LIMITS: SessionLimits = { ttlMs: 60_000, total: 1000, perOwner: 1000 };
const FILES = [{ path: '/data/scan.tif', size: 12, mtimeNs: '1', ino: '2' }];

function recordOf(more: Partial<StoredRecord> = {}): StoredRecord {
  const description = { source: { name: 'é.tif', path: '/data/é.tif' } };
  const facts = { id: makeId(), api: 'v2', path: '/data/é.tif', madeBy: 'one', ttlSeconds: 10, description };
  return { ...facts, ...more } as unknown as StoredRecord;
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'no error',
    (error: { code?: string }) => error.code,
  );

const servers: RedisServer[] = [];
const stores: SessionStore[] = [];
afterAll(async () => {
  await Promise.all(stores.map((store) => store.close()));
  await Promise.all(servers.map((server) => server.kill()));
});

async function startRedis(...args: string[]): Promise<RedisServer> {
  const server = await RedisServer.start(...args);
  servers.push(server);
  return server;
}

/** Waits as long as the connection needs. */
async function connectTo(
  url: string,
  ca?: string,
  report: (message: string) => void = () => {},
): Promise<SessionStore> {
  const more = ca === undefined ? {} : { sessionStoreCa: ca };
  const store = await createStore({ sessionStore: url, sessionStoreTimeoutMs: TIMEOUT_MS, ...more }, report);
  stores.push(store!);
  return store!;
}

/** Two instances with the same sessions. */
async function start(): Promise<[SessionStore, SessionStore]> {
  const { url } = await startRedis();
  return [await connectTo(url), await connectTo(url)];
}

describe.runIf(REDIS_PROGRAM)('sessions in Valkey or Redis', () => {
  it('are found, renewed and removed by every instance', async () => {
    const [a, b] = await start();
    const record = recordOf();
    await a.add(record, FILES, LIMITS);
    const found = await b.find(record.id);
    expect(found?.record).toEqual(record);
    expect(found?.remainingMs).toBeGreaterThan(30_000);
    expect(found?.remainingMs).toBeLessThanOrEqual(60_000);
    expect(await b.files(record.id)).toEqual(FILES);
    expect((await b.renew(record.id, 600_000))?.remainingMs).toBeGreaterThan(300_000);
    expect((await a.find(record.id))?.remainingMs).toBeGreaterThan(300_000);
    expect([await b.remove(record.id), await a.remove(record.id)]).toEqual([true, false]);
    expect([await a.find(record.id), await a.files(record.id), await a.renew(record.id, 1_000)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(await a.find('0'.repeat(32))).toBeUndefined();
  });

  it('expire after their time, files and all, and are never seen with time that has run out', async () => {
    const [a, b] = await start();
    const record = recordOf();
    const added = performance.now();
    await a.add(record, FILES, { ...LIMITS, ttlMs: 300 });
    let last = 300;
    for (let found = await b.find(record.id); found; found = await b.find(record.id)) {
      expect(found.remainingMs).toBeGreaterThanOrEqual(0);
      expect(found.remainingMs).toBeLessThanOrEqual(last);
      last = found.remainingMs;
      await setTimeout(2);
    }
    expect(performance.now() - added).toBeGreaterThanOrEqual(299);
    expect(await b.files(record.id)).toBeUndefined();
    expect(await b.remove(record.id)).toBe(false);
  });

  it('are admitted up to the limit, also when they come at the same time', async () => {
    const [a, b] = await start();
    const limits = { ...LIMITS, total: 3 };
    const codes = await Promise.all([a, b, a, b].map((store) => codeOf(store.add(recordOf(), FILES, limits))));
    expect(codes.sort()).toEqual(['capacity_exceeded', 'no error', 'no error', 'no error']);
    await expect(a.add(recordOf(), FILES, limits)).rejects.toThrow(
      'The server holds 3 sessions, the limit (--max-sessions)',
    );
  });

  it('are counted for each owner, until they end', async () => {
    const [a, b] = await start();
    const limits = { ...LIMITS, perOwner: 2 };
    const [first, second] = [recordOf({ owner: 'token:ana' }), recordOf({ owner: 'token:ana' })];
    await a.add(first, FILES, limits);
    await b.add(second, FILES, limits);
    await expect(a.add(recordOf({ owner: 'token:ana' }), FILES, limits)).rejects.toThrow('(--max-sessions-per-owner)');
    await a.add(recordOf({ owner: 'token:ben' }), FILES, limits);
    await a.add(recordOf(), FILES, limits);
    await b.renew(first.id, 1);
    await expect.poll(() => a.find(first.id)).toBeUndefined();
    await a.add(recordOf({ owner: 'token:ana' }), FILES, limits);
    await b.renew(second.id, 5_000);
    expect(await codeOf(b.add(recordOf({ owner: 'token:ana' }), FILES, limits))).toBe('capacity_exceeded');
    await b.remove(second.id);
    expect(await codeOf(b.add(recordOf({ owner: 'token:ana' }), FILES, limits))).toBe('no error');
  });
});

describe.runIf(REDIS_PROGRAM)('a store that instances share', () => {
  it('does not contain what would let its readers read planes', async () => {
    const server = await startRedis();
    const store = await connectTo(server.url);
    const record = recordOf({ owner: 'token:ana' });
    await store.add(record, FILES, LIMITS);
    const keys = server.command('keys', '*').split('\n');
    expect(keys.length).toBe(4);
    const text = keys
      .map(
        (key) =>
          `${key} ${key.split(':').length === 3 || key.includes(':o:') ? server.command('zrange', key, '0', '-1') : server.command('get', key)}`,
      )
      .join('\n');
    expect(text).toContain('scan.tif');
    expect(text).not.toContain(record.id);
    expect(keys.every((key) => key.startsWith('{acqstore}:1:'))).toBe(true);
  });

  it('that hangs is reported to every request, and is not taken for lost sessions', async () => {
    const server = await startRedis();
    const messages: string[] = [];
    const store = await connectTo(server.url, undefined, (message) => messages.push(message));
    const record = recordOf();
    await store.add(record, FILES, LIMITS);
    server.signal('SIGSTOP');
    const codes = await Promise.all([
      codeOf(store.find(record.id)),
      codeOf(store.renew(record.id, 1_000)),
      codeOf(store.remove(record.id)),
      codeOf(store.add(recordOf(), FILES, LIMITS)),
      codeOf(store.files(record.id)),
    ]);
    expect(new Set(codes)).toEqual(new Set(['session_store_unavailable']));
    server.signal('SIGCONT');
    await vi.waitFor(async () => expect(await store.find(recordOf().id)).toBeUndefined(), { timeout: 3_000 });
  });

  it('that is killed has the sessions again when it is back, with the rest of their time', async () => {
    const server = await startRedis('--appendonly', 'yes', '--appendfsync', 'always');
    const messages: string[] = [];
    const store = await connectTo(server.url, undefined, (message) => messages.push(message));
    const record = recordOf();
    await store.add(record, FILES, LIMITS);
    await server.kill();
    await setTimeout(100);
    // At once: after the time limit, the reason would be another one.
    await expect(store.find(record.id)).rejects.toMatchObject({
      code: 'session_store_unavailable',
      message: expect.stringMatching(
        /^The store of the sessions is not available: (the connection was lost|it refuses connections)\. Sessions are not lost\./,
      ),
    });
    await setTimeout(1_000);
    await server.start();
    const found = await vi.waitFor(() => store.find(record.id), { timeout: 5_000 });
    expect(found?.record).toEqual(record);
    expect(found?.remainingMs).toBeLessThan(59_000);
    expect(messages.join()).toContain('it refuses connections');
  });

  it('that became a replica is reported, and used again when it is a primary', async () => {
    const server = await startRedis();
    const store = await connectTo(server.url);
    server.command('replicaof', '127.0.0.1', '1');
    await expect(store.add(recordOf(), FILES, LIMITS)).rejects.toMatchObject({
      code: 'session_store_unavailable',
      message: expect.stringContaining('it is a replica, which only reads'),
    });
    server.command('replicaof', 'no', 'one');
    await vi.waitFor(() => store.add(recordOf(), FILES, LIMITS), { timeout: 5_000 });
  });

  it('that is full refuses further sessions, and keeps the others', async () => {
    const server = await startRedis('--maxmemory', '3mb', '--maxmemory-policy', 'noeviction');
    const store = await connectTo(server.url);
    const first = recordOf();
    await store.add(first, FILES, LIMITS);
    const long = Array.from({ length: 100 }, (_, i) => ({ ...FILES[0]!, path: `/data/${i}/${'x'.repeat(100)}` }));
    let refused = 0;
    for (let i = 0; i < 400 && refused === 0; i++) {
      await store.add(recordOf(), long, LIMITS).catch((error: { code: string; message: string }) => {
        expect(error).toMatchObject({
          code: 'capacity_exceeded',
          message: expect.stringContaining('is full (its maxmemory)'),
        });
        refused++;
      });
    }
    expect(refused).toBe(1);
    expect((await store.find(first.id))?.record).toEqual(first);
    expect(await store.remove(first.id)).toBe(true);
  });

  it('accepts the commands of sessions and no others, with its configuration and access list of the guide', async () => {
    const server = await startRedis('--include', writeStoreConfiguration(tempFolder(), 'b:c@d'));
    const store = await connectTo(`redis://acqstore:${encodeURIComponent('b:c@d')}@127.0.0.1:${server.port}`);
    const record = recordOf({ owner: 'token:ana' });
    await store.add(record, FILES, LIMITS);
    expect((await store.find(record.id))?.record).toEqual(record);
    expect(await store.files(record.id)).toEqual(FILES);
    await store.renew(record.id, 5_000);
    expect(await store.remove(record.id)).toBe(true);
    const secret = ['--user', 'acqstore', '--pass', 'b:c@d', '--no-auth-warning'];
    for (const command of [['flushall'], ['keys', '*'], ['get', 'other'], ['config', 'get', '*']]) {
      expect(server.command(...secret, ...command)).toContain('NOPERM');
    }
    expect(server.command('ping')).toContain('NOAUTH');
  });

  it.each([
    [
      'a password that is wrong',
      (port: number) => `redis://:wrong-secret@127.0.0.1:${port}`,
      'it refuses the name or password',
    ],
    ['no password', (port: number) => `redis://127.0.0.1:${port}`, 'it refuses the name or password'],
  ])('is refused at the start with %s, which no message has', async (_, url, reason) => {
    const server = await startRedis('--requirepass', 'right');
    const messages: string[] = [];
    const start = createStore({ sessionStore: url(server.port), sessionStoreTimeoutMs: TIMEOUT_MS }, (m) =>
      messages.push(m),
    );
    await expect(start).rejects.toMatchObject({
      code: 'session_store_unavailable',
      message: expect.stringContaining(reason),
    });
    await start.catch((error: Error) => messages.push(error.message));
    expect(messages.join()).not.toMatch(/secret|right/);
  });

  it('is trusted by its certificate', async () => {
    const folder = tempFolder();
    const { ca, cert, key } = makeCertificates(folder);
    const tls = ['--port', '0', '--tls-port', 'PORT', '--tls-auth-clients', 'no', '--tls-ca-cert-file', ca];
    const server = await startRedis(...tls, '--tls-cert-file', cert, '--tls-key-file', key);
    const url = `valkeys://127.0.0.1:${server.port}`;
    const store = await connectTo(url, ca);
    const record = recordOf();
    await store.add(record, FILES, LIMITS);
    expect((await store.find(record.id))?.record).toEqual(record);
    const other = makeCertificates(tempFolder());
    await expect(connectTo(url, other.ca)).rejects.toThrow('its certificate is not trusted');
    await expect(connectTo(url)).rejects.toThrow('its certificate is not trusted');
    await expect(connectTo(url.replace('valkeys', 'valkey'))).rejects.toMatchObject({
      code: 'session_store_unavailable',
    });
  });

  it.each([
    ['file:///nowhere/store', 'cannot be read (ENOENT)'],
    ['redis://', '--session-store must be an address'],
  ])('is refused at the address %s', async (url, reason) => {
    await expect(connectTo(url)).rejects.toThrow(reason);
  });
});
