import { type AcqError, unsupported } from '../errors.js';
import type { Pace } from '../samples/pace.js';
import { type PlaneTarget, putZeros } from '../samples/plane-target.js';
import { TAG } from './tags.js';
import type { PageLayout, TiffFile, TiffPage } from './types.js';

/** One reading of a page: which samples go where. */
export interface PageJob {
  file: TiffFile;
  page: TiffPage;
  layout: PageLayout;
  /** Name of file and page for messages. */
  where: string;
  /** Samples to read, in any order. A planar page has exactly one. */
  picks: { sample: number; target: PlaneTarget }[];
  pace: Pace;
}

/** A rectangle of the plane. */
export interface Rectangle {
  row: number;
  rows: number;
  column: number;
  columns: number;
}

/** Strips and tiles that were never written (offset 0, count 0) are zeros. */
export function putUnwritten(job: PageJob, at: Rectangle): void {
  for (const { target } of job.picks) putZeros(target, job.layout.sampleType, at);
}

/**
 * YCbCr pages outside JPEG store fewer colour than brightness samples unless the subsampling is 1 × 1.
 * @throws AcqError `unsupported_format`
 */
export function refuseSubsampledColours(page: TiffPage, where: string): void {
  const { layout } = page;
  if (layout.photometric !== 6 || layout.samplesPerPixel !== 3 || IMAGE_COMPRESSIONS.has(layout.compression)) return;
  const [across = 2, down = 2] = page.numbers(TAG.yCbCrSubSampling) ?? [];
  if (across !== 1 || down !== 1) throw subsampled(where, across, down);
}

const IMAGE_COMPRESSIONS = new Set([7, 33007, 33003, 33004, 33005, 34712, 34927, 50001]);

function subsampled(where: string, across: number, down: number): AcqError {
  return unsupported(
    `${where}: YCbCr colors subsampled ${across} × ${down} outside JPEG are not supported. Save it as RGB.`,
  );
}
