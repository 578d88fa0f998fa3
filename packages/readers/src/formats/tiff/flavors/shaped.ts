import { LIMITS } from '../../../base/limits.js';
import { Notes } from '../../../base/notes.js';
import type { SceneInfo, Step } from '../../../model/acquisition.js';
import { type NominalStep, resolveAxis } from '../../../model/metadata/axes.js';
import { NO_CLOCK, parseDateTime } from '../../../model/metadata/dates.js';
import { depthRows } from '../../../model/metadata/depth-rows.js';
import { gridSize, planeNumber } from '../../../model/metadata/mixed-radix.js';
import { defaultStep, fileStep } from '../../../model/metadata/steps.js';
import { TAG } from '../../../tiff/tags.js';
import type { TiffFile, TiffPage } from '../../../tiff/types.js';
import type { Arrangement, FlavorContext, FlavorReader, PlaneLocation } from '../arrangement.js';
import { pageChannels, resolutionSteps } from '../metadata.js';
import { readDescription, readText } from '../parse.js';
import { findPlaneRun, type PlaneRun } from '../plane-run.js';
import { describeTimeColumns, pixelSteps } from './imagej-steps.js';
import { type ShapedAxes, shapedAxes } from './shaped-axes.js';
import { parseShapedText, type ShapedText } from './shaped-text.js';

/** One array of a file. Arrays follow each other, each with a description in its first page. */
interface ShapedSeries {
  first: TiffPage;
  text: ShapedText;
  array: ShapedAxes;
  /** Scenes from the position axes of the array. */
  scenes: number;
  /** Set if all planes follow the first page, without IFDs. */
  run: PlaneRun | undefined;
}

/** Arrays written by tifffile, which describes their shape. */
export const shapedFlavor: FlavorReader = {
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
      const { series: each, index } = parts[address.scene]!;
      const number = planeNumber(each.array.axes, { ...address, scene: index });
      const samples = each.first.layout.samplesPerPixel;
      return locatePlane(file, each, Math.floor(number / samples), number % samples);
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
    index += next.run ? 1 : countPages(next);
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

function countPages({ first, array }: Pick<ShapedSeries, 'first' | 'array'>): number {
  return gridSize(array.axes) / first.layout.samplesPerPixel;
}

function toSeries(file: TiffFile, first: TiffPage, text: ShapedText): ShapedSeries | undefined {
  const array = shapedAxes(text, first.layout);
  if (!array) return undefined;
  const planes = countPages({ first, array });
  const scenes = gridSize(array.axes, 'S');
  if (scenes > LIMITS.scenes || gridSize(array.axes, 'C') > LIMITS.channels) return undefined;
  if (first.index + planes <= file.pageCount) return { first, text, array, scenes, run: undefined };
  const run = findPlaneRun(file, first, planes);
  if (!run || run.available < planes) return undefined;
  return { first, text, array, scenes, run };
}

function toScene({ first, text, array }: ShapedSeries): SceneInfo {
  const { layout } = first;
  const notes = new Notes();
  notes.addAll(array.notes);
  const T = gridSize(array.axes, 'T');
  const channels = gridSize(array.axes, 'C');
  const samples = array.areColors ? layout.samplesPerPixel : 1;
  return {
    name: '',
    sampleType: layout.sampleType,
    channels: pageChannels(layout.photometric, new Array<number>(channels / samples).fill(samples)),
    sizes: { T, Z: gridSize(array.axes, 'Z'), Y: layout.height, X: layout.width },
    steps: readSteps(first, text, { ...array, T }, notes),
    ...depthRows(array.rows === 'Z', notes),
    ...(parseDateTime(readText(first, TAG.dateTime)) ?? NO_CLOCK),
    reference: null,
    warnings: notes.list(),
    axisWarnings: { planes: array.assumed },
  };
}

/**
 * A `unit` in the description makes the resolution tags pixels per that unit, as in ImageJ. The frame interval is that of
 * the axis T, which may run along the rows (a kymograph, `TX`) or the columns of the pages.
 */
function readSteps(
  page: TiffPage,
  text: ShapedText,
  { rows, columns, T }: { rows: string; columns: string; T: number },
  notes: Notes,
): SceneInfo['steps'] {
  const { unit, spacing } = text;
  const plane = unit === undefined ? resolutionSteps(page) : pixelSteps(page, { X: unit, Y: unit }, notes);
  const depth = fileStep(spacing, unit, { what: 'spacing', warnings: notes, fallback: 'Planes', expect: 'micrometer' });
  const isTime = rows === 'T' || columns === 'T';
  const interval = frameInterval(text, isTime ? (rows === 'T' ? 'Y' : 'X') : 'T', isTime ? 2 : T, notes);
  const steps = { ...plane, Z: depth, T: isTime ? defaultStep('Frames') : interval };
  if (rows === 'T') return { ...steps, Y: interval };
  if (columns === 'T') {
    const turned = { ...steps, X: interval };
    if (interval.unit === 'seconds') describeTimeColumns(turned, notes);
    return turned;
  }
  if (rows === 'Z') return { ...steps, Y: depth.unit === 'micrometer' ? depth : plane.Y, Z: defaultStep('Planes') };
  return steps;
}

function frameInterval(text: ShapedText, axis: 'T' | 'Y' | 'X', size: number, notes: Notes): Step {
  const interval = fileStep(text.frameInterval, text.tunit ?? 'sec', {
    what: 'finterval',
    warnings: notes,
    expect: 'seconds',
  });
  const nominal: NominalStep[] = [];
  if (interval.unit === 'seconds') nominal.push({ step: interval.step, what: 'finterval' });
  if (text.frameRate !== undefined) nominal.push({ step: 1 / text.frameRate, what: 'fps' });
  return resolveAxis(axis, size, { unit: 'seconds', nominal }, notes).step;
}
