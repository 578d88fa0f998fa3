/** Seconds from line to line, from frame to frame, and the clock of a cycle. */
import type { Step } from '../../acquisition.js';
import { AcqError } from '../../errors.js';
import { decodeText } from '../../io/text.js';
import { NO_CLOCK, parseDateTime, type WallClock } from '../../metadata/dates.js';
import { withoutPlaceholder } from '../../metadata/prairie.js';
import { defaultStep, makeStep } from '../../metadata/steps.js';
import { plural } from '../../wording.js';
import type { ScenePlan } from './arrange.js';
import type { MemberFiles } from './files.js';
import { lookUp, type RawFrame, type RawScan, type RawSequence, toNumber } from './parse.js';
import type { SceneShape } from './planes.js';

/** Relative difference from which two statements about one time disagree. */
const DIFFERENT = 0.01;
/** Enough of a profile for some hundred lines. */
const PROFILE_BYTES = 16_384;

/**
 * Seconds from one line of a line scan to the next: the `scanLinePeriod` of its own frame. The one of the whole
 * recording is that of the raster image, and `framePeriod` leaves out how many passes were averaged.
 */
export function linePeriod(
  plan: ScenePlan,
  shape: SceneShape,
  scan: RawScan,
  files: MemberFiles,
  warnings: string[],
): Step {
  const levels = [plan.frame, plan.sequences[0]];
  const own = toSeconds(lookUp('scanlineperiod', ...levels));
  if (own) return own;
  const profile = profileName(plan);
  const sampled = toSeconds(profile === undefined ? undefined : profileInterval(files, profile));
  if (sampled) {
    warnings.push(`Line period: the XML states none for the line scan; it is that of ${profile}.`);
    return { ...sampled, origin: 'sidecar' };
  }
  const framePeriod = lookUp('frameperiod', ...levels);
  const divided = toSeconds(framePeriod === undefined ? undefined : framePeriod / (shape.rows[0] as number));
  if (divided) {
    warnings.push(
      'Line period: the XML states none for the line scan; it is the frame period over the lines, which is too short ' +
        'when lines were averaged.',
    );
    return { ...divided, origin: 'derived' };
  }
  const raster = toSeconds(lookUp('scanlineperiod', scan));
  warnings.push(
    raster
      ? 'Line period: the XML states none for the line scan; it is that of the raster image, which may differ.'
      : 'Line period: the XML states no usable time; Y is in Pixels.',
  );
  return raster ?? defaultStep('Pixels');
}

/** Time that passes between the frames of a line scan without a line to show for it. */
export function warnAboutGaps(plan: ScenePlan, shape: SceneShape, period: Step, warnings: string[]): void {
  const { frames } = plan.sequences[0];
  if (period.unit !== 'seconds' || frames.length < 2) return;
  let gaps = 0;
  let longest = 0;
  for (const [i, seconds] of differences(frames.map(({ relativeTime }) => relativeTime)).entries()) {
    const lines = (shape.rows[i] as number) * period.step;
    if (Number.isNaN(seconds) || Math.abs(seconds - lines) <= DIFFERENT * lines) continue;
    gaps++;
    longest = Math.max(longest, Math.abs(seconds - lines));
  }
  if (gaps === 0) return;
  warnings.push(
    `The ${frames.length} frames of the line scan are joined; the time stamps differ ` +
      `from the line period at ${gaps} of ${plural(frames.length - 1, 'joint')}, by up to ${short(longest)} s.`,
  );
}

/** T step: the median distance of the frames of a time series, or of the cycles of a Z series. */
export function frameInterval(plan: ScenePlan, scan: RawScan, warnings: string[]): Step {
  if (plan.T < 2) return defaultStep('Frames');
  const times = plan.kind === 'depths' ? cycleStarts(plan.sequences) : stamps(plan.sequences[0].frames);
  const steps = differences(times).filter((step) => step > 0);
  const typical = median(steps);
  const step = typical === undefined ? undefined : makeStep(typical, 'seconds', 'derived');
  if (!step) return statedInterval(plan, scan, warnings);
  const odd = steps.filter((seconds) => Math.abs(seconds / step.step - 1) > 0.5).length;
  if (odd > 0) {
    warnings.push(
      `T step: ${odd} of ${plural(steps.length, 'interval')} ${odd === 1 ? 'is' : 'are'} more than half off the median, which is shown.`,
    );
  }
  return step;
}

function statedInterval(plan: ScenePlan, scan: RawScan, warnings: string[]): Step {
  const levels = [plan.frame, plan.sequences[0], scan];
  const rasters = lookUp('rastersperframe', ...levels) ?? 1;
  const stated = plan.kind === 'times' && rasters <= 1 ? toSeconds(lookUp('frameperiod', ...levels)) : undefined;
  if (!stated) warnings.push('T step: the XML states no usable time; the axis is in Frames.');
  return stated ?? defaultStep('Frames');
}

function stamps(frames: readonly RawFrame[]): (number | undefined)[] {
  return frames.map(({ relativeTime }) => relativeTime);
}

/** By the first frames, which count from the start of the first cycle; else by the clock of the cycles. */
function cycleStarts(sequences: readonly RawSequence[]): (number | undefined)[] {
  const absolute = sequences.map(({ frames }) => frames[0]?.absoluteTime);
  return absolute.every((time) => time !== undefined) ? absolute : sequences.map(({ time }) => secondsOf(time));
}

function secondsOf(time: string): number | undefined {
  const match = /^(\d{1,2}):(\d{2}):(\d{2}(?:[.,]\d+)?)$/.exec(time.trim());
  return match ? Number(match[1]) * 3600 + Number(match[2]) * 60 + (toNumber(match[3]) as number) : undefined;
}

/** NaN where one of both is not known. */
function differences(times: readonly (number | undefined)[]): number[] {
  return times.slice(1).map((time, i) => (time ?? Number.NaN) - (times[i] ?? Number.NaN));
}

function median(values: readonly number[]): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length % 2 === 1) return sorted[middle];
  return sorted.length === 0 ? undefined : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

function toSeconds(value: number | undefined): Step | undefined {
  return value === undefined ? undefined : makeStep(value, 'seconds');
}

/** The averaged profile that the software writes beside a line scan. */
function profileName({ sequences: [{ line, cycle }], frame }: ScenePlan): string | undefined {
  const stem = stemOf(frame);
  return line?.profiles ?? (stem && `${stem}_Cycle${String(cycle).padStart(5, '0')}_LineProfileData.csv`);
}

/** `NAME` of `NAME_Cycle00001_Ch1_000001.ome.tif`: files inside a renamed folder keep the old one. */
export function stemOf(frame: RawFrame): string | undefined {
  return /^(.*)_Cycle\d+_/i.exec(frame.files[0]?.file ?? '')?.[1];
}

/** Seconds between the rows of a profile: its first column is in ms. */
function profileInterval(files: MemberFiles, name: string): number | undefined {
  const bytes = headOf(files, name);
  const lines = bytes ? decodeText(bytes).split(/\r?\n/).slice(0, -1) : [];
  if (!/time\s*\(ms\)/i.test(lines[0]?.split(',')[0] ?? '')) return undefined;
  const times = lines.slice(1).map((line) => toNumber(line.split(',')[0]?.trim()));
  const end = times.indexOf(undefined);
  const known = end < 0 ? times : times.slice(0, end);
  const [first, last] = [known[0], known.at(-1)];
  return first === undefined || last === undefined || known.length < 2
    ? undefined
    : (last - first) / (known.length - 1) / 1000;
}

/** What may not be read, or is no name, is no profile. */
function headOf(files: MemberFiles, name: string): Uint8Array | undefined {
  try {
    return files.head(name, PROFILE_BYTES);
  } catch (error) {
    if (error instanceof AcqError) return undefined;
    throw error;
  }
}

/** The date of the recording with the time of the cycle; else the clock of the first TIFF, at the end of its frame. */
export function clockOf(plan: ScenePlan, shape: SceneShape, scan: RawScan): WallClock {
  const start = withoutPlaceholder(parseDateTime(scan.date));
  if (!start) return withoutPlaceholder(parseDateTime(shape.stamp)) ?? NO_CLOCK;
  const [sequence] = plan.sequences;
  if (sequence === scan.sequences[0]) return start;
  const own = parseDateTime(`2000-01-01 ${sequence.time}`)?.time;
  if (!own) return start;
  return { date: own < start.time ? nextDay(start.date) : start.date, time: own };
}

/** Recordings go on past midnight; cycles have no date of their own. */
function nextDay(date: string): string {
  const [year, month, day] = [date.slice(0, 4), date.slice(4, 6), date.slice(6)].map(Number) as [
    number,
    number,
    number,
  ];
  return new Date(Date.UTC(year, month - 1, day + 1)).toISOString().slice(0, 10).replaceAll('-', '');
}

export function short(value: number): number {
  return Number(value.toPrecision(6));
}
