/** What one client may take of the room for uploads, and what announcements without bytes cost. */
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { RunningServer } from '../../packages/server/src/index.js';
import { defaultOptions } from '../../packages/server/src/options.js';
import { createToken } from '../../packages/server/src/server/auth/tokens.js';
import { listen } from '../../packages/server/src/server/listen.js';
import { RESERVATION_MS, UPLOAD_LIMITS, type UploadLimits } from '../../packages/server/src/uploads/limits.js';
import { UploadStore } from '../../packages/server/src/uploads/store.js';
import { Cli } from '../support/cli.js';
import { fakeSessions } from '../support/fake-sessions.js';
import { ask, sharedServers } from '../support/shared-servers.js';
import { fakePicker, testDependencies } from '../support/test-app.js';
import { writeTiff } from '../writers/tiff.js';

const { base, start, writeTokens } = sharedServers();
const agent = new Agent({ keepAlive: true, maxSockets: 8 });
const servers: RunningServer[] = [];
afterAll(async () => {
  agent.destroy();
  await Promise.all(servers.map((server) => server.close()));
});

/** Sends a request over one of a few connections, as fast as the server answers. */
function send(
  server: { port: number },
  method: string,
  path: string,
  body: object | Uint8Array,
): Promise<[number, Record<string, string>, string | undefined]> {
  const isJson = !(body instanceof Uint8Array);
  const headers = { 'content-type': isJson ? 'application/json' : 'application/octet-stream' };
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: server.port, path: `/api/v2/${path}`, method, headers, agent };
    const sent = request(options, (response) => {
      let text = '';
      response.on('data', (part) => {
        text += String(part);
      });
      response.on('end', () => resolve([response.statusCode ?? 0, JSON.parse(text), response.headers['retry-after']]));
    });
    sent.on('error', reject);
    sent.end(isJson ? JSON.stringify(body) : body);
  });
}

const tally = (codes: readonly unknown[]) =>
  Object.fromEntries([...new Set(codes)].map((code) => [code, codes.filter((other) => other === code).length]));

/** A server with its own limits of uploads, and its own time. */
async function limited(name: string, limits: Partial<UploadLimits> = {}, now: () => number = () => performance.now()) {
  const settings = { folder: join(base, name), budgetBytes: 1_000, ttlSeconds: 600, now };
  const uploads = new UploadStore({ ...settings, limits: { ...UPLOAD_LIMITS, ...limits } });
  const parts = { ...testDependencies(), sessions: fakeSessions(), picker: fakePicker(), uploads };
  const server = await listen({ ...defaultOptions(), port: 0 }, parts);
  servers.push(server);
  return {
    server,
    announce: (size: number) => send(server, 'POST', 'uploads', { name: 'a.zarr', size }),
    put: (id: string | undefined, path: string, bytes: number) =>
      send(server, 'PUT', `uploads/${id}/files/${path}`, new Uint8Array(bytes)),
    drop: (id: string | undefined) => send(server, 'DELETE', `uploads/${id}`, {}),
  };
}

const outcomes = (answers: Awaited<ReturnType<typeof send>>[]) =>
  tally(answers.map(([status, { error }]) => error ?? status));

describe('uploads without bytes', () => {
  it('are few for each client, and say so', async () => {
    const { server, announce, drop } = await limited('many');
    const max = UPLOAD_LIMITS.pendingPerParty;
    const answers = await Promise.all(Array.from({ length: 400 }, () => announce(0)));
    expect(outcomes(answers)).toEqual({ 200: max, capacity_exceeded: 400 - max });
    const [, { message }, retryAfter] = answers.find(([status]) => status === 503)!;
    expect(message).toContain(`${max} uploads of yours wait to be opened, the limit of each user or origin.`);
    expect(retryAfter).toBe('60');
    const [, { uploadId }] = answers.find(([status]) => status === 200)!;
    expect((await drop(uploadId))[0]).toBe(200);
    expect([(await announce(0))[0], (await announce(0))[0]]).toEqual([200, 503]);
    // Pages of an origin are somebody else.
    const headers = { origin: 'http://localhost:3000' };
    const page = await ask(server, 'POST', '/api/v2/uploads', { headers, body: { name: 'a.tif', size: 0 } });
    expect(page.status).toBe(200);
  });

  it('of all clients together are few', async () => {
    const { server } = await limited('all', { pending: 3 });
    const statuses: number[] = [];
    for (let port = 1; port <= 4; port++) {
      const headers = { origin: `http://localhost:${port}` };
      const { status } = await ask(server, 'POST', '/api/v2/uploads', { headers, body: { name: 'a.tif', size: 0 } });
      statuses.push(status);
    }
    expect(statuses).toEqual([200, 200, 200, 503]);
  });

  it('with deep empty files create a limited number of folders', async () => {
    const { announce, put } = await limited('deep', { folders: 100 });
    const [, { uploadId }] = await announce(0);
    const deep = (i: number) => put(uploadId, `a.zarr/${`f${i}/`.repeat(30)}x`, 0);
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => deep(i)));
    // The folder of the name counts once.
    expect(outcomes(answers)).toEqual({ 200: 3, upload_too_large: 17 });
    const [, { message }] = answers.find(([status]) => status === 413)!;
    expect(message).toBe('a.zarr: an upload has at most 100 folders.');
    // Folders that exist count no more.
    const [stored] = answers.map(([status], i) => (status === 200 ? i : -1)).filter((i) => i >= 0);
    expect((await put(uploadId, `a.zarr/${`f${stored}/`.repeat(30)}y`, 0))[0]).toBe(200);
  });

  it('create a limited number of files: in each, for each client, and together', async () => {
    const limits = { files: 3, entriesPerParty: 5, entries: 7 };
    const { server, announce, put } = await limited('files', limits);
    const [first, second] = [(await announce(0))[1]['uploadId'], (await announce(0))[1]['uploadId']];
    const files = async (id: string | undefined, count: number) => {
      const answers: Awaited<ReturnType<typeof send>>[] = [];
      for (let i = 0; i < count; i++) answers.push(await put(id, `f${i}`, 0));
      return outcomes(answers);
    };
    expect(await files(first, 4)).toEqual({ 200: 3, upload_too_large: 1 });
    expect(await files(second, 3)).toEqual({ 200: 2, capacity_exceeded: 1 });
    const headers = { origin: 'http://localhost:3000' };
    const page = await ask(server, 'POST', '/api/v2/uploads', { headers, body: { name: 'a.tif', size: 0 } });
    expect(await files(page.body.uploadId, 3)).toEqual({ 200: 2, capacity_exceeded: 1 });
  });

  it('cannot fill the memory with long paths', async () => {
    const { announce, put } = await limited('long');
    const [, { uploadId }] = await announce(0);
    const path = Array.from({ length: 5 }, () => 'b'.repeat(204)).join('/');
    expect((await put(uploadId, path, 0))[0]).toBe(200);
    const [status, { message }] = await put(uploadId, `${path}b`, 0);
    expect([status, message]).toEqual([422, expect.stringContaining('has more than 1,024 bytes')]);
  });
});

describe('the budget of uploads', () => {
  it('is for each user half of it, unless set', async () => {
    const [alice, bob] = [createToken({ name: 'alice' }), createToken({ name: 'bob' })];
    const tokensFile = writeTokens('upload-share.jsonl', [alice.line, bob.line]);
    const announce = async (server: RunningServer, token: string, size: number) => {
      const { status, body } = await ask(server, 'POST', '/api/v2/uploads', { token, body: { name: 'a.tif', size } });
      return status === 200 ? 'room' : body.message;
    };
    const half = await start({ tokensFile });
    expect(await announce(half, alice.token, 500_001)).toMatch(/limit of each user is 500,000 \(--upload-per-owner\)/);
    expect(await announce(half, alice.token, 400_000)).toBe('room');
    expect(await announce(half, alice.token, 100_001)).toMatch(/100,000 are not in use \(--upload-per-owner\)/);
    expect(await announce(half, bob.token, 500_000)).toBe('room');
    const all = await start({ tokensFile, uploadPerOwnerBytes: 900_000 });
    expect(await announce(all, alice.token, 900_000)).toBe('room');
    expect(await announce(all, bob.token, 100_001)).toMatch(/\(--upload-budget\)/);
  });

  it('is free again when no byte of what was announced arrives for a minute', async () => {
    let now = 0;
    const { announce, put, drop } = await limited('lapse', {}, () => now);
    const [, { uploadId: first }] = await announce(1_000);
    now += RESERVATION_MS - 1;
    expect((await announce(1))[1]['error']).toBe('upload_too_large');
    // The time starts again with a byte, not with an empty file.
    expect((await put(first, 'b', 1))[0]).toBe(200);
    now += RESERVATION_MS - 1;
    expect((await put(first, 'empty', 0))[0]).toBe(200);
    expect((await announce(1))[1]['error']).toBe('upload_too_large');
    now += 1;
    // What has arrived stays.
    expect((await announce(1_000))[1]['message']).toContain('999 are not in use');
    const [status, { uploadId: second }] = await announce(999);
    expect(status).toBe(200);
    const [late, refusal] = await put(first, 'a.zarr', 999);
    expect([late, refusal['message']]).toEqual([413, expect.stringContaining('0 are not in use')]);
    expect((await drop(second))[0]).toBe(200);
    await expect.poll(async () => (await put(first, 'a.zarr', 999))[0]).toBe(200);
  });

  it('has a place for another upload of a client when nothing of an earlier one came', async () => {
    let now = 0;
    const { announce, put } = await limited('place', { pendingPerParty: 3 }, () => now);
    const ids: (string | undefined)[] = [];
    for (let i = 0; i < 3; i++) ids.push((await announce(1))[1]['uploadId']);
    expect((await put(ids[0], 'a', 1))[0]).toBe(200);
    now += RESERVATION_MS - 1;
    expect((await announce(1))[0]).toBe(503);
    now += 1;
    expect((await announce(1))[0]).toBe(200);
    const outcome = async (id: string | undefined) => (await put(id, 'a', 1))[1]['error'] ?? 'there';
    expect([await outcome(ids[0]), await outcome(ids[1]), await outcome(ids[2])]).toEqual([
      'there',
      'upload_not_found',
      'there',
    ]);
  });
});

it('the ids of uploads are in the log with eight digits only', async () => {
  const cli = new Cli();
  const auditLog = join(base, 'upload-audit.jsonl');
  try {
    const server = await cli.serve(['--audit-log', auditLog, '--log-level', 'debug']);
    const samples = Uint16Array.from({ length: 12 }, (_, i) => i);
    const scan = writeTiff({ pages: [{ width: 4, height: 3, samples }] });
    const [, { uploadId = '' }] = await send(server, 'POST', 'uploads', { name: 'a.tif', size: scan.length });
    expect((await send(server, 'PUT', `uploads/${uploadId}/files/a.tif`, scan))[0]).toBe(200);
    expect((await send(server, 'POST', `uploads/${uploadId}/open`, {}))[0]).toBe(200);
    const encoded = [...uploadId].map((digit) => `%${digit.charCodeAt(0).toString(16)}`).join('');
    expect((await send(server, 'DELETE', `uploads/${encoded}`, {}))[0]).toBe(200);
    server.child.kill('SIGTERM');
    const { stderr } = await server.ended;
    const log = readFileSync(join(cli.stateDir, 'acqstore.log'), 'utf8');
    for (const text of [log, stderr, readFileSync(auditLog, 'utf8')]) {
      expect(text).not.toContain(uploadId);
      expect(text).not.toContain(encoded);
    }
    expect(log).toContain(`"uploadId":"${uploadId.slice(0, 8)}…"`);
    expect(log).toContain(`/uploads/${uploadId.slice(0, 8)}…/files/a.tif`);
  } finally {
    await cli.close();
  }
});
