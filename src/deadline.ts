import { setMaxListeners } from 'node:events';

export interface Deadline {
  milliseconds: number;
  /** Made when the time is over: what the work ends with. */
  timeout: () => Error;
  /** Further reasons to stop. */
  signals: readonly (AbortSignal | undefined)[];
}

/**
 * Runs `work` with a signal that aborts at the deadline or with any of `signals`. Unlike `AbortSignal.any` it leaves
 * nothing behind on signals that live as long as the server.
 */
export async function withDeadline<T>(deadline: Deadline, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { milliseconds, timeout, signals } = deadline;
  const controller = new AbortController();
  // One for each worker that takes part.
  setMaxListeners(0, controller.signal);
  const timer = setTimeout(() => controller.abort(timeout()), milliseconds);
  const unlink = signals.map((signal) => link(signal, controller));
  try {
    controller.signal.throwIfAborted();
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    for (const one of unlink) one();
  }
}

/** Settles like `promise`, or rejects with the signal's reason: for what cannot be stopped, only left alone. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

function link(signal: AbortSignal | undefined, controller: AbortController): () => void {
  if (!signal) return () => {};
  const abort = () => controller.abort(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  return () => signal.removeEventListener('abort', abort);
}
