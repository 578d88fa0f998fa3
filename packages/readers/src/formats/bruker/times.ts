/** Seconds from line to line and from frame to frame, and the clock of a cycle. */

import { AcqError } from '../../base/errors.js';
import type { Notes } from '../../base/notes.js';
import { grouped, plural } from '../../base/wording.js';
import { decodeText } from '../../io/text.js';
import type { Step } from '../../model/acquisition.js';
import { type AxisEvidence, type ResolvedAxis, resolveAxis, warnOfAxis } from '../../model/metadata/axes.js';
import { NO_CLOCK, parseDateTime, type WallClock } from '../../model/metadata/dates.js';
import { withoutPlaceholder } from '../../model/metadata/prairie.js';
import { defaultStep, makeStep } from '../../model/metadata/steps.js';
import type { ScenePlan } from './arrange.js';
import type { MemberFiles } from './files.js';
import { lookUp, type RawBrukerFrame, type RawSequence, toNumber } from './parse.js';
import type { BrukerSceneSource, SceneShape } from './planes.js';

/** Relative difference from which two values for the same time disagree. */
const DIFFERENT = 0.01;
/** Enough of a profile for some hundred lines. */
const PROFILE_BYTES = 16_384;

/** Seconds. */
const DAY = 86_400;

/** A step, with what to tell about it. */
export interface NotedStep {
  step: Step;
  warning?: string;
}

/**
 * Returns the seconds from one line of a line scan to the next: the `scanLinePeriod` of its own frame. The one of the
 * whole recording is that of the raster image, and `framePeriod` excludes how many passes were averaged.
 */
export function linePeriod({ plan, scan, files }: BrukerSceneSource, shape: SceneShape): NotedStep {
  const levels = [plan.frame, plan.sequences[0]];
  const stated = toSeconds(lookUp('scanlineperiod', ...levels));
  if (stated) return { step: stated };
  const missing = 'The XML does not contain the line period of the line scan.';
  const profile = profileName(plan);
  const sampled = toSeconds(profile === undefined ? undefined : profileInterval(files, profile));
  if (sampled) return { step: { ...sampled, origin: 'sidecar' }, warning: `${missing} Showing that of ${profile}.` };
  const framePeriod = lookUp('frameperiod', ...levels);
  const divided = toSeconds(framePeriod === undefined ? undefined : framePeriod / shape.rows[0]!);
  if (divided) {
    return {
      step: { ...divided, origin: 'derived' },
      warning: `${missing} Showing the frame period divided by the lines, which is too short when lines were averaged.`,
    };
  }
  const raster = toSeconds(lookUp('scanlineperiod', scan));
  if (raster) return { step: raster, warning: `${missing} Showing that of the raster image, which may differ.` };
  return {
    step: defaultStep('Pixels'),
    warning:
      'The XML does not contain a usable line period, so the time axis is in pixels. ' +
      'Enter it in the viewer or pass `calibration`.',
  };
}

/** Returns a warning when time passed between the frames of a line scan that no line shows. */
export function describeGaps({ plan }: BrukerSceneSource, shape: SceneShape, period: Step): string | undefined {
  const { frames } = plan.sequences[0];
  if (period.unit !== 'seconds' || frames.length < 2) return undefined;
  let gaps = 0;
  let longest = 0;
  for (const [i, seconds] of differences(frames.map(({ relativeTime }) => relativeTime)).entries()) {
    const lines = shape.rows[i]! * period.step;
    if (Number.isNaN(seconds) || Math.abs(seconds - lines) <= DIFFERENT * lines) continue;
    gaps++;
    longest = Math.max(longest, Math.abs(seconds - lines));
  }
  if (gaps === 0) return undefined;
  return (
    `The ${grouped(frames.length)} frames of the line scan are joined. At ${grouped(gaps)} of ${plural(frames.length - 1, 'joint')}, ` +
    `the time stamps do not match the line period; the largest difference is ${short(longest)} s.`
  );
}

/**
 * Returns the T axis: the times of the frames of a time series, or of the cycles of a Z series. Without them, the frame
 * period, which does not include pauses.
 */
export function timeAxis(source: BrukerSceneSource, notes: Notes): ResolvedAxis {
  const { plan } = source;
  if (plan.T < 2) return { step: defaultStep('Frames') };
  const { at, what } = plan.kind === 'depths' ? cycleStarts(plan.sequences) : frameStarts(plan.sequences[0].frames);
  const period = plan.kind === 'times' ? framePeriod(source) : undefined;
  const extent = at[at.length - 1]! - at[0]!;
  // A series with pauses between its frames contradicts nothing; frames that overlap do.
  const isEvidence = period !== undefined && !(extent > period * (at.length - 1));
  const evidence: AxisEvidence = {
    unit: 'seconds',
    nominal: isEvidence ? [{ step: period, what: 'framePeriod' }] : [],
    measured: { at, what },
  };
  const axis = resolveAxis('T', plan.T, evidence, notes);
  if (axis.step.unit === 'seconds') return axis;
  return warnOfAxis(axis, 'The XML does not contain a usable frame interval; T is in frames.', notes);
}

function framePeriod({ plan, scan }: BrukerSceneSource): number | undefined {
  const levels = [plan.frame, plan.sequences[0], scan];
  const period = lookUp('frameperiod', ...levels);
  return period === undefined ? undefined : period * Math.max(1, lookUp('rastersperframe', ...levels) ?? 1);
}

function frameStarts(frames: readonly RawBrukerFrame[]): { at: Float64Array; what: string } {
  return { at: Float64Array.from(frames, ({ relativeTime }) => relativeTime ?? Number.NaN), what: 'frame times' };
}

/** Returns the starts by the first frames, which count from the start of the first cycle, else by the cycles' clocks. */
function cycleStarts(sequences: readonly RawSequence[]): { at: Float64Array; what: string } {
  const absolute = sequences.map(({ frames }) => frames[0]?.absoluteTime);
  if (absolute.every((time) => time !== undefined))
    return { at: Float64Array.from(absolute), what: 'times of the cycles' };
  const clocks = Float64Array.from(sequences, ({ time }) => parseClock(time) ?? Number.NaN);
  // Clocks have no date; a recording may continue past midnight.
  for (let i = 1; i < clocks.length; i++) {
    const back = clocks[i - 1]! - clocks[i]!;
    if (back > 0) clocks[i] = clocks[i]! + DAY * Math.ceil(back / DAY);
  }
  return { at: clocks, what: 'clock times of the cycles' };
}

function parseClock(time: string): number | undefined {
  const match = /^(\d{1,2}):(\d{2}):(\d{2}(?:[.,]\d+)?)$/.exec(time.trim());
  return match ? Number(match[1]) * 3600 + Number(match[2]) * 60 + toNumber(match[3])! : undefined;
}

/** Returns NaN where one of both times is missing. */
function differences(times: readonly (number | undefined)[]): number[] {
  return times.slice(1).map((time, i) => (time ?? Number.NaN) - (times[i] ?? Number.NaN));
}

function toSeconds(value: number | undefined): Step | undefined {
  return value === undefined ? undefined : makeStep(value, 'seconds');
}

/** Returns the name of the averaged profile that the software writes beside a line scan. */
function profileName({ sequences: [{ line, cycle }], frame }: ScenePlan): string | undefined {
  const stem = findStem(frame);
  return line?.profiles ?? (stem && `${stem}_Cycle${String(cycle).padStart(5, '0')}_LineProfileData.csv`);
}

/** Returns `NAME` of `NAME_Cycle00001_Ch1_000001.ome.tif`: files keep the old name when their folder is renamed. */
export function findStem(frame: RawBrukerFrame): string | undefined {
  return /^(.*)_Cycle\d+_/i.exec(frame.files[0]?.file ?? '')?.[1];
}

/** Returns the seconds between the rows of a profile, whose first column is in ms. */
function profileInterval(files: MemberFiles, name: string): number | undefined {
  const bytes = readHead(files, name);
  const lines = bytes ? decodeText(bytes).split(/\r?\n/).slice(0, -1) : [];
  if (!/time\s*\(ms\)/i.test(lines[0]?.split(',')[0] ?? '')) return undefined;
  const times = lines.slice(1).map((line) => toNumber(line.split(',')[0]?.trim()));
  const end = times.indexOf(undefined);
  const usable = end < 0 ? times : times.slice(0, end);
  const [first, last] = [usable[0], usable.at(-1)];
  return first === undefined || last === undefined || usable.length < 2
    ? undefined
    : (last - first) / (usable.length - 1) / 1000;
}

/** Reads the start of a profile; `undefined` when it cannot be read or its name is not allowed. */
function readHead(files: MemberFiles, name: string): Uint8Array | undefined {
  try {
    return files.head(name, PROFILE_BYTES);
  } catch (error) {
    if (error instanceof AcqError) return undefined;
    throw error;
  }
}

/** Returns the date of the recording with the time of the cycle, else the clock of the first TIFF. */
export function findClock({ plan, scan }: BrukerSceneSource, shape: SceneShape): WallClock {
  const start = withoutPlaceholder(parseDateTime(scan.date));
  if (!start) return withoutPlaceholder(parseDateTime(shape.stamp)) ?? NO_CLOCK;
  const [sequence] = plan.sequences;
  if (sequence === scan.sequences[0]) return start;
  const time = parseDateTime(`2000-01-01 ${sequence.time}`)?.time;
  if (!time) return start;
  // Cycles have no date of their own; a recording may continue past midnight.
  return { date: time < start.time ? nextDay(start.date) : start.date, time };
}

/** Returns the day after a date, both as `YYYYMMDD`. */
function nextDay(date: string): string {
  const [year, month, day] = [date.slice(0, 4), date.slice(4, 6), date.slice(6)].map(Number);
  return new Date(Date.UTC(year!, month! - 1, day! + 1)).toISOString().slice(0, 10).replaceAll('-', '');
}

export function short(value: number): number {
  return Number(value.toPrecision(6));
}
