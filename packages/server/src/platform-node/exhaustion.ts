/** Errors of a system that has run out of descriptors, threads or memory: the file is fine, and another attempt may work. */
import { AcqError } from '@acquisition-store/readers/base/errors.js';

const FILES =
  'too many files are open (EMFILE). Try again, or raise the limit of open files and restart: ulimit -n 4096';
const MACHINE_FILES = 'too many files are open on this machine (ENFILE). Close other programs and try again';
const THREADS =
  'the system allows no further thread or process (EAGAIN). Close other programs, or raise the limit and restart: ' +
  'ulimit -u';
const MEMORY =
  'not enough memory is available. Close other programs, or raise the limit of the address space and restart: ulimit -v';

/**
 * Returns `capacity_exceeded` for an error of a system that has run out of something, otherwise `undefined`.
 * @param what says what cannot be done, for example `cannot be opened`
 */
export function exhaustionError(what: string, error: unknown): AcqError | undefined {
  const reason = exhaustion(error);
  if (reason === undefined) return undefined;
  return new AcqError('capacity_exceeded', `${what}: ${reason}.`, { cause: error });
}

function exhaustion(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { message, syscall = '' } = error as NodeJS.ErrnoException;
  const code = codeOf(error);
  const starting = code === 'ERR_WORKER_INIT_FAILED';
  switch (starting ? /\bE[A-Z]+$/.exec(message)?.[0] : code) {
    case 'EMFILE':
      return FILES;
    case 'ENFILE':
      return MACHINE_FILES;
    case 'EAGAIN':
      return starting || syscall.startsWith('spawn') ? THREADS : undefined;
    case 'ENOMEM':
      return MEMORY;
  }
  // Node 24 reports it for a package.json that it cannot open.
  if (code?.startsWith('ERR_') && message.includes('too many open files')) return FILES;
  return ALLOCATION.test(message) ? MEMORY : undefined;
}

/** Returns the code of a system error; the code of a `DOMException` is a number. */
function codeOf(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** V8's messages when the system refuses memory to array buffers and WebAssembly; codecs may wrap them. */
const ALLOCATION = /^Array buffer allocation failed$|WebAssembly\.\w+\(\): (could not allocate memory|out of memory)/i;
