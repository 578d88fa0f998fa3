import { grouped, plural } from '../../../wording.js';
import type { FrameOrder, ScanSettings } from './scanimage-settings.js';

/** Frames of one channel sorted into T and Z. */
export interface Frames {
  T: number;
  Z: number;
  /** Warnings about frames that are not shown. */
  notes: string[];
  /** Returns the index of a frame in the file. */
  index(t: number, z: number): number;
  /** Returns the seconds from one T to the next, or `undefined` if they differ. */
  period(settings: ScanSettings): number | undefined;
}

/**
 * Sorts `count` frames: repeats of a slice first, then slices, flyback frames, volumes. T counts repeats, then volumes.
 * Only complete volumes are shown. If the first volume was interrupted, its complete slices are shown.
 */
export function sortFrames(order: FrameOrder, count: number): Frames {
  const { repeats, flyback } = order;
  if (order.slices === 1) return toTimeSeries(count, []);
  const perVolume = order.slices * repeats + flyback;
  const volumes = Math.floor((count + flyback) / perVolume);
  const slices = volumes > 0 ? order.slices : Math.floor(count / repeats);
  if (slices === 0) {
    return toTimeSeries(count, [
      `The header says ${plural(repeats, 'frame')} at each slice, but the file has ${grouped(count)}. ` +
        'Showing the frames as time points.',
    ]);
  }
  const complete = Math.max(1, volumes);
  const left = count - (volumes > 0 ? Math.min(count, volumes * perVolume) : slices * repeats);
  return {
    T: complete * repeats,
    Z: slices,
    notes: describeSkipped(order, slices, left, perVolume),
    index: (t, z) => Math.floor(t / repeats) * perVolume + z * repeats + (t % repeats),
    period: (settings) => {
      if (complete === 1) return settings.framePeriod;
      return repeats === 1 ? settings.volumePeriod : undefined;
    },
  };
}

function describeSkipped(order: FrameOrder, slices: number, left: number, perVolume: number): string[] {
  const notes: string[] = [];
  if (slices < order.slices) {
    notes.push(`The stack was interrupted: ${grouped(slices)} of ${plural(order.slices, 'slice')} are complete.`);
  }
  if (left > 0) notes.push(`The last volume or slice is incomplete; ${plural(left, 'frame')} skipped.`);
  if (order.flyback > 0) {
    notes.push(
      `Skipped ${grouped(order.flyback)} of ${plural(perVolume, 'frame')} of each volume, recorded during the flyback of the objective.`,
    );
  }
  return notes;
}

function toTimeSeries(count: number, notes: string[]): Frames {
  return { T: count, Z: 1, notes, index: (t) => t, period: (settings) => settings.framePeriod };
}
