import { OpenResponse } from '@acquisition-store/client/contract/open.js';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OpenSessionRequest } from '../../sessions/types.js';
import type { AppDependencies } from '../dependencies.js';
import { ownerOf } from '../guard.js';
import { operation } from '../operation.js';
import { OPEN_ERRORS } from '../operation-errors.js';
import { isWarmUp } from '../policy.js';
import { clientSignal, timingHeader, untilStopped } from '../request-life.js';
import type { App } from '../types.js';
import { expandHome, OpenBody } from '../validation.js';

export function openRoute(app: App, deps: AppDependencies): void {
  const { stopping } = deps;
  app.post(
    '/api/v2/open',
    operation({
      id: 'openAcquisition',
      tag: 'Open',
      summary: 'Open an acquisition by its path',
      description: 'Answers when all requested planes are decoded. The session lives until it is deleted or expires.',
      body: OpenBody,
      ok: OpenResponse,
      errors: OPEN_ERRORS,
    }),
    async (request, reply) => {
      const { path: requested, ttlSeconds, ...options } = request.body;
      const path = expandHome(requested);
      const signal = clientSignal(reply, stopping);
      const own = isWarmUp(request) ? { picked: true, isWarmUp: true } : { picked: false };
      const who = { openedBy: request.caller, ...ownerOf(request) };
      const given = { path, written: requested, options, signal, ...who, ...own, ttlSeconds };
      const opened = untilStopped(stopping, openTimed(deps, reply, given));
      // A worker is at work by now, and need not wait for the line.
      request.log.info({ path }, 'opening');
      return opened;
    },
  );
}

/**
 * Opens a session, and tells the client where the time went.
 * @throws AcqError like `SessionService.open`
 */
export async function openTimed(
  { sessions, metrics }: Pick<AppDependencies, 'sessions' | 'metrics'>,
  reply: FastifyReply,
  request: OpenSessionRequest,
): Promise<OpenResponse> {
  const timing = { wait: 0, open: 0, decode: 0 };
  const start = performance.now();
  const count = (labels: { format: string; outcome: string }) => {
    if (!request.isWarmUp) metrics?.open(labels, (performance.now() - start) / 1000);
  };
  try {
    const opened = await sessions.open({ ...request, timing });
    reply.header('server-timing', timingHeader(timing));
    count({ format: opened.source.format, outcome: 'ok' });
    if (timing.decode > 0 && !request.isWarmUp) metrics?.planes('decoded', opened.channels.length);
    return opened;
  } catch (error) {
    count({ format: 'unknown', outcome: error instanceof AcqError ? error.code : 'internal_error' });
    throw error;
  }
}

const OPENS = /^\/api\/v[12]\/(?:open|pick-and-open|uploads\/:uploadId\/open)$/;

/**
 * Takes back the session of each open whose answer is refused: because it cannot be recorded, or has no memory. To be called
 * before hooks that may refuse an answer are added.
 */
export function takeBackRefused(app: App, { sessions }: Pick<AppDependencies, 'sessions'>): void {
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

/** True for a request to open something, of any API. */
function isOpen({ method, routeOptions: { url = '' } }: FastifyRequest): boolean {
  return method === 'POST' && OPENS.test(url);
}
