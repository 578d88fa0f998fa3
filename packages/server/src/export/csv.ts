import { checkCsv, writeCsvTo } from '@acquisition-store/readers/derive/writers/csv.js';
import { finishStaged, StagedFile } from './staged.js';
import type { WriteJob } from './types.js';

export async function writeCsv(job: WriteJob): Promise<string> {
  checkCsv(job);
  const file = new StagedFile(job.target, job.stage);
  return finishStaged(file, job, () => writeCsvTo(job, file.sink));
}
