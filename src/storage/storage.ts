import { setMaxListeners } from 'node:events';
import { basename } from 'node:path';
import { untilAborted } from '../deadline.js';
import { AcqError } from '../errors.js';
import { plural } from '../wording.js';

/** Look-ups on one storage at a time: if it hangs, so many threads hang with it. */
const MAX_LOOKUPS = 4;
/** Seconds after which another attempt makes sense. */
const RETRY_SECONDS = 5;

/** The question whether a storage answers. */
export interface Probe {
  /** Settles when a thread has turned to the system with it. */
  begun: Promise<void>;
  /** Settles when the storage has answered, which may be never. Neither rejects. */
  answered: Promise<void>;
}

/** One mount, drive or share, and who is at work there. */
export class Storage {
  readonly name: string;
  /** Killed threads that have not ended, and work that the storage keeps waiting. */
  stuck = 0;
  /** The question whether the storage answers, while it is open. */
  probe: Probe | undefined;
  private readonly maxStuck: number;
  /** Look-ups that the system has not answered. */
  private running = 0;
  private readonly waiting = new Set<() => void>();
  private closing = newController();
  private probing: NodeJS.Timeout | undefined;

  /** @param maxStuck threads that may hang here before no more work is let in */
  constructor(name: string, maxStuck: number) {
    this.name = name;
    this.maxStuck = maxStuck;
  }

  get isClosed(): boolean {
    return this.closing.signal.aborted;
  }

  /**
   * Runs work that ends, with `storage_unavailable`, when the storage is found to hang.
   * @param path what messages name
   * @param work is given a signal that aborts then
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

  /** Runs a look-up when its turn has come. @throws AcqError like `whileOpen`; the signal's reason */
  enter<T>(path: string, signal: AbortSignal, lookUp: () => Promise<T>): Promise<T> {
    return this.whileOpen(path, async (gone) => {
      while (this.running >= MAX_LOOKUPS) await untilAborted(untilAborted(this.turn(), gone), signal);
      return untilAborted(untilAborted(lookUp(), gone), signal);
    });
  }

  /** Counts a look-up until the system has answered it. */
  async occupy<T>(answer: Promise<T>): Promise<T> {
    this.running++;
    try {
      return await answer;
    } finally {
      this.running--;
      const [next] = this.waiting;
      next?.();
    }
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
      `${basename(path)}: ${plural(this.stuck, 'read')} from the storage at ${this.name} did not come back. ` +
        'Check the network drive, or restart the server.',
      { retryAfterSeconds: RETRY_SECONDS },
    );
  }

  /** Resolves when a look-up has ended. */
  private turn(): Promise<void> {
    return new Promise((resolve) => {
      const next = () => {
        this.waiting.delete(next);
        resolve();
      };
      this.waiting.add(next);
    });
  }

  private unavailable(path: string): AcqError {
    return new AcqError(
      'storage_unavailable',
      `${basename(path)}: the storage at ${this.name} does not answer. Check the network drive; the server keeps trying.`,
      { retryAfterSeconds: RETRY_SECONDS },
    );
  }
}

/** One listener for each open under way. */
function newController(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}
