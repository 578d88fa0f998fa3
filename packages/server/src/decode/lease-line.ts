/** The leases that wait for a worker of a pool. A pool has a line only once a lease had to wait. */
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { plural } from '@acquisition-store/readers/base/wording.js';
import { FairLine, type Who } from '../fair-line.js';
import type { LeaseOptions } from './types.js';
import type { WorkerThread } from './worker-thread.js';

/** How often leases that find their file open may go before one whose turn it is. */
const MAX_OVERTAKEN = 4;
/** Leases that nobody in particular has asked for. */
const NOBODY: Who = { party: '', session: '' };

interface LeaseWaiter {
  who: Who;
  keep: string | undefined;
  /** Leases that went first although it was the turn of this one. */
  overtaken: number;
  /** Ends the wait with a worker. */
  start: (worker: WorkerThread) => void;
  /** Another party, which has less waiting, gets the place. */
  refuse: () => void;
}

export class LeaseLine {
  private readonly waiting = new FairLine<LeaseWaiter>();
  private readonly workers: number;
  private readonly places: number;
  private readonly closing: AbortSignal;

  /**
   * @param workers of the pool
   * @param places max leases that wait
   * @param closing ends every wait when it aborts
   */
  constructor(workers: number, places: number, closing: AbortSignal) {
    this.workers = workers;
    this.places = places;
    this.closing = closing;
  }

  get length(): number {
    return this.waiting.size;
  }

  /**
   * Waits until `start` is called for this lease.
   * @param takesPlace false for a lease that is served at once: it waits also where no place is left
   * @throws AcqError `capacity_exceeded`; the reason of the signal, or of `closing`
   */
  wait({ label, signal, keep, who = NOBODY }: LeaseOptions, takesPlace: boolean): Promise<WorkerThread> {
    if (takesPlace && this.waiting.size >= this.places) {
      const surplus = this.waiting.findSurplus(who);
      if (!surplus) throw this.busy(label);
      surplus.refuse();
    }
    return new Promise((resolve, reject) => {
      const leave = (event: Event) => {
        stop();
        reject((event.target as AbortSignal).reason);
      };
      const stop = () => {
        this.waiting.delete(waiter);
        for (const source of [signal, this.closing]) source.removeEventListener('abort', leave);
      };
      const waiter: LeaseWaiter = {
        who,
        keep,
        overtaken: 0,
        start: (worker) => {
          this.waiting.serve(waiter);
          stop();
          resolve(worker);
        },
        refuse: () => {
          stop();
          reject(this.busy(label));
        },
      };
      for (const source of [signal, this.closing]) source.addEventListener('abort', leave);
      this.waiting.add(waiter);
    });
  }

  /**
   * Returns who is next.
   * @param open name of the file that the worker has open, if it has one: whoever wants it too may go first, a few times
   */
  next(open?: string): LeaseWaiter | undefined {
    const next = this.waiting.peek();
    if (!next || open === undefined || next.overtaken >= MAX_OVERTAKEN) return next;
    const same = this.waiting.peek(({ keep }) => keep === open);
    if (same && same !== next) next.overtaken++;
    return same ?? next;
  }

  private busy(label: string): AcqError {
    return new AcqError(
      'capacity_exceeded',
      `the server is busy. It is reading ${plural(this.workers, 'file')} (--workers), and ` +
        `${plural(this.places, 'other')} already ${this.places === 1 ? 'waits' : 'wait'} (--queue). Try again in a few seconds.`,
      { subject: label },
    );
  }
}
