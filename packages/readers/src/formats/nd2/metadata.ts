/** Turns raw records into scenes. Pure, except that times of frames are looked up when needed. */

import { Notes } from '../../base/notes.js';
import type { SceneInfo, Step } from '../../model/acquisition.js';
import { measuredAxes, type ResolvedAxis, resolveAxis } from '../../model/metadata/axes.js';
import { type ChannelDisplay, channelsShown } from '../../model/metadata/colors.js';
import { NO_CLOCK, parseDateTime, toIsoClock, type WallClock, wallClockOf } from '../../model/metadata/dates.js';
import { depthRows } from '../../model/metadata/depth-rows.js';
import { toInstrument, toOptics } from '../../model/metadata/instrument.js';
import { channelsNamed } from '../../model/metadata/names.js';
import { defaultStep, makeStep } from '../../model/metadata/steps.js';
import type { FrameChannel, FrameForm } from './frame.js';
import type { FrameLayout } from './layout.js';
import { AXIS, type RawPicture } from './parse.js';
import type { FramePlan, PlannedScene } from './plan.js';
import { type FrameTimes, timeEvidence } from './times.js';

export interface Nd2SceneSource extends FrameTimes {
  form: FrameForm;
  picture: RawPicture | undefined;
  /** `TextInfoItem_9`: local date and time. */
  dateText: string | undefined;
  layout: FrameLayout;
  channels: readonly FrameChannel[];
  /** Suggested ranges by component of a frame. */
  windows?: readonly ChannelDisplay['window'][];
  /** What every scene should say. */
  notes: Notes;
}

/** Returns a scene for each position. */
export function toScenes(source: Nd2SceneSource): SceneInfo[] {
  const { form, layout, plan, windows } = source;
  const shared = new Notes();
  shared.addAll(source.notes);
  const { date, time } = readClock(source, shared);
  // All scenes share one list, because a hostile file may claim very many scenes and channels.
  const shown = channelsShown(
    channelsNamed(source.channels.map(({ name }) => name)),
    source.channels.map(({ component, display }) => ({ ...display, window: windows?.[component] })),
  );
  const channels = shown.map((channel, i) => ({ ...channel, ...toOptics(source.channels[i]?.optics ?? {}) }));
  return plan.scenes.map((scene, index) => {
    const notes = new Notes();
    notes.addAll(shared);
    const { sizes } = layout.scenes[index]!;
    const steps = toSteps(source, scene, sizes, notes);
    const rows = depthRows(!layout.lines && rowMeaning(source) === AXIS.z, notes);
    return {
      name: scene.name,
      sampleType: form.sampleType,
      channels,
      sizes,
      ...steps,
      ...toInstrument(source.picture?.instrument ?? {}),
      ...rows,
      date,
      time,
      reference: null,
      warnings: notes.list(),
    };
  });
}

/** Returns what the rows of a plane stand for, as a value of `AXIS`. */
function rowMeaning({ picture, layout }: Nd2SceneSource): number | undefined {
  return layout.transposed ? picture?.xAxis : picture?.yAxis;
}

function toSteps(
  source: Nd2SceneSource,
  scene: PlannedScene,
  sizes: SceneInfo['sizes'],
  notes: Notes,
): Pick<SceneInfo, 'steps' | 'coordinates'> {
  const { picture, layout } = source;
  const columns = { meaning: picture?.xAxis ?? AXIS.x, factor: 1 };
  const rows = { meaning: picture?.yAxis ?? AXIS.y, factor: picture?.aspect ?? 1 };
  const [x, y] = layout.transposed ? [rows, columns] : [columns, rows];
  const X = pixelStep(picture, x, 'X', notes);
  const axis = layout.lines ? 'Y' : 'T';
  const time = resolveAxis(axis, sizes[axis], timeEvidence(source, scene, sizes[axis]), notes);
  const Z = depthStep(source.plan, sizes.Z);
  const T = sizes.T > 1 ? time.step : defaultStep('Frames');
  const measured = measuredAxes({ [axis]: time });
  if (!layout.lines) return { steps: { T, Z, Y: pixelStep(picture, y, 'Y', notes), X }, ...measured };
  return { steps: { T: defaultStep('Frames'), Z, Y: lineStep(time, sizes.Y, notes), X }, ...measured };
}

function lineStep({ step }: ResolvedAxis, lines: number, notes: Notes): Step {
  if (lines < 2) return defaultStep();
  if (step.unit !== 'seconds') {
    notes.add(
      'The file does not contain the line period, so the time axis is in pixels. Enter it in the viewer or pass `calibration`.',
    );
  }
  return step;
}

function depthStep(plan: FramePlan, size: number): Step {
  const step = plan.loops.find(({ kind }) => kind === 'Z')?.step;
  return (size > 1 && step !== undefined && makeStep(step, 'micrometer')) || defaultStep('Planes');
}

/** Returns the step of one pixel along an axis of the picture, which may stand for time or depth. */
function pixelStep(
  picture: RawPicture | undefined,
  axis: { meaning: number; factor: number },
  name: 'X' | 'Y',
  notes: Notes,
): Step {
  if (!picture) return defaultStep();
  if (axis.meaning === AXIS.time) {
    const step = picture.timeAxis === undefined ? undefined : makeStep(picture.timeAxis / 1000, 'seconds');
    if (!step) notes.add(`${name} is time, but the file does not contain the time per pixel. The axis is in pixels.`);
    return step ?? defaultStep();
  }
  if (axis.meaning === AXIS.z) {
    const step = picture.zAxis === undefined ? undefined : makeStep(picture.zAxis, 'micrometer');
    if (!step) notes.add(`${name} is depth, but the file does not contain the depth per pixel. The axis is in pixels.`);
    return step ?? defaultStep();
  }
  if (axis.meaning === AXIS.point || picture.calibration === undefined) return defaultStep();
  return makeStep(picture.calibration * axis.factor, 'micrometer') ?? defaultStep();
}

/** Julian day number of 1970-01-01 00:00 UTC. */
const UNIX_EPOCH = 2440587.5;
const DAY = 86_400_000;

/**
 * Reads the local date and time at which the file was saved. The time of the first frame, which is in UTC, decides
 * which number is the day and which the month, and is used itself when there is no text.
 */
function readClock({ picture, dateText }: Nd2SceneSource, notes: Notes): WallClock {
  const started = picture?.timeAbsolute === undefined ? undefined : (picture.timeAbsolute - UNIX_EPOCH) * DAY;
  const local = dateText === undefined ? undefined : parseLocalClock(dateText, started);
  if (local) return local;
  const utc = started === undefined ? undefined : wallClockOf(started);
  if (utc) {
    notes.add('The file does not contain a readable local time. Date and time are those of the first frame, in UTC.');
  }
  return utc ?? NO_CLOCK;
}

function parseLocalClock(text: string, started: number | undefined): WallClock | undefined {
  const [monthFirst, dayFirst] = [parseDateTime(text, 'mdy'), parseDateTime(text, 'dmy')];
  if (started === undefined) return /[AP]M\s*$/i.test(text) ? monthFirst : (dayFirst ?? monthFirst);
  const distance = (clock: WallClock | undefined) =>
    clock ? Math.abs(toMilliseconds(clock) - started) : Number.POSITIVE_INFINITY;
  return distance(dayFirst) < distance(monthFirst) ? dayFirst : monthFirst;
}

function toMilliseconds({ date, time }: WallClock): number {
  return Date.parse(`${toIsoClock({ date, time: time || '00:00:00' })}Z`);
}
