import type { Worker } from 'node:worker_threads';
import { packagedWorker } from '../package-files.js';
import { exhaustionError } from '../platform-node/exhaustion.js';
import { startThread } from '../threads.js';
import type { LookupMessage, LookupReply, LookupRequest } from './protocol.js';

/** Runs one look-up at a time. */
export interface LookupRunner {
  /**
   * Settles when the system has answered, which may be never.
   * @param onBegin called when the thread turns to the system, as far as is known: a busy machine may take seconds to
   * start a thread, but one that has answered waits for the next request. Called again while the system answers the
   * many requests of a long look-up
   */
  run(request: LookupRequest, onBegin: () => void): Promise<LookupReply>;
  /** Settles when the thread has ended; one that hangs in the system ends when the system answers. */
  close(): Promise<unknown>;
}

interface Settle {
  begin: () => void;
  resolve: (reply: LookupReply) => void;
  reject: (error: unknown) => void;
}

/** Its own objects are small. */
const LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 2 };

/**
 * A thread for look-ups. It does not keep the process alive.
 * @throws AcqError `capacity_exceeded` when the system has no thread to give
 */
export function createLookupThread(): LookupRunner {
  const thread = start();
  let settle: Settle | undefined;
  let hasAnswered = false;
  let failure: unknown;
  const fail = (error: unknown) => {
    failure ??= notStarted(error);
    settle?.reject(failure);
    settle = undefined;
  };
  thread.on('message', (message: LookupMessage) => {
    if (message.kind === 'begun') {
      settle?.begin();
      return;
    }
    thread.unref();
    hasAnswered = true;
    settle?.resolve(message);
    settle = undefined;
  });
  thread.on('error', fail);
  thread.on('exit', (code) => fail(new Error(`the look-up thread ended with code ${code}`)));
  thread.unref();
  return {
    run: (request, begin) =>
      new Promise((resolve, reject) => {
        if (failure !== undefined) throw failure;
        settle = { begin, resolve, reject };
        thread.ref();
        thread.postMessage(request);
        if (hasAnswered) begin();
      }),
    close: () => thread.terminate(),
  };
}

function start(): Worker {
  try {
    return startThread(packagedWorker('storage/lookup-worker.js'), { resourceLimits: LIMITS });
  } catch (error) {
    throw notStarted(error);
  }
}

function notStarted(error: unknown): unknown {
  return exhaustionError('A look-up thread cannot be started', error) ?? error;
}
