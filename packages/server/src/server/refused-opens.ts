/** Opens that fail after their session has begun: nothing of them stays, and what was sent for them can be opened again. */
import type { FastifyRequest } from 'fastify';
import type { SessionService } from '../sessions/types.js';
import type { App } from './types.js';

const OPENS = /^\/api\/v[12]\/(?:open|pick-and-open|uploads\/:uploadId\/open)$/;

/**
 * Takes back the session of each open whose answer is refused: because it cannot be recorded, or has no memory. To be called
 * before hooks that may refuse an answer are added.
 */
export function takeBackRefused(app: App, sessions: Pick<SessionService, 'takeBack'>): void {
  const begun = new WeakMap<FastifyRequest, string>();
  app.addHook('preSerialization', async (request, _reply, payload: unknown) => {
    const { sessionId } = (payload ?? {}) as { sessionId?: unknown };
    if (isOpen(request) && typeof sessionId === 'string') begun.set(request, sessionId);
    return payload;
  });
  app.addHook('onError', async (request) => {
    const sessionId = begun.get(request);
    if (sessionId === undefined) return;
    begun.delete(request);
    // The client learns why its open was refused; the session expires by itself.
    await sessions.takeBack(sessionId).catch((error: unknown) => request.log.error(error));
  });
}

function isOpen({ method, routeOptions: { url = '' } }: FastifyRequest): boolean {
  return method === 'POST' && OPENS.test(url);
}
