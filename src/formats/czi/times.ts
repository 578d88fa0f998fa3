/** Finds the seconds from one line, or frame, to the next: from measured time stamps first, then from the metadata. */
import type { Step } from '../../acquisition.js';
import { makeStep } from '../../metadata/steps.js';
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

export interface TimeStep {
  /** Missing when the file does not contain the interval. */
  step?: Step;
  warnings: string[];
}

/** Seconds between values, with a warning when they are not regular. */
interface Period {
  seconds?: number;
  warning?: string;
}

const SECONDS_PER_DAY = 86_400;

/** Never uses `LineTime` of the metadata: it is not the period of the lines. */
export function findTimeStep(facts: TimeFacts): TimeStep {
  const { timeOffsets, timeIncrement, timeSpan, lineFrameTime } = facts.metadata;
  const listed = timeOffsets.length === facts.count ? findPeriod(timeOffsets, 'time offsets') : {};
  const setting = timeIncrement ?? timeSpan ?? (facts.lines ? lineFrameTime : undefined);
  const stamped = findStampedPeriod(facts, listed.seconds ?? setting);
  if (stamped.seconds !== undefined) return toTimeStep(makeStep(stamped.seconds, 'seconds', 'derived'), [stamped]);
  if (listed.seconds !== undefined)
    return toTimeStep(makeStep(listed.seconds, 'seconds', 'derived'), [stamped, listed]);
  return toTimeStep(setting === undefined ? undefined : makeStep(setting, 'seconds', 'file'), [stamped, listed]);
}

function toTimeStep(step: Step | undefined, periods: readonly Period[]): TimeStep {
  const warnings = periods.flatMap(({ warning }) => (warning === undefined ? [] : [warning]));
  return step ? { step, warnings } : { warnings };
}

/** @param expected period according to the metadata, which tells the unit of the time stamps */
function findStampedPeriod({ stamps, starts, count, lines }: TimeFacts, expected: number | undefined): Period {
  let linesPerStamp: number;
  if (stamps.length === count) linesPerStamp = 1;
  else if (lines && stamps.length === starts.length && starts.length > 1) {
    // One stamp for each run of lines.
    linesPerStamp = (starts.at(-1)! - starts[0]!) / (starts.length - 1);
  } else return {};
  const period = findPeriod(stamps, 'time stamps');
  if (period.seconds === undefined) return period;
  const seconds = period.seconds / linesPerStamp;
  if (expected === undefined) return { ...period, seconds };
  // Some writers count days. First values of both kinds overlap, so only the difference between stamps tells.
  const distance = (value: number) => Math.abs(Math.log(value / expected));
  const isDays = distance(seconds * SECONDS_PER_DAY) < distance(seconds) / 2;
  return { ...period, seconds: isDays ? seconds * SECONDS_PER_DAY : seconds };
}

/** Returns the mean of the differences, or their median when the two differ, with a warning. */
function findPeriod(values: readonly number[], what: string): Period {
  if (values.length < 2) return {};
  const steps = new Float64Array(values.length - 1);
  for (let i = 0; i < steps.length; i++) steps[i] = values[i + 1]! - values[i]!;
  if (!steps.every((step) => step > 0 && Number.isFinite(step))) {
    return { warning: `The ${what} are not in ascending order and were ignored.` };
  }
  const mean = (values.at(-1)! - values[0]!) / steps.length;
  steps.sort();
  const median = steps[steps.length >> 1]!;
  if (Math.abs(mean / median - 1) < 0.01) return { seconds: mean };
  const [low, high] = [steps[0]!, steps.at(-1)!].map((value) => Number(value.toPrecision(4)));
  return { seconds: median, warning: `The ${what} are ${low} to ${high} s apart; the step is the median.` };
}
