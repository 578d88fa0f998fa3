/** The raster image that the line of a line scan was drawn on. */
import type { ReferenceInfo } from '../../acquisition.js';
import { decodeFailed } from '../../errors.js';
import { channelsShown, SAMPLE_DISPLAYS } from '../../metadata/colors.js';
import { channelsNamed } from '../../metadata/names.js';
import { defaultStep } from '../../metadata/steps.js';
import type { PlaneTarget } from '../../samples/plane-target.js';
import { readPageSample } from '../../tiff/read-page.js';
import { fileOf, type ScenePlan } from './arrange.js';
import type { MemberFiles } from './files.js';
import { pixelStep } from './metadata.js';
import type { RawLine, RawScan } from './parse.js';
import { openAnyPage, openPage } from './planes.js';
import { stemOf } from './times.js';

export interface ReferenceImage {
  info: ReferenceInfo;
  /** A sample of the pixels of a file for each channel. */
  places: Place[];
}

interface Place {
  file: string;
  sample: number;
  name: string;
}

type Look = Pick<ReferenceInfo, 'sampleType' | 'sizes'>;

/** Channels of a screenshot; its fourth one is opacity. */
const COLORS = ['Red', 'Green', 'Blue'];

/**
 * `undefined` without a reference that can be read: `warnings` says why. Never throws.
 * @param like taken for what the reference looks like, instead of opening its file
 */
export function openReference(
  plan: ScenePlan,
  scan: RawScan,
  files: MemberFiles,
  like: ReferenceImage | undefined,
  warnings: string[],
): ReferenceImage | undefined {
  try {
    const places = findImages(plan, files);
    const [first] = places;
    if (!first) return openScreenshot(plan, files, warnings);
    warnings.push(...missingSources(plan, files));
    const look = like?.info ?? lookOf(first, files);
    const silent: string[] = [];
    return {
      places,
      info: {
        ...look,
        channels: channelsNamed(places.map(({ name }) => name)),
        steps: { Y: pixelStep(plan, scan, 'y', silent), X: pixelStep(plan, scan, 'x', silent) },
        ...scannedLine(plan.sequences[0].line, look.sizes, warnings),
      },
    };
  } catch (error) {
    warnings.push(`The reference image cannot be read: ${(error as Error).message}`);
    return undefined;
  }
}

/** @throws AcqError `decode_failed` */
export async function readReference(
  { info, places }: ReferenceImage,
  channel: number,
  files: MemberFiles,
  target: PlaneTarget,
  signal?: AbortSignal,
): Promise<void> {
  const place = places[channel];
  if (!place) throw decodeFailed(`the reference image has no channel ${channel}`);
  const opened = openAnyPage(files, { file: place.file, page: 1 });
  if (!opened) throw files.missing(place.file);
  const { tiff, page } = opened;
  const { width, height, sampleType } = page.layout;
  if (width !== info.sizes.X || height !== info.sizes.Y || sampleType !== info.sampleType) {
    throw decodeFailed(
      `${tiff.source.name}: is ${height}×${width} ${sampleType}, the first channel of the reference is ` +
        `${info.sizes.Y}×${info.sizes.X} ${info.sampleType}`,
    );
  }
  await readPageSample(tiff, page, place.sample, target, signal);
}

/** @throws AcqError `decode_failed`, `unsupported_format`, `companion_missing` */
function lookOf({ file }: Place, files: MemberFiles): Look {
  const layout = openPage(files, { file, page: 1 })?.page.layout;
  if (!layout) throw files.missing(file);
  return { sampleType: layout.sampleType, sizes: { Y: layout.height, X: layout.width } };
}

/** Files that the frame names; else those of the usual names: the source image, the reference of the next cycle. */
function findImages(plan: ScenePlan, files: MemberFiles): Place[] {
  const stem = stemOf(plan.frame);
  const { cycle } = plan.sequences[0];
  const ways: ((channel: number) => string | undefined)[] = [
    (channel) => fileOf(plan.frame, channel)?.source || undefined,
    (channel) => stem && `${stem}-Cycle${fiveDigits(cycle)}_Ch${channel}Source.tif`,
    (channel) => stem && `References/${stem}-Cycle${fiveDigits(cycle + 1)}-Ch${channel}-16bit-Reference.tif`,
  ];
  for (const nameOf of ways) {
    const found: Place[] = [];
    for (const { number: channel, name } of plan.channels) {
      const file = nameOf(channel);
      if (file && files.find(file) !== undefined) found.push({ file, sample: 0, name: name || `Ch${channel}` });
    }
    if (found.length > 0) return found;
  }
  return [];
}

/** The XML names an image for each channel; one that is missing leaves the others. */
function missingSources(plan: ScenePlan, files: MemberFiles): string[] {
  const sources = plan.channels.map(({ number: channel }) => fileOf(plan.frame, channel)?.source || undefined);
  const missing = sources.filter((file) => file !== undefined && files.find(file) === undefined);
  if (missing.length === 0) return [];
  return [`Channels of the reference image are missing from the folder: ${missing.join(', ')}`];
}

/** What was on the screen, with the line drawn in: better than nothing, but not in pixels of the scan. */
function openScreenshot(plan: ScenePlan, files: MemberFiles, warnings: string[]): ReferenceImage | undefined {
  const stem = stemOf(plan.frame);
  const { cycle } = plan.sequences[0];
  const found = stem && [
    ...files.named('References', `${stem}-Cycle${fiveDigits(cycle + 1)}-Window`, /-8bit-Reference\.tif$/i),
    // Version 4.
    ...files.named('References', `${stem}-Cycle${fiveDigits(cycle)}_ImageWindow`, /-LinescanReference\.tif$/i),
  ];
  const file = found?.[0];
  const layout = file === undefined ? undefined : openAnyPage(files, { file, page: 1 })?.page.layout;
  if (file === undefined || !layout) {
    warnings.push('The image that the line was drawn on is not in the folder; there is no reference.');
    return undefined;
  }
  warnings.push(
    'The image that the line was drawn on is not in the folder; the reference is a screenshot, without scale and line.',
  );
  const names = layout.samplesPerPixel < COLORS.length ? ['Screen'] : COLORS;
  return {
    places: names.map((name, sample) => ({ file, sample, name })),
    info: {
      sampleType: layout.sampleType,
      channels: names === COLORS ? channelsShown(channelsNamed(names), SAMPLE_DISPLAYS) : channelsNamed(names),
      sizes: { Y: layout.height, X: layout.width },
      steps: { Y: defaultStep('Pixels'), X: defaultStep('Pixels') },
      lineRoi: null,
      scanPath: null,
    },
  };
}

function fiveDigits(value: number): string {
  return String(value).padStart(5, '0');
}

/** The line in pixels of the source image: its two ends, or every point of a free line. */
function scannedLine(
  line: RawLine | undefined,
  { Y, X }: { Y: number; X: number },
  warnings: string[],
): Pick<ReferenceInfo, 'lineRoi' | 'scanPath'> {
  const path = line && pathOf(line);
  if (!line || !path) {
    const mode = line?.mode ? ` (mode "${line.mode.slice(0, 40)}")` : '';
    warnings.push(`The XML does not say where on the reference the line was scanned${mode}.`);
    return { lineRoi: null, scanPath: null };
  }
  const { sourceColumns = X, sourceRows = Y } = line;
  if (sourceColumns !== X || sourceRows !== Y) {
    warnings.push(
      `The line is given in pixels of an image of ${sourceRows}×${sourceColumns}, the reference has ${Y}×${X}; it is left out.`,
    );
    return { lineRoi: null, scanPath: null };
  }
  const { x, y } = path;
  const outside = x.some((value) => value < -1 || value > X) || y.some((value) => value < -1 || value > Y);
  if (outside) warnings.push('The scanned line lies partly outside the reference image.');
  return { lineRoi: [x[0], y[0], x.at(-1), y.at(-1)] as [number, number, number, number], scanPath: path };
}

function pathOf({ path, ends }: RawLine): { x: number[]; y: number[] } | undefined {
  if (path.x.length >= 2) return path;
  return ends && { x: [ends[0], ends[2]], y: [ends[1], ends[3]] };
}
