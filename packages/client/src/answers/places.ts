/** Which plane of a session a request asks for. */
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { grouped } from '@acquisition-store/readers/base/wording.js';
import type { PlanProjection } from '@acquisition-store/readers/derive/projection.js';
import type { OpenDescription, OpenPlan, PlaneSet } from './describe.js';

/** The planes of a session. */
export interface ServedPlanes extends Pick<OpenPlan, 't' | 'z' | 'planes' | 'reference'> {
  projection?: PlanProjection;
  description: Pick<OpenDescription, 'header'>;
}

export interface AskedPlane {
  kind: 'channel' | 'reference';
  channelIndex: number;
  /** Time point and section; those of the session when omitted. */
  t?: number;
  z?: number;
}

/**
 * Finds the set of planes that contains an address.
 * @throws AcqError `channel_not_found`, `reference_channel_not_found`
 */
export function findPlanes(
  session: ServedPlanes,
  { kind, channelIndex }: Pick<AskedPlane, 'kind' | 'channelIndex'>,
): PlaneSet {
  const planes = kind === 'channel' ? session.planes : session.reference;
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

/**
 * Returns the time point and section of a plane.
 * @throws AcqError `selection_out_of_range`
 */
export function placeOf(session: ServedPlanes, { kind, t, z }: AskedPlane): { t: number; z: number } {
  if (kind === 'reference') return { t: session.t, z: session.z };
  const { sizes } = session.description.header;
  const check = (name: 'T' | 'Z', index: number) => {
    if (session.projection?.along !== name) return checkPlace(name, index, sizes[name]);
    throw new AcqError('selection_out_of_range', `\`${name}=${index}\`: the session is a projection along ${name}.`);
  };
  return { t: t === undefined ? session.t : check('T', t), z: z === undefined ? session.z : check('Z', z) };
}

function checkPlace(name: 'T' | 'Z', index: number, size: number | undefined): number {
  if (size !== undefined && index >= 0 && index < size) return index;
  throw outOfRange(name, index, size);
}

/** Returns the error for a place that does not exist. @param size undefined when the file does not have the dimension */
export function outOfRange(name: 'S' | 'T' | 'Z', index: number, size: number | undefined): AcqError {
  const problem =
    size === undefined ? `the file has no dimension ${name}` : `the file has ${name} 0 to ${grouped(size - 1)}`;
  return new AcqError('selection_out_of_range', `\`${name}=${index}\`: ${problem}.`);
}
