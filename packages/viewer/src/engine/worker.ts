/** The worker that reads the files of one choice. */
import { AcqError, type ErrorRecord } from '@acquisition-store/readers/base/errors.js';
import { usePage } from '@acquisition-store/readers/platform-page/open-files.js';
import type { SentSamples } from './coming-plane.ts';
import type { Args, Reply, Request } from './protocol.ts';
import { Reading } from './reading.ts';
import { readWasm } from './wasm.ts';

usePage(readWasm);
let reading: Reading | undefined;
const running = new Map<number, AbortController>();

type Call = Extract<Request, { kind: 'call' }>;

addEventListener('message', ({ data }: MessageEvent<Request>) => {
  if (data.kind === 'files') reading = new Reading(data.given);
  else if (data.kind === 'cancel') running.get(data.id)?.abort();
  else void answer(data);
});

async function answer(call: Call): Promise<void> {
  const { id } = call;
  const stop = new AbortController();
  running.set(id, stop);
  try {
    const value = await run(call, stop.signal);
    postReply({ id, value }, buffersOf(value));
  } catch (error) {
    postReply({ id, error: toRecord(error, stop.signal) });
  } finally {
    running.delete(id);
  }
}

async function run({ id, method, sessionId, args }: Call, signal: AbortSignal): Promise<unknown> {
  if (!reading) throw new Error('a call before the files');
  if (method === 'open') return reading.open(...(args as Parameters<Reading['open']>));
  if (method === 'close') return reading.close(...(args as Parameters<Reading['close']>));
  const session = reading.session(sessionId ?? '');
  if (method === 'comingPlane') {
    const send = (part: SentSamples) => postReply({ id, part }, buffersOf(part));
    return session.comingPlane(signal, send, ...(args as Args<'comingPlane'>));
  }
  const answering = session[method] as (signal: AbortSignal, ...args: readonly unknown[]) => Promise<unknown>;
  return answering.call(session, signal, ...args);
}

/** Answers are arrays, objects of arrays, or have none. */
function buffersOf(value: unknown): Transferable[] {
  if (ArrayBuffer.isView(value)) return [value.buffer as ArrayBuffer];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.values(value).flatMap((part) => (ArrayBuffer.isView(part) ? [part.buffer as ArrayBuffer] : []));
}

function postReply(reply: Reply, transfer: Transferable[] = []): void {
  postMessage(reply, { transfer });
}

function toRecord(error: unknown, { aborted }: AbortSignal): ErrorRecord {
  if (error instanceof AcqError) return error.toRecord();
  // What browsers throw when an array cannot be allocated.
  if (error instanceof RangeError && /alloc|array|memory/i.test(error.message)) {
    const message = 'The browser has not enough memory for this plane. Close other acquisitions and try again.';
    return { code: 'capacity_exceeded', message, details: null };
  }
  // Nobody waits for the answer to a call that was canceled.
  if (!aborted) console.error(error);
  const message = error instanceof Error ? error.message : String(error);
  return { code: 'internal_error', message: `This file cannot be read: ${message}`, details: null };
}
