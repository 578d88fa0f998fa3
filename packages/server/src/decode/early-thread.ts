/** How the thread of a decode worker is started, and one that starts before the pool that will use it. */
import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import { packagedWorker, type ThreadCode } from '../package-files.js';
import { startThread } from '../threads.js';
import type { WorkerSetup } from './protocol.js';

/** Heap of a worker in MiB, without planes, unless a pool has another one. */
export const HEAP_MEGABYTES = 2048;
/**
 * Buffers of decoded pieces are freed when the young generation is collected: the default of 48 MiB lets tens of MiB of
 * them pile up in each worker.
 */
const YOUNG_MEGABYTES = 3;

export interface DecodeThread {
  thread: Worker;
  /** See `WorkerSetup`. */
  bell: Int32Array<SharedArrayBuffer>;
}

interface EarlyThread extends DecodeThread {
  /** Messages that nobody has heard yet. */
  messages: unknown[];
  stopListening: () => void;
}

let early: EarlyThread | undefined;

export function startDecodeThread(
  code: ThreadCode,
  { heapMegabytes, isFirst }: { heapMegabytes: number; isFirst: boolean },
): DecodeThread {
  const bell = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const thread = startThread(code, {
    workerData: { bell: bell.buffer, isFirst } satisfies WorkerSetup,
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes, maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
  });
  return { thread, bell };
}

/**
 * Starts the thread of the first worker, which the pool of the server takes later: it prepares while this thread loads the
 * server. Does nothing with a single core, which the start needs for itself.
 */
export function startEarlyThread(cores = availableParallelism()): void {
  if (early || cores < 2) return;
  const started = startDecodeThread(packagedWorker('decode/worker.js'), {
    heapMegabytes: HEAP_MEGABYTES,
    isFirst: true,
  });
  const { thread } = started;
  const messages: unknown[] = [];
  const note = (message: unknown) => messages.push(message);
  // The pool starts another one, and tells why that fails.
  const forget = () => {
    early = undefined;
  };
  thread.on('message', note).on('error', forget).on('exit', forget).unref();
  const stopListening = () => thread.off('message', note).off('error', forget).off('exit', forget);
  early = { ...started, messages, stopListening };
}

/**
 * Hands over the thread that was started early, if there is one. What it has said is said again, to those who listen by the
 * end of the turn.
 */
export function takeEarlyThread(): DecodeThread | undefined {
  if (!early) return undefined;
  const { thread, bell, messages, stopListening } = early;
  early = undefined;
  stopListening();
  queueMicrotask(() => {
    for (const message of messages) thread.emit('message', message);
  });
  return { thread, bell };
}
