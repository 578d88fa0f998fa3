/** Reads many things a few at a time, the nearest first; what is asked for next replaces it. */

/** Requests at the same time. The slider and the rest of the page need some of those that a browser allows. */
const PARALLEL = 2;

/**
 * Reads some indices, the nearest to `around` first, a few at the same time.
 * @throws what the first failing one throws, or the reason of the signal
 */
export async function readNearest(
  indices: readonly number[],
  around: number,
  read: (index: number) => Promise<void>,
  stopped: AbortSignal,
): Promise<void> {
  const queue = nearest(indices, around);
  const work = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      stopped.throwIfAborted();
      await read(next);
    }
  };
  try {
    await Promise.all(Array.from({ length: PARALLEL }, work));
  } finally {
    queue.length = 0;
  }
}

/** Returns the indices in the order of their distance from `around`, at most `count`. */
export function nearest(indices: readonly number[], around: number, count = indices.length): number[] {
  return [...indices].sort((a, b) => Math.abs(a - around) - Math.abs(b - around)).slice(0, count);
}

/** One reading at a time, which another one replaces. */
export class LatestReading {
  #controller: AbortController | null = null;
  #key = '';

  /** Starts unless a reading with this key runs. `failed` is not called for one that was replaced. */
  start(key: string, read: (stopped: AbortSignal) => Promise<void>, failed: (error: unknown) => void): void {
    if (this.#controller !== null && key === this.#key) return;
    this.stop();
    const controller = new AbortController();
    this.#controller = controller;
    this.#key = key;
    const end = () => {
      if (this.#controller === controller) this.#controller = null;
    };
    read(controller.signal).then(end, (error: unknown) => {
      end();
      if (!controller.signal.aborted) failed(error);
    });
  }

  stop(): void {
    this.#controller?.abort();
    this.#controller = null;
  }
}
