/** The raster image that the line of a line scan was drawn on. */

import { AcqError, decodeFailed } from '../../base/errors.js';
import { quoteError } from '../../base/subject.js';
import { asCorrupted } from '../../base/warning-kinds.js';
import { grouped } from '../../base/wording.js';
import type { FoundReference, ReferenceInfo } from '../../model/acquisition.js';
import { channelsShown, SAMPLE_DISPLAYS } from '../../model/metadata/colors.js';
import { channelsNamed } from '../../model/metadata/names.js';
import { defaultStep } from '../../model/metadata/steps.js';
import type { PlaneTarget } from '../../model/samples/plane-target.js';
import { readPageSample } from '../../tiff/read-page.js';
import { fileOf, type ScenePlan } from './arrange.js';
import type { MemberFiles } from './files.js';
import type { RawLine } from './parse.js';
import { pixelStep } from './pixel-size.js';
import { type BrukerSceneSource, openAnyPage, openPage } from './planes.js';
import { findStem } from './times.js';

export interface ReferenceImage {
  info: ReferenceInfo;
  /** One entry per channel. */
  places: PixelPlace[];
}

/** Where the pixels of a channel are. */
interface PixelPlace {
  file: string;
  /** Index among the samples of a pixel. */
  sample: number;
  name: string;
}

type Shape = Pick<ReferenceInfo, 'sampleType' | 'sizes'>;

/** Channels of a screenshot; its fourth sample is opacity. */
const COLORS = ['Red', 'Green', 'Blue'];
const NO_SOURCE = 'The image that the line was drawn on is missing from the folder';

/**
 * Finds the reference image of a line scan; one that cannot be read is a warning.
 * @param like the shape that is assumed, instead of opening the file
 */
export function openReference(
  source: BrukerSceneSource,
  like: ReferenceImage | undefined,
): FoundReference<ReferenceImage> {
  const { plan, files } = source;
  try {
    const places = findImages(plan, files);
    const [first] = places;
    if (!first) return openScreenshot(plan, files);
    const { sampleType, sizes } = like?.info ?? readShape(first, files);
    const line = toScannedLine(plan.sequences[0].line, sizes);
    const info: ReferenceInfo = {
      sampleType,
      sizes,
      channels: channelsNamed(places.map(({ name }) => name)),
      steps: { Y: pixelStep(source, 'y').step, X: pixelStep(source, 'x').step },
      lineRoi: line.lineRoi,
      scanPath: line.scanPath,
    };
    return { image: { places, info }, warnings: [...describeMissingFiles(plan, files), ...line.warnings] };
  } catch (error) {
    if (!(error instanceof AcqError)) throw error;
    return { warnings: [quoteError('The reference image cannot be read', error)] };
  }
}

/** Reads a channel of a reference image. @throws AcqError `decode_failed`, `companion_missing` */
export async function readReference(
  files: MemberFiles,
  { info, places }: ReferenceImage,
  channel: number,
  target: PlaneTarget,
  signal?: AbortSignal,
): Promise<void> {
  const place = places[channel];
  if (!place) throw decodeFailed(`the reference image has no channel ${channel}`).about(files.xmlName);
  const opened = openAnyPage(files, { file: place.file, page: 1 });
  if (!opened) throw files.missing(place.file);
  const { tiff, page } = opened;
  const { width, height, sampleType } = page.layout;
  if (width !== info.sizes.X || height !== info.sizes.Y || sampleType !== info.sampleType) {
    throw decodeFailed(
      `has ${grouped(height)} × ${grouped(width)} ${sampleType} samples, which does not match the first channel of ` +
        `the reference image (${grouped(info.sizes.Y)} × ${grouped(info.sizes.X)} ${info.sampleType})`,
    ).about(tiff.source.name);
  }
  await readPageSample(tiff, page, place.sample, target, signal);
}

/** @throws AcqError `decode_failed`, `unsupported_format`, `companion_missing` */
function readShape({ file }: PixelPlace, files: MemberFiles): Shape {
  const layout = openPage(files, { file, page: 1 })?.page.layout;
  if (!layout) throw files.missing(file);
  return { sampleType: layout.sampleType, sizes: { Y: layout.height, X: layout.width } };
}

/** Finds the files that the frame names, else those with the usual names: source image, reference of the next cycle. */
function findImages(plan: ScenePlan, files: MemberFiles): PixelPlace[] {
  const stem = findStem(plan.frame);
  const { cycle } = plan.sequences[0];
  const candidates: ((channel: number) => string | undefined)[] = [
    (channel) => fileOf(plan.frame, channel)?.source || undefined,
    (channel) => stem && `${stem}-Cycle${fiveDigits(cycle)}_Ch${channel}Source.tif`,
    (channel) => stem && `References/${stem}-Cycle${fiveDigits(cycle + 1)}-Ch${channel}-16bit-Reference.tif`,
  ];
  for (const candidate of candidates) {
    const places: PixelPlace[] = [];
    for (const { number: channel, name } of plan.channels) {
      const file = candidate(channel);
      if (file && files.find(file) !== undefined) places.push({ file, sample: 0, name: name || `Ch${channel}` });
    }
    if (places.length > 0) return places;
  }
  return [];
}

/** The XML names an image for each channel. When one is missing, the others are shown. */
function describeMissingFiles(plan: ScenePlan, files: MemberFiles): string[] {
  const sources = plan.channels.map(({ number: channel }) => fileOf(plan.frame, channel)?.source || undefined);
  const missing = sources.filter((file) => file !== undefined && files.find(file) === undefined);
  if (missing.length === 0) return [];
  return [
    asCorrupted(
      `Files of the reference image are missing from the folder: ${missing.join(', ')}. Their channels are not shown.`,
    ),
  ];
}

/** Opens the screenshot with the line drawn in: better than nothing, but not in pixels of the scan. */
function openScreenshot(plan: ScenePlan, files: MemberFiles): FoundReference<ReferenceImage> {
  const stem = findStem(plan.frame);
  const { cycle } = plan.sequences[0];
  const screenshots = stem && [
    ...files.matching('References', `${stem}-Cycle${fiveDigits(cycle + 1)}-Window`, /-8bit-Reference\.tif$/i),
    // Version 4.
    ...files.matching('References', `${stem}-Cycle${fiveDigits(cycle)}_ImageWindow`, /-LinescanReference\.tif$/i),
  ];
  const file = screenshots?.[0];
  const layout = file === undefined ? undefined : openAnyPage(files, { file, page: 1 })?.page.layout;
  if (file === undefined || !layout) {
    return { warnings: [`${NO_SOURCE}, so there is no reference image.`] };
  }
  const names = layout.samplesPerPixel < COLORS.length ? ['Screen'] : COLORS;
  const info: ReferenceInfo = {
    sampleType: layout.sampleType,
    channels: names === COLORS ? channelsShown(channelsNamed(names), SAMPLE_DISPLAYS) : channelsNamed(names),
    sizes: { Y: layout.height, X: layout.width },
    steps: { Y: defaultStep('Pixels'), X: defaultStep('Pixels') },
    lineRoi: null,
    scanPath: null,
  };
  return {
    image: { places: names.map((name, sample) => ({ file, sample, name })), info },
    warnings: [`${NO_SOURCE}. The reference image is a screenshot, without scale and line.`],
  };
}

function fiveDigits(value: number): string {
  return String(value).padStart(5, '0');
}

type ScannedLine = Pick<ReferenceInfo, 'lineRoi' | 'scanPath'> & { warnings: string[] };

/** Returns the line in pixels of the source image: its two ends, or every point of a free line. */
function toScannedLine(line: RawLine | undefined, { Y, X }: { Y: number; X: number }): ScannedLine {
  const path = line && toPath(line);
  if (!line || !path) {
    const mode = line?.mode ? ` (mode "${line.mode.slice(0, 40)}")` : '';
    return without(`The XML does not contain the position of the scanned line on the reference image${mode}.`);
  }
  const { sourceColumns = X, sourceRows = Y } = line;
  if (sourceColumns !== X || sourceRows !== Y) {
    return without(
      `The line was drawn on an image of ${grouped(sourceRows)} × ${grouped(sourceColumns)} pixels, but the reference image has ` +
        `${grouped(Y)} × ${grouped(X)}; the line is not shown.`,
    );
  }
  const { x, y } = path;
  const outside = x.some((value) => value < -1 || value > X) || y.some((value) => value < -1 || value > Y);
  return {
    lineRoi: [x[0]!, y[0]!, x.at(-1)!, y.at(-1)!],
    scanPath: path,
    warnings: outside ? ['Part of the scanned line is outside the reference image.'] : [],
  };
}

function without(warning: string): ScannedLine {
  return { lineRoi: null, scanPath: null, warnings: [warning] };
}

function toPath({ path, ends }: RawLine): { x: number[]; y: number[] } | undefined {
  if (path.x.length >= 2) return path;
  return ends && { x: [ends[0], ends[2]], y: [ends[1], ends[3]] };
}
