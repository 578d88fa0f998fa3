/** Answers of the decode worker to what no open asks for. */
import type { VendorMetadata } from '@acquisition-store/client/contract/vendor-metadata.js';
import type { OverviewGrid } from '@acquisition-store/readers/derive/analysis/overview.js';
import { OverviewTarget } from '@acquisition-store/readers/derive/analysis/overview-target.js';
import type { Acquisition } from '@acquisition-store/readers/model/acquisition.js';
import { readPlaneTable } from '@acquisition-store/readers/model/metadata/plane-table.js';
import { MetadataList } from '@acquisition-store/readers/model/metadata-list.js';
import { KernelHost } from '@acquisition-store/readers/simd/kernels.js';
import { locateWithin } from '../paths/locate.js';
import type { Survey } from '../survey/survey.js';
import type { Request } from './protocol.js';
import type { ChannelRequest, SurveyedFile } from './types.js';

/** Readers decode with another one. */
const host = new KernelHost();

/** Says what lists show of an acquisition. @throws AcqError of an open; `Crossing` like `locateWithin` */
export async function surveyFile({ located, ...how }: SurveyedFile): Promise<Survey> {
  const found = 'policy' in located ? locateWithin(located) : located;
  const { surveyAt } = await import('../survey/survey-file.js');
  return surveyAt(found, { planes: 'none', ...how });
}

/** Tells what the open acquisition says besides its planes. @throws what the reader throws */
export async function readFacts(
  acquisition: Acquisition,
  { kind, given }: Extract<Request, { kind: 'info' | 'metadata' | 'planes' | 'overview' }>,
) {
  switch (kind) {
    case 'info':
      return acquisition.info;
    case 'metadata':
      return readMetadata(acquisition, given);
    case 'planes':
      return readPlaneTable(acquisition, given.scene, given.part);
    case 'overview':
      return readOverview(acquisition, given.plane, given.grid);
  }
}

/** Reads the vendor's own metadata of a scene. */
async function readMetadata(acquisition: Acquisition, scene: number): Promise<VendorMetadata> {
  const list = new MetadataList();
  await acquisition.listMetadata?.(scene, list);
  return list.result();
}

/** Returns the cells of the overview of a plane; nothing when the reader does not read rows in order. */
async function readOverview(
  acquisition: Acquisition,
  request: ChannelRequest,
  grid: OverviewGrid,
): Promise<Float32Array<ArrayBuffer> | undefined> {
  const { sizes, sampleType } = acquisition.info.scenes[request.scene]!;
  const { Y: rows, X: columns } = sizes;
  const target = new OverviewTarget({ rows, columns }, grid, { host, sampleType });
  await acquisition.readPlane(request, target);
  return target.finish();
}
