import type { PlanProjection } from '@acquisition-store/readers/derive/projection.js';
import type { PlaneForm } from '../decode/types.js';

/** A plane of an acquisition in one state of its files, regardless of the sessions that read it. */
export interface PlaneIdentity {
  /** Names the acquisition and the state of its files. */
  content: string;
  scene: number;
  kind: 'channel' | 'reference';
  channelIndex: number;
  /** Ignored for a reference, which belongs to the whole scene. */
  t: number;
  z: number;
  /** `served` when omitted. */
  form?: PlaneForm;
  /** Of the channel along time points or sections; only served. */
  projection?: PlanProjection | undefined;
}

/** Returns the key of a plane in the plane cache. */
export function planeKey(identity: PlaneIdentity): string {
  const { content, form = 'served', projection, scene, kind, channelIndex, t, z } = identity;
  const name = projection ? `${projection.method}:${projection.along}` : form;
  return `${content}/${name}/${scene}/${kind}/${channelIndex}${kind === 'channel' ? `/${t}/${z}` : ''}`;
}
