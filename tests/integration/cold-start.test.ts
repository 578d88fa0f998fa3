/** What the workers of a server open by themselves. */
import { BroadcastChannel } from 'node:worker_threads';
import { afterAll, expect, it, vi } from 'vitest';
import { createServer, type RunningServer } from '../../packages/server/src/index.js';
import { tempFolder } from '../support/temp.js';

interface Opening {
  /** Number of the pool, in the order of their start. */
  pool: number;
  thread: number;
  path: string;
}

const seen = vi.hoisted(() => ({ pools: 0 }));

vi.mock('../../packages/server/src/decode/pool.js', async (load) => {
  const original = await load<typeof import('../../packages/server/src/decode/pool.js')>();
  const { packagedWorker } = await import('../../packages/server/src/package-files.js');
  class DecodePool extends original.DecodePool {
    constructor(options: ConstructorParameters<typeof original.DecodePool>[0]) {
      super({ ...options, workerCode: watchedCode() });
    }
  }
  const watchedCode = () => {
    const script = `
      import fs from 'node:fs';
      import { syncBuiltinESMExports } from 'node:module';
      import { BroadcastChannel, threadId } from 'node:worker_threads';
      const channel = new BroadcastChannel('opened');
      channel.unref();
      const { openSync } = fs;
      fs.openSync = (path, ...rest) => {
        channel.postMessage({ pool: ${seen.pools++}, thread: threadId, path: String(path) });
        return openSync(path, ...rest);
      };
      syncBuiltinESMExports();
      await import(${JSON.stringify(String(packagedWorker('decode/worker.js')))});
    `;
    return new URL(`data:text/javascript,${encodeURIComponent(script)}`);
  };
  return { ...original, DecodePool };
});

const servers: RunningServer[] = [];
const channel = new BroadcastChannel('opened');
afterAll(async () => {
  channel.close();
  await Promise.all(servers.map((server) => server.close()));
});

it('a server that starts cold opens nothing until it is asked, while another warms up each of its workers', async () => {
  const opened: Opening[] = [];
  channel.onmessage = (event) => opened.push((event as { data: Opening }).data);
  const options = { port: 0, stateDir: tempFolder(), decodeWorkers: 2 };
  servers.push(await createServer({ ...options, coldStart: true }));
  servers.push(await createServer(options));
  const threadsOf = (pool: number) => new Set(opened.filter((file) => file.pool === pool).map(({ thread }) => thread));
  await expect.poll(() => threadsOf(1).size, { timeout: 100_000 }).toBe(2);
  expect([...threadsOf(0)]).toEqual([]);
  const body = JSON.stringify({ path: `${import.meta.dirname}/../../examples/vessel-kymograph.ome.tif` });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${servers[0]!.url}/api/v2/open`, { method: 'POST', headers, body });
  expect(response.status).toBe(200);
  await expect.poll(() => threadsOf(0).size).toBe(1);
}, 120_000);
