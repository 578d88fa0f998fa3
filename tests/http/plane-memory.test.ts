import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import type { OpenResponse } from '../../packages/client/src/contract/open.js';
import type { ServerOptions } from '../../packages/server/src/options.js';
import type { RunningServer } from '../../packages/server/src/server/listen.js';
import { createServer } from '../support/server.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { writeTiff } from '../writers/tiff.js';

const folder = tempFolder();
const SIDE = 1500;
const PLANE_BYTES = SIDE * SIDE * 4;
/** Samples of 16 bits are kept as they are. */
const HELD_BYTES = PLANE_BYTES / 2;
const started: RunningServer[] = [];

afterEach(async () => {
  await Promise.all(started.splice(0).map((server) => server.close()));
});

async function start(options: Partial<ServerOptions> = {}): Promise<RunningServer> {
  const server = await createServer({ port: 0, stateDir: folder, decodeWorkers: 2, ...options });
  started.push(server);
  return server;
}

/** A TIFF of one plane that is `value` everywhere; deflated ones are decoded by two workers, a half each. */
function filled(name: string, value: number, compression = 8, rowsPerStrip = 100): string {
  const samples = new Uint16Array(SIDE * SIDE).fill(value);
  const page = { width: SIDE, height: SIDE, samples, compression, rowsPerStrip };
  return writeTemp(folder, name, writeTiff({ pages: [page] }));
}

const post = (url: string, path: string) =>
  fetch(`${url}/api/v2/open`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ path }),
  });

async function open(url: string, path: string): Promise<OpenResponse> {
  const response = await post(url, path);
  expect(response.status).toBe(200);
  return (await response.json()) as OpenResponse;
}

const end = (url: string, { sessionId }: OpenResponse) =>
  fetch(`${url}/api/v2/sessions/${sessionId}`, { method: 'DELETE' });

/** A download of which nothing is read beyond what the connection buffers. */
async function stall(url: string, { channels }: OpenResponse): Promise<IncomingMessage> {
  const [response] = (await once(get(`${url}${channels[0]?.dataUrl}`), 'response')) as [IncomingMessage];
  response.pause();
  return response;
}

/** The values that a body holds, and how many samples. */
async function valuesIn(body: AsyncIterable<unknown>): Promise<[values: number[], count: number]> {
  const parts: Buffer[] = [];
  for await (const part of body) parts.push(part as Buffer);
  const samples = new Float32Array(new Uint8Array(Buffer.concat(parts)).buffer);
  return [[...new Set(samples)], samples.length];
}

describe('the memory of a plane that is being sent', () => {
  it('is not reused for another file, even after its session has ended', async () => {
    const { url } = await start();
    const first = await open(url, filled('first.tif', 11));
    const download = await stall(url, first);
    await end(url, first);
    for (const value of [22, 33, 44]) {
      const other = await open(url, filled(`other-${value}.tif`, value));
      expect(await valuesIn((await fetch(`${url}${other.channels[0]?.dataUrl}`)).body as never)).toEqual([
        [value],
        SIDE * SIDE,
      ]);
      await end(url, other);
    }
    expect(await valuesIn(download)).toEqual([[11], SIDE * SIDE]);
  });

  it('counts against the budget until it is sent', async () => {
    const { url } = await start({ memoryBudgetBytes: 1.5 * HELD_BYTES });
    const first = await open(url, filled('slow.tif', 1, 1));
    const download = await stall(url, first);
    await end(url, first);
    const path = filled('next.tif', 2, 1);
    const refused = await post(url, path);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    download.destroy();
    await expect.poll(async () => (await post(url, path)).status).toBe(200);
  });
});

describe('planes that can never fit the memory budget', () => {
  it('are refused with 413 and without Retry-After', async () => {
    const { url } = await start({ memoryBudgetBytes: HELD_BYTES - 1 });
    const response = await post(url, filled('large.tif', 1));
    expect([response.status, response.headers.get('retry-after')]).toEqual([413, null]);
    const { error, message } = (await response.json()) as { error: string; message: string };
    expect(error).toBe('plane_too_large');
    expect(message).toContain('--memory-budget');
  });

  it('include the memory for decoding: a strip as large as the plane, stored and decoded', async () => {
    const { url } = await start({ memoryBudgetBytes: 3 * HELD_BYTES - 1, decodeWorkers: 1 });
    expect((await post(url, filled('strips.tif', 1, 8, 100))).status).toBe(200);
    const response = await post(url, filled('one-strip.tif', 1, 8, SIDE));
    expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([413, 'plane_too_large']);
  });
});
