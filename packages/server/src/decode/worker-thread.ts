import { AcqError, decodeFailed } from '@acquisition-store/readers/base/errors.js';
import { grouped } from '@acquisition-store/readers/base/wording.js';
import { Crossing } from '../paths/look.js';
import { exhaustionError } from '../platform-node/exhaustion.js';
import { fromThread } from '../threads.js';
import { startDecodeThread } from './early-thread.js';
import type { Calls, Reply, Request, SentBlock } from './protocol.js';
import type { DecodeLease, LeaseOptions, OpenedFile, PlaneMemory } from './types.js';

/** Times the bytes that a worker has of one plane, for several that are filled at the same time. */
const MAX_AHEAD = 2;

/** A thread that answers one call at a time. After a crash or `kill` it is replaced, never repaired. */
export class WorkerThread {
  /** The worker has started, so a replacement can be expected to start too. */
  ready = false;
  alive = true;
  /** Why the worker ended. */
  deathCause: unknown;
  /** It was ended on purpose: that says nothing about the next one. */
  isKilled = false;
  /** The file that it has open, if it may be read further. */
  opened: OpenedFile | undefined;
  /** A file may be open, also one that cannot be read further. */
  mayBeOpen = false;
  /** Its thread, and the memory shared with it. */
  private readonly started;
  private readonly options: {
    /** What the worker runs; that of the package when omitted. */
    code?: URL | undefined;
    heapMegabytes?: number | undefined;
    /** No worker was started before this one. */
    isFirst: boolean;
    /** Bytes of plane memory that the worker may have at a time; see `BlockFlow`. */
    aheadBytes: number;
    /** Does not warm up. */
    staysCold: boolean;
    /** Called once, when the worker has started. */
    onReady?: () => void;
    /** Called once, when the worker can no longer be used. */
    onDeath: (worker: WorkerThread) => void;
  };
  /** The call in progress. */
  private pending:
    | {
        id: number;
        /** Name of the file, for messages. */
        label: string;
        /** The memory of a plane. */
        flow: BlockFlow | undefined;
        /** How the call has ended: blocks that were on their way to the worker then still come back. */
        outcome: Extract<Reply, { kind: 'done' | 'failed' }> | undefined;
        resolve: (value: never) => void;
        reject: (error: unknown) => void;
      }
    | undefined;
  private lastId = 0;

  /** @throws the error of the system, when it does not start the thread */
  constructor(options: WorkerThread['options']) {
    this.options = options;
    this.started = startDecodeThread(options);
    const { thread } = this.started;
    thread.on('message', (reply: Reply) => this.settle(reply));
    thread.on('messageerror', (error) => {
      this.die(error);
      thread.terminate();
    });
    thread.on('error', (error) => this.die(error));
    thread.on('exit', (code) => this.die(new Error(`the decode worker ended with code ${code}`)));
    if (options.staysCold) thread.postMessage({ kind: 'stay cold' } satisfies Request);
    // An idle worker does not keep the process alive.
    thread.unref();
  }

  get busy(): boolean {
    return this.pending !== undefined;
  }

  /**
   * @param label name of the file, for messages
   * @param memory its blocks are transferred to the thread during the call, a few at a time
   */
  call<Kind extends keyof Calls>(
    label: string,
    kind: Kind,
    given: Calls[Kind]['given'],
    memory?: PlaneMemory,
  ): Promise<Calls[Kind]['answer']> {
    return new Promise((resolve, reject) => {
      if (!this.alive) throw new Error('the decode worker has ended');
      if (this.pending) throw new Error('the decode worker is busy');
      const id = ++this.lastId;
      const flow = memory && new BlockFlow(memory, aheadOf(memory, this.options.aheadBytes));
      this.pending = { id, label, flow, outcome: undefined, resolve, reject };
      const { thread } = this.started;
      thread.ref();
      const sent = flow?.start();
      thread.postMessage({ kind, id, given, memory: sent }, sent?.blocks.map((block) => block.memory) ?? []);
    });
  }

  /** Lets the worker put its warm-up off: a client needs the processor. */
  noteClient(): void {
    this.started.askedAt[0] = Date.now();
  }

  /** Stops the thread, even in an endless loop. Its call is rejected with `reason` at once. */
  kill(reason: unknown): Promise<unknown> {
    if (this.alive) this.isKilled = true;
    this.die(reason, () => reason);
    return this.started.thread.terminate();
  }

  private settle(reply: Reply): void {
    if (reply.kind === 'ready') {
      this.ready = true;
      this.options.onReady?.();
      return;
    }
    const { pending } = this;
    if (pending?.id !== reply.id) return;
    const { flow } = pending;
    if (reply.kind === 'wanted') {
      const block = flow?.sendWanted(reply.index);
      if (block) this.send(pending.id, block);
      return;
    }
    if (reply.kind === 'block') {
      flow?.receive(reply.block);
      if (!pending.outcome) for (const block of flow?.sendAhead() ?? []) this.send(pending.id, block);
    } else {
      pending.outcome = reply;
      for (const block of reply.blocks) flow?.receive(block);
    }
    if (flow?.isHome ?? true) this.end();
  }

  private send(id: number, block: SentBlock): void {
    const { thread, bell } = this.started;
    thread.postMessage({ kind: 'block', id, block } satisfies Request, [block.memory]);
    Atomics.add(bell, 0, 1);
    Atomics.notify(bell, 0);
  }

  /** Ends the call in progress, if it was answered. */
  private end(): void {
    if (!this.pending?.outcome) return;
    const { label, outcome, resolve, reject } = this.pending;
    this.pending = undefined;
    this.started.thread.unref();
    if (outcome.kind === 'done') {
      resolve(outcome.value as never);
      return;
    }
    if (outcome.crossing !== undefined) {
      reject(new Crossing(outcome.crossing));
      return;
    }
    reject(fromThread(outcome, 'could not be read because of an internal error. The log has the cause.', label));
    if (outcome.unusable) void this.kill(new Error('the worker could not load a module'));
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
        `reading the file takes more than ${grouped(this.started.heapMegabytes)} MiB, the limit per worker. ` +
          'The file is corrupted, or has far too many parts.',
        error,
      ).about(label);
    }
    return decodeFailed('the decoder crashed; the file is probably corrupted', error).about(label);
  }
}

/** Returns the calls of a lease, which note what the worker has open. */
export function toLease(worker: WorkerThread, { label, signal }: LeaseOptions): DecodeLease {
  const call = async <Kind extends keyof Calls>(kind: Kind, given: Calls[Kind]['given'], memory?: PlaneMemory) => {
    signal.throwIfAborted();
    return worker.call(label, kind, given, memory);
  };
  return {
    opened: worker.opened,
    open: async (file) => {
      worker.mayBeOpen = true;
      worker.opened = undefined;
      worker.opened = await call('open', file);
      return worker.opened;
    },
    view: async (scene) => {
      worker.opened = await call('view', scene);
      return worker.opened;
    },
    info: () => call('info', undefined),
    survey: (file) => call('survey', file),
    metadata: (scene) => call('metadata', scene),
    planes: (scene, part) => call('planes', { scene, part }),
    plane: async (plane, memory, isLast = false) => {
      const files = await call('plane', { plane, isLast }, memory);
      if (!isLast) return undefined;
      worker.opened = undefined;
      worker.mayBeOpen = false;
      return files;
    },
    overview: (plane, grid) => call('overview', { plane, grid }),
    check: (further) => call('check', further),
    close: async (further) => {
      worker.opened = undefined;
      const files = await call('close', further);
      worker.mayBeOpen = false;
      return files;
    },
  };
}

/**
 * Hands the blocks of a plane to a worker a few at a time. The garbage collector counts what an isolate receives: after
 * 64 MiB more than it ever had since the last collection, it collects everything, on the main thread of all places.
 */
export class BlockFlow {
  private readonly memory: PlaneMemory;
  private readonly aheadBytes: number;
  private readonly states: ('unsent' | 'away' | 'home')[];
  private awayBytes = 0;
  /** No block before this one is unsent. */
  private next = 0;

  /** @param aheadBytes bytes that the worker may have at a time; it gets more only when it waits for them */
  constructor(memory: PlaneMemory, aheadBytes: number) {
    this.memory = memory;
    this.aheadBytes = aheadBytes;
    this.states = memory.blocks.map(() => 'unsent');
  }

  /** True when the worker has no block. */
  get isHome(): boolean {
    return this.awayBytes === 0;
  }

  /** Returns what the worker starts with. The blocks must be transferred, here and below. */
  start() {
    const { rowsPerBlock, blocks } = this.memory;
    return { rowsPerBlock, count: blocks.length, blocks: this.sendAhead() };
  }

  /** Returns the next blocks to send, as many as the worker may have. */
  sendAhead(): SentBlock[] {
    const sent: SentBlock[] = [];
    for (; this.next < this.states.length; this.next++) {
      if (this.states[this.next] !== 'unsent') continue;
      const { byteLength } = this.memory.blocks[this.next]!;
      if (this.awayBytes > 0 && this.awayBytes + byteLength > this.aheadBytes) break;
      sent.push(this.send(this.next));
    }
    return sent;
  }

  /** Returns a block that the worker waits for, unless it is on its way. */
  sendWanted(index: number): SentBlock | undefined {
    const state = this.states[index];
    return state === undefined || state === 'away' ? undefined : this.send(index);
  }

  /** Takes back a block. */
  receive({ index, memory, rounding }: Omit<SentBlock, 'content'>): void {
    const block = this.memory.blocks[index];
    if (!block || this.states[index] !== 'away') return;
    block.buffer = memory;
    if (rounding) block.rounding = rounding;
    this.states[index] = 'home';
    this.awayBytes -= block.byteLength;
  }

  private send(index: number): SentBlock {
    const { buffer, byteLength, isUsed } = this.memory.blocks[index]!;
    const fresh = isUsed ? 'used' : 'zeros';
    const content = this.states[index] === 'unsent' ? fresh : 'kept';
    this.states[index] = 'away';
    this.awayBytes += byteLength;
    return { index, memory: buffer, content };
  }
}

/** Blocks that are filled at the same time must not keep the next ones from being on their way. */
function aheadOf({ atOnce = 1 }: PlaneMemory, bytes: number): number {
  return Math.min(atOnce, MAX_AHEAD) * bytes;
}

export function workerNotStarted(cause: unknown): AcqError {
  const what = 'A decode worker cannot be started';
  const reason = cause instanceof Error ? cause.message : String(cause);
  return exhaustionError(what, cause) ?? new AcqError('internal_error', `${what}: ${reason}`, { cause });
}
