/** How many threads look things up at a time. */
import { whenOverdue } from '../waiting.js';
import { createLookupThread, type LookupRunner } from './lookup-thread.js';
import type { LookupReply, LookupRequest } from './protocol.js';

/** Look-ups that run at a time while the system answers. More would take turns on the same processors. */
const MAX_QUICK = 2;
/** A look-up that takes longer keeps nobody waiting: another thread is started for who comes next. */
const QUICK_MS = 20;
/** A thread that has not begun by then does not either. */
const START_MS = 1_000;

/**
 * The threads of all look-ups. Two take turns while the system answers; each look-up that waits for the system, as on a
 * network drive, makes place for another thread, so that callers have to limit those.
 */
export class LookupThreads {
  private readonly create: () => LookupRunner;
  private readonly idle: LookupRunner[] = [];
  /** Those at work, and whether they keep others waiting. */
  private readonly busy = new Map<LookupRunner, 'quick' | 'slow'>();
  private readonly waiting: { resolve: (runner: LookupRunner) => void; reject: (error: unknown) => void }[] = [];
  private isClosing = false;

  /** @param create starts a thread @throws what `create` throws */
  constructor(create: () => LookupRunner = createLookupThread) {
    this.create = create;
    this.idle.push(create());
  }

  /**
   * Runs a look-up; see `LookupRunner.run`.
   * @throws AcqError `capacity_exceeded` when the system has no thread to give
   */
  async run(request: LookupRequest, onBegin: () => void): Promise<LookupReply> {
    const runner = this.take() ?? (await this.wait());
    let stopTimer = whenOverdue(START_MS, () => this.noteSlow(runner));
    const begin = () => {
      stopTimer();
      stopTimer = whenOverdue(QUICK_MS, () => this.noteSlow(runner));
      onBegin();
    };
    let hasAnswered = false;
    try {
      const reply = await runner.run(request, begin);
      hasAnswered = true;
      return reply;
    } finally {
      stopTimer();
      this.giveBack(runner, hasAnswered);
    }
  }

  /** Settles when all threads have ended. Look-ups that wait for one are rejected. */
  async close(): Promise<void> {
    this.isClosing = true;
    for (const waiter of this.waiting.splice(0)) waiter.reject(new Error('the look-up threads have ended'));
    await Promise.all([...this.idle.splice(0), ...this.busy.keys()].map((runner) => runner.close()));
  }

  /** @returns nothing when it is better to wait for one of those at work */
  private take(): LookupRunner | undefined {
    if ([...this.busy.values()].filter((speed) => speed === 'quick').length >= MAX_QUICK) return undefined;
    const runner = this.idle.pop() ?? this.create();
    this.busy.set(runner, 'quick');
    return runner;
  }

  private wait(): Promise<LookupRunner> {
    return new Promise((resolve, reject) => this.waiting.push({ resolve, reject }));
  }

  private noteSlow(runner: LookupRunner): void {
    if (this.busy.has(runner)) this.busy.set(runner, 'slow');
    this.serveWaiting();
  }

  private giveBack(runner: LookupRunner, hasAnswered: boolean): void {
    this.busy.delete(runner);
    if (hasAnswered && this.idle.length < MAX_QUICK && !this.isClosing) this.idle.push(runner);
    else void runner.close();
    this.serveWaiting();
  }

  private serveWaiting(): void {
    while (this.waiting.length > 0) {
      try {
        const runner = this.take();
        if (!runner) return;
        this.waiting.shift()?.resolve(runner);
      } catch (error) {
        this.waiting.shift()?.reject(error);
      }
    }
  }
}
