/** What stays open between requests for planes of one session: as little as possible, and never for long. */
import { readdirSync, readlinkSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { OpenResponse } from '../../packages/client/src/contract/open.js';
import { DecodePool } from '../../packages/server/src/decode/pool.js';
import { SessionService } from '../../packages/server/src/sessions/service.js';
import { directGate } from '../support/gate.js';
import { frames } from '../support/oif.js';
import { takeSamples } from '../support/planes.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { type TestApp, testApp } from '../support/test-app.js';
import { countingPage, countingSamples } from '../support/tiff-cases.js';
import { watchedDecoder } from '../support/watched-decoder.js';
import { writeOif } from '../writers/oif.js';
import { writeTiff } from '../writers/tiff.js';

const FRAMES = 20;
const folder = tempFolder();

/** A stack of small frames, in a folder of its own. */
function stack(name: string, frameCount = FRAMES): string {
  const pages = Array.from({ length: frameCount }, (_, i) => countingPage(i));
  return writeTemp(folder, name, writeTiff({ pages }));
}

/** A real worker or two; counts what they are asked for. */
class Counted {
  opens = 0;
  planes = 0;
  readonly sessions: SessionService;

  constructor(workers: number) {
    this.sessions = new SessionService({
      decoder: watchedDecoder(new DecodePool({ workers, queue: 64, coldStart: true }), {
        onOpen: () => this.opens++,
        onPlane: () => {
          this.planes++;
        },
      }),
      gate: directGate(),
      roots: [],
      allowedExtensions: ['.tif', '.oif'],
      sessionTtlSeconds: 600,
      maxSessionTtlSeconds: 86_400,
      maxSessions: 64,
      memoryBudgetBytes: 2 ** 30,
      maxPlaneBytes: 2 ** 30,
      openTimeoutSeconds: 60,
    });
  }
}

const running: SessionService[] = [];
afterAll(() => Promise.all(running.map((sessions) => sessions.close())));
afterEach(() => void vi.useRealTimers());

interface Server {
  counted: Counted;
  ask: TestApp['ask'];
  open: (path: string, more?: object) => Promise<OpenResponse>;
  /** Reads a plane of the first channel. */
  read: (session: OpenResponse, query?: string) => Promise<number[]>;
  /** Reads a plane that must fail: returns the error code. */
  fail: (session: OpenResponse, query?: string) => Promise<string>;
}

async function start(workers: number): Promise<Server> {
  const counted = new Counted(workers);
  running.push(counted.sessions);
  const { ask } = await testApp({}, { sessions: counted.sessions });
  const get = ({ channels }: OpenResponse, query: string) => ask('GET', `${channels[0]!.dataUrl}${query}`);
  return {
    counted,
    ask,
    async open(path, more = {}) {
      const answer = await ask('POST', '/api/v2/open', { body: { path, ...more } });
      expect(answer.statusCode, answer.body).toBe(200);
      return answer.json();
    },
    async read(session, query = '') {
      const answer = await get(session, query);
      expect(answer.statusCode, answer.body).toBe(200);
      return [...new Float32Array(new Uint8Array(answer.rawPayload).buffer)];
    },
    async fail(session, query = '') {
      return (await get(session, query)).json().error;
    },
  };
}

/** Has one worker. */
let server: Server;
beforeAll(async () => {
  server = await start(1);
});
beforeEach(() => {
  server.counted.opens = 0;
  server.counted.planes = 0;
});

/** A worker has closed its file by then, unless another plane is read. It is not late with that yet. */
const KEPT_AT_MOST_MS = 400;

/** From here on, nothing is closed because time passes. */
const stopClock = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });

/** Descriptors of this process, workers included, that lead to a file; 'unknown' where the system does not tell. */
function descriptorsOf(path: string): number | 'unknown' {
  if (process.platform !== 'linux') return 'unknown';
  const links = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return '';
    }
  });
  return links.filter((link) => link.startsWith(path)).length;
}
const held = (count: number) => (process.platform === 'linux' ? count : 'unknown');

describe('planes of a session that are read one after the other', () => {
  it('cost one open of the file', async () => {
    const { counted, open, read } = await start(2);
    const session = await open(stack('scrub.tif'), { decode: 'later' });
    counted.opens = 0;
    stopClock();
    for (let z = 0; z < FRAMES; z++) expect(await read(session, `?Z=${z}`)).toEqual([...countingSamples(z)]);
    expect([counted.opens, counted.planes]).toEqual([1, FRAMES]);
    // It would start its second worker during another test.
    vi.useRealTimers();
    await counted.sessions.close();
  });

  it('cost one open with one worker, also when all are asked for at once', async () => {
    const { counted, open, read } = server;
    const session = await open(stack('at-once.tif'), { decode: 'later' });
    counted.opens = 0;
    const planes = await Promise.all(Array.from({ length: 8 }, (_, z) => read(session, `?Z=${z}`)));
    expect(planes).toEqual(Array.from({ length: 8 }, (_, z) => [...countingSamples(z)]));
    expect([counted.opens, counted.planes]).toEqual([1, 8]);
  });

  it('cost one open as traces, too', async () => {
    const { counted, open, ask } = server;
    const { sessionId } = await open(stack('traces.tif'), { decode: 'later' });
    counted.opens = 0;
    stopClock();
    const url = `/api/v2/sessions/${sessionId}/channels/0/traces`;
    const answer = await ask('POST', url, { body: { along: 'Z', regions: [{ rows: [0, 1], columns: [0, 1] }] } });
    const values = new Float32Array(new Uint8Array(answer.rawPayload).buffer);
    expect([...values]).toEqual(Array.from({ length: FRAMES }, (_, z) => 12 * z));
    expect([counted.opens, counted.planes]).toEqual([1, FRAMES]);
  });

  it('can be in files that nobody has read before', async () => {
    const { counted, open, read } = server;
    const session = await open(writeOif(join(folder, 'set'), frames()), { decode: 'later' });
    counted.opens = 0;
    stopClock();
    const first = await read(session, '?T=0&Z=0');
    for (const t of [0, 1])
      for (const z of [0, 1, 2]) expect((await read(session, `?T=${t}&Z=${z}`))[0]).toBe(first[0]! + 100 * t + 20 * z);
    expect(counted.opens).toBe(1);
  });

  it('do not keep another file from being opened', async () => {
    const { open, read } = server;
    const session = await open(stack('held.tif'), { decode: 'later' });
    stopClock();
    await read(session, '?Z=1');
    const other = await open(stack('other.tif'));
    expect(await read(other)).toEqual([...countingSamples(0)]);
    expect(await read(session, '?Z=2')).toEqual([...countingSamples(2)]);
  });
});

describe('two sessions of one file', () => {
  it('share its planes, also between both versions of the API', async () => {
    const path = stack('two.tif');
    const { counted, open, read, ask } = server;
    const first = await open(path);
    const second = await open(path);
    expect([counted.opens, counted.planes]).toEqual([2, 1]);
    expect(second.source.revision).toBe(first.source.revision);
    const v1 = await ask('POST', '/api/v1/open', { body: { path } });
    expect([v1.statusCode, counted.opens, counted.planes]).toEqual([200, 3, 1]);
    await ask('DELETE', `/api/v2/sessions/${first.sessionId}`);
    expect(await read(second)).toEqual([...countingSamples(0)]);
    await read(second, '?Z=3');
    const third = await open(path, { selection: { Z: 3 } });
    expect(await read(third)).toEqual([...countingSamples(3)]);
    expect([counted.opens, counted.planes]).toEqual([5, 2]);
  });

  it('are apart when the file was replaced in between', async () => {
    const path = stack('apart.tif');
    const { open, read } = server;
    const first = await open(path);
    const pages = Array.from({ length: FRAMES }, (_, i) => countingPage(i + 50));
    renameSync(writeTemp(folder, 'other-version.tif', writeTiff({ pages })), path);
    const second = await open(path);
    expect(second.source.revision).not.toBe(first.source.revision);
    expect([await read(first), await read(second)]).toEqual([[...countingSamples(0)], [...countingSamples(50)]]);
  });
});

describe('the file of a session', () => {
  it('is closed when no plane was read for a moment', async () => {
    const path = stack('idle.tif');
    const { open, read } = server;
    const session = await open(path);
    expect(descriptorsOf(path)).toBe(held(0));
    await read(session);
    expect(descriptorsOf(path)).toBe(held(0));
    stopClock();
    await read(session, '?Z=1');
    expect(descriptorsOf(path)).toBe(held(1));
    vi.advanceTimersByTime(KEPT_AT_MOST_MS);
    await expect.poll(() => descriptorsOf(path)).toBe(held(0));
  });

  it('is closed by the worker that has it, also when it has changed since', async () => {
    const path = stack('rewritten.tif');
    const { open, read } = server;
    const session = await open(path);
    const started = vi.fn();
    process.on('worker', started);
    try {
      stopClock();
      await read(session, '?Z=1');
      stack('rewritten.tif', FRAMES + 1);
      vi.advanceTimersByTime(KEPT_AT_MOST_MS);
      vi.useRealTimers();
      expect(await read(await open(path), '?Z=20')).toEqual([...countingSamples(FRAMES)]);
      expect(started).not.toHaveBeenCalled();
    } finally {
      process.off('worker', started);
    }
  });

  it('is closed when the session ends', async () => {
    const path = stack('deleted.tif');
    const { open, read, ask } = server;
    const session = await open(path);
    stopClock();
    await read(session, '?Z=1');
    await ask('DELETE', `/api/v2/sessions/${session.sessionId}`);
    await expect.poll(() => descriptorsOf(path)).toBe(held(0));
  });

  it('is closed when the server stops', async () => {
    const path = stack('stopped.tif');
    const { counted, open, read } = await start(1);
    const session = await open(path);
    stopClock();
    await read(session, '?Z=1');
    const closing = counted.sessions.close();
    await vi.advanceTimersByTimeAsync(1);
    expect(await closing).toBe(true);
    expect(descriptorsOf(path)).toBe(held(0));
  });
});

describe.runIf(process.platform !== 'win32')('a file that changes while it is kept open', () => {
  it.each<[string, (path: string) => void]>([
    [
      'was written to',
      (path) => writeFileSync(path, writeTiff({ pages: Array.from({ length: FRAMES }, () => countingPage(99)) })),
    ],
    ['was replaced', (path) => renameSync(stack('replacement.tif'), path)],
    ['was truncated', (path) => truncateSync(path, 600)],
    ['was deleted', (path) => rmSync(path)],
    ['was moved', (path) => renameSync(path, `${path}.moved`)],
  ])('is not read further when it %s', async (name, change) => {
    const path = stack(`${name.replaceAll(' ', '-')}.tif`);
    const { open, read, fail } = server;
    const session = await open(path);
    stopClock();
    await read(session, '?Z=1');
    change(path);
    expect(await fail(session, '?Z=19')).toBe('source_changed');
    await expect.poll(() => descriptorsOf(path)).toBe(held(0));
    // Again, by a worker that opens the file anew.
    expect(await fail(session, '?Z=3')).toBe('source_changed');
  });
});

describe('a client that leaves', () => {
  it('stops the decode; who else waits for planes of the file gets them', async () => {
    const path = writeTemp(
      folder,
      'slow.tif',
      writeTiff({
        pages: [4, 5].map((value) => {
          const [width, height] = [1000, 3_000];
          return {
            width,
            height,
            samples: new Uint16Array(width * height).fill(value),
            compression: 8,
            rowsPerStrip: 100,
          };
        }),
      }),
    );
    const { counted, open } = server;
    const { sessionId } = await open(path, { decode: 'later' });
    const plane = (z: number, signal?: AbortSignal) =>
      counted.sessions.read({ sessionId, kind: 'channel', channelIndex: 0, z }, 'served', signal);
    const client = new AbortController();
    const leaving = plane(0, client.signal);
    const staying = plane(1);
    await expect.poll(() => counted.planes, { interval: 1 }).toBe(1);
    client.abort(new Error('client left'));
    await expect(leaving).rejects.toThrow('client left');
    expect(takeSamples(await staying).every((value) => value === 5)).toBe(true);
    // One for the session, one for the plane that was stopped, one in the worker that took its place.
    expect(counted.opens).toBe(3);
  });
});
