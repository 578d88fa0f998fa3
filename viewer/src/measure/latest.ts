/** Work that follows an input faster than it can be done: only the newest input waits, and what is shown is never far behind. */
export interface Latest<T> {
  /** Does the work for `input` as soon as what runs has ended; what waited is forgotten. */
  want(input: T): void;
  stop(): void;
}

/** Longer, in milliseconds, and work gives way to a newer input; before, it is finished: a moving pointer must not starve it. */
const PATIENCE = 120;

export function createLatest<T>(
  work: (input: T, signal: AbortSignal) => Promise<void> | void,
  now: () => number = () => performance.now(),
): Latest<T> {
  let waiting: { readonly input: T } | null = null;
  let running: AbortController | null = null;
  let begun = 0;
  let stopped = false;

  async function go(): Promise<void> {
    try {
      while (waiting !== null && !stopped) {
        const { input } = waiting;
        waiting = null;
        running = new AbortController();
        begun = now();
        await work(input, running.signal);
      }
    } catch (error) {
      if (!running?.signal.aborted) throw error;
    } finally {
      running = null;
      // What came while the work was given up.
      if (waiting !== null && !stopped) void go();
    }
  }

  return {
    want(input) {
      waiting = { input };
      if (running === null) void go();
      else if (now() - begun > PATIENCE) running.abort();
    },
    stop() {
      stopped = true;
      waiting = null;
      running?.abort();
    },
  };
}
