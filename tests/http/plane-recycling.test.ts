/** What an open costs the main thread once the server is warm: no new memory, no full collection. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { OpenResponse } from '../../packages/client/src/contract/open.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { REPOSITORY } from '../support/test-app.js';
import { writeTiff } from '../writers/tiff.js';

const folder = tempFolder();
const ROWS = 20_000;
const COLUMNS = 512;
/** More than the 64 MiB that the collector lets the memory of an isolate grow by. */
const PLANES_MIB = (2 * ROWS * COLUMNS * 4) / 2 ** 20;
const WARM_UP = 12;
const OPENS = 20;

/** Prints the number of full collections of the main thread so far when the process gets SIGUSR2. */
const PROBE = `
import { constants, PerformanceObserver } from 'node:perf_hooks';
let full = 0;
new PerformanceObserver((list) => {
  for (const { detail } of list.getEntries()) if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) full++;
}).observe({ entryTypes: ['gc'] });
process.on('SIGUSR2', () => setTimeout(() => console.log('full collections: ' + full), 50));
`;

describe.runIf(process.platform === 'linux')('an open of large planes on a warm server', () => {
  let server: ChildProcess;
  let output = '';
  let url = '';
  let path = '';

  beforeAll(async () => {
    const samples = Uint16Array.from({ length: ROWS * COLUMNS }, (_, i) => 1 + (i % 4095));
    const page = { width: COLUMNS, height: ROWS, samples, rowsPerStrip: 64 };
    path = writeTemp(folder, 'scan.tif', writeTiff({ pages: [page, page] }));
    const probe = pathToFileURL(writeTemp(folder, 'probe.mjs', Buffer.from(PROBE))).href;
    const main = join(REPOSITORY, 'packages/server/dist/cli/main.js');
    const settings = ['--port', '0', '--state-dir', folder, '--workers', '2'];
    server = spawn(process.execPath, ['--import', probe, main, 'serve', ...settings]);
    server.stdout?.on('data', (part) => {
      output += part;
    });
    url = await vi.waitFor(() => /http:\/\/127\.0\.0\.1:\d+/.exec(output)![0], { timeout: 20_000 });
    for (let i = 0; i < WARM_UP; i++) await cycle();
  }, 60_000);

  afterAll(async () => {
    server.kill('SIGTERM');
    await once(server, 'exit');
  });

  async function cycle(): Promise<OpenResponse> {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}/api/v2/open`, { method: 'POST', headers, body: JSON.stringify({ path }) });
    expect(response.status).toBe(200);
    const body = (await response.json()) as OpenResponse;
    await fetch(`${url}/api/v2/sessions/${body.sessionId}`, { method: 'DELETE' });
    return body;
  }

  async function fullCollections(): Promise<number> {
    const before = output.length;
    server.kill('SIGUSR2');
    await expect.poll(() => output.slice(before)).toMatch(/full collections: \d+\n/);
    return Number(/full collections: (\d+)/.exec(output.slice(before))![1]);
  }

  /** Pages that the system had to find for the process so far. */
  const pageFaults = () => Number(readFileSync(`/proc/${server.pid}/stat`, 'utf8').split(') ')[1]!.split(' ')[7]);

  it('takes no new memory, and causes no full collection on the main thread', async () => {
    const [collections, faults] = [await fullCollections(), pageFaults()];
    for (let i = 0; i < OPENS; i++) await cycle();
    const pagesOfPlanes = (PLANES_MIB * 2 ** 20) / 4096;
    // Code and small objects take some; the planes of a single open would take all.
    expect((pageFaults() - faults) / OPENS).toBeLessThan(pagesOfPlanes / 8);
    // Small objects add up to one of their own now and then; planes alone used to cause one for each open.
    expect((await fullCollections()) - collections).toBeLessThanOrEqual(2);
  }, 60_000);
});
