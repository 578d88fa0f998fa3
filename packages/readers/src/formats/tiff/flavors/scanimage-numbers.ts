import { asCorrupted } from '../../../base/warning-kinds.js';
import { countAre, grouped, plural } from '../../../base/wording.js';
import type { FrameText } from './scanimage-frame-text.js';
import type { ScanSettings } from './scanimage-settings.js';

/** Descriptions that are read to find where numbers are missing. A long file without gaps needs three. */
const MAX_READ = 4096;
/** Frames of a file whose numbers are all read: one that is there twice may hide one that is missing. */
const MAX_CHECKED = 64;
/** Frames at the end that may have no number, because the file is truncated. */
const MAX_CUT = 64;

/** Frames of a file that follow each other without a gap. */
interface FrameRun {
  /** Index of the first frame in the file. */
  index: number;
  /** 0-based place of that frame in the recording. */
  place: number;
}

/** Where the frames of a file belong in the recording, by their numbers. */
export class FramePlaces {
  readonly count: number;
  private readonly runs: readonly [FrameRun, ...FrameRun[]];

  /** @param runs in ascending order; the first begins with frame 0 of the file */
  constructor(count: number, runs: readonly [FrameRun, ...FrameRun[]] = [{ index: 0, place: 0 }]) {
    this.count = count;
    this.runs = runs;
  }

  get first(): number {
    return this.runs[0].place;
  }

  get last(): number {
    const { index, place } = this.runs.at(-1)!;
    return place + this.count - 1 - index;
  }

  /** Number of frames between the first and the last that the file does not have. */
  get missing(): number {
    return this.last - this.first + 1 - this.count;
  }

  /** Returns the index in the file of the frame at a place; `undefined` if the file does not have it. */
  indexOf(place: number): number | undefined {
    let [low, high] = [0, this.runs.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.runs[middle]!.place <= place) low = middle;
      else high = middle - 1;
    }
    const run = this.runs[low]!;
    const index = run.index + place - run.place;
    const end = this.runs[low + 1]?.index ?? this.count;
    return place >= run.place && index < end ? index : undefined;
  }

  /** Returns the places that the file does not have: each range from its first place up to, not including, `to`. */
  gaps(): { from: number; to: number; index: number }[] {
    return this.runs.slice(1).flatMap(({ index, place }, i) => {
      const before = this.runs[i]!;
      const from = before.place + index - before.index;
      return place > from ? [{ from, to: place, index }] : [];
    });
  }
}

/**
 * Finds the places of frames by their numbers. A split recording goes on with its numbers in the next file, and a dropped
 * frame leaves a gap. Only frames at both ends and around gaps are read.
 * @param textAt returns the description of a frame
 */
export function findPlaces(
  count: number,
  textAt: (frame: number) => FrameText,
  { average, order }: Pick<ScanSettings, 'average' | 'order'>,
): { places: FramePlaces; note?: string } {
  const inOrder = new FramePlaces(count);
  const perVolume = order.slices * order.repeats + order.flyback;
  const numbers = toNumbers(count, textAt, average);
  if (!numbers) return { places: inOrder };
  const starts = findStarts(count, numbers);
  if (typeof starts === 'string')
    return { places: inOrder, note: `${starts} The frames are shown in file order, and may be of another T or Z.` };
  const runs: FrameRun[] = [];
  let shift = 0;
  let end = 0;
  let acquisition = numbers(0)?.acquisition;
  for (const [i, index] of starts.entries()) {
    const at = numbers(index)!;
    // A further acquisition counts from 1 again, and starts with a new volume.
    if (at.acquisition !== acquisition && at.place + shift < end) shift = Math.ceil(end / perVolume) * perVolume;
    acquisition = at.acquisition;
    runs.push({ index, place: at.place + shift });
    end = at.place + shift + (starts[i + 1] ?? count) - index;
  }
  const [first, ...others] = runs;
  return { places: first ? new FramePlaces(count, [first, ...others]) : inOrder };
}

interface Numbered {
  /** 0-based, in its acquisition. */
  place: number;
  acquisition: number | undefined;
}

type Numbers = (frame: number) => Numbered | undefined;

/** Returns `undefined` when the frames have no numbers. Some versions count the frames before they are averaged. */
function toNumbers(count: number, textAt: (frame: number) => FrameText, average: number): Numbers | undefined {
  const numberAt = (frame: number) => {
    const { number, numberInAcquisition } = textAt(frame);
    const value = numberInAcquisition || number;
    return value !== undefined && value >= 1 ? value : undefined;
  };
  const first = numberAt(0);
  if (first === undefined || count === 0) return undefined;
  const isCountedBefore = average > 1 && count > 1 && numberAt(1) === first + average;
  return (frame) => {
    const number = numberAt(frame);
    const place = number === undefined ? undefined : Math.ceil(number / (isCountedBefore ? average : 1)) - 1;
    return place === undefined ? undefined : { place, acquisition: textAt(frame).acquisition };
  };
}

/** Returns the frames that do not follow the one before them, and the first one; or why the numbers cannot be used. */
function findStarts(count: number, numbers: Numbers): number[] | string {
  const starts = [0];
  let last = count - 1;
  // Frames of a truncated file are assumed to follow the last one with a number.
  for (const end = Math.max(0, last - MAX_CUT); last > end && !numbers(last); last--);
  const ranges: [number, number][] = [[0, last]];
  for (let read = 0; ranges.length > 0; read++) {
    const [low, high] = ranges.pop()!;
    const [from, to] = [numbers(low), numbers(high)];
    if (!from || !to) return `Frame ${grouped((from ? high : low) + 1)} of the file has no frame number.`;
    const gap = to.place - from.place - (high - low);
    const isSame = from.acquisition === to.acquisition;
    if (isSame && gap === 0 && (count > MAX_CHECKED || high - low <= 1)) continue;
    if (isSame && gap < 0)
      return `The frame numbers do not ascend between frames ${grouped(low + 1)} and ${grouped(high + 1)} of the file.`;
    if (read === MAX_READ)
      return `The frame numbers have more gaps than can be found by reading ${grouped(MAX_READ)} frames.`;
    const middle = (low + high) >> 1;
    if (high - low === 1) starts.push(high);
    // The earlier range is taken first, so that starts are in ascending order.
    else ranges.push([middle, high], [low, middle]);
  }
  return starts;
}

/** Returns a warning about frames that a time series lacks. */
export function describeDropped(places: FramePlaces): string | undefined {
  const [gap] = places.gaps();
  if (!gap) return undefined;
  return asCorrupted(
    `By the frame numbers, ${countAre(places.missing, 'frame')} missing, the first after T = ` +
      `${grouped(gap.index - 1)}. The ${plural(places.count, 'frame')} that are there are shown one after the other.`,
  );
}
