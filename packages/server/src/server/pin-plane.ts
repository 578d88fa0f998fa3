/** Planes that stay in memory until an answer has been sent. */
import type { SourceData } from '@acquisition-store/readers/model/samples/plane-data.js';
import type { FastifyReply } from 'fastify';
import type { PinnedPlane } from '../planes/plane-cache.js';
import type { PlaneAddress } from '../sessions/types.js';
import { clientSignal, untilStopped } from './client-signal.js';
import type { AppDependencies } from './dependencies.js';
import { readTimed } from './timed.js';
import { whenClosed } from './when-closed.js';

/** Returns a plane that stays in memory until `reply` has been sent. @throws AcqError like `SessionService.read` */
export async function pinPlane(
  deps: Pick<AppDependencies, 'sessions' | 'stopping' | 'metrics'>,
  address: PlaneAddress,
  form: 'served' | 'native',
  reply: FastifyReply,
): Promise<SourceData> {
  const { sessions, stopping } = deps;
  const { rows, columns } = sessions.planeShape(address);
  const signal = clientSignal(reply, stopping);
  const plane = await untilStopped(stopping, () =>
    readTimed(deps, reply, (timing) => sessions.read(address, form, { signal, timing })),
  );
  releaseWhenSent(plane, reply);
  const { data } = plane;
  if (data.rows !== rows || data.columns !== columns) {
    throw new Error(`the plane has ${data.rows} × ${data.columns} samples; expected ${rows} × ${columns}`);
  }
  return data;
}

/** Does not let the memory be reused before the system has the last byte, even when the session ends. */
export function releaseWhenSent({ release }: Pick<PinnedPlane, 'release'>, reply: FastifyReply): void {
  const { raw } = reply;
  // An answer that was never sent has no socket, and its end has been reported already.
  const isOver = raw.closed || (raw.destroyed && !raw.socket);
  if (isOver) release();
  else whenClosed(raw, release);
}
