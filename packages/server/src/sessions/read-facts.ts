/** What a file says, read again for a session. */
import type { VendorMetadata } from '@acquisition-store/client/contract/vendor-metadata.js';
import type { AcquisitionInfo } from '@acquisition-store/readers/model/acquisition.js';
import type { PlaneTable, TablePart } from '@acquisition-store/readers/model/metadata/plane-table.js';
import type { Watch } from '../storage/gate.js';
import { checkFiles, type DecodeContext, withFile } from './decode-again.js';
import type { SessionRecord } from './record.js';

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
