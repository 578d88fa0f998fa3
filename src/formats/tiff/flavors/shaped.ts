import type { SceneInfo, Step } from '../../../acquisition.js';
import { LIMITS } from '../../../io/limits.js';
import { NO_CLOCK, parseDateTime } from '../../../metadata/dates.js';
import { type GridAxis, gridSize, planeNumber } from '../../../metadata/mixed-radix.js';
import { defaultStep, fileStep, makeStep } from '../../../metadata/steps.js';
import type { TiffPage } from '../../../tiff/types.js';
import type { Arrangement, Flavor, FlavorContext, PlaneLocation } from '../arrangement.js';
import { pageChannels } from '../channels.js';
import { type PlaneRun, planeRun } from '../plane-run.js';
import { resolutionSteps } from '../resolution.js';
import { numberOf, textOf } from '../soft-tags.js';
import { parseShapedText, type ShapedText, shapedAxes } from './shaped-text.js';

const DESCRIPTION = 270;
const DATE_TIME = 306;
const X_RESOLUTION = 282;
const Y_RESOLUTION = 283;

/** One array of a file; arrays follow each other, each with a description at its first page. */
interface ShapedSeries {
  first: TiffPage;
  text: ShapedText;
  /** Fastest first. */
  axes: GridAxis[];
  /** Scenes that the array's own position axes make. */
  scenes: number;
  /** Set when all planes lie behind the first page, without IFDs. */
  run: PlaneRun | undefined;
}

/** Arrays written by tifffile, with their shape as description. */
export const shapedFlavor: Flavor = {
  id: 'shaped',
  label: 'tifffile array',
  detect: ({ page }) => parseShapedText(textOf(page, DESCRIPTION)) !== undefined,
  arrange: async (context) => arrange(context),
};

function arrange(context: FlavorContext): Arrangement | undefined {
  const series = findSeries(context);
  if (series.length === 0) return undefined;
  const scenes = series.flatMap((one) => Array.from({ length: one.scenes }, () => sceneOf(one)));
  if (scenes.length > 1) for (const [index, scene] of scenes.entries()) scene.name = `Series ${index + 1}`;
  const places = series.flatMap((one) => Array.from({ length: one.scenes }, (_, index) => ({ one, index })));
  return {
    scenes,
    locate: (address) => {
      const { one, index } = places[address.scene] as { one: ShapedSeries; index: number };
      const samples = one.first.layout.samplesPerPixel;
      const channel = Math.floor(address.channel / samples);
      const plane = planeNumber(one.axes, { ...address, scene: index, channel });
      return placeOf(context, one, plane, address.channel % samples);
    },
  };
}

function placeOf({ file }: FlavorContext, one: ShapedSeries, plane: number, sample: number): PlaneLocation {
  if (!one.run) return { file, page: file.page(one.first.index + plane), sample };
  const dataOffset = one.run.offset + plane * one.run.planeBytes;
  return { file, page: one.first, sample, dataOffset };
}

function findSeries(context: FlavorContext): ShapedSeries[] {
  const { file, warnings } = context;
  const found: ShapedSeries[] = [];
  for (let index = 0; index < file.pageCount && found.length < LIMITS.scenes; ) {
    const first = file.page(index);
    const text = parseShapedText(textOf(first, DESCRIPTION));
    const one = text && toSeries(context, first, text);
    if (!one) {
      warnings.push(
        text
          ? `The shape (${text.shape.join(', ')}) that page ${index + 1} states is not in the file. ` +
              'Which channel, time point (T) or section (Z) each page is, is unknown.'
          : `the pages from ${index + 1} on belong to no stated shape and are not shown`,
      );
      break;
    }
    found.push(one);
    index += one.run ? 1 : gridSize(one.axes);
  }
  return found;
}

function toSeries(context: FlavorContext, first: TiffPage, text: ShapedText): ShapedSeries | undefined {
  const { file } = context;
  const { width, height, samplesPerPixel } = first.layout;
  const axes = shapedAxes(text, width * height * samplesPerPixel);
  if (!axes) return undefined;
  const planes = gridSize(axes);
  const scenes = gridSize(axes, 'S');
  if (scenes > LIMITS.scenes || gridSize(axes, 'C') > LIMITS.channels) return undefined;
  if (first.index + planes <= file.pageCount) return { first, text, axes, scenes, run: undefined };
  const run = planeRun(file, first, planes);
  if (!run || run.available < planes) return undefined;
  return { first, text, axes, scenes, run };
}

function sceneOf({ first, text, axes }: ShapedSeries): SceneInfo {
  const { layout } = first;
  const warnings: string[] = [];
  const samples = new Array<number>(gridSize(axes, 'C')).fill(layout.samplesPerPixel);
  return {
    name: '',
    sampleType: layout.sampleType,
    channels: pageChannels(layout.photometric, samples),
    sizes: { T: gridSize(axes, 'T'), Z: gridSize(axes, 'Z'), Y: layout.height, X: layout.width },
    steps: stepsOf(first, text, warnings),
    ...(parseDateTime(textOf(first, DATE_TIME)) ?? NO_CLOCK),
    reference: null,
    warnings,
  };
}

/** A `unit` in the description makes the resolution tags pixels per that unit, as in ImageJ. */
function stepsOf(page: TiffPage, text: ShapedText, warnings: string[]) {
  const length = (value: number | undefined, what: string, fallback: 'Pixels' | 'Planes'): Step =>
    fileStep(value, text.unit, { what, warnings, fallback, expect: 'micrometer' });
  const inverse = (code: number) => {
    const perUnit = numberOf(page, code);
    return perUnit ? 1 / perUnit : undefined;
  };
  const plane =
    text.unit === undefined
      ? resolutionSteps(page)
      : {
          X: length(inverse(X_RESOLUTION), 'X scale', 'Pixels'),
          Y: length(inverse(Y_RESOLUTION), 'Y scale', 'Pixels'),
        };
  const time = text.frameInterval === undefined ? undefined : makeStep(text.frameInterval, 'seconds');
  return { ...plane, Z: length(text.spacing, 'spacing', 'Planes'), T: time ?? defaultStep('Frames') };
}
