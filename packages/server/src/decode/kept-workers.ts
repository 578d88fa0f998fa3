import type { OpenedFile } from './types.js';
import type { WorkerThread } from './worker-thread.js';

/** A worker, and the file that it has open, if it may be read further. */
export interface LentWorker {
  worker: WorkerThread;
  opened?: OpenedFile;
}

/** A worker that nobody uses, with a file open. */
export interface KeptWorker {
  /** `LeaseOptions.keep` of the lease that opened the file. */
  name: string;
  worker: WorkerThread;
  opened: OpenedFile;
}

/** A client that scrolls through planes asks for the next one sooner. */
const KEPT_MS = 300;

/** Workers that keep a file open between leases, for a moment, because the next lease probably reads from it too. */
export class KeptWorkers {
  /** Each with the timer that ends it; kept longest first. */
  private readonly timers = new Map<KeptWorker, NodeJS.Timeout>();
  private readonly end: (worker: WorkerThread) => void;

  /** @param end takes back a worker that no lease came for; its file is still open */
  constructor(end: (worker: WorkerThread) => void) {
    this.end = end;
  }

  get size(): number {
    return this.timers.size;
  }

  add(kept: KeptWorker): void {
    const timer = setTimeout(() => this.giveUp(kept), KEPT_MS).unref();
    this.timers.set(kept, timer);
  }

  /** Takes the worker that used a file last. */
  take(name: string): KeptWorker | undefined {
    const kept = [...this.timers.keys()].findLast((entry) => entry.name === name);
    return kept && this.remove(kept);
  }

  /** Gives back the worker that has been kept longest. @returns whether there was one */
  giveUpOldest(): boolean {
    const [oldest] = this.timers.keys();
    if (oldest) this.giveUp(oldest);
    return oldest !== undefined;
  }

  /** Gives back the workers that have a file open. */
  giveUpAll(name: string): void {
    for (const kept of [...this.timers.keys()]) if (kept.name === name) this.giveUp(kept);
  }

  /** Forgets a worker that has ended. */
  forget(worker: WorkerThread): void {
    for (const kept of [...this.timers.keys()]) if (kept.worker === worker) this.remove(kept);
  }

  private giveUp(kept: KeptWorker): void {
    this.end(this.remove(kept).worker);
  }

  private remove(kept: KeptWorker): KeptWorker {
    clearTimeout(this.timers.get(kept));
    this.timers.delete(kept);
    return kept;
  }
}
