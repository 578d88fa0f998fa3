import type { SessionService } from '../sessions/types.js';
import type { App } from './types.js';
import { whenClosed } from './when-closed.js';

/** Keeps each session as long as a request about it is in progress, up to the last byte of the answer. */
export function holdSessions(app: App, sessions: Pick<SessionService, 'hold'>): void {
  app.addHook('preHandler', async (request, { raw }) => {
    const { sessionId } = (request.params ?? {}) as { sessionId?: string };
    if (sessionId === undefined) return;
    const release = sessions.hold(sessionId);
    whenClosed(raw, release);
    if (raw.destroyed) release();
  });
}
