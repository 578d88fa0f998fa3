/** Gives the page its turn during long work. */

/**
 * Ends the running task and resolves after waiting work (input, painting) has had its turn. This is an ordinary task:
 * not `scheduler.yield`, whose continuation runs before painting in Chromium (10 frames per second instead of 60), and
 * not `setTimeout`, which waits 4 ms when nested and a second in hidden tabs.
 */
export function yieldToPage(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

/**
 * Called between two steps of a loop. Returns undefined while the loop may go on; rejects with the reason of an aborted
 * signal.
 */
export type Pause = (signal?: AbortSignal) => Promise<void> | undefined;

/** Returns a pause that yields to the page after each `milliseconds` of work. */
export function pauseEvery(milliseconds: number): Pause {
  let until = performance.now() + milliseconds;
  const pause = async (signal?: AbortSignal) => {
    await yieldToPage();
    until = performance.now() + milliseconds;
    signal?.throwIfAborted();
  };
  return (signal) => (performance.now() < until ? undefined : pause(signal));
}
