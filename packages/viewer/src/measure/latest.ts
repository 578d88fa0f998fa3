/** Work for an input that changes faster than the work can be done. Only the newest input waits. */
interface Latest<T> {
  /** Works on `input` as soon as the running work has ended. Replaces an input that waits. */
  request(input: T): void;
  stop(): void;
}

/**
 * Milliseconds after which a newer input aborts the work. Shorter work is finished, so that a moving pointer cannot
 * starve it.
 */
const MIN_RUN = 120;

export function createLatest<T>(
  work: (input: T, signal: AbortSignal) => Promise<void> | void,
  now: () => number = () => performance.now(),
): Latest<T> {
  let waiting: { readonly input: T } | null = null;
  let running: AbortController | null = null;
  let started = 0;
  let stopped = false;

  async function run(): Promise<void> {
    try {
      while (waiting !== null && !stopped) {
        const { input } = waiting;
        waiting = null;
        running = new AbortController();
        started = now();
        await work(input, running.signal);
      }
    } catch (error) {
      if (!running?.signal.aborted) throw error;
    } finally {
      running = null;
      // An input may have arrived while the work was being aborted.
      if (waiting !== null && !stopped) void run();
    }
  }

  return {
    request(input) {
      waiting = { input };
      if (running === null) void run();
      else if (now() - started > MIN_RUN) running.abort();
    },
    stop() {
      stopped = true;
      waiting = null;
      running?.abort();
    },
  };
}
