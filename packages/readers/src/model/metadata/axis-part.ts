/** The measured values of a part of a scene. */
import type { AxisCoordinates, SceneInfo, Step } from '../acquisition.js';
import { DIFFERENT, UNEVEN } from './axes.js';

/** From `start` to before `end`, counted from 0. */
interface AxisPart {
  start: number;
  end: number;
}

/**
 * Returns the steps and coordinates of a part of a scene. Values keep their zero, the first plane of the file. The step
 * follows from the values of the part.
 */
export function partOfAxes(
  { steps, coordinates }: Pick<SceneInfo, 'steps' | 'coordinates'>,
  parts: Record<'T' | 'Z', AxisPart>,
): Pick<SceneInfo, 'steps' | 'coordinates'> {
  if (!coordinates) return { steps };
  const part: Pick<SceneInfo, 'steps'> & Required<Pick<SceneInfo, 'coordinates'>> = {
    steps: { ...steps },
    coordinates: { ...coordinates },
  };
  for (const name of ['T', 'Z'] as const) {
    const axis = coordinates[name];
    const { start, end } = parts[name];
    if (!axis || axis.isLater || end - start === axis.values.length) continue;
    const { mean, ...measured } = partOfAxis(axis, parts[name]);
    part.coordinates[name] = measured;
    if (mean !== undefined) part.steps[name] = stepOfPart(steps[name], mean);
  }
  return part;
}

/**
 * Returns the step of some time points, by the times of single planes, where the axis itself has no values: opening did not
 * read all of them.
 * @param at one time for each time point of the part
 */
export function stepOfTimes(step: Step, at: Float64Array): Step {
  const known = at.filter(Number.isFinite);
  if (step.unit !== 'seconds' || known.some((time, i) => i > 0 && time < known[i - 1]!)) return step;
  const { mean } = partOfAxis({ unit: 'seconds', source: '', uneven: true, values: at }, { start: 0, end: at.length });
  return mean === undefined ? step : stepOfPart(step, mean);
}

/** A step that agrees with the mean has more digits. */
function stepOfPart(step: Step, mean: number): Step {
  return Math.abs(mean / step.step - 1) > DIFFERENT ? { ...step, step: mean } : step;
}

function partOfAxis(axis: AxisCoordinates, { start, end }: AxisPart): AxisCoordinates & { mean?: number } {
  const values = axis.values.slice(start, end);
  const usable = [...values.keys()].filter((i) => Number.isFinite(values[i]));
  const [first, last] = [usable[0], usable.at(-1)];
  if (first === undefined || last === undefined || first === last) return { ...axis, values, uneven: false };
  const mean = Math.abs(values[last]! - values[first]!) / (last - first);
  const differs = (to: number, i: number) => {
    const from = usable[i]!;
    return Math.abs(Math.abs(values[to]! - values[from]!) / (to - from) - mean) > UNEVEN * mean;
  };
  const uneven = axis.uneven && usable.slice(1).some(differs);
  return { ...axis, values, uneven, ...(mean > 0 ? { mean } : {}) };
}
