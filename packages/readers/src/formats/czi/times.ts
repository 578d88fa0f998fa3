/** Gathers what a file says about the seconds from one line, or frame, to the next: time stamps, offsets, settings. */
import type { AxisEvidence, MeasuredValues, NominalStep } from '../../model/metadata/axes.js';
import { makeStep } from '../../model/metadata/steps.js';
import type { RawMetadata } from './metadata-xml.js';

export interface TimeFacts {
  /** Entries along T. */
  count: number;
  /** Ascending starts of the subblocks along T, relative to the first. */
  starts: readonly number[];
  /** Values of the `TimeStamps` attachment; empty without one. */
  stamps: readonly number[];
  metadata: Pick<RawMetadata, 'timeIncrement' | 'timeSpan' | 'lineFrameTime'> & { timeOffsets: readonly number[] };
  /** True when the rows of a plane are lines in time. */
  lines: boolean;
}

const SECONDS_PER_DAY = 86_400;
/** Stamps count days since 1899 or seconds since the controller started, so rounding them changes their differences. */
const STAMP_DIGITS = 4 * Number.EPSILON;

/** Returns what is known about the time axis. `LineTime` of the metadata is not part of it: it is not the period of the lines. */
export function timeEvidence(facts: TimeFacts): AxisEvidence {
  const { timeIncrement, timeSpan, lineFrameTime } = facts.metadata;
  const offsets = listedTimes(facts);
  const settings: NominalStep[] = [];
  const add = (step: number | undefined, what: string) => {
    if (step !== undefined) settings.push({ step, what });
  };
  add(timeIncrement, '`Increment`');
  add(timeSpan, '`TimeSpan`');
  if (settings.length === 0 && facts.lines) add(lineFrameTime, '`FrameTime`');
  const listed = offsets && meanStep(offsets.at);
  const stamps = stampedTimes(facts, listed ?? settings[0]?.step);
  // The offsets are the next best when there are stamps, whether or not those can be used.
  const nominal: NominalStep[] =
    stamps && listed !== undefined && makeStep(listed, 'seconds')
      ? [{ step: listed, what: 'the list of `Offsets`', origin: 'derived' }, ...settings]
      : settings;
  return { unit: 'seconds', nominal, measured: stamps ?? offsets };
}

function listedTimes({ count, metadata }: TimeFacts): MeasuredValues | undefined {
  const { timeOffsets } = metadata;
  if (timeOffsets.length !== count) return undefined;
  return { at: timeOffsets, what: 'time offsets', origin: 'derived' };
}

/** @param expected period according to the metadata, which tells the unit of the time stamps */
function stampedTimes(
  { stamps, starts, count, lines }: TimeFacts,
  expected: number | undefined,
): MeasuredValues | undefined {
  const at = new Float64Array(count).fill(Number.NaN);
  if (stamps.length === count) at.set(stamps);
  else if (lines && stamps.length === starts.length) {
    // One stamp for each run of lines.
    for (const [i, start] of starts.entries()) at[start] = stamps[i]!;
  } else return stamps.length > 0 ? { at: stamps, what: 'time stamps' } : undefined;
  const found = meanStep(at);
  // Some writers count days. First values of both kinds overlap, so only the difference between stamps tells.
  const distance = (value: number) => Math.abs(Math.log(value / expected!));
  const isDays =
    expected !== undefined && found !== undefined && distance(found * SECONDS_PER_DAY) < distance(found) / 2;
  const factor = isDays ? SECONDS_PER_DAY : 1;
  const largest = at.reduce((max, value) => (Math.abs(value) > max ? Math.abs(value) : max), 0);
  return {
    at: factor === 1 ? at : at.map((value) => value * factor),
    what: 'time stamps',
    quantum: STAMP_DIGITS * largest * factor,
    origin: 'derived',
  };
}

/** Returns the mean distance of neighbors between the first and the last value; `undefined` unless it is positive. */
function meanStep(at: ArrayLike<number>): number | undefined {
  let [first, last] = [0, at.length - 1];
  while (first < last && !Number.isFinite(at[first])) first++;
  while (last > first && !Number.isFinite(at[last])) last--;
  const mean = (at[last]! - at[first]!) / (last - first);
  return mean > 0 && Number.isFinite(mean) ? mean : undefined;
}
