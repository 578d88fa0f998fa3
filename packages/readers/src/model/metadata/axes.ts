/**
 * Makes the step, the coordinates and the warnings of an axis from what a file says about it. The rules are the same for
 * every format: see `docs/coordinates.md`.
 */

import { LIMITS } from '../../base/limits.js';
import { Notes } from '../../base/notes.js';
import { asInconsistent } from '../../base/warning-kinds.js';
import { grouped } from '../../base/wording.js';
import type { AxisCoordinates, SceneInfo, Step, StepOrigin } from '../acquisition.js';
import { medianOfSorted } from './intervals.js';
import { defaultStep, isUsableStep, makeStep, type UncalibratedUnit } from './steps.js';

/** A step that was set before the recording: an interval, a distance or a rate. */
export interface NominalStep {
  /** In the unit of the axis. Values that are not finite and positive are ignored. */
  step: number;
  /** The vendor's own name, for messages: `TimeIncrement`. */
  what: string;
  /** `placeholder`: written whether or not anybody measured or set it, such as the playback rate of a film. */
  kind?: 'setting' | 'placeholder';
  /** Where the step came from; `file` when omitted. */
  origin?: StepOrigin;
}

/** What was measured at each index of an axis: time stamps, positions of a stage or piezo. */
export interface MeasuredValues {
  /** One value for each index, in the unit of the axis; `NaN` where the file has none. */
  at: ArrayLike<number>;
  /** What the values are, in the plural, for messages: `time stamps`, `stage positions`. */
  what: string;
  /** What the values are rounded to; 0 when omitted. */
  quantum?: number;
  /** True when only some of the values were read: they make the step, and are not served. */
  isSample?: boolean;
  /**
   * Planes in the columns that `readPlaneColumns` of the acquisition makes. These have all values of a sample, which are served
   * when asked for, unless there are too many; omitted without such columns.
   */
  planes?: number | undefined;
  /** Of times: they count from the start of the recording. */
  isFromStart?: boolean;
  /** `derived` when the values are sums or differences of several fields; `file` when omitted. */
  origin?: StepOrigin;
}

/** What a file says about one axis. A reader reports it and chooses nothing. */
export interface AxisEvidence {
  unit: 'seconds' | 'micrometer';
  /** The most trusted first. */
  nominal?: readonly NominalStep[];
  measured?: MeasuredValues | undefined;
}

export interface ResolvedAxis {
  step: Step;
  /** The measured values; absent when the file has none that can be used. */
  coordinates?: AxisCoordinates;
  /** What was said of the axis, if anything. */
  warnings?: readonly string[];
}

/** Share by which two values for one step may differ before it is said. */
export const DIFFERENT = 0.01;
/** Share of the mean by which an interval may differ before the axis counts as uneven. */
export const UNEVEN = 0.1;
/** Texts have seven digits and single precision has no more: a smaller difference is one of rounding. */
const ROUNDING = 1e-6;

const NAMES = { T: 'Frames', Z: 'Planes', Y: 'Pixels', X: 'Pixels' } as const;
const NEIGHBORS = { T: 'time points', Z: 'sections', Y: 'rows', X: 'columns' } as const;

/**
 * Measured values beat what was set before. Contradictions, gaps and values that run backwards become warnings.
 * @param axis is named in warnings
 * @param size number of indices of the axis; there is no step along an axis of one index
 */
export function resolveAxis(
  axis: 'T' | 'Z' | 'Y' | 'X',
  size: number,
  evidence: AxisEvidence,
  warnings: Notes,
): ResolvedAxis {
  const own = new Notes();
  const resolved = chooseStep(axis, size, evidence, own);
  const said = own.list();
  warnings.addAll(said);
  return said.length > 0 ? { ...resolved, warnings: said } : resolved;
}

function chooseStep(axis: 'T' | 'Z' | 'Y' | 'X', size: number, evidence: AxisEvidence, warnings: Notes): ResolvedAxis {
  const settings = usableSettings(axis, size, evidence, warnings);
  const measured = size > 1 ? measure(axis, size, evidence, warnings) : undefined;
  const [nominal] = settings;
  const set = nominal && makeStep(nominal.step, evidence.unit, nominal.origin ?? 'file');
  const fallback = set ?? defaultStep(NAMES[axis] satisfies UncalibratedUnit);
  if (!measured) {
    if (size > 1) describeDifference(axis, settings, evidence.unit, warnings);
    return { step: fallback };
  }
  const isKept = set !== undefined && isWithinRounding(set.step, measured);
  const mean = makeStep(measured.step, evidence.unit, measured.values.origin ?? 'file');
  const step = isKept ? set : (mean ?? fallback);
  describeContradiction(axis, settings, measured, { step: step.step, warnings });
  return { step, ...(measured.coordinates ? { coordinates: measured.coordinates } : {}) };
}

/** The values of an axis that can be used, from the first to the last. */
interface UsableValues {
  values: MeasuredValues;
  /** Distance of neighbors, > 0. */
  step: number;
  /** Number of steps between the first and the last value. */
  steps: number;
  unit: AxisEvidence['unit'];
  coordinates?: AxisCoordinates;
}

/** A step that is not positive means that nothing was set. Other values that cannot be used become warnings. */
function usableSettings(
  axis: string,
  size: number,
  { nominal = [], unit }: AxisEvidence,
  warnings: Notes,
): NominalStep[] {
  const settings = nominal.filter(({ kind }) => kind !== 'placeholder');
  for (const { step, what } of settings) {
    if (size < 2 || !(step > 0) || isUsableStep(step, unit)) continue;
    warnings.add(`${axis} step: ${what} says ${show(step, unit)}, which is not a valid step; it was ignored.`);
  }
  return settings.filter(({ step }) => isUsableStep(step, unit));
}

/** Names the first setting that contradicts the one before all others. */
function describeDifference(
  axis: string,
  [first, ...others]: readonly NominalStep[],
  unit: AxisEvidence['unit'],
  warnings: Notes,
): void {
  const other = first && others.find(({ step }) => Math.abs(step / first.step - 1) > DIFFERENT);
  if (!other) return;
  warnings.add(
    asInconsistent(
      `${axis} step: ${first.what} says ${show(first.step, unit)}, but ${other.what} says ${show(other.step, unit)}. ` +
        `Showing ${show(first.step, unit)}.`,
    ),
  );
}

function measure(axis: 'T' | 'Z' | 'Y' | 'X', size: number, evidence: AxisEvidence, warnings: Notes) {
  const { measured: values, unit } = evidence;
  if (!values || values.at.length === 0) return undefined;
  if (values.at.length !== size) {
    warnings.add(
      asInconsistent(
        `The file has ${grouped(values.at.length)} ${values.what} for ${grouped(size)} ${NEIGHBORS[axis]}; they were ignored.`,
      ),
    );
    return undefined;
  }
  const usable = usableIndices(values.at);
  const [first, last] = [usable[0], usable.at(-1)];
  if (first === undefined || last === undefined || first === last) return undefined;
  const steps = last - first;
  const signed = (values.at[last]! - values.at[first]!) / steps;
  const intervals = findIntervals(values.at, usable);
  const quantum = values.quantum ?? 0;
  // A stage that stays while a piezo scans, and files that have zeros for times: no evidence of anything.
  const farthest = Math.max(Math.abs(intervals.min), Math.abs(intervals.max), Math.abs(signed) * steps);
  if (farthest <= quantum) return undefined;
  if (runsBack(unit, signed, intervals, quantum)) {
    const at = unit === 'seconds' ? 'are not in ascending order' : 'run back and forth';
    warnings.add(asInconsistent(`The ${values.what} ${at}; the ${axis} step does not follow from them.`));
    return undefined;
  }
  const spread = { ...intervals, mean: Math.abs(signed), unit, quantum, what: values.what };
  const median = isUneven(spread) ? medianInterval(values.at, usable) : undefined;
  // The lines of a scan are one period apart, whatever pause lies between two of them.
  const step = (axis === 'Y' ? median : undefined) ?? spread.mean;
  const isLater = values.isSample === true && (values.planes ?? Infinity) <= LIMITS.coordinates;
  const isKept = (!values.isSample || isLater) && size <= LIMITS.coordinates;
  if (median !== undefined) {
    const uneven = { ...spread, median, step, isKept };
    const describe = values.isSample ? describeUnevenSample : describeUnevenness;
    warnings.add(describe(axis, uneven, values.at));
  }
  if (!values.isSample) describeMissing(values, usable.length, warnings);
  const origin = values.at[first]!;
  if (!isKept) return { values, step, steps, unit } satisfies UsableValues;
  const coordinates: AxisCoordinates = {
    unit,
    source: values.what,
    uneven: median !== undefined,
    values: isLater ? new Float64Array() : Float64Array.from(values.at, (value) => value - origin),
    ...(isLater && { isLater }),
    ...(values.isFromStart && { first: origin }),
  };
  return { values, step, steps, unit, coordinates } satisfies UsableValues;
}

function usableIndices(at: ArrayLike<number>): number[] {
  const usable: number[] = [];
  for (let i = 0; i < at.length; i++) if (Number.isFinite(at[i])) usable.push(i);
  return usable;
}

interface Intervals {
  /** Distances of neighbors, with their sign; across values that are missing, the mean. */
  min: number;
  max: number;
  /** Index before the interval. */
  minAfter: number;
  maxAfter: number;
}

function findIntervals(at: ArrayLike<number>, usable: readonly number[]): Intervals {
  const found: Intervals = { min: Infinity, max: -Infinity, minAfter: 0, maxAfter: 0 };
  for (let i = 1; i < usable.length; i++) {
    const [from, to] = [usable[i - 1]!, usable[i]!];
    const interval = (at[to]! - at[from]!) / (to - from);
    if (interval < found.min) Object.assign(found, { min: interval, minAfter: from });
    if (interval > found.max) Object.assign(found, { max: interval, maxAfter: from });
  }
  return found;
}

/** True when the values do not ascend; positions may also descend. A difference within rounding is neither. */
function runsBack(unit: string, signed: number, { min, max }: Intervals, quantum: number): boolean {
  if (signed === 0) return true;
  if (signed < 0) return unit === 'seconds' || max > quantum;
  return min < -quantum;
}

interface Spread extends Intervals {
  mean: number;
  unit: AxisEvidence['unit'];
  quantum: number;
  what: string;
}

/** True when neighbors are farther apart, or closer, than on average by more than a tenth and rounding. */
function isUneven({ min, max, mean, quantum }: Spread): boolean {
  const [low, high] = min < 0 ? [-max, -min] : [min, max];
  const tolerance = Math.max(UNEVEN * mean, quantum);
  return high - mean > tolerance || mean - low > tolerance;
}

interface Uneven extends Spread {
  median: number;
  step: number;
  /** The values are served. */
  isKept: boolean;
}

function describeUnevenness(
  axis: 'T' | 'Z' | 'Y' | 'X',
  { min, max, minAfter, maxAfter, unit, what, median, step, isKept }: Uneven,
): string {
  const [low, high, after] = min < 0 ? [-max, -min, minAfter] : [min, max, maxAfter];
  const isMedian = axis === 'Y';
  return (
    `The ${NEIGHBORS[axis]} are ${show(low, unit)} to ${show(high, unit)} apart (median ${show(median, unit)}), by their ` +
    `${what}; the longest interval follows ${axis} = ${grouped(after)}. The ${axis} step is the ` +
    `${isMedian ? 'median' : 'mean'}, ${show(step, unit)}${isKept ? '; the coordinates have all values' : ''}.`
  );
}

/**
 * What lies between the values of a sample is unknown: its longest interval may be several. Only one between neighbors
 * that were both read is said.
 */
function describeUnevenSample(
  axis: 'T' | 'Z' | 'Y' | 'X',
  { min, max, minAfter, maxAfter, mean, unit, what, step, isKept }: Uneven,
  at: ArrayLike<number>,
): string {
  const [high, after] = min < 0 ? [-min, minAfter] : [max, maxAfter];
  const isKnown = Number.isFinite(at[after + 1]) && high > (1 + UNEVEN) * mean;
  return (
    `The ${NEIGHBORS[axis]} are not evenly spaced, judging by ${grouped(usableIndices(at).length)} of their ` +
    `${grouped(at.length)} ${what}${isKnown ? `: ${show(high, unit)} follow ${axis} = ${grouped(after)}` : ''}. The ${axis} ` +
    `step is the ${axis === 'Y' ? 'median' : 'mean'}, ${show(step, unit)}${isKept ? '; the coordinates have all values' : ''}.`
  );
}

/** Says that some values are missing; a file without any has none to miss. */
function describeMissing({ at, what }: MeasuredValues, usable: number, warnings: Notes): void {
  const missing = at.length - usable;
  if (missing === 0) return;
  warnings.add(
    `${grouped(missing)} of ${grouped(at.length)} ${what} ${missing === 1 ? 'is' : 'are'} missing or not ` +
      `${missing === 1 ? 'a number' : 'numbers'}.`,
  );
}

/** Returns the median distance of neighbors. */
function medianInterval(at: ArrayLike<number>, usable: readonly number[]): number | undefined {
  const intervals = Float64Array.from(
    usable.slice(1),
    (to, i) => Math.abs(at[to]! - at[usable[i]!]!) / (to - usable[i]!),
  );
  return medianOfSorted(intervals.sort());
}

/** True when the last index lies where it was measured, by the step that was set: that has more digits. */
function isWithinRounding(set: number, { step, steps, values }: UsableValues): boolean {
  const extent = step * steps;
  return Math.abs(set * steps - extent) <= Math.max(values.quantum ?? 0, ROUNDING * extent);
}

/** Names the first setting that contradicts the measured values. */
function describeContradiction(
  axis: string,
  settings: readonly NominalStep[],
  measured: UsableValues,
  { step: shown, warnings }: { step: number; warnings: Notes },
): void {
  const { step, values, unit } = measured;
  const contradicts = (set: number) => Math.abs(set - step) > DIFFERENT * step && !isWithinRounding(set, measured);
  const wrong = settings.find((setting) => contradicts(setting.step));
  if (!wrong) return;
  warnings.add(
    asInconsistent(
      `${axis} step: ${wrong.what} says ${show(wrong.step, unit)}, but the ${values.what} are ${show(step, unit)} apart. ` +
        `Showing ${show(shown, unit)}.`,
    ),
  );
}

function show(value: number, unit: AxisEvidence['unit']): string {
  return `${Number(value.toPrecision(4))} ${unit === 'seconds' ? 's' : 'µm'}`;
}

/** Adds a warning that is about the step of an axis: whoever enters one takes it back. */
export function warnOfAxis(axis: ResolvedAxis, warning: string, warnings: Notes): ResolvedAxis {
  warnings.add(warning);
  return { ...axis, warnings: [...(axis.warnings ?? []), warning] };
}

/** Returns the measured values of the axes that have them, and what was said of axes, for a scene. */
export function measuredAxes(
  axes: Partial<Record<'T' | 'Z' | 'Y', ResolvedAxis | undefined>>,
): Pick<SceneInfo, 'coordinates' | 'axisWarnings'> {
  const said = Object.entries(axes).flatMap(([name, axis]) => (axis?.warnings ? [[name, axis.warnings]] : []));
  const measured = Object.entries(axes).flatMap(([name, axis]) =>
    axis?.coordinates ? [[name, axis.coordinates]] : [],
  );
  return {
    ...(measured.length > 0 ? { coordinates: Object.fromEntries(measured) } : {}),
    ...(said.length > 0 ? { axisWarnings: Object.fromEntries(said) } : {}),
  };
}
