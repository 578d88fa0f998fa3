import { whenOverdue } from './overdue.js';
import type { Probe, Storage } from './storage.js';

/** Milliseconds. */
export interface LookOutTimes {
  /** Work that takes longer makes the gate look whether the storage answers. */
  watch: number;
  /** Between two looks. */
  probe: number;
  /** Without an answer for so long, others need not wait for threads that work there. */
  suspect: number;
}

export interface LookOut {
  suspect: AbortSignal;
  stop: () => void;
}

/**
 * Looks now and then whether a storage answers, until `stop`. `suspect` aborts, once, when it has not answered for a
 * moment; the work counts as stuck from then until it answers.
 */
export function lookOut(storage: Storage, times: LookOutTimes, probe: () => Probe): LookOut {
  const suspicion = new AbortController();
  let stopTimer = () => {};
  let isAsking = false;
  let isOver = false;
  let isCounted = false;
  const count = (isStuck: boolean) => {
    if (isStuck !== isCounted) storage.stuck += isStuck ? 1 : -1;
    isCounted = isStuck;
  };
  const look = async () => {
    if (isAsking) return;
    isAsking = true;
    const { begun, answered } = probe();
    await begun;
    if (!isOver) {
      stopTimer = whenOverdue(times.suspect, () => {
        count(true);
        suspicion.abort();
      });
    }
    await answered;
    stopTimer();
    count(false);
    isAsking = false;
  };
  const first = setTimeout(look, times.watch);
  const again = setInterval(look, times.probe);
  return {
    suspect: suspicion.signal,
    stop: () => {
      isOver = true;
      clearTimeout(first);
      clearInterval(again);
      stopTimer();
      count(false);
    },
  };
}
