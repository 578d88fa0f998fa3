/** Seconds from one time point, or one line, to the next. */
import type { Step } from '../../acquisition.js';
import { defaultStep, makeStep } from '../../metadata/steps.js';
import { type FramePlan, frameAt, type PlannedScene } from './plan.js';

/** Relative difference from which two periods are called different. */
const UNEVEN = 0.05;

/**
 * The mean distance of the frames' own times. The average that the file states is used in its place when both agree,
 * and when the frames have no times; the period that was set only when nothing was measured.
 * @param count time points of the scene
 */
export function timeStep(
  facts: { plan: FramePlan; timeOf: (frame: number) => number | undefined },
  scene: PlannedScene,
  count: number,
  what: 'lines' | 'time points',
  warnings: string[],
): Step {
  if (count <= 1) return defaultStep(what === 'lines' ? 'Pixels' : 'Frames');
  const times = facts.plan.loops.filter(({ axis }) => axis === 'T');
  const [loop] = times;
  const single = times.length === 1 ? loop : undefined;
  const at = (t: number) => facts.timeOf(frameAt(facts.plan.loops, { S: scene.position, T: t, Z: 0 }));
  const measured = meanInterval(at, count, what, warnings);
  const stated = single?.average ?? single?.period;
  if (measured !== undefined && stated !== undefined && Math.abs(stated / measured - 1) > UNEVEN) {
    warnings.push(
      `The ${what} come every ${seconds(measured)} s by their own times, and every ${seconds(stated)} s by the ` +
        'settings; the former is shown.',
    );
  }
  const average = single?.average;
  const agrees = average !== undefined && measured !== undefined && Math.abs(average / measured - 1) <= 0.01;
  const period = agrees ? average : (measured ?? stated);
  const step =
    period === undefined
      ? undefined
      : makeStep(period / 1000, 'seconds', agrees || measured === undefined ? 'file' : 'derived');
  if (!step && what === 'lines') warnings.push(`No line period is stated; the ${count} lines have no time scale.`);
  return step ?? defaultStep(what === 'lines' ? 'Pixels' : 'Frames');
}

/** ms; `undefined` when the frames have no times that go forward. */
function meanInterval(
  at: (t: number) => number | undefined,
  count: number,
  what: string,
  warnings: string[],
): number | undefined {
  const [first, last] = [at(0), at(count - 1)];
  if (first === undefined || last === undefined || !(last > first)) return undefined;
  const mean = (last - first) / (count - 1);
  let least = Number.POSITIVE_INFINITY;
  let most = 0;
  let before = first;
  for (let t = 1; t < count; t++) {
    const time = at(t);
    if (time === undefined || !(time >= before)) continue;
    least = Math.min(least, time - before);
    most = Math.max(most, time - before);
    before = time;
  }
  if (most > mean * (1 + UNEVEN)) {
    warnings.push(
      `The ${what} are not evenly spaced: from ${seconds(least)} to ${seconds(most)} s; the mean is shown.`,
    );
  }
  return mean;
}

function seconds(milliseconds: number): number {
  return Number((milliseconds / 1000).toPrecision(4));
}
