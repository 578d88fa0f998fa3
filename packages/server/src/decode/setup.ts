/** What the thread of a decode worker was started with. */
import { parentPort, workerData } from 'node:worker_threads';
import type { WorkerSetup } from './protocol.js';

/** Reads what this thread was started with. @throws Error outside of a worker */
export function readSetup() {
  if (!parentPort) throw new Error('the decode worker runs as a worker thread');
  const { bell, askedAt, isFirst }: WorkerSetup = workerData;
  return {
    /** To the pool. */
    port: parentPort,
    bell: new Int32Array(bell),
    askedAt: new Float64Array(askedAt),
    isFirst,
  };
}
