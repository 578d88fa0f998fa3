/** Samples that a computation passes between two turns of the event loop, so that other requests are answered. */
export const SLICE_SAMPLES = 1 << 20;

/**
 * Runs a computation one slice per turn of the event loop.
 * @throws the reason of `signal` when it is aborted between two slices
 */
export async function inSlices<T>(computation: Generator<void, T>, signal?: AbortSignal): Promise<T> {
  for (;;) {
    signal?.throwIfAborted();
    const { done, value } = computation.next();
    if (done) return value;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
