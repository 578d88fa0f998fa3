import { setMaxListeners } from 'node:events';
import { basename } from 'node:path';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { plural } from '@acquisition-store/readers/base/wording.js';
import type { Who } from '../fair-line.js';
import { FairQueue } from '../fair-queue.js';
import { linkSignals, untilAborted, whenOverdue } from '../waiting.js';

/** Max look-ups on one storage at a time: if it hangs, this many threads hang with it, and one that asks whether it does. */
const MAX_LOOKUPS = 4;
/** The same of lists and searches, which nobody waits for as for an open. */
const MAX_IN_BACKGROUND = 2;
/** Max look-ups that wait for one storage, and again as many lists and searches. */
const MAX_WAITING = 1_024;
/** A storage that answered so long ago is expected to answer at once. */
export const ANSWERING_MS = 5_000;
/** Seconds to suggest before another attempt. */
const RETRY_SECONDS = 5;

/** Milliseconds. */
export const TIMES = {
  /** A look-up that takes longer closes its storage. */
  hung: 5_000,
  /** Work that takes longer makes the gate look whether the storage answers. */
  watch: 200,
  /** Between two looks. */
  probe: 2_000,
  /** Without an answer for so long, others need not wait for threads that work there. */
  suspect: 500,
};

/** One mount, drive or share, and the work in progress on it. */
export class Storage {
  readonly name: string;
  /** Killed threads that have not ended, and work that waits for the storage. */
  stuck = 0;
  /** The check in progress whether it answers, if any. Neither promise rejects. */
  probe:
    | {
        /** Settles when a thread has called the system. */
        begun: Promise<void>;
        /** Settles when the storage has answered, which may be never. */
        answered: Promise<void>;
      }
    | undefined;
  private readonly maxStuck: number;
  private readonly queue = new FairQueue({
    name: 'look-ups',
    atOnce: MAX_LOOKUPS,
    inBackground: MAX_IN_BACKGROUND,
    maxWaiting: MAX_WAITING,
  });
  private closing = newController();
  private probing: NodeJS.Timeout | undefined;
  private answeredAt = Number.NEGATIVE_INFINITY;

  /** @param maxStuck threads that may hang on this storage before it refuses more work */
  constructor(name: string, maxStuck: number) {
    this.name = name;
    this.maxStuck = maxStuck;
  }

  get isClosed(): boolean {
    return this.closing.signal.aborted;
  }

  /** True when the storage has answered a moment ago, and nothing waits for it since. */
  get isAnswering(): boolean {
    return !this.isClosed && this.stuck === 0 && performance.now() - this.answeredAt < ANSWERING_MS;
  }

  noteAnswer(): void {
    this.answeredAt = performance.now();
  }

  /**
   * Runs work, and ends it with `storage_unavailable` when the storage turns out to hang.
   * @param path for messages
   * @param work receives a signal that aborts then
   * @throws AcqError `storage_unavailable`; what `work` throws
   */
  async whileOpen<T>(path: string, work: (gone: AbortSignal) => Promise<T>): Promise<T> {
    this.check(path);
    const gone = this.closing.signal;
    try {
      return await work(gone);
    } catch (error) {
      if (gone.aborted && error === gone.reason) throw this.unavailable(path);
      throw error;
    }
  }

  /**
   * Runs a look-up when it is its turn. It counts until the system has answered, also when the caller has left.
   * @throws AcqError like `whileOpen`, `capacity_exceeded`; the signal's reason
   */
  enter<T>(
    path: string,
    who: Who & { isBackground: boolean },
    signal: AbortSignal,
    lookUp: () => Promise<T>,
  ): Promise<T> {
    return this.whileOpen(path, async (gone) => {
      const ears = linkSignals([signal, gone]);
      try {
        return await untilAborted(this.queue.run(who, ears.signal, lookUp), ears.signal);
      } finally {
        ears.unlink();
      }
    });
  }

  /**
   * Looks now and then whether the storage answers, until `stop`. `suspect` aborts, once, when it has not answered for a
   * moment; the work counts as stuck from then until it answers.
   */
  lookOut(times: typeof TIMES, probe: () => NonNullable<Storage['probe']>): { suspect: AbortSignal; stop: () => void } {
    const suspicion = new AbortController();
    let stopTimer = () => {};
    let isAsking = false;
    let isOver = false;
    let isCounted = false;
    const count = (isStuck: boolean) => {
      if (isStuck !== isCounted) this.stuck += isStuck ? 1 : -1;
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

  /** Counts a killed thread that has not ended after `milliseconds`, until it has. */
  trackKilled(ended: Promise<unknown>, milliseconds: number): void {
    let isCounted = false;
    const timer = setTimeout(() => {
      isCounted = true;
      this.stuck++;
    }, milliseconds).unref();
    void ended.finally(() => {
      clearTimeout(timer);
      if (isCounted) this.stuck--;
    });
  }

  close(): void {
    this.closing.abort(new AcqError('storage_unavailable', `the storage at ${this.name} does not answer`));
  }

  open(): void {
    this.stopProbing();
    this.closing = newController();
  }

  startProbing(probe: () => void, milliseconds: number): void {
    this.probing = setInterval(probe, milliseconds).unref();
  }

  stopProbing(): void {
    clearInterval(this.probing);
  }

  private check(path: string): void {
    if (this.isClosed) throw this.unavailable(path);
    if (this.stuck < this.maxStuck) return;
    throw new AcqError(
      'storage_unavailable',
      `${plural(this.stuck, 'read')} from the storage at ${this.name} did not return. ` +
        'Check the network drive, or restart the server.',
      { subject: basename(path), retryAfterSeconds: RETRY_SECONDS },
    );
  }

  private unavailable(path: string): AcqError {
    return new AcqError(
      'storage_unavailable',
      `the storage at ${this.name} does not answer. Check the network drive; the server keeps trying.`,
      { subject: basename(path), retryAfterSeconds: RETRY_SECONDS },
    );
  }
}

/** Its signal has one listener for each open in progress. */
function newController(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}
