import type { ChildProcess } from 'node:child_process';

/** How long a window may take to close before its process is killed. */
const FAREWELL_MS = 5_000;

/** Resolves when a process has ended, or could not be started. */
export function whenEnded(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
}

/** Asks a process to end, and kills it when it does not. Resolves when it has ended. */
export async function end(child: ChildProcess, ended: Promise<void>, ask: () => void): Promise<void> {
  ask();
  const timer = setTimeout(() => child.kill('SIGKILL'), FAREWELL_MS);
  await ended;
  clearTimeout(timer);
}
