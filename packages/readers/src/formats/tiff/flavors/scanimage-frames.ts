import { asCorrupted, asIncomplete } from '../../../base/warning-kinds.js';
import { countAre, grouped, plural } from '../../../base/wording.js';
import { describeDropped, type FramePlaces } from './scanimage-numbers.js';
import type { FrameOrder } from './scanimage-settings.js';

/** Planes that a part of a stack is shown with, for each frame that it has. */
const MAX_PLANES_PER_FRAME = 1024;

/** Frames of one channel sorted into T and Z. */
export interface Frames {
  T: number;
  Z: number;
  /** Warnings about frames that are not shown. */
  notes: string[];
  /** Returns the index of a frame in the file; `undefined` if the file does not have it. */
  index(t: number, z: number): number | undefined;
  /** The plane of the first frame, when that is not the first plane. */
  first?: { t: number; z: number };
  /** The setting that is the period from one T to the next; absent if there is none. */
  period?: 'framePeriod' | 'volumePeriod';
}

/** A volume: repeats of a slice first, then slices, then flyback frames. */
interface VolumeFrames extends FrameOrder {
  /** Frames that are shown. */
  shown: number;
  /** With flyback frames. */
  frames: number;
}

/**
 * Sorts frames by their places in the recording: repeats of a slice first, then slices, flyback frames, volumes. T counts
 * repeats, then volumes. Only complete volumes are shown. A file that has none shows the part that it has.
 */
export function sortFrames(order: FrameOrder, places: FramePlaces): Frames {
  if (order.slices === 1) return toTimeSeries(places, [describeDropped(places)]);
  if (places.missing > places.count) {
    return toTimeSeries(places, [
      `By the frame numbers, ${plural(places.missing, 'frame')} of the stack are missing, more than are there. ` +
        'Showing the frames as time points.',
    ]);
  }
  const shown = order.slices * order.repeats;
  const volume: VolumeFrames = { ...order, shown, frames: shown + order.flyback };
  const start = splitPlace(places.first, volume);
  const end = splitPlace(places.last, volume);
  const first = start.within === 0 ? start.volume : start.volume + 1;
  const last = end.within >= shown - 1 ? end.volume : end.volume - 1;
  if (first <= last) return sortVolumes(places, volume, first, last);
  return start.volume === end.volume && start.within === 0
    ? sortInterrupted(places, volume)
    : sortPart(places, volume, start, end);
}

interface SplitPlace {
  volume: number;
  within: number;
}

function splitPlace(place: number, { frames }: VolumeFrames): SplitPlace {
  const volume = Math.floor(place / frames);
  return { volume, within: place - volume * frames };
}

function sortVolumes(places: FramePlaces, volume: VolumeFrames, first: number, last: number): Frames {
  const { slices, repeats, flyback } = volume;
  const complete = last - first + 1;
  const begin = first * volume.frames;
  const end = begin + complete * volume.frames;
  const missing = describeMissing(places, volume, begin, end);
  const notes = [
    ...describeStart(places, begin),
    ...describeEnd(Math.max(0, places.last + 1 - end)),
    ...(missing === undefined ? [] : [missing]),
    ...describeFlyback(flyback, volume.frames),
  ];
  return {
    T: complete * repeats,
    Z: slices,
    notes,
    index: (t, z) => places.indexOf(begin + Math.floor(t / repeats) * volume.frames + z * repeats + (t % repeats)),
    ...(complete === 1 && { period: 'framePeriod' as const }),
    ...(complete > 1 && repeats === 1 && { period: 'volumePeriod' as const }),
  };
}

/** The first volume of a recording that was stopped in it: its complete slices are shown. */
function sortInterrupted(places: FramePlaces, volume: VolumeFrames): Frames {
  const { repeats } = volume;
  const frames = places.last - places.first + 1;
  const slices = Math.floor(frames / repeats);
  if (slices === 0) {
    return toTimeSeries(places, [
      `The header says ${plural(repeats, 'frame')} at each slice, but the file has ${grouped(places.count)}. ` +
        'Showing the frames as time points.',
    ]);
  }
  const missing = describeMissing(places, volume, places.first, places.first + slices * repeats);
  return {
    T: repeats,
    Z: slices,
    notes: [
      `The stack was interrupted: ${grouped(slices)} of ${plural(volume.slices, 'slice')} are complete.`,
      ...describeEnd(frames - slices * repeats),
      ...(missing === undefined ? [] : [missing]),
      ...describeFlyback(volume.flyback, volume.frames),
    ],
    index: (t, z) => places.indexOf(places.first + z * repeats + t),
    period: 'framePeriod',
  };
}

/** A file of a split recording that has no complete volume: its frames are shown at their own slices. */
function sortPart(places: FramePlaces, volume: VolumeFrames, start: SplitPlace, end: SplitPlace): Frames {
  const { slices, repeats } = volume;
  const isOneVolume = start.volume === end.volume;
  const top = Math.min(slices - 1, Math.floor(end.within / repeats));
  const bottom = Math.floor(start.within / repeats);
  if (isOneVolume && bottom >= top) {
    const which =
      bottom < slices ? `slice ${grouped(bottom + 1)} of ${grouped(slices)}` : 'the flyback of the objective';
    return toTimeSeries(places, [`All frames of this file are of ${which}. Showing them as time points.`]);
  }
  const [T, Z] = [(end.volume - start.volume + 1) * repeats, isOneVolume ? top + 1 : slices];
  if (T * Z > MAX_PLANES_PER_FRAME * places.count) {
    return toTimeSeries(places, ['The file has only a few frames of a large stack. Showing them as time points.']);
  }
  const begin = start.volume * volume.frames;
  const index = (t: number, z: number) =>
    places.indexOf(begin + Math.floor(t / repeats) * volume.frames + z * repeats + (t % repeats));
  return {
    T,
    Z,
    notes: [
      `The file has no complete volume: it begins with frame ${grouped(places.first + 1)} of the recording, at slice ` +
        `${grouped(Math.min(slices, bottom + 1))} of ${grouped(slices)}. Planes that are not in this file are shown as zeros.`,
      ...describeFlyback(volume.flyback, volume.frames),
    ],
    index,
    ...(bottom <= top && { first: { t: start.within % repeats, z: bottom } }),
    ...(isOneVolume && { period: 'framePeriod' as const }),
    ...(!isOneVolume && repeats === 1 && { period: 'volumePeriod' as const }),
  };
}

function describeStart(places: FramePlaces, begin: number): string[] {
  const skipped = begin - places.first;
  if (skipped <= 0) return [];
  return [
    `The file begins inside a volume, with frame ${grouped(places.first + 1)} of the recording. Its first ` +
      `${plural(skipped, 'frame')}, up to the next volume, ${skipped === 1 ? 'was' : 'were'} skipped.`,
  ];
}

function describeEnd(left: number): string[] {
  return left > 0 ? [asIncomplete(`The last volume or slice is incomplete; ${plural(left, 'frame')} skipped.`)] : [];
}

function describeFlyback(flyback: number, perVolume: number): string[] {
  if (flyback === 0) return [];
  return [
    `Skipped ${grouped(flyback)} of ${plural(perVolume, 'frame')} of each volume, recorded during the flyback of the objective.`,
  ];
}

/** Returns a warning about planes between two places that the file does not have. */
function describeMissing(places: FramePlaces, volume: VolumeFrames, begin: number, end: number): string | undefined {
  const shownBefore = (place: number) => {
    const { volume: volumes, within } = splitPlace(Math.min(end, Math.max(begin, place)), volume);
    return volumes * volume.shown + Math.min(within, volume.shown);
  };
  const gaps = places.gaps().map(({ from, to }) => ({ from, planes: shownBefore(to) - shownBefore(from) }));
  const first = gaps.find(({ planes }) => planes > 0);
  if (!first) return undefined;
  const planes = gaps.reduce((sum, gap) => sum + gap.planes, 0);
  return asCorrupted(
    `By the frame numbers, ${countAre(planes, 'frame')} missing, the first after frame ${grouped(first.from)} ` +
      `of the recording. ${planes === 1 ? 'Its plane is' : 'Their planes are'} shown as zeros.`,
  );
}

function toTimeSeries(places: FramePlaces, notes: (string | undefined)[]): Frames {
  return {
    T: places.count,
    Z: 1,
    notes: notes.filter((note) => note !== undefined),
    index: (t) => t,
    period: 'framePeriod',
  };
}
