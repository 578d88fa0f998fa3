import { nextTurn } from '../../base/turn.js';

/** Samples that a computation passes in one turn, so that other requests are answered and others compute. */
export const SLICE_SAMPLES = 1 << 20;

/** Runs a slice when it is its turn. */
export type Turn = <T>(slice: () => Promise<T>) => Promise<T>;

/**
 * Runs a computation at most one slice per turn of the event loop.
 * @param turn lets other computations go first
 * @throws the reason of `signal` when it is aborted between two slices, and what `turn` throws
 */
export async function inSlices<T>(
  computation: Generator<void, T>,
  signal?: AbortSignal,
  turn: Turn = (slice) => slice(),
): Promise<T> {
  const slice = async () => {
    const result = computation.next();
    // The turn lasts until then: also short computations, of which many may wait, let others answer in between.
    await nextTurn();
    return result;
  };
  for (;;) {
    signal?.throwIfAborted();
    const { done, value } = await turn(slice);
    if (done) return value;
  }
}
