/** How the thread of a decode worker is started, and one that starts before the pool that will use it. */
import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import { packagedWorker } from '../package-files.js';
import { HEAP_MEGABYTES, startReader } from '../threads.js';
import type { WorkerSetup } from './protocol.js';

interface DecodeThread {
  thread: Worker;
  /** See `WorkerSetup`. */
  bell: Int32Array<SharedArrayBuffer>;
  askedAt: Float64Array<SharedArrayBuffer>;
  /** Heap of the worker's JavaScript objects, without planes. */
  heapMegabytes: number;
}

interface DecodeThreadOptions {
  /** That of the package when omitted. */
  code?: URL | undefined;
  heapMegabytes?: number | undefined;
  /** See `WorkerSetup`. */
  isFirst: boolean;
}

interface EarlyThread extends DecodeThread {
  /** Messages that nobody has heard yet. */
  messages: unknown[];
  stopListening: () => void;
}

let early: EarlyThread | undefined;

/** Returns the thread of a worker: the one that was started early, if that is a first one without options of its own. */
export function startDecodeThread({ code, heapMegabytes, isFirst }: DecodeThreadOptions): DecodeThread {
  const isPlain = code === undefined && heapMegabytes === undefined;
  return (isFirst && isPlain && takeEarlyThread()) || createThread({ code, heapMegabytes, isFirst });
}

function createThread({ code, heapMegabytes = HEAP_MEGABYTES, isFirst }: DecodeThreadOptions): DecodeThread {
  const bell = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const askedAt = new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT));
  const setup = { bell: bell.buffer, askedAt: askedAt.buffer, isFirst } satisfies WorkerSetup;
  const thread = startReader(code ?? packagedWorker('decode/worker.js'), heapMegabytes, setup);
  return { thread, bell, askedAt, heapMegabytes };
}

/**
 * Starts the thread of the first worker, which the pool of the server takes later: it prepares while this thread loads the
 * server. Does nothing with a single core, which the start needs for itself.
 */
export function startEarlyThread(cores = availableParallelism()): void {
  if (early || cores < 2) return;
  const started = createThread({ isFirst: true });
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
function takeEarlyThread(): DecodeThread | undefined {
  if (!early) return undefined;
  const { messages, stopListening, ...started } = early;
  early = undefined;
  stopListening();
  queueMicrotask(() => {
    for (const message of messages) started.thread.emit('message', message);
  });
  return started;
}
