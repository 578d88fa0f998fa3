import type { ChannelInfo, SceneInfo, Step } from '../../../acquisition.js';
import { unsupported } from '../../../errors.js';
import { LIMITS } from '../../../io/limits.js';
import { channelsShown } from '../../../metadata/colors.js';
import { NO_CLOCK, parseDateTime } from '../../../metadata/dates.js';
import { type GridAxis, gridSize, planeNumber } from '../../../metadata/mixed-radix.js';
import { channelsNamed } from '../../../metadata/names.js';
import { defaultStep, fileStep, makeStep } from '../../../metadata/steps.js';
import type { PageLayout } from '../../../tiff/types.js';
import { grouped, plural } from '../../../wording.js';
import type { Arrangement, Flavor, FlavorContext } from '../arrangement.js';
import { pageChannels } from '../channels.js';
import { contiguousData } from '../contiguous.js';
import { textOf } from '../soft-tags.js';
import { metaseriesClock, metaseriesSteps } from './metaseries.js';
import { isMetaSeries, type PlaneProperties, parseMetaSeries } from './metaseries-text.js';
import { planeAxes } from './stk-axes.js';
import {
  claimedPlanes,
  type RawPlane,
  type RawUic1,
  readPlanes,
  readUic1,
  readWavelengths,
  stkClock,
  stkMilliseconds,
} from './uic.js';

const IMAGE_DESCRIPTION = 270;
const SOFTWARE = 305;
const DATE_TIME = 306;

/** MetaMorph STK: one IFD, the planes one behind the other. See `docs/formats/metamorph-stk.md`. */
export const stkFlavor: Flavor = {
  id: 'stk',
  label: 'MetaMorph STK',
  detect: isStk,
  arrange: async (context) => arrangeStack(context),
};

/** Prairie View writes the same tags into plain TIFFs: one plane, its dates zero. */
function isStk({ file, page }: FlavorContext): boolean {
  const count = claimedPlanes(page);
  if (count === 0 || /^prairie/i.test(textOf(page, SOFTWARE))) return false;
  return count > 1 || (readPlanes(file, page, 1)?.[0]?.createdDay ?? 0) !== 0;
}

function arrangeStack(context: FlavorContext): Arrangement {
  const { file, page, warnings } = context;
  const { layout } = page;
  const stack = findStack(context);
  const planes = readPlanes(file, page, stack.count);
  if (!planes) warnings.push('the records of the planes (UIC2) are not inside the file: no dates and distances');
  const wavelengths = readWavelengths(file, page, stack.count);
  const isZ = planes?.some(({ zDistance }) => zDistance > 0) ?? false;
  const axes = planeAxes(stack.count, wavelengths, isZ ? 'Z' : 'T', warnings);
  const uic1 = readUic1(file, page);
  const description = textOf(page, IMAGE_DESCRIPTION);
  const properties = isMetaSeries(description) ? parseMetaSeries(description) : new Map<string, string>();
  const scene: SceneInfo = {
    name: '',
    sampleType: layout.sampleType,
    channels: channelsOf(axes, uic1, wavelengths, layout),
    sizes: { T: gridSize(axes, 'T'), Z: gridSize(axes, 'Z'), Y: layout.height, X: layout.width },
    steps: {
      T: timeStep(axes, planes),
      Z: zStep(planes, uic1.units, warnings),
      ...pixelSteps(uic1, properties, warnings),
    },
    ...(stkClock(planes?.[0]) ?? metaseriesClock(properties) ?? parseDateTime(textOf(page, DATE_TIME)) ?? NO_CLOCK),
    reference: null,
    warnings: [],
  };
  return {
    scenes: [scene],
    locate: (address) => {
      const samples = layout.samplesPerPixel;
      const plane = planeNumber(axes, { ...address, channel: Math.floor(address.channel / samples) });
      const sample = address.channel % samples;
      if (plane === 0) return { file, page, sample };
      if (stack.pages) return { file, page: file.page(plane), sample };
      return { file, page, sample, dataOffset: stack.offset + plane * stack.stride };
    },
  };
}

/** Where the planes are and how many there really are. */
interface Stack {
  count: number;
  /** Planes are pages of their own (re-saved files). */
  pages: boolean;
  offset: number;
  stride: number;
}

function findStack({ file, page, input, warnings }: FlavorContext): Stack {
  const claimed = claimedPlanes(page);
  if (claimed === 1) return { count: 1, pages: false, offset: 0, stride: 0 };
  if (file.pageCount === claimed) return { count: claimed, pages: true, offset: 0, stride: 0 };
  const start = contiguousData(page);
  if (!start || page.layout.planar) {
    throw unsupported(
      `${input.probe.name}: a MetaMorph stack of ${claimed} planes that are compressed or scattered; save it uncompressed`,
    );
  }
  const room = 1 + Math.floor((file.source.size - start.offset - start.bytes) / start.stride);
  const count = Math.max(1, Math.min(claimed, room));
  if (count > LIMITS.planes)
    throw unsupported(`${input.probe.name}: claims ${claimed} planes, more than can be served`);
  if (count < claimed) {
    warnings.push(`the file says ${plural(claimed, 'plane')} but has room for ${grouped(count)}; it may be truncated`);
  }
  return { count, pages: false, offset: start.offset, stride: start.stride };
}

function channelsOf(
  axes: readonly GridAxis[],
  uic1: RawUic1,
  wavelengths: number[] | undefined,
  layout: PageLayout,
): ChannelInfo[] {
  const { samplesPerPixel, photometric } = layout;
  const count = gridSize(axes, 'C');
  if (samplesPerPixel > 1) return pageChannels(photometric, new Array<number>(count).fill(samplesPerPixel));
  const named = channelsNamed(channelNames(axes, uic1, wavelengths, count));
  const { autoScale, minScale: start, maxScale: end } = uic1;
  // One range for the whole stack says nothing of one of several wavelengths.
  const isStated = count === 1 && autoScale === false && start !== undefined && end !== undefined;
  return isStated ? channelsShown(named, [{ window: { start, end } }]) : named;
}

function channelNames(
  axes: readonly GridAxis[],
  uic1: RawUic1,
  wavelengths: number[] | undefined,
  count: number,
): (string | undefined)[] {
  return Array.from({ length: count }, (_, index) => {
    const plane = planeNumber(axes, { scene: 0, channel: index, t: 0, z: 0 });
    const wavelength = wavelengths?.[plane];
    // Filter positions 1, 2, … stand in the same place.
    const named = wavelength !== undefined && wavelength >= 200 && wavelength <= 20_000;
    return uic1.illumination.get(plane) ?? (named ? `${Math.round(wavelength)} nm` : undefined);
  });
}

function pixelSteps(uic1: RawUic1, properties: PlaneProperties, warnings: string[]): { Y: Step; X: Step } {
  if (uic1.calibrated === false) return { Y: defaultStep(), X: defaultStep() };
  if (uic1.xCalibration === undefined && uic1.yCalibration === undefined) return metaseriesSteps(properties, warnings);
  const step = (what: string, value: number | undefined) =>
    fileStep(value, uic1.units, { what, warnings, expect: 'micrometer' });
  return {
    Y: step('YCalibration', uic1.yCalibration ?? uic1.xCalibration),
    X: step('XCalibration', uic1.xCalibration ?? uic1.yCalibration),
  };
}

/** Distances are in the unit of the calibration; the first one is often 0. */
function zStep(planes: RawPlane[] | undefined, units: string | undefined, warnings: string[]): Step {
  const distances = (planes ?? []).map(({ zDistance }) => zDistance).filter((distance) => distance > 0);
  const first = distances[0];
  if (first === undefined) return defaultStep('Planes');
  if (distances.some((distance) => Math.abs(distance - first) > 0.01 * first)) {
    warnings.push('the distances between the planes are not equal; the Z step is that of the first two');
  }
  return fileStep(first, units ?? 'um', { what: 'Z distance', warnings, fallback: 'Planes', expect: 'micrometer' });
}

/** Mean distance in time of the time points, from the creation times of the first and the last plane. */
function timeStep(axes: readonly GridAxis[], planes: RawPlane[] | undefined): Step {
  const points = gridSize(axes, 'T');
  const first = stkMilliseconds(planes?.[0]);
  const last = stkMilliseconds(planes?.[planeNumber(axes, { scene: 0, channel: 0, t: points - 1, z: 0 })]);
  const period = first === undefined || last === undefined || points < 2 ? Number.NaN : (last - first) / (points - 1);
  return makeStep(period / 1000, 'seconds', 'derived') ?? defaultStep('Frames');
}
