/** A server that several people share: what one of them asks for too much does not keep the others waiting. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DecodeLease, LeaseOptions } from '../../packages/server/src/decode/types.js';
import { createToken } from '../../packages/server/src/server/auth/tokens.js';
import type { RunningServer } from '../../packages/server/src/server/listen.js';
import { ask, sharedServers } from '../support/shared-servers.js';
import { writeTiff } from '../writers/tiff.js';

/** What the server has done, and what it waits for. */
const seen = vi.hoisted(() => ({
  traces: 0,
  searches: 0,
  mostSearches: 0,
  endedSearches: 0,
  asked: [] as string[],
  began: [] as string[],
  /** Searches and leases of `many.tif` wait until it is open. */
  gate: { opened: Promise.resolve(), open: () => {} },
}));

function closeGate(): void {
  seen.gate.opened = new Promise((resolve) => {
    seen.gate.open = resolve;
  });
}

vi.mock('../../packages/readers/src/derive/analysis/traces.js', async (load) => {
  const original = await load<typeof import('../../packages/readers/src/derive/analysis/traces.js')>();
  const lineTraces: typeof original.lineTraces = (...given) => {
    seen.traces++;
    return original.lineTraces(...given);
  };
  return { ...original, lineTraces };
});

vi.mock('../../packages/server/src/storage/lookup-thread.js', async (load) => {
  const original = await load<typeof import('../../packages/server/src/storage/lookup-thread.js')>();
  const createLookupThread: typeof original.createLookupThread = () => {
    const thread = original.createLookupThread();
    return {
      ...thread,
      async run(request, onBegin) {
        if (request.lookup.kind !== 'search') return thread.run(request, onBegin);
        seen.searches++;
        seen.mostSearches = Math.max(seen.mostSearches, seen.searches);
        await seen.gate.opened;
        seen.searches--;
        seen.endedSearches++;
        return thread.run(request, onBegin);
      },
    };
  };
  return { ...original, createLookupThread };
});

vi.mock('../../packages/server/src/decode/pool.js', async (load) => {
  const original = await load<typeof import('../../packages/server/src/decode/pool.js')>();
  class DecodePool extends original.DecodePool {
    override lease<T>(given: LeaseOptions, work: (lease: DecodeLease) => Promise<T>): Promise<T> {
      seen.asked.push(given.label);
      return super.lease(given, async (worker) => {
        seen.began.push(given.label);
        if (given.label === 'many.tif') await seen.gate.opened;
        return work(worker);
      });
    }
  }
  return { ...original, DecodePool };
});

const { root, inB: IN_B, start, writeTokens, open, openedBy } = sharedServers();
const [alice, bob] = [createToken({ name: 'alice' }), createToken({ name: 'bob' })];
const startShared = (more = {}): Promise<RunningServer> =>
  start({ tokensFile: writeTokens('fairness.jsonl', [alice.line, bob.line]), ...more });
const flood = new AbortController();

beforeEach(() => {
  closeGate();
  seen.asked.length = 0;
  seen.began.length = 0;
});
afterEach(() => seen.gate.open());

/** Sends a request of Alice that may be abandoned. */
function floodWith(server: RunningServer, method: string, path: string, body?: object): Promise<number> {
  const headers = { authorization: `Bearer ${alice.token}`, ...(body ? { 'content-type': 'application/json' } : {}) };
  const init = { method, headers, signal: flood.signal, ...(body ? { body: JSON.stringify(body) } : {}) };
  return fetch(`${server.url}${path}`, init).then(async (response) => {
    await response.arrayBuffer();
    return response.status;
  });
}

describe('computations', () => {
  it('of one user do not keep those of another one waiting', async () => {
    const [width, height] = [1024, 2048];
    const samples = new Uint8Array(width * height).fill(7);
    writeFileSync(join(root, 'large.tif'), writeTiff({ pages: [{ width, height, samples }] }));
    const server = await startShared();
    const hers = await openedBy(server, alice.token, join(root, 'large.tif'));
    const his = await openedBy(server, bob.token, IN_B);
    // Each of them passes 128 million samples: more than a hundred slices.
    const body = { along: 'Y', regions: Array.from({ length: 64 }, () => ({ columns: [0, width] })) };
    const ended: string[] = [];
    const traces = Array.from({ length: 8 }, () =>
      floodWith(server, 'POST', `/api/v2/sessions/${hers}/channels/0/traces`, body).then(
        (status) => ended.push(`traces: ${status}`),
        () => ended.push('abandoned'),
      ),
    );
    await vi.waitFor(() => expect(seen.traces).toBe(8), { timeout: 20_000 });
    const answer = await ask(server, 'GET', `/api/v2/sessions/${his}/channels/0/statistics`, { token: bob.token });
    expect([answer.status, ...ended]).toEqual([200]);
    flood.abort();
    await Promise.all(traces);
    expect(new Set(ended)).toEqual(new Set(['abandoned']));
  });
});

describe('searches for files', () => {
  it.each([
    ['another user', bob.token],
    ['the same user', alice.token],
  ])('leave look-ups for the opens of %s', async (_, token) => {
    mkdirSync(join(root, 'folder'), { recursive: true });
    const server = await startShared();
    const [searchesBefore, endedBefore] = [seen.searches, seen.endedSearches];
    const body = { name: 'lost.tif', size: 1, modified: 0 };
    const searches = Array.from({ length: 20 }, () =>
      ask(server, 'POST', '/api/v2/locate', { token: alice.token, body }),
    );
    await vi.waitFor(() => expect(seen.searches).toBeGreaterThan(searchesBefore), { timeout: 20_000 });
    // A server that does not let the open go first never answers.
    const { status } = await open(server, token, IN_B);
    expect([status, seen.endedSearches - endedBefore]).toEqual([200, 0]);
    seen.gate.open();
    for (const answer of await Promise.all(searches)) expect(answer.status).toBe(200);
    expect(seen.mostSearches).toBe(2);
  });
});

describe('planes', () => {
  const FRAMES = 40;
  let path: string;
  beforeAll(() => {
    path = join(root, 'many.tif');
    const pages = Array.from({ length: FRAMES }, (_, t) => ({
      width: 4,
      height: 3,
      samples: new Uint16Array(12).fill(t),
    }));
    writeFileSync(path, writeTiff({ pages }));
  });

  /** Alice asks for every plane of a scan while the only worker has none. */
  async function floodPlanes(server: RunningServer, count: number): Promise<Promise<number>[]> {
    const body = { path, decode: 'later' };
    seen.gate.open();
    const opened = await ask(server, 'POST', '/api/v2/open', { token: alice.token, body });
    expect([opened.status, opened.body.message]).toEqual([200, undefined]);
    closeGate();
    seen.asked.length = 0;
    seen.began.length = 0;
    const address = `/api/v2/sessions/${opened.body.sessionId}/channels/0/data`;
    const planes = Array.from({ length: count }, (_, t) =>
      ask(server, 'GET', `${address}?Z=${t}`, { token: alice.token }).then(({ status }) => status),
    );
    const isAsked = () => seen.asked.filter((name) => name === 'many.tif').length === count;
    await vi.waitFor(() => expect(isAsked()).toBe(true), { timeout: 20_000 });
    return planes;
  }

  it('of one user do not keep the opens of another one waiting', async () => {
    const server = await startShared();
    const planes = await floodPlanes(server, FRAMES);
    const opening = open(server, bob.token, IN_B);
    await vi.waitFor(() => expect(seen.asked).toContain('scan.tif'), { timeout: 20_000 });
    seen.gate.open();
    expect((await opening).status).toBe(200);
    expect(new Set(await Promise.all(planes))).toEqual(new Set([200]));
    // One has the worker, it is the turn of one of hers, and four find their file open.
    const began = seen.began.filter((name) => name === 'many.tif' || name === 'scan.tif');
    expect([began.length, began.indexOf('scan.tif') <= 6]).toEqual([FRAMES + 1, true]);
  });

  it('of one user do not take the place in the line of another one', async () => {
    const server = await startShared({ decodeQueue: 4 });
    const planes = await floodPlanes(server, 10);
    const opening = open(server, bob.token, IN_B);
    await vi.waitFor(() => expect(seen.asked).toContain('scan.tif'), { timeout: 20_000 });
    seen.gate.open();
    const { status, body } = await opening;
    expect([status, body.message]).toEqual([200, undefined]);
    // Five found a place, and one of them gave way.
    const statuses = await Promise.all(planes);
    expect(new Set(statuses)).toEqual(new Set([200, 503]));
    expect(statuses.filter((one) => one === 503).length).toBeGreaterThanOrEqual(6);
  });
});
