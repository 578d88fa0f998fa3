import type { Step } from '../../../acquisition.js';
import { defaultStep, fileStep, makeStep } from '../../../metadata/steps.js';
import { unitMeaning } from '../../../metadata/units.js';
import type { TiffPage } from '../../../tiff/types.js';
import { resolutionSteps } from '../resolution.js';
import type { RawImage, RawPixels, RawQuantity } from './ome-xml.js';

/**
 * Steps of an OME image: PhysicalSize (default unit µm); resolution tags only when X and Y have none; TimeIncrement, else
 * the median distance of the planes' DeltaT. A line period wins over PhysicalSizeY: rows are lines then.
 */
export function omeSteps({ pixels, linePeriod }: RawImage, page: TiffPage | undefined, warnings: string[]) {
  const { physical, sizes } = pixels;
  const length = (axis: 'X' | 'Y' | 'Z', sink: string[]) =>
    fileStep(physical[axis].value, physical[axis].unit, {
      what: `OME PhysicalSize${axis}`,
      warnings: sink,
      expect: 'micrometer',
      fallback: axis === 'Z' ? 'Planes' : 'Pixels',
    });
  const uncalibrated = physical.X.value === undefined && physical.Y.value === undefined;
  const plane = uncalibrated && page ? resolutionSteps(page) : { X: length('X', warnings), Y: length('Y', warnings) };
  // PhysicalSizeZ="0.0" of a single section is no finding.
  if (linePeriod) plane.Y = lineStep(linePeriod, warnings);
  return { ...plane, Z: length('Z', sizes.Z > 1 ? warnings : []), T: timeStep(pixels) };
}

function lineStep({ value, unit }: RawQuantity, warnings: string[]): Step {
  return fileStep(value, unit, { what: 'OME annotation LinePeriod', warnings, expect: 'seconds' });
}

function timeStep({ physical, deltas }: RawPixels): Step {
  const increment = seconds(physical.T);
  const stated = increment === undefined ? undefined : makeStep(increment, 'seconds');
  if (stated) return stated;
  const interval = medianInterval(deltas);
  return (interval === undefined ? undefined : makeStep(interval, 'seconds', 'derived')) ?? defaultStep('Frames');
}

function seconds({ value, unit }: RawQuantity): number | undefined {
  const meaning = unitMeaning(unit);
  return value === undefined || meaning?.unit !== 'seconds' ? undefined : value * meaning.factor;
}

/** Median time from one frame to the next; frames without a DeltaT are passed over. */
export function medianInterval(deltas: RawPixels['deltas']): number | undefined {
  const times = deltas
    .flatMap(({ t, seconds: quantity }) => {
      const at = seconds(quantity);
      return at === undefined || !Number.isFinite(at) ? [] : [{ t, at }];
    })
    .sort((a, b) => a.t - b.t);
  const intervals: number[] = [];
  for (let i = 1; i < times.length; i++) {
    const [before, now] = [times[i - 1], times[i]] as [{ t: number; at: number }, { t: number; at: number }];
    if (now.t > before.t) intervals.push((now.at - before.at) / (now.t - before.t));
  }
  if (intervals.length === 0) return undefined;
  intervals.sort((a, b) => a - b);
  const middle = intervals.length >> 1;
  const upper = intervals[middle] as number;
  return intervals.length % 2 === 1 ? upper : ((intervals[middle - 1] as number) + upper) / 2;
}
