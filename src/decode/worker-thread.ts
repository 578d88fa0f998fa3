import { Worker } from 'node:worker_threads';
import { AcqError, decodeFailed } from '../errors.js';
import { exhaustionError } from '../io/exhaustion.js';
import { fromThread } from '../threads.js';
import { grouped } from '../wording.js';
import type { Answers, Call, Reply, Request } from './protocol.js';
import type { PlaneMemory } from './types.js';

export interface WorkerThreadOptions {
  url: URL;
  /** Heap of the worker's JavaScript objects, without planes. */
  heapMegabytes: number;
  /** Called once, when the worker has started. */
  onReady?: () => void;
  /** Called once, when the worker can no longer be used. */
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

/** A thread that answers one call at a time. After a crash or `kill` it is replaced, never repaired. */
export class WorkerThread {
  /** The worker has started, so a replacement can be expected to start too. */
  ready = false;
  alive = true;
  /** Why the worker ended. */
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
   * @param label name of the file, for messages
   * @param memory transferred to the thread for the duration of the call
   */
  call<K extends Call['kind']>(
    label: string,
    call: Extract<Call, { kind: K }>,
    memory?: PlaneMemory,
  ): Promise<Answers[K]> {
    return new Promise((resolve, reject) => {
      if (!this.alive) throw new Error('the decode worker has ended');
      if (this.pending) throw new Error('the decode worker is busy');
      const id = ++this.lastId;
      this.pending = { id, label, memory, resolve, reject };
      this.thread.ref();
      if (memory) this.thread.postMessage({ ...call, id, memory: memory.buffer } satisfies Request, [memory.buffer]);
      else this.thread.postMessage({ ...call, id } satisfies Request);
    });
  }

  /** Stops the thread, even in an endless loop. Its call is rejected with `reason` at once. */
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
        `${label}: reading the file takes more than ${grouped(this.options.heapMegabytes)} MiB, the limit per worker. ` +
          'The file is corrupted, or has far too many parts.',
        error,
      );
    }
    return decodeFailed(`${label}: the decoder crashed; the file is probably corrupted`, error);
  }
}

export function workerNotStarted(cause: unknown): AcqError {
  const what = 'A decode worker cannot be started';
  const reason = cause instanceof Error ? cause.message : String(cause);
  return exhaustionError(what, cause) ?? new AcqError('internal_error', `${what}: ${reason}`, { cause });
}
