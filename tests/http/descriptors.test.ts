/** A real server that has no descriptor left: nothing is said of a file that is not true, and the server lives on. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { OpenResponse } from '../../packages/client/src/contract/open.js';
import { lineScan as brukerLineScan } from '../support/bruker.js';
import { type Cli, type Running, SAMPLE } from '../support/cli.js';
import { type Greedy, greedy, limitedCli } from '../support/limited.js';
import { frames } from '../support/oif.js';
import { writeBruker } from '../writers/bruker.js';
import { writeOif } from '../writers/oif.js';
import { writeOirSet } from '../writers/oir.js';
import { timeSeries } from '../writers/oir-kinds.js';

interface Answer {
  status: number;
  retryAfter: string | undefined;
  json: OpenResponse & { error: string; message: string };
}

describe.skipIf(process.platform === 'win32')('a server without descriptors', () => {
  let cli: Cli;
  let close: () => Promise<void>;
  let server: Running & { url: string; port: number };
  let hog: Greedy;
  let display: Server;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });

  beforeAll(async () => {
    ({ cli, close } = limitedCli('ulimit -n 400'));
    hog = greedy(cli.stateHome);
    mkdirSync(data());
    writeOif(data(), frames());
    writeBruker(join(data(), 'bruker'), brukerLineScan());
    const [main, part] = writeOirSet(timeSeries(6, 6), [3, 3]);
    writeFileSync(join(data(), 'rec.oir'), main as Uint8Array);
    writeFileSync(join(data(), 'rec_00001'), part as Uint8Array);
    server = await cli.serve(['--workers', '1', '--session-ttl', '5'], { ...hog.env, ...(await dialogEnv()) });
    // This connection is open from now on: without descriptors nobody else gets in.
    expect((await ask('GET', '/api/v2/health')).status).toBe(200);
  });
  afterAll(async () => {
    agent.destroy();
    display.close();
    await close();
  });

  const data = () => join(cli.stateHome, 'data');

  /** A display that answers, and a dialog program that says which file was chosen. */
  async function dialogEnv(): Promise<NodeJS.ProcessEnv> {
    const bin = join(cli.stateHome, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'zenity'), `#!/bin/sh\necho '${SAMPLE}'\n`);
    chmodSync(join(bin, 'zenity'), 0o755);
    display = createServer((socket) => socket.destroy());
    await new Promise<void>((done) => display.listen(join(cli.stateHome, 'wayland-0'), done));
    return { PATH: bin, XDG_RUNTIME_DIR: cli.stateHome, WAYLAND_DISPLAY: 'wayland-0', DBUS_SESSION_BUS_ADDRESS: '' };
  }

  function ask(method: string, path: string, body?: object): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const headers = body === undefined ? {} : { 'content-type': 'application/json' };
      const sent = request(server.url + path, { method, agent, headers }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => void parts.push(part));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            retryAfter: response.headers['retry-after'],
            json: JSON.parse(Buffer.concat(parts).toString('utf8')),
          }),
        );
      });
      sent.on('error', reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
  const pick = () => ask('POST', '/api/v2/pick-and-open', {});
  const open = (path: string) => ask('POST', '/api/v2/open', { path });

  function expectExhausted({ status, retryAfter, json }: Answer): void {
    expect([status, json.error, retryAfter], json.message).toEqual([503, 'capacity_exceeded', '5']);
    expect(json.message).toMatch(
      /: too many files are open \(EMFILE\)\. Try again, or raise the limit .*: ulimit -n 4096\.$/,
    );
  }

  it('answers capacity_exceeded for files, folders and dialogs, and works again with descriptors', async () => {
    await hog.leave(server, 0);
    // What is under way may give some back for a moment.
    const becomes = (answer: () => Promise<Answer>, check: (one: Answer) => void) =>
      vi.waitFor(async () => check(await answer()), { timeout: 10_000, interval: 50 });
    for (const path of [SAMPLE, join(data(), 'bruker'), join(data(), 'stack.oif')]) {
      await becomes(
        () => open(path),
        (answer) => expectExhausted(answer),
      );
    }
    await becomes(pick, expectExhausted);
    expect((await ask('GET', '/api/v2/health')).status).toBe(200);
    await hog.leave(server, Number.POSITIVE_INFINITY);
    await becomes(
      () => open(SAMPLE),
      (answer) => expect(answer.status).toBe(200),
    );
    await becomes(pick, (answer) => expect(answer.status).toBe(200));
  });

  it('shows a dialog or reports the shortage with a few descriptors', async () => {
    const seen = new Set<number>();
    for (let free = 0; free <= 16; free++) {
      await hog.leave(server, free);
      const answer = await pick();
      seen.add(answer.status);
      if (answer.status !== 200) expectExhausted(answer);
    }
    await hog.leave(server, Number.POSITIVE_INFINITY);
    expect([...seen].sort()).toEqual([200, 503]);
  });

  it('survives connections that it cannot accept', async () => {
    await hog.leave(server, 0);
    const sockets = Array.from({ length: 5 }, () => connect(server.port, '127.0.0.1').on('error', () => {}));
    await new Promise((next) => setTimeout(next, 300));
    expect((await ask('GET', '/api/v2/health')).status).toBe(200);
    for (const socket of sockets) socket.destroy();
    await hog.leave(server, Number.POSITIVE_INFINITY);
    expect((await fetch(`${server.url}/api/v2/health`)).status).toBe(200);
  });

  it.each(['stack.oif', 'rec.oir', 'bruker'])(
    'opens %s completely or not at all with a few descriptors',
    async (name) => {
      const path = join(data(), name);
      // A worker that could not start is noticed a moment later.
      const whole = await vi.waitFor(async () => {
        const answer = await open(path);
        expect(answer.status, answer.json.message).toBe(200);
        return answer;
      }, 10_000);
      const seen = new Set<number>();
      for (let free = 0; free <= 24; free++) {
        await hog.leave(server, free);
        const answer = await open(path);
        seen.add(answer.status);
        if (answer.status !== 200) expectExhausted(answer);
        else {
          for (const key of ['header', 'selection', 'warnings', 'reference'] as const) {
            const plain = (part: unknown) => JSON.stringify(part)?.replace(/sessions\/[0-9a-f]+/g, '');
            expect(plain(answer.json[key]), `${free} descriptors`).toBe(plain(whole.json[key]));
          }
        }
      }
      await hog.leave(server, Number.POSITIVE_INFINITY);
      expect([...seen].sort()).toEqual([200, 503]);
    },
  );

  it('stops cleanly', async () => {
    expect((await server.interrupt()).code).toBe(0);
  });
});
