/** Runs work in turns, so that nobody waits for all that somebody else has asked for. */
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { grouped } from '@acquisition-store/readers/base/wording.js';
import { FairLine, type Who } from './fair-line.js';

export interface FairQueueOptions {
  /** What runs, for messages: `computations`. */
  name: string;
  /** Max that run at a time. */
  atOnce: number;
  /** The same of one party, of one session, and of what runs in the background; all when omitted. */
  perParty?: number;
  perSession?: number;
  inBackground?: number;
  /** Max that wait, and again as many in the background. */
  maxWaiting: number;
}

/** A piece of work, for its place in the queue. */
export interface Work extends Who {
  /** Others go first, most of the time. */
  isBackground?: boolean;
}

interface QueuedWork {
  who: Work;
  start: () => void;
  refuse: (error: AcqError) => void;
}

/** Turns of other work before one of the background, when both wait. */
export const TURNS_BEFORE_BACKGROUND = 4;

/** Runs a few pieces of work at a time; those that wait take turns. */
export class FairQueue {
  private readonly options: FairQueueOptions;
  private readonly line = new FairLine<QueuedWork>();
  private readonly background = new FairLine<QueuedWork>();
  private readonly running = new Counter();
  private total = 0;
  private turnsSinceBackground = 0;

  constructor(options: FairQueueOptions) {
    this.options = options;
  }

  /**
   * Runs `work` when it is its turn.
   * @throws AcqError `capacity_exceeded` when too many wait; the reason of `signal`, as soon as it is aborted; what `work`
   * throws
   */
  async run<T>(who: Work, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    if (this.mayStart(who)) this.enter(who);
    else await this.wait(who, signal);
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      this.leave(who);
      this.startNext();
    }
  }

  private wait(who: Work, signal: AbortSignal): Promise<void> {
    const line = who.isBackground ? this.background : this.line;
    if (line.size >= this.options.maxWaiting) {
      const surplus = line.findSurplus(who);
      if (!surplus) throw this.full();
      surplus.refuse(this.full());
    }
    return new Promise((resolve, reject) => {
      const abort = () => end(() => reject(signal.reason));
      const end = (settle: () => void) => {
        signal.removeEventListener('abort', abort);
        line.delete(waiter);
        settle();
      };
      const waiter: QueuedWork = { who, start: () => end(resolve), refuse: (error) => end(() => reject(error)) };
      signal.addEventListener('abort', abort);
      line.add(waiter);
    });
  }

  private startNext(): void {
    while (this.total < this.options.atOnce) {
      const next = this.next();
      if (!next) return;
      this.enter(next.who);
      next.start();
    }
  }

  private next(): QueuedWork | undefined {
    const mayStart = ({ who }: QueuedWork) => this.mayStart(who);
    const isTheirTurn = this.turnsSinceBackground >= TURNS_BEFORE_BACKGROUND;
    const lines = isTheirTurn ? [this.background, this.line] : [this.line, this.background];
    for (const line of lines) {
      const waiter = line.peek(mayStart);
      if (!waiter) continue;
      line.serve(waiter);
      this.turnsSinceBackground = line === this.line && this.background.size > 0 ? this.turnsSinceBackground + 1 : 0;
      return waiter;
    }
    return undefined;
  }

  private mayStart(who: Work): boolean {
    const { atOnce, perParty = atOnce, perSession = atOnce, inBackground = atOnce } = this.options;
    const [party, session, background] = keysOf(who);
    return (
      this.total < atOnce &&
      this.running.of(party) < perParty &&
      this.running.of(session) < perSession &&
      (background === undefined || this.running.of(background) < inBackground)
    );
  }

  private enter(who: Work): void {
    this.total++;
    for (const key of keysOf(who)) if (key !== undefined) this.running.add(key, 1);
  }

  private leave(who: Work): void {
    this.total--;
    for (const key of keysOf(who)) if (key !== undefined) this.running.add(key, -1);
  }

  private full(): AcqError {
    const { name, maxWaiting } = this.options;
    return new AcqError(
      'capacity_exceeded',
      `The server is busy: ${grouped(maxWaiting)} ${name} wait already, the limit. Try again in a few seconds.`,
    );
  }
}

function keysOf({ party, session, isBackground }: Work): [string, string, string | undefined] {
  return [`party ${party}`, `session ${party}\n${session}`, isBackground ? 'background' : undefined];
}

/** Counts by name. */
class Counter {
  private readonly counts = new Map<string, number>();

  of(name: string): number {
    return this.counts.get(name) ?? 0;
  }

  add(name: string, more: number): void {
    const count = this.of(name) + more;
    if (count > 0) this.counts.set(name, count);
    else this.counts.delete(name);
  }
}
