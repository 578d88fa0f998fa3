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
