/** What every pool of worker threads needs. */
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { AcqError, type ErrorRecord } from '@acquisition-store/readers/base/errors.js';
import type { ThreadCode } from './package-files.js';

/** Heap of a thread that reads files in MiB, without planes, unless it is given another one. */
export const HEAP_MEGABYTES = 2048;
/**
 * Buffers of decoded pieces are freed when the young generation is collected: the default of 48 MiB lets tens of MiB of
 * them pile up in each thread.
 */
const YOUNG_MEGABYTES = 3;

/** A thread's answer when its work has failed. */
export interface ThreadFailure {
  error: ErrorRecord;
  /** Set for an unexpected error: it goes to the log. */
  stack?: string;
}

/** Starts a thread that does not inherit flags of this process. */
export function startThread(code: ThreadCode, options: WorkerOptions): Worker {
  const ownFlags = { ...options, execArgv: [] };
  return code instanceof URL ? new Worker(code, ownFlags) : new Worker(code.script, { ...ownFlags, eval: true });
}

/** Starts a thread that reads files. */
export function startReader(code: ThreadCode, heapMegabytes = HEAP_MEGABYTES, workerData?: unknown): Worker {
  const resourceLimits = { maxOldGenerationSizeMb: heapMegabytes, maxYoungGenerationSizeMb: YOUNG_MEGABYTES };
  return startThread(code, { workerData, resourceLimits });
}

/**
 * Rebuilds the error of a failure that came from a thread.
 * @param statement what users are told about an unexpected error of the subject; its stack becomes the cause
 */
export function fromThread({ error, stack }: ThreadFailure, statement: string, subject: string): AcqError {
  if (stack === undefined) return AcqError.fromRecord(error);
  const cause = new Error(error.message);
  cause.stack = stack;
  return new AcqError('internal_error', statement, { subject, cause });
}
