/** Seconds from one line, or frame, to the next: measured time stamps first, then what the metadata say. */
import type { Step } from '../../acquisition.js';
import { makeStep } from '../../metadata/steps.js';
import type { RawMetadata } from './parse.js';

export interface TimeFacts {
  /** Entries along T. */
  count: number;
  /** Ascending starts of the subblocks along T, relative to the first. */
  starts: readonly number[];
  /** Values of the `TimeStamps` attachment; empty without one. */
  stamps: readonly number[];
  metadata: Pick<RawMetadata, 'timeIncrement' | 'timeSpan' | 'lineFrameTime'> & { timeOffsets: readonly number[] };
  /** The rows of a plane are lines in time. */
  lines: boolean;
}

const SECONDS_PER_DAY = 86_400;

/** `undefined` when the file does not say. Never the `LineTime` of the metadata: it is not the period of the lines. */
export function timeStep(facts: TimeFacts, warnings: string[]): Step | undefined {
  const { count, metadata, lines } = facts;
  const { timeOffsets, timeIncrement, timeSpan, lineFrameTime } = metadata;
  const stated = statedPeriod(facts);
  const stamped = stampedPeriod(facts, stated, warnings);
  if (stamped !== undefined) return makeStep(stamped, 'seconds', 'derived');
  const listed = timeOffsets.length === count ? periodOf(timeOffsets, 'time offsets', warnings) : undefined;
  if (listed !== undefined) return makeStep(listed, 'seconds', 'derived');
  const value = timeIncrement ?? timeSpan ?? (lines ? lineFrameTime : undefined);
  return value === undefined ? undefined : makeStep(value, 'seconds', 'file');
}

/** Any other word on the period, to tell the unit of the time stamps by. */
function statedPeriod({ count, metadata, lines }: TimeFacts): number | undefined {
  const listed = metadata.timeOffsets.length === count ? periodOf(metadata.timeOffsets, '', []) : undefined;
  return listed ?? metadata.timeIncrement ?? metadata.timeSpan ?? (lines ? metadata.lineFrameTime : undefined);
}

function stampedPeriod(facts: TimeFacts, stated: number | undefined, warnings: string[]): number | undefined {
  const { stamps, starts, count, lines } = facts;
  let period: number | undefined;
  if (stamps.length === count) {
    period = periodOf(stamps, 'time stamps', warnings);
  } else if (lines && stamps.length === starts.length && starts.length > 1) {
    // One stamp for each run of lines.
    const perRun = periodOf(stamps, 'time stamps', warnings);
    const linesPerRun = ((starts.at(-1) as number) - (starts[0] as number)) / (starts.length - 1);
    period = perRun === undefined ? undefined : perRun / linesPerRun;
  }
  if (period === undefined || stated === undefined) return period;
  // Some writers count days. Only the difference tells: first values of both kinds overlap.
  const distance = (value: number) => Math.abs(Math.log(value / stated));
  return distance(period * SECONDS_PER_DAY) < distance(period) / 2 ? period * SECONDS_PER_DAY : period;
}

/** Mean of the differences; their median where the two are not alike, which a warning tells. */
function periodOf(values: readonly number[], what: string, warnings: string[]): number | undefined {
  if (values.length < 2) return undefined;
  const steps = new Float64Array(values.length - 1);
  for (let i = 0; i < steps.length; i++) steps[i] = (values[i + 1] as number) - (values[i] as number);
  if (!steps.every((step) => step > 0 && Number.isFinite(step))) {
    warnings.push(`The ${what} do not ascend; they are not used.`);
    return undefined;
  }
  const mean = ((values.at(-1) as number) - (values[0] as number)) / steps.length;
  steps.sort();
  const median = steps[steps.length >> 1] as number;
  if (Math.abs(mean / median - 1) < 0.01) return mean;
  const [low, high] = [steps[0] as number, steps.at(-1) as number].map((value) => Number(value.toPrecision(4)));
  warnings.push(`The ${what} are not regular: from ${low} to ${high} s apart; their median is served as the step.`);
  return median;
}
