import type { Notes } from '../../../base/notes.js';
import type { Step } from '../../../model/acquisition.js';
import { type AxisEvidence, type ResolvedAxis, resolveAxis } from '../../../model/metadata/axes.js';
import { defaultStep, fileStep } from '../../../model/metadata/steps.js';
import { inUnit, isUncalibrated, type UnitMeaning, unitMeaning } from '../../../model/metadata/units.js';
import { metaseriesSteps } from './metaseries.js';
import type { PlaneProperties } from './metaseries-text.js';
import { type RawUic1, type RawUicPlane, stkMilliseconds } from './uic.js';

/** Share by which the steps of a focus may differ that moves evenly. */
const EVEN = 0.01;

export function stkPixels(uic1: RawUic1, properties: PlaneProperties, notes: Notes): { Y: Step; X: Step } {
  if (uic1.calibrated === false) return { Y: defaultStep(), X: defaultStep() };
  if (uic1.xCalibration === undefined && uic1.yCalibration === undefined) return metaseriesSteps(properties, notes);
  const step = (what: string, value: number | undefined) =>
    fileStep(value, uic1.units, { what, warnings: notes, expect: 'micrometer' });
  return {
    Y: step('YCalibration', uic1.yCalibration ?? uic1.xCalibration),
    X: step('XCalibration', uic1.xCalibration ?? uic1.yCalibration),
  };
}

/** True if the planes are at different depths: they have a distance, or their focus moves by equal steps. */
export function isDepthSeries(planes: readonly RawUicPlane[] | undefined, z: Float64Array | undefined): boolean {
  if (planes?.some(({ zDistance }) => zDistance > 0)) return true;
  if (!z || z.length < 3) return false;
  const step = (z.at(-1)! - z[0]!) / (z.length - 1);
  return step !== 0 && z.every((value, i) => Math.abs(value - z[0]! - i * step) <= EVEN * Math.abs(step));
}

/**
 * Returns the Z axis by the focus of the planes (AbsoluteZ), or else by the sums of their distances. The distance that was
 * set is that of the first plane that has one: the first plane often has 0.
 * @param sections planes along Z at the first channel and time point of a scene
 * @param focus of all planes, by `focusDepths`
 */
export function stkDepths(
  sections: readonly number[],
  planes: readonly RawUicPlane[] | undefined,
  { focus, units }: { focus: Float64Array | undefined; units: string | undefined },
  notes: Notes,
): ResolvedAxis {
  const distances = sections.map((plane) => planes?.[plane]?.zDistance ?? 0);
  const first = distances.find((distance) => distance > 0);
  const isAssumed = units !== undefined && isUncalibrated(units);
  if (isAssumed && first !== undefined && sections.length > 1) {
    notes.add(
      'The planes are not calibrated along X and Y, so the unit of the Z distances was assumed to be micrometers.',
    );
  }
  const set = fileStep(first, depthUnit(units), {
    what: 'Z distance',
    warnings: notes,
    fallback: 'Planes',
    expect: 'micrometer',
  });
  const meaning = depthMeaning(units);
  if (!meaning) return { step: set };
  const evidence: AxisEvidence = {
    unit: 'micrometer',
    nominal: set.unit === 'micrometer' ? [{ step: set.step, what: 'Z distance' }] : [],
    measured: focus
      ? { at: sections.map((plane) => focus[plane]!), what: 'focus positions (AbsoluteZ)' }
      : { at: sums(distances, meaning), what: 'Z distances', origin: 'derived' },
  };
  return resolveAxis('Z', sections.length, evidence, notes);
}

/** Depths have the unit of the pixels, if these have one, and are in micrometers otherwise, as Bio-Formats reads them. */
function depthUnit(units: string | undefined): string {
  return units === undefined || isUncalibrated(units) ? 'um' : units;
}

function depthMeaning(units: string | undefined): UnitMeaning | undefined {
  const meaning = unitMeaning(depthUnit(units));
  return meaning?.unit === 'micrometer' ? meaning : undefined;
}

/** Returns the focus of each plane (AbsoluteZ) in micrometers; nothing when the file has none, or no unit of length. */
export function focusDepths(z: Float64Array | undefined, units: string | undefined): Float64Array | undefined {
  const meaning = depthMeaning(units);
  return meaning && z?.map((value) => inUnit(value, meaning));
}

/**
 * Returns depths from distances, which are those to the plane before, or to the next one if only the last is 0. Returns
 * none if all distances are the same: that is a setting.
 */
function sums(distances: readonly number[], meaning: UnitMeaning): number[] {
  const isToNext = distances.at(-1) === 0 && distances[0] !== 0;
  const between = isToNext ? distances.slice(0, -1) : distances.slice(1);
  if (between.every((distance) => distance === between[0])) return [];
  let total = 0;
  return [0, ...between].map((distance) => {
    total += distance;
    return inUnit(total, meaning);
  });
}

/** Returns the time axis by the creation times of the planes, which are rounded to milliseconds. */
export function stkTimes(
  points: readonly number[],
  planes: readonly RawUicPlane[] | undefined,
  notes: Notes,
): ResolvedAxis {
  const at = planes && points.length > 1 ? points.map((plane) => stkSeconds(planes[plane])) : [];
  const measured = { at, what: 'creation times', quantum: 0.001, origin: 'derived' } as const;
  return resolveAxis('T', points.length, { unit: 'seconds', measured }, notes);
}

export function stkSeconds(plane: RawUicPlane | undefined): number {
  const milliseconds = stkMilliseconds(plane);
  return milliseconds === undefined ? Number.NaN : milliseconds / 1000;
}
