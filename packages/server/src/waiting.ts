/** Waits for work: until a time or a signal ends it, and for what others settle; and measures how long it takes. */
import { setMaxListeners } from 'node:events';

/**
 * Runs `work` with a signal that aborts at the deadline or with any of `signals`. Unlike `AbortSignal.any` it leaves
 * nothing behind on signals that live as long as the server.
 */
export async function withDeadline<T>(
  deadline: {
    milliseconds: number;
    /** Creates the error that the work ends with when its time is up. */
    timeout: () => Error;
    /** Further reasons to stop. */
    signals: readonly (AbortSignal | undefined)[];
  },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { milliseconds, timeout, signals } = deadline;
  const { signal, abort, unlink } = linkSignals(signals);
  const timer = setTimeout(() => abort(timeout()), milliseconds);
  try {
    signal.throwIfAborted();
    return await work(signal);
  } finally {
    clearTimeout(timer);
    unlink();
  }
}

/** Returns a signal that aborts with the first of several, until it is unlinked from them. */
export function linkSignals(signals: readonly (AbortSignal | undefined)[]): {
  signal: AbortSignal;
  /** Aborts it for another reason. */
  abort: (reason: unknown) => void;
  unlink: () => void;
} {
  const controller = new AbortController();
  // One listener for each worker that takes part.
  setMaxListeners(0, controller.signal);
  const unlinks = signals.map((signal) => link(signal, controller));
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    unlink: () => {
      for (const unlink of unlinks) unlink();
    },
  };
}

/**
 * Settles like `promise`, or rejects with the reason of the first signal that aborts: for work that cannot be stopped, only
 * abandoned.
 */
export function untilAborted<T>(promise: Promise<T>, ...signals: readonly AbortSignal[]): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      for (const signal of signals) signal.removeEventListener('abort', abort);
    };
    const abort = () => {
      stop();
      reject(signals.find(({ aborted }) => aborted)?.reason);
    };
    for (const signal of signals) signal.addEventListener('abort', abort);
    if (signals.some(({ aborted }) => aborted)) abort();
    promise.then(
      (value) => {
        stop();
        resolve(value);
      },
      (error: unknown) => {
        stop();
        reject(error);
      },
    );
  });
}

function link(signal: AbortSignal | undefined, controller: AbortController): () => void {
  if (!signal) return () => {};
  const abort = () => controller.abort(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  return () => signal.removeEventListener('abort', abort);
}

/**
 * Calls `act` when `milliseconds` have passed, unless it is stopped. Messages that came while the event loop was busy are
 * handled first: an answer that waits to be read is not late.
 * @returns stops it
 */
export function whenOverdue(milliseconds: number, act: () => void): () => void {
  let stopped = false;
  const timer = setTimeout(() => {
    // Messages of threads are read between timers and immediates.
    setImmediate(() => {
      if (!stopped) act();
    });
  }, milliseconds);
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

/** Returns a promise, and what settles it. */
export function deferred<T = void>() {
  const parts = {} as {
    promise: Promise<T>;
    resolve: (value: T | PromiseLike<T>) => void;
    reject: (error: unknown) => void;
  };
  parts.promise = new Promise<T>((resolve, reject) => Object.assign(parts, { resolve, reject }));
  // Nothing may be waiting for it.
  parts.promise.catch(() => {});
  return parts;
}

/** Where the time of a request goes, in milliseconds: until a worker is free, in opening the file, in decoding. */
export interface Timing {
  wait: number;
  open: number;
  decode: number;
}

/** Runs `work`, and adds the time that it takes to one of the stages. */
export async function measure<T>(timing: Timing | undefined, stage: keyof Timing, work: () => Promise<T>): Promise<T> {
  const start = performance.now();
  try {
    return await work();
  } finally {
    if (timing) timing[stage] += performance.now() - start;
  }
}
