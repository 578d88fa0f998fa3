/** What has to be decoded for a plane that is not one of those that its session serves. */
import { type AskedPlane, outOfRange } from '@acquisition-store/client/answers/describe.js';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { countLevelSamples, levelShapes } from '@acquisition-store/readers/derive/zarr/levels.js';
import type { AcquisitionInfo } from '@acquisition-store/readers/model/acquisition.js';
import { bytesPerElement, nativeType } from '@acquisition-store/readers/model/samples/types.js';
import { checkSize, type PlaneOrder, planeKey, toPlaneRequest } from './plane-order.js';
import type { SessionRecord } from './record.js';

/** A plane of any scene of a file. T and Z are 0 when omitted. */
export interface SourcePlane extends AskedPlane {
  scene: number;
}

/**
 * Returns the order for a plane of any scene in the type of the file, or for its reduced levels.
 * @param info what the file contains
 * @throws AcqError `selection_out_of_range`, `channel_not_found`, `reference_channel_not_found`, `plane_too_large`
 */
export function orderSource(
  record: SessionRecord,
  info: AcquisitionInfo,
  { kind, channelIndex, scene, t = 0, z = 0 }: SourcePlane,
  form: 'native' | 'levels',
  maxPlaneBytes: number,
): PlaneOrder {
  const { rows, columns, sampleType } = findImage(info, { kind, channelIndex, scene, t, z });
  const levels = form === 'levels';
  const type = nativeType(sampleType);
  const planeBytes = checkSize(record, { rows, columns, sampleType: type }, maxPlaneBytes);
  const order = {
    key: planeKey({ content: record.content, scene, kind, channelIndex, t, z, type, levels }),
    request: { ...toPlaneRequest({ scene, t, z }, kind, channelIndex, type), ...(levels ? { levels } : {}) },
    image: { rows, columns, sampleType },
    sampleType: type,
    isKnown: false,
  };
  if (!levels) return { ...order, rows, columns, scratchBytes: 0 };
  const shapes = levelShapes(rows, columns);
  // The plane, and the largest level while it is copied.
  const scratchBytes = planeBytes + countLevelSamples(shapes.slice(0, 2)) * bytesPerElement(type);
  return { ...order, rows: countLevelSamples(shapes), columns: 1, scratchBytes };
}

function findImage(info: AcquisitionInfo, { scene, kind, channelIndex, t, z }: Required<SourcePlane>) {
  const found = info.scenes[scene];
  if (!found) throw outOfRange('S', scene, info.scenes.length);
  if (kind === 'channel' && t >= found.sizes.T) throw outOfRange('T', t, found.sizes.T);
  if (kind === 'channel' && z >= found.sizes.Z) throw outOfRange('Z', z, found.sizes.Z);
  const image = kind === 'channel' ? found : found.reference;
  if (!image?.channels[channelIndex]) {
    throw kind === 'channel'
      ? new AcqError('channel_not_found', `The scene does not have channel ${channelIndex}.`)
      : new AcqError('reference_channel_not_found', `The scene does not have reference channel ${channelIndex}.`);
  }
  return { rows: image.sizes.Y, columns: image.sizes.X, sampleType: image.sampleType };
}
