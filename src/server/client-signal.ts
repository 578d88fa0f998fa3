import type { FastifyReply } from 'fastify';
import { AcqError } from '../errors.js';

/** Aborts when the client leaves before its answer, or the server stops. */
export function clientSignal(reply: FastifyReply, stopping: AbortSignal): AbortSignal {
  const gone = new AbortController();
  const { raw } = reply;
  raw.once('close', () => {
    if (!raw.writableEnded) gone.abort();
  });
  return AbortSignal.any([gone.signal, stopping]);
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
