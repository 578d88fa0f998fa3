/** Steps and names of a series. Pure. */
import type { Step } from '../../acquisition.js';
import { shortestDecimal } from '../../metadata/float32.js';
import { intervalsOf } from '../../metadata/intervals.js';
import { defaultStep, fileStep, makeStep } from '../../metadata/steps.js';
import { unitMeaning } from '../../metadata/units.js';
import type { Notes } from '../../notes.js';
import { plural } from '../../wording.js';
import type { SeriesFacts } from './facts.js';

/** Pixels larger than this, in meters, are micrometers with the wrong unit. */
const MAX_METERS = 1e-3;

/** Two values of one time disagree from this relative difference on. */
const MAX_DIFFERENCE = 0.01;

/** Returns the pixel size along axis 0 (x), 1 (y) or 2 (z), which has `pixels` pixels. */
export function lengthStep(facts: SeriesFacts, axis: 0 | 1 | 2, pixels: number, notes: Notes): Step {
  const what = `${'XYZ'[axis]} step`;
  const fallback = axis === 2 ? 'Planes' : 'Pixels';
  const spacing = facts.gridSpacing[axis];
  if (spacing !== undefined) {
    const isMeters = unitMeaning(facts.gridUnit)?.factor === 1e6;
    if (isMeters && spacing > MAX_METERS) {
      notes.add(`${what}: ${shortestDecimal(spacing)} ${facts.gridUnit} per pixel were assumed to be micrometers.`);
      return fileStep(shortestDecimal(spacing), 'um', { what, warnings: notes, fallback });
    }
    return fileStep(shortestDecimal(spacing), facts.gridUnit, {
      what,
      warnings: notes,
      fallback,
      expect: 'micrometer',
    });
  }
  const field = facts.fieldOfView[axis];
  if (field === undefined || axis === 2) return defaultStep(fallback);
  const step = (shortestDecimal(field) / pixels) * 1e6;
  // No microscope has a field of view this large: the value is in micrometers.
  const derived = makeStep(field > 0.1 ? step / 1e6 : step, 'micrometer', 'derived');
  if (derived && field > 0.1) notes.add(`${what}: a field of view of ${field} m was assumed to be in micrometers.`);
  return derived ?? defaultStep(fallback);
}

/** Returns the interval between entries in seconds. */
export function timeStep(facts: SeriesFacts, entries: number, lines: boolean, notes: Notes): Step {
  const fallback = defaultStep(lines ? 'Pixels' : 'Frames');
  if (entries < 2) return fallback;
  const what = timeLabel(lines);
  const { rate, timestamps, scanLineRate, imagingRate } = facts;
  const regular = fromRate(rate);
  if (regular) {
    checkLines(regular, lines ? scanLineRate : undefined, notes);
    return regular;
  }
  if (rate !== undefined) notes.add(`${what}: a rate of ${rate} Hz is not possible; it was ignored.`);
  const stamped = fromTimestamps(timestamps, entries, lines, notes);
  if (stamped) return stamped;
  const other = fromRate(lines ? (scanLineRate ?? imagingRate) : imagingRate);
  if (other) return { ...other, origin: 'derived' };
  notes.add(`${what}: the file does not contain it; the axis is in ${fallback.unit}.`);
  return fallback;
}

function timeLabel(lines: boolean): string {
  return lines ? 'Line period' : 'T step';
}

function fromRate(rate: number | undefined): Step | undefined {
  return rate !== undefined && rate > 0 ? makeStep(1 / shortestDecimal(rate), 'seconds') : undefined;
}

function checkLines({ step }: Step, scanLineRate: number | undefined, notes: Notes): void {
  if (scanLineRate === undefined || !(scanLineRate > 0)) return;
  if (Math.abs(step * scanLineRate - 1) <= MAX_DIFFERENCE) return;
  notes.add(
    `Line period: the rate of the series gives ${step} s, the scan line rate ${1 / scanLineRate} s. Showing the first.`,
  );
}

function fromTimestamps(timestamps: number[], entries: number, lines: boolean, notes: Notes): Step | undefined {
  const what = timeLabel(lines);
  if (timestamps.length === 0) return undefined;
  const { median, irregular } = intervalsOf(timestamps);
  const step = median === undefined ? undefined : makeStep(median, 'seconds', 'derived');
  if (timestamps.length !== entries) {
    const used = step ? ' The median of their intervals was used.' : '';
    const frames = plural(entries, lines ? 'line' : 'frame');
    notes.add(`${what}: the file has ${plural(timestamps.length, 'time stamp')} for ${frames}.${used}`);
  }
  if (step && irregular > 0) {
    notes.add(
      `${what}: ${plural(irregular, 'interval')} differ${irregular === 1 ? 's' : ''} by more than a tenth from the median. Showing the median.`,
    );
  }
  return step;
}

/** Returns the name of the channel: that of the only optical channel unless it is generic, else that of the series. */
export function channelName(facts: SeriesFacts, series: string): string {
  const [only, ...more] = facts.opticalChannels;
  const generic = only === undefined || more.length > 0 || /^(optical[\s_]?)?channel[\s_]?\d*$/i.test(only);
  return generic ? (series.split('/').at(-1) ?? series) : only;
}
