import { deflateSync } from 'node:zlib';
import { checkOmeTiff, describeFile, writeOmeTiffTo } from '@acquisition-store/readers/derive/writers/ome-tiff.js';
import { finishStaged, StagedFile } from './staged.js';
import type { WriteJob } from './types.js';

export async function writeOmeTiff(job: WriteJob): Promise<string> {
  checkOmeTiff(job);
  const xml = await describeFile(job);
  const file = new StagedFile(job.target, job.stage);
  return finishStaged(file, job, () => writeOmeTiffTo(job, xml, file.sink, deflateSync));
}
