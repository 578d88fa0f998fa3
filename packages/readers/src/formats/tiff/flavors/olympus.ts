import { grouped, plural, subjectFirst } from '../../../base/wording.js';
import type { ChannelInfo, SceneInfo, Step } from '../../../model/acquisition.js';
import { channelsShown } from '../../../model/metadata/colors.js';
import { depthRows } from '../../../model/metadata/depth-rows.js';
import { type GridAxis, gridSize, planeNumber } from '../../../model/metadata/mixed-radix.js';
import { channelsNamed } from '../../../model/metadata/names.js';
import { defaultStep, makeStep } from '../../../model/metadata/steps.js';
import type { TiffPage } from '../../../tiff/types.js';
import type { Arrangement, FlavorContext, FlavorReader } from '../arrangement.js';
import { pageChannels } from '../metadata.js';
import { readDescription } from '../parse.js';
import { parseFluoViewDisplays } from './fluoview-display.js';
import { parseMemberName, type Sidecar, searchSidecar } from './olympus-files.js';
import { type ExportedFiles, findExportedFiles } from './olympus-set.js';
import { type SidecarSettings, toSidecarSettings } from './olympus-settings.js';

/**
 * TIFF exported by Olympus FluoView (FV30S-SW) with its text file: the kymograph format. The calibration is in the text
 * file; the size and type of the pixels are those of the TIFF. See `docs/formats/olympus-kymograph.md`.
 */
export const olympusFlavor: FlavorReader = {
  arrange: async (context) => {
    const { sidecar } = searchSidecar(context);
    if (!sidecar) return undefined;
    const settings = toSidecarSettings(sidecar.pairs);
    const problem = describeMissing(settings) ?? describeRotation(context.page, settings);
    if (problem !== undefined) {
      context.notes.add(subjectFirst(sidecar.name, problem));
      return undefined;
    }
    return arrangeExport(context, settings, sidecar);
  },
};

/** A kymograph needs all of these settings. If one is missing, the others are not used either. */
function describeMissing(settings: SidecarSettings): string | undefined {
  if (settings.kind !== 'line') return undefined;
  const missing: string[] = [];
  if (settings.rows === undefined || settings.columns === undefined) missing.push('the image size');
  if (!makeStep(settings.x ?? Number.NaN, 'micrometer')) missing.push('a usable pixel size (X Dimension)');
  if (!makeStep(settings.linePeriod ?? Number.NaN, 'seconds')) missing.push('a usable duration (T Dimension)');
  if (missing.length === 0) return undefined;
  return `does not contain ${missing.join(' and ')}; the calibration in this file was ignored`;
}

/** In an image that was saved again on its side, rows are pixels and columns are lines, which no header can say. */
function describeRotation({ layout }: TiffPage, { kind, rows, columns }: SidecarSettings): string | undefined {
  const isRotated = kind === 'line' && rows !== columns && rows === layout.width && columns === layout.height;
  if (!isRotated) return undefined;
  return (
    `says ${grouped(rows!)} lines of ${grouped(columns!)} pixels, but the image has ${grouped(layout.height)} lines of ` +
    `${grouped(layout.width)}. The image was rotated, so the calibration in this file was ignored`
  );
}

function arrangeExport(context: FlavorContext, settings: SidecarSettings, sidecar: Sidecar): Arrangement {
  const { page, notes } = context;
  const { layout } = page;
  const files = findExportedFiles(context, settings);
  const mismatch = describeShape(page, settings);
  if (mismatch !== undefined) notes.add(subjectFirst(sidecar.name, mismatch));
  const { axes: grid, note } = findPageAxes(context, settings, files);
  if (note !== undefined) notes.add(note);
  const scene: SceneInfo = {
    name: '',
    sampleType: layout.sampleType,
    channels: findChannels(context, settings, files, gridSize(grid, 'C')),
    sizes: {
      T: files.times * gridSize(grid, 'T'),
      Z: files.sections * gridSize(grid, 'Z'),
      Y: layout.height,
      X: layout.width,
    },
    steps: toSteps(settings),
    ...depthRows(settings.kind === 'section', notes),
    ...settings.clock,
    reference: null,
    warnings: [],
  };
  return {
    scenes: [scene],
    files: () => chain(sidecar.file, files.names()),
    named: { scene: 0, ...files.opened },
    locate: ({ scene: s, channel, t, z }) => {
      const samples = layout.samplesPerPixel;
      const index = Math.floor(channel / samples);
      const file = files.file(files.channels > 1 ? index : 0, files.sections > 1 ? z : 0, files.times > 1 ? t : 0);
      const inFile = {
        scene: s,
        channel: files.channels > 1 ? 0 : index,
        t: files.times > 1 ? 0 : t,
        z: files.sections > 1 ? 0 : z,
      };
      return { file, page: file.page(planeNumber(grid, inFile)), sample: channel % samples };
    },
  };
}

function* chain(first: string, others: Iterable<string>): Generator<string> {
  yield first;
  yield* others;
}

function describeShape({ layout }: TiffPage, { columns, rows }: SidecarSettings): string | undefined {
  const { width, height } = layout;
  if (columns === undefined || rows === undefined || (columns === width && rows === height)) return undefined;
  return (
    `says ${grouped(rows)} lines of ${grouped(columns)} pixels, but the image has ${grouped(height)} lines of ` +
    `${grouped(width)}. Showing the image as stored, with the line period and pixel size from the text file`
  );
}

/** Returns the axes of the pages of one file. All known files have one page; stacks count channel, then Z, then T. */
function findPageAxes(
  { file }: FlavorContext,
  { channelCount, sizes }: SidecarSettings,
  files: ExportedFiles,
): { axes: GridAxis[]; note?: string } {
  const { pageCount } = file;
  if (pageCount === 1) return { axes: [] };
  const channels = files.channels > 1 ? 1 : channelCount;
  const axes: GridAxis[] = [
    { kind: 'C', size: channels },
    { kind: 'Z', size: sizes.Z },
    { kind: 'T', size: sizes.T },
  ];
  if (gridSize(axes) === pageCount) return { axes };
  const note =
    `The text file says ${plural(channels, 'channel')} × ${plural(sizes.Z, 'section')} × ${plural(sizes.T, 'time point')}, ` +
    `but the file has ${plural(pageCount, 'page')}. Showing the pages as time points.`;
  return { axes: [{ kind: 'T', size: pageCount }], note };
}

function findChannels(
  context: FlavorContext,
  settings: SidecarSettings,
  files: ExportedFiles,
  perFile: number,
): ChannelInfo[] {
  const { photometric, samplesPerPixel } = context.page.layout;
  const count = files.channels * perFile;
  if (samplesPerPixel > 1) return pageChannels(photometric, new Array<number>(count).fill(samplesPerPixel));
  const { names, note } = findChannelNames(context.input.probe.name, settings, count);
  if (note !== undefined) context.notes.add(note);
  const displays = Array.from({ length: files.channels }, (_, channel) => {
    const parsed = parseFluoViewDisplays(readDescription(files.file(channel, 0, 0).page(0)));
    return parsed.length === perFile ? parsed : new Array<undefined>(perFile).fill(undefined);
  });
  return channelsShown(channelsNamed(names), displays.flat());
}

function findChannelNames(
  fileName: string,
  { channelCount, channelNames }: SidecarSettings,
  count: number,
): { names: (string | undefined)[]; note?: string } {
  if (count === channelCount) return { names: channelNames };
  // A member that is shown alone has the number of its channel in its name.
  const number = parseMemberName(fileName)?.channel;
  const name = number === undefined ? undefined : channelNames[number - 1];
  const names = Array.from({ length: count }, () => name);
  if (number !== undefined) return { names };
  return {
    names,
    note: `The text file says ${plural(channelCount, 'channel')}, but the image has ${grouped(count)}.`,
  };
}

function toSteps(settings: SidecarSettings): SceneInfo['steps'] {
  const micrometers = (value: number | undefined): Step =>
    makeStep(value ?? Number.NaN, 'micrometer', 'sidecar') ?? defaultStep();
  const seconds = (value: number | undefined) => makeStep(value ?? Number.NaN, 'seconds', 'sidecar');
  const y = { line: undefined, section: settings.z, frame: settings.y }[settings.kind];
  return {
    T: seconds(settings.framePeriod) ?? defaultStep('Frames'),
    Z: makeStep(settings.z ?? Number.NaN, 'micrometer', 'sidecar') ?? defaultStep('Planes'),
    Y: seconds(settings.linePeriod) ?? micrometers(y),
    X: micrometers(settings.x),
  };
}
