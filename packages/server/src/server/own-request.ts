/** Requests of the server to itself. */
import type { FastifyRequest } from 'fastify';

/** Where the server's own requests come from: no connection has an address like this. */
export const OWN_ADDRESS = 'warm-up';

/** True for a request of the server to itself: it is not logged, opens a file that no root contains, and has no limits. */
export function isWarmUp({ raw }: FastifyRequest): boolean {
  return raw.socket.remoteAddress === OWN_ADDRESS;
}
