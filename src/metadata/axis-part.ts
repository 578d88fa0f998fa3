/** The measured values of a part of a scene. */
import type { AxisCoordinates, SceneInfo } from '../acquisition.js';
import { UNEVEN } from './axes.js';

/** From `start` to before `end`, counted from 0. */
interface Part {
  start: number;
  end: number;
}

/**
 * Returns the steps and coordinates of a part of a scene. Values keep their zero, the first plane of the file. The step of
 * an uneven axis is the mean of the part.
 */
export function partOfAxes(
  { steps, coordinates }: Pick<SceneInfo, 'steps' | 'coordinates'>,
  parts: Record<'T' | 'Z', Part>,
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
    if (axis.uneven && mean !== undefined) part.steps[name] = { ...steps[name], step: mean };
  }
  return part;
}

function partOfAxis(axis: AxisCoordinates, { start, end }: Part): AxisCoordinates & { mean?: number } {
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
