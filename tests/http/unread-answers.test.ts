/** What the server does about clients that do not read their answers, over real connections. */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { OpenResponse } from '../../packages/client/src/contract/open.js';
import type { ServerOptions } from '../../packages/server/src/options.js';
import type { ConnectionLimits } from '../../packages/server/src/server/connection-limits.js';
import { Flow } from '../../packages/server/src/server/flow.js';
import type { RunningServer } from '../../packages/server/src/server/listen.js';
import { createServer } from '../support/server.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { RawClient, splitAnswers, wireHooks } from '../support/wire.js';
import { writeTiff } from '../writers/tiff.js';

const MIB = 2 ** 20;
const folder = tempFolder();
const SIDE = 1500;
const PLANE_BYTES = SIDE * SIDE * 4;
const BUDGET = 64 * MIB;

/** Nobody is disconnected for standing still, unless memory is short or the session has ended. */
const PATIENT: Partial<ConnectionLimits> = { maxStallMs: 3_600_000, stallMs: 200, settleMs: 3_600_000, lookMs: 20 };

const PATHS = [0, 1].map((n) => {
  const samples = Float32Array.from({ length: SIDE * SIDE }, (_, i) => (i * 31 + n) % 65_521);
  return writeTemp(folder, `plane-${n}.tif`, writeTiff({ pages: [{ width: SIDE, height: SIDE, samples }] }));
});

/** A folder whose list is long. */
const FULL_FOLDER = join(folder, 'full');
mkdirSync(FULL_FOLDER);
for (let n = 0; n < 200; n++) writeFileSync(join(FULL_FOLDER, `${n}-${'n'.repeat(100)}.tif`), '');

/** One whose list is sent in pieces. */
const LONG_FOLDER = join(folder, 'long');
mkdirSync(LONG_FOLDER);
for (let n = 0; n < 2_000; n++) writeFileSync(join(LONG_FOLDER, `${n}-${'n'.repeat(100)}.tif`), '');

const listingOf = (path: string) => `/api/v2/folders?path=${encodeURIComponent(path)}`;

const { start: startFake, dial: dialFake } = wireHooks();
const servers: RunningServer[] = [];
const clients: RawClient[] = [];
let log: Record<string, unknown>[] = [];

afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await Promise.all(servers.splice(0).map((server) => server.close()));
  log = [];
});

async function start(options: Partial<ServerOptions> = {}, limits: Partial<ConnectionLimits> = {}) {
  const logger = pino({ level: 'info' }, { write: (line: string) => log.push(JSON.parse(line)) });
  const more = { port: 0, stateDir: folder, decodeWorkers: 2, opsListen: '127.0.0.1:0', memoryBudgetBytes: BUDGET };
  const server = await createServer({ ...more, ...options }, { logger, limits });
  servers.push(server);
  return server;
}

async function open({ url }: RunningServer, path = PATHS[0]): Promise<OpenResponse> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}/api/v2/open`, { method: 'POST', headers, body: JSON.stringify({ path }) });
  expect(response.status).toBe(200);
  return (await response.json()) as OpenResponse;
}

const overviewOf = ({ channels }: OpenResponse) =>
  `${channels[0]!.dataUrl.replace(/\/data$/, '/overview')}?height=${SIDE}&width=${SIDE}`;

/** Sends a request of which nothing is read. */
async function ask(
  { port }: RunningServer,
  ...requests: (string | [path: string, body: object])[]
): Promise<RawClient> {
  const client = await RawClient.open(port);
  clients.push(client);
  for (const request of requests) {
    const [path, body] = typeof request === 'string' ? [request] : request;
    const text = body === undefined ? '' : JSON.stringify(body);
    const head = body === undefined ? '' : `Content-Type: application/json\r\nContent-Length: ${text.length}\r\n`;
    client.write(`${body ? 'POST' : 'GET'} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${head}\r\n${text}`);
  }
  return client;
}

/** The values of series in the metrics of a server. */
async function metricsOf({ opsPort }: RunningServer) {
  const text = await (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text();
  return (series: string) =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${series} `))
        ?.slice(series.length) ?? 0,
    );
}

async function memoryOf(server: RunningServer): Promise<number> {
  const value = await metricsOf(server);
  return value('acqstore_cache_bytes') + value('acqstore_scratch_bytes');
}

const scratchOf = async (server: RunningServer) => (await metricsOf(server))('acqstore_scratch_bytes');

const disconnectedOf = async (server: RunningServer, reason: string) =>
  (await metricsOf(server))(`acqstore_disconnected_total{reason="${reason}"}`);

/** The server has closed the connection: what is sent to it is answered by a reset. */
async function expectClosed(client: RawClient): Promise<void> {
  const poke = setInterval(() => client.socket.write('x'), 50);
  await client.closed;
  clearInterval(poke);
}

const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('answers that nobody reads', () => {
  it('count against the memory budget, and further ones are refused', async () => {
    const server = await start({}, { ...PATIENT, stallMs: PATIENT.maxStallMs! });
    const opened = await open(server);
    const before = process.memoryUsage().arrayBuffers;
    await Promise.all(Array.from({ length: 16 }, () => ask(server, overviewOf(opened))));
    const seen: number[] = [];
    await expect
      .poll(
        async () => {
          seen.push(await memoryOf(server));
          const value = await metricsOf(server);
          const route = '/api/v2/sessions/:sessionId/channels/:channelIndex/overview';
          return value(`acqstore_http_seconds_count{route="${route}",method="GET",status="503"}`);
        },
        { timeout: 30_000 },
      )
      .toBeGreaterThanOrEqual(14);
    expect(Math.max(...seen)).toBeLessThanOrEqual(BUDGET);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 * BUDGET);
  });

  it.each<[what: string, bytes: number, request: (base: string) => string | [string, object]]>([
    ['an overview', 12 * 300 * 200, (base) => `${base}/overview?height=300&width=200`],
    ['an overview for NumPy', 12 * 300 * 200, (base) => `${base}/overview?height=300&width=200&as=npy`],
    ['a window of some columns', 4 * 100 * SIDE, (base) => `${base}/window?columns=0:100`],
    ['traces', 4 * 2 * SIDE, (base) => [`${base}/traces`, { along: 'Y', regions: [{ columns: [0, 9] }, {}] }]],
  ])('hold memory while they wait: %s', async (_what, bytes, request) => {
    const server = await start({}, PATIENT);
    const opened = await open(server);
    const plane = opened.channels[0]!.dataUrl;
    const client = await ask(server, plane, request(plane.replace(/\/data$/, '')));
    await expect.poll(() => scratchOf(server), { timeout: 10_000 }).toBe(bytes);
    client.destroy();
    await expect.poll(() => scratchOf(server), { timeout: 10_000 }).toBe(0);
  });

  it('hold two pieces of a plane that is converted, which arrives whole when it is read at last', async () => {
    const samples = Uint16Array.from({ length: SIDE * SIDE }, (_, i) => (i * 7) % 65_521);
    const page = { width: SIDE, height: SIDE, samples };
    const path = writeTemp(folder, 'integers.tif', writeTiff({ pages: [page] }));
    const server = await start({}, PATIENT);
    const plane = (await open(server, path)).channels[0]!.dataUrl;
    const expected = hash(new Uint8Array(Float32Array.from(samples).buffer));
    // The second one waits behind the first on the connection.
    const client = await ask(server, plane, plane);
    await expect.poll(() => scratchOf(server), { timeout: 10_000 }).toBe(2 * 2 * 2 ** 18);
    expect(await memoryOf(server)).toBe(samples.byteLength + 2 * 2 * 2 ** 18);
    const answers = await client.readAnswers(2);
    expect(answers.map(({ body }) => hash(body))).toEqual([expected, expected]);
    await expect.poll(() => scratchOf(server), { timeout: 10_000 }).toBe(0);
    const leaving = await ask(server, plane);
    await expect.poll(() => scratchOf(server), { timeout: 10_000 }).toBe(2 * 2 ** 18);
    leaving.destroy();
    await expect.poll(() => scratchOf(server), { timeout: 10_000 }).toBe(0);
  });

  it('hold memory while they wait: JSON in pieces, texts, and chunks that are copied', async () => {
    const server = await start({}, PATIENT);
    const opened = await open(server);
    const plane = opened.channels[0]!.dataUrl;
    const statistics = `${plane.replace(/\/data$/, '')}/statistics?bins=65536`;
    const client = await ask(server, plane, statistics);
    // Less than one of these for everything else in the answer.
    const pieces = async () => Math.floor((await scratchOf(server)) / 65_536);
    await expect.poll(pieces, { timeout: 10_000 }).toBe(16 + 4);
    client.destroy();
    await expect.poll(() => scratchOf(server), { timeout: 10_000 }).toBe(0);

    const listing = listingOf(FULL_FOLDER);
    const text = await (await fetch(server.url + listing)).text();
    const listed = await ask(server, plane, listing);
    await expect.poll(() => scratchOf(server), { timeout: 10_000 }).toBe(2 * text.length);
    listed.destroy();
    await expect.poll(() => scratchOf(server), { timeout: 10_000 }).toBe(0);

    const chunk = `${opened.zarr!['0.4']}/0/0/0/0/0/0`;
    const response = await fetch(server.url + chunk);
    expect(response.status).toBe(200);
    const { length } = Buffer.from(await response.arrayBuffer());
    await ask(server, plane, chunk);
    await expect.poll(() => scratchOf(server), { timeout: 10_000 }).toBe(length);
  });

  it('hold what a long list is made of, not only the pieces of its text', async () => {
    const warnings: Error[] = [];
    const warn = (warning: Error) => warnings.push(warning);
    process.on('warning', warn);
    const server = await start({}, PATIENT);
    const opened = await open(server);
    const plane = opened.channels[0]!.dataUrl;
    const text = await (await fetch(server.url + listingOf(LONG_FOLDER))).text();
    const line = () => log.find(({ msg, url }) => msg === 'answered' && url === listingOf(LONG_FOLDER));
    await expect.poll(() => line()?.['bytes']).toBe(Buffer.byteLength(text));
    const client = await ask(server, plane, ...new Array<string>(4).fill(listingOf(LONG_FOLDER)));
    await expect.poll(() => scratchOf(server), { timeout: 10_000 }).toBeGreaterThan(4 * text.length);
    client.destroy();
    await expect.poll(() => scratchOf(server), { timeout: 10_000 }).toBe(0);
    process.off('warning', warn);
    // Such as that an answer has many listeners.
    expect(warnings).toEqual([]);
  });

  it('end one after the other when memory is short, and others are served', async () => {
    const server = await start({}, PATIENT);
    const opened = await open(server);
    const first = await ask(server, overviewOf(opened));
    await expect.poll(() => scratchOf(server), { timeout: 10_000 }).toBe(12 * SIDE * SIDE);
    const looks = vi.spyOn(Flow.prototype, 'look');
    const standing = (ms: number) => new Set((looks.mock.contexts as Flow[]).filter(({ idleMs }) => idleMs >= ms)).size;
    await expect.poll(() => standing(100), { timeout: 10_000 }).toBe(1);
    const second = await ask(server, overviewOf(opened));
    await expect.poll(() => scratchOf(server), { timeout: 10_000 }).toBe(24 * SIDE * SIDE);
    await expect.poll(() => standing(PATIENT.stallMs!), { timeout: 10_000 }).toBe(2);
    looks.mockRestore();
    const status = async () => (await fetch(server.url + overviewOf(opened))).status;
    await expect.poll(status, { timeout: 20_000 }).toBe(200);
    // The one that has stood still for longest, and no more than are needed.
    await expectClosed(first);
    expect(splitAnswers(await readTo(second, 12 * SIDE * SIDE))[0]?.body.length).toBe(12 * SIDE * SIDE);
    expect(await disconnectedOf(server, 'memory')).toBe(1);
    expect(await memoryOf(server)).toBeLessThanOrEqual(BUDGET);
  });

  it('do not keep the planes of others out', async () => {
    const server = await start({ memoryBudgetBytes: 1.5 * PLANE_BYTES }, PATIENT);
    const opened = await open(server);
    const client = await ask(server, opened.channels[0]!.dataUrl);
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ path: PATHS[1] });
    await expect
      .poll(async () => (await fetch(`${server.url}/api/v2/open`, { method: 'POST', headers, body })).status, {
        timeout: 20_000,
      })
      .toBe(200);
    await expectClosed(client);
    const [line] = log.filter(({ reason }) => reason === 'memory');
    expect(line).toMatchObject({ level: 40, reqId: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  });

  it('hold no memory for long after their session has ended', async () => {
    const server = await start({}, PATIENT);
    const [first, second] = [await open(server), await open(server, PATHS[1])];
    const ended = await ask(server, first.channels[0]!.dataUrl);
    const kept = await ask(server, second.channels[0]!.dataUrl);
    await fetch(`${server.url}/api/v2/sessions/${first.sessionId}`, { method: 'DELETE' });
    await expectClosed(ended);
    await expect.poll(() => memoryOf(server), { timeout: 10_000 }).toBe(PLANE_BYTES);
    expect(await disconnectedOf(server, 'session_ended')).toBe(1);
    const answer = splitAnswers(await readTo(kept, PLANE_BYTES))[0];
    expect(answer?.body.length).toBe(PLANE_BYTES);
  });

  it('end after --stall-timeout, also while others are busy', async () => {
    const server = await start({ stallTimeoutSeconds: 1 }, { lookMs: 500 });
    const opened = await open(server);
    const others = setInterval(() => void fetch(`${server.url}/api/v2/health`).catch(() => undefined), 5);
    await expectClosed(await ask(server, overviewOf(opened), opened.channels[0]!.dataUrl)).finally(() =>
      clearInterval(others),
    );
    await expect.poll(() => scratchOf(server)).toBe(0);
    expect(await disconnectedOf(server, 'stalled')).toBe(1);
    expect(log.filter(({ reason }) => reason === 'stalled')).toHaveLength(1);
  });
});

/** Reads until at least `length` bytes have arrived. */
async function readTo(client: RawClient, length: number): Promise<Buffer> {
  client.socket.resume();
  await expect.poll(() => client.received.length, { timeout: 20_000 }).toBeGreaterThan(length);
  return client.received;
}

describe('a client that reads slowly', () => {
  it('gets every byte when it pauses for less than --stall-timeout', async () => {
    const server = await start({ stallTimeoutSeconds: 2 });
    const opened = await open(server);
    const expected = Buffer.from(await (await fetch(server.url + overviewOf(opened))).arrayBuffer());
    const client = await ask(server, overviewOf(opened));
    const reading = client.readSlowly(4 * MIB, 250);
    await expect.poll(() => splitAnswers(client.received).length, { timeout: 30_000, interval: 300 }).toBe(1);
    expect(hash(splitAnswers(client.received)[0]!.body)).toBe(hash(expected));
    client.destroy();
    await reading;
  });

  it('is disconnected when its answer would outlast a session', async () => {
    const server = await start(
      {},
      { ...PATIENT, stallMs: 3_600_000, settleMs: 300, answerMs: 1, minBytesPerSecond: 1e8 },
    );
    const opened = await open(server);
    const client = await ask(server, overviewOf(opened));
    void client.readSlowly(20_000, 500);
    await expectClosed(client);
    expect(await disconnectedOf(server, 'slow')).toBe(1);
  });

  it('is disconnected when a list of unknown length takes longer than a session', async () => {
    const server = await start({}, { ...PATIENT, settleMs: 300, answerMs: 1, minBytesPerSecond: 1e8 });
    const client = await ask(server, ...new Array<string>(16).fill(listingOf(LONG_FOLDER)));
    void client.readSlowly(20_000, 200);
    await expectClosed(client);
    expect(await disconnectedOf(server, 'slow')).toBe(1);
  });

  it('may outlast a session when it takes bytes at a good rate', async () => {
    const server = await start({}, { ...PATIENT, settleMs: 100, answerMs: 1 });
    const opened = await open(server);
    const client = await ask(server, opened.channels[0]!.dataUrl);
    const reading = client.readSlowly(2 * MIB, 50);
    await expect.poll(() => splitAnswers(client.received).length, { timeout: 30_000, interval: 300 }).toBe(1);
    client.destroy();
    await reading;
  });
});

describe('a client that has nothing to read', () => {
  const limits = { maxStallMs: 100, stallMs: 100, settleMs: 100, answerMs: 1, lookMs: 20 };

  it('keeps its connection between two requests', async () => {
    const { port } = await startFake({ limits });
    const client = await dialFake(port);
    const health = `GET /api/v2/health HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;
    client.write(health);
    await client.readAnswers(1);
    await new Promise((resolve) => setTimeout(resolve, 3 * limits.stallMs));
    client.write(health);
    expect(await client.readAnswers(2)).toHaveLength(2);
  });

  it('is not disconnected while the server computes its answer, nor is what it has pipelined', async () => {
    const { port, sessions } = await startFake({ limits });
    const client = await dialFake(port);
    const body = '{"path":"/wait"}';
    const head = `Host: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
    client.write(`POST /api/v2/open HTTP/1.1\r\n${head}\r\n${body}`);
    client.write(`GET /api/v2/health HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
    await expect.poll(() => sessions.opened.length).toBe(1);
    const looks = vi.spyOn(Flow.prototype, 'look');
    await expect.poll(() => looks.mock.calls.length).toBeGreaterThan(10);
    looks.mockRestore();
    expect(sessions.opened[0]?.signal?.aborted).toBe(false);
  });
});
