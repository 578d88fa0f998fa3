import { type AcqError, unsupported } from '../base/errors.js';
import { grouped } from '../base/wording.js';
import type { Pace } from '../model/samples/pace.js';
import { type PlaneTarget, putZeros, type Rectangle } from '../model/samples/plane-target.js';
import { TAG } from './tags.js';
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

/**
 * Refuses subsampled YCbCr pages outside JPEG, which store fewer color than brightness samples.
 * @throws AcqError `unsupported_format`
 */
export function refuseSubsampledColors(page: TiffPage, where: string): void {
  const { layout } = page;
  if (layout.photometric !== 6 || layout.samplesPerPixel !== 3 || IMAGE_COMPRESSIONS.has(layout.compression)) return;
  const [across = 2, down = 2] = page.numbers(TAG.yCbCrSubSampling) ?? [];
  if (across !== 1 || down !== 1) throw subsampled(where, across, down);
}

const IMAGE_COMPRESSIONS = new Set([7, 33007, 33003, 33004, 33005, 34712, 34927, 50001]);

function subsampled(where: string, across: number, down: number): AcqError {
  return unsupported(
    `${where}: YCbCr colors subsampled ${grouped(across)} × ${grouped(down)} outside JPEG are not supported. Save it as RGB.`,
  );
}
