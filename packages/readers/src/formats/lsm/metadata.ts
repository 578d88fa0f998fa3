import { Notes } from '../../base/notes.js';
import { grouped, plural } from '../../base/wording.js';
import type { SceneInfo, Step } from '../../model/acquisition.js';
import { type AxisEvidence, measuredAxes, type ResolvedAxis, resolveAxis } from '../../model/metadata/axes.js';
import { bgrColor, type ChannelDisplay, channelsShown } from '../../model/metadata/colors.js';
import { NO_CLOCK, toIsoClock, type WallClock, wallClockOf } from '../../model/metadata/dates.js';
import { depthRows } from '../../model/metadata/depth-rows.js';
import { toInstrument, toOptics } from '../../model/metadata/instrument.js';
import { channelsNamed } from '../../model/metadata/names.js';
import { defaultStep, isUsableStep, makeStep, type UncalibratedUnit } from '../../model/metadata/steps.js';
import type { SampleType } from '../../model/samples/types.js';
import type { ImageShape } from './image-shape.js';
import type { LsmHeader } from './parse.js';
import { type ImagePlan, ROI_MEANS, sceneNames } from './plan.js';
import { stampsOf } from './time-stamps.js';

/**
 * Describes the scenes of the file.
 * @param rows number of rows that can be read, which is less than in `shape` when the file is truncated
 */
export function toScenes(header: LsmHeader, plan: ImagePlan, shape: ImageShape, rows: number): SceneInfo[] {
  const notes = new Notes();
  notes.addAll(plan.warnings);
  notes.addAll(findMismatches(header, plan, shape));
  const steps = toSteps(header, plan, rows, notes);
  const sampleType = widestType(shape.bits);
  const named = channelsNamed(channelNames(header, shape.channels, notes));
  const shown = channelsShown(named, channelDisplays(header, shape.channels));
  // Detection channels have no link to the channels of the image: they count when there are as many.
  const optics = header.scan.optics?.length === shape.channels ? header.scan.optics : [];
  const channels = shown.map((channel, i) => ({ ...channel, ...toOptics(optics[i] ?? {}) }));
  const clock = toClock(header.scan.startTime);
  const start = header.scan.instrument ? toIsoClock(clock) : '';
  const instrument = toInstrument({ ...header.scan.instrument, start });
  const rowAxis = depthRows(plan.rows === 'Z', notes);
  return sceneNames(plan).map((name) => ({
    name,
    sampleType,
    channels,
    sizes: { T: plan.T, Z: plan.Z, Y: rows, X: shape.width },
    ...steps,
    ...instrument,
    ...rowAxis,
    ...clock,
    reference: null,
    warnings: notes.list(),
  }));
}

/** Returns the narrowest type for the samples of all channels. */
function widestType(bits: readonly number[]): SampleType {
  const max = bits.reduce((a, b) => Math.max(a, b), 8);
  return max === 32 ? 'float32' : max === 16 ? 'uint16' : 'uint8';
}

/** Returns warnings where the header does not match the pages, which are right. */
function findMismatches({ info }: LsmHeader, plan: ImagePlan, shape: ImageShape): string[] {
  const { dimensions } = info;
  const warnings: string[] = [];
  const compare = (what: string, expected: number, actual: number) => {
    if (expected <= 0 || expected === actual) return;
    const shown = grouped(actual);
    warnings.push(`The header says ${plural(expected, what)}, but the file has ${shown}. Showing ${shown}.`);
  };
  compare('column', dimensions.X, shape.width);
  compare(plan.rows === 'Z' ? 'depth' : 'line', dimensions[plan.rows], shape.height);
  compare('channel', dimensions.C, shape.channels);
  if (info.typeOfData !== 0) warnings.push('The header says that the pixels were calculated, not scanned.');
  return warnings;
}

function toSteps(
  header: LsmHeader,
  plan: ImagePlan,
  rows: number,
  notes: Notes,
): Pick<SceneInfo, 'steps' | 'coordinates'> {
  const { info, scan } = header;
  const isMeans = info.scanType === ROI_MEANS;
  if (isMeans) notes.add('The columns are means of regions, which have no pixel size, so X is in pixels.');
  const areLines = plan.rows === 'T';
  const time = areLines || plan.T > 1 ? resolveTime(header, plan, rows, notes) : undefined;
  const depth = (unit: UncalibratedUnit) => lengthStep(info.voxel.Z, scan.planeSpacing, unit);
  const frames = areLines ? undefined : time;
  const Y = { T: time?.step, Z: depth('Pixels'), Y: lengthStep(info.voxel.Y, scan.lineSpacing) }[plan.rows];
  return {
    steps: {
      T: frames?.step ?? defaultStep('Frames'),
      Z: plan.rows === 'Z' ? defaultStep('Planes') : depth('Planes'),
      Y: Y ?? defaultStep(),
      X: isMeans ? defaultStep() : lengthStep(info.voxel.X, scan.sampleSpacing),
    },
    ...measuredAxes({ [areLines ? 'Y' : 'T']: time }),
  };
}

/**
 * @param meters voxel size in the header
 * @param micrometers spacing in the scan settings
 */
function lengthStep(meters: number, micrometers: number | undefined, unit: UncalibratedUnit = 'Pixels'): Step {
  const size = withoutRounding(meters * 1e6);
  // Recordings of a single section have 1e-19 m in the header.
  const step = isUsableStep(size, 'micrometer') ? makeStep(size, 'micrometer') : undefined;
  return step ?? makeStep(micrometers ?? Number.NaN, 'micrometer') ?? defaultStep(unit);
}

/** Returns the decimal number that a product with 10⁶ missed by its last bit. */
function withoutRounding(value: number): number {
  const decimal = Number(value.toPrecision(12));
  return Math.abs(value - decimal) <= 2 * Number.EPSILON * Math.abs(value) ? decimal : value;
}

/** Returns the axis of the lines or frames: from the time stamps, the interval, or the line period of the settings. */
function resolveTime(header: LsmHeader, plan: ImagePlan, rows: number, notes: Notes): ResolvedAxis {
  const { info, scan, stamps } = header;
  const areLines = plan.rows === 'T';
  const size = areLines ? rows : plan.T;
  // Stamps of several positions are not the times of one.
  const isUsable = plan.scenes === 1 || stamps.length <= plan.T;
  const evidence: AxisEvidence = {
    unit: 'seconds',
    nominal: [{ step: info.timeInterval, what: 'the interval in the header' }],
    measured: isUsable ? stampsOf(stamps, size) : undefined,
  };
  const resolved = resolveAxis(areLines ? 'Y' : 'T', size, evidence, notes);
  if (resolved.step.unit === 'seconds' || !areLines || scan.linePeriod === undefined) return resolved;
  const step = makeStep(scan.linePeriod, 'seconds');
  if (!step) return resolved;
  notes.add(
    'The file contains neither time stamps nor an interval. ' +
      'The line period is from the scan settings, assumed to be in seconds.',
  );
  return { step };
}

/** Returns the colors of the color table, else of the acquired data channels. Either must have one per channel. */
function channelDisplays({ colors, scan }: LsmHeader, channels: number): ChannelDisplay[] {
  const acquired = scan.dataChannels.filter((channel) => channel.acquired).map(({ color }) => color);
  const list = [colors, acquired].find(({ length }) => length === channels) ?? [];
  return list.map((color) => ({ color: bgrColor(color) }));
}

/** Returns the names in the color table, else those of the acquired data channels. */
function channelNames(header: LsmHeader, channels: number, notes: Notes): (string | undefined)[] {
  const acquired = header.scan.dataChannels.filter((channel) => channel.acquired).map(({ name }) => name);
  const lists = [header.names, acquired].filter((list) => list.length > 0);
  const names = lists.find((list) => list.length === channels) ?? [];
  if (lists.length > 0 && names.length === 0) {
    notes.add(`The file names ${plural(lists[0]!.length, 'channel')} but has ${grouped(channels)}. They are numbered.`);
  }
  return Array.from({ length: channels }, (_, i) => names[i]);
}

/** Days from 1899-12-30 to 1970-01-01. */
const EPOCH_DAYS = 25_569;

function toClock(days: number | undefined): WallClock {
  if (days === undefined || !(days >= EPOCH_DAYS)) return NO_CLOCK;
  return wallClockOf(Math.round((days - EPOCH_DAYS) * 86_400_000)) ?? NO_CLOCK;
}
