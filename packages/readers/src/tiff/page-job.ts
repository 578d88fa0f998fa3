import type { Pace } from '../model/samples/pace.js';
import { type PlaneTarget, putZeros, type Rectangle } from '../model/samples/plane-target.js';
import type { PageLayout, TiffFile, TiffPage } from './types.js';

/** One reading of a page: the samples to read and their targets. */
export interface PageJob {
  file: TiffFile;
  page: TiffPage;
  layout: PageLayout;
  /** The page, for messages. */
  where: string;
  /** Samples to read, in any order. A planar page has exactly one. */
  picks: { sample: number; target: PlaneTarget }[];
  pace: Pace;
}

/** Fills strips and tiles that were never written (offset 0, count 0) with zeros. */
export function putUnwritten(job: PageJob, at: Rectangle): void {
  for (const { target } of job.picks) putZeros(target, job.layout.sampleType, at);
}
