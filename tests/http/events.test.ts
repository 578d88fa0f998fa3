/** Following a recording: events of a session over real connections, about real files. */
import { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { RunningServer } from '../../packages/server/src/server/listen.js';
import { Lookups } from '../../packages/server/src/storage/lookups.js';
import { type EventReader, eventsOf, liveHooks, openLater as open } from '../support/events.js';
import { tempFolder } from '../support/temp.js';
import { RawClient } from '../support/wire.js';
import { writeTiff } from '../writers/tiff.js';

const folder = tempFolder();
const { start, follow } = liveHooks(folder);

afterEach(() => vi.restoreAllMocks());

let count = 0;
function writePages(pages: number, path = join(folder, `recording-${count++}.tif`)): string {
  const all = Array.from({ length: pages }, (_, page) => ({
    width: 8,
    height: 4,
    samples: Uint16Array.from({ length: 32 }, (_, i) => 100 * page + i),
  }));
  writeFileSync(path, writeTiff({ pages: all }));
  return path;
}

async function followersOf({ opsPort }: RunningServer): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text();
  return Number(/^acqstore_followers (\d+)$/m.exec(text)?.[1]);
}

describe('events of a session', () => {
  it('begin with the state, tell of a file that grew or was replaced, and lead to a session with that revision', async () => {
    const server = await start();
    const path = writePages(1);
    const opened = await open(server, path);
    const reader = await follow(server, opened);
    const { headers, status } = reader.response;
    expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
      200,
      'text/event-stream',
      'no-store',
    ]);
    const common = { ok: true, apiVersion: 'v2', sessionId: opened.sessionId };
    const { revision } = opened.source;
    expect(revision).toMatch(/^[0-9a-f]{64}$/);
    expect(await reader.next()).toEqual({ event: 'state', data: { ...common, revision } });

    appendFileSync(path, Buffer.alloc(64));
    const changed = await reader.next();
    expect(changed).toEqual({
      event: 'changed',
      data: { ...common, revision: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    expect(changed?.data['revision']).not.toBe(revision);

    const other = writePages(3, join(folder, 'other.tif'));
    renameSync(other, path);
    const again = await reader.next();
    expect(again?.event).toBe('changed');
    expect(again?.data['revision']).not.toBe(changed?.data['revision']);

    const newest = await open(server, path);
    const next = await follow(server, newest);
    expect((await next.next())?.data['revision']).toBe(newest.source.revision);
    // Who connects again compares, and misses nothing.
    const late = await follow(server, opened);
    expect((await late.next())?.data['revision']).toBe(again?.data['revision']);
  });

  it('tell that a file has disappeared, and that it is as it was', async () => {
    const server = await start();
    const path = writePages(1);
    const opened = await open(server, path);
    const reader = await follow(server, opened);
    await reader.next();
    renameSync(path, `${path}.away`);
    expect((await reader.next())?.event).toBe('changed');
    renameSync(`${path}.away`, path);
    expect((await reader.next())?.data['revision']).toBe(opened.source.revision);
  });

  it('look at the files once a second for all who follow, and say nothing of other files', async () => {
    const looked: number[] = [];
    vi.spyOn(Lookups.prototype, 'run').mockImplementation(function (this: Lookups, lookup, ...rest) {
      if (lookup.kind === 'watch') looked.push(performance.now());
      return real.call(this, lookup, ...rest) as never;
    });
    const server = await start();
    const path = writePages(1);
    const sessions = await Promise.all(Array.from({ length: 5 }, () => open(server, path)));
    const all = await Promise.all([...sessions, ...sessions, ...sessions].map((opened) => follow(server, opened)));
    await Promise.all(all.map((reader) => reader.next()));
    writePages(1);
    appendFileSync(path, Buffer.alloc(2));
    const told = await Promise.all(all.map((reader) => reader.next()));
    expect(told.map((one) => one?.event)).toEqual(all.map(() => 'changed'));
    appendFileSync(path, Buffer.alloc(2));
    await Promise.all(all.map((reader) => reader.next()));
    expect(looked.length).toBeGreaterThan(0);
    const pauses = looked.slice(1).map((time, i) => time - looked[i]!);
    // A look for each follower would follow the last one at once. A busy event loop makes a pause shorter by as much as it made the one
    // before longer.
    for (const pause of pauses) expect(pause).toBeGreaterThan(700);
  });
  const real = Lookups.prototype.run;

  it('end with the session, whose life they do not extend: deleted, expired, and when the server stops', async () => {
    const server = await start();
    const path = writePages(1);
    const [deleted, expiring, stopping] = [
      await open(server, path),
      await open(server, path, { ttlSeconds: 5 }),
      await open(server, path),
    ];
    const all = await Promise.all([deleted, expiring, stopping].map((opened) => follow(server, opened)));
    const [first, second, third] = all as [EventReader, EventReader, EventReader];
    for (const reader of all) expect((await reader.next())?.event).toBe('state');
    await fetch(`${server.url}/api/v2/sessions/${deleted.sessionId}`, { method: 'DELETE' });
    const common = { ok: true, apiVersion: 'v2' };
    expect(await first.next()).toEqual({
      event: 'ended',
      data: { ...common, sessionId: deleted.sessionId, reason: 'deleted' },
    });
    expect(await first.next()).toBeUndefined();
    expect((await second.next())?.data).toMatchObject({ reason: 'expired' });
    expect(await second.next()).toBeUndefined();
    expect((await fetch(eventsOf(server, expiring))).status).toBe(404);
    const closed = server.close();
    expect((await third.next())?.data).toMatchObject({ sessionId: stopping.sessionId, reason: 'stopped' });
    expect(await third.next()).toBeUndefined();
    await closed;
  });

  it('end at once when the server stops after it was drained', async () => {
    // A test that waits for this would fail by its own limit.
    const server = await start({}, { drainMs: 3_600_000 });
    const reader = await follow(server, await open(server, writePages(1)));
    await reader.next();
    server.drain();
    const closed = server.close();
    expect((await reader.next())?.data).toMatchObject({ reason: 'stopped' });
    await closed;
  });

  it('leave nothing behind: a hundred clients come and go', async () => {
    const server = await start();
    const opened = await open(server, writePages(1));
    for (let round = 0; round < 10; round++) {
      const some = await Promise.all(Array.from({ length: 10 }, () => follow(server, opened)));
      await Promise.all(some.map((reader) => reader.next()));
      await Promise.all(some.map((reader) => reader.close()));
    }
    await vi.waitFor(async () => expect(await followersOf(server)).toBe(0), { timeout: 20_000 });
  });

  it('are for a bounded number of clients, and say when to try again', async () => {
    const server = await start();
    const opened = await open(server, writePages(1));
    const all = await Promise.all(Array.from({ length: 32 }, () => follow(server, opened)));
    await Promise.all(all.map((reader) => reader.next()));
    expect(await followersOf(server)).toBe(32);
    const refused = await fetch(eventsOf(server, opened));
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await refused.json()).toMatchObject({ error: 'capacity_exceeded', message: expect.stringMatching(/32/) });
    await all[0]!.close();
    await vi.waitFor(async () => expect(await followersOf(server)).toBe(31), { timeout: 20_000 });
    expect((await (await follow(server, opened)).next())?.event).toBe('state');
  });

  it('answer HEAD without following, and no other method', async () => {
    const server = await start();
    const opened = await open(server, writePages(1));
    const head = await fetch(eventsOf(server, opened), { method: 'HEAD' });
    expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([200, 'text/event-stream', '']);
    expect(await followersOf(server)).toBe(0);
    const post = await fetch(eventsOf(server, opened), { method: 'POST' });
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'HEAD, GET, OPTIONS']);
    const missing = await fetch(`${server.url}/api/v2/sessions/${'0'.repeat(32)}/events`);
    expect(missing.status).toBe(404);
  });

  it('are for pages that the session is for: `Origin: null` too, another site not', async () => {
    const server = await start();
    const opened = await open(server, writePages(1));
    const own = await follow(server, opened, { headers: { origin: 'null' } });
    expect(own.response.headers.get('access-control-allow-origin')).toBe('null');
    expect((await own.next())?.event).toBe('state');
    const foreign = await fetch(eventsOf(server, opened), { headers: { origin: 'https://evil.example' } });
    expect([foreign.status, await foreign.json()]).toEqual([
      403,
      expect.objectContaining({ error: 'origin_not_allowed' }),
    ]);
  });

  it('stay open as long as they are read, with comments, while slow and stalled answers are ended', async () => {
    const limits = {
      maxStallMs: 60,
      stallMs: 50,
      settleMs: 20,
      answerMs: 40,
      minBytesPerSecond: 1e9,
      lookMs: 10,
      aliveMs: 15,
    };
    const server = await start({}, limits);
    const opened = await open(server, writePages(1));
    const reader = await follow(server, opened);
    expect((await reader.next())?.event).toBe('state');
    // Each comment comes after `aliveMs`: together they take longer than any answer may.
    for (let n = 0; n < 60; n++) expect(await reader.comment()).toBe(': alive');
    await fetch(`${server.url}/api/v2/sessions/${opened.sessionId}`, { method: 'DELETE' });
    expect((await reader.next())?.event).toBe('ended');
  });

  it('forget a client that leaves without reading', async () => {
    const server = await start({}, { aliveMs: 1 });
    const opened = await open(server, writePages(1));
    const client = await RawClient.open(server.port);
    client.write(`GET /api/v2/sessions/${opened.sessionId}/events HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\n\r\n`);
    await vi.waitFor(async () => expect(await followersOf(server)).toBe(1));
    client.destroy();
    await vi.waitFor(async () => expect(await followersOf(server)).toBe(0), { timeout: 20_000 });
  });
});
