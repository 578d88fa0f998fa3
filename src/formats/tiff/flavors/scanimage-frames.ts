import { grouped, plural } from '../../../wording.js';
import type { FrameOrder, ScanFacts } from './scanimage-facts.js';

/** Frames of one channel sorted into T and Z. */
export interface Frames {
  T: number;
  Z: number;
  /** Which frame of the file. */
  index(t: number, z: number): number;
  /** Seconds from one T to the next; `undefined` when it is not the same for all. */
  period(facts: ScanFacts): number | undefined;
}

/**
 * Sorts `count` frames: repeats of a slice first, then slices, flyback frames, volumes. T counts repeats, then volumes.
 * Only complete volumes are shown; the first one, if interrupted, as far as its slices are complete.
 */
export function findFrames(order: FrameOrder, count: number, warnings: string[]): Frames {
  const { repeats, flyback } = order;
  if (order.slices === 1) return series(count);
  const shown = order.slices * repeats;
  const perVolume = shown + flyback;
  const volumes = Math.floor((count + flyback) / perVolume);
  const slices = volumes > 0 ? order.slices : Math.floor(count / repeats);
  if (slices === 0) {
    warnings.push(
      `the header says ${plural(repeats, 'frame')} at each slice, but the file has ${grouped(count)}; shown as time points`,
    );
    return series(count);
  }
  const complete = Math.max(1, volumes);
  const left = count - (volumes > 0 ? Math.min(count, volumes * perVolume) : slices * repeats);
  if (slices < order.slices)
    warnings.push(`the stack was interrupted: ${slices} of ${order.slices} slices are complete`);
  if (left > 0) warnings.push(`the last volume or slice is unfinished; ${plural(left, 'frame')} skipped`);
  if (flyback > 0) {
    warnings.push(
      `${flyback} of ${plural(perVolume, 'frame')} of each volume skipped: taken during the flyback of the objective`,
    );
  }
  return {
    T: complete * repeats,
    Z: slices,
    index: (t, z) => Math.floor(t / repeats) * perVolume + z * repeats + (t % repeats),
    period: (facts) => {
      if (complete === 1) return facts.framePeriod;
      return repeats === 1 ? facts.volumePeriod : undefined;
    },
  };
}

function series(count: number): Frames {
  return { T: count, Z: 1, index: (t) => t, period: (facts) => facts.framePeriod };
}
