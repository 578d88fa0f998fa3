/** What a file says about the time from one time point, or one line, to the next. */
import type { AxisEvidence, MeasuredValues, NominalStep } from '../../model/metadata/axes.js';
import { type FramePlan, frameAt, type PlannedScene } from './plan.js';

export interface FrameTimes {
  plan: FramePlan;
  /** Returns the ms at which a frame was taken. */
  timeOf: (frame: number) => number | undefined;
}

/**
 * Returns the time stamps of the frames, and the interval of the time loop: the average that the software measured, and
 * the period that was set.
 * @param count time points or lines of the scene
 */
export function timeEvidence({ plan, timeOf }: FrameTimes, scene: PlannedScene, count: number): AxisEvidence {
  const loops = plan.loops.filter(({ kind }) => kind === 'T');
  const loop = loops.length === 1 ? loops[0] : undefined;
  const nominal: NominalStep[] = [];
  if (loop?.average !== undefined) nominal.push({ step: loop.average / 1000, what: '`dAvgPeriodDiff`' });
  if (loop?.period !== undefined) nominal.push({ step: loop.period / 1000, what: '`dPeriod`' });
  const timeAt = (T: number) => timeOf(frameAt(plan, { S: scene.position, T, Z: 0 }));
  return { unit: 'seconds', nominal, measured: count > 1 ? readStamps(timeAt, count) : undefined };
}

/** Files without a table of times have them in the frames: those are read only when the first or the last has one. */
function readStamps(timeAt: (t: number) => number | undefined, count: number): MeasuredValues | undefined {
  const [first, last] = [timeAt(0), timeAt(count - 1)];
  if (first === undefined && last === undefined) return undefined;
  const at = Float64Array.from({ length: count }, (_, t) => (timeAt(t) ?? Number.NaN) / 1000);
  return { at, what: 'time stamps', origin: 'derived' };
}
