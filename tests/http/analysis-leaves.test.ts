/** A client that leaves while the server computes, on a real server. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openOk } from '../support/open.js';
import { createServer, type RunningServer } from '../support/server.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { writeTiff } from '../writers/tiff.js';

/** What became of each computation. */
const computations: Promise<unknown>[] = [];
vi.mock('../../packages/readers/src/derive/analysis/slices.js', async (load) => {
  const original = await load<typeof import('../../packages/readers/src/derive/analysis/slices.js')>();
  const inSlices: typeof original.inSlices = (...given) => {
    const running = original.inSlices(...given);
    computations.push(running.catch((error) => error));
    return running;
  };
  return { ...original, inSlices };
});

const folder = tempFolder();
let server: RunningServer;
beforeAll(async () => {
  server = await createServer({ port: 0, decodeWorkers: 1, stateDir: folder });
});
afterAll(() => server.close());

it('a computation stops when its client leaves, and the next one runs', async () => {
  // Some forty slices for the percentiles of float32.
  const [width, height] = [2048, 4096];
  const samples = Float32Array.from({ length: width * height }, (_, i) => (i * 7919) % 251);
  const { sessionId } = await openOk(server.url, {
    path: writeTemp(folder, 'large.tif', writeTiff({ pages: [{ width, height, samples }] })),
  });
  const address = `${server.url}/api/v2/sessions/${sessionId}/channels/0/statistics`;
  const controller = new AbortController();
  const asked = fetch(`${address}?percentiles=1,50,99&bins=256`, { signal: controller.signal });
  await expect.poll(() => computations.length).toBe(1);
  controller.abort();
  await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
  expect(await computations[0]).toBeInstanceOf(Error);
  const answer = await fetch(`${address}?rows=0:1`);
  expect(await answer.json()).toMatchObject({ ok: true, samples: width });
});
