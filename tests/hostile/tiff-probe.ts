import { AcqError } from '../../packages/readers/src/base/errors.js';
import { MemorySource } from '../../packages/readers/src/io/byte-source.js';
import { NativeTarget } from '../../packages/readers/src/model/samples/plane-target.js';
import type { SampleArray } from '../../packages/readers/src/model/samples/types.js';
import { openTiff } from '../../packages/readers/src/tiff/parse.js';
import { readContiguousPlane, readPageSample } from '../../packages/readers/src/tiff/read-page.js';
import type { TiffFile, TiffPage } from '../../packages/readers/src/tiff/types.js';

/** What a server would refuse as `plane_too_large` before it allocates; small here, because cases are many. */
const MOST_PIXELS = 2 ** 17;
const MOST_PAGES = 4;

const HONEST = ['decode_failed', 'companion_missing', 'unsupported_format', 'plane_too_large'] as const;
export type Outcome = 'read' | (typeof HONEST)[number];

/**
 * Opens damaged bytes as a TIFF and reads what there is, as a reader of a format would. Resolves with what happened to
 * its first page; anything but a plane of the right size or an error of the table is thrown.
 */
export async function probeTiff(bytes: Uint8Array): Promise<Outcome> {
  let file: TiffFile;
  try {
    file = openTiff(new MemorySource('hostile.tif', bytes));
  } catch (error) {
    return outcomeOf(error);
  }
  const outcomes: Outcome[] = [];
  for (let index = 0; index < Math.min(file.pageCount, MOST_PAGES); index++) {
    outcomes.push(await attempt(async () => await readPage(file, file.page(index))));
  }
  const first = outcomes[0];
  if (first === undefined) throw new Error('a file without a page was opened');
  return first;
}

/** Samples of the first page, or `undefined` when it is refused. */
export async function firstPlanes(bytes: Uint8Array): Promise<SampleArray[] | undefined> {
  let planes: SampleArray[] = [];
  const outcome = await attempt(async () => {
    const file = openTiff(new MemorySource('hostile.tif', bytes));
    planes = await readSamples(file, file.page(0));
  });
  return outcome === 'read' ? planes : undefined;
}

async function readPage(file: TiffFile, page: TiffPage): Promise<void> {
  page.text(270);
  const offset = page.number(330);
  if (offset !== undefined) await attempt(async () => await readSamples(file, file.pageAt(offset)));
  await readSamples(file, page);
  const { height, width, sampleType, planar } = page.layout;
  const plane = new NativeTarget(sampleType, height, width);
  const start = page.number(273);
  if (start !== undefined && !planar)
    await attempt(async () => await readContiguousPlane(file, page, { sample: 0, dataOffset: start + 480 }, plane));
}

async function readSamples(file: TiffFile, page: TiffPage): Promise<SampleArray[]> {
  const planes: SampleArray[] = [];
  const { height, width, sampleType, samplesPerPixel } = page.layout;
  if (height * width > MOST_PIXELS) throw new AcqError('plane_too_large', 'too large for this suite');
  for (let sample = 0; sample < Math.min(samplesPerPixel, 4); sample++) {
    const target = new NativeTarget(sampleType, height, width);
    await readPageSample(file, page, sample, target);
    if (target.data.length !== height * width) throw new Error('a plane of the wrong size');
    planes.push(target.data);
  }
  return planes;
}

async function attempt(work: () => Promise<unknown>): Promise<Outcome> {
  try {
    await work();
    return 'read';
  } catch (error) {
    return outcomeOf(error);
  }
}

function outcomeOf(error: unknown): Outcome {
  if (error instanceof AcqError) {
    const code = HONEST.find((one) => one === error.code);
    if (code) return code;
  }
  throw error;
}
