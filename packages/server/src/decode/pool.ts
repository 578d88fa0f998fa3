import { setMaxListeners } from 'node:events';
import { availableParallelism } from 'node:os';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { plural } from '@acquisition-store/readers/base/wording.js';
import { FairLine, type Who } from '../fair-queue.js';
import type { ThreadCode } from '../package-files.js';
import { deferred, whenOverdue } from '../waiting.js';
import { startDecodeThread } from './early-thread.js';
import { type KeptWorker, KeptWorkers, type LentWorker } from './kept-workers.js';
import { type LeaseHoldings, toLease } from './lease.js';
import type { DecodeLease, Decoder, LeaseOptions, Occupancy, PoolState } from './types.js';
import { WorkerThread, workerNotStarted } from './worker-thread.js';

/** Idle workers that the pool keeps ready. */
const SPARE = 2;
/** Until then the start of the server, or a first open, needs the processor more. */
const SPARE_AFTER_MS = 500;
/** Max workers that may hang and be replaced at a time, per regular worker. */
const ASIDE_PER_WORKER = 2;
/**
 * Bytes of plane memory that all workers may have at a time, unless a reader needs more. When more than 64 MiB come back
 * to the main thread, its garbage collector collects everything.
 */
const AHEAD_BYTES = 8 * 2 ** 20;
/** A thread stuck in a system call (a network drive that hangs) ends when the call returns; do not wait longer for it. */
const FAREWELL_MS = 2_000;
/** A file that takes longer to close is on a drive that hangs: another worker starts. */
const CLOSE_MS = 500;
/** How often leases that find their file open may go before one whose turn it is. */
const MAX_OVERTAKEN = 4;
/** Leases that nobody in particular has asked for. */
const NOBODY: Who = { party: '', session: '' };

export interface DecodePoolOptions {
  /** Max workers; 0 for one per core. */
  workers: number;
  /** Max leases that wait for a worker. */
  queue: number;
  /** Workers do not warm up. */
  coldStart?: boolean;
  /** Heap of one worker in MiB, without planes. */
  heapMegabytes?: number;
  /** What workers run; that of the package when omitted. */
  workerCode?: ThreadCode;
}

interface LeaseWaiter {
  who: Who;
  keep: string | undefined;
  /** Leases that went first although it was the turn of this one. */
  overtaken: number;
  start: (lent: LentWorker) => void;
  /** Another party, which has less waiting, gets the place. */
  refuse: () => void;
}

/** Creates a pool of long-lived workers, started ahead of demand. A worker that is killed or crashes is replaced. */
export function createDecodePool(options: DecodePoolOptions): Decoder & PoolState {
  return new DecodePool(options);
}

class DecodePool implements Decoder, PoolState {
  private readonly size: number;
  private readonly queue: number;
  private readonly staysCold: boolean;
  private readonly heapMegabytes: number | undefined;
  private readonly workerCode: ThreadCode | undefined;
  private readonly workers = new Set<WorkerThread>();
  /** Workers that may be stuck in a system call and were replaced. */
  private readonly aside = new Set<WorkerThread>();
  private readonly idle: WorkerThread[] = [];
  private readonly kept = new KeptWorkers((worker) => void this.closeKept(worker));
  private readonly waiting = new FairLine<LeaseWaiter>();
  private readonly held = new Set<LeaseHoldings>();
  private readonly farewells = new Set<Promise<unknown>>();
  private readonly closing = new AbortController();
  private startFailure: unknown;
  private hasStarted = false;
  private spares = 1; // One at first, which a second one would make late.
  private spareTimer: NodeJS.Timeout | undefined;
  /** Settles when the first worker starts or fails to start. */
  private readonly start = deferred();

  constructor(options: DecodePoolOptions) {
    this.size = options.workers > 0 ? options.workers : availableParallelism();
    this.queue = options.queue;
    this.staysCold = options.coldStart ?? false;
    this.heapMegabytes = options.heapMegabytes;
    this.workerCode = options.workerCode;
    // One listener for each waiting lease.
    setMaxListeners(0, this.closing.signal);
    this.fillUp();
    if (this.workers.size === 0) this.start.reject(workerNotStarted(this.startFailure));
  }

  ready(): Promise<void> {
    return this.start.promise;
  }

  async lease<T>(options: LeaseOptions, work: (lease: DecodeLease) => Promise<T>): Promise<T> {
    const { signal, keep } = options;
    signal.throwIfAborted();
    this.closing.signal.throwIfAborted();
    return this.lend(options, work, () => {
      const lent = this.takeFree(keep);
      if (!lent && this.workers.size === 0) throw workerNotStarted(this.startFailure);
      // An open asks for the help of idle workers when it knows the file.
      if (lent && keep === undefined && this.idle.length === 0) this.kept.giveUpOldest();
      return lent ?? this.wait(options);
    });
  }

  tryLease<T>(options: LeaseOptions, work: (lease: DecodeLease) => Promise<T>): Promise<T> | undefined {
    if (options.signal.aborted || this.closing.signal.aborted) return undefined;
    const lent = this.takeFree(options.keep);
    return lent && this.lend(options, work, () => lent);
  }

  get occupancy(): Occupancy {
    const idle = this.idle.length + this.kept.size;
    return { busy: this.workers.size - idle, idle, stuck: this.aside.size, waiting: this.waiting.size };
  }

  noteClient(): void {
    for (const worker of this.workers) worker.noteClient();
  }

  letGo(keep: string): void {
    for (const held of this.held) if (held.keep === keep) held.keep = undefined;
    this.kept.giveUpAll(keep);
  }

  async rest(goesOn: () => boolean): Promise<void> {
    for (const worker of [...this.idle]) {
      if (!goesOn()) return;
      if (!this.idle.includes(worker)) continue;
      this.idle.splice(this.idle.indexOf(worker), 1);
      await worker.call('', { kind: 'rest' }).catch(() => undefined);
      await this.giveBack(worker, false);
    }
  }

  async close(): Promise<boolean> {
    this.closing.abort(new AcqError('capacity_exceeded', 'The server is stopping.'));
    clearTimeout(this.spareTimer);
    this.start.reject(workerNotStarted(this.closing.signal.reason));
    for (const worker of [...this.workers, ...this.aside]) void this.dismiss(worker, this.closing.signal.reason);
    const late = new Promise((resolve) => setTimeout(resolve, FAREWELL_MS).unref());
    await Promise.race([Promise.allSettled(this.farewells), late]);
    return this.farewells.size === 0;
  }

  /** @returns nothing when all workers are busy */
  private takeFree(keep: string | undefined): LentWorker | undefined {
    const kept = keep === undefined ? undefined : this.kept.take(keep);
    if (kept) return kept;
    const worker = this.takeIdle();
    return worker && { worker };
  }

  /** Runs `work` with the worker that `take` finds, now or later. */
  private async lend<T>(
    options: LeaseOptions,
    work: (lease: DecodeLease) => Promise<T>,
    take: () => LentWorker | Promise<LentWorker>,
  ): Promise<T> {
    const held: LeaseHoldings = { keep: options.keep, opened: undefined, mayBeOpen: false };
    this.held.add(held);
    try {
      const lent = take();
      return await this.run(lent instanceof Promise ? await lent : lent, held, options, work);
    } finally {
      this.held.delete(held);
    }
  }

  private async run<T>(
    { worker, opened }: LentWorker,
    held: LeaseHoldings,
    options: LeaseOptions,
    work: (lease: DecodeLease) => Promise<T>,
  ): Promise<T> {
    const { signal, suspect, onKill } = options;
    const abort = () => {
      if (!worker.busy) return;
      const ended = this.dismiss(worker, signal.reason);
      onKill?.(ended);
    };
    const setAside = () => this.setAside(worker);
    signal.addEventListener('abort', abort);
    suspect?.addEventListener('abort', setAside);
    held.opened = opened;
    held.mayBeOpen = opened !== undefined;
    try {
      return await work(toLease(worker, held, options));
    } catch (error) {
      held.opened = undefined;
      throw error;
    } finally {
      const stopListening = () => signal.removeEventListener('abort', abort);
      suspect?.removeEventListener('abort', setAside);
      const kept = signal.aborted ? undefined : this.toKept(worker, held);
      if (kept) {
        stopListening();
        this.keep(kept);
      } else {
        const back = this.giveBack(worker, held.mayBeOpen).finally(stopListening);
        // Do not make an aborted caller wait for the file to close.
        if (!signal.aborted) await back;
      }
    }
  }

  /** Returns the worker of a lease that has ended, if it is to keep its file open. */
  private toKept(worker: WorkerThread, { keep: name, opened }: LeaseHoldings): KeptWorker | undefined {
    const isUsable = worker.alive && !worker.busy && !this.aside.has(worker);
    return isUsable && opened && name !== undefined ? { name, worker, opened } : undefined;
  }

  /** Hands a worker with its file to who waits for it; keeps it when nobody waits at all. */
  private keep(kept: KeptWorker): void {
    const waiter = this.nextWaiter(kept.name);
    if (!waiter) this.kept.add(kept);
    else if (waiter.keep === kept.name) this.startLease(waiter, kept);
    else void this.closeKept(kept.worker);
  }

  /** Returns who is next when a worker has a file open: whoever wants it too may go first, a few times. */
  private nextWaiter(name: string): LeaseWaiter | undefined {
    const next = this.waiting.peek();
    if (!next || next.overtaken >= MAX_OVERTAKEN) return next;
    const same = this.waiting.peek(({ keep }) => keep === name);
    if (same && same !== next) next.overtaken++;
    return same ?? next;
  }

  private startLease(waiter: LeaseWaiter, lent: LentWorker): void {
    this.waiting.serve(waiter);
    waiter.start(lent);
  }

  /** Closes the file that a worker kept. */
  private async closeKept(worker: WorkerThread): Promise<void> {
    const stop = whenOverdue(CLOSE_MS, () => this.setAside(worker));
    await this.giveBack(worker, true);
    stop();
  }

  /** Takes a worker back. Failed work may have left its file open, or a call unanswered. */
  private async giveBack(worker: WorkerThread, mayBeOpen: boolean): Promise<void> {
    if (worker.busy) void this.dismiss(worker, new Error('the lease has ended'));
    if (!worker.alive) return;
    try {
      if (mayBeOpen) await worker.call('', { kind: 'close' });
    } catch {
      void this.dismiss(worker, new Error('a file could not be closed'));
    }
    if (!worker.alive) return;
    if (this.aside.has(worker)) {
      if (this.workers.size >= this.size) {
        void this.dismiss(worker, new Error('another worker was started in its place'));
        return;
      }
      this.aside.delete(worker);
      this.workers.add(worker);
    }
    this.idle.push(worker);
    this.serveWaiting();
  }

  /** Starts another worker in place of one that may hang. */
  private setAside(worker: WorkerThread): void {
    if (this.aside.size >= ASIDE_PER_WORKER * this.size || !this.workers.delete(worker)) return;
    this.aside.add(worker);
    this.serveWaiting();
    this.fillUp();
  }

  private wait({ label, signal, keep, who = NOBODY }: LeaseOptions): Promise<LentWorker> {
    // A worker that is kept comes back at once: whoever waits for it does not stand in line.
    if (!this.kept.giveUpOldest() && this.waiting.size >= this.queue) {
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
        for (const source of [signal, this.closing.signal]) source.removeEventListener('abort', leave);
      };
      const waiter: LeaseWaiter = {
        who,
        keep,
        overtaken: 0,
        start: (lent) => {
          stop();
          resolve(lent);
        },
        refuse: () => {
          stop();
          reject(this.busy(label));
        },
      };
      for (const source of [signal, this.closing.signal]) source.addEventListener('abort', leave);
      this.waiting.add(waiter);
    });
  }

  private busy(label: string): AcqError {
    return new AcqError(
      'capacity_exceeded',
      `the server is busy. It is reading ${plural(this.size, 'file')} (--workers), and ` +
        `${plural(this.queue, 'other')} already ${this.queue === 1 ? 'waits' : 'wait'} (--queue). Try again in a few seconds.`,
      { subject: label },
    );
  }

  private takeIdle(): WorkerThread | undefined {
    if (this.idle.length === 0 && this.workers.size < this.size) this.startWorker();
    // The worker used last has warm caches.
    const worker = this.idle.pop();
    if (worker && this.spares > 1) this.fillUp();
    return worker;
  }

  private serveWaiting(): void {
    for (let waiter = this.waiting.peek(); waiter; waiter = this.waiting.peek()) {
      const worker = this.takeIdle();
      if (!worker) return;
      this.startLease(waiter, { worker });
    }
  }

  /** Keeps some workers ready, within the size of the pool. */
  private fillUp(spares = this.spares): void {
    this.spares = spares;
    while (this.idle.length < spares && this.workers.size < this.size && this.startWorker());
  }

  /** @returns whether the thread could be started */
  private startWorker(): boolean {
    try {
      const { workerCode: code, heapMegabytes } = this;
      const worker = new WorkerThread({
        started: startDecodeThread({ code, heapMegabytes, isFirst: !this.hasStarted }),
        aheadBytes: AHEAD_BYTES / this.size,
        staysCold: this.staysCold,
        onReady: () => {
          this.start.resolve();
          if (!this.closing.signal.aborted)
            this.spareTimer ??= setTimeout(() => this.fillUp(SPARE), SPARE_AFTER_MS).unref();
        },
        onDeath: (dead) => this.replace(dead),
      });
      this.hasStarted = true;
      this.workers.add(worker);
      // Those that have worked go first.
      this.idle.unshift(worker);
      return true;
    } catch (error) {
      this.startFailure = error;
      return false;
    }
  }

  private replace(dead: WorkerThread): void {
    this.workers.delete(dead);
    this.aside.delete(dead);
    this.kept.forget(dead);
    const hasFailed = !dead.ready && !dead.isKilled;
    if (hasFailed) this.startFailure = dead.deathCause;
    if (hasFailed && this.workers.size === 0) this.start.reject(workerNotStarted(this.startFailure));
    const index = this.idle.indexOf(dead);
    if (index >= 0) this.idle.splice(index, 1);
    if (this.closing.signal.aborted) return;
    this.serveWaiting();
    // Do not replace a worker that could not start; the next one would fail the same way.
    if (!hasFailed) this.fillUp();
  }

  /** Kills a worker. @returns a promise that settles when its thread has ended */
  private dismiss(worker: WorkerThread, reason: unknown): Promise<unknown> {
    const farewell = worker.kill(reason).finally(() => this.farewells.delete(farewell));
    this.farewells.add(farewell);
    return farewell;
  }
}
