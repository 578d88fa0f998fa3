/** Pages do not have `setImmediate`, and wait some milliseconds longer. */
interface Timers {
  setImmediate?: (work: () => void) => unknown;
  setTimeout: (work: () => void) => unknown;
}

/** Resolves in the next turn of the event loop, in which messages and aborts have arrived. */
export function nextTurn(): Promise<void> {
  const { setImmediate, setTimeout } = globalThis as unknown as Timers;
  return new Promise((resolve) => (setImmediate ?? setTimeout)(resolve));
}
