import type { ChannelInfo, SceneInfo, Step } from '../../../acquisition.js';
import { unsupported } from '../../../errors.js';
import { LIMITS } from '../../../io/limits.js';
import { measuredAxes, type ResolvedAxis, resolveAxis } from '../../../metadata/axes.js';
import { channelsShown } from '../../../metadata/colors.js';
import { NO_CLOCK, parseDateTime } from '../../../metadata/dates.js';
import { type GridAxis, gridSize, planeNumber } from '../../../metadata/mixed-radix.js';
import { channelsNamed } from '../../../metadata/names.js';
import { defaultStep, fileStep } from '../../../metadata/steps.js';
import type { Notes } from '../../../notes.js';
import { TAG } from '../../../tiff/tags.js';
import type { PageLayout } from '../../../tiff/types.js';
import { grouped, plural } from '../../../wording.js';
import type { Arrangement, Flavor, FlavorContext } from '../arrangement.js';
import { contiguousData } from '../contiguous.js';
import { pageChannels } from '../metadata.js';
import { readDescription, readText } from '../parse.js';
import { metaseriesClock, metaseriesSteps } from './metaseries.js';
import { isMetaSeries, type PlaneProperties, parseMetaSeries } from './metaseries-text.js';
import { planeAxes } from './stk-axes.js';
import {
  countClaimedPlanes,
  type RawPlane,
  type RawUic1,
  readPlanes,
  readUic1,
  readWavelengths,
  stkClock,
  stkMilliseconds,
} from './uic.js';

/** MetaMorph STK: a single IFD and consecutive planes. See `docs/formats/metamorph-stk.md`. */
export const stkFlavor: Flavor = {
  id: 'stk',
  label: 'MetaMorph STK',
  detect: isStk,
  arrange: async (context) => arrangeStack(context),
};

/** Prairie View writes the same tags into plain TIFFs, with one plane whose dates are zero. */
function isStk({ file, page }: FlavorContext): boolean {
  const count = countClaimedPlanes(page);
  if (count === 0 || /^prairie/i.test(readText(page, TAG.software))) return false;
  return count > 1 || (readPlanes(file, page, 1)?.[0]?.createdDay ?? 0) !== 0;
}

function arrangeStack(context: FlavorContext): Arrangement {
  const { file, page, notes } = context;
  const { layout } = page;
  const stack = findStack(context);
  const planes = readPlanes(file, page, stack.count);
  if (!planes)
    notes.add('The records of the planes (UIC2) fall outside the file, so dates and Z distances are missing.');
  const wavelengths = readWavelengths(file, page, stack.count);
  const isZ = planes?.some(({ zDistance }) => zDistance > 0) ?? false;
  const { axes, note } = planeAxes(stack.count, wavelengths, isZ ? 'Z' : 'T');
  if (note !== undefined) notes.add(note);
  const uic1 = readUic1(file, page);
  const description = readDescription(page);
  const properties = isMetaSeries(description) ? parseMetaSeries(description) : new Map<string, string>();
  const time = timeAxis(axes, planes, notes);
  const scene: SceneInfo = {
    name: '',
    sampleType: layout.sampleType,
    channels: toChannels(axes, uic1, wavelengths, layout),
    sizes: { T: gridSize(axes, 'T'), Z: gridSize(axes, 'Z'), Y: layout.height, X: layout.width },
    steps: {
      T: time.step,
      Z: zStep(planes, uic1.units, notes),
      ...pixelSteps(uic1, properties, notes),
    },
    ...measuredAxes({ T: time }),
    ...(stkClock(planes?.[0]) ??
      metaseriesClock(properties) ??
      parseDateTime(readText(page, TAG.dateTime)) ??
      NO_CLOCK),
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
      if (stack.isPages) return { file, page: file.page(plane), sample };
      return { file, page, sample, dataOffset: stack.offset + plane * stack.stride };
    },
  };
}

/** The location and number of the planes. */
interface Stack {
  count: number;
  /** True if planes are pages of their own, in files that were saved again. */
  isPages: boolean;
  offset: number;
  stride: number;
}

function findStack({ file, page, input, notes }: FlavorContext): Stack {
  const claimed = countClaimedPlanes(page);
  if (claimed === 1) return { count: 1, isPages: false, offset: 0, stride: 0 };
  if (file.pageCount === claimed) return { count: claimed, isPages: true, offset: 0, stride: 0 };
  const start = contiguousData(page);
  if (!start || page.layout.planar) {
    throw unsupported(
      `${input.probe.name}: is a MetaMorph stack whose ${grouped(claimed)} planes are compressed or not contiguous, which is not supported. Save it uncompressed.`,
    );
  }
  const available = 1 + Math.floor((file.source.size - start.offset - start.bytes) / start.stride);
  const count = Math.max(1, Math.min(claimed, available));
  if (count > LIMITS.planes)
    throw unsupported(`${input.probe.name}: has ${grouped(claimed)} planes; the limit is ${grouped(LIMITS.planes)}`);
  if (count < claimed) {
    notes.add(`The file says ${plural(claimed, 'plane')}, but has space for ${grouped(count)}; it may be truncated.`);
  }
  return { count, isPages: false, offset: start.offset, stride: start.stride };
}

function toChannels(
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
  // A single range for the whole stack does not apply to each of several wavelengths.
  const hasWindow = count === 1 && autoScale === false && start !== undefined && end !== undefined;
  return hasWindow ? channelsShown(named, [{ window: { start, end } }]) : named;
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
    // Some files have filter positions 1, 2, … instead of wavelengths.
    const isWavelength = wavelength !== undefined && wavelength >= 200 && wavelength <= 20_000;
    return uic1.illumination.get(plane) ?? (isWavelength ? `${Math.round(wavelength)} nm` : undefined);
  });
}

function pixelSteps(uic1: RawUic1, properties: PlaneProperties, notes: Notes): { Y: Step; X: Step } {
  if (uic1.calibrated === false) return { Y: defaultStep(), X: defaultStep() };
  if (uic1.xCalibration === undefined && uic1.yCalibration === undefined) return metaseriesSteps(properties, notes);
  const step = (what: string, value: number | undefined) =>
    fileStep(value, uic1.units, { what, warnings: notes, expect: 'micrometer' });
  return {
    Y: step('YCalibration', uic1.yCalibration ?? uic1.xCalibration),
    X: step('XCalibration', uic1.xCalibration ?? uic1.yCalibration),
  };
}

/** Returns the first distance above 0, in the unit of the calibration: the first plane often has 0. */
function zStep(planes: RawPlane[] | undefined, units: string | undefined, notes: Notes): Step {
  const distances = (planes ?? []).map(({ zDistance }) => zDistance).filter((distance) => distance > 0);
  const first = distances[0];
  if (first === undefined) return defaultStep('Planes');
  if (distances.some((distance) => Math.abs(distance - first) > 0.01 * first)) {
    notes.add('The Z distances between the planes differ. The Z step is the first distance.');
  }
  return fileStep(first, units ?? 'um', {
    what: 'Z distance',
    warnings: notes,
    fallback: 'Planes',
    expect: 'micrometer',
  });
}

/** Returns the time axis by the creation times of the planes, which are rounded to milliseconds. */
function timeAxis(axes: readonly GridAxis[], planes: readonly RawPlane[] | undefined, notes: Notes): ResolvedAxis {
  const points = gridSize(axes, 'T');
  const at = Array.from({ length: planes && points > 1 ? points : 0 }, (_, t) => {
    const milliseconds = stkMilliseconds(planes?.[planeNumber(axes, { scene: 0, channel: 0, t, z: 0 })]);
    return milliseconds === undefined ? Number.NaN : milliseconds / 1000;
  });
  const measured = { at, what: 'creation times', quantum: 0.001, origin: 'derived' } as const;
  return resolveAxis('T', points, { unit: 'seconds', measured }, notes);
}
