/** The look-up thread: asks the file system about paths, and may never come back from a storage that hangs. */
import { parentPort } from 'node:worker_threads';
import { answerLookup } from './answer.js';
import type { LookupMessage, LookupRequest } from './protocol.js';

const port = parentPort;
if (!port) throw new Error('the look-up worker runs as a worker thread');
port.once('message', () => port.postMessage({ kind: 'begun' } satisfies LookupMessage));
port.on('message', (request: LookupRequest) => {
  port.postMessage(answerLookup(request) satisfies LookupMessage);
});
