import { ignoreCorrupted } from '../../../base/errors.js';
import { LIMITS } from '../../../base/limits.js';
import { Notes } from '../../../base/notes.js';
import { asIncomplete } from '../../../base/warning-kinds.js';
import { grouped, plural } from '../../../base/wording.js';
import type { SceneInfo, Step } from '../../../model/acquisition.js';
import { argbColor, type ChannelDisplay, channelsShown } from '../../../model/metadata/colors.js';
import { NO_CLOCK, parseDateTime } from '../../../model/metadata/dates.js';
import type { DepthOrder } from '../../../model/metadata/depth-order.js';
import { describeSkipped, withDropped } from '../../../model/metadata/micro-manager.js';
import { channelsNamed } from '../../../model/metadata/names.js';
import { PlaneMap } from '../../../model/metadata/plane-map.js';
import { defaultStep, makeStep } from '../../../model/metadata/steps.js';
import type { TiffPage } from '../../../tiff/types.js';
import type { Arrangement, FlavorContext, FlavorReader } from '../arrangement.js';
import { pageChannels } from '../metadata.js';
import { readDescription } from '../parse.js';
import { imageJDisplays } from './imagej-display.js';
import { readImageJMetadata } from './imagej-items.js';
import { locateInOrder, measureScene, PlanePages, readColumns, type SceneEvidence } from './micro-manager-planes.js';
import {
  type IndexedPlane,
  type MicroManagerSummary,
  readIndex,
  readPlaneMetadata,
  readSummary,
} from './micro-manager-text.js';
import { isOme } from './signs.js';

/** Pages whose metadata are read one by one if the index is missing. */
const MAX_PAGES = 10_000;

/**
 * Micro-Manager MMStack. Its OME-XML, if there is any, locates the planes of all files of the set; otherwise the index of
 * the file does. The summary adds the calibration that OME-XML lacks.
 */
export const microManagerFlavor: FlavorReader = {
  arrange: async (context) => {
    const summary = readSummary(context.file, context.page);
    const ome = isOme(readDescription(context.page))
      ? await (await import('./ome.js')).omeFlavor.arrange(context)
      : undefined;
    const byIndex = ome && isIndexLonger(ome, context) ? arrangeByIndex(context, summary) : undefined;
    if (byIndex)
      context.notes.add('The OME-XML lists fewer planes than the index of Micro-Manager. The index was used.');
    return byIndex ?? (ome ? completeOme(ome, summary, context) : arrangeByIndex(context, summary));
  },
};

/** True when the index of the only file of a set has planes, or channels, that the OME-XML does not list. */
function isIndexLonger(ome: Arrangement, { file, page }: FlavorContext): boolean {
  const { samplesPerPixel, height } = page.layout;
  if (height === 1 || [...(ome.files?.() ?? [])].length > 1) return false;
  const index = readIndex(file) ?? [];
  const planes = ome.scenes.reduce((sum, { sizes, channels }) => sum + sizes.T * sizes.Z * channels.length, 0);
  const extent = measureExtent(index);
  // Pages that are not described would be taken for further frames.
  const channels = Math.max(...ome.scenes.map((scene) => scene.channels.length)) / samplesPerPixel;
  return extent.C.length > channels || mapPlanes(index, extent).size * samplesPerPixel > planes;
}

/** Planes of one file are also described by their pages; those of further files are not opened for that. */
function completeOme(ome: Arrangement, summary: MicroManagerSummary, context: FlavorContext): Arrangement {
  const isOneFile = [...(ome.files?.() ?? [])].length < 2;
  const completed = ome.scenes.map((scene) => completeScene(scene, summary, context));
  if (!isOneFile) return { ...ome, scenes: completed };
  const orders: (DepthOrder | undefined)[] = [];
  const locate = locateInOrder((address) => ome.locate(address), orders);
  const samples = context.page.layout.samplesPerPixel;
  const pages = new PlanePages({ locate }, context.file, { samples, scenes: ome.scenes.length });
  const set = nominalSteps(summary);
  const scenes = completed.map((scene, index) => {
    const { T, Z } = ome.scenes[index]!.steps;
    const nominal = {
      T: [...(T.unit === 'seconds' ? [{ step: T.step, what: 'TimeIncrement' }] : []), ...set.T],
      Z: [...(Z.unit === 'micrometer' ? [{ step: Z.step, what: 'PhysicalSizeZ' }] : []), ...set.Z],
    };
    const measured = measureScene(scene, pages, { index, nominal });
    orders.push(measured.order);
    return measured.scene;
  });
  return {
    ...ome,
    ...{ scenes, locate },
    readPlaneColumns: async (scene) => ({
      ...readColumns(scenes[scene]!, scene, pages),
      ...(await ome.readPlaneColumns?.(scene)),
    }),
  };
}

function nominalSteps({ interval, zStep }: MicroManagerSummary): SceneEvidence['nominal'] {
  return {
    T: interval === undefined ? [] : [{ step: interval, what: 'Interval_ms' }],
    Z: zStep === undefined ? [] : [{ step: zStep, what: 'z-step_um' }],
  };
}

/** Adds the steps, names and colors that OME-XML lacks. */
function completeScene(scene: SceneInfo, summary: MicroManagerSummary, { page }: FlavorContext): SceneInfo {
  const steps = toSteps(summary);
  const pick = (axis: 'X' | 'Y' | 'Z' | 'T') =>
    scene.steps[axis].origin === 'default' ? steps[axis] : scene.steps[axis];
  const isUnnamed = scene.channels.every(({ name }, index) => name === `CH${index + 1}`);
  const takesNames = isUnnamed && summary.channelNames.length === scene.channels.length;
  const names = channelsNamed(summary.channelNames);
  const shown = channelsShown(scene.channels, findDisplays(page, summary, scene.channels.length));
  return {
    ...scene,
    channels: scene.channels.map((channel, i) => ({
      ...shown[i],
      ...channel,
      ...(takesNames ? { name: names[i]?.name ?? channel.name } : {}),
    })),
    steps: { X: pick('X'), Y: pick('Y'), Z: pick('Z'), T: pick('T') },
  };
}

/** Returns the displays that the writer adds for ImageJ when it finishes, with the colors of the summary. */
function findDisplays(page: TiffPage, { channelColors }: MicroManagerSummary, channels: number): ChannelDisplay[] {
  if (page.layout.samplesPerPixel > 1) return [];
  const metadata = ignoreCorrupted(() => readImageJMetadata(page));
  const displays = imageJDisplays(page, metadata, channels);
  if (channelColors.length !== channels) return displays;
  return channelColors.map((color, i) => ({ ...displays[i], color: argbColor(color) ?? displays[i]?.color }));
}

function toSteps({ pixelSize, zStep, interval }: MicroManagerSummary): SceneInfo['steps'] {
  const length = (value: number | undefined, fallback: Step) =>
    (value === undefined ? undefined : makeStep(value, 'micrometer')) ?? fallback;
  const time = interval === undefined ? undefined : makeStep(interval, 'seconds');
  return {
    X: length(pixelSize, defaultStep()),
    Y: length(pixelSize, defaultStep()),
    Z: length(zStep, defaultStep('Planes')),
    T: time ?? defaultStep('Frames'),
  };
}

/** The channel, slice, frame and position numbers that occur in a file, in ascending order. */
interface OccurringNumbers {
  C: number[];
  Z: number[];
  T: number[];
  P: number[];
}

function arrangeByIndex(context: FlavorContext, summary: MicroManagerSummary): Arrangement | undefined {
  const { file, page, notes } = context;
  const planes = readIndex(file) ?? (file.pageCount <= MAX_PAGES ? readPlaneMetadata(file, notes) : []);
  const extent = measureExtent(planes);
  if (planes.length === 0 || extent.C.length > LIMITS.channels) {
    notes.add(
      'The file has no usable Micro-Manager index. Which channel, time point (T) or section (Z) each page is, is unknown.',
    );
    return undefined;
  }
  const offsets = mapPlanes(planes, extent);
  const problems = new Notes();
  problems.addAll(describeGaps(extent, summary, offsets.size));
  problems.addAll([...describeSkipped('frames', extent.T), ...describeSkipped('slices', extent.Z)]);
  offsets.noteDuplicates(problems);
  const warnings = problems.list();
  const samples = page.layout.samplesPerPixel;
  const orders: (DepthOrder | undefined)[] = [];
  const locate = locateInOrder(({ channel, ...address }) => {
    const offset = offsets.at({ ...address, channel: Math.floor(channel / samples) });
    return offset === undefined ? undefined : { file, page: file.pageAt(offset), sample: channel % samples };
  }, orders);
  const pages = new PlanePages({ locate }, file, { samples, scenes: extent.P.length });
  const nominal = nominalSteps(summary);
  const scenes = extent.P.map((position, index) => {
    const scene = { ...toScene(page, extent, summary, position), warnings: [...warnings] };
    const measured = measureScene(scene, pages, { index, nominal, frames: extent.T });
    orders.push(measured.order);
    return measured.scene;
  });
  return { scenes, locate, readPlaneColumns: (scene) => readColumns(scenes[scene]!, scene, pages) };
}

/** A file may contain a later part of a set, so its first frame is not always number 0. */
function measureExtent(planes: readonly IndexedPlane[]): OccurringNumbers {
  const numbers = (pick: (plane: IndexedPlane) => number) => [...new Set(planes.map(pick))].sort((a, b) => a - b);
  return {
    ...{ C: numbers(({ c }) => c), P: numbers(({ p }) => p) },
    ...{ Z: withDropped(numbers(({ z }) => z)), T: withDropped(numbers(({ t }) => t)) },
  };
}

/** Maps planes to the offsets of their IFDs, by the positions of their numbers in the extent. */
function mapPlanes(planes: readonly IndexedPlane[], { C, Z, T, P }: OccurringNumbers): PlaneMap<number> {
  const [channels, sections, times, positions] = [C, Z, T, P].map((numbers) => new Map(numbers.map((n, i) => [n, i])));
  const map = new PlaneMap<number>({ channels: C.length, Z: Z.length }, 'last');
  for (const { c, z, t, p, ifdOffset } of planes) {
    const [scene, channel] = [positions!.get(p)!, channels!.get(c)!];
    map.add({ scene, channel, t: times!.get(t)!, z: sections!.get(z)! }, ifdOffset);
  }
  return map;
}

/** Returns warnings for planes that were planned or indexed but not recorded. */
function describeGaps({ C, Z, T, P }: OccurringNumbers, { sizes }: MicroManagerSummary, recorded: number): string[] {
  const warnings: string[] = [];
  if (sizes.C > C.length || sizes.Z > Z.length || sizes.T > T.length || sizes.P > P.length) {
    warnings.push(
      `Micro-Manager planned ${grouped(sizes.C)} channels × ${grouped(sizes.Z)} slices × ${grouped(sizes.T)} frames at ${plural(sizes.P, 'position')}, ` +
        `but this file has ${grouped(C.length)} × ${grouped(Z.length)} × ${grouped(T.length)} at ${grouped(P.length)}. Showing these.`,
    );
  }
  const missing = C.length * Z.length * T.length * P.length - recorded;
  if (missing > 0)
    warnings.push(
      asIncomplete(
        `${plural(missing, 'plane')} ${missing === 1 ? 'was' : 'were'} not recorded. Showing ${missing === 1 ? 'it' : 'them'} as zeros.`,
      ),
    );
  return warnings;
}

function toScene(page: TiffPage, extent: OccurringNumbers, summary: MicroManagerSummary, position: number): SceneInfo {
  const { layout } = page;
  const samples = extent.C.map(() => layout.samplesPerPixel);
  const colors = extent.C.map((channel) => summary.channelColors[channel]);
  const displays = findDisplays(page, { ...summary, channelColors: colors }, extent.C.length);
  const names = extent.C.map((channel) => summary.channelNames[channel]);
  return {
    name: extent.P.length > 1 ? `Position ${position}` : '',
    sampleType: layout.sampleType,
    channels: channelsShown(pageChannels(layout.photometric, samples, names), displays),
    sizes: { T: extent.T.length, Z: extent.Z.length, Y: layout.height, X: layout.width },
    steps: toSteps(summary),
    ...(parseDateTime(summary.started) ?? NO_CLOCK),
    reference: null,
    warnings: [],
  };
}
