import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import type { InspectJob } from '../../../src/batch/protocol.js';
import { runJobs } from '../../../src/batch/runner.js';
import { AcqError } from '../../../src/errors.js';
import { tempFolder, writeTemp } from '../../support/temp.js';

/** A thread that treats the path of a file as an order. */
const WORKER = `
import { parentPort } from 'node:worker_threads';
parentPort.on('message', ({ id, job }) => {
  const [order, time = '0'] = job.path.slice(1).split(' ');
  if (order === 'hang') for (;;);
  if (order === 'crash') throw new Error('crashed');
  if (order === 'exhaust') for (const kept = []; ; ) kept.push(new Array(1e6).fill(kept));
  setTimeout(() => parentPort.postMessage({ kind: 'done', id, value: { order, thread: process.pid } }), Number(time));
});
parentPort.postMessage({ kind: 'ready' });
`;
const workerUrl = pathToFileURL(writeTemp(tempFolder(), 'worker.mjs', WORKER));

async function run(
  orders: string[],
  { workers = 2, signal = new AbortController().signal, timeoutSeconds = 0.4 } = {},
) {
  const jobs = orders.map((order): InspectJob => ({ kind: 'inspect', path: `/${order}`, choice: {} }));
  const lines: string[] = [];
  for await (const settled of runJobs<'inspect'>(jobs, { workers, timeoutSeconds, signal, workerUrl })) {
    const { error } = settled as { error?: unknown };
    lines.push(
      error instanceof AcqError ? `${settled.index} ${error.code}: ${error.message}` : `${settled.index} done`,
    );
  }
  return lines;
}

it('yields results in the order of the files, also when later ones are faster', async () => {
  expect(await run(['slow 150', 'fast', 'fast', 'fast'])).toEqual(['0 done', '1 done', '2 done', '3 done']);
});

it('loses only the file that hangs or crashes its thread', async () => {
  const lines = await run(['fast', 'hang', 'fast', 'crash', 'fast']);
  expect(lines).toEqual([
    '0 done',
    expect.stringMatching(/^1 load_timeout: hang: made no progress for 0\.4 seconds and was stopped \(--timeout\)/),
    '2 done',
    '3 decode_failed: crash: the decoder crashed; the file is probably corrupted',
    '4 done',
  ]);
});

it('stops every thread when the signal aborts, and yields nothing more', async () => {
  const stop = new AbortController();
  setTimeout(() => stop.abort(new Error('stopped')), 200);
  expect(await run(['fast', 'hang', 'hang', 'hang'], { signal: stop.signal, timeoutSeconds: 60 })).toEqual(['0 done']);
});

it('needs no thread for an empty list', async () => {
  expect(await run([])).toEqual([]);
});
