/** Tells clients where the time of opens and planes went, and operators how long they take. */

import type { OpenResponse } from '@acquisition-store/client/contract/open.js';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import type { FastifyReply } from 'fastify';
import type { PinnedPlane } from '../planes/plane-cache.js';
import type { OpenSessionRequest } from '../sessions/types.js';
import { type Stage, Timing } from '../timing.js';
import type { AppDependencies } from './dependencies.js';
import { isWarmUp } from './own-request.js';
import { isV1 } from './v1/errors.js';

type Parts = Pick<AppDependencies, 'sessions' | 'metrics'>;

const STAGES: readonly Stage[] = ['wait', 'open', 'decode'];

/** @throws AcqError like `SessionService.open` */
export async function openTimed(
  { sessions, metrics }: Parts,
  reply: FastifyReply,
  request: OpenSessionRequest,
): Promise<OpenResponse> {
  const timing = new Timing();
  const start = performance.now();
  const count = (labels: { format: string; outcome: string }) => {
    if (!request.isWarmUp) metrics?.open(labels, (performance.now() - start) / 1000);
  };
  try {
    const opened = await sessions.open({ ...request, timing });
    reply.header('server-timing', toHeader(timing));
    count({ format: opened.source.format, outcome: 'ok' });
    if (timing.of('decode') > 0 && !request.isWarmUp) metrics?.planes('decoded', opened.channels.length);
    return opened;
  } catch (error) {
    count({ format: 'unknown', outcome: error instanceof AcqError ? error.code : 'internal_error' });
    throw error;
  }
}

/** Runs `read` with a record of where the time goes. */
export async function readTimed(
  { metrics }: Pick<AppDependencies, 'metrics'>,
  reply: FastifyReply,
  read: (timing: Timing) => Promise<PinnedPlane>,
): Promise<PinnedPlane> {
  const timing = new Timing();
  const start = performance.now();
  const plane = await read(timing);
  const isDecoded = timing.of('decode') > 0;
  // Another request may have decoded it meanwhile.
  if (!isDecoded) timing.add('wait', performance.now() - start);
  // Answers of v1 stay as they were.
  if (!isV1(reply.request.url)) reply.header('server-timing', toHeader(timing));
  if (!isWarmUp(reply.request)) metrics?.planes(isDecoded ? 'again' : 'cache', 1);
  return plane;
}

function toHeader(timing: Timing): string {
  return STAGES.map((stage) => `${stage};dur=${timing.of(stage).toFixed(1)}`).join(', ');
}
