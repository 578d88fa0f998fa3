/** The memory that answers hold until their clients have taken them. */
import type { FastifyReply } from 'fastify';
import { untilStopped } from './client-signal.js';
import type { AppDependencies } from './dependencies.js';
import { releaseWhenSent } from './routes/data.js';

/** Smaller texts are not counted: connections times answers of each limit them. */
const SMALL_BYTES = 8 * 2 ** 10;
/** A text is in memory twice while it is sent: as a string, and as bytes. */
const BYTES_PER_CHARACTER = 2;

/**
 * Counts memory against the budget until `reply` has been sent. Call it before the memory is taken.
 * @throws AcqError `capacity_exceeded`; `plane_too_large` when the budget can never hold it
 */
export async function holdUntilSent(
  { sessions, stopping }: Pick<AppDependencies, 'sessions' | 'stopping'>,
  reply: FastifyReply,
  byteLength: number,
): Promise<void> {
  const owner = reply.request.caller?.user?.owner;
  const release = await untilStopped(stopping, () => sessions.memory.reserve(byteLength, owner));
  releaseWhenSent({ release }, reply);
}

/** The same for a text; nothing for a small one. */
export function holdText(
  deps: Pick<AppDependencies, 'sessions' | 'stopping'>,
  reply: FastifyReply,
  length: number,
): Promise<void> | undefined {
  return length < SMALL_BYTES ? undefined : holdUntilSent(deps, reply, BYTES_PER_CHARACTER * length);
}
