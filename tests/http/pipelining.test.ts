/** One connection that sends many requests at once. */

import { describe, expect, it, vi } from 'vitest';
import { ramp } from '../support/fake-sessions.js';
import fc from '../support/fast-check.js';
import { type WireServer, wireHooks } from '../support/wire.js';

const { start, dial } = wireHooks();

/** More than the buffers of a connection hold. */
const BIG = 16 * 2 ** 20;

function get(port: number, path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;
}

async function openSession({ url }: WireServer): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}/api/v2/open`, { method: 'POST', headers, body: '{"path":"/a"}' });
  return ((await response.json()) as { sessionId: string }).sessionId;
}

describe('a burst of requests', () => {
  it('has at most 16 answers in progress while the client reads nothing, and then gets all', async () => {
    const server = await start({ planeBytes: BIG });
    const session = `/api/v2/sessions/${await openSession(server)}`;
    const status = vi.spyOn(server.sessions, 'status');
    const client = await dial(server.port);
    // The first answer cannot be sent; the others wait for it. 1,200 requests are more than 64 KiB.
    client.write(get(server.port, `${session}/channels/1/data`) + get(server.port, session).repeat(1_200));
    await expect.poll(() => status.mock.calls.length).toBe(15);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(status).toHaveBeenCalledTimes(15);
    expect(server.sessions.decodes).toBe(1);
    // Others are served meanwhile.
    expect((await fetch(`${server.url}/api/v2/health`)).status).toBe(200);

    const [plane, ...rest] = await client.readAnswers(1_201);
    expect(plane?.body.equals(ramp(BIG, 1))).toBe(true);
    expect(status).toHaveBeenCalledTimes(1_200);
    const alike = server.sessions.status(session.slice(-32));
    const [text = '', ...others] = new Set(rest.map(({ status: code, body }) => `${code} ${body}`));
    expect([text.slice(0, 4), JSON.parse(text.slice(4)), others]).toEqual(['200 ', alike, []]);
  });

  it('keeps at most 16 planes in memory', async () => {
    const server = await start({ planeBytes: BIG });
    const session = `/api/v2/sessions/${await openSession(server)}`;
    const client = await dial(server.port);
    client.write(get(server.port, `${session}/channels/0/data`).repeat(600));
    await expect.poll(() => server.sessions.decodes).toBe(16);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(server.sessions.decodes).toBe(16);
  });

  it('keeps no plane in memory after its client disconnects', async () => {
    const server = await start({ planeBytes: BIG });
    const session = `/api/v2/sessions/${await openSession(server)}`;
    const client = await dial(server.port);
    client.write(get(server.port, `${session}/channels/0/data`).repeat(5));
    await expect.poll(() => server.sessions.pinned).toBe(5);
    client.destroy();
    await expect.poll(() => server.sessions.pinned).toBe(0);
  });

  it('stops what is computed for a client that disconnects', async () => {
    const server = await start({ planeBytes: BIG });
    const session = `/api/v2/sessions/${await openSession(server)}`;
    const open = `POST /api/v2/open HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nContent-Type: application/json\r\n`;
    const body = '{"path":"/wait"}';
    const client = await dial(server.port);
    client.write(
      `${get(server.port, `${session}/channels/0/data`).repeat(2)}${open}Content-Length: ${body.length}\r\n\r\n${body}`,
    );
    await expect.poll(() => server.sessions.opened.length).toBe(2);
    client.destroy();
    await expect.poll(() => server.sessions.opened[1]?.signal?.aborted).toBe(true);
  });

  it('is answered in order for any split of its bytes', async () => {
    const server = await start();
    const host = `Host: 127.0.0.1:${server.port}\r\n`;
    const json = `${host}Content-Type: application/json\r\n`;
    const body = (path: string) => `{\r\n\r\n"path":\n\n"${path}"\r\n\r\n}`;
    const kinds: ((n: number) => [method: string, text: string, answer: RegExp])[] = [
      (n) => ['GET', `GET /none-${n} HTTP/1.1\r\n${host}\r\n`, new RegExp(`/none-${n}\\. `)],
      (n) => ['HEAD', `HEAD /api/v2/health HTTP/1.1\r\n${host}X-N: ${n}\r\n\r\n`, /^$/],
      (n) => {
        const text = body(`/file-${n}`);
        const head = `POST /api/v2/open HTTP/1.1\r\n${json}Content-Length: ${text.length}\r\n\r\n`;
        return ['POST', head + text, new RegExp(`"name":"file-${n}"`)];
      },
      (n) => {
        const text = body(`/part-${n}`);
        const chunks = [text.slice(0, 9), text.slice(9)].map((part) => `${part.length.toString(16)}\r\n${part}\r\n`);
        const head = `POST /api/v2/open HTTP/1.1\r\n${json}Transfer-Encoding: chunked\r\n\r\n`;
        return ['POST', `${head}${chunks.join('')}0\r\n\r\n`, new RegExp(`"name":"part-${n}"`)];
      },
      // A body that nobody asked for is thrown away.
      (n) => ['POST', `POST /no-${n} HTTP/1.1\r\n${json}Content-Length: 3\r\n\r\n\n\n\n`, new RegExp(`/no-${n}\\. `)],
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(kinds.length - 1), { minLength: 40, maxLength: 80 }),
        fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 30 }),
        async (choice, cuts) => {
          const calls = choice.map((kind, n) => (kinds[kind] as (typeof kinds)[number])(n));
          const text = calls.map(([, part]) => part).join('');
          const client = await dial(server.port);
          client.socket.setNoDelay(true);
          for (let at = 0, i = 0; at < text.length; i++) {
            const length = cuts[i % cuts.length] as number;
            client.write(text.slice(at, at + length));
            at += length;
            if (i % 5 === 0) await new Promise((resolve) => setImmediate(resolve));
          }
          const methods = calls.map(([method]) => method);
          const answers = await client.readAnswers(calls.length, methods);
          client.destroy();
          expect(answers).toHaveLength(calls.length);
          for (const [i, { body: got }] of answers.entries()) expect(got.toString()).toMatch(calls[i]?.[2] as RegExp);
        },
      ),
      { numRuns: 12, seed: 4 },
    );
  });

  it('is read to the end when the client half-closes the connection', async () => {
    const server = await start();
    const client = await dial(server.port);
    const last = get(server.port, '/api/v2').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n');
    client.write(get(server.port, '/api/v2/health').repeat(100) + last);
    await client.readAll();
    expect(await client.readAnswers(101)).toHaveLength(101);
  });
});
