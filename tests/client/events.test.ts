/** The client of a recording that grows, with a real server in this process. */
import { appendFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type AcquisitionEvent, createClient } from '../../packages/client/src/index.js';
import { liveHooks } from '../support/events.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { writeTiff } from '../writers/tiff.js';

const folder = tempFolder();
const { start } = liveHooks(folder);
const write = (name: string) =>
  writeTemp(folder, name, writeTiff({ pages: [{ width: 8, height: 4, samples: new Uint16Array(32) }] }));

describe('events of an opened acquisition', () => {
  it('come as the file changes, up to the end of the session', async () => {
    const server = await start();
    const client = createClient({ baseUrl: server.url });
    const path = write('grows.tif');
    const acquisition = await client.open({ path, decode: 'later' });
    const seen: AcquisitionEvent[] = [];
    for await (const event of acquisition.events()) {
      seen.push(event);
      if (event.type === 'state') appendFileSync(path, Buffer.alloc(16));
      if (event.type === 'changed') await acquisition.close();
    }
    const { revision } = acquisition.info.source;
    expect(seen).toEqual([
      { type: 'state', revision },
      { type: 'changed', revision: expect.stringMatching(/^[0-9a-f]{64}$/) },
      { type: 'ended', reason: 'deleted' },
    ]);
    // A closed acquisition is opened again with what the file contains now.
    const next = await client.open({ path, decode: 'later' });
    expect(next.info.source.revision).not.toBe(revision);
  });

  it('stop for whoever stops listening or aborts, and say when there is no session', async () => {
    const server = await start();
    const client = createClient({ baseUrl: server.url });
    const acquisition = await client.open({ path: write('stops.tif'), decode: 'later' });
    for await (const event of acquisition.events()) {
      expect(event.type).toBe('state');
      break;
    }
    const abort = new AbortController();
    const events = acquisition.events({ signal: abort.signal });
    await events.next();
    const next = events.next();
    abort.abort(new Error('enough'));
    await expect(next).rejects.toThrow('enough');
    await acquisition.close();
    await expect(acquisition.events().next()).rejects.toMatchObject({ code: 'session_not_found' });
  });

  it('say that the server stops', async () => {
    const server = await start();
    const client = createClient({ baseUrl: server.url });
    const acquisition = await client.open({ path: write('ends.tif'), decode: 'later' });
    const events = acquisition.events();
    await events.next();
    await server.close();
    expect((await events.next()).value).toEqual({ type: 'ended', reason: 'stopped' });
    expect((await events.next()).done).toBe(true);
  });

  it('pass over comments and later kinds of events, and fail when the connection breaks', async () => {
    const server = await start();
    const parts = [': alive\n\nevent: later\nda', 'ta: {}\n\nevent: state\ndata: {"revision":', 'null}\n\n: alive\n\n'];
    const body = () => new Blob(parts).stream();
    const client = createClient({
      baseUrl: server.url,
      fetch: async (input, init) => (String(input).endsWith('/events') ? new Response(body()) : fetch(input, init)),
    });
    const events = (await client.open({ path: write('breaks.tif'), decode: 'later' })).events();
    expect((await events.next()).value).toEqual({ type: 'state', revision: null });
    await expect(events.next()).rejects.toMatchObject({ code: 'interrupted' });
  });
});
