/** When frames and lines were taken, and when the recording started. */

import { LIMITS } from '../../base/limits.js';
import type { Notes } from '../../base/notes.js';
import { grouped, plural, subjectFirst } from '../../base/wording.js';
import type { Folder } from '../../io/folder.js';
import { decodeText } from '../../io/text.js';
import { type NominalStep, type ResolvedAxis, resolveAxis, warnOfAxis } from '../../model/metadata/axes.js';
import { NO_CLOCK, parseDateTime, type WallClock, wallClockOf } from '../../model/metadata/dates.js';
import { defaultStep } from '../../model/metadata/steps.js';
import { isAveraged, isStreaming, type RawLayout } from './layout.js';
import type { ThorSettings } from './parse.js';

const TIMING = 'timing.txt';
/** The farthest time zone from UTC, and a little. */
const ZONE_SECONDS = 15 * 3600;

/** Seconds of each frame, those of the flyback included; `undefined` without the file, or when it is of other frames. */
export function readTiming(folder: Folder, frames: number, notes: Notes): Float64Array | undefined {
  const source = folder.openAnyCase(TIMING);
  if (!source || source.size > LIMITS.sidecarBytes) return undefined;
  const lines = decodeText(source.read(0, source.size)).split(/\r?\n/);
  const seconds = Float64Array.from(lines.filter((line) => line.trim() !== '').map(Number));
  if (seconds.length === frames) return seconds;
  notes.add(
    subjectFirst(TIMING, `has ${plural(seconds.length, 'time')} for ${plural(frames, 'frame')}; it was ignored.`),
  );
  return undefined;
}

/** Returns the T axis of a raw file: the times of its frames, else the frame rate that was set. */
export function rawTimes(
  settings: ThorSettings,
  layout: RawLayout,
  timing: Float64Array | undefined,
  notes: Notes,
): ResolvedAxis {
  const { times, Z, flyback } = layout;
  if (layout.rowKind === 'lines' || times < 2) return { step: defaultStep('Frames') };
  const at = timing && Float64Array.from({ length: times }, (_, t) => timing[t * (Z + flyback)]!);
  const nominal = isStreaming(settings) ? frameStep(settings, Z + flyback) : [];
  const measured = at && { at, what: `times in ${TIMING}`, origin: 'sidecar' as const };
  const axis = resolveAxis('T', times, { unit: 'seconds', nominal, measured }, notes);
  if (isStreaming(settings) || axis.step.unit === 'seconds') return axis;
  return warnOfAxis(axis, `The mode of the recording is ${settings.mode}, not streaming: T is in frames.`, notes);
}

/** The frame rate is that of single passes: frames are averaged after the recording, and volumes have several. */
function frameStep(settings: ThorSettings, framesPerVolume: number): NominalStep[] {
  const { frameRate = 0, averageNum = 1 } = settings.lsm;
  // That of the scanner is left over when a camera takes the frames.
  if (settings.isCamera || frameRate <= 0) return [];
  const frames = isAveraged(settings) ? averageNum : framesPerVolume;
  return [{ step: frames / frameRate, what: `LSM frameRate (${plural(frames, 'frame')})` }];
}

/**
 * Returns the Y axis of lines in time.
 * @param frameRows lines of a frame
 * @param rows lines of a plane
 */
export function lineTimes(
  { lsm, streaming }: ThorSettings,
  { frameRows, rows, timing }: { frameRows: number; rows: number; timing?: Float64Array | undefined },
  notes: Notes,
): ResolvedAxis {
  const { frameRate = 0, timeBasedLineScan, tbLineScanTimeMS = 0 } = lsm;
  const frames = timing?.length ?? 0;
  const measured = frames > 1 ? (timing![frames - 1]! - timing![0]!) / (frames - 1) / frameRows : Number.NaN;
  const planned =
    timeBasedLineScan === 1 ? tbLineScanTimeMS / 1000 / (frameRows * (streaming.frames || 1)) : Number.NaN;
  const nominal: NominalStep[] = [
    { step: measured, what: TIMING, origin: 'sidecar' },
    { step: frameRate > 0 ? 1 / (frameRate * frameRows) : Number.NaN, what: 'LSM frameRate', origin: 'derived' },
    { step: planned, what: 'LSM tbLineScanTimeMS', origin: 'derived' },
  ];
  const axis = resolveAxis('Y', rows, { unit: 'seconds', nominal: nominal.filter(({ step }) => step > 0) }, notes);
  const assumed =
    axis.step.unit === 'seconds'
      ? `Their period was assumed to be the frame period divided by the ${grouped(frameRows)} rows.`
      : 'The settings do not have their period.';
  return warnOfAxis(axis, `The rows are the lines of a line scan. ${assumed}`, notes);
}

/** Returns the local date and time: month first, unless only the other order agrees with the time in UTC. */
export function clockOf({ date, uTime }: ThorSettings): WallClock {
  const utc = uTime !== undefined && uTime > 0 ? wallClockOf(1000 * uTime) : undefined;
  const clocks = (['mdy', 'dmy'] as const).map((order) => parseDateTime(date, order));
  const agreeing = clocks.find((clock) => clock && utc && isNear(clock, uTime!));
  return agreeing ?? clocks.find((clock) => clock !== undefined) ?? utc ?? NO_CLOCK;
}

function isNear({ date, time }: WallClock, uTime: number): boolean {
  const [year, month, day] = [date.slice(0, 4), date.slice(4, 6), date.slice(6)].map(Number) as [
    number,
    number,
    number,
  ];
  const [hour = 0, minute = 0, second = 0] = time.split(':').map(Number);
  return Math.abs(Date.UTC(year, month - 1, day, hour, minute, second) / 1000 - uTime) <= ZONE_SECONDS;
}
