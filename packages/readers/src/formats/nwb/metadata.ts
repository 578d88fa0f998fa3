/** Steps and names of a series. Pure. */

import type { Notes } from '../../base/notes.js';
import { grouped, plural, shorten } from '../../base/wording.js';
import type { Step } from '../../model/acquisition.js';
import { type MeasuredValues, type NominalStep, type ResolvedAxis, resolveAxis } from '../../model/metadata/axes.js';
import { shortestDecimal } from '../../model/metadata/float32.js';
import { medianOfSorted } from '../../model/metadata/intervals.js';
import { defaultStep, fileStep, makeStep } from '../../model/metadata/steps.js';
import { unitMeaning } from '../../model/metadata/units.js';
import type { SeriesFacts } from './facts.js';

/** Pixels larger than this, in meters, are micrometers with the wrong unit. */
const MAX_METERS = 1e-3;

/** Share by which time stamps may differ from a rate to be those of the rate in another unit. */
const SAME_UNIT = 0.1;

/** Returns the pixel size along axis 0 (x), 1 (y) or 2 (z), which has `pixels` pixels. */
export function lengthStep(facts: SeriesFacts, axis: 0 | 1 | 2, pixels: number, notes: Notes): Step {
  const letter = (['X', 'Y', 'Z'] as const)[axis];
  const spacing = spacingStep(facts, axis, `${letter} step`, notes);
  const field = axis === 2 ? undefined : fieldStep(facts, axis, pixels, notes);
  const nominal: NominalStep[] = [];
  if (spacing) nominal.push({ step: spacing.step, what: '`grid_spacing`' });
  if (field) nominal.push({ step: field.step, what: '`field_of_view`', origin: 'derived' });
  return resolveAxis(letter, pixels, { unit: 'micrometer', nominal }, notes).step;
}

function spacingStep(facts: SeriesFacts, axis: 0 | 1 | 2, what: string, notes: Notes): Step | undefined {
  const value = facts.gridSpacing[axis];
  if (value === undefined) return undefined;
  const spacing = shortestDecimal(value);
  const isMeters = unitMeaning(facts.gridUnit)?.factor === 1e6;
  const isMistaken = isMeters && spacing > MAX_METERS;
  if (isMistaken) notes.add(`${what}: ${spacing} ${facts.gridUnit} per pixel were assumed to be micrometers.`);
  const fallback = axis === 2 ? 'Planes' : 'Pixels';
  const unit = isMistaken ? 'um' : facts.gridUnit;
  const step = fileStep(spacing, unit, { what, warnings: notes, fallback, expect: 'micrometer' });
  return step.unit === 'micrometer' ? step : undefined;
}

function fieldStep(facts: SeriesFacts, axis: 0 | 1, pixels: number, notes: Notes): Step | undefined {
  const field = facts.fieldOfView[axis];
  if (field === undefined) return undefined;
  const step = (shortestDecimal(field) / pixels) * 1e6;
  // No microscope has a field of view this large: the value is in micrometers.
  const isMistaken = field > 0.1;
  const derived = makeStep(isMistaken ? step / 1e6 : step, 'micrometer', 'derived');
  if (derived && isMistaken) {
    notes.add(`${'XY'[axis]} step: a field of view of ${field} m was assumed to be in micrometers.`);
  }
  return derived;
}

/** An axis of time. */
interface TimeAxis extends ResolvedAxis {
  /** Seconds from the reference of the file to the first entry; NaN or missing where they are not known. */
  first?: number | undefined;
}

/** Returns the axis of the frames, or of the lines: its time stamps, and the rates that the file has. */
export function resolveTime(facts: SeriesFacts, entries: number, lines: boolean, notes: Notes): TimeAxis {
  const fallback = defaultStep(lines ? 'Pixels' : 'Frames');
  // The unit of a stamp that is alone may be another one than it says.
  if (entries < 2) return { step: fallback, first: facts.timestamps.length > 0 ? undefined : facts.startingTime };
  const what = lines ? 'Line period' : 'T step';
  const { rate, scanLineRate, imagingRate } = facts;
  if (rate !== undefined && periodOf(rate) === undefined) {
    notes.add(`${what}: a rate of ${rate} Hz is not possible; it was ignored.`);
  }
  const nominal: NominalStep[] = [];
  const add = (hertz: number | undefined, name: string, origin: 'file' | 'derived') => {
    const step = periodOf(hertz);
    if (step !== undefined) nominal.push({ step, what: name, origin });
  };
  add(rate, 'the `rate` of the series', 'file');
  if (lines) add(scanLineRate, '`scan_line_rate`', 'derived');
  if (!lines || nominal.length === 0) add(imagingRate, '`imaging_rate`', 'derived');
  const measured = readStamps(facts, entries, nominal[0]?.step, notes);
  const axis = resolveAxis(lines ? 'Y' : 'T', entries, { unit: 'seconds', nominal, measured }, notes);
  if (axis.step.unit !== 'seconds') {
    notes.add(`${what}: the file does not contain it; the axis is in ${fallback.unit}.`);
  }
  return { ...axis, first: measured ? measured.at[0] : facts.startingTime };
}

function periodOf(hertz: number | undefined): number | undefined {
  const step = hertz !== undefined && hertz > 0 ? 1 / shortestDecimal(hertz) : undefined;
  return step !== undefined && Number.isFinite(step) && step > 0 ? step : undefined;
}

/** Returns the time stamps of the entries. Lists of another length are used as far as they go. */
function readStamps(
  { timestamps, timestampUnit }: SeriesFacts,
  entries: number,
  set: number | undefined,
  notes: Notes,
): MeasuredValues | undefined {
  if (timestamps.length === 0) return undefined;
  if (timestamps.length !== entries) {
    notes.add(
      `The file has ${plural(timestamps.length, 'time stamp')} for ${plural(entries, 'frame or line', 'frames or lines')}; ` +
        `the first ${grouped(Math.min(timestamps.length, entries))} were used.`,
    );
  }
  const factor = secondsPerUnit(timestamps, timestampUnit, set, notes);
  const at = new Float64Array(entries).fill(Number.NaN);
  const count = Math.min(timestamps.length, entries);
  for (let i = 0; i < count; i++) at[i] = timestamps[i]! * factor;
  return { at, what: 'time stamps', quantum: roundingOf(timestamps) * factor, origin: 'derived' };
}

/** Returns what stamps are rounded to: they may count from the start of a day, or from 1970, in single precision. */
function roundingOf(timestamps: readonly number[]): number {
  const known = timestamps.filter(Number.isFinite);
  const largest = known.reduce((max, stamp) => Math.max(max, Math.abs(stamp)), 0);
  if (!known.every((stamp) => Math.fround(stamp) === stamp) || known.every(Number.isInteger))
    return 4 * Number.EPSILON * largest;
  return largest * SINGLE_EPSILON;
}

/** Distance of neighbors in single precision, as a share of the number. */
const SINGLE_EPSILON = 2 ** -23;

/** Units that scripts write in place of the seconds of the schema. */
const SMALLER_UNITS = [
  { name: 'milliseconds', factor: 1e-3 },
  { name: 'microseconds', factor: 1e-6 },
  { name: 'nanoseconds', factor: 1e-9 },
];

/** Time stamps are in seconds by the schema. A unit, or a rate that they match in another unit, says otherwise. */
function secondsPerUnit(
  timestamps: readonly number[],
  unit: string | undefined,
  set: number | undefined,
  notes: Notes,
): number {
  const meaning = unit === undefined ? undefined : unitMeaning(unit);
  if (meaning?.unit === 'seconds' && meaning.factor !== 1) return meaning.factor;
  if (unit !== undefined && meaning?.unit !== 'seconds') {
    notes.add(`The unit "${shorten(unit)}" of the time stamps is not a known unit of time; seconds were assumed.`);
  }
  // A pause changes the mean, and says nothing about the unit.
  const intervals = Float64Array.from(timestamps.slice(1), (stamp, i) => stamp - timestamps[i]!);
  const typical = medianOfSorted(intervals.filter(Number.isFinite).sort()) ?? 0;
  if (set === undefined || !(typical > 0)) return 1;
  const found = SMALLER_UNITS.find(({ factor }) => Math.abs((typical * factor) / set - 1) <= SAME_UNIT);
  if (!found) return 1;
  notes.add(
    `The time stamps are ${Number(typical.toPrecision(4))} apart, but the rate says ${Number(set.toPrecision(4))} s. They were assumed to ` +
      `be in ${found.name}.`,
  );
  return found.factor;
}

/** Returns a warning when the file says that stored values have to be converted: they are served as stored. */
export function describeConversion({ conversion, offset, dataUnit }: SeriesFacts): string | undefined {
  const isScaled = conversion !== undefined && conversion !== 1 && Number.isFinite(conversion);
  const isMoved = offset !== undefined && offset !== 0 && Number.isFinite(offset);
  if (!isScaled && !isMoved) return undefined;
  const formula = [
    'sample',
    ...(isScaled ? [`× ${shortestDecimal(conversion)}`] : []),
    ...(isMoved ? [`${offset < 0 ? '−' : '+'} ${shortestDecimal(Math.abs(offset))}`] : []),
  ].join(' ');
  const names = [...(isScaled ? ['`conversion`'] : []), ...(isMoved ? ['`offset`'] : [])].join(' and ');
  const unit = dataUnit ? ` in "${shorten(dataUnit)}"` : '';
  return `By the ${names} of the series, the value${unit} is ${formula}. Samples are shown as stored.`;
}

/** Returns the name of the channel: that of the only optical channel unless it is generic, else that of the series. */
export function channelName(facts: SeriesFacts, series: string): string {
  const [only, ...more] = facts.opticalChannels;
  const generic = only === undefined || more.length > 0 || /^(optical[\s_]?)?channel[\s_]?\d*$/i.test(only);
  return generic ? (series.split('/').at(-1) ?? series) : only;
}
