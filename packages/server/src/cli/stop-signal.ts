const SIGNAL_NUMBERS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;
type StopName = keyof typeof SIGNAL_NUMBERS;

/** Lets a user end a long command. */
export interface Stopper {
  /** Aborts at the first signal. */
  signal: AbortSignal;
  abort(reason: unknown): void;
  /** Returns 128 and the number of the signal, or `code` when there was none. */
  exitCode(code: number): number;
}

/** Listens to signals until the process ends. A second one ends the process at once. */
export function stopOnSignals(): Stopper {
  const stop = new AbortController();
  let stoppedBy: StopName | undefined;
  for (const name of Object.keys(SIGNAL_NUMBERS) as StopName[]) {
    process.on(name, () => {
      if (stoppedBy) {
        process.removeAllListeners(name);
        process.kill(process.pid, name);
      }
      stoppedBy = name;
      stop.abort(new Error(`stopped by ${name}`));
    });
  }
  return {
    signal: stop.signal,
    abort: (reason) => stop.abort(reason),
    exitCode: (code) => (stoppedBy ? 128 + SIGNAL_NUMBERS[stoppedBy] : code),
  };
}
