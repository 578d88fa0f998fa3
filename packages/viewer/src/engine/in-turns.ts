import { nextTurn } from '@acquisition-store/readers/base/turn.js';

/** Milliseconds of a computation between two looks at the messages of the page. */
const SLICE_MS = 20;

/** Runs a computation, and lets other calls be answered now and then. @throws the reason of the signal */
export async function inTurns<T>(computation: Generator<void, T>, signal: AbortSignal): Promise<T> {
  let start = performance.now();
  for (;;) {
    signal.throwIfAborted();
    const { done, value } = computation.next();
    if (done) return value;
    if (performance.now() - start < SLICE_MS) continue;
    await nextTurn();
    start = performance.now();
  }
}
