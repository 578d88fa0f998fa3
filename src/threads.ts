/** What every pool of worker threads needs. */
import { AcqError, type ErrorRecord } from './errors.js';

/** A thread's answer when its work has failed. */
export interface ThreadFailure {
  error: ErrorRecord;
  /** Set for an unexpected error: it goes to the log. */
  stack?: string;
}

/**
 * Returns the URL of a compiled worker, also when the caller runs from its TypeScript source.
 * @param path below `dist/`, such as `decode/worker.js`
 * @param here `import.meta.url` of a module one folder below `dist/` or `src/`
 */
export function compiledWorker(path: string, here: string): URL {
  return new URL(here.endsWith('.ts') ? `../../dist/${path}` : `../${path}`, here);
}

/**
 * Rebuilds the error of a failure that came from a thread.
 * @param message what users are told about an unexpected error; its stack becomes the cause
 */
export function fromThread({ error, stack }: ThreadFailure, message: string): AcqError {
  if (stack === undefined) return AcqError.fromRecord(error);
  const cause = new Error(error.message);
  cause.stack = stack;
  return new AcqError('internal_error', message, { cause });
}
