import type { SceneInfo, Step } from '../acquisition.js';
import { Notes } from '../notes.js';
import { shorten } from '../wording.js';
import { type AxisEvidence, type MeasuredValues, measuredAxes, type ResolvedAxis, resolveAxis } from './axes.js';
import type { RawImage, RawPixels, RawPlaneValue, RawQuantity } from './ome-document.js';
import { defaultStep, fileStep } from './steps.js';
import { isUncalibrated, toUnit, unitMeaning } from './units.js';

/** Share by which distances of positions without a unit may differ from the Z step for their unit to be that of the step. */
const AGREES = 0.01;
/** At least one of so many indices has a value, so that a short document does not allocate long lists. */
const MIN_LISTED = 64;

/** True for frames of one line each: they are the lines of a scan. */
export function areLines({ T, Y }: { T: number; Y: number }): boolean {
  return Y === 1 && T > 1;
}

/**
 * Returns the axes of an OME image. X, Y and Z are PhysicalSize (µm without a unit); if X and Y have none, `resolution` is
 * used. The DeltaT of the planes beat TimeIncrement, and their PositionZ PhysicalSizeZ. A line period replaces PhysicalSizeY,
 * because the rows are lines then. Frames of one line become rows.
 * @param stored sizes of the planes that the file has
 * @param resolution pixel size by other means than OME-XML: the tags of a page
 */
export function omeAxes(
  { pixels, linePeriod }: RawImage,
  stored: SceneInfo['sizes'],
  resolution: () => { X: Step; Y: Step },
  notes: Notes,
): Pick<SceneInfo, 'sizes' | 'steps' | 'coordinates'> {
  const { physical } = pixels;
  const isPlaneUncalibrated = physical.X.value === undefined && physical.Y.value === undefined;
  const plane = isPlaneUncalibrated
    ? resolution()
    : { X: lengthStep(pixels, 'X', notes), Y: lengthStep(pixels, 'Y', notes) };
  const Y = linePeriod ? lineStep(linePeriod, notes) : plane.Y;
  const depth = resolveDepth(pixels, stored.Z, notes);
  const time = resolveTime(pixels, stored.T, areLines(stored) ? 'Y' : 'T', notes);
  const { X } = plane;
  if (areLines(stored)) {
    return {
      sizes: { ...stored, T: 1, Y: stored.T },
      steps: { X, Y: time.step, Z: depth.step, T: defaultStep('Frames') },
      ...measuredAxes({ Y: time, Z: depth }),
    };
  }
  return {
    sizes: stored,
    steps: { X, Y, Z: depth.step, T: time.step },
    ...measuredAxes({ T: time, Z: depth }),
  };
}

function lengthStep({ physical }: RawPixels, axis: 'X' | 'Y' | 'Z', warnings: Notes): Step {
  const { value, unit } = physical[axis];
  const fallback = axis === 'Z' ? 'Planes' : 'Pixels';
  return fileStep(value, unit, { what: `OME PhysicalSize${axis}`, warnings, expect: 'micrometer', fallback });
}

function lineStep({ value, unit }: RawQuantity, notes: Notes): Step {
  return fileStep(value, unit, { what: 'OME annotation LinePeriod', warnings: notes, expect: 'seconds' });
}

function resolveTime({ physical, deltas }: RawPixels, size: number, axis: 'T' | 'Y', notes: Notes): ResolvedAxis {
  if (size > 1) {
    noteUnits([physical.T], 'seconds', 'OME TimeIncrement', notes);
    noteUnits(
      deltas.map(({ quantity }) => quantity),
      'seconds',
      'OME DeltaT',
      notes,
    );
  }
  const increment = toUnit('seconds', physical.T.value, physical.T.unit);
  const at = toValues(deltas, size, ({ value, unit }) => toUnit('seconds', value, unit));
  const evidence: AxisEvidence = {
    unit: 'seconds',
    nominal: increment === undefined ? [] : [{ step: increment, what: 'TimeIncrement' }],
    measured: { at, what: 'time stamps (DeltaT)' },
  };
  return resolveAxis(axis, size, evidence, notes);
}

function resolveDepth(pixels: RawPixels, size: number, notes: Notes): ResolvedAxis {
  // Writers give a single section a meaningless PhysicalSizeZ="0.0", which needs no warning.
  const set = lengthStep(pixels, 'Z', size > 1 ? notes : new Notes());
  const isSet = set.unit === 'micrometer';
  const evidence: AxisEvidence = {
    unit: 'micrometer',
    nominal: isSet ? [{ step: set.step, what: 'PhysicalSizeZ', origin: set.origin }] : [],
    measured: measuredDepths(pixels, size, isSet ? set.step : undefined, notes),
  };
  return resolveAxis('Z', size, evidence, notes);
}

/** Positions without a unit, or in "reference frame", count when they agree with the Z step in micrometers. */
function measuredDepths(
  { depths }: RawPixels,
  size: number,
  set: number | undefined,
  notes: Notes,
): MeasuredValues | undefined {
  const what = 'positions (PositionZ)';
  const quantities = depths.map(({ quantity }) => quantity);
  if (size > 1) noteUnits(quantities, 'micrometer', 'OME PositionZ', notes);
  const hasUnit = quantities.every(({ unit }) => !isUncalibrated(unit));
  if (hasUnit) return { at: toValues(depths, size, ({ value, unit }) => toUnit('micrometer', value, unit)), what };
  const at = toValues(depths, size, ({ value }) => value);
  const distance = size > 1 ? Math.abs(at[size - 1]! - at[0]!) / (size - 1) : 0;
  if (set !== undefined && Math.abs(distance - set) <= AGREES * set) return { at, what };
  if (distance > 0) {
    notes.add(
      `The ${what} have no unit and are ${Number(distance.toPrecision(4))} apart, so they were ignored for the Z step.`,
    );
  }
  return undefined;
}

/** Returns one value for each index of an axis; of planes that are listed twice, the first. None when too few are listed. */
function toValues(
  planes: readonly RawPlaneValue[],
  size: number,
  convert: (quantity: RawQuantity) => number | undefined,
): Float64Array {
  const values = new Float64Array(planes.length * MIN_LISTED >= size ? size : 0).fill(Number.NaN);
  for (const { index, quantity } of planes) {
    if (index < size && Number.isNaN(values[index])) values[index] = convert(quantity) ?? Number.NaN;
  }
  return values;
}

/** Says which unit was not understood, so that nobody wonders where the values are. */
function noteUnits(
  quantities: readonly RawQuantity[],
  expected: 'seconds' | 'micrometer',
  what: string,
  notes: Notes,
): void {
  const unknown = quantities.find(
    ({ value, unit }) => value !== undefined && !isUncalibrated(unit) && unitMeaning(unit)?.unit !== expected,
  );
  if (!unknown) return;
  const kind = expected === 'seconds' ? 'time' : 'length';
  notes.add(`${what}: the unit "${shorten(unknown.unit)}" is not a known unit of ${kind}; its values were ignored.`);
}
