/** Planes of every scene of an acquisition, in the type of the file. */
import { basename } from 'node:path';
import { checkPlaneBytes } from '@acquisition-store/client/answers/describe.js';
import { outOfRange } from '@acquisition-store/client/answers/places.js';
import type { VendorMetadata } from '@acquisition-store/client/contract/vendor-metadata.js';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { countLevelSamples, levelShapes } from '@acquisition-store/readers/derive/zarr/levels.js';
import type { AcquisitionInfo } from '@acquisition-store/readers/model/acquisition.js';
import type { PlaneTable, TablePart } from '@acquisition-store/readers/model/metadata/plane-table.js';
import { bytesPerElement } from '@acquisition-store/readers/model/samples/types.js';
import type { Watch } from '../storage/gate.js';
import { checkFiles, type DecodeContext, type PlaneOrder, withFile } from './decode-again.js';
import { toPlaneRequest } from './opening.js';
import type { SessionRecord } from './record.js';
import type { SourcePlane } from './types.js';

/**
 * Reads what the acquisition of a session contains.
 * @throws AcqError `source_changed`, and the errors of an open
 */
export function readInfo(context: DecodeContext, record: SessionRecord, watch: Watch): Promise<AcquisitionInfo> {
  return withFile(context, record, { scene: record.scene, watch }, async (lease) => {
    const info = await lease.info();
    await checkFiles(lease, record, false);
    return info;
  });
}

/**
 * Reads the vendor's own metadata of the scene of a session.
 * @throws AcqError `source_changed`, and the errors of an open
 */
export function readMetadata(context: DecodeContext, record: SessionRecord, watch: Watch): Promise<VendorMetadata> {
  return withFile(context, record, { scene: record.scene, watch }, async (lease) => {
    const metadata = await lease.metadata(record.scene);
    await checkFiles(lease, record, false);
    return metadata;
  });
}

/**
 * Reads what the file says of single planes of the scene of a session.
 * @throws AcqError `source_changed`, and the errors of an open
 */
export function readPlaneTable(
  context: DecodeContext,
  record: SessionRecord,
  part: TablePart,
  watch: Watch,
): Promise<PlaneTable> {
  return withFile(context, record, { scene: record.scene, watch }, async (lease) => {
    const table = await lease.planes(record.scene, part);
    await checkFiles(lease, record, false);
    return table;
  });
}

/**
 * Returns the order for a plane in the type of the file.
 * @throws AcqError `selection_out_of_range`, `channel_not_found`, `reference_channel_not_found`, `plane_too_large`
 */
export function orderSource(
  { path }: SessionRecord,
  info: AcquisitionInfo,
  address: SourcePlane,
  maxPlaneBytes: number,
): PlaneOrder {
  const { kind, channelIndex, form } = address;
  const { image, sampleType } = findImage(info, address);
  const sampleBytes = bytesPerElement(sampleType);
  const nativeBytes = image.rows * image.columns * sampleBytes;
  checkPlaneBytes({ ...image, planeBytes: nativeBytes, type: sampleType }, { name: basename(path), maxPlaneBytes });
  const request = { ...toPlaneRequest(address, kind, channelIndex), form };
  const order = { request, image, sampleType, isKnown: false };
  if (form === 'native') return { ...order, ...image, scratchBytes: 0 };
  const levels = levelShapes(image.rows, image.columns);
  // The plane, and the largest level while it is copied.
  const scratchBytes = nativeBytes + countLevelSamples(levels.slice(0, 2)) * sampleBytes;
  return { ...order, rows: countLevelSamples(levels), columns: 1, scratchBytes };
}

function findImage(info: AcquisitionInfo, { scene, kind, channelIndex, t, z }: SourcePlane) {
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
  return { image: { rows: image.sizes.Y, columns: image.sizes.X }, sampleType: image.sampleType };
}
