import type { FastifyReply } from 'fastify';
import { AcqError } from '../errors.js';

/** Aborts when the client leaves before its answer, or the server stops. */
export function clientSignal({ raw }: FastifyReply, stopping: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort();
  // Not AbortSignal.any: a signal that lives as long as the server would keep every request that ever was.
  stopping.addEventListener('abort', abort, { once: true });
  raw.once('close', () => {
    stopping.removeEventListener('abort', abort);
    if (!raw.writableEnded) abort();
  });
  if (raw.destroyed || stopping.aborted) abort();
  return controller.signal;
}

/** Runs `action`; what it throws because the server stops says so. */
export async function untilStopped<T>(stopping: AbortSignal, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (!stopping.aborted) throw error;
    throw new AcqError('capacity_exceeded', 'The server is stopping; start it again and repeat the request.');
  }
}
