/** The share of the processor that a decode worker takes. */
import { getPriority, setPriority } from 'node:os';

/**
 * Nice levels below the rest of the process: at 2 a worker weighs two thirds when both want the same core. More would make
 * opens slow beside other programs that compute.
 */
const LEVELS = 2;
const LOWEST = 19;

/**
 * Lowers the priority of the thread that calls it, so that the server's thread runs at once when a request arrives while
 * every core decodes. Does nothing where priorities belong to processes, and where the system refuses.
 */
export function lowerThreadPriority(): void {
  // POSIX and Windows give a process one priority. Linux gives each thread its own, and 0 stands for the calling thread
  // (setpriority(2), "C library/kernel differences").
  if (process.platform !== 'linux') return;
  try {
    setPriority(Math.min(LOWEST, getPriority() + LEVELS));
  } catch {
    // A sandbox may forbid it. Then the server only answers later while it decodes.
  }
}
