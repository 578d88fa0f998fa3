import { availableParallelism } from 'node:os';
import { basename, dirname } from 'node:path';
import type { Progress } from '../export/index.js';
import { removePartials } from '../export/partial.js';
import { packagedWorker, type ThreadCode } from '../package-files.js';
import { deferred } from '../waiting.js';
import type { Job, Outcomes } from './protocol.js';
import { JobThread } from './thread.js';

export interface RunnerOptions {
  /** Files at a time, 0 for one per core. */
  workers: number;
  /** Longest time that a file may take without progress. */
  timeoutSeconds: number;
  /** Stops all jobs; what they have written so far is removed. */
  signal: AbortSignal;
  /** What the threads run; that of the package when omitted. */
  workerCode?: ThreadCode;
  onStart?: (index: number) => void;
  onProgress?: (index: number, progress: Progress) => void;
}

/** How a job ended. */
export type Settled<T> = { index: number; milliseconds: number } & ({ value: T } | { error: unknown });

/** Jobs that may run ahead of the one whose result is awaited, per worker. */
const AHEAD_PER_WORKER = 4;

/**
 * Runs jobs in threads and yields how they ended, in their order. Few jobs are taken ahead of the one that is awaited. A file that crashes or blocks its thread costs only that
 * thread. Once the signal aborts nothing more is yielded, and all temporary files are removed when the generator returns.
 */
export async function* runJobs<K extends Job['kind']>(
  jobs: Iterable<Extract<Job, { kind: K }>> | AsyncIterable<Extract<Job, { kind: K }>>,
  options: RunnerOptions,
): AsyncGenerator<Settled<Outcomes[K]>> {
  const { signal } = options;
  const coming = Symbol.asyncIterator in jobs ? jobs[Symbol.asyncIterator]() : jobs[Symbol.iterator]();
  const workers = options.workers || availableParallelism();
  const threads = new ThreadSet(workers, options.workerCode);
  const running: Promise<Settled<Outcomes[K]>>[] = [];
  // A drive that hangs may never tell of the next job.
  const { promise: stopped, resolve } = deferred();
  const stop = () => {
    threads.stop(signal.reason);
    resolve();
  };
  signal.addEventListener('abort', stop);
  try {
    for (let next = 0, isLast = false; !isLast || running.length > 0; ) {
      while (!isLast && running.length < workers * AHEAD_PER_WORKER) {
        const one = await Promise.race([coming.next(), stopped]);
        if (!one || signal.aborted) return;
        if (one.done) isLast = true;
        else running.push(runJob<K>(one.value, next++, threads, options));
      }
      const settled = await running.shift();
      if (signal.aborted || !settled) return;
      yield settled;
    }
  } finally {
    signal.removeEventListener('abort', stop);
    void coming.return?.();
    threads.stop(signal.reason);
    await Promise.all(running);
    await threads.ended();
  }
}

async function runJob<K extends Job['kind']>(
  job: Extract<Job, { kind: K }>,
  index: number,
  threads: ThreadSet,
  { timeoutSeconds, onStart, onProgress }: RunnerOptions,
): Promise<Settled<Outcomes[K]>> {
  let started = performance.now();
  const milliseconds = () => Math.round(performance.now() - started);
  try {
    const value = await threads.use(async (thread) => {
      started = performance.now();
      onStart?.(index);
      const label = basename(pathOf(job));
      try {
        return await thread.run<K>(job, {
          label,
          timeoutSeconds,
          onProgress: (progress) => onProgress?.(index, progress),
        });
      } catch (error) {
        if (!thread.alive) await cleanUp(job, thread);
        throw error;
      }
    });
    return { index, milliseconds: milliseconds(), value };
  } catch (error) {
    return { index, milliseconds: milliseconds(), error };
  }
}

function pathOf(job: Job): string {
  return job.kind === 'export' ? job.task.path : job.path;
}

/** Removes what a stopped thread has left. */
async function cleanUp(job: Job, thread: JobThread): Promise<void> {
  await thread.kill(undefined);
  if (job.kind === 'export') removePartials(dirname(job.task.target), job.task.token);
}

/** Threads that are started when they are needed, and replaced when they end. */
class ThreadSet {
  private readonly code: ThreadCode;
  private readonly idle: JobThread[] = [];
  private readonly all = new Set<JobThread>();
  private readonly waiting: (() => void)[] = [];
  private free: number;
  private stopped: { reason: unknown } | undefined;

  constructor(size: number, code = packagedWorker('batch/worker.js')) {
    this.code = code;
    this.free = size;
  }

  async use<T>(work: (thread: JobThread) => Promise<T>): Promise<T> {
    if (this.free > 0) this.free--;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      if (this.stopped) throw this.stopped.reason;
      const thread = this.idle.pop() ?? this.start();
      try {
        return await work(thread);
      } finally {
        if (thread.alive) this.idle.push(thread);
        else this.all.delete(thread);
      }
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.free++;
    }
  }

  stop(reason: unknown): void {
    this.stopped ??= { reason };
    for (const thread of this.all) void thread.kill(reason);
  }

  async ended(): Promise<void> {
    await Promise.all([...this.all].map((thread) => thread.kill(undefined)));
  }

  private start(): JobThread {
    const thread = new JobThread(this.code);
    this.all.add(thread);
    return thread;
  }
}
