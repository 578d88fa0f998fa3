import type { Worker } from 'node:worker_threads';
import { AcqError, decodeFailed } from '@acquisition-store/readers/base/errors.js';
import { grouped } from '@acquisition-store/readers/base/wording.js';
import type { Progress } from '../export/index.js';
import type { ThreadCode } from '../package-files.js';
import { exhaustionError } from '../platform-node/exhaustion.js';
import { HEAP_MEGABYTES, startReader } from '../threads.js';
import type { Job, JobReply, JobRequest, Outcomes } from './protocol.js';

/** A thread that is stuck in a system call ends when the call returns; do not wait longer for it. */
const FAREWELL_MS = 2_000;

export interface JobOptions {
  /** Name of the file, for messages. */
  label: string;
  /** Longest time without progress. */
  timeoutSeconds: number;
  onProgress: (progress: Progress) => void;
}

/** A failure that a thread has reported. */
export class JobError extends Error {
  readonly failure: Extract<JobReply, { kind: 'failed' }>['failure'];

  constructor(failure: JobError['failure']) {
    super(failure.message);
    this.failure = failure;
  }
}

interface PendingJob extends JobOptions {
  id: number;
  timer: NodeJS.Timeout | undefined;
  resolve: (value: never) => void;
  reject: (error: unknown) => void;
}

/** A thread that does one job at a time. After a crash or `kill` it is replaced, never repaired. */
export class JobThread {
  alive = true;
  private ready = false;
  private readonly thread: Worker;
  private pending: PendingJob | undefined;
  private lastId = 0;

  constructor(code: ThreadCode) {
    this.thread = startReader(code);
    this.thread.on('message', (reply: JobReply) => this.receive(reply));
    this.thread.on('messageerror', (error) => this.die(error));
    this.thread.on('error', (error) => this.die(error));
    this.thread.on('exit', (code) => this.die(new Error(`the thread ended with code ${code}`)));
  }

  /** @throws JobError; AcqError when the thread crashes, or makes no progress for too long */
  run<K extends Job['kind']>(job: Extract<Job, { kind: K }>, options: JobOptions): Promise<Outcomes[K]> {
    return new Promise((resolve, reject) => {
      if (!this.alive || this.pending) throw new Error('the thread cannot take a job');
      const id = ++this.lastId;
      this.pending = { ...options, id, timer: undefined, resolve, reject };
      if (this.ready) this.watch(this.pending);
      this.thread.postMessage({ id, job } satisfies JobRequest);
    });
  }

  /** Stops the thread, even in an endless loop. Resolves when it has ended, or is stuck in the system. */
  async kill(reason: unknown): Promise<void> {
    this.end(reason);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, FAREWELL_MS);
    });
    await Promise.race([this.thread.terminate(), late]);
    clearTimeout(timer);
  }

  private receive(reply: JobReply): void {
    const { pending } = this;
    if (reply.kind === 'ready') {
      this.ready = true;
      // On a busy machine a thread takes a while to start, which is not the fault of the file.
      if (pending) this.watch(pending);
      return;
    }
    if (pending?.id !== reply.id) return;
    if (reply.kind === 'progress') {
      this.watch(pending);
      pending.onProgress(reply.progress);
      return;
    }
    clearTimeout(pending.timer);
    if (reply.kind === 'finishing') return;
    this.pending = undefined;
    if (reply.kind === 'done') pending.resolve(reply.value as never);
    else pending.reject(new JobError(reply.failure));
  }

  /** Starts the time limit again. */
  private watch(pending: PendingJob): void {
    clearTimeout(pending.timer);
    const { label, timeoutSeconds } = pending;
    pending.timer = setTimeout(() => {
      const text = `made no progress for ${grouped(timeoutSeconds)} seconds and was stopped (--timeout). The file may be corrupted, or its drive may not answer.`;
      void this.kill(new AcqError('load_timeout', text, { subject: label }));
    }, timeoutSeconds * 1000);
  }

  private die(cause: unknown): void {
    const { pending } = this;
    this.end(pending && explainDeath(pending.label, cause));
    void this.thread.terminate();
  }

  private end(reason: unknown): void {
    this.alive = false;
    const { pending } = this;
    this.pending = undefined;
    clearTimeout(pending?.timer);
    pending?.reject(reason);
  }
}

function explainDeath(label: string, cause: unknown): AcqError {
  const exhausted = exhaustionError(`${label} cannot be read`, cause);
  if (exhausted) return exhausted;
  if ((cause as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') {
    const text = `reading the file takes more than ${grouped(HEAP_MEGABYTES)} MiB, the limit per worker. The file is corrupted, or has far too many parts.`;
    return decodeFailed(text, cause).about(label);
  }
  return decodeFailed('the decoder crashed; the file is probably corrupted', cause).about(label);
}
