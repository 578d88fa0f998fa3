/** What has to be decoded for a plane, and the key that it is kept under. */
import { basename } from 'node:path';
import {
  type AskedPlane,
  checkPlaneBytes,
  findPlanes,
  type OpenPlan,
  type PlaneSet,
  placeOf,
} from '@acquisition-store/client/answers/describe.js';
import type { PlanProjection } from '@acquisition-store/readers/derive/projection.js';
import { planeByteLength } from '@acquisition-store/readers/model/samples/plane-data.js';
import { projectionBytes } from '@acquisition-store/readers/model/samples/projection.js';
import { heldType, nativeType, type SampleType } from '@acquisition-store/readers/model/samples/types.js';
import type { PlaneRequest } from '../decode/types.js';
import { noNativeProjection } from './answers.js';
import type { SessionRecord } from './record.js';
import type { PlaneForm, PlaneShape } from './types.js';

/** A plane to decode for a session that exists: its shape and type in memory, and what it is made of. */
export interface PlaneOrder extends PlaneShape {
  /** That of the plane in the cache. */
  key: string;
  request: PlaneRequest;
  /** The image in the file that the request is about; its type is not known in records of earlier versions. */
  image: { rows: number; columns: number; sampleType: SampleType | undefined };
  /** Bytes that the decode takes beside the plane, in addition to those of the reader. */
  scratchBytes: number;
  /** All files of the plane were read before. */
  isKnown: boolean;
}

/** Returns the shape of a plane of the scene of a session as it is sent. @throws AcqError like `orderOwn`, but of its size */
export function shapeOf(record: SessionRecord, address: AskedPlane, form: PlaneForm): PlaneShape {
  placeOf(record, address);
  const { rows, columns, sampleType = 'float32' } = findPlanes(record, address);
  if (form === 'native' && address.kind === 'channel' && record.projection) throw noNativeProjection();
  return { rows, columns, sampleType: form === 'served' ? 'float32' : nativeType(sampleType) };
}

/**
 * Returns the order for a plane of the scene of a session: as it is served, or in the type of the file.
 * @throws AcqError `channel_not_found`, `reference_channel_not_found`, `selection_out_of_range`, `plane_too_large`,
 * `request_validation_failed` when a projection is asked for in the type of the file
 */
export function orderOwn(
  record: SessionRecord,
  address: AskedPlane,
  form: PlaneForm,
  maxPlaneBytes: number,
): PlaneOrder {
  const { kind, channelIndex } = address;
  const shape = shapeOf(record, address, form);
  const { sampleType } = findPlanes(record, address);
  const projection = kind === 'channel' ? record.projection : undefined;
  const type = form === 'native' ? shape.sampleType : servedType(sampleType, projection);
  const plane = { ...shape, sampleType: type };
  checkSize(record, plane, maxPlaneBytes);
  const place = { ...placeOf(record, address), scene: record.scene, ...(projection ? { projection } : {}) };
  return {
    ...plane,
    key: planeKey({ content: record.content, kind, channelIndex, type, ...place }),
    request: toPlaneRequest(place, kind, channelIndex, type),
    image: { ...shape, sampleType },
    scratchBytes: projection ? projectionScratch(record) : 0,
    isKnown: wasDecoded(record, address),
  };
}

/**
 * Checks the size of a plane of the file of a session.
 * @returns bytes of the plane in memory
 * @throws AcqError `plane_too_large`
 */
export function checkSize({ path }: SessionRecord, plane: PlaneShape, maxPlaneBytes: number): number {
  const planeBytes = planeByteLength(plane);
  checkPlaneBytes({ ...plane, planeBytes, type: plane.sampleType }, basename(path), maxPlaneBytes);
  return planeBytes;
}

/** True for a plane that the open request has decoded. */
function wasDecoded(record: SessionRecord, address: AskedPlane): boolean {
  if (!record.isDecoded) return false;
  const { t, z } = placeOf(record, address);
  return address.kind === 'reference' || (t === record.t && z === record.z);
}

/**
 * Returns the key of a plane in the plane cache: of a plane of an acquisition in one state of its files, regardless of the
 * sessions that read it.
 */
export function planeKey({
  content,
  type,
  levels = false,
  projection,
  scene,
  kind,
  channelIndex,
  t,
  z,
}: Required<AskedPlane> & {
  scene: number;
  /** Names the acquisition and the state of its files. */
  content: string;
  /** Type of the samples in memory. */
  type: SampleType;
  /** The reduced levels of the plane instead of it. */
  levels?: boolean | undefined;
  /** Of the channel along time points or sections. */
  projection?: PlanProjection | undefined;
}): string {
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

/** Returns the bytes that a projection takes beside its plane. */
export function projectionScratch({ projection, planes }: Pick<OpenPlan, 'projection' | 'planes'>): number {
  return projection ? projectionBytes(projection.method) * planes.rows * planes.columns : 0;
}

/** Returns the request to a worker for one plane. */
export function toPlaneRequest(
  { scene, t, z, projection }: Pick<OpenPlan, 'scene' | 't' | 'z' | 'projection'>,
  kind: AskedPlane['kind'],
  channel: number,
  type: SampleType,
): PlaneRequest {
  if (kind === 'reference') return { kind, scene, channel, type };
  return { kind, scene, channel, t, z, type, ...(projection ? { projection } : {}) };
}
