/** Parts of what a session answers. */

import { setBytes } from '@acquisition-store/client/answers/describe.js';
import type { OpenDescription } from '@acquisition-store/client/contract/open.js';
import type { SessionStatus } from '@acquisition-store/client/contract/session.js';
import { AcqError, invalidRequest } from '@acquisition-store/readers/base/errors.js';
import { grouped, plural } from '@acquisition-store/readers/base/wording.js';
import type { SessionRecord } from './record.js';

/** Returns the status of a session. @param now milliseconds since 1970 */
export function toStatus(record: SessionRecord, now: number): SessionStatus {
  return {
    ok: true,
    sessionId: record.id,
    ttlSecondsRemaining: Math.max(0, (record.expiresAt - now) / 1000),
    channelIndices: ascending(record.planes.channelIndices),
    referenceChannelIndices: ascending(record.reference?.channelIndices ?? []),
    totalBytes: setBytes(record.planes) + setBytes(record.reference),
  };
}

/** @param code `session_ended` where 404 has another meaning */
export function sessionNotFound(code: 'session_not_found' | 'session_ended' = 'session_not_found'): AcqError {
  return new AcqError(code, 'The session does not exist. It was deleted or has expired. Open the file again.');
}

/** Answers for a session that has ended because the table was full. */
export function endedForOthers(maxSessions: number): AcqError {
  const message =
    `The session was ended to make room for others: the server holds at most ${plural(maxSessions, 'session')} (--max-sessions), ` +
    'and this one was not in use. Open the file again.';
  return new AcqError('session_not_found', message);
}

/** Replaces the path by the name. */
export function withoutPath(description: OpenDescription): OpenDescription {
  const { source } = description;
  return { ...description, source: { ...source, path: source.name } };
}

export function tookTooLong(name: string, seconds: number): AcqError {
  const message =
    `opening took longer than ${grouped(seconds)} s (--open-timeout) and was stopped. ` +
    'Ask for fewer channels, or raise the limit.';
  return new AcqError('load_timeout', message, { subject: name });
}

export function noNativeProjection(): AcqError {
  const message = '`type=native`: a projection has no samples in the type of the file';
  return invalidRequest(['query', 'type'], message, 'native_projection');
}

/** The status lists channels in the order of the file, not of the request. */
function ascending(indices: readonly number[]): number[] {
  return [...indices].sort((a, b) => a - b);
}
