import type { SceneInfo, Step } from '../../../acquisition.js';
import { LIMITS } from '../../../io/limits.js';
import { NO_CLOCK, parseDateTime } from '../../../metadata/dates.js';
import { type GridAxis, gridSize, planeNumber } from '../../../metadata/mixed-radix.js';
import { defaultStep, fileStep, makeStep } from '../../../metadata/steps.js';
import { Notes } from '../../../notes.js';
import { TAG } from '../../../tiff/tags.js';
import type { TiffFile, TiffPage } from '../../../tiff/types.js';
import type { Arrangement, Flavor, FlavorContext, PlaneLocation } from '../arrangement.js';
import { pageChannels, resolutionSteps } from '../metadata.js';
import { readDescription, readNumber, readText } from '../parse.js';
import { findPlaneRun, type PlaneRun } from '../plane-run.js';
import { parseShapedText, type ShapedText, shapedAxes } from './shaped-text.js';

/** One array of a file. Arrays follow each other, each with a description in its first page. */
interface ShapedSeries {
  first: TiffPage;
  text: ShapedText;
  /** Fastest first. */
  axes: GridAxis[];
  /** Scenes from the position axes of the array. */
  scenes: number;
  /** Set if all planes follow the first page, without IFDs. */
  run: PlaneRun | undefined;
}

/** Arrays written by tifffile, which describes their shape. */
export const shapedFlavor: Flavor = {
  id: 'shaped',
  label: 'tifffile array',
  detect: ({ page }) => parseShapedText(readDescription(page)) !== undefined,
  arrange: async (context) => arrangeArrays(context),
};

function arrangeArrays({ file, notes }: FlavorContext): Arrangement | undefined {
  const { series, note } = findSeries(file);
  if (note !== undefined) notes.add(note);
  if (series.length === 0) return undefined;
  const parts = series.flatMap((each) => Array.from({ length: each.scenes }, (_, index) => ({ series: each, index })));
  const name = (index: number) => (parts.length > 1 ? `Series ${index + 1}` : '');
  return {
    scenes: parts.map((part, index) => ({ ...toScene(part.series), name: name(index) })),
    locate: (address) => {
      const part = parts[address.scene]!;
      const samples = part.series.first.layout.samplesPerPixel;
      const channel = Math.floor(address.channel / samples);
      const plane = planeNumber(part.series.axes, { ...address, scene: part.index, channel });
      return locatePlane(file, part.series, plane, address.channel % samples);
    },
  };
}

function locatePlane(file: TiffFile, { first, run }: ShapedSeries, plane: number, sample: number): PlaneLocation {
  if (!run) return { file, page: file.page(first.index + plane), sample };
  return { file, page: first, sample, dataOffset: run.offset + plane * run.planeBytes };
}

/** Returns the arrays up to the first page that does not start one, and a warning about that page. */
function findSeries(file: TiffFile): { series: ShapedSeries[]; note?: string } {
  const series: ShapedSeries[] = [];
  for (let index = 0; index < file.pageCount && series.length < LIMITS.scenes; ) {
    const first = file.page(index);
    const text = parseShapedText(readDescription(first));
    const next = text && toSeries(file, first, text);
    if (!next) return { series, note: describeEnd(text, index) };
    series.push(next);
    index += next.run ? 1 : gridSize(next.axes);
  }
  return { series };
}

function describeEnd(text: ShapedText | undefined, index: number): string {
  if (!text) return `The pages from ${index + 1} on belong to no described array and are not shown.`;
  return (
    `The shape (${text.shape.join(', ')}) that page ${index + 1} describes does not match the file. ` +
    'Which channel, time point (T) or section (Z) each page is, is unknown.'
  );
}

function toSeries(file: TiffFile, first: TiffPage, text: ShapedText): ShapedSeries | undefined {
  const { width, height, samplesPerPixel } = first.layout;
  const axes = shapedAxes(text, width * height * samplesPerPixel);
  if (!axes) return undefined;
  const planes = gridSize(axes);
  const scenes = gridSize(axes, 'S');
  if (scenes > LIMITS.scenes || gridSize(axes, 'C') > LIMITS.channels) return undefined;
  if (first.index + planes <= file.pageCount) return { first, text, axes, scenes, run: undefined };
  const run = findPlaneRun(file, first, planes);
  if (!run || run.available < planes) return undefined;
  return { first, text, axes, scenes, run };
}

function toScene({ first, text, axes }: ShapedSeries): SceneInfo {
  const { layout } = first;
  const notes = new Notes();
  const samples = new Array<number>(gridSize(axes, 'C')).fill(layout.samplesPerPixel);
  return {
    name: '',
    sampleType: layout.sampleType,
    channels: pageChannels(layout.photometric, samples),
    sizes: { T: gridSize(axes, 'T'), Z: gridSize(axes, 'Z'), Y: layout.height, X: layout.width },
    steps: readSteps(first, text, notes),
    ...(parseDateTime(readText(first, TAG.dateTime)) ?? NO_CLOCK),
    reference: null,
    warnings: notes.list(),
  };
}

/** A `unit` in the description makes the resolution tags pixels per that unit, as in ImageJ. */
function readSteps(page: TiffPage, text: ShapedText, notes: Notes) {
  const length = (value: number | undefined, what: string, fallback: 'Pixels' | 'Planes'): Step =>
    fileStep(value, text.unit, { what, warnings: notes, fallback, expect: 'micrometer' });
  const inverse = (code: number) => {
    const perUnit = readNumber(page, code);
    return perUnit ? 1 / perUnit : undefined;
  };
  const plane =
    text.unit === undefined
      ? resolutionSteps(page)
      : {
          X: length(inverse(TAG.xResolution), 'X scale', 'Pixels'),
          Y: length(inverse(TAG.yResolution), 'Y scale', 'Pixels'),
        };
  const time = text.frameInterval === undefined ? undefined : makeStep(text.frameInterval, 'seconds');
  return { ...plane, Z: length(text.spacing, 'spacing', 'Planes'), T: time ?? defaultStep('Frames') };
}
