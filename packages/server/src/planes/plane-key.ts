import type { PlaneSet } from '@acquisition-store/client/answers/describe.js';
import type { PlanProjection } from '@acquisition-store/readers/derive/projection.js';
import { planeByteLength } from '@acquisition-store/readers/model/samples/plane-data.js';
import { heldType, type SampleType } from '@acquisition-store/readers/model/samples/types.js';

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
  /** Type of the samples in memory. */
  type: SampleType;
  /** The reduced levels of the plane instead of it. */
  levels?: boolean | undefined;
  /** Of the channel along time points or sections. */
  projection?: PlanProjection | undefined;
}

/** Returns the key of a plane in the plane cache. */
export function planeKey(identity: PlaneIdentity): string {
  const { content, type, levels = false, projection, scene, kind, channelIndex, t, z } = identity;
  const name = projection ? `${projection.method}:${projection.along}` : `${type}${levels ? '/levels' : ''}`;
  return `${content}/${name}/${scene}/${kind}/${channelIndex}${kind === 'channel' ? `/${t}/${z}` : ''}`;
}

/**
 * Returns the type in which planes that are served as float32 are kept: that of the file when float32 holds the same numbers and takes
 * more memory. Projections have other numbers than the file.
 */
export function servedType(sampleType: SampleType | undefined, projection?: PlanProjection): SampleType {
  return projection || sampleType === undefined ? 'float32' : heldType(sampleType);
}

/** Returns the bytes that all planes of a set take in memory. */
export function heldBytes(planes: PlaneSet | null, projection?: PlanProjection): number {
  if (!planes) return 0;
  const sampleType = servedType(planes.sampleType, projection);
  return planes.channelIndices.length * planeByteLength({ ...planes, sampleType });
}
