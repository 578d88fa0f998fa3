import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenResponse } from '../../packages/client/src/contract/open.js';
import type { RunningServer } from '../../packages/server/src/server/listen.js';
import { openOk } from '../support/open.js';
import { createServer } from '../support/server.js';
import { tempFolder } from '../support/temp.js';
import { writeTiff } from '../writers/tiff.js';

const folder = tempFolder();
let server: RunningServer;

beforeAll(async () => {
  server = await createServer({ port: 0, stateDir: folder, decodeWorkers: 1 });
});
afterAll(() => server.close());

async function open(path: string, selection?: Record<string, number>): Promise<OpenResponse> {
  return openOk(server.url, { path, ...(selection ? { selection } : {}) });
}

describe('scenes', () => {
  const page = (width: number, height: number) => ({
    width,
    height,
    samples: new Uint8Array(width * height).fill(width),
  });

  it('are listed with their sizes for a file with several, and each can be selected', async () => {
    const path = join(folder, 'two.tif');
    writeFileSync(path, writeTiff({ pages: [page(6, 4), page(6, 4), page(9, 5)] }));
    const first = await open(path);
    expect(first.source.scenes?.map(({ index, sizes }) => ({ index, sizes }))).toEqual([
      { index: 0, sizes: { C: 1, Z: 2, Y: 4, X: 6 } },
      { index: 1, sizes: { C: 1, Y: 5, X: 9 } },
    ]);
    expect(first.selection).toEqual({ S: 0, Z: 0 });
    const second = await open(path, { S: 1 });
    expect(second.plane.shape).toEqual([5, 9]);
    expect(second.header.dims).toEqual(['C', 'S', 'Y', 'X']);
    const data = await fetch(server.url + second.channels[0]?.dataUrl);
    expect([...new Float32Array(await data.arrayBuffer())]).toEqual(new Array(45).fill(9));
  });

  it('are not listed for a file with one scene', async () => {
    const path = join(folder, 'one.tif');
    writeFileSync(path, writeTiff({ pages: [page(6, 4)] }));
    expect(await open(path)).not.toHaveProperty('source.scenes');
  });
});
