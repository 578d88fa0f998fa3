/** Who loses a session when the server holds as many as it may, and who never does. */
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DecodePool } from '../../packages/server/src/decode/pool.js';
import type { Decoder } from '../../packages/server/src/decode/types.js';
import { defaultOptions } from '../../packages/server/src/options.js';
import { listen, type RunningServer } from '../../packages/server/src/server/listen.js';
import { RECENT_MS } from '../../packages/server/src/sessions/registry.js';
import { SessionService } from '../../packages/server/src/sessions/service.js';
import { directGate } from '../support/gate.js';
import { ask } from '../support/shared-servers.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { fakePicker, testDependencies } from '../support/test-app.js';
import { writeTiff } from '../writers/tiff.js';

const MAX = 4;
const SIDE = 2_000;
const pages = [{ width: SIDE, height: SIDE, samples: new Uint16Array(SIDE * SIDE) }];
const path = writeTemp(tempFolder(), 'scan.tif', writeTiff({ pages }));
const PAGE = { origin: 'http://localhost:3000' };
const PROGRAM = {};

let decoder: Decoder;
let now = 0;
let server: RunningServer;
const sockets: Socket[] = [];
const servers: RunningServer[] = [];
beforeAll(() => {
  decoder = new DecodePool({ workers: 1, queue: 64, coldStart: true });
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(servers.splice(0).map((running) => running.close()));
});
afterAll(() => decoder.close());

async function start(maxSessions = MAX): Promise<void> {
  const sessions = new SessionService({
    // Each server closes its own.
    decoder: {
      lease: (options, work) => decoder.lease(options, work),
      tryLease: (options, work) => decoder.tryLease(options, work),
      letGo: (keep) => decoder.letGo(keep),
      ready: () => decoder.ready(),
      close: async () => true,
    },
    gate: directGate(),
    roots: [],
    allowedExtensions: ['.tif'],
    sessionTtlSeconds: 600,
    maxSessionTtlSeconds: 86_400,
    maxSessions,
    memoryBudgetBytes: 2 ** 30,
    maxPlaneBytes: 2 ** 30,
    openTimeoutSeconds: 60,
    now: () => now,
  });
  const parts = { ...testDependencies(), sessions, picker: fakePicker() };
  server = await listen({ ...defaultOptions(), port: 0 }, parts);
  servers.push(server);
}

const open = async (headers: Record<string, string> = PROGRAM) => {
  const body = { path, decode: 'later', ttlSeconds: 86_400 };
  const answer = await ask(server, 'POST', '/api/v2/open', { headers, body });
  return answer.body.sessionId ?? answer.body.error!;
};
const opens = async (count: number, headers: Record<string, string> = PROGRAM) => {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    ids.push(await open(headers));
    now++;
  }
  return ids;
};
const found = async (id: string) => (await ask(server, 'GET', `/api/v2/sessions/${id}`)).status === 200;
const lost = async (ids: readonly string[]) => {
  const there = await Promise.all(ids.map(found));
  return ids.flatMap((_, i) => (there[i] ? [] : [i]));
};

describe('a table full of sessions', () => {
  it('loses the one that nobody has asked for longest, which says so afterwards', async () => {
    await start();
    const ids = await opens(MAX);
    now += RECENT_MS;
    // Any request about a session counts.
    expect(await found(ids[0]!)).toBe(true);
    const next = await open();
    expect(next).toMatch(/^[0-9a-f]{32}$/);
    const { status, body } = await ask(server, 'GET', `/api/v2/sessions/${ids[1]}/channels/0/data`);
    expect([status, body.error]).toEqual([404, 'session_not_found']);
    expect(body.message).toBe(
      'The session was ended to make room for others: the server holds at most 4 sessions (--max-sessions), and this one was not in use. Open the file again.',
    );
    expect(await lost([...ids, next])).toEqual([1]);
    const unknown = await ask(server, 'GET', `/api/v2/sessions/${'0'.repeat(32)}`);
    expect(unknown.body.message).toContain('It was deleted or has expired');
  });

  it('loses none that was used in the last seconds to others of the same caller', async () => {
    await start();
    await opens(MAX);
    now += RECENT_MS - MAX;
    expect(await open()).toBe('capacity_exceeded');
    now += 1;
    expect(await open()).toMatch(/^[0-9a-f]{32}$/);
  });

  it('refuses such an open with the code and after the time that docs/api.md names', async () => {
    await start(1);
    await opens(1);
    const request = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ path, decode: 'later' }),
    };
    const response = await fetch(`http://127.0.0.1:${server.port}/api/v2/open`, request);
    const { error } = (await response.json()) as { error: string };
    const page = readFileSync(resolve(import.meta.dirname, '../../docs/api.md'), 'utf8').replace(/\s+/g, ' ');
    expect(page).toContain(`that the same caller has used in the last ${RECENT_MS / 1000} seconds`);
    expect(page).toContain(
      `it is refused with ${response.status} \`${error}\` and \`Retry-After: ${response.headers.get('retry-after')}\``,
    );
  });

  it('loses none that is being read', async () => {
    await start(1);
    const [id = ''] = await opens(1);
    const socket = connect(server.port, '127.0.0.1');
    sockets.push(socket);
    socket.write(`GET /api/v2/sessions/${id}/channels/0/data HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\n\r\n`);
    // The answer has begun, and is too large for what the system holds of it.
    await new Promise((resolve) => socket.once('readable', resolve));
    now += 10 * RECENT_MS;
    expect(await open()).toBe('capacity_exceeded');
    expect(await open(PAGE)).toBe('capacity_exceeded');
    socket.destroy();
    now += RECENT_MS + 1;
    await expect.poll(() => open(PAGE)).toMatch(/^[0-9a-f]{32}$/);
    expect(await found(id)).toBe(false);
  });

  it('has room for others, whatever the one who filled it does', async () => {
    await start();
    const filled = await opens(MAX, PAGE);
    // In use all the time.
    expect(await lost(filled)).toEqual([]);
    const mine = await opens(2);
    expect(await lost(mine)).toEqual([]);
    expect(await lost(filled)).toEqual([0, 1]);
    // Both have their share now: whoever wants more gives up sessions of their own.
    expect([await open(), await open(PAGE)]).toEqual(['capacity_exceeded', 'capacity_exceeded']);
    now += RECENT_MS + 1;
    expect(await found(mine[1]!)).toBe(true);
    expect(await open()).toMatch(/^[0-9a-f]{32}$/);
    expect([await lost(mine), await lost(filled)]).toEqual([[0], [0, 1]]);
  });

  it('loses none to an open that fails', async () => {
    await start();
    const ids = await opens(MAX);
    now += RECENT_MS + 1;
    const body = { path: `${path}.missing.tif` };
    expect((await ask(server, 'POST', '/api/v2/open', { body })).body.error).toBe('path_not_found');
    expect(await lost(ids)).toEqual([]);
  });

  it('stays full, and never fuller, when many open at once', async () => {
    await start();
    const ids = await opens(MAX);
    now += RECENT_MS + 1;
    const answers = await Promise.all(Array.from({ length: 3 * MAX }, () => open()));
    const opened = answers.filter((answer) => answer !== 'capacity_exceeded');
    expect(opened).toHaveLength(MAX);
    expect(await lost(ids)).toEqual([0, 1, 2, 3]);
    expect(await lost(opened)).toEqual([]);
    await setTimeout(0);
    expect(server.openSessions.list().sessions).toHaveLength(MAX);
  });
});
