import { pauseEvery } from '../model/yield-to-page.ts';

/** Milliseconds of a computation between two looks at the messages of the page. */
const SLICE_MS = 20;

/** Runs a computation, and lets other calls be answered now and then. @throws the reason of the signal */
export async function inTurns<T>(computation: Generator<void, T>, signal: AbortSignal): Promise<T> {
  const pause = pauseEvery(SLICE_MS);
  for (;;) {
    signal.throwIfAborted();
    const { done, value } = computation.next();
    if (done) return value;
    await pause(signal);
  }
}
