/** Raw records to scenes. Pure but for the times of frames, which are looked up when they are needed. */

import type { SceneInfo, Step } from '../../acquisition.js';
import { type ChannelDisplay, channelsShown } from '../../metadata/colors.js';
import { NO_CLOCK, parseDateTime, type WallClock, wallClockOf } from '../../metadata/dates.js';
import { depthRows } from '../../metadata/depth-rows.js';
import { channelsNamed } from '../../metadata/names.js';
import { defaultStep, makeStep } from '../../metadata/steps.js';
import type { FrameChannel, FrameForm } from './frame.js';
import type { Layout } from './layout.js';
import { AXIS, type RawPicture } from './parse.js';
import type { FramePlan, PlannedScene } from './plan.js';
import { timeStep } from './times.js';

export interface SceneFacts {
  form: FrameForm;
  picture: RawPicture | undefined;
  /** `TextInfoItem_9`: local date and time. */
  dateText: string | undefined;
  plan: FramePlan;
  layout: Layout;
  channels: readonly FrameChannel[];
  /** By component of a frame. */
  windows?: readonly ChannelDisplay['window'][];
  /** ms at which a frame was taken. */
  timeOf: (frame: number) => number | undefined;
  warnings: readonly string[];
}

export function toScenes(facts: SceneFacts): SceneInfo[] {
  const clockWarnings: string[] = [];
  const clock = clockOf(facts, clockWarnings);
  // One list for all scenes: a hostile file may claim very many of both.
  const named = channelsNamed(facts.channels.map(({ name }) => name));
  const channels = channelsShown(
    named,
    facts.channels.map(({ component, display }) => ({ ...display, window: facts.windows?.[component] })),
  );
  return facts.plan.scenes.map((scene, index) => {
    const warnings = [...facts.warnings, ...clockWarnings];
    const { sizes } = facts.layout.scenes[index] as Layout['scenes'][number];
    return {
      name: scene.name,
      sampleType: facts.form.sampleType,
      channels,
      sizes,
      steps: stepsOf(facts, scene, sizes, warnings),
      ...depthRows(!facts.layout.lines && rowKind(facts) === AXIS.z, warnings),
      date: clock.date,
      time: clock.time,
      reference: null,
      warnings,
    };
  });
}

/** What the rows of a plane stand for. */
function rowKind({ picture, layout }: SceneFacts): number | undefined {
  return layout.transposed ? picture?.xAxis : picture?.yAxis;
}

function stepsOf(
  facts: SceneFacts,
  scene: PlannedScene,
  sizes: SceneInfo['sizes'],
  warnings: string[],
): SceneInfo['steps'] {
  const { picture, layout, plan } = facts;
  const columns = { kind: picture?.xAxis ?? AXIS.x, factor: 1 };
  const rows = { kind: picture?.yAxis ?? AXIS.y, factor: picture?.aspect ?? 1 };
  const [x, y] = layout.transposed ? [rows, columns] : [columns, rows];
  const X = axisStep(picture, x, 'X', warnings);
  if (layout.lines) {
    const Y = timeStep(facts, scene, sizes.Y, 'lines', warnings);
    return { T: defaultStep('Frames'), Z: depthStep(plan, sizes.Z), Y, X };
  }
  return {
    T: timeStep(facts, scene, sizes.T, 'time points', warnings),
    Z: depthStep(plan, sizes.Z),
    Y: axisStep(picture, y, 'Y', warnings),
    X,
  };
}

function depthStep(plan: FramePlan, size: number): Step {
  const step = plan.loops.find(({ axis }) => axis === 'Z')?.step;
  return (size > 1 && step !== undefined && makeStep(step, 'micrometer')) || defaultStep('Planes');
}

/** One pixel along an axis of the picture, whatever it stands for. */
function axisStep(
  picture: RawPicture | undefined,
  axis: { kind: number; factor: number },
  what: string,
  warnings: string[],
): Step {
  if (!picture) return defaultStep();
  if (axis.kind === AXIS.time) {
    const step = picture.timeAxis === undefined ? undefined : makeStep(picture.timeAxis / 1000, 'seconds');
    if (!step) warnings.push(`${what} is time, and the file does not say how long a pixel is.`);
    return step ?? defaultStep();
  }
  if (axis.kind === AXIS.z) {
    const step = picture.zAxis === undefined ? undefined : makeStep(picture.zAxis, 'micrometer');
    if (!step) warnings.push(`${what} is depth, and the file does not say how deep a pixel is.`);
    return step ?? defaultStep();
  }
  if (axis.kind === AXIS.point || picture.calibration === undefined) return defaultStep();
  return makeStep(picture.calibration * axis.factor, 'micrometer') ?? defaultStep();
}

/** Julian day number of 1970-01-01 00:00 UTC. */
const UNIX_EPOCH = 2440587.5;
const DAY = 86_400_000;

/**
 * The digits of the local clock that the file shows, written when it was saved. Day and month are told apart by the
 * point in time of the first frame, which is kept in UTC; it also stands in when there is no text.
 */
function clockOf({ picture, dateText }: SceneFacts, warnings: string[]): WallClock {
  const started = picture?.timeAbsolute === undefined ? undefined : (picture.timeAbsolute - UNIX_EPOCH) * DAY;
  const local = dateText === undefined ? undefined : localClock(dateText, started);
  if (local) return local;
  const utc = started === undefined ? undefined : wallClockOf(started);
  if (utc)
    warnings.push('The file shows no local time that can be read; date and time are those of the first frame in UTC.');
  return utc ?? NO_CLOCK;
}

function localClock(text: string, started: number | undefined): WallClock | undefined {
  const clocks = (['mdy', 'dmy'] as const).map((order) => parseDateTime(text, order));
  if (started === undefined) return /[AP]M\s*$/i.test(text) ? clocks[0] : (clocks[1] ?? clocks[0]);
  const distance = (clock: WallClock | undefined) =>
    clock ? Math.abs(millisecondsOf(clock) - started) : Number.POSITIVE_INFINITY;
  return distance(clocks[1]) < distance(clocks[0]) ? clocks[1] : clocks[0];
}

function millisecondsOf({ date, time }: WallClock): number {
  const day = `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}`;
  return Date.parse(`${day}T${time || '00:00:00'}Z`);
}
