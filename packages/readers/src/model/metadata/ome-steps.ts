import { Notes } from '../../base/notes.js';
import { grouped } from '../../base/wording.js';
import type { SceneInfo, Step } from '../acquisition.js';
import { type AxisEvidence, measuredAxes, type ResolvedAxis } from './axes.js';
import type { RawOmeImage, RawPixels, RawQuantity } from './ome-document.js';
import { noteUnits, omeDepths, omeTimes, positionUnit } from './ome-measured.js';
import { type RowSizes, resolveNoted } from './plane-rows.js';
import { defaultStep, fileStep } from './steps.js';
import { toUnit } from './units.js';

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
  { pixels, linePeriod }: RawOmeImage,
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
  const depth = resolveDepth(pixels, stored, notes);
  const time = resolveTime(pixels, stored, areLines(stored) ? 'Y' : 'T', notes);
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

function resolveTime(
  { physical, ...pixels }: RawPixels,
  stored: SceneInfo['sizes'],
  axis: 'T' | 'Y',
  notes: Notes,
): ResolvedAxis {
  const sizes = rowSizes(pixels, stored);
  const { value, unit } = physical.T;
  if (stored.T > 1 && value !== undefined) {
    noteUnits([unit], 'seconds', 'OME TimeIncrement', notes);
    if (value < 0 || Number.isNaN(value))
      notes.add(`OME TimeIncrement: ${grouped(value)} is not a valid step; it was ignored.`);
  }
  const increment = toUnit('seconds', value, unit);
  const evidenceOf = (own: Notes): AxisEvidence => ({
    unit: 'seconds',
    nominal: increment === undefined ? [] : [{ step: increment, what: 'TimeIncrement' }],
    measured: omeTimes(pixels, sizes, own),
  });
  return resolveNoted(axis, stored.T, evidenceOf, notes);
}

function resolveDepth(pixels: RawPixels, stored: SceneInfo['sizes'], notes: Notes): ResolvedAxis {
  // Writers give a single section a meaningless PhysicalSizeZ="0.0", which needs no warning.
  const set = lengthStep(pixels, 'Z', stored.Z > 1 ? notes : new Notes());
  const isSet = set.unit === 'micrometer';
  const evidenceOf = (own: Notes): AxisEvidence => ({
    unit: 'micrometer',
    nominal: isSet ? [{ step: set.step, what: 'PhysicalSizeZ', origin: set.origin }] : [],
    measured: omeDepths(pixels, rowSizes(pixels, stored), isSet ? set.step : undefined, own),
  });
  return resolveNoted('Z', stored.Z, evidenceOf, notes);
}

/** Returns the unit of positions without one, as for the Z step. */
export function omePositionUnit(pixels: RawPixels, stored: Pick<SceneInfo['sizes'], 'T' | 'Z'>): 'µm' | '' {
  const { step, unit } = lengthStep(pixels, 'Z', new Notes());
  return positionUnit(pixels, rowSizes(pixels, stored), unit === 'micrometer' ? step : undefined);
}

function rowSizes({ sizes }: Pick<RawPixels, 'sizes'>, { T, Z }: Pick<SceneInfo['sizes'], 'T' | 'Z'>): RowSizes {
  return { T, Z, C: Math.max(1, sizes.C) };
}
