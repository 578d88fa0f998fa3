import type { SceneInfo, Step } from '../../acquisition.js';
import { bgrColor, type ChannelDisplay, channelsShown } from '../../metadata/colors.js';
import { NO_CLOCK, type WallClock, wallClockOf } from '../../metadata/dates.js';
import { depthRows } from '../../metadata/depth-rows.js';
import { channelsNamed } from '../../metadata/names.js';
import { defaultStep, isUsableStep, makeStep, type UncalibratedUnit } from '../../metadata/steps.js';
import type { SampleType } from '../../samples/types.js';
import { plural } from '../../wording.js';
import type { ImageShape } from './image-shape.js';
import type { RawLsmInfo } from './parse.js';
import { type ImagePlan, ROI_MEANS, sceneNames } from './plan.js';
import type { RawScanInformation } from './scan-information.js';
import { periodOf } from './time-stamps.js';

/** Everything that the header and its blocks say. */
export interface LsmFacts {
  info: RawLsmInfo;
  scan: RawScanInformation;
  stamps: ArrayLike<number>;
  /** Of ChannelColors. */
  names: readonly string[];
  /** Of ChannelColors, `0x00BBGGRR`. */
  colors: readonly number[];
}

/** The scenes of the file; `rows` is the number of rows that are served. */
export function toScenes(facts: LsmFacts, plan: ImagePlan, shape: ImageShape, rows: number): SceneInfo[] {
  const warnings = [...plan.warnings, ...disagreements(facts.info, plan, shape)];
  const steps = toSteps(facts, plan, warnings);
  const sampleType = widest(shape.bits);
  const named = channelsNamed(channelNames(facts, shape.channels, warnings));
  const channels = channelsShown(named, channelDisplays(facts, shape.channels));
  const clock = clockOf(facts.scan.startTime);
  const rowAxis = depthRows(plan.rows === 'Z', warnings);
  return sceneNames(plan).map((name) => ({
    name,
    sampleType,
    channels,
    sizes: { T: plan.T, Z: plan.Z, Y: rows, X: shape.width },
    steps,
    ...rowAxis,
    ...clock,
    reference: null,
    warnings,
  }));
}

/** The type that holds the samples of every channel. */
function widest(bits: readonly number[]): SampleType {
  const most = bits.reduce((a, b) => Math.max(a, b), 8);
  return most === 32 ? 'float32' : most === 16 ? 'uint16' : 'uint8';
}

function disagreements(info: RawLsmInfo, plan: ImagePlan, shape: ImageShape): string[] {
  const { dimensions } = info;
  const warnings: string[] = [];
  const compare = (what: string, announced: number, held: number) => {
    if (announced > 0 && announced !== held) {
      warnings.push(`The header announces ${announced} ${what}, the file holds ${held}; all ${held} are served.`);
    }
  };
  compare('pixels per line', dimensions.X, shape.width);
  compare(plan.rows === 'Z' ? 'rows along Z' : 'lines', dimensions[plan.rows], shape.height);
  compare('channels', dimensions.C, shape.channels);
  if (info.typeOfData !== 0) warnings.push('The file says that its pixels were calculated, not scanned.');
  return warnings;
}

function toSteps(facts: LsmFacts, plan: ImagePlan, warnings: string[]): SceneInfo['steps'] {
  const { info, scan } = facts;
  const means = info.scanType === ROI_MEANS;
  if (means) warnings.push('Columns are the means of regions, which have no distance: X is in Pixels.');
  const time = plan.rows === 'T' || plan.T > 1 ? timeStep(facts, plan, warnings) : undefined;
  const depth = (unit: UncalibratedUnit) => lengthStep(info.voxel.Z, scan.planeSpacing, unit);
  return {
    T: (plan.rows === 'T' ? undefined : time) ?? defaultStep('Frames'),
    Z: plan.rows === 'Z' ? defaultStep('Planes') : depth('Planes'),
    Y: rowStep(plan, time, depth, facts),
    X: means ? defaultStep() : lengthStep(info.voxel.X, scan.sampleSpacing),
  };
}

function rowStep(
  plan: ImagePlan,
  time: Step | undefined,
  depth: (unit: UncalibratedUnit) => Step,
  { info, scan }: LsmFacts,
): Step {
  if (plan.rows === 'T') return time ?? defaultStep();
  return plan.rows === 'Z' ? depth('Pixels') : lengthStep(info.voxel.Y, scan.lineSpacing);
}

/** @param metres voxel size of the header; @param micrometers spacing of the settings */
function lengthStep(metres: number, micrometers: number | undefined, unit: UncalibratedUnit = 'Pixels'): Step {
  // Recordings of a single section have 1e-19 m here.
  const own = isUsableStep(tidy(metres * 1e6), 'micrometer') ? makeStep(tidy(metres * 1e6), 'micrometer') : undefined;
  return own ?? makeStep(micrometers ?? Number.NaN, 'micrometer') ?? defaultStep(unit);
}

/** The product of a decimal number of metres and 10⁶ can be off in its last bit; then the decimal one is meant. */
function tidy(value: number): number {
  const decimal = Number(value.toPrecision(12));
  return Math.abs(value - decimal) <= 2 * Number.EPSILON * Math.abs(value) ? decimal : value;
}

/** Seconds per line or frame: measured, else set, else the line period of the settings. */
function timeStep(facts: LsmFacts, plan: ImagePlan, warnings: string[]): Step | undefined {
  const { info, scan, stamps } = facts;
  const interval = info.timeInterval > 0 && Number.isFinite(info.timeInterval) ? info.timeInterval : 0;
  // Stamps of several positions are not those of one.
  const usable = plan.scenes === 1 || stamps.length <= plan.T;
  const period = usable ? periodOf(stamps, interval) : undefined;
  if (period) {
    if (period.uneven) {
      const { shortest, longest } = period.uneven;
      const range = `${Number(shortest.toPrecision(6))} to ${Number(longest.toPrecision(6))} s apart`;
      const what = plan.rows === 'T' ? 'Lines' : 'Frames';
      warnings.push(`${what} are ${range}; the step is the median, ${Number(period.seconds.toPrecision(6))} s.`);
    }
    return makeStep(period.seconds, 'seconds');
  }
  if (interval > 0) return makeStep(interval, 'seconds');
  if (plan.rows !== 'T' || scan.linePeriod === undefined) return undefined;
  const step = makeStep(scan.linePeriod, 'seconds');
  if (step) warnings.push('No time stamps and no interval: the line period is that of the settings, taken as seconds.');
  return step;
}

/** Colors of the color table, else of the acquired data channels; either must have one for each channel. */
function channelDisplays({ colors, scan }: LsmFacts, channels: number): ChannelDisplay[] {
  const acquired = scan.dataChannels.filter((one) => one.acquired).map(({ color }) => color);
  const list = [colors, acquired].find((one) => one.length === channels) ?? [];
  return list.map((color) => ({ color: bgrColor(color) }));
}

/** Names of the color table, else of the acquired data channels. */
function channelNames(facts: LsmFacts, channels: number, warnings: string[]): (string | undefined)[] {
  const acquired = facts.scan.dataChannels.filter((one) => one.acquired).map(({ name }) => name);
  const lists = [facts.names, acquired].filter((list) => list.length > 0);
  const names = lists.find((list) => list.length === channels) ?? [];
  if (lists.length > 0 && names.length === 0) {
    warnings.push(`The file names ${plural(lists[0]?.length ?? 0, 'channel')} but has ${channels}. They are numbered.`);
  }
  return Array.from({ length: channels }, (_, i) => names[i]);
}

/** Days from 1899-12-30 to 1970-01-01. */
const EPOCH_DAYS = 25_569;

function clockOf(days: number | undefined): WallClock {
  if (days === undefined || !(days >= EPOCH_DAYS)) return NO_CLOCK;
  return wallClockOf(Math.round((days - EPOCH_DAYS) * 86_400_000)) ?? NO_CLOCK;
}
