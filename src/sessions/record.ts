import type { OpenDescription, PlaneSet } from '../describe.js';
import { AcqError } from '../errors.js';
import type { Fingerprint } from '../io/byte-source.js';
import type { SessionApi, SessionPlane } from './types.js';

/**
 * A session without its pixels: plain JSON, and enough to decode each of its planes again, even in another process.
 * Planes are cached separately and may be dropped at any time.
 */
export interface SessionRecord {
  id: string;
  api: SessionApi;
  /** Real absolute path of the acquisition. */
  path: string;
  /** Fingerprints of all files that the planes came from, at the time of opening. */
  fingerprints: Fingerprint[];
  scene: number;
  t: number;
  z: number;
  planes: PlaneSet;
  reference: PlaneSet | null;
  /** The answer to the open request, without the session. */
  description: OpenDescription;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

/**
 * Finds the set of planes that contains an address.
 * @throws AcqError `channel_not_found`, `reference_channel_not_found`
 */
export function findPlanes(record: SessionRecord, { kind, channelIndex }: SessionPlane): PlaneSet {
  const planes = kind === 'channel' ? record.planes : record.reference;
  if (planes?.channelIndices.includes(channelIndex)) return planes;
  const held = planes ? `it has ${listSome(planes.channelIndices)}` : 'it has no reference image';
  throw new AcqError(
    kind === 'channel' ? 'channel_not_found' : 'reference_channel_not_found',
    `The session does not have ${kind === 'channel' ? '' : 'reference '}channel ${channelIndex}; ${held}.`,
  );
}

function listSome(indices: readonly number[]): string {
  return indices.length <= 16
    ? indices.join(', ')
    : `${indices.slice(0, 15).join(', ')} and ${indices.length - 15} more`;
}

/** Returns the addresses of all planes of a session. */
export function planesOf(record: Pick<SessionRecord, 'id' | 'planes' | 'reference'>): SessionPlane[] {
  const of = (kind: SessionPlane['kind'], planes: PlaneSet | null): SessionPlane[] =>
    (planes?.channelIndices ?? []).map((channelIndex) => ({ sessionId: record.id, kind, channelIndex }));
  return [...of('channel', record.planes), ...of('reference', record.reference)];
}

/** Returns the key of a plane in the plane cache. */
export function cacheKey({ sessionId, kind, channelIndex }: SessionPlane): string {
  return `${sessionId}/${kind}/${channelIndex}`;
}
