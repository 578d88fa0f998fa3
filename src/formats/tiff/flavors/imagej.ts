import type { ChannelInfo, SceneInfo, Step } from '../../../acquisition.js';
import { LIMITS } from '../../../io/limits.js';
import { channelsShown } from '../../../metadata/colors.js';
import { NO_CLOCK, parseDateTime } from '../../../metadata/dates.js';
import { type GridAxis, gridSize, planeNumber, toIndices } from '../../../metadata/mixed-radix.js';
import { defaultStep, fileStep, makeStep } from '../../../metadata/steps.js';
import type { TiffPage } from '../../../tiff/types.js';
import { countAre, grouped, plural } from '../../../wording.js';
import type { Arrangement, Flavor, FlavorContext } from '../arrangement.js';
import { pageChannels } from '../channels.js';
import { countPlanes, type PlaneRun } from '../plane-run.js';
import { numberOf, softly, textOf } from '../soft-tags.js';
import { imageJDisplays } from './imagej-display.js';
import { readImageJMetadata } from './imagej-items.js';
import { imageJLabels, namesFromLabels } from './imagej-labels.js';
import { type ImageJText, isImageJText, parseImageJText } from './imagej-text.js';

const DESCRIPTION = 270;
const DATE_TIME = 306;
const X_RESOLUTION = 282;
const Y_RESOLUTION = 283;
/** More labels are not needed to tell channels apart. */
const LABELS_READ = 10_000;

/** ImageJ and Fiji: hyperstacks, also those beyond 4 GB, which have one IFD for all planes. */
export const imageJFlavor: Flavor = {
  id: 'imagej',
  label: 'ImageJ',
  detect: ({ page }) => isImageJText(textOf(page, DESCRIPTION)),
  arrange: async (context) => arrange(context),
};

function arrange(context: FlavorContext): Arrangement | undefined {
  const { file, page } = context;
  const text = countPages(parseImageJText(textOf(page, DESCRIPTION)), page.layout.samplesPerPixel, file.pageCount);
  const product = (text.channels ?? 1) * (text.slices ?? 1) * (text.frames ?? 1);
  const { count, run } = countPlanes(file, page, text.images ?? product);
  const warnings: string[] = [];
  const axes = arrangeAxes(text, count, warnings);
  const [C, Z, T] = [gridSize(axes, 'C'), gridSize(axes, 'Z'), gridSize(axes, 'T')];
  if (C > LIMITS.channels || Z > LIMITS.planes || T > LIMITS.planes) {
    context.warnings.push(
      `the ImageJ description says ${plural(C, 'channel')}, ${plural(Z, 'slice')}, ${plural(T, 'frame')}; it was ignored`,
    );
    return undefined;
  }
  if (text.calibration && (text.calibration.c0 !== 0 || text.calibration.c1 !== 1)) {
    const { c0, c1 } = text.calibration;
    warnings.push(`ImageJ shows these values as ${c0} + ${c1} × stored value; the stored values are served`);
  }
  const samples = page.layout.samplesPerPixel;
  const scene: SceneInfo = {
    name: '',
    sampleType: page.layout.sampleType,
    channels: describeChannels(page, axes, C),
    sizes: { T, Z, Y: page.layout.height, X: page.layout.width },
    steps: stepsOf(text, page, warnings),
    ...(parseDateTime(textOf(page, DATE_TIME)) ?? NO_CLOCK),
    reference: null,
    warnings,
  };
  return {
    scenes: [scene],
    locate: (address) => {
      const channel = Math.floor(address.channel / samples);
      const plane = planeNumber(axes, { ...address, scene: 0, channel });
      if (plane >= count) return undefined;
      return placeOf(context, plane, address.channel % samples, run);
    },
  };
}

/**
 * Counts of pages, where ImageJ counted samples: it describes a 48-bit RGB image, one page of three samples, as
 * `images=3`, `channels=3`.
 */
function countPages(text: ImageJText, samples: number, pages: number): ImageJText {
  const { channels = 1, slices = 1, frames = 1, images } = text;
  const product = channels * slices * frames;
  const counted = samples > 1 && channels % samples === 0 && product === pages * samples;
  if (!counted || (images !== undefined && images !== product)) return text;
  return { ...text, channels: channels / samples, images: pages };
}

function placeOf({ file, page }: FlavorContext, plane: number, sample: number, run?: PlaneRun) {
  if (!run) return { file, page: file.page(plane), sample };
  return { file, page, sample, dataOffset: run.offset + plane * run.planeBytes };
}

/**
 * Axes of the planes that the file really holds, fastest first. Counts that do not multiply to the planes are dropped
 * for one axis of all planes; a stack that is shorter than its text says ends early.
 */
export function arrangeAxes(text: ImageJText, count: number, warnings: string[]): GridAxis[] {
  const sizes = { C: text.channels ?? 1, Z: text.slices ?? 1, T: text.frames ?? 1 };
  const given = text.channels !== undefined || text.slices !== undefined || text.frames !== undefined;
  const axes: GridAxis[] = text.order.map((kind) => ({ kind, size: sizes[kind] }));
  const product = gridSize(axes);
  const claimed = text.images ?? product;
  if (product === count) {
    if (claimed !== count)
      warnings.push(`the ImageJ description says ${plural(claimed, 'image')}, but the file has ${grouped(count)}`);
    return axes;
  }
  if (product === claimed && (count < claimed || growsBy(axes, count))) return resizeSlowest(axes, count, warnings);
  if (given) {
    warnings.push(
      `the ImageJ description says ${plural(sizes.C, 'channel')} × ${plural(sizes.Z, 'slice')} × ` +
        `${plural(sizes.T, 'frame')}, but the file has ${plural(count, 'plane')}; shown as slices`,
    );
  } else if (claimed !== count && text.images !== undefined) {
    warnings.push(
      `the ImageJ description says ${plural(claimed, 'image')}, but the file has ${grouped(count)}; shown as slices`,
    );
  }
  return [{ kind: 'Z', size: count }];
}

const AXIS_NOUNS = { S: 'position', C: 'channel', Z: 'slice', T: 'frame' } as const;

/** True when more slices or frames, never channels, explain planes behind the claimed ones. */
function growsBy(axes: readonly GridAxis[], count: number): boolean {
  const slowest = axes.findLast(({ size }) => size > 1);
  return slowest !== undefined && slowest.kind !== 'C' && count > gridSize(axes);
}

/** A stack that ends early has fewer of its slowest axis, the last of them perhaps incomplete; one that goes on, more. */
function resizeSlowest(axes: GridAxis[], count: number, warnings: string[]): GridAxis[] {
  const slowest = axes.findLast(({ size }) => size > 1) as GridAxis;
  const claimed = gridSize(axes);
  const stride = claimed / slowest.size;
  const held = count < claimed ? Math.ceil(count / stride) : Math.floor(count / stride);
  const missing = held * stride - count;
  slowest.size = held;
  warnings.push(
    `the ImageJ description says ${plural(claimed, 'image')}, but the file has ${plural(count, 'plane')}; ` +
      countAre(held, AXIS_NOUNS[slowest.kind]) +
      ` shown${missing > 0 ? `, the last ${plural(missing, 'plane')} as zeros` : ''}`,
  );
  return axes;
}

function describeChannels(page: TiffPage, axes: readonly GridAxis[], count: number): ChannelInfo[] {
  // Labels and colors are an extra: damaged ones are as good as none.
  const metadata = softly(() => readImageJMetadata(page));
  const labels = count > 1 ? imageJLabels(metadata, LABELS_READ) : [];
  const names = namesFromLabels(labels, count, (plane) => toIndices(axes, plane).C);
  const { photometric, samplesPerPixel } = page.layout;
  const named = pageChannels(photometric, new Array<number>(count).fill(samplesPerPixel), names);
  return samplesPerPixel === 1 ? channelsShown(named, imageJDisplays(page, metadata, count)) : named;
}

/**
 * X and Y are pixels per `unit` in the resolution tags, whose own unit means nothing here. Newer ImageJ has a unit per
 * axis: a line scan has `yunit=sec`.
 */
function stepsOf(text: ImageJText, page: TiffPage, warnings: string[]) {
  const plane = (axis: 'X' | 'Y', perUnit: number | undefined, unit: string | undefined): Step =>
    fileStep(perUnit === undefined || perUnit === 0 ? undefined : 1 / perUnit, unit, {
      what: `ImageJ ${axis} scale`,
      warnings,
      ...(axis === 'X' ? { expect: 'micrometer' as const } : {}),
    });
  const time = text.frameInterval === undefined ? undefined : makeStep(text.frameInterval, 'seconds');
  return {
    X: plane('X', numberOf(page, X_RESOLUTION), text.xunit ?? text.unit),
    Y: plane('Y', numberOf(page, Y_RESOLUTION), text.yunit ?? text.unit),
    Z: fileStep(text.spacing || undefined, text.zunit ?? text.unit, {
      what: 'ImageJ spacing',
      warnings,
      fallback: 'Planes',
      expect: 'micrometer',
    }),
    T: time ?? defaultStep('Frames'),
  };
}
