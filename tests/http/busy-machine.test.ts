/** A machine that has no time for the server is no drive that hangs. */
import { pathToFileURL } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { Cli, PACKAGED, SAMPLE } from '../support/cli.js';
import { tempFolder, writeTemp } from '../support/temp.js';

const cli = new Cli();
afterAll(() => cli.close());

/** Longer than a look-up may take. */
const START_MS = 5_500;

// A packaged program takes no NODE_OPTIONS.
it.skipIf(PACKAGED)(
  'opens files although threads for path look-ups take seconds to start',
  async () => {
    // As on a machine with 13 busy programs on 2 cores: the heap limit tells a look-up thread from a decode worker.
    const slowStart = writeTemp(
      tempFolder(),
      'slow-start.mjs',
      `import { isMainThread, resourceLimits } from 'node:worker_threads';
    if (!isMainThread && resourceLimits.maxOldGenerationSizeMb === 64) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${START_MS});
    }`,
    );
    const start = performance.now();
    const env = { NODE_OPTIONS: `--import=${pathToFileURL(slowStart).href}` };
    const { url } = await cli.serve(['--log-level', 'warn'], env);
    const answers = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const headers = { 'content-type': 'application/json' };
        const init = { method: 'POST', headers, body: JSON.stringify({ path: SAMPLE }) };
        const response = await fetch(`${url}/api/v2/open`, init);
        const { error } = (await response.json()) as { error?: string };
        return [response.status, error];
      }),
    );
    expect(answers).toEqual(Array(12).fill([200, undefined]));
    // Otherwise the threads were not slow.
    expect(performance.now() - start).toBeGreaterThan(START_MS);
  },
  60_000,
);
