import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import type { AcqError } from '../../packages/readers/src/base/errors.js';
import { DecodePool } from '../../packages/server/src/decode/pool.js';
import type { DecodeLease, Decoder } from '../../packages/server/src/decode/types.js';
import { WorkerThread } from '../../packages/server/src/decode/worker-thread.js';
import { SessionService } from '../../packages/server/src/sessions/service.js';
import type { SessionServiceOptions } from '../../packages/server/src/sessions/service-options.js';
import type { OpenSessionRequest } from '../../packages/server/src/sessions/types.js';
import { directGate } from '../support/gate.js';
import { takeSamples } from '../support/planes.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { writeTiff } from '../writers/tiff.js';

const folder = tempFolder();
/** One pool for all tests: each of them must leave it as good as new. */
const pool = new DecodePool({ workers: 2, queue: 64, coldStart: true });
const running: SessionService[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((sessions) => sessions.close()));
});
afterAll(() => pool.close());

interface Setup extends Partial<SessionServiceOptions> {
  /** Puts itself between the sessions and the real workers. */
  wrap?: (decoder: Decoder) => Decoder;
}

function start({ wrap = (decoder) => decoder, ...options }: Setup = {}): SessionService {
  const borrowed: Decoder = {
    ready: () => pool.ready(),
    lease: pool.lease.bind(pool),
    tryLease: pool.tryLease.bind(pool),
    letGo: pool.letGo.bind(pool),
    close: async () => true,
  };
  const sessions = new SessionService({
    decoder: wrap(borrowed),
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
  return sessions;
}

/** Runs `meddle` when a worker has opened the file and read nothing of its pixels, or just before it opens the file. */
function meddling(meddle: () => void, when: 'opened' | 'before' = 'opened') {
  return (decoder: Decoder): Decoder => ({
    lease: (options, work) =>
      decoder.lease(options, (lease) => {
        const open: DecodeLease['open'] = async (file) => {
          if (when === 'before') meddle();
          const opened = await lease.open(file);
          if (when === 'opened') meddle();
          return opened;
        };
        return work({ ...lease, open });
      }),
    tryLease: () => undefined,
    letGo: (keep) => decoder.letGo(keep),
    ready: () => decoder.ready(),
    close: () => decoder.close(),
  });
}

/** Two channels of 30 lines × 20 pixels: sample = 1000 · channel + index. */
function smallTiff(name: string, more = 0): string {
  const samples = [0, 1000].map((start) => Uint16Array.from({ length: 600 }, (_, i) => start + i + more));
  return writeTemp(folder, name, writeTiff({ pages: [{ width: 20, height: 30, samples, planar: true }] }));
}

/** Deflated channels of 1100 × 1000 pixels, each filled with one value: 4.4 MB a plane as float32. */
function largeTiff(name: string, values: readonly number[], height = 1100, width = 1000): string {
  const samples = values.map((value) => new Uint16Array(width * height).fill(value));
  const page = { width, height, samples, planar: true, compression: 8, rowsPerStrip: 100 };
  return writeTemp(folder, name, writeTiff({ pages: [page] }));
}

/** Something that others wait for. */
class Gate {
  open: () => void = () => undefined;
  readonly opened = new Promise<void>((resolve) => {
    this.open = resolve;
  });
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

const open = (sessions: SessionService, path: string, more: Partial<OpenSessionRequest> = {}) =>
  sessions.open({ path, options: {}, picked: false, ...more });

async function samplesOf(sessions: SessionService, sessionId: string, channelIndex: number): Promise<Float32Array> {
  return takeSamples(await sessions.read({ sessionId, kind: 'channel', channelIndex }, 'served'));
}

const failureOf = (action: Promise<unknown>): Promise<AcqError> =>
  action.then(
    () => {
      throw new Error('it did not fail');
    },
    (error: AcqError) => error,
  );

/** Descriptors of this process, workers included, that lead to `path`; empty where the system does not tell. */
function descriptorsOf(path: string): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(path);
    } catch {
      return false;
    }
  });
}

describe('a file on disk', () => {
  it('is opened, served and let go', async () => {
    const path = smallTiff('plain.tif');
    const sessions = start();
    const response = await open(sessions, path);
    expect(descriptorsOf(path)).toEqual([]);
    expect(response.source).toMatchObject({ path, name: 'plain.tif', format: 'tif', sourceDtype: 'uint16' });
    expect(response.plane.shape).toEqual([30, 20]);
    for (const channel of [0, 1]) {
      expect(await samplesOf(sessions, response.sessionId, channel)).toEqual(
        Float32Array.from({ length: 600 }, (_, i) => 1000 * channel + i),
      );
    }
  });

  it('takes one message to open, and one for all small planes, which closes it', async () => {
    const path = smallTiff('messages.tif');
    const call = vi.spyOn(WorkerThread.prototype, 'call');
    const kinds = () => call.mock.calls.splice(0).map(([, kind]) => kind);
    try {
      const sessions = start();
      await open(sessions, path);
      expect(kinds()).toEqual(['open', 'plane']);
      expect(descriptorsOf(path)).toEqual([]);
      // Planes of another session are used: the files are compared after them.
      await open(sessions, path);
      expect(kinds()).toEqual(['open', 'close']);
      expect(descriptorsOf(path)).toEqual([]);
    } finally {
      call.mockRestore();
    }
  });

  it('is let go when opening it fails', async () => {
    const path = smallTiff('picky.tif');
    const failure = await failureOf(open(start(), path, { options: { channelIndices: [5] } }));
    expect(failure.code).toBe('channel_out_of_range');
    expect(descriptorsOf(path)).toEqual([]);
  });

  it('can be opened many times at once', async () => {
    const path = smallTiff('popular.tif');
    const sessions = start();
    const responses = await Promise.all(Array.from({ length: 24 }, () => open(sessions, path)));
    expect(new Set(responses.map(({ sessionId }) => sessionId)).size).toBe(24);
    for (const { sessionId } of responses) expect((await samplesOf(sessions, sessionId, 1))[599]).toBe(1599);
  });
});

describe('memory that held another plane', () => {
  /** Reads the plane of a file into blocks of 4 rows of 30 samples, all of them 7. */
  async function readIntoUsed(path: string): Promise<number[][]> {
    const block = (rows: number) => ({
      buffer: new Float32Array(rows * 30).fill(7).buffer,
      byteLength: rows * 120,
      isUsed: true,
    });
    const memory = { rowsPerBlock: 4, blocks: [4, 4, 4, 4, 4].map(block) };
    await pool.lease({ label: basename(path), signal: new AbortController().signal }, async (lease) => {
      await lease.open({ located: { path }, selection: undefined, allowedExtensions: ['.tif'] });
      await lease.plane({ kind: 'channel', scene: 0, channel: 0, t: 0, z: 0, type: 'float32' }, memory);
    });
    return memory.blocks.map(({ buffer }) => [...new Float32Array(buffer)]);
  }

  it('holds nothing of it after a worker has decoded into it', async () => {
    const samples = Uint16Array.from({ length: 600 }, (_, i) => 1000 + i);
    const bytes = writeTiff({ pages: [{ width: 30, height: 20, samples, rowsPerStrip: 3 }] });
    const whole = await readIntoUsed(writeTemp(folder, 'whole.tif', bytes));
    expect(whole.flat()).toEqual([...samples]);
  });

  it('is zero where strips were never written', async () => {
    const samples = Uint16Array.from({ length: 600 }, (_, i) => 1000 + i);
    const page = { width: 30, height: 20, samples, rowsPerStrip: 3, sparse: [0, 2, 5, 6] };
    const sparse = await readIntoUsed(writeTemp(folder, 'sparse.tif', writeTiff({ pages: [page] })));
    const expected = [...samples].map((value, i) => ([0, 2, 5, 6].includes(Math.floor(i / 90)) ? 0 : value));
    expect(sparse.flat()).toEqual(expected);
  });
});

describe('a file that changes while it is opened', () => {
  it.each<[string, (path: string, times: number) => void, string]>([
    ['grows all the time', (path) => appendFileSync(path, 'more'), 'decode_failed'],
    ['shrinks', (path) => truncateSync(path, 500), 'decode_failed'],
    ['is emptied', (path) => truncateSync(path, 0), 'decode_failed'],
    ['is written to all the time', (path, times) => utimesSync(path, times, times), 'decode_failed'],
    ['vanishes', (path, times) => times === 0 && unlinkSync(path), 'decode_failed'],
    ['is replaced', (path, times) => times === 0 && renameSync(smallTiff('replacement.tif'), path), 'decode_failed'],
  ])('because it %s is not served', async (name, change, code) => {
    const path = smallTiff(`${name.replaceAll(' ', '-')}.tif`);
    let times = 0;
    const sessions = start({ maxSessions: 1, wrap: meddling(() => change(path, times++)) });
    const failure = await failureOf(open(sessions, path));
    expect(failure.code).toBe(code);
    expect(failure.message).toContain(`${name.replaceAll(' ', '-')}.tif`);
    expect(descriptorsOf(path)).toEqual([]);
    // The server is as it was: the next file opens.
    expect((await open(sessions, smallTiff('next.tif'))).ok).toBe(true);
  });

  it('is served in the state that it has when the changes have ended, even after four of them', async () => {
    const path = smallTiff('resting.tif');
    let times = 0;
    const sessions = start({ wrap: meddling(() => times++ < 4 && smallTiff('resting.tif', times)) });
    const { sessionId } = await open(sessions, path);
    expect(times).toBe(5);
    expect((await samplesOf(sessions, sessionId, 1))[599]).toBe(1599 + 4);
  });

  it('says what happened', async () => {
    const path = smallTiff('live.tif');
    const failure = await failureOf(open(start({ wrap: meddling(() => appendFileSync(path, '0123456789')) }), path));
    expect(failure.message).toMatch(
      /^live\.tif: .*live\.tif had [\d,]+ bytes and now has [\d,]+\)\. If it is still being written/,
    );
  });
});

it('a session of the warm-up does not take the place of a client', async () => {
  const sessions = start({ maxSessions: 1 });
  const path = smallTiff('warm.tif');
  await open(sessions, path, { isWarmUp: true });
  expect((await open(sessions, path)).ok).toBe(true);
  await open(sessions, path, { isWarmUp: true });
  expect((await failureOf(open(sessions, path))).code).toBe('capacity_exceeded');
});

describe('a path that is replaced between the check and the open', () => {
  /** The file lies in a folder of its own; `secret` is the same image elsewhere, with other samples. */
  function setUp(name: string) {
    const inside = join(folder, name);
    const elsewhere = join(folder, `${name} elsewhere`);
    for (const path of [inside, elsewhere]) mkdirSync(path);
    const path = join(inside, 'scan.tif');
    const secret = join(elsewhere, 'scan.tif');
    renameSync(smallTiff(`${name}-1.tif`), path);
    renameSync(smallTiff(`${name}-2.tif`), secret);
    return { inside, elsewhere, path, secret };
  }

  it.each<[string, (at: ReturnType<typeof setUp>) => void]>([
    [
      'a link to another file',
      ({ path, secret }) => {
        unlinkSync(path);
        symlinkSync(secret, path);
      },
    ],
    ['another file', ({ path, secret }) => renameSync(secret, path)],
    [
      'a folder that is a link',
      ({ inside, elsewhere }) => {
        renameSync(inside, `${inside} moved`);
        symlinkSync(elsewhere, inside);
      },
    ],
  ])('by %s is refused', async (name, replace) => {
    const at = setUp(`replaced by ${name}`);
    let times = 0;
    const sessions = start({ roots: [at.inside], wrap: meddling(() => times++ === 0 && replace(at), 'before') });
    const failure = await failureOf(open(sessions, at.path));
    expect(failure).toMatchObject({
      code: 'path_not_allowed',
      message: 'scan.tif was replaced while it was opened. Open it again.',
    });
    expect(times).toBe(1);
    expect(descriptorsOf(at.secret)).toEqual([]);
  });

  it('by another folder is refused as well', async () => {
    const store = join(folder, 'store.ome.zarr');
    mkdirSync(store);
    const sessions = start({
      allowedExtensions: ['.ome.zarr'],
      wrap: meddling(() => {
        renameSync(store, `${store} moved`);
        mkdirSync(store);
      }, 'before'),
    });
    expect(await failureOf(open(sessions, store))).toMatchObject({ code: 'path_not_allowed' });
  });
});

describe('planes that were dropped from memory', () => {
  /** Room for one of two sessions of 2,400 bytes. */
  async function dropped(name: string) {
    const path = smallTiff(name);
    const sessions = start({ memoryBudgetBytes: 2_500 });
    const { sessionId } = await open(sessions, path);
    await open(sessions, smallTiff('other.tif'));
    return { path, sessions, sessionId };
  }

  it('are read from the file again', async () => {
    const { path, sessions, sessionId } = await dropped('again.tif');
    expect((await samplesOf(sessions, sessionId, 1))[599]).toBe(1599);
    await expect.poll(() => descriptorsOf(path)).toEqual([]);
  });

  it.each<[string, (path: string) => void]>([
    ['grew', (path) => appendFileSync(path, 'more')],
    ['was written to', (path) => utimesSync(path, 1, 1)],
    ['is gone', (path) => unlinkSync(path)],
    ['was replaced', (path) => renameSync(smallTiff('twin.tif'), path)],
  ])('are not read from a file that %s', async (name, change) => {
    const { path, sessions, sessionId } = await dropped(`since-${name.replaceAll(' ', '-')}.tif`);
    change(path);
    const failure = await failureOf(samplesOf(sessions, sessionId, 0));
    expect(failure.code).toBe('source_changed');
    expect(failure.message).toContain('Open it again.');
    // What the session says of itself stays.
    expect(sessions.status(sessionId).totalBytes).toBe(4_800);
  });
});

describe('large compressed planes', () => {
  const values = [11, 22, 33];
  /** Two planes of 20,000,000 pixels. */
  const slow = once(() => largeTiff('slow.tif', [1, 2], 20_000));

  it('are decoded by several workers, each in its place', async () => {
    const path = largeTiff('parallel.tif', values);
    let helpers = 0;
    const counting = (decoder: Decoder): Decoder => ({
      lease: (options, work) => decoder.lease(options, work),
      tryLease: (options, work) => {
        const helper = decoder.tryLease(options, work);
        if (helper !== undefined) helpers++;
        return helper;
      },
      letGo: (keep) => decoder.letGo(keep),
      ready: () => decoder.ready(),
      close: () => decoder.close(),
    });
    const sessions = start({ wrap: counting });
    const { sessionId } = await open(sessions, path, { options: { channelIndices: [2, 0, 1] } });
    expect(helpers).toBe(1);
    for (const channel of [0, 1, 2]) {
      const samples = await samplesOf(sessions, sessionId, channel);
      expect(samples).toHaveLength(1_100_000);
      expect(samples.every((sample) => sample === values[channel])).toBe(true);
    }
    expect(descriptorsOf(path)).toEqual([]);
  });

  it('are shared in bands when there are fewer of them than workers', async () => {
    const width = 1200;
    const height = 1250;
    const samples = new Uint16Array(width * height).map((_, i) => (i * 7) % 65_521);
    const page = { width, height, samples, compression: 8, rowsPerStrip: 90, predictor: 2 as const };
    const path = writeTemp(folder, 'banded.tif', writeTiff({ pages: [page] }));
    const bands: unknown[] = [];
    const watching = (decoder: Decoder): Decoder => ({
      lease: (options, work) => decoder.lease(options, (lease) => work(watched(lease))),
      tryLease: (options, work) => decoder.tryLease(options, (lease) => work(watched(lease))),
      letGo: (keep) => decoder.letGo(keep),
      ready: () => decoder.ready(),
      close: () => decoder.close(),
    });
    const watched = (lease: DecodeLease): DecodeLease => ({
      open: (file) => lease.open(file),
      view: (scene) => lease.view(scene),
      info: () => lease.info(),
      survey: (file) => lease.survey(file),
      metadata: (scene) => lease.metadata(scene),
      planes: (scene, part) => lease.planes(scene, part),
      overview: (request, grid) => lease.overview(request, grid),
      plane: (request, memory) => {
        if (request.kind === 'channel') bands.push(request.band);
        return lease.plane(request, memory);
      },
      check: () => lease.check(),
      close: () => lease.close(),
    });
    const sessions = start({ wrap: watching });
    const { sessionId } = await open(sessions, path);
    expect(bands).toEqual([
      { first: 0, count: 625 },
      { first: 625, count: 625 },
    ]);
    // As bytes: comparing 1.5 million numbers one by one takes seconds.
    const served = Buffer.from((await samplesOf(sessions, sessionId, 0)).buffer);
    expect(served.equals(new Uint8Array(Float32Array.from(samples).buffer))).toBe(true);
    expect(sessions.status(sessionId).totalBytes).toBe(width * height * 4);
    expect(descriptorsOf(path)).toEqual([]);
  });

  it('are read in one pass of the file when their channels are interleaved', async () => {
    const [width, height] = [512, 9_000];
    const samples = [3, 7, 11].map((step) => Uint8Array.from({ length: width * height }, (_, i) => (i * step) % 251));
    const page = { width, height, photometric: 2, rowsPerStrip: 64, samples };
    const path = writeTemp(folder, 'interleaved.tif', writeTiff({ pages: [page] }));
    const requests: string[] = [];
    const watched = (lease: DecodeLease): DecodeLease => ({
      ...lease,
      plane: (request, memory, isLast) => {
        const together = request.kind === 'channel' ? request.together : undefined;
        requests.push(`${together} in ${memory.blocks.length}`);
        return lease.plane(request, memory, isLast);
      },
    });
    const sessions = start({
      wrap: (decoder) => ({
        lease: (options, work) => decoder.lease(options, (lease) => work(watched(lease))),
        tryLease: () => undefined,
        letGo: (keep) => decoder.letGo(keep),
        ready: () => decoder.ready(),
        close: () => decoder.close(),
      }),
    });
    // The second time in the memory of the first, and in another order.
    for (const channelIndices of [
      [0, 1, 2],
      [2, 0],
    ]) {
      const { sessionId } = await open(sessions, path, { options: { channelIndices } });
      for (const channel of channelIndices) {
        const served = Buffer.from((await samplesOf(sessions, sessionId, channel)).buffer);
        expect(served.equals(new Uint8Array(Float32Array.from(samples[channel]!).buffer))).toBe(true);
      }
      await sessions.delete(sessionId);
    }
    // Three blocks of 4,096 rows for each channel.
    expect(requests).toEqual(['0,1,2 in 9', '2,0 in 6']);
    expect(descriptorsOf(path)).toEqual([]);
  });

  it.each([
    ['the same shape', [2200, 1000], [11, 22], true],
    ['fewer lines', [1100, 1000], [9, 9], false],
    ['wider lines', [2200, 1001], [9, 9], false],
    ['fewer channels', [2200, 1000], [9], false],
  ])('are shared only with a worker that opened the same shape: %s', async (what, [rows, columns], others, used) => {
    const path = largeTiff('own.tif', [11, 22], 2200);
    const replaced = largeTiff(`${what}.tif`, others, rows, columns);
    const helper = new Gate();
    let helped = false;
    const sessions = start({
      wrap: (decoder) => ({
        lease: (options, work) => decoder.lease(options, (lease) => work(afterHelper(lease))),
        tryLease: (options, work) => {
          const helping = decoder.tryLease(options, (lease) => work(withOtherFile(lease)));
          void helping?.finally(() => helper.open());
          return helping;
        },
        letGo: (keep) => decoder.letGo(keep),
        ready: () => decoder.ready(),
        close: () => decoder.close(),
      }),
    });
    /** The first worker starts when the other one has taken a plane, or is gone. */
    const afterHelper = (lease: DecodeLease): DecodeLease => ({
      ...lease,
      plane: (request, memory) => helper.opened.then(() => lease.plane(request, memory)),
    });
    /** As if the file had been replaced between both opens. */
    const withOtherFile = (lease: DecodeLease): DecodeLease => ({
      ...lease,
      open: (file) => lease.open({ ...file, located: { path: replaced } }),
      plane: (request, memory) => {
        helped = true;
        helper.open();
        return lease.plane(request, memory);
      },
    });
    const { sessionId } = await open(sessions, path);
    expect(helped).toBe(used);
    for (const channel of [0, 1]) {
      const samples = await samplesOf(sessions, sessionId, channel);
      expect(samples.every((sample) => sample === [11, 22][channel])).toBe(true);
    }
  });

  it('fail as one when a part of the file is damaged', async () => {
    const path = largeTiff('damaged.tif', values);
    truncateSync(path, 4_000);
    const sessions = start();
    expect((await failureOf(open(sessions, path))).code).toBe('decode_failed');
    expect(descriptorsOf(path)).toEqual([]);
  });

  it('stop at the deadline, and let the file go', async () => {
    const path = slow();
    const sessions = start({ openTimeoutSeconds: 0.05, maxSessions: 1 });
    const failure = await failureOf(open(sessions, path));
    expect(failure.code).toBe('load_timeout');
    expect(failure.message).toBe(
      'slow.tif: opening took longer than 0.05 s (--open-timeout) and was stopped. Ask for fewer channels, or raise the limit.',
    );
    await expect.poll(() => descriptorsOf(path), { timeout: 10_000 }).toEqual([]);
  });

  it('stop when the client leaves, and let the file go', async () => {
    const path = slow();
    const client = new AbortController();
    const leave = () => setTimeout(() => client.abort(new Error('client left')), 5);
    const sessions = start({ maxSessions: 1, memoryBudgetBytes: 170_000_000, wrap: meddling(leave) });
    await expect(open(sessions, path, { signal: client.signal })).rejects.toThrow('client left');
    await expect.poll(() => descriptorsOf(path), { timeout: 10_000 }).toEqual([]);
    // Neither the session nor its memory is taken.
    const { sessionId } = await open(sessions, path);
    expect((await samplesOf(sessions, sessionId, 1))[19_999_999]).toBe(2);
  });
});

describe('paths', () => {
  it('lead nowhere but to files that are there and may be read', async () => {
    const sessions = start({ roots: [join(folder, 'nowhere')] });
    const path = smallTiff('outside.tif');
    expect((await failureOf(open(sessions, path))).code).toBe('path_not_allowed');
    expect((await open(sessions, path, { picked: true })).ok).toBe(true);
    expect((await failureOf(open(start(), join(folder, 'missing.tif')))).code).toBe('path_not_found');
    expect((await failureOf(open(start(), folder))).code).toBe('unsupported_format');
    expect((await failureOf(open(start(), writeTemp(folder, 'empty.tif', '')))).code).toBe('unsupported_format');
  });
});
