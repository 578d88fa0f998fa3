import { setMaxListeners } from 'node:events';
import { availableParallelism } from 'node:os';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { deferred, whenOverdue } from '../waiting.js';
import { LeaseLine } from './lease-line.js';
import type { DecodeLease, Decoder, LeaseOptions } from './types.js';
import { toLease, WorkerThread, workerNotStarted } from './worker-thread.js';

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
/**
 * A worker keeps its file open for so long after a lease: the next one probably reads from it too. A client that scrolls
 * through planes asks for the next one sooner.
 */
const KEPT_MS = 300;

/** Long-lived workers, started ahead of demand. A worker that is killed or crashes is replaced. */
export class DecodePool implements Decoder {
  private readonly options;
  private readonly size: number;
  private readonly workers = new Set<WorkerThread>();
  /** Workers that may be stuck in a system call and were replaced. */
  private readonly aside = new Set<WorkerThread>();
  private readonly idle: WorkerThread[] = [];
  /** Workers that nobody uses, with a file open: the `keep` of its lease, and what ends this. Kept longest first. */
  private readonly kept = new Map<WorkerThread, { name: string; timer: NodeJS.Timeout }>();
  /** Set when a lease has to wait. */
  private line: LeaseLine | undefined;
  /** Leases that run or wait. `letGo` takes their `keep` away. */
  private readonly leases = new Set<LeaseOptions>();
  private readonly farewells = new Set<Promise<unknown>>();
  private readonly closing = new AbortController();
  private startFailure: unknown;
  private hasStarted = false;
  private spares = 1; // One at first, which a second one would make late.
  private spareTimer: NodeJS.Timeout | undefined;
  /** Settles when the first worker starts or fails to start. */
  private readonly start = deferred();

  constructor(options: {
    /** Max workers; 0 for one per core. */
    workers: number;
    /** Max leases that wait for a worker. */
    queue: number;
    /** Workers do not warm up. */
    coldStart?: boolean;
    /** Heap of one worker in MiB, without planes. */
    heapMegabytes?: number;
    /** What workers run; that of the package when omitted. */
    workerCode?: URL;
  }) {
    this.options = options;
    this.size = options.workers > 0 ? options.workers : availableParallelism();
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
      const worker = this.takeFree(keep);
      if (!worker && this.workers.size === 0) throw workerNotStarted(this.startFailure);
      // An open asks for the help of idle workers when it knows the file.
      if (worker && keep === undefined && this.idle.length === 0) this.giveUpOldest();
      return worker ?? this.wait(options);
    });
  }

  tryLease<T>(options: LeaseOptions, work: (lease: DecodeLease) => Promise<T>): Promise<T> | undefined {
    if (options.signal.aborted || this.closing.signal.aborted) return undefined;
    const worker = this.takeFree(options.keep);
    return worker && this.lend(options, work, () => worker);
  }

  get occupancy() {
    const idle = this.idle.length + this.kept.size;
    return { busy: this.workers.size - idle, idle, stuck: this.aside.size, waiting: this.line?.length ?? 0 };
  }

  noteClient(): void {
    for (const worker of this.workers) worker.noteClient();
  }

  letGo(keep: string): void {
    for (const lease of this.leases) if (lease.keep === keep) delete lease.keep;
    for (const [worker, { name }] of [...this.kept]) if (name === keep) void this.closeKept(worker);
  }

  async rest(goesOn: () => boolean): Promise<void> {
    for (const worker of [...this.idle]) {
      if (!goesOn()) return;
      if (!this.idle.includes(worker)) continue;
      this.idle.splice(this.idle.indexOf(worker), 1);
      await worker.call('', 'rest', undefined).catch(() => undefined);
      await this.giveBack(worker);
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
  private takeFree(keep: string | undefined): WorkerThread | undefined {
    // The one that used the file last.
    const kept = keep === undefined ? undefined : [...this.kept].findLast(([, { name }]) => name === keep);
    return kept ? this.unkeep(kept[0]) : this.takeIdle();
  }

  /** Runs `work` with the worker that `take` finds, now or later. */
  private async lend<T>(
    options: LeaseOptions,
    work: (lease: DecodeLease) => Promise<T>,
    take: () => WorkerThread | Promise<WorkerThread>,
  ): Promise<T> {
    const lease = { ...options };
    this.leases.add(lease);
    try {
      const worker = take();
      return await this.run(worker instanceof Promise ? await worker : worker, lease, work);
    } finally {
      this.leases.delete(lease);
    }
  }

  private async run<T>(
    worker: WorkerThread,
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
    try {
      return await work(toLease(worker, options));
    } catch (error) {
      worker.opened = undefined;
      throw error;
    } finally {
      const stopListening = () => signal.removeEventListener('abort', abort);
      suspect?.removeEventListener('abort', setAside);
      const isUsable = worker.alive && !worker.busy && !this.aside.has(worker);
      if (options.keep !== undefined && worker.opened && isUsable && !signal.aborted) {
        stopListening();
        this.keep(worker, options.keep);
      } else {
        const back = this.giveBack(worker).finally(stopListening);
        // Do not make an aborted caller wait for the file to close.
        if (!signal.aborted) await back;
      }
    }
  }

  /** Hands a worker with its file to who waits for it; keeps it when nobody waits at all. */
  private keep(worker: WorkerThread, name: string): void {
    const waiter = this.line?.next(name);
    if (!waiter) {
      const timer = setTimeout(() => void this.closeKept(worker), KEPT_MS).unref();
      this.kept.set(worker, { name, timer });
    } else if (waiter.keep === name) waiter.start(worker);
    else void this.closeKept(worker);
  }

  private unkeep(worker: WorkerThread): WorkerThread {
    clearTimeout(this.kept.get(worker)?.timer);
    this.kept.delete(worker);
    return worker;
  }

  /** Gives back the worker that has been kept longest. @returns whether there was one */
  private giveUpOldest(): boolean {
    const [oldest] = this.kept.keys();
    if (oldest) void this.closeKept(oldest);
    return oldest !== undefined;
  }

  /** Closes the file that a worker kept. */
  private async closeKept(worker: WorkerThread): Promise<void> {
    this.unkeep(worker);
    const stop = whenOverdue(CLOSE_MS, () => this.setAside(worker));
    await this.giveBack(worker);
    stop();
  }

  /** Takes a worker back. Failed work may have left its file open, or a call unanswered. */
  private async giveBack(worker: WorkerThread): Promise<void> {
    if (worker.busy) void this.dismiss(worker, new Error('the lease has ended'));
    if (!worker.alive) return;
    try {
      if (worker.mayBeOpen) await worker.call('', 'release', undefined);
      worker.opened = undefined;
      worker.mayBeOpen = false;
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

  private wait(options: LeaseOptions): Promise<WorkerThread> {
    this.line ??= new LeaseLine(this.size, this.options.queue, this.closing.signal);
    // A worker that is kept comes back at once: whoever waits for it does not stand in line.
    const comesAtOnce = this.giveUpOldest();
    return this.line.wait(options, !comesAtOnce);
  }

  private takeIdle(): WorkerThread | undefined {
    if (this.idle.length === 0 && this.workers.size < this.size) this.startWorker();
    // The worker used last has warm caches.
    const worker = this.idle.pop();
    if (worker && this.spares > 1) this.fillUp();
    return worker;
  }

  private serveWaiting(): void {
    for (let waiter = this.line?.next(); waiter; waiter = this.line?.next()) {
      const worker = this.takeIdle();
      if (!worker) return;
      waiter.start(worker);
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
      const { workerCode: code, heapMegabytes, coldStart: staysCold = false } = this.options;
      const worker = new WorkerThread({
        code,
        heapMegabytes,
        isFirst: !this.hasStarted,
        aheadBytes: AHEAD_BYTES / this.size,
        staysCold,
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
    this.unkeep(dead);
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
