import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { OpenResponse } from '../../src/contract/open.js';
import { defaultOptions } from '../../src/options.js';
import type { RunningServer } from '../../src/server/listen.js';
import { startServer } from '../../src/server/start.js';
import { frames } from '../support/oif.js';
import { tempFolder } from '../support/temp.js';
import { writeOif } from '../writers/oif.js';
import { writeOirSet } from '../writers/oir.js';
import { timeSeries } from '../writers/oir-kinds.js';

const folder = tempFolder();
let server: RunningServer | undefined;
afterEach(() => server?.close());

async function open(path: string, roots: string[] = []): Promise<[number, OpenResponse & { error?: string }]> {
  server = await startServer({ ...defaultOptions(), port: 0, stateDir: folder, decodeWorkers: 1, roots });
  const response = await fetch(`${server.url}/api/v2/open`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ path }),
  });
  return [response.status, (await response.json()) as OpenResponse];
}

describe('a part of an acquisition, opened through the server', () => {
  it('opens the OIF that a plane belongs to', async () => {
    const path = writeOif(folder, frames());
    const [status, answer] = await open(join(folder, 'stack.oif.files', 's_C001Z001T001.tif'));
    expect(status).toBe(200);
    expect(answer.source.path).toBe(path);
    expect(answer.header.sizes).toEqual({ C: 2, T: 2, Z: 3, Y: 3, X: 5 });
  });

  it('does not leave the roots for it', async () => {
    writeOif(folder, frames());
    const inside = join(folder, 'stack.oif.files');
    const [status, answer] = await open(join(inside, 's_C001Z001T001.tif'), [inside]);
    expect([status, answer.error]).toEqual([403, 'path_not_allowed']);
  });

  it('opens the recording that an OIR continuation without extension belongs to', async () => {
    const [main, part] = writeOirSet(timeSeries(6, 6), [3, 3]);
    writeFileSync(join(folder, 'rec.oir'), main as Uint8Array);
    writeFileSync(join(folder, 'rec_00001'), part as Uint8Array);
    const [status, answer] = await open(join(folder, 'rec_00001'));
    expect(status).toBe(200);
    expect(answer.source.name).toBe('rec.oir');
    expect(answer.header.sizes['T']).toBe(6);
  });
});
