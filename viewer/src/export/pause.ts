/** Lets the page breathe in a long loop; throws what aborted it. */
export type Pause = (signal?: AbortSignal) => Promise<void> | undefined;

/** Gives way after `milliseconds` of work, so that no frame is lost. */
export function pauseEvery(milliseconds: number): Pause {
  let until = performance.now() + milliseconds;
  return (signal) => {
    if (performance.now() < until) return undefined;
    return new Promise<void>((resolve, reject) => {
      setTimeout(() => {
        until = performance.now() + milliseconds;
        if (signal?.aborted) reject(signal.reason);
        else resolve();
      });
    });
  };
}
