/** Disconnects clients that do not take their answers. */
import { EVENT_STREAM } from '@acquisition-store/client/contract/events.js';
import type { DisconnectReason } from '../metrics.js';
import type { Connection } from './connection.js';
import type { ConnectionLimits } from './connection-limits.js';
import type { AppDependencies } from './dependencies.js';

const WHY: Record<DisconnectReason, string> = {
  stalled: 'disconnected a client that took no byte of its answer for too long (--stall-timeout)',
  slow: 'disconnected a client that took its answer so slowly that it would outlast a session (--session-ttl)',
  memory: 'disconnected a client that took no byte of its answer, because others needed the memory',
  session_ended: 'disconnected a client that took no byte of an answer whose session has ended',
  stopping: 'disconnected a client that took no byte of its answer while the server is stopping',
};

/** What an answer may be about, and who learns of clients. */
type Audience = Pick<AppDependencies, 'sessions' | 'metrics'> | undefined;

/**
 * Looks at what clients take of their answers, now and then while there are any.
 * @param passedMs since the last look
 * @returns whether there are answers in progress
 */
export function lookAtClients(
  open: Iterable<Connection>,
  passedMs: number,
  limits: ConnectionLimits,
  audience: Audience,
): boolean {
  let isBusy = false;
  for (const connection of open) {
    const [answer] = connection.answers.keys();
    isBusy ||= answer !== undefined;
    connection.flow.look(connection.socket, answer, passedMs);
    const reason = answer && reasonToDisconnect(connection, limits, audience);
    if (reason) disconnect(connection, reason, audience);
  }
  return isBusy;
}

/**
 * Disconnects the client that has taken no byte of its answer for longest, if it is for some seconds, and resolves when
 * nothing is held for it any more.
 * @param owner only a client of this user, if any
 * @returns whether there was one
 */
export async function dropStalled(
  open: Iterable<Connection>,
  owner: string | undefined,
  { stallMs }: ConnectionLimits,
  audience: Audience,
): Promise<boolean> {
  const all = [...open].filter((connection) => owner === undefined || isOf(owner, connection));
  const stalled = all.filter(({ socket, flow }) => socket.destroyed || flow.isIdleFor(stallMs, socket));
  const order = stalled.sort(({ flow: a }, { flow: b }) => b.idleMs - a.idleMs || a.taken - b.taken);
  const connection = order.find(({ socket }) => socket.destroyed) ?? order[0];
  if (!connection) return false;
  const { socket } = connection;
  const closed = new Promise((resolve) => socket.once('close', resolve));
  if (!socket.destroyed) disconnect(connection, 'memory', audience);
  await closed;
  return true;
}

function reasonToDisconnect(
  { socket, flow, answers, isStopping }: Connection,
  limits: ConnectionLimits,
  audience: Audience,
): DisconnectReason | undefined {
  const { maxStallMs, stallMs } = limits;
  if (flow.isIdleFor(maxStallMs, socket)) return 'stalled';
  const [reply] = answers.values();
  const isEndless = reply?.getHeader('content-type') === EVENT_STREAM;
  if (!isEndless && flow.isTooSlow(Number(reply?.getHeader('content-length')), limits)) return 'slow';
  if (!flow.isIdleFor(stallMs, socket)) return undefined;
  if (isStopping) return 'stopping';
  const ids = [...answers.values()].map(
    (one) => (one?.request.params as { sessionId?: unknown } | undefined)?.sessionId,
  );
  const hasEnded = ids.some((id) => typeof id === 'string' && audience?.sessions.isOpen(id) === false);
  return hasEnded ? 'session_ended' : undefined;
}

function disconnect({ socket, answers, flow }: Connection, reason: DisconnectReason, audience: Audience): void {
  const [reply] = answers.values();
  const { taken, idleMs } = flow;
  reply?.request.log.warn({ reason, bytes: taken, idleSeconds: Math.round(idleMs / 1000) }, WHY[reason]);
  audience?.metrics?.disconnected(reason);
  socket.destroy();
}

function isOf(owner: string, { answers }: Connection): boolean {
  return [...answers.values()].some((reply) => reply?.request.caller?.user?.owner === owner);
}
