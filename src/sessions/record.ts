import type { PlaneSet } from '../describe.js';
import { AcqError } from '../errors.js';
import type { Fingerprint } from '../io/byte-source.js';
import type { SessionPlane } from './types.js';

/**
 * What a session is, without its pixels: plain JSON, and enough to decode every plane of it again, in another process
 * too. Planes are cached beside it and may be dropped at any time.
 */
export interface SessionRecord {
  id: string;
  /** Real absolute path of what was opened. */
  path: string;
  /** Every file that the planes came from, as it was. */
  fingerprints: Fingerprint[];
  scene: number;
  t: number;
  z: number;
  planes: PlaneSet;
  reference: PlaneSet | null;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

/**
 * The planes of the session that an address is one of.
 * @throws AcqError `channel_not_found`, `reference_channel_not_found`
 */
export function findPlanes(record: SessionRecord, { kind, channelIndex }: SessionPlane): PlaneSet {
  const planes = kind === 'channel' ? record.planes : record.reference;
  if (planes?.channelIndices.includes(channelIndex)) return planes;
  const held = planes ? `it holds ${listSome(planes.channelIndices)}` : 'it has no reference image';
  throw new AcqError(
    kind === 'channel' ? 'channel_not_found' : 'reference_channel_not_found',
    `The session does not hold ${kind === 'channel' ? '' : 'reference '}channel ${channelIndex}; ${held}.`,
  );
}

function listSome(indices: readonly number[]): string {
  return indices.length <= 16
    ? indices.join(', ')
    : `${indices.slice(0, 15).join(', ')} and ${indices.length - 15} more`;
}

/** The planes of a session, one after the other. */
export function planesOf(record: Pick<SessionRecord, 'id' | 'planes' | 'reference'>): SessionPlane[] {
  const of = (kind: SessionPlane['kind'], planes: PlaneSet | null): SessionPlane[] =>
    (planes?.channelIndices ?? []).map((channelIndex) => ({ sessionId: record.id, kind, channelIndex }));
  return [...of('channel', record.planes), ...of('reference', record.reference)];
}

/** Where the plane cache keeps a plane. */
export function cacheKey({ sessionId, kind, channelIndex }: SessionPlane): string {
  return `${sessionId}/${kind}/${channelIndex}`;
}
