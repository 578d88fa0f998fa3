/** Limits of sessions: of all of them, and of each user, so that nobody can take everything. */
import { AcqError, invalidRequest } from '@acquisition-store/readers/base/errors.js';
import { grouped, plural } from '@acquisition-store/readers/base/wording.js';

/** @throws AcqError `request_validation_failed` */
export function checkTtl(
  ttlSeconds: number,
  { sessionTtlSeconds, maxSessionTtlSeconds }: { sessionTtlSeconds: number; maxSessionTtlSeconds: number },
): void {
  const max = Math.max(sessionTtlSeconds, maxSessionTtlSeconds);
  if (ttlSeconds <= max) return;
  const message = `\`ttlSeconds\` must be at most ${grouped(max)} (--max-session-ttl)`;
  throw invalidRequest(['body', 'ttlSeconds'], message, 'less_than_equal');
}

/** What a client can do when the table of sessions is full. `acqstore mcp` says it with the name of its tool. */
export const ROOM_HINT = 'Delete one, or try again later.';

/** @throws AcqError `capacity_exceeded` */
export function checkCount(count: number, { maxSessions }: { maxSessions: number }): void {
  if (count < maxSessions) return;
  throw new AcqError(
    'capacity_exceeded',
    `The server holds ${plural(maxSessions, 'session')}, the limit (--max-sessions). ${ROOM_HINT}`,
  );
}

/** @throws AcqError `capacity_exceeded` */
export function checkOwnCount(count: number, { maxSessionsPerOwner }: { maxSessionsPerOwner: number }): void {
  if (count < maxSessionsPerOwner) return;
  const message = `You have ${plural(maxSessionsPerOwner, 'session')}, the limit of each user (--max-sessions-per-owner). Close one, or try again later.`;
  throw new AcqError('capacity_exceeded', message);
}
