import { ignoreCorrupted } from '../../../base/errors.js';
import { LIMITS } from '../../../base/limits.js';
import { Notes } from '../../../base/notes.js';
import { asCorrupted, asInconsistent } from '../../../base/warning-kinds.js';
import { grouped, plural } from '../../../base/wording.js';
import type { ChannelInfo, PlaneColumns, SceneInfo } from '../../../model/acquisition.js';
import { channelsShown } from '../../../model/metadata/colors.js';
import { NO_CLOCK, parseDateTime } from '../../../model/metadata/dates.js';
import { type GridAxis, gridSize, planeNumber, toIndices } from '../../../model/metadata/mixed-radix.js';
import { collectColumns } from '../../../model/metadata/plane-columns.js';
import type { PlaneRows } from '../../../model/metadata/plane-rows.js';
import { TAG } from '../../../tiff/tags.js';
import type { TiffPage } from '../../../tiff/types.js';
import type { Arrangement, FlavorContext, FlavorReader, PlaneLocation } from '../arrangement.js';
import { pageChannels } from '../metadata.js';
import { readDescription, readText } from '../parse.js';
import { countPlanes, type PlaneRun } from '../plane-run.js';
import { describeCalibration } from './imagej-calibration.js';
import { imageJDisplays } from './imagej-display.js';
import { type ImageJMetadata, readImageJMetadata } from './imagej-items.js';
import { namesFromLabels, rowsOfLabels, usefulLabels } from './imagej-labels.js';
import { imageJSteps } from './imagej-steps.js';
import { type ImageJText, parseImageJText } from './imagej-text.js';

/** ImageJ and Fiji: hyperstacks, including those beyond 4 GB, which have a single IFD for all planes. */
export const imageJFlavor: FlavorReader = {
  arrange: async (context) => arrangeStack(context),
};

function arrangeStack(context: FlavorContext): Arrangement | undefined {
  const { file, page } = context;
  const text = countPages(parseImageJText(readDescription(page)), page.layout.samplesPerPixel, file.pageCount);
  const product = (text.channels ?? 1) * (text.slices ?? 1) * (text.frames ?? 1);
  const { count, run } = countPlanes(file, page, text.images ?? product);
  const { axes, note } = arrangeAxes(text, count);
  const [C, Z, T] = [gridSize(axes, 'C'), gridSize(axes, 'Z'), gridSize(axes, 'T')];
  if (C > LIMITS.channels || Z > LIMITS.planes || T > LIMITS.planes) {
    context.notes.add(
      `The ImageJ description says ${plural(C, 'channel')} × ${plural(Z, 'slice')} × ${plural(T, 'frame')}, ` +
        'which is above the limits; the description was ignored.',
    );
    return undefined;
  }
  const notes = new Notes();
  if (note !== undefined) notes.add(note);
  const calibration = describeCalibration(text.calibration);
  if (calibration !== undefined) notes.add(calibration);
  const samples = page.layout.samplesPerPixel;
  // Labels and colors are optional: corrupted ones are ignored.
  const metadata = ignoreCorrupted(() => readImageJMetadata(page));
  const labels = usefulLabels(metadata, C);
  const rows = rowsOfLabels(labels, axes);
  const scene: SceneInfo = {
    name: '',
    sampleType: page.layout.sampleType,
    channels: readChannels(page, axes, C, { metadata, labels }),
    sizes: { T, Z, Y: page.layout.height, X: page.layout.width },
    ...imageJSteps(page, text, { T, Z, C, rows }, notes),
    ...(parseDateTime(readText(page, TAG.dateTime)) ?? NO_CLOCK),
    reference: null,
    warnings: notes.list(),
  };
  return {
    scenes: [scene],
    locate: (address) => {
      const channel = Math.floor(address.channel / samples);
      const plane = planeNumber(axes, { ...address, scene: 0, channel });
      if (plane >= count) return undefined;
      return locatePlane(context, plane, address.channel % samples, run);
    },
    ...(rows && { readPlaneColumns: () => columnsOf(scene, { rows, axes, samples }) }),
  };
}

/** Samples of a page share its label. */
function columnsOf(
  scene: SceneInfo,
  { rows, axes, samples }: { rows: PlaneRows; axes: readonly GridAxis[]; samples: number },
): PlaneColumns {
  const valuesAt = ({ t, z, channel }: { t: number; z: number; channel: number }) => {
    const plane = planeNumber(axes, { scene: 0, t, z, channel: Math.floor(channel / samples) });
    return { time: rows.time[plane], z: rows.depth[plane] };
  };
  return collectColumns(scene, valuesAt, samples);
}

/**
 * Returns counts in pages if ImageJ counted samples: it describes a 48-bit RGB image, one page of three samples, as
 * `images=3`, `channels=3`.
 */
function countPages(text: ImageJText, samples: number, pages: number): ImageJText {
  const { channels = 1, slices = 1, frames = 1, images } = text;
  const product = channels * slices * frames;
  const countsSamples = samples > 1 && channels % samples === 0 && product === pages * samples;
  if (!countsSamples || (images !== undefined && images !== product)) return text;
  return { ...text, channels: channels / samples, images: pages };
}

function locatePlane(
  { file, page }: FlavorContext,
  plane: number,
  sample: number,
  run: PlaneRun | undefined,
): PlaneLocation {
  if (!run) return { file, page: file.page(plane), sample };
  return { file, page, sample, dataOffset: run.offset + plane * run.planeBytes };
}

/** The axes of the planes, fastest first, and a warning if the description says others. */
export interface ImageJAxes {
  axes: GridAxis[];
  note?: string;
}

/**
 * Returns the axes of the planes that the file has. If the described counts do not multiply to the planes, all planes are
 * slices; if the stack only ends early, the slowest axis ends early.
 */
export function arrangeAxes(text: ImageJText, count: number): ImageJAxes {
  const sizes = { C: text.channels ?? 1, Z: text.slices ?? 1, T: text.frames ?? 1 };
  const hasCounts = text.channels !== undefined || text.slices !== undefined || text.frames !== undefined;
  const axes: GridAxis[] = text.order.map((kind) => ({ kind, size: sizes[kind] }));
  const product = gridSize(axes);
  const claimed = text.images ?? product;
  const says = `The ImageJ description says ${plural(claimed, 'image')}, but the file has ${grouped(count)}`;
  if (product === count) return claimed === count ? { axes } : { axes, note: `${says}.` };
  if (product === claimed && (count < claimed || growsBy(axes, count))) return resizeSlowest(axes, count);
  const slices: GridAxis[] = [{ kind: 'Z', size: count }];
  if (hasCounts) {
    const note =
      `The ImageJ description says ${plural(sizes.C, 'channel')} × ${plural(sizes.Z, 'slice')} × ` +
      `${plural(sizes.T, 'frame')}, but the file has ${plural(count, 'plane')}. Showing the planes as slices.`;
    return { axes: slices, note };
  }
  if (claimed === count || text.images === undefined) return { axes: slices };
  return { axes: slices, note: `${says}. Showing the planes as slices.` };
}

const AXIS_NOUNS = { S: 'position', C: 'channel', Z: 'slice', T: 'frame' } as const;

/** True if more slices or frames, but not more channels, explain the planes after the claimed ones. */
function growsBy(axes: readonly GridAxis[], count: number): boolean {
  const slowest = axes.findLast(({ size }) => size > 1);
  return slowest !== undefined && slowest.kind !== 'C' && count > gridSize(axes);
}

/** Shortens the slowest axis of a stack that ends early, whose last step may be incomplete, or lengthens it. */
function resizeSlowest(axes: readonly GridAxis[], count: number): ImageJAxes {
  const slowest = axes.findLast(({ size }) => size > 1)!;
  const claimed = gridSize(axes);
  const stride = claimed / slowest.size;
  const size = count < claimed ? Math.ceil(count / stride) : Math.floor(count / stride);
  const missing = size * stride - count;
  const zeros = missing > 0 ? `, the last ${plural(missing, 'plane')} as zeros` : '';
  return {
    axes: axes.map((axis) => (axis === slowest ? { ...axis, size } : axis)),
    note: (count < claimed ? asCorrupted : asInconsistent)(
      `The ImageJ description says ${plural(claimed, 'image')}, but the file has ${plural(count, 'plane')}. ` +
        `Showing ${plural(size, AXIS_NOUNS[slowest.kind])}${zeros}.`,
    ),
  };
}

function readChannels(
  page: TiffPage,
  axes: readonly GridAxis[],
  count: number,
  { metadata, labels }: { metadata: ImageJMetadata | undefined; labels: readonly string[] },
): ChannelInfo[] {
  const names = count > 1 ? namesFromLabels(labels, count, (plane) => toIndices(axes, plane).C) : [];
  const { photometric, samplesPerPixel } = page.layout;
  const channels = pageChannels(photometric, new Array<number>(count).fill(samplesPerPixel), names);
  return samplesPerPixel === 1 ? channelsShown(channels, imageJDisplays(page, metadata, count)) : channels;
}
