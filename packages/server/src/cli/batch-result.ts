import { inspect as inspectValue } from 'node:util';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import type { JobFailure } from '../batch/protocol.js';
import { JobError } from '../batch/thread.js';
import { exhaustionError } from '../platform-node/exhaustion.js';
import { EXIT } from './exit-codes.js';

/** Returns why a file failed, for messages and lines of JSON. */
export function toFailure(thrown: unknown): JobFailure {
  if (thrown instanceof JobError) return thrown.failure;
  const known = thrown instanceof AcqError ? thrown : exhaustionError('The file cannot be read', thrown);
  if (known) return known.toRecord();
  return { code: 'internal_error', message: String(thrown), details: null, stack: inspectValue(thrown) };
}

/** Returns the exit code for a number of files. */
export function exitCodeFor({ total, failed }: { total: number; failed: number }): number {
  if (failed === 0) return EXIT.ok;
  return failed < total ? EXIT.someFailed : EXIT.failed;
}
