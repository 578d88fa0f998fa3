import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { AcqError } from '../../../packages/readers/src/base/errors.js';
import type { InspectJob } from '../../../packages/server/src/batch/protocol.js';
import { runJobs } from '../../../packages/server/src/batch/runner.js';
import { tempFolder, writeTemp } from '../../support/temp.js';

/** A thread that treats the path of a file as an order. */
const WORKER = `
import { parentPort } from 'node:worker_threads';
parentPort.on('message', ({ id, job }) => {
  const [order, time = '0'] = job.path.slice(1).split(' ');
  if (order === 'hang') for (;;);
  if (order === 'crash') throw new Error('crashed');
  setTimeout(() => parentPort.postMessage({ kind: 'done', id, value: { order, thread: process.pid } }), Number(time));
});
parentPort.postMessage({ kind: 'ready' });
`;
const workerCode = pathToFileURL(writeTemp(tempFolder(), 'worker.mjs', WORKER));

interface RunOptions {
  timeoutSeconds?: number;
  signal?: AbortSignal;
  /** Called after each result. */
  onLine?: () => void;
}

async function run(
  orders: string[],
  { timeoutSeconds = 3, onLine, signal = new AbortController().signal }: RunOptions = {},
) {
  const jobs = orders.map((order): InspectJob => ({ kind: 'inspect', path: `/${order}`, choice: {} }));
  const lines: string[] = [];
  for await (const settled of runJobs<'inspect'>(jobs, { workers: 2, timeoutSeconds, signal, workerCode })) {
    const { error } = settled as { error?: unknown };
    lines.push(
      error instanceof AcqError ? `${settled.index} ${error.code}: ${error.message}` : `${settled.index} done`,
    );
    onLine?.();
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
    expect.stringMatching(/^1 load_timeout: hang: made no progress for 3 seconds and was stopped \(--timeout\)/),
    '2 done',
    '3 decode_failed: crash: the decoder crashed; the file is probably corrupted',
    '4 done',
  ]);
});

it('stops every thread when the signal aborts, and yields nothing more', async () => {
  const stop = new AbortController();
  const options = { signal: stop.signal, timeoutSeconds: 60, onLine: () => stop.abort(new Error('stopped')) };
  expect(await run(['fast', 'hang', 'hang', 'hang'], options)).toEqual(['0 done']);
});

it('needs no thread for an empty list', async () => {
  expect(await run([])).toEqual([]);
});
