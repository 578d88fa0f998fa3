/** The time from one time point, or one line, to the next. */
import type { Step } from '../../acquisition.js';
import { defaultStep, makeStep } from '../../metadata/steps.js';
import type { Notes } from '../../notes.js';
import { type FramePlan, frameAt, type PlannedScene } from './plan.js';

/** Relative difference above which two periods are reported as different. */
const UNEVEN = 0.05;
/** Relative difference up to which the average in the file and the measured period are the same. */
const SAME = 0.01;

export interface FrameTimes {
  plan: FramePlan;
  /** Returns the ms at which a frame was taken. */
  timeOf: (frame: number) => number | undefined;
}

/**
 * Returns the mean interval between the time stamps of the frames. The average in the file takes its place when both
 * agree, or when the frames have no time stamps; the period in the settings is used only when nothing was measured.
 * @param count time points of the scene
 */
export function timeStep(
  { plan, timeOf }: FrameTimes,
  scene: PlannedScene,
  count: number,
  what: 'lines' | 'time points',
  notes: Notes,
): Step {
  const fallback = defaultStep(what === 'lines' ? 'Pixels' : 'Frames');
  if (count <= 1) return fallback;
  const timeLoops = plan.loops.filter(({ kind }) => kind === 'T');
  const loop = timeLoops.length === 1 ? timeLoops[0] : undefined;
  const timeAt = (T: number) => timeOf(frameAt(plan, { S: scene.position, T, Z: 0 }));
  const measured = meanInterval(timeAt, count, what, notes);
  const average = loop?.average;
  const described = average ?? loop?.period;
  if (measured !== undefined && described !== undefined && Math.abs(described / measured - 1) > UNEVEN) {
    const shown = toSeconds(measured);
    notes.add(
      `The time stamps of the ${what} are ${shown} s apart, but the settings say ${toSeconds(described)} s. ` +
        `Showing ${shown} s.`,
    );
  }
  const agrees = average !== undefined && measured !== undefined && Math.abs(average / measured - 1) <= SAME;
  const period = agrees ? average : (measured ?? described);
  const origin = agrees || measured === undefined ? 'file' : 'derived';
  const step = period === undefined ? undefined : makeStep(period / 1000, 'seconds', origin);
  if (!step && what === 'lines') {
    notes.add(
      'The file does not contain the line period, so the time axis is in pixels. Enter it in the viewer or pass `calibration`.',
    );
  }
  return step ?? fallback;
}

/** Returns the mean interval in ms; `undefined` when the frames have no increasing time stamps. */
function meanInterval(
  timeAt: (t: number) => number | undefined,
  count: number,
  what: string,
  notes: Notes,
): number | undefined {
  const [first, last] = [timeAt(0), timeAt(count - 1)];
  if (first === undefined || last === undefined || !(last > first)) return undefined;
  const mean = (last - first) / (count - 1);
  let min = Number.POSITIVE_INFINITY;
  let max = 0;
  let previous = first;
  for (let t = 1; t < count; t++) {
    const time = timeAt(t);
    if (time === undefined || !(time >= previous)) continue;
    min = Math.min(min, time - previous);
    max = Math.max(max, time - previous);
    previous = time;
  }
  if (max > mean * (1 + UNEVEN)) {
    notes.add(
      `The ${what} are not evenly spaced: they are ${toSeconds(min)} to ${toSeconds(max)} s apart. Showing the mean.`,
    );
  }
  return mean;
}

function toSeconds(milliseconds: number): number {
  return Number((milliseconds / 1000).toPrecision(4));
}
