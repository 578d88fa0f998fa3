/** The memory that answers hold until their clients have taken them. */
import type { FastifyReply } from 'fastify';
import { untilStopped } from './client-signal.js';
import type { AppDependencies } from './dependencies.js';
import { JsonPieces } from './long-json.js';
import { releaseWhenSent } from './pin-plane.js';

/** Smaller texts are not counted: connections times answers of each limit them. */
const SMALL_CHARACTERS = 8 * 2 ** 10;
/** A text is in memory twice while it is sent: as a string, and as bytes. */
const BYTES_PER_CHARACTER = 2;
/** Of a text that is written in pieces of 64 Ki characters, two are in memory: in the stream, and on their way to the system. */
const PIECES_BYTES = 2 * BYTES_PER_CHARACTER * 2 ** 16;

/**
 * Counts memory against the budget until `reply` has been sent. Call it before the memory is taken.
 * @throws AcqError `capacity_exceeded`; `plane_too_large` when the budget can never hold it
 */
export async function holdUntilSent(
  { sessions, stopping }: Pick<AppDependencies, 'sessions' | 'stopping'>,
  reply: FastifyReply,
  byteLength: number,
): Promise<void> {
  if (byteLength === 0) return;
  const owner = reply.request.caller?.user?.owner;
  const release = await untilStopped(stopping, () => sessions.memory.reserve(byteLength, owner));
  releaseWhenSent({ release }, reply);
}

/**
 * Counts a text, or what the pieces of a long one are made of. Counts nothing for a small text, and for bytes, which their route
 * has counted.
 */
export function holdText(
  deps: Pick<AppDependencies, 'sessions' | 'stopping'>,
  reply: FastifyReply,
  payload: unknown,
): Promise<void> | undefined {
  if (payload instanceof JsonPieces) return holdUntilSent(deps, reply, payload.heldBytes + PIECES_BYTES);
  const length = typeof payload === 'string' ? payload.length : 0;
  return length < SMALL_CHARACTERS ? undefined : holdUntilSent(deps, reply, BYTES_PER_CHARACTER * length);
}
