import type { Worker } from 'node:worker_threads';
import { type Deferred, deferred } from '../deferred.js';
import { packagedWorker } from '../package-files.js';
import { exhaustionError } from '../platform-node/exhaustion.js';
import { startThread } from '../threads.js';
import { whenOverdue } from './overdue.js';
import type { LookupMessage, LookupReply, LookupRequest } from './protocol.js';

/** Runs one look-up at a time. */
export interface LookupRunner {
  /**
   * Settles when the system has answered, which may be never.
   * @param onBegin called when the thread turns to the system, as far as is known: a busy machine may take seconds to
   * start a thread, but one that has answered waits for the next request. Called again while the system answers the
   * many requests of a long look-up
   */
  run(request: LookupRequest, onBegin: () => void): Promise<LookupReply>;
  /** Settles when the thread has ended; one that hangs in the system ends when the system answers. */
  close(): Promise<unknown>;
}

interface Settle {
  begin: () => void;
  resolve: (reply: LookupReply) => void;
  reject: (error: unknown) => void;
}

/** Look-ups that run at a time while the system answers. More would take turns on the same processors. */
const MAX_QUICK = 2;
/** A look-up that takes longer keeps nobody waiting: another thread is started for who comes next. */
const QUICK_MS = 20;
/** Its own objects are small. */
const LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 2 };

/**
 * The threads of all look-ups. Two take turns while the system answers; each look-up that waits for the system, as on a
 * network drive, makes place for another thread, so that callers have to limit those.
 */
export class LookupThreads {
  private readonly create: () => LookupRunner;
  private readonly idle: LookupRunner[] = [];
  /** Those at work, and whether they keep others waiting. */
  private readonly busy = new Map<LookupRunner, 'quick' | 'slow'>();
  private readonly waiting: Deferred<LookupRunner>[] = [];
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
    let stopTimer = () => {};
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

  /** Settles when all threads have ended. */
  async close(): Promise<void> {
    this.isClosing = true;
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
    const waiter = deferred<LookupRunner>();
    this.waiting.push(waiter);
    return waiter.promise;
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

/**
 * A thread for look-ups. It does not keep the process alive.
 * @throws AcqError `capacity_exceeded` when the system has no thread to give
 */
export function createLookupThread(): LookupRunner {
  const thread = start();
  let settle: Settle | undefined;
  let hasAnswered = false;
  let failure: unknown;
  const fail = (error: unknown) => {
    failure ??= notStarted(error);
    settle?.reject(failure);
    settle = undefined;
  };
  thread.on('message', (message: LookupMessage) => {
    if (message.kind === 'begun') {
      settle?.begin();
      return;
    }
    thread.unref();
    hasAnswered = true;
    settle?.resolve(message);
    settle = undefined;
  });
  thread.on('error', fail);
  thread.on('exit', (code) => fail(new Error(`the look-up thread ended with code ${code}`)));
  thread.unref();
  return {
    run: (request, begin) =>
      new Promise((resolve, reject) => {
        if (failure !== undefined) throw failure;
        settle = { begin, resolve, reject };
        thread.ref();
        thread.postMessage(request);
        if (hasAnswered) begin();
      }),
    close: () => thread.terminate(),
  };
}

function start(): Worker {
  try {
    return startThread(packagedWorker('storage/lookup-worker.js'), { resourceLimits: LIMITS });
  } catch (error) {
    throw notStarted(error);
  }
}

function notStarted(error: unknown): unknown {
  return exhaustionError('A look-up thread cannot be started', error) ?? error;
}
