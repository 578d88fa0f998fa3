import type { SceneInfo, Step } from '../../../acquisition.js';
import { LIMITS } from '../../../io/limits.js';
import { argbColor, type ChannelDisplay, channelsShown } from '../../../metadata/colors.js';
import { NO_CLOCK, parseDateTime } from '../../../metadata/dates.js';
import { channelsNamed } from '../../../metadata/names.js';
import { defaultStep, makeStep } from '../../../metadata/steps.js';
import type { TiffPage } from '../../../tiff/types.js';
import { plural } from '../../../wording.js';
import type { Arrangement, Flavor, FlavorContext } from '../arrangement.js';
import { pageChannels } from '../channels.js';
import { softly } from '../soft-tags.js';
import { imageJDisplays } from './imagej-display.js';
import { readImageJMetadata } from './imagej-items.js';
import {
  type IndexedPlane,
  isMicroManager,
  type MicroManagerSummary,
  readIndex,
  readPlaneMetadata,
  readSummary,
} from './micro-manager-text.js';
import { omeFlavor } from './ome.js';

/** Pages whose metadata are read one by one when the index is missing. */
const PAGES_READ = 10_000;

/**
 * Micro-Manager MMStack. Its OME-XML, when there is any, places the planes of all files of the set; else the index of the
 * file does. The summary calibrates what OME-XML left open.
 */
export const microManagerFlavor: Flavor = {
  id: 'micro-manager',
  label: 'Micro-Manager',
  detect: ({ file, page }) => isMicroManager(file, page),
  arrange: async (context) => {
    const summary = readSummary(context.file, context.page);
    const ome = omeFlavor.detect(context) ? await omeFlavor.arrange(context) : undefined;
    if (ome) return { ...ome, scenes: ome.scenes.map((scene) => completeScene(scene, summary, context)) };
    return arrangeByIndex(context, summary);
  },
};

/** Steps, names and colors that OME-XML does not give. */
function completeScene(scene: SceneInfo, summary: MicroManagerSummary, { page }: FlavorContext): SceneInfo {
  const own = stepsOf(summary);
  const pick = (axis: 'X' | 'Y' | 'Z' | 'T') =>
    scene.steps[axis].origin === 'default' ? own[axis] : scene.steps[axis];
  const unnamed = scene.channels.every(({ name }, index) => name === `CH${index + 1}`);
  const named = unnamed && summary.channelNames.length === scene.channels.length;
  const names = channelsNamed(summary.channelNames);
  const shown = channelsShown(scene.channels, displaysOf(page, summary, scene.channels.length));
  return {
    ...scene,
    channels: scene.channels.map((channel, i) => ({
      ...shown[i],
      ...channel,
      ...(named ? { name: names[i]?.name ?? channel.name } : {}),
    })),
    steps: { X: pick('X'), Y: pick('Y'), Z: pick('Z'), T: pick('T') },
  };
}

/** The metadata that ImageJ would use, which the writer adds when it is done; else the colors of the summary. */
function displaysOf(page: TiffPage, { channelColors }: MicroManagerSummary, channels: number): ChannelDisplay[] {
  if (page.layout.samplesPerPixel > 1) return [];
  const metadata = softly(() => readImageJMetadata(page));
  const displays = imageJDisplays(page, metadata, channels);
  if (channelColors.length !== channels) return displays;
  return channelColors.map((color, i) => ({ ...displays[i], color: argbColor(color) ?? displays[i]?.color }));
}

function stepsOf({ pixelSize, zStep, interval }: MicroManagerSummary): SceneInfo['steps'] {
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

/** The channel, slice, frame and position numbers that occur in a file, rising. */
interface Extent {
  C: number[];
  Z: number[];
  T: number[];
  P: number[];
}

function arrangeByIndex(context: FlavorContext, summary: MicroManagerSummary): Arrangement | undefined {
  const { file, page, warnings } = context;
  const planes = readIndex(file) ?? (file.pageCount <= PAGES_READ ? readPlaneMetadata(file) : []);
  const extent = measure(planes);
  if (planes.length === 0 || extent.C.length > LIMITS.channels) {
    warnings.push(
      'The file has no usable Micro-Manager index. Which channel, time point (T) or section (Z) each page is, is unknown.',
    );
    return undefined;
  }
  const offsets = new Map(planes.map((plane) => [keyOf(plane), plane.ifdOffset]));
  const own = findings(extent, summary, offsets.size);
  const samples = page.layout.samplesPerPixel;
  return {
    scenes: extent.P.map((position) => sceneOf(page, extent, summary, position, own)),
    locate: ({ scene, channel, t, z }) => {
      const at = { c: extent.C[Math.floor(channel / samples)], z: extent.Z[z], t: extent.T[t], p: extent.P[scene] };
      const offset = offsets.get(keyOf(at));
      return offset === undefined ? undefined : { file, page: file.pageAt(offset), sample: channel % samples };
    },
  };
}

/** A file may hold a later part of a set: its first frame is then not number 0. */
function measure(planes: readonly IndexedPlane[]): Extent {
  const numbers = (of: (plane: IndexedPlane) => number) => [...new Set(planes.map(of))].sort((a, b) => a - b);
  return { C: numbers(({ c }) => c), Z: numbers(({ z }) => z), T: numbers(({ t }) => t), P: numbers(({ p }) => p) };
}

function keyOf({ c, z, t, p }: { [axis in 'c' | 'z' | 't' | 'p']: number | undefined }): string {
  return `${c} ${z} ${t} ${p}`;
}

function findings({ C, Z, T, P }: Extent, { sizes }: MicroManagerSummary, held: number): string[] {
  const found: string[] = [];
  if (sizes.C > C.length || sizes.Z > Z.length || sizes.T > T.length || sizes.P > P.length) {
    found.push(
      `Micro-Manager planned ${sizes.C} channels × ${sizes.Z} slices × ${sizes.T} frames at ${sizes.P} positions; this ` +
        `file holds ${C.length} × ${Z.length} × ${T.length} at ${P.length}, which are shown`,
    );
  }
  const missing = C.length * Z.length * T.length * P.length - held;
  if (missing > 0)
    found.push(
      `${plural(missing, 'plane')} ${missing === 1 ? 'was' : 'were'} not recorded and ${missing === 1 ? 'is' : 'are'} shown as zeros`,
    );
  return found;
}

function sceneOf(
  page: TiffPage,
  extent: Extent,
  summary: MicroManagerSummary,
  position: number,
  warnings: string[],
): SceneInfo {
  const { layout } = page;
  const samples = extent.C.map(() => layout.samplesPerPixel);
  const colors = extent.C.map((channel) => summary.channelColors[channel]);
  const displays = displaysOf(page, { ...summary, channelColors: colors }, extent.C.length);
  const names = extent.C.map((channel) => summary.channelNames[channel]);
  return {
    name: extent.P.length > 1 ? `Position ${position}` : '',
    sampleType: layout.sampleType,
    channels: channelsShown(pageChannels(layout.photometric, samples, names), displays),
    sizes: { T: extent.T.length, Z: extent.Z.length, Y: layout.height, X: layout.width },
    steps: stepsOf(summary),
    ...(parseDateTime(summary.started) ?? NO_CLOCK),
    reference: null,
    warnings: [...warnings],
  };
}
