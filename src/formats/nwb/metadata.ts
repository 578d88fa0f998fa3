/** Steps and names of a series. Pure. */
import type { Step } from '../../acquisition.js';
import { shortestDecimal } from '../../metadata/float32.js';
import { intervalsOf } from '../../metadata/intervals.js';
import { defaultStep, fileStep, makeStep } from '../../metadata/steps.js';
import { unitMeaning } from '../../metadata/units.js';
import { plural } from '../../wording.js';
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
  const what = timeOf(lines);
  const { rate, timestamps, scanLineRate, imagingRate } = facts;
  const stated = fromRate(rate);
  if (stated) {
    checkLines(stated, lines ? scanLineRate : undefined, warnings);
    return stated;
  }
  if (rate !== undefined) warnings.push(`${what}: a rate of ${rate} Hz is not possible; it was ignored.`);
  const stamped = fromTimestamps(timestamps, entries, lines, warnings);
  if (stamped) return stamped;
  const other = fromRate(lines ? (scanLineRate ?? imagingRate) : imagingRate);
  if (other) return { ...other, origin: 'derived' };
  warnings.push(`${what}: the file does not contain it; the axis is in ${fallback.unit}.`);
  return fallback;
}

function timeOf(lines: boolean): string {
  return lines ? 'Line period' : 'T step';
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

function fromTimestamps(timestamps: number[], entries: number, lines: boolean, warnings: string[]): Step | undefined {
  const what = timeOf(lines);
  if (timestamps.length === 0) return undefined;
  const { median, irregular } = intervalsOf(timestamps);
  const step = median === undefined ? undefined : makeStep(median, 'seconds', 'derived');
  if (timestamps.length !== entries) {
    const used = step ? ' The median of their intervals was used.' : '';
    const frames = plural(entries, lines ? 'line' : 'frame');
    warnings.push(`${what}: the file has ${plural(timestamps.length, 'time stamp')} for ${frames}.${used}`);
  }
  if (step && irregular > 0) {
    warnings.push(
      `${what}: ${plural(irregular, 'interval')} differ${irregular === 1 ? 's' : ''} by more than a tenth from the median, which is served.`,
    );
  }
  return step;
}

/** Name of the only channel: of the only optical channel, when that is a name, else of the series. */
export function channelName(facts: SeriesFacts, series: string): string {
  const [only, ...more] = facts.opticalChannels;
  const generic = only === undefined || more.length > 0 || /^(optical[\s_]?)?channel[\s_]?\d*$/i.test(only);
  return generic ? (series.split('/').at(-1) ?? series) : only;
}
