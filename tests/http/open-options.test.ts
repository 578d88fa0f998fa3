/** How long a session lives, when its planes are decoded, and which state of the files it has. */
import { statSync, truncateSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SessionStatus } from '../../packages/client/src/contract/session.js';
import { frames } from '../support/oif.js';
import { openOk, postOpen } from '../support/open.js';
import { createServer, type RunningServer } from '../support/server.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { countingPage } from '../support/tiff-cases.js';
import { writeOif } from '../writers/oif.js';
import { writeTiff } from '../writers/tiff.js';
import { writeSparseTiff } from '../writers/tiff-sparse.js';

const folder = tempFolder();
const write = (name: string) => writeTemp(folder, name, writeTiff({ pages: [countingPage(1)] }));
let server: RunningServer;
beforeAll(async () => {
  server = await createServer({ port: 0, decodeWorkers: 1, stateDir: folder, maxSessionTtlSeconds: 5000 });
});
afterAll(() => server.close());

const session = async (id: string, path = '', method = 'GET') =>
  (await (await fetch(`${server.url}/api/v2/sessions/${id}${path}`, { method })).json()) as SessionStatus;

describe('ttlSeconds', () => {
  it('is the life of the session, also after a renewal', async () => {
    const { sessionId } = await openOk(server.url, { path: write('a.tif'), ttlSeconds: 4000.5 });
    for (const { ttlSecondsRemaining } of [await session(sessionId), await session(sessionId, '/renew', 'POST')]) {
      expect(ttlSecondsRemaining).toBeGreaterThan(3900);
      expect(ttlSecondsRemaining).toBeLessThanOrEqual(4000.5);
    }
    const other = await openOk(server.url, { path: write('a.tif') });
    expect((await session(other.sessionId)).ttlSecondsRemaining).toBeLessThanOrEqual(600);
  });

  it.each([0, 0.5, -1, 5001, 1e300, '60', null])('of %j is refused', async (ttlSeconds) => {
    const [status, answer] = await postOpen(server.url, { path: write('a.tif'), ttlSeconds });
    expect([status, answer.error]).toEqual([422, 'request_validation_failed']);
    expect(JSON.stringify(answer)).toContain('ttlSeconds');
  });

  it('may be as long as that of all sessions, when the limit is shorter', async () => {
    const long = await createServer({
      ...{ port: 0, decodeWorkers: 1, stateDir: folder },
      ...{ sessionTtlSeconds: 900, maxSessionTtlSeconds: 100 },
    });
    try {
      await openOk(long.url, { path: write('a.tif'), ttlSeconds: 900 });
      expect((await postOpen(long.url, { path: write('a.tif'), ttlSeconds: 901 }))[0]).toBe(422);
    } finally {
      await long.close();
    }
  });
});

describe('decode: later', () => {
  it('answers as an open that decodes, and decodes each plane when it is read', async () => {
    const path = write('b.tif');
    const { sessionId: _now, zarr: _nowZarr, channels: decoded, ...now } = await openOk(server.url, { path });
    const { sessionId, zarr: _laterZarr, channels, ...later } = await openOk(server.url, { path, decode: 'later' });
    expect(later).toEqual(now);
    const [first, second] = await Promise.all(
      [decoded, channels].map(async ([channel]) => {
        const response = await fetch(server.url + channel!.dataUrl);
        expect(response.status).toBe(200);
        return Buffer.from(await response.arrayBuffer());
      }),
    );
    expect(second!.equals(first!)).toBe(true);
    expect((await session(sessionId)).channelIndices).toEqual([0]);
  });

  it('opens a file whose plane is damaged, and says so when the plane is read', async () => {
    const encode = () => new TextEncoder().encode('not deflate');
    const page = { ...countingPage(1), compression: 8, encode };
    const path = writeTemp(folder, 'damaged.tif', writeTiff({ pages: [page] }));
    expect((await postOpen(server.url, { path }))[1].error).toBe('decode_failed');
    const { channels } = await openOk(server.url, { path, decode: 'later' });
    const response = await fetch(server.url + channels[0]!.dataUrl);
    expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([500, 'decode_failed']);
  });

  it('reads planes from files of a set that the open did not read', async () => {
    const path = writeOif(join(folder, 'set'), frames());
    const { channels } = await openOk(server.url, { path, decode: 'later' });
    for (const [c, { dataUrl }] of channels.entries()) {
      const response = await fetch(server.url + dataUrl);
      expect(response.status).toBe(200);
      expect(new Float32Array(await response.arrayBuffer())[0]).toBe(1000 * c);
    }
  });

  it('opens a plane that is larger than memory, and reads its overview from the file', async () => {
    const path = writeSparseTiff(join(folder, 'long.tif'), { width: 512, height: 300_000 });
    const little = await createServer({ port: 0, decodeWorkers: 2, stateDir: folder, memoryBudgetBytes: 100e6 });
    try {
      expect((await postOpen(little.url, { path }))[1].error).toBe('plane_too_large');
      const { channels } = await openOk(little.url, { path, decode: 'small' });
      const { dataUrl } = channels[0]!;
      const overview = await fetch(
        little.url + dataUrl.replace(/data$/, 'overview?rows=260000:300000&height=7&width=3'),
      );
      expect([overview.status, overview.headers.get('x-array-shape')]).toEqual([200, '3,7,3']);
      expect(new Float32Array(await overview.arrayBuffer())).toEqual(new Float32Array(63));
      const plane = await fetch(little.url + dataUrl);
      expect([plane.status, ((await plane.json()) as { error: string }).error]).toEqual([413, 'plane_too_large']);
    } finally {
      await little.close();
    }
  });

  it('decodes planes of up to 256 MiB in the open when `small` is asked for', async () => {
    const path = write('d.tif');
    const { channels } = await openOk(server.url, { path, decode: 'small' });
    truncateSync(path, statSync(path).size - 1);
    expect((await fetch(server.url + channels[0]!.dataUrl)).status).toBe(200);
  });

  it('refuses a plane of a file that changed in the meantime', async () => {
    const path = write('c.tif');
    const { channels } = await openOk(server.url, { path, decode: 'later' });
    truncateSync(path, statSync(path).size - 1);
    const response = await fetch(server.url + channels[0]!.dataUrl);
    expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([409, 'source_changed']);
  });

  it('holds no planes, so that more can be open than fit in memory', async () => {
    const small = await createServer({ port: 0, decodeWorkers: 1, stateDir: folder, memoryBudgetBytes: 1000 });
    try {
      const path = write('d.tif');
      const opened = await Promise.all(Array.from({ length: 20 }, () => openOk(small.url, { path, decode: 'later' })));
      for (const { channels } of opened) expect((await fetch(small.url + channels[0]!.dataUrl)).status).toBe(200);
    } finally {
      await small.close();
    }
  });

  it('still checks the channels and the selection', async () => {
    const body = { path: write('a.tif'), decode: 'later' };
    expect((await postOpen(server.url, { ...body, channelIndices: [7] }))[1].error).toBe('channel_out_of_range');
    expect((await postOpen(server.url, { ...body, selection: { T: 3 } }))[1].error).toBe('selection_out_of_range');
    expect((await postOpen(server.url, { ...body, decode: 'never' }))[1].error).toBe('request_validation_failed');
  });
});

describe('source.revision', () => {
  it('is equal as long as the files are the same', async () => {
    const path = write('e.tif');
    const revision = async () => (await openOk(server.url, { path })).source.revision;
    const first = await revision();
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect(await revision()).toBe(first);
    expect((await openOk(server.url, { path, decode: 'later' })).source.revision).toBe(first);
    const { atime, mtime } = statSync(path);
    utimesSync(path, atime, new Date(mtime.getTime() + 1000));
    expect(await revision()).not.toBe(first);
  });

  it('stays that of the open when planes of other files are read', async () => {
    const opened = await openOk(server.url, { path: write('f.tif') });
    const response = await fetch(`${server.url}/api/v2/sessions/${opened.sessionId}/acquisition`);
    expect(((await response.json()) as typeof opened).source.revision).toBe(opened.source.revision);
  });
});
