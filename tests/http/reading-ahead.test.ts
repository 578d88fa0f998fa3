/** A client that steps through a stack finds the next planes decoded, and nobody else pays for it. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { OpenResponse } from '../../packages/client/src/contract/open.js';
import { AcqError } from '../../packages/readers/src/base/errors.js';
import { DecodePool } from '../../packages/server/src/decode/pool.js';
import type { PlaneRequest } from '../../packages/server/src/decode/types.js';
import { SessionService } from '../../packages/server/src/sessions/service.js';
import type { SessionServiceOptions } from '../../packages/server/src/sessions/service-options.js';
import { deferred } from '../../packages/server/src/waiting.js';
import { directGate } from '../support/gate.js';
import { takeSamples } from '../support/planes.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { testApp } from '../support/test-app.js';
import { countingPage, countingSamples, description } from '../support/tiff-cases.js';
import { watchedDecoder } from '../support/watched-decoder.js';
import { writeTiff } from '../writers/tiff.js';

const folder = tempFolder();
/** Of 4 × 3 samples of 16 bits. */
const PLANE_BYTES = 24;

interface Sizes {
  T?: number;
  Z?: number;
  C?: number;
}

/** Writes a stack whose planes are, in their order, those of `countingSamples`. */
function stack(name: string, { T = 1, Z = 1, C = 1 }: Sizes, compression = 1): string {
  const images = T * Z * C;
  const text = `ImageJ=1.54f\nimages=${images}\nchannels=${C}\nslices=${Z}\nframes=${T}\nhyperstack=true\n`;
  const pages = Array.from({ length: images }, (_, i) => ({
    ...countingPage(i, i === 0 ? [description(text)] : []),
    compression,
  }));
  return writeTemp(folder, name, writeTiff({ pages }));
}

/** A door that a test opens. */
function closedDoor() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

const running: SessionService[] = [];
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(running.splice(0).map((sessions) => sessions.close()));
});

interface Setup extends Partial<SessionServiceOptions> {
  workers?: number;
}

/** Starts a server with real workers, and notes what they are asked for. */
async function start({ workers = 2, ...options }: Setup = {}) {
  const pool = new DecodePool({ workers, queue: 64, coldStart: true });
  /** Planes that were asked for: `T/Z`, and the channel unless it is the first. */
  const decodes: string[] = [];
  const seen = { tries: 0, signals: [] as AbortSignal[], onPlane: async (_plane: string) => {} };
  const nameOf = (request: PlaneRequest) => {
    const place = request.kind === 'channel' ? `${request.t}/${request.z}` : 'reference';
    return request.channel === 0 ? place : `${place}/${request.channel}`;
  };
  const decoder = watchedDecoder(pool, {
    onTry: ({ signal }) => {
      seen.tries++;
      seen.signals.push(signal);
    },
    onPlane: (request) => {
      decodes.push(nameOf(request));
      return seen.onPlane(nameOf(request));
    },
  });
  const sessions = new SessionService({
    decoder: Object.defineProperty(decoder, 'occupancy', { get: () => pool.occupancy }),
    gate: directGate(),
    roots: [],
    allowedExtensions: ['.tif'],
    sessionTtlSeconds: 600,
    maxSessionTtlSeconds: 86_400,
    maxSessions: 64,
    memoryBudgetBytes: 2 ** 30,
    maxPlaneBytes: 2 ** 30,
    openTimeoutSeconds: 60,
    ...options,
  });
  running.push(sessions);
  const { ask } = await testApp({}, { sessions });
  const get = ({ channels }: OpenResponse, query: string, channel = 0) =>
    ask('GET', `${channels[channel]!.dataUrl}${query}`);
  return {
    ...{ sessions, pool, ask, get, decodes, seen },
    async open(path: string, more: object = {}): Promise<OpenResponse> {
      const answer = await ask('POST', '/api/v2/open', { body: { path, decode: 'later', ...more } });
      expect(answer.statusCode, answer.body).toBe(200);
      return answer.json();
    },
    /** Reads a plane as it is in memory, so that the answer takes none. */
    async read(session: OpenResponse, query: string, channel = 0): Promise<number[]> {
      const answer = await get(session, `${query}&type=native`, channel);
      expect(answer.statusCode, answer.body).toBe(200);
      return [...new Uint16Array(new Uint8Array(answer.rawPayload).buffer)];
    },
  };
}

const decodeTime = (header: unknown) => Number(/decode;dur=([\d.]+)/.exec(String(header))?.[1]);
const places = (from: number, to: number, name: (i: number) => string) =>
  Array.from({ length: to - from + 1 }, (_, i) => name(from + i));

describe('reading ahead', () => {
  it('decodes the next two planes of a client that has made two steps, which the client does not wait for', async () => {
    const { open, get, decodes } = await start();
    const session = await open(stack('two-steps.tif', { T: 12 }));
    for (let t = 0; t < 3; t++) await get(session, `?T=${t}`);
    await expect.poll(() => decodes.toSorted()).toEqual(places(0, 4, (t) => `${t}/0`));
    const answer = await get(session, '?T=3');
    expect([...new Float32Array(new Uint8Array(answer.rawPayload).buffer)]).toEqual([...countingSamples(3)]);
    expect(decodeTime(answer.headers['server-timing'])).toBe(0);
    await expect.poll(() => decodes.toSorted()).toEqual(places(0, 5, (t) => `${t}/0`));
  });

  it.each<[string, Sizes, string[]]>([
    ['forward in time', { T: 9 }, places(0, 8, (t) => `?T=${t}`)],
    ['back in time', { T: 9 }, places(0, 8, (t) => `?T=${8 - t}`)],
    ['up through depth', { T: 2, Z: 9 }, places(0, 8, (z) => `?T=1&Z=${z}`)],
    ['down through depth', { T: 2, Z: 9 }, places(0, 8, (z) => `?Z=${8 - z}`)],
    ['forward in the type of the file', { T: 9 }, places(0, 8, (t) => `?T=${t}&type=native`)],
  ])('reads each plane once for who goes %s, to the end and no further', async (way, sizes, queries) => {
    const { open, get, decodes, seen } = await start();
    const session = await open(stack(`${way.replaceAll(' ', '-')}.tif`, sizes));
    let waits = 0;
    for (const query of queries) {
      const answer = await get(session, query);
      expect(answer.statusCode, answer.body).toBe(200);
      if (decodeTime(answer.headers['server-timing']) > 0) waits++;
    }
    expect(decodes).toHaveLength(9);
    expect(new Set(decodes).size).toBe(9);
    // The first three, and no other: the next plane is always on its way.
    expect([waits, seen.tries]).toEqual([3, 6]);
  });

  it('follows the channels of a client that reads several at each place', async () => {
    const { open, read, decodes, seen } = await start();
    const session = await open(stack('channels.tif', { T: 8, C: 2 }));
    for (let t = 0; t < 3; t++) for (const channel of [0, 1]) await read(session, `?T=${t}`, channel);
    await expect.poll(() => decodes.toSorted().slice(-2)).toEqual(['3/0', '3/0/1']);
    for (let t = 3; t < 8; t++) {
      for (const channel of [0, 1])
        expect(await read(session, `?T=${t}`, channel)).toEqual([...countingSamples(2 * t + channel)]);
    }
    expect(decodes).toHaveLength(16);
    expect(seen.tries).toBeGreaterThanOrEqual(8);
  });

  it('forgets a channel that the client does not read any more', async () => {
    const { open, read, decodes } = await start();
    const session = await open(stack('hidden.tif', { T: 9, C: 2 }));
    for (let t = 0; t < 3; t++) for (const channel of [0, 1]) await read(session, `?T=${t}`, channel);
    for (let t = 3; t < 6; t++) await read(session, `?T=${t}`);
    await expect.poll(() => decodes.toSorted().slice(-2)).toEqual(['6/0', '7/0']);
  });

  it.each<[string, string[]]>([
    ['jumps', ['0', '2', '4', '6', '1', '3']],
    ['turns after each step', ['3', '4', '3', '4', '3', '4']],
    ['reads one plane again and again', ['1', '2', '2', '2']],
    ['makes one step', ['5', '6']],
  ])('does not start for a client that %s', async (way, times) => {
    const { open, read, decodes, seen } = await start();
    const session = await open(stack(`${way.replaceAll(' ', '-')}.tif`, { T: 9 }));
    for (const t of times) await read(session, `?T=${t}`);
    expect(seen.tries).toBe(0);
    expect(decodes).toHaveLength(new Set(times).size);
  });

  it('tries a plane once', async () => {
    const { open, read, decodes, seen } = await start();
    const session = await open(stack('once-only.tif', { T: 9 }));
    seen.onPlane = async (plane) => {
      if (plane === '5/0') throw new AcqError('decode_failed', 'cannot be read');
    };
    for (let t = 0; t < 4; t++) await read(session, `?T=${t}`);
    await expect.poll(() => decodes).toContain('5/0');
    await read(session, '?T=4');
    await expect.poll(() => decodes).toContain('6/0');
    expect(decodes.filter((plane) => plane === '5/0')).toHaveLength(1);
  });

  it('goes on after a plane that fails late', async () => {
    const { open, read, decodes, seen } = await start();
    const session = await open(stack('late.tif', { T: 9 }));
    const fails = deferred();
    seen.onPlane = async (plane) => {
      if (plane !== '5/0') return;
      await fails.promise;
      throw new AcqError('decode_failed', 'cannot be read');
    };
    for (let t = 0; t < 4; t++) await read(session, `?T=${t}`);
    await expect.poll(() => decodes).toContain('5/0');
    await read(session, '?T=4');
    fails.resolve();
    await expect.poll(() => decodes).toContain('6/0');
  });

  it('does not start for a session that has expired meanwhile', async () => {
    let now = 0;
    const { open, read, seen } = await start({ now: () => now });
    const session = await open(stack('expired.tif', { T: 9 }));
    seen.onPlane = async (plane) => {
      if (plane === '2/0') now += 600_000;
    };
    for (let t = 0; t < 3; t++) await read(session, `?T=${t}`);
    expect(seen.tries).toBe(0);
  });

  it('does not start for steps along time and depth in turns', async () => {
    const { open, read, seen } = await start();
    const session = await open(stack('stairs.tif', { T: 4, Z: 4 }));
    for (const place of ['?T=0&Z=0', '?T=1&Z=0', '?T=1&Z=1', '?T=2&Z=1', '?T=2&Z=2']) await read(session, place);
    expect(seen.tries).toBe(0);
  });

  it('does not start for projections, and not for planes that are in memory', async () => {
    const { open, read, get, decodes, seen } = await start();
    const path = stack('projected.tif', { T: 9, Z: 2 });
    const projected = await open(path, { projection: { Z: 'max' } });
    for (let t = 0; t < 5; t++) expect((await get(projected, `?T=${t}`)).statusCode).toBe(200);
    expect(seen.tries).toBe(0);
    const session = await open(path);
    for (let t = 0; t < 9; t++) await read(session, `?T=${t}&Z=0`);
    decodes.length = 0;
    seen.tries = 0;
    for (let t = 0; t < 9; t++) await read(session, `?T=${t}&Z=0`);
    expect([decodes, seen.tries]).toEqual([[], 0]);
  });
});

describe('reading ahead does not disturb others', () => {
  it('when the workers are busy, or somebody waits for one', async () => {
    const { open, read, pool, decodes, seen } = await start({ workers: 1 });
    const session = await open(stack('busy.tif', { T: 9 }));
    const other = await open(stack('other.tif', { T: 2 }));
    const waiting: Promise<unknown>[] = [];
    seen.onPlane = async (plane) => {
      if (plane !== '2/0' || waiting.length > 0) return;
      waiting.push(read(other, '?T=1'));
      await expect.poll(() => pool.occupancy.waiting).toBe(1);
    };
    for (let t = 0; t < 3; t++) await read(session, `?T=${t}`);
    expect([decodes.slice(0, 3), seen.tries]).toEqual([['0/0', '1/0', '2/0'], 0]);
    await Promise.all(waiting);
    expect([decodes, seen.tries]).toEqual([['0/0', '1/0', '2/0', '1/0'], 0]);
    // Now there is a worker.
    await read(session, '?T=3');
    await expect.poll(() => decodes.slice(4)).toEqual(['3/0', '4/0', '5/0']);
  });

  it('when memory has no room beside what is in it', async () => {
    const { open, read, sessions, decodes } = await start({ workers: 1, memoryBudgetBytes: 5 * PLANE_BYTES });
    const session = await open(stack('full.tif', { T: 9 }));
    for (let t = 0; t < 3; t++) await read(session, `?T=${t}`);
    await expect.poll(() => decodes).toEqual(['0/0', '1/0', '2/0', '3/0']);
    await expect.poll(() => sessions.load()).toMatchObject({ usedBytes: 4 * PLANE_BYTES, scratchBytes: 0 });
    for (const t of [0, 1, 2, 3, 4, 5, 6, 7, 8])
      expect(await read(session, `?T=${t}`)).toEqual([...countingSamples(t)]);
    // Each of the others is decoded when it is read, and nothing is decoded twice.
    expect(decodes.toSorted()).toEqual(places(0, 8, (t) => `${t}/0`));
  });

  it('when memory has no room for what the decode takes beside the plane', async () => {
    // A deflated strip takes as much as two planes.
    const { open, read, sessions, decodes, seen } = await start({ workers: 1, memoryBudgetBytes: 6 * PLANE_BYTES - 1 });
    const session = await open(stack('scratch.tif', { T: 9 }, 8));
    for (let t = 0; t < 3; t++) await read(session, `?T=${t}`);
    await expect.poll(() => sessions.load()).toMatchObject({ usedBytes: 3 * PLANE_BYTES, scratchBytes: 0 });
    expect([seen.tries, decodes]).toEqual([1, ['0/0', '1/0', '2/0']]);
  });

  it('when the memory of the user is used up', async () => {
    const { sessions, seen } = await start({ memoryPerOwnerBytes: 3 * PLANE_BYTES });
    const path = stack('owner.tif', { T: 9 });
    const request = { path, options: { decode: 'later' as const }, picked: false };
    const { sessionId } = await sessions.open({ ...request, owner: 'ana' });
    const read = async (t: number) =>
      takeSamples(await sessions.read({ sessionId, kind: 'channel', channelIndex: 0, t }, 'served'));
    for (let t = 0; t < 3; t++) await read(t);
    expect(seen.tries).toBe(0);
  });

  it('when the memory is needed while a plane is being decoded', async () => {
    const { open, read, sessions, decodes, seen } = await start({ workers: 1, memoryBudgetBytes: 4 * PLANE_BYTES });
    const { sessionId, ...session } = await open(stack('needed.tif', { T: 9 }));
    const door = closedDoor();
    seen.onPlane = async (plane) => {
      if (plane === '3/0') await door.opened;
    };
    for (let t = 0; t < 3; t++) await read({ sessionId, ...session }, `?T=${t}`);
    await expect.poll(() => decodes).toContain('3/0');
    // Three planes that somebody uses, and one that nobody has asked for: all of the memory.
    const plane = (t: number) => sessions.read({ sessionId, kind: 'channel', channelIndex: 0, t }, 'native');
    const held = await Promise.all([0, 1, 2].map(plane));
    const asked = plane(8).then(takeSamples, (error: AcqError) => error.code);
    await new Promise((resolve) => setImmediate(resolve));
    door.open();
    expect([...(await asked)]).toEqual([...countingSamples(8)]);
    for (const { release } of held) release();
    // What was given up is decoded for who asks for it.
    expect([...takeSamples(await plane(3))]).toEqual([...countingSamples(3)]);
  });
});

describe('a plane that is read ahead', () => {
  /** Steps to T = 2; what is read ahead from there waits for the door. */
  async function aheadOf(name: string, failures = 0) {
    const server = await start();
    const session = await server.open(stack(name, { T: 9 }));
    const door = closedDoor();
    server.seen.onPlane = async (plane) => {
      if (Number.parseInt(plane, 10) > 2) await door.opened;
      if (plane === '3/0' && failures-- > 0) throw new AcqError('decode_failed', 'cannot be read');
    };
    for (let t = 0; t < 3; t++) await server.read(session, `?T=${t}`);
    await expect.poll(() => server.decodes.includes('3/0')).toBe(true);
    const { sessionId } = session;
    const ask = (signal?: AbortSignal) =>
      server.sessions.read({ sessionId, kind: 'channel', channelIndex: 0, t: 3 }, 'native', signal);
    return { ...server, session, door, ask };
  }
  const count = (decodes: readonly string[], plane: string) => decodes.filter((each) => each === plane).length;

  it('is decoded once, also when the client asks for it meanwhile, or has left', async () => {
    const { decodes, door, ask } = await aheadOf('once.tif');
    const client = new AbortController();
    const leaving = ask(client.signal);
    client.abort(new Error('client left'));
    await expect(leaving).rejects.toThrow('client left');
    const staying = ask();
    door.open();
    expect([...takeSamples(await staying)]).toEqual([...countingSamples(3)]);
    expect(count(decodes, '3/0')).toBe(1);
  });

  it('is there for the client who waits for it when its session ends', async () => {
    const { decodes, door, ask, sessions, session } = await aheadOf('ended.tif');
    const asked = ask();
    await sessions.delete(session.sessionId);
    door.open();
    expect([...takeSamples(await asked)]).toEqual([...countingSamples(3)]);
    expect(count(decodes, '3/0')).toBe(1);
    await expect.poll(() => sessions.load().usedBytes).toBe(0);
  });

  it.each([
    ['is decoded for its client when that failed before', 1, undefined],
    ['that cannot be decoded is reported to its client alone', 2, 'decode_failed'],
  ])('%s', async (_what, failures, error) => {
    const { decodes, door, get, session } = await aheadOf(`failed-${failures}.tif`, failures);
    const asked = get(session, '?T=3');
    door.open();
    const answer = await asked;
    expect(error === undefined ? answer.statusCode : answer.json().error).toBe(error ?? 200);
    expect(decodes.filter((plane) => plane === '3/0')).toHaveLength(2);
  });

  it('leaves nothing when its session is deleted', async () => {
    const { door, ask, pool, sessions, session, decodes } = await aheadOf('deleted.tif');
    expect(sessions.load().usedBytes).toBeGreaterThan(3 * PLANE_BYTES);
    await sessions.delete(session.sessionId);
    door.open();
    await expect.poll(() => sessions.load()).toMatchObject({ usedBytes: 0, scratchBytes: 0, sessions: 0 });
    await expect.poll(() => pool.occupancy.busy).toBe(0);
    await expect(ask()).rejects.toMatchObject({ code: 'session_not_found' });
    // It does not go on from there.
    expect(decodes.filter((plane) => Number.parseInt(plane, 10) > 4)).toEqual([]);
  });

  it('is stopped a moment after its session has ended, unless it is there by then', async () => {
    const { door, sessions, session, seen } = await aheadOf('stopped-late.tif');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await sessions.delete(session.sessionId);
    expect(seen.signals.some(({ aborted }) => aborted)).toBe(false);
    await vi.advanceTimersByTimeAsync(250);
    expect(seen.signals.every(({ aborted }) => aborted)).toBe(true);
    vi.useRealTimers();
    door.open();
    await expect.poll(() => sessions.load()).toMatchObject({ usedBytes: 0, scratchBytes: 0 });
  });

  it('leaves nothing when the server stops', async () => {
    const { door, sessions } = await aheadOf('stopped.tif');
    const closing = sessions.close();
    door.open();
    expect(await closing).toBe(true);
    await expect.poll(() => sessions.load().usedBytes).toBe(0);
  });
});
