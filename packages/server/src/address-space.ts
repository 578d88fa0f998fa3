import { readFileSync } from 'node:fs';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { plural } from '@acquisition-store/readers/base/wording.js';

/** Address space that V8 reserves and mostly never uses, measured with 1 to 8 workers on Node 20, 22 and 24. */
const MAIN_BYTES = 1.5 * 2 ** 30;
const WORKER_BYTES = 2 ** 30;

/**
 * Checks that there is enough address space. V8 aborts the process when it cannot reserve addresses for a thread.
 * @param workers decode workers that may run beside the main thread
 * @throws AcqError `capacity_exceeded`
 */
export function checkAddressSpace(workers: number, limit = addressSpaceLimit()): void {
  if (hasAddressSpace(workers, limit)) return;
  const gigabytes = (bytes: number) => `${(bytes / 2 ** 30).toFixed(1)} GiB`;
  const fewer = Math.floor((limit - MAIN_BYTES) / WORKER_BYTES);
  const advice = workers > 0 && fewer >= 1 ? `, or use fewer decode workers: --workers ${fewer}` : '';
  throw new AcqError(
    'capacity_exceeded',
    `The address space of this process is limited to ${gigabytes(limit)} (ulimit -v); ${gigabytes(requiredFor(workers))} are ` +
      `required${workers > 0 ? ` for ${plural(workers, 'decode worker')}` : ''}. Raise the limit${advice}.`,
  );
}

/** True when there is enough address space for the main thread and some workers. */
export function hasAddressSpace(workers: number, limit = addressSpaceLimit()): boolean {
  return limit >= requiredFor(workers);
}

function requiredFor(workers: number): number {
  return MAIN_BYTES + workers * WORKER_BYTES;
}

/** Returns the limit in bytes, `Infinity` without one. Only Linux enforces a limit; macOS and Windows do not. */
function addressSpaceLimit(): number {
  try {
    const [, soft] = /^Max address space +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
