/** `/llms.txt`: the contract for programs that are written by assistants. What it says is run. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pythonWithNumpy } from '../support/python.js';
import { createServer, type RunningServer } from '../support/server.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { writeTiff } from '../writers/tiff.js';

const run = promisify(execFile);
const python = pythonWithNumpy();
const folder = tempFolder();
const [WIDTH, HEIGHT] = [20, 30];
const samples = Uint16Array.from({ length: WIDTH * HEIGHT }, (_, i) => 7 * i);
const path = writeTemp(
  folder,
  'scan.tif',
  writeTiff({ pages: [{ width: WIDTH, height: HEIGHT, samples: [samples] }] }),
);

let server: RunningServer;
let text: string;
beforeAll(async () => {
  server = await createServer({ port: 0, decodeWorkers: 1, stateDir: folder });
  text = await (await fetch(`${server.url}/llms.txt`)).text();
});
afterAll(() => server.close());

/** A program of the page, for this server and a file that is there. */
function program(language: string): string {
  const [, code = ''] = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(text) ?? [];
  expect(code).not.toBe('');
  return code.replace('http://127.0.0.1:8767', server.url).replace('/data/scan.tif', path);
}

const sessions = () => server.openSessions.list().sessions.length;

describe('the contract in one page', () => {
  it('is served as text without a token, and not sent twice', async () => {
    const locked = await createServer({ port: 0, decodeWorkers: 1, stateDir: folder, token: 'secret-secret-secret' });
    try {
      const response = await fetch(`${locked.url}/llms.txt`);
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
      const headers = { 'if-none-match': response.headers.get('etag')! };
      expect((await fetch(`${locked.url}/llms.txt`, { headers })).status).toBe(304);
    } finally {
      await locked.close();
    }
  });

  it('has a program for JavaScript that reads a sample and deletes its session', async () => {
    const file = writeTemp(folder, 'program.mjs', `${program('js')}console.log(rows, columns, sampleAt(3, 4));`);
    const { stdout } = await run(process.execPath, [file]);
    expect(stdout.trim()).toBe(`${HEIGHT} ${WIDTH} ${samples[3 * WIDTH + 4]}`);
    expect(sessions()).toBe(0);
  });

  it.runIf(python)('has a program for Python that reads a sample and deletes its session', async () => {
    const file = writeTemp(folder, 'program.py', `${program('python')}print(*plane.shape, plane[3, 4])`);
    const { stdout } = await run(python!, [file]);
    expect(stdout.trim()).toBe(`${HEIGHT} ${WIDTH} ${samples[3 * WIDTH + 4]}.0`);
    expect(sessions()).toBe(0);
  });

  it('names operations that the server has', async () => {
    const { paths } = (await (await fetch(`${server.url}/openapi.json`)).json()) as { paths: Record<string, object> };
    const named = [...text.matchAll(/`(GET|POST|DELETE) (\S+?)(?:\?[^`]*)?`/g)].map(([, method = '', address = '']) => [
      method.toLowerCase(),
      address.replace('{s}', '/api/v2/sessions/{sessionId}').replace('{c}', '{channelIndex}'),
    ]);
    expect(named.length).toBeGreaterThan(7);
    for (const [method = '', address = ''] of named) {
      if (!address.startsWith('/')) continue;
      expect(paths[address], `${method} ${address}`).toHaveProperty(method);
    }
  });

  it('names queries that the server answers', async () => {
    const body = JSON.stringify({ path });
    const headers = { 'content-type': 'application/json' };
    const opened = await fetch(`${server.url}/api/v2/open`, { method: 'POST', headers, body });
    const { sessionId } = (await opened.json()) as { sessionId: string };
    const session = `${server.url}/api/v2/sessions/${sessionId}`;
    const queries = [...text.matchAll(/`GET \{s\}(\S+\?[^`]*)`/g)].map(([, query = '']) => query.replace('{c}', '0'));
    expect(queries.length).toBe(3);
    for (const query of queries) {
      // The sizes are those of a longer scan.
      const small = query
        .replace('0:1000', '0:20')
        .replace('20:60', '2:6')
        .replace('height=800&width=600', 'height=8&width=6');
      expect((await fetch(session + small)).status, small).toBe(200);
    }
    await fetch(session, { method: 'DELETE' });
  });
});
