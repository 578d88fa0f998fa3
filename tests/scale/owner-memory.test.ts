/** The memory of each user of a shared server, over HTTP. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenResponse } from '../../packages/client/src/contract/open.js';
import { createToken } from '../../packages/server/src/server/auth/tokens.js';
import type { RunningServer } from '../../packages/server/src/server/listen.js';
import { heldBytes } from '../support/held-bytes.js';
import { createServer } from '../support/server.js';
import { tempFolder } from '../support/temp.js';
import { writeTiff } from '../writers/tiff.js';

const base = tempFolder();
const [ana, ben] = [createToken({ name: 'ana' }), createToken({ name: 'ben' })];
/** Planes of 40,000 bytes as float32, and a limit of three of them for each user. */
const PLANE_BYTES = 40_000;
const scan = (first: number) =>
  writeTiff({
    pages: [{ width: 100, height: 100, samples: Float32Array.from({ length: 10_000 }, (_, i) => first + i) }],
  });

describe('the planes of a user', () => {
  let server: RunningServer;
  const paths = Array.from({ length: 8 }, (_, i) => join(base, `${i}.tif`));

  beforeAll(async () => {
    for (const [i, path] of paths.entries()) writeFileSync(path, scan(i));
    const tokensFile = join(base, 'tokens.jsonl');
    writeFileSync(tokensFile, `${JSON.stringify(ana.line)}\n${JSON.stringify(ben.line)}\n`, { mode: 0o600 });
    server = await createServer({
      ...{ port: 0, decodeWorkers: 1, stateDir: join(base, 'state'), roots: [base], tokensFile },
      memoryPerOwnerBytes: 3 * PLANE_BYTES + 20_000,
    });
  });
  afterAll(() => server?.close());

  async function open({ token }: { token: string }, path: string): Promise<OpenResponse> {
    const response = await fetch(`${server.url}/api/v2/open`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ path }),
    });
    const body = (await response.json()) as OpenResponse & { message?: string };
    expect([response.status, body.message]).toEqual([200, undefined]);
    return body;
  }
  /** Where the plane of a session came from. */
  async function readFrom({ token }: { token: string }, { channels }: OpenResponse): Promise<'memory' | 'file'> {
    const response = await fetch(server.url + channels[0]!.dataUrl, { headers: { authorization: `Bearer ${token}` } });
    expect((await response.arrayBuffer()).byteLength).toBe(PLANE_BYTES);
    return response.headers.get('server-timing')?.endsWith('decode;dur=0.0') ? 'memory' : 'file';
  }

  it('counts once for all of the sessions that show it, and for each user who does', async () => {
    const many = await Promise.all(Array.from({ length: 4 }, () => open(ana, paths[0]!)));
    const his = await open(ben, paths[0]!);
    expect(await heldBytes(server)).toBe(PLANE_BYTES);
    const more = [await open(ana, paths[1]!), await open(ana, paths[2]!)];
    expect(await heldBytes(server)).toBe(3 * PLANE_BYTES);
    for (const session of [...many, ...more]) expect(await readFrom(ana, session)).toBe('memory');
    // The limit is reached: a further plane takes the place of the one that she read longest ago, which he keeps.
    await open(ana, paths[3]!);
    expect(await heldBytes(server)).toBe(4 * PLANE_BYTES);
    expect(await readFrom(ben, his)).toBe('memory');
  });

  it('are given up before those of others', async () => {
    const his = await open(ben, paths[4]!);
    const hers = await open(ana, paths[5]!);
    for (const path of [paths[6]!, paths[7]!, paths[1]!, paths[2]!]) await open(ana, path);
    expect([await readFrom(ben, his), await readFrom(ana, hers)]).toEqual(['memory', 'file']);
  });

  it('are refused beyond the limit, which the message names', async () => {
    const path = join(base, 'large.tif');
    writeFileSync(path, writeTiff({ pages: [{ width: 200, height: 200, samples: new Float32Array(40_000) }] }));
    const response = await fetch(`${server.url}/api/v2/open`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ana.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ path }),
    });
    const { error, message } = (await response.json()) as { error: string; message: string };
    expect([response.status, error]).toEqual([413, 'plane_too_large']);
    expect(message).toContain('the limit of each user is 140,000 (--memory-per-owner)');
  });
});
