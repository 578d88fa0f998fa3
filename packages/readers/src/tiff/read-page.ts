import { decodeFailed } from '../base/errors.js';
import { errorAbout } from '../base/subject.js';
import { grouped } from '../base/wording.js';
import { Pace } from '../model/samples/pace.js';
import type { PlaneTarget } from '../model/samples/plane-target.js';
import { isPlain, rowBytes } from './chunk-table.js';
import { readCoded } from './coded-chunks.js';
import { checkColorDifferences } from './color-differences.js';
import { requireCompression, type TiffCompression } from './compression.js';
import type { PageJob } from './page-job.js';
import { pageLabel } from './page-label.js';
import { readPlain, readRun } from './plain-chunks.js';
import type { TiffFile, TiffPage } from './types.js';

/**
 * Reads one sample of every pixel of a page (0 for gray, 0–2 for RGB) into `target`, which has the shape of the page.
 * Values are those in the file, including palette indices and white-is-zero; only YCbCr becomes RGB.
 * @throws AcqError `decode_failed` with page, strip or tile, and offset; `unsupported_format` with the codec
 */
export function readPageSample(
  file: TiffFile,
  page: TiffPage,
  sample: number,
  target: PlaneTarget,
  signal?: AbortSignal,
): Promise<void> {
  return readPageSamples(file, page, [sample], [target], signal);
}

/**
 * Returns the compression of a page, if its pixels can be decoded.
 * @throws AcqError `unsupported_format` with the codec or the color space
 */
export function checkDecodable(page: TiffPage): TiffCompression {
  const where = pageLabel(page);
  const compression = requireCompression(page.layout.compression, where);
  checkColorDifferences(page, where);
  return compression;
}

/** Reads several samples like `readPageSample`, but decodes each strip or tile of interleaved pages only once. */
export async function readPageSamples(
  file: TiffFile,
  page: TiffPage,
  samples: readonly number[],
  targets: readonly PlaneTarget[],
  signal?: AbortSignal,
): Promise<void> {
  try {
    signal?.throwIfAborted();
    const job = planJob(file, page, samples, targets, signal);
    const { layout } = job;
    const compression = checkDecodable(page);
    const read = isPlain(layout) ? readPlain : readCoded;
    if (!layout.planar) return await read(job, compression);
    for (const pick of job.picks) await read({ ...job, picks: [pick] }, compression);
  } catch (error) {
    throw errorAbout(file.source.name, error);
  }
}

/** A sample of a plane whose bytes follow each other. */
interface ContiguousPlane {
  sample: number;
  dataOffset: number;
}

/**
 * Reads one sample of a plane that has no IFD of its own: uncompressed and contiguous from `dataOffset`, with the size,
 * sample type, byte order and pixel arrangement of `page` (ImageJ stacks with a single IFD, MetaMorph STK).
 * @throws AcqError `decode_failed` if the plane falls outside the file
 */
export async function readContiguousPlane(
  file: TiffFile,
  page: TiffPage,
  plane: ContiguousPlane,
  target: PlaneTarget,
  signal?: AbortSignal,
): Promise<void> {
  try {
    signal?.throwIfAborted();
    await readContiguous(planJob(file, page, [plane.sample], [target], signal), plane);
  } catch (error) {
    throw errorAbout(file.source.name, error);
  }
}

async function readContiguous(job: PageJob, { sample, dataOffset }: ContiguousPlane): Promise<void> {
  const { width, height } = job.layout;
  if (job.layout.compression !== 1 || job.layout.colorDifferences) {
    throw decodeFailed(`${job.where} is compressed or in YCbCr colors, so no planes can follow it without an IFD`);
  }
  const planeJob = { ...job, layout: { ...job.layout, tiled: false, chunkWidth: width, chunkHeight: height } };
  const planeBytes = rowBytes(planeJob.layout) * height;
  const offset = dataOffset + (planeJob.layout.planar ? sample * planeBytes : 0);
  const { size } = job.file.source;
  if (!(offset >= 8 && offset + planeBytes <= size)) {
    throw decodeFailed(
      `${job.where}: the plane at offset ${grouped(offset)} has ${grouped(planeBytes)} bytes, but the file ends at ${grouped(size)}`,
    );
  }
  await readRun(planeJob, { offset, row: 0, rows: height, column: 0, columns: width });
}

function planJob(
  file: TiffFile,
  page: TiffPage,
  samples: readonly number[],
  targets: readonly PlaneTarget[],
  signal: AbortSignal | undefined,
): PageJob {
  const { layout } = page;
  const where = pageLabel(page);
  const picks = samples.map((sample, i) => {
    const target = targets[i];
    if (!target) throw new RangeError(`no target for sample ${sample}`);
    if (!Number.isInteger(sample) || sample < 0 || sample >= layout.samplesPerPixel) {
      throw decodeFailed(
        `${where}: sample ${sample} does not exist; the page has ${grouped(layout.samplesPerPixel)} per pixel`,
      );
    }
    if (target.rows !== layout.height || target.columns !== layout.width) {
      throw decodeFailed(
        `${where} has ${grouped(layout.height)} lines of ${grouped(layout.width)} pixels; expected ${grouped(target.rows)} of ${grouped(target.columns)}`,
      );
    }
    return { sample, target };
  });
  return { file, page, layout, where, picks, pace: new Pace(signal) };
}
