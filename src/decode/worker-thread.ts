import { Worker } from 'node:worker_threads';
import { AcqError, decodeFailed } from '../errors.js';
import { exhaustionError } from '../io/exhaustion.js';
import { fromThread } from '../threads.js';
import type { Answers, Call, Reply, Request } from './protocol.js';
import type { PlaneMemory } from './types.js';

export interface WorkerThreadOptions {
  url: URL;
  /** Heap of the worker's own JavaScript objects; planes are not part of it. */
  heapMegabytes: number;
  /** Called once, when it has started. */
  onReady?: () => void;
  /** Called once, when the thread is of no use any more. */
  onDeath: (worker: WorkerThread) => void;
}

interface Pending {
  id: number;
  label: string;
  memory: PlaneMemory | undefined;
  resolve: (value: never) => void;
  reject: (error: unknown) => void;
}

/**
 * Buffers of decoded pieces are freed when the young generation is collected: the default of 48 MiB lets tens of MiB of
 * them pile up in each worker.
 */
const YOUNG_MEGABYTES = 3;

/** One thread with one call at a time. It dies of a crash or of `kill`, and is then replaced, never repaired. */
export class WorkerThread {
  /** It has run: a replacement can be expected to run too. */
  ready = false;
  alive = true;
  /** Why it died. */
  deathCause: unknown;
  private readonly thread: Worker;
  private readonly options: WorkerThreadOptions;
  private pending: Pending | undefined;
  private lastId = 0;

  constructor(options: WorkerThreadOptions) {
    this.options = options;
    this.thread = new Worker(options.url, {
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: options.heapMegabytes, maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
    });
    this.thread.on('message', (reply: Reply) => this.settle(reply));
    this.thread.on('messageerror', (error) => {
      this.die(error);
      this.thread.terminate();
    });
    this.thread.on('error', (error) => this.die(error));
    this.thread.on('exit', (code) => this.die(new Error(`the decode worker ended with code ${code}`)));
    // An idle worker does not keep the process alive.
    this.thread.unref();
  }

  get busy(): boolean {
    return this.pending !== undefined;
  }

  /**
   * @param label what the work is called in messages: the name of the file
   * @param memory given to the thread for the time of the call
   */
  call<K extends Call['kind']>(
    label: string,
    call: Extract<Call, { kind: K }>,
    memory?: PlaneMemory,
  ): Promise<Answers[K]> {
    return new Promise((resolve, reject) => {
      if (!this.alive) throw new Error('the decode worker has ended');
      if (this.pending) throw new Error('the decode worker has a call to answer');
      const id = ++this.lastId;
      this.pending = { id, label, memory, resolve, reject };
      this.thread.ref();
      if (memory) this.thread.postMessage({ ...call, id, memory: memory.buffer } satisfies Request, [memory.buffer]);
      else this.thread.postMessage({ ...call, id } satisfies Request);
    });
  }

  /** Stops the thread wherever it is, in an endless loop too. Its call is rejected with `reason` at once. */
  kill(reason: unknown): Promise<unknown> {
    this.die(reason, () => reason);
    return this.thread.terminate();
  }

  private settle(reply: Reply): void {
    if (reply.kind === 'ready') {
      this.ready = true;
      this.options.onReady?.();
      return;
    }
    const { pending } = this;
    if (pending?.id !== reply.id) return;
    this.pending = undefined;
    this.thread.unref();
    if (pending.memory && reply.memory) pending.memory.buffer = reply.memory;
    if (reply.kind === 'done') pending.resolve(reply.value as never);
    else
      pending.reject(
        fromThread(reply, `${pending.label}: could not be read because of an internal error. The log has the cause.`),
      );
    if (reply.kind === 'failed' && reply.unusable) void this.kill(new Error('the worker could not load a module'));
  }

  private die(error: unknown, explain = (label: string): unknown => this.explainDeath(label, error)): void {
    if (!this.alive) return;
    this.alive = false;
    this.deathCause = error;
    const { pending } = this;
    this.pending = undefined;
    pending?.reject(explain(pending.label));
    this.options.onDeath(this);
  }

  private explainDeath(label: string, error: unknown): AcqError {
    if (!this.ready) return workerNotStarted(error);
    const exhausted = exhaustionError(`${label} cannot be read`, error);
    if (exhausted) return exhausted;
    if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') {
      return decodeFailed(
        `${label}: reading it takes more than the ${this.options.heapMegabytes} MiB of memory that one decode may use; ` +
          'the file is damaged or holds far too many parts',
        error,
      );
    }
    return decodeFailed(`${label}: the decoder broke down on it; the file is probably damaged`, error);
  }
}

export function workerNotStarted(cause: unknown): AcqError {
  const what = 'A decode worker cannot be started';
  const reason = cause instanceof Error ? cause.message : String(cause);
  return exhaustionError(what, cause) ?? new AcqError('internal_error', `${what}: ${reason}`, { cause });
}
