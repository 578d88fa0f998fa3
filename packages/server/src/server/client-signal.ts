import { AcqError } from '@acquisition-store/readers/base/errors.js';
import type { FastifyReply } from 'fastify';
import { whenClosed } from './when-closed.js';

/** Returns a signal that aborts when the client disconnects before its answer, or the server stops. */
export function clientSignal({ raw }: FastifyReply, stopping: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort();
  // AbortSignal.any would keep every request in memory, because `stopping` lives as long as the server.
  stopping.addEventListener('abort', abort, { once: true });
  whenClosed(raw, () => {
    stopping.removeEventListener('abort', abort);
    if (!raw.writableEnded) abort();
  });
  if (raw.destroyed || stopping.aborted) abort();
  return controller.signal;
}

/** Runs `action`. An error while the server stops becomes `capacity_exceeded`. */
export async function untilStopped<T>(stopping: AbortSignal, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (!stopping.aborted) throw error;
    throw new AcqError('capacity_exceeded', 'The server is stopping. Start it again and repeat the request.');
  }
}
