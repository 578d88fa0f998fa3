/** Steps and names of a series. Pure. */
import type { Step } from '../../acquisition.js';
import { shortestDecimal } from '../../metadata/float32.js';
import { intervalsOf } from '../../metadata/intervals.js';
import { defaultStep, fileStep, makeStep } from '../../metadata/steps.js';
import { unitMeaning } from '../../metadata/units.js';
import type { SeriesFacts } from './facts.js';

/** Larger pixels than this in metres are micrometres whose unit was forgotten. */
const LARGEST_METRES = 1e-3;

/** Relative difference from which two statements about one time disagree. */
const DIFFERENT = 0.01;

/** Step of axis 0 x, 1 y, 2 z of `pixels` pixels. */
export function lengthStep(facts: SeriesFacts, axis: 0 | 1 | 2, pixels: number, warnings: string[]): Step {
  const what = `${'XYZ'[axis]} step`;
  const fallback = axis === 2 ? 'Planes' : 'Pixels';
  const spacing = facts.gridSpacing[axis];
  if (spacing !== undefined) {
    const isMetres = unitMeaning(facts.gridUnit)?.factor === 1e6;
    if (isMetres && spacing > LARGEST_METRES) {
      warnings.push(`${what}: ${shortestDecimal(spacing)} ${facts.gridUnit} a pixel are taken as micrometers.`);
      return fileStep(shortestDecimal(spacing), 'um', { what, warnings, fallback });
    }
    return fileStep(shortestDecimal(spacing), facts.gridUnit, { what, warnings, fallback, expect: 'micrometer' });
  }
  const field = facts.fieldOfView[axis];
  if (field === undefined || axis === 2) return defaultStep(fallback);
  const step = (shortestDecimal(field) / pixels) * 1e6;
  // A field of a metre is no field of a microscope: micrometres again.
  const derived = makeStep(field > 0.1 ? step / 1e6 : step, 'micrometer', 'derived');
  if (derived && field > 0.1) warnings.push(`${what}: a field of ${field} m is taken as micrometers.`);
  return derived ?? defaultStep(fallback);
}

/** Seconds from one entry to the next. */
export function timeStep(facts: SeriesFacts, entries: number, lines: boolean, warnings: string[]): Step {
  const fallback = defaultStep(lines ? 'Pixels' : 'Frames');
  if (entries < 2) return fallback;
  const what = lines ? 'Line period' : 'T step';
  const { rate, timestamps, scanLineRate, imagingRate } = facts;
  const stated = fromRate(rate);
  if (stated) {
    checkLines(stated, lines ? scanLineRate : undefined, warnings);
    return stated;
  }
  if (rate !== undefined) warnings.push(`${what}: a rate of ${rate} Hz is none.`);
  const stamped = fromTimestamps(timestamps, entries, what, warnings);
  if (stamped) return stamped;
  const other = fromRate(lines ? (scanLineRate ?? imagingRate) : imagingRate);
  if (other) return { ...other, origin: 'derived' };
  warnings.push(`${what}: the file states no usable time; the axis is in ${fallback.unit}.`);
  return fallback;
}

function fromRate(rate: number | undefined): Step | undefined {
  return rate !== undefined && rate > 0 ? makeStep(1 / shortestDecimal(rate), 'seconds') : undefined;
}

function checkLines({ step }: Step, scanLineRate: number | undefined, warnings: string[]): void {
  if (scanLineRate === undefined || !(scanLineRate > 0)) return;
  if (Math.abs(step * scanLineRate - 1) <= DIFFERENT) return;
  warnings.push(
    `Line period: the rate of the series says ${step} s, the scanner's ${1 / scanLineRate} s; the former is served.`,
  );
}

function fromTimestamps(timestamps: number[], entries: number, what: string, warnings: string[]): Step | undefined {
  if (timestamps.length === 0) return undefined;
  if (timestamps.length !== entries) {
    warnings.push(`${what}: there are ${timestamps.length} time stamps for ${entries} entries.`);
  }
  const { median, irregular } = intervalsOf(timestamps);
  const step = median === undefined ? undefined : makeStep(median, 'seconds', 'derived');
  if (step && irregular > 0) {
    warnings.push(`${what}: ${irregular} intervals differ by more than a tenth from the median that is served.`);
  }
  return step;
}

/** Name of the only channel: of the only optical channel, when that is a name, else of the series. */
export function channelName(facts: SeriesFacts, series: string): string {
  const [only, ...more] = facts.opticalChannels;
  const generic = only === undefined || more.length > 0 || /^(optical[\s_]?)?channel[\s_]?\d*$/i.test(only);
  return generic ? (series.split('/').at(-1) ?? series) : only;
}
