/** The program that started the server asks it about sessions, and no page can. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenResponse } from '../../packages/client/src/contract/open.js';
import type { ListedSession, SessionList } from '../../packages/server/src/index.js';
import { MAIN, SAMPLE } from '../support/cli.js';
import { tempFolder } from '../support/temp.js';

/** What one plane of the sample takes as float32. */
const PLANE_BYTES = 4000 * 96 * 4;
const stateDir = tempFolder();
const JSON_TYPE = { 'content-type': 'application/json' };
let server: ChildProcess;
let answers: AsyncIterator<string>;
let lines: Interface;
let url: string;
let count = 0;

beforeAll(async () => {
  const args = [MAIN, 'serve', '--port', '0', '--state-dir', stateDir, '--control-with-stdin', '--allow-file-pages'];
  server = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  lines = createInterface({ input: server.stdout! });
  answers = lines[Symbol.asyncIterator]();
  for await (const line of createInterface({ input: server.stderr! })) {
    const { msg, url: address } = JSON.parse(line) as { msg: string; url: string };
    if (msg !== 'started') continue;
    url = address;
    break;
  }
  server.stderr!.resume();
});
afterAll(() => server.kill('SIGKILL'));

async function send(line: string): Promise<Record<string, unknown>> {
  server.stdin!.write(`${line}\n`);
  return JSON.parse((await answers.next()).value as string) as Record<string, unknown>;
}

async function ask(request: object): Promise<Record<string, unknown>> {
  count++;
  const answer = await send(JSON.stringify({ id: count, ...request }));
  expect(answer).toMatchObject({ id: count, ok: true });
  return answer;
}

const list = async () => (await ask({ method: 'sessions' })) as unknown as SessionList;
const find = async (id: string) => (await list()).sessions.find(({ sessionId }) => sessionId === id) as ListedSession;

async function open(headers: Record<string, string> = {}): Promise<string> {
  const init = { method: 'POST', headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify({ path: SAMPLE }) };
  const response = await fetch(`${url}/api/v2/open`, init);
  expect(response.status).toBe(200);
  return ((await response.json()) as OpenResponse).sessionId;
}

describe('a server that answers the program that started it', () => {
  it('lists each session with its file, its planes in memory, and who opened it', async () => {
    expect(await list()).toMatchObject({ sessions: [], usedBytes: 0 });
    const before = Date.now();
    const first = await open();
    const second = await open({ origin: 'http://localhost:5173' });
    await open({ origin: url });
    await open({ origin: 'null' });
    const { sessions, usedBytes, budgetBytes } = await list();
    expect(sessions.map(({ openedBy }) => openedBy)).toEqual([
      { kind: 'file-page', origin: 'null' },
      { kind: 'own-page', origin: url },
      { kind: 'trusted-page', origin: 'http://localhost:5173' },
      { kind: 'program' },
    ]);
    const [oldest] = sessions.slice(-1);
    expect(oldest).toMatchObject({ sessionId: first, path: SAMPLE, name: 'vessel-kymograph.ome.tif', api: 'v2' });
    expect(oldest!.openedAt).toBeGreaterThanOrEqual(before - 50);
    expect(oldest!.expiresAt - oldest!.openedAt).toBeGreaterThan(599_000);
    // Two planes of 16 bits.
    for (const { planes, bytes } of sessions) expect({ planes, bytes }).toEqual({ planes: 2, bytes: PLANE_BYTES });
    expect(usedBytes, 'sessions of one file share planes').toBe(PLANE_BYTES);
    expect(budgetBytes).toBeGreaterThan(usedBytes);

    const { expiresAt } = await find(second);
    await new Promise((next) => setTimeout(next, 50));
    await fetch(`${url}/api/v2/sessions/${second}/renew`, { method: 'POST', headers: JSON_TYPE, body: '{}' });
    expect((await find(second)).expiresAt).toBeGreaterThan(expiresAt);
  });

  it('lists sessions of API v1, and ends any session', async () => {
    const init = { method: 'POST', headers: JSON_TYPE, body: JSON.stringify({ path: SAMPLE }) };
    const { sessionId } = (await (await fetch(`${url}/api/v1/open`, init)).json()) as { sessionId: string };
    expect(await find(sessionId)).toMatchObject({ api: 'v1', openedBy: { kind: 'program' } });
    for (const each of (await list()).sessions) {
      expect(await ask({ method: 'end-session', sessionId: each.sessionId })).toMatchObject({ ended: true });
    }
    expect(await list()).toMatchObject({ sessions: [], usedBytes: 0 });
    expect(await ask({ method: 'end-session', sessionId })).toMatchObject({ ended: false });
    expect((await fetch(`${url}/api/v1/session/${sessionId}/channel/calcium`)).status).toBe(404);
    const log = readFileSync(join(stateDir, 'acqstore.log'), 'utf8');
    expect(log).toContain('ended by the program that started the server');
    expect(log, 'an id is the permission to read').not.toContain(sessionId);
  });

  it('lists files that a page sent by their name alone', async () => {
    const bytes = readFileSync(SAMPLE);
    const announced = {
      method: 'POST',
      headers: JSON_TYPE,
      body: JSON.stringify({ name: 'sent.ome.tif', size: bytes.length }),
    };
    const { uploadId } = (await (await fetch(`${url}/api/v2/uploads`, announced)).json()) as { uploadId: string };
    const upload = `${url}/api/v2/uploads/${uploadId}`;
    const octets = { 'content-type': 'application/octet-stream' };
    await fetch(`${upload}/files/sent.ome.tif`, { method: 'PUT', headers: octets, body: bytes });
    const headers = { ...JSON_TYPE, origin: url };
    const opened = await fetch(`${upload}/open`, { method: 'POST', headers, body: '{}' });
    const { sessionId } = (await opened.json()) as OpenResponse;
    const listed = await find(sessionId);
    expect(listed).toMatchObject({ name: 'sent.ome.tif', path: 'sent.ome.tif', openedBy: { kind: 'own-page' } });
    expect(JSON.stringify(listed)).not.toContain(stateDir);
    await ask({ method: 'end-session', sessionId });
  });

  it.each(['{', '[]', '{"id":1}', '{"id":1,"method":"stop"}', '{"id":1,"method":"end-session"}', '"x"'])(
    'refuses the line %s, and answers the next one',
    async (line) => {
      expect(await send(line)).toMatchObject({ id: null, ok: false });
      await list();
    },
  );

  it('tells no client about the sessions of others', async () => {
    const sessionId = await open();
    const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: Record<string, object> };
    const addresses = [
      ...Object.keys(paths).filter((path) => 'get' in paths[path]! && !path.includes('{')),
      ...['/api/v2/sessions', '/api/v2/sessions/', '/api/v1/session', '/api/v2/control', '/api/v2/status'],
    ];
    expect(addresses.length).toBeGreaterThanOrEqual(10);
    for (const address of addresses) {
      for (const method of ['GET', 'POST']) {
        const init = method === 'GET' ? {} : { method, headers: JSON_TYPE, body: '{"id":1,"method":"sessions"}' };
        const response = await fetch(url + address, { ...init, redirect: 'manual' });
        const text = await response.text();
        expect(text, `${method} ${address}`).not.toContain(sessionId);
        expect(text, `${method} ${address}`).not.toMatch(/openedBy|openedAt|usedBytes/);
      }
    }
  });

  it('stops when that program ends', async () => {
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.stdin!.end();
    expect(await ended).toBe(0);
    // Nothing but answers was written.
    expect((await answers.next()).done).toBe(true);
  });
});
