/** What the thread of a decode worker was started with. Only the worker loads it. */
import { parentPort, workerData } from 'node:worker_threads';
import type { WorkerSetup } from './protocol.js';

if (!parentPort) throw new Error('the decode worker runs as a worker thread');
const setup: WorkerSetup = workerData;

/** To the pool. */
export const port = parentPort;
/** See `WorkerSetup`, as the rest. */
export const bell = new Int32Array(setup.bell);
export const askedAt = new Float64Array(setup.askedAt);
export const { isFirst } = setup;
