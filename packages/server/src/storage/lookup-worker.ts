/** The look-up thread: asks the file system about paths, and may never come back from a storage that hangs. */
import { parentPort } from 'node:worker_threads';
import { answerLookup } from './answer.js';
import type { LookupMessage, LookupRequest } from './protocol.js';

/** A long look-up tells this often that the system answers. */
const STEP_MS = 500;

const port = parentPort;
if (!port) throw new Error('the look-up worker runs as a worker thread');
port.once('message', () => port.postMessage({ kind: 'begun' } satisfies LookupMessage));
port.on('message', (request: LookupRequest) => {
  let last = performance.now();
  const onStep = () => {
    if (performance.now() - last < STEP_MS) return;
    last = performance.now();
    port.postMessage({ kind: 'begun' } satisfies LookupMessage);
  };
  port.postMessage(answerLookup(request, onStep) satisfies LookupMessage);
});
