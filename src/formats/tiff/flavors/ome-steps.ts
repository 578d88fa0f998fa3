import type { Step } from '../../../acquisition.js';
import { medianOfSorted } from '../../../metadata/intervals.js';
import { defaultStep, fileStep, makeStep } from '../../../metadata/steps.js';
import { unitMeaning } from '../../../metadata/units.js';
import { Notes } from '../../../notes.js';
import type { TiffPage } from '../../../tiff/types.js';
import { resolutionSteps } from '../metadata.js';
import type { RawImage, RawPixels, RawQuantity } from './ome-xml.js';

/**
 * Returns the steps of an OME image. X, Y and Z are PhysicalSize (µm without a unit); if X and Y have none, the resolution
 * tags of the page are used. T is TimeIncrement or, if it is missing, the median interval of the planes' DeltaT. A line
 * period replaces PhysicalSizeY, because the rows are lines then.
 */
export function omeSteps({ pixels, linePeriod }: RawImage, page: TiffPage | undefined, notes: Notes) {
  const { physical, sizes } = pixels;
  const length = (axis: 'X' | 'Y' | 'Z', warnings: Notes) =>
    fileStep(physical[axis].value, physical[axis].unit, {
      what: `OME PhysicalSize${axis}`,
      warnings,
      expect: 'micrometer',
      fallback: axis === 'Z' ? 'Planes' : 'Pixels',
    });
  const isUncalibrated = physical.X.value === undefined && physical.Y.value === undefined;
  const plane = isUncalibrated && page ? resolutionSteps(page) : { X: length('X', notes), Y: length('Y', notes) };
  const Y = linePeriod ? lineStep(linePeriod, notes) : plane.Y;
  // Writers give a single section a meaningless PhysicalSizeZ="0.0", which needs no warning.
  const Z = length('Z', sizes.Z > 1 ? notes : new Notes());
  return { X: plane.X, Y, Z, T: timeStep(pixels) };
}

function lineStep({ value, unit }: RawQuantity, notes: Notes): Step {
  return fileStep(value, unit, { what: 'OME annotation LinePeriod', warnings: notes, expect: 'seconds' });
}

function timeStep({ physical, deltas }: RawPixels): Step {
  const increment = toSeconds(physical.T);
  const step = increment === undefined ? undefined : makeStep(increment, 'seconds');
  if (step) return step;
  const interval = medianInterval(deltas);
  return (interval === undefined ? undefined : makeStep(interval, 'seconds', 'derived')) ?? defaultStep('Frames');
}

function toSeconds({ value, unit }: RawQuantity): number | undefined {
  const meaning = unitMeaning(unit);
  return value === undefined || meaning?.unit !== 'seconds' ? undefined : value * meaning.factor;
}

/** Returns the median time from one frame to the next. Frames without a DeltaT are ignored. */
function medianInterval(deltas: RawPixels['deltas']): number | undefined {
  const times = deltas
    .map(({ t, seconds }) => ({ t, at: toSeconds(seconds) ?? Number.NaN }))
    .filter(({ at }) => Number.isFinite(at))
    .sort((a, b) => a.t - b.t);
  const intervals: number[] = [];
  for (let i = 1; i < times.length; i++) {
    const [before, now] = [times[i - 1]!, times[i]!];
    if (now.t > before.t) intervals.push((now.at - before.at) / (now.t - before.t));
  }
  return medianOfSorted(Float64Array.from(intervals).sort());
}
